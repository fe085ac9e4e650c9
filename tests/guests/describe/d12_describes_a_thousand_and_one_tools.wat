;; Row: D12
;;
;; Tries: to make the list of tools so long that nobody reads it.
;;
;; Answer: refused; the number of a component's tools is bounded.

(memory $memory (export "memory") 8)

;; A record has 128 bytes. All zero, it is a tool without a name.
(func $describe (result i32)
  (i32.store (i32.const 512) (i32.const 65536))
  (i32.store (i32.const 516) (i32.const 1001))
  (i32.const 512))

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 3)))
