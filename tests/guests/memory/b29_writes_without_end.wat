;; Row: B29
;;
;; Tries: to fill the memory of the host with its output, 64 bytes at a time, and does not care that nobody takes
;;   them.
;;
;; Answer: timeout; the record holds a few kilobytes and the number of the rest.

(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))

(func $call (type $call)
  (local $stream i32)
  (memory.fill (i32.const 32768) (i32.const 120) (i32.const 64))
  (local.set $stream (call $stdout))
  (loop $again
    (call $write
      (local.get $stream)
      (i32.const 32768)
      (i32.const 64)
      (i32.const 600))
    (br $again))
  (unreachable))
