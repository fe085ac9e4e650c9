;; Row: T-invisible
;;
;; Tries: to hide something from people in the kind and the message of its failure.
;;
;; Answer: tool_error; nothing of it survives.

(func $call (type $call)
  (local $length i32)
  (local.set $length
    (call $unhexed (i32.add (local.get 2) (i32.const 6)) (i32.sub (local.get 3) (i32.const 8))))
  (call $failure
    (i32.const 49152)
    (local.get $length)
    (i32.const 49152)
    (local.get $length)))
