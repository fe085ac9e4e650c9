;; Row: Val-API
;;
;; Tries: to fill the view of the model with links: five thousand that lead to nothing.
;;
;; Answer: bad_result; the number of blocks is bounded.

(memory $memory (export "memory") 16)

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 131072))
  ;; The fifth kind of block; all its texts are empty.
  (loop $again
    (i32.store8 (local.get $at) (i32.const 4))
    (local.set $at (i32.add (local.get $at) (i32.const 80)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 531072))))
  (call $blocks (i32.const 131072) (i32.const 5000)))
