;; Row: B66
;;
;; Tries: to overflow the stack of whoever reads its result: lists inside of lists.
;;
;; Answer: bad_result; the depth is bounded before a library reads it.

(memory $memory (export "memory") 8)

(func $call (type $call)
  (memory.fill (i32.const 131072) (i32.const 91) (i32.const 100_000))
  (memory.fill
    (i32.const 231072)
    (i32.const 93)
    (i32.const 100_000))
  (call $structured
    (i32.const 131072)
    (i32.const 200_000)))
