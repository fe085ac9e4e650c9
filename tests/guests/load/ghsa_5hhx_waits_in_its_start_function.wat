;; Row: GHSA-5hhx
;;
;; Tries: to give way to others in a start function, where the engine may not expect it, and for an hour.
;;
;; Answer: refused, when its time to describe itself is over; the host goes on.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))

(func $start
  (call $block
    (call $wait_for
      (i64.const 3_600_000_000_000))))
(start $start)

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 4)))
