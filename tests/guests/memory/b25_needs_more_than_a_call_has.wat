;; Row: B25
;;
;; Tries: to need more memory before it starts than a call may have.
;;
;; Answer: refused, when it is loaded; both numbers are named.

(memory $memory (export "memory") 3000)

(func $touch (param $at i32)
  (i32.store (local.get $at) (i32.const 1)))

(func $call (type $call)
  (call $touch (i32.const 196_000_000))
  (call $text
    (i32.const 1024)
    (i32.const 3)))
