;; Row: CVE-2026-119141
;;
;; Tries: to call the host while the host is in the middle of handing something over.
;;
;; Answer: tool_crashed; a guest that is being written to cannot leave.

(import "wasi:clocks/monotonic-clock@0.2.12" "now" (func $now (result i64)))

(func $realloc (param i32 i32 i32 i32) (result i32)
  (local $now i64)
  (local.set $now (call $now))
  (i32.const 65536))

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 1024))
  (call $text
    (local.get $at)
    (i32.const 4)))
