;; Row: B98
;;
;; Tries: to be run again and again by saying that it may pass, and to be waited for until the end of time.
;;
;; Answer: tool_error; it is tried a few times, within the deadline.

(data (i32.const 32768) "Busy")

(func $call (type $call)
  (drop (call $failure
    (i32.const 32768)
    (i32.const 4)
    (i32.const 32768)
    (i32.const 4)))
  ;; It may be called again, after as many milliseconds as there are.
  (i32.store8 (i32.const 280) (i32.const 1))
  (i32.store8 (i32.const 288) (i32.const 1))
  (i64.store (i32.const 296) (i64.const -1))
  (i32.const 256))
