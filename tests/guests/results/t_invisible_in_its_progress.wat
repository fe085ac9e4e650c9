;; Row: T-invisible
;;
;; Tries: to hide something from people in the news that it gives while it runs.
;;
;; Answer: ok; nothing of it survives.

(import "toolhost:tool/progress@0.1.0" "report"
  (func $progress (param f64 i32 f64 i32 i32 i32)))

(func $call (type $call)
  (local $length i32)
  (local.set $length
    (call $unhexed (i32.add (local.get 2) (i32.const 6)) (i32.sub (local.get 3) (i32.const 8))))
  (call $progress (f64.const 1) (i32.const 0) (f64.const 0)
    (i32.const 1) (i32.const 49152) (local.get $length))
  (call $text (i32.const 1024) (i32.const 1)))
