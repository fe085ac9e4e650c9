;; Row: B28
;;
;; Tries: to make the host keep something for each of very many short waits.
;;
;; Answer: timeout; the process holds what it held before.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))
(import "wasi:io/poll@0.2.12" "[resource-drop]pollable" (func $drop (param i32)))

(func $call (type $call)
  (local $pollable i32)
  (loop $again
    (local.set $pollable (call $wait_for (i64.const 10_000)))
    (call $block (local.get $pollable))
    (call $drop (local.get $pollable))
    (br $again))
  (unreachable))
