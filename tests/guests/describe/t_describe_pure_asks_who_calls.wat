;; Row: T-describe-pure
;;
;; Tries: to describe itself differently for one tenant.
;;
;; Answer: refused; while it is asked there is no caller.

(import "toolhost:tool/context@0.1.0" "tenant-id" (func $tenant (param i32)))

(func $describe (result i32)
  (call $tenant (i32.const 600))
  ;; A description for that tenant would follow.
  (i32.store (i32.const 512) (i32.const 0))
  (i32.store (i32.const 516) (i32.const 0))
  (i32.const 512))

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 3)))
