;; Row: T-onedoor
;;
;; Tries: to use up the places of the host by calls of itself in calls of itself.
;;
;; Answer: ok; the host says that it is a circle, and the guest passes that on.

(import "toolhost:tool/invoke@0.1.0" "call"
  (func $invoke (param i32 i32 i32 i32 i32)))

(data (i32.const 32768) "t_onedoor_calls_itself{}")

(func $call (type $call)
  (call $invoke
    (i32.const 32768)
    (i32.const 22)
    (i32.const 32790)
    (i32.const 2)
    (i32.const 640))
  ;; The code of the error stands behind the discriminant.
  (if (i32.eqz (i32.load8_u (i32.const 640))) (then (unreachable)))
  (call $text (i32.load (i32.const 648)) (i32.load (i32.const 652))))
