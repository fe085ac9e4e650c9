;; Row: T-onedoor
;;
;; Tries: to call for its caller what the caller may not call.
;;
;; Answer: ok; it is told not_allowed, as the caller would be.

(import "toolhost:tool/invoke@0.1.0" "call"
  (func $invoke (param i32 i32 i32 i32 i32)))

(data (i32.const 32768) "b111_is_called_without_end{}")

(func $call (type $call)
  (call $invoke
    (i32.const 32768)
    (i32.const 26)
    (i32.const 32794)
    (i32.const 2)
    (i32.const 640))
  (if (i32.eqz (i32.load8_u (i32.const 640))) (then (unreachable)))
  (call $text (i32.load (i32.const 648)) (i32.load (i32.const 652))))
