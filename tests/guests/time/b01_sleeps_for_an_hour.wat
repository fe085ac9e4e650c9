;; Row: B01
;;
;; Tries: to sleep for an hour inside of the host, where neither fuel nor an epoch stops a guest.
;;
;; Answer: timeout, at the deadline of the call; its place is free.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))

(func $call (type $call)
  (call $block
    (call $wait_for (i64.const 3_600_000_000_000)))
  (unreachable))
