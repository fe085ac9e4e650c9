;; Row: D12
;;
;; Tries: to describe four billion tools.
;;
;; Answer: refused; a list is measured before it is read.

(func $describe (result i32)
  (i32.store (i32.const 512) (i32.const 1024))
  (i32.store (i32.const 516) (i32.const -1))
  (i32.const 512))

(func $call (type $call)
  (call $text
    (i32.const 1024)
    (i32.const 3)))
