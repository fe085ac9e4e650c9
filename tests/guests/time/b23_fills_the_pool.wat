;; Row: B23
;;
;; Tries: to use up all places, so that the next call fails in the engine.
;;
;; Answer: timeout; the next call waits for a place and is told so in words, and never sees the engine.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))

(func $call (type $call)
  (local $pollable i32)
  (local.set $pollable
    (call $wait_for (i64.const 60_000_000_000)))
  (call $block (local.get $pollable))
  (call $text
    (i32.const 1024)
    (i32.const 4)))
