;; Row: B08
;;
;; Tries: to hang the host before it has said what tools it has: its start function never ends.
;;
;; Answer: refused, when its time to describe itself is over; the others are served.

(func $start
  (loop $again
    (br $again)))
(start $start)

(func $call (type $call)
  (call $text
    (i32.const 1024)
    (i32.const 4)))
