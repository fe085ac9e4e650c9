;; Row: B12
;;
;; Tries: to leave its instance in a state that no later call can enter.
;;
;; Answer: cancelled, where it loops; the next call runs in a fresh sandbox and is answered.

(global $entered (mut i32) (i32.const 0))

(func $call (type $call)
  ;; An instance that was left in the middle would be seen here.
  (if (global.get $entered) (then (unreachable)))
  (global.set $entered (i32.const 1))
  ;; Without arguments it never leaves.
  (if (i32.eq (local.get 3) (i32.const 2))
    (then (loop $again (br $again))))
  (global.set $entered (i32.const 0))
  (call $text (local.get 2) (local.get 3)))
