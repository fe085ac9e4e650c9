;; Row: B29
;;
;; Tries: the same by the other way in: while it is asked to describe itself, where nothing is recorded.
;;
;; Answer: ok; what it wrote is nobody's business, and it is served.

(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))

(func $describe (result i32)
  (local $round i32)
  (local $stream i32)
  (local.set $stream (call $stdout))
  (loop $again
    (call $write (local.get $stream) (i32.const 32768) (i32.const 4096) (i32.const 600))
    (local.set $round (i32.add (local.get $round) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $round) (i32.const 8192))))
  (call $described))

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 3)))
