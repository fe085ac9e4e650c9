;; Row: B13
;;
;; Tries: to be cut off at a moment when the host cannot let go of it: it computes, waits, grows and writes in
;;   turns.
;;
;; Answer: cancelled, at any moment; no place, thread or memory is lost.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))
(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))

(func $call (type $call)
  (local $round i32)
  (loop $again
    (local.set $round (i32.add (local.get $round) (i32.const 1)))
    (drop (memory.grow (i32.const 1)))
    (memory.fill (i32.const 65536) (local.get $round) (i32.const 65536))
    (call $write (call $stdout) (i32.const 65536) (i32.const 512) (i32.const 600))
    (call $block (call $wait_for (i64.const 50_000)))
    (br_if $again (i32.lt_u (local.get $round) (i32.const 60))))
  (loop $for_ever (br $for_ever))
  (unreachable))
