;; Row: B110
;;
;; Tries: nothing; one tenant calls it a thousand times at once, so that another finds no place.
;;
;; Answer: ok; the other tenant is served in turn.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))

(func $call (type $call)
  (local $pollable i32)
  (local.set $pollable
    (call $wait_for (i64.const 5_000_000)))
  (call $block (local.get $pollable))
  (call $text
    (local.get 2)
    (local.get 3)))
