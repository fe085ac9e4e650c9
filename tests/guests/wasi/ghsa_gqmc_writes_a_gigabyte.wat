;; Row: GHSA-gqmc
;;
;; Tries: to fill the memory of a host that gives it no standard output to see: it writes a gigabyte.
;;
;; Answer: ok; its output is closed before that, and nearly all of it is thrown away.

(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))

(data (i32.const 32768) "closedtaken")

(func $call (type $call)
  (local $round i32)
  (local $stream i32)
  (local.set $stream (call $stdout))
  (loop $again
    (call $write (local.get $stream) (i32.const 65536) (i32.const 4096) (i32.const 600))
    (if (i32.load8_u (i32.const 600))
      (then (return (call $text (i32.const 32768) (i32.const 6)))))
    (local.set $round (i32.add (local.get $round) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $round) (i32.const 262_144))))
  (call $text (i32.const 32774) (i32.const 5)))
