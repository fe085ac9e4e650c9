;; Row: GHSA-5m8g
;;
;; Tries: to make the host keep something for each write, however little it writes: it writes nothing, without
;;   end.
;;
;; Answer: timeout; empty writes are counted, and the process holds what it held before.

(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.write"
  (func $write (param i32 i32 i32 i32)))

(func $call (type $call)
  (local $stream i32)
  (local.set $stream (call $stdout))
  (loop $again
    (call $write
      (local.get $stream)
      (i32.const 0)
      (i32.const 0)
      (i32.const 600))
    (br $again))
  (unreachable))
