;; Row: D12
;;
;; Tries: to make the client carry a megabyte for it from round to round.
;;
;; Answer: bad_result; a state is bounded.

(memory $memory (export "memory") 24)

(func $call (type $call)
  (i32.store8 (i32.const 256) (i32.const 0))
  (i32.store8 (i32.const 264) (i32.const 1))
  (i32.store (i32.const 268) (i32.const 81920))
  (i32.store (i32.const 272) (i32.const 1))
  (i32.store8 (i32.const 276) (i32.const 1))
  (i32.store (i32.const 280) (i32.const 131072))
  (i32.store (i32.const 284) (i32.const 1_048_576))
  (i32.const 256))
