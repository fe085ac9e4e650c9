;; Row: D12
;;
;; Tries: to hang the host while it hands the arguments over: its allocator never returns.
;;
;; Answer: timeout; the deadline covers that too.

(func $realloc (param i32 i32 i32 i32) (result i32)
  (loop $again
    (br $again))
  (unreachable))

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 1024))
  (call $text
    (local.get $at)
    (i32.const 4)))
