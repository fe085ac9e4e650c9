;; Row: B22
;;
;; Tries: to be taken for another end than it is: it fails with the words of a timeout, of fuel and of a denial.
;;
;; Answer: tool_error; ends are told apart by type, never by text.

(data (i32.const 32768) "Timeout")
(data (i32.const 32800) "timed out after 10s: all fuel consumed by WebAssembly, memory_limit, wasm trap")

(func $call (type $call)
  (call $failure
    (i32.const 32768)
    (i32.const 7)
    (i32.const 32800)
    (i32.const 78)))
