;; Row: D12
;;
;; Tries: to have a name that is not UTF-8.
;;
;; Answer: refused; it is no text.

(memory $memory (export "memory") 2)
(data (i32.const 32768) "\ff\fe\ed\a0\80")

(func $describe (result i32)
  (i32.store (i32.const 65536) (i32.const 32768))
  (i32.store (i32.const 65540) (i32.const 5))
  (i32.store (i32.const 512) (i32.const 65536))
  (i32.store (i32.const 516) (i32.const 1))
  (i32.const 512))

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 3)))
