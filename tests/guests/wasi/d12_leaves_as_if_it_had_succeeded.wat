;; Row: D12
;;
;; Tries: to be taken for a tool that is done: it leaves its process with success, without an answer.
;;
;; Answer: tool_crashed; only an answer is one.

(import "wasi:cli/exit@0.2.12" "exit" (func $exit (param i32)))

(func $call (type $call)
  ;; The result of a program that went well.
  (call $exit
    (i32.const 0))
  (call $text
    (i32.const 1024)
    (i32.const 4)))
