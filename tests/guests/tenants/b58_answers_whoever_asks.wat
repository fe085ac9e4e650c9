;; Row: B58
;;
;; Tries: nothing; it answers with its arguments after a while, so that answers of two clients with equal ids
;;   cross.
;;
;; Answer: ok; each client gets its own.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))

(func $call (type $call)
  (local $pollable i32)
  (local.set $pollable
    (call $wait_for (i64.const 30_000_000)))
  (call $block (local.get $pollable))
  (call $text
    (local.get 2)
    (local.get 3)))
