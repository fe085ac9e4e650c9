;; Row: D7
;;
;; Tries: to give a thing back to the host twice, so that it hits what came in its place.
;;
;; Answer: bad_result; a handle that was given back is none.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[resource-drop]pollable" (func $drop (param i32)))

(func $call (type $call)
  (local $pollable i32)
  (local.set $pollable
    (call $wait_for (i64.const 0)))
  (call $drop (local.get $pollable))
  (call $drop (local.get $pollable))
  (call $text (i32.const 1024) (i32.const 4)))
