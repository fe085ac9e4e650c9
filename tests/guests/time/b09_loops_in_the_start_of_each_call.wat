;; Row: B09
;;
;; Tries: to hang a call before its export is called. While it is asked to describe itself the clock stands still
;;   at zero, and it behaves; in a call the clock runs, and its start function never ends.
;;
;; Answer: timeout, since the deadline stands before anything of the guest exists.

(import "wasi:clocks/monotonic-clock@0.2.12" "now" (func $now (result i64)))

(func $start
  (if (i64.ne (call $now) (i64.const 0))
    (then
      (loop $again
        (br $again)))))
(start $start)

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 4)))
