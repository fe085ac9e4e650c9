;; Row: D12
;;
;; Tries: to answer with a block of a kind that the contract does not have.
;;
;; Answer: bad_result; each kind is looked at.

(func $call (type $call)
  (drop
    (call $text
      (i32.const 1024)
      (i32.const 4)))
  ;; There are five kinds.
  (i32.store8
    (i32.const 384)
    (i32.const 9))
  (i32.const 256))
