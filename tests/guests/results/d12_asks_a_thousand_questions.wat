;; Row: D12
;;
;; Tries: to make a person click through a thousand questions.
;;
;; Answer: bad_result; the number of questions is bounded.

(memory $memory (export "memory") 4)

;; A question has 24 bytes. All zero, it has no name and asks nothing.
(func $call (type $call)
  (i32.store8 (i32.const 256) (i32.const 0))
  (i32.store8 (i32.const 264) (i32.const 1))
  (i32.store (i32.const 268) (i32.const 131072))
  (i32.store (i32.const 272) (i32.const 1000))
  (i32.store8 (i32.const 276) (i32.const 0))
  (i32.const 256))
