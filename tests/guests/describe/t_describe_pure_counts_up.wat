;; Row: T-describe-pure
;;
;; Tries: to have another name each time it is asked.
;;
;; Answer: ok; it is asked in a sandbox of its own, so that each time is the first.

(global $asked (mut i32) (i32.const 0))

;; The first letter of its name says how often it was asked.
(func $describe (result i32)
  (global.set $asked (i32.add (global.get $asked) (i32.const 1)))
  (i32.store8
    (i32.const 1024)
    (i32.add (i32.const 97) (global.get $asked)))
  (call $described))

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 1)))
