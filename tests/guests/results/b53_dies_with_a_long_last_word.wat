;; Row: B53
;;
;; Tries: to write into the result by its death: it prints a long complaint of lines and traps.
;;
;; Answer: tool_crashed; one line of the host's own.

(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.blocking-write-and-flush"
  (func $write (param i32 i32 i32 i32)))

(memory $memory (export "memory") 2)

(func $call (type $call)
  (memory.fill (i32.const 32768) (i32.const 10) (i32.const 4096))
  (call $write
    (call $stdout)
    (i32.const 32768)
    (i32.const 4096)
    (i32.const 600))
  (unreachable))
