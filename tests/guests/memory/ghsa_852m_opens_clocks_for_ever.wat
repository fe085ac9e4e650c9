;; Row: GHSA-852m
;;
;; Tries: to make the host keep a million things for it: it opens waits and never closes one.
;;
;; Answer: bad_result, when it holds as many as it may.

(import "wasi:clocks/monotonic-clock@0.2.12" "subscribe-duration"
  (func $wait_for (param i64) (result i32)))

(func $call (type $call)
  (local $round i32)
  (loop $again
    (drop
      (call $wait_for
        (i64.const 3_600_000_000_000)))
    (local.set $round (i32.add (local.get $round) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $round) (i32.const 1_000_000))))
  (call $text (i32.const 1024) (i32.const 3)))
