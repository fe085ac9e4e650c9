;; Row: B02
;;
;; Tries: to outlive its caller: it sleeps, and has an effect when it wakes.
;;
;; Answer: cancelled, when the caller goes away; it never wakes, so that its mark is not there.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))
(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))
(import "toolhost:tool/kv@0.1.0" "get" (func $get (param i32 i32 i32)))
(import "toolhost:tool/kv@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))

(data (i32.const 32768) "woke")

;; The next call finds the mark if the one before it woke.
(func $call (type $call)
  (call $get (i32.const 32768) (i32.const 4) (i32.const 600))
  (if (i32.load8_u (i32.const 604))
    (then (return (call $text (i32.const 32768) (i32.const 4)))))
  ;; With arguments it does not sleep.
  (if (i32.gt_u (local.get 3) (i32.const 2))
    (then (return (call $text (local.get 2) (local.get 3)))))
  (call $block (call $wait_for (i64.const 500_000_000)))
  (call $set (i32.const 32768) (i32.const 4) (i32.const 32768) (i32.const 4) (i32.const 600))
  (call $text (i32.const 32768) (i32.const 4)))
