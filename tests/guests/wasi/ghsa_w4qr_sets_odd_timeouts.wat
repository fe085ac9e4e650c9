;; Row: GHSA-w4qr
;;
;; Tries: to bring the host down with times for a request that are nothing, hardly anything, and without end.
;;
;; Answer: ok; the host takes or refuses each, and goes on.

(import "wasi:http/types@0.2.12" "[constructor]request-options" (func $options (result i32)))
(import "wasi:http/types@0.2.12" "[method]request-options.set-connect-timeout"
  (func $connect (param i32 i32 i64) (result i32)))
(import "wasi:http/types@0.2.12" "[method]request-options.set-first-byte-timeout"
  (func $first (param i32 i32 i64) (result i32)))
(import "wasi:http/types@0.2.12" "[method]request-options.set-between-bytes-timeout"
  (func $between (param i32 i32 i64) (result i32)))

(func $set (param $options i32) (param $time i64)
  (drop (call $connect (local.get $options) (i32.const 1) (local.get $time)))
  (drop (call $first (local.get $options) (i32.const 1) (local.get $time)))
  (drop (call $between (local.get $options) (i32.const 1) (local.get $time))))

(func $call (type $call)
  (call $set (call $options) (i64.const 0))
  (call $set (call $options) (i64.const 1))
  (call $set (call $options) (i64.const -1))
  (call $text (i32.const 1024) (i32.const 4)))
