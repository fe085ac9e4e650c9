;; Row: B10
;;
;; Tries: to look well-behaved: it gives way to others at each turn, and never ends.
;;
;; Answer: timeout; yielding is no way round the deadline.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))
(import "wasi:io/poll@0.2.12" "[resource-drop]pollable" (func $drop (param i32)))

(func $call (type $call)
  (local $pollable i32)
  (loop $again
    (local.set $pollable (call $wait_for (i64.const 0)))
    (call $block (local.get $pollable))
    (call $drop (local.get $pollable))
    (br $again))
  (unreachable))
