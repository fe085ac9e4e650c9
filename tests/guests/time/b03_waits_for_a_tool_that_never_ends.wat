;; Row: B03
;;
;; Tries: to hang in a host function that waits for somebody else: a tool that never ends.
;;
;; Answer: timeout, for the whole chain; neither of both runs any more.

(import "toolhost:tool/invoke@0.1.0" "call"
  (func $invoke (param i32 i32 i32 i32 i32)))

(data (i32.const 32768) "b11_loops_without_a_host_call{}")

(func $call (type $call)
  (call $invoke
    (i32.const 32768) (i32.const 29)
    (i32.const 32797) (i32.const 2)
    (i32.const 600))
  ;; It goes on waiting, whatever the answer is.
  (loop $again
    (call $invoke (i32.const 32768) (i32.const 29) (i32.const 32797) (i32.const 2) (i32.const 600))
    (br $again))
  (unreachable))
