;; Row: B56
;;
;; Tries: to act for a tenant that the model names: it has no such property, and would believe it.
;;
;; Answer: bad_args, for each name of a tenant in its arguments; the host says who calls.

(import "toolhost:tool/context@0.1.0" "tenant-id" (func $tenant (param i32)))

(func $call (type $call)
  ;; What the host says counts.
  (call $tenant
    (i32.const 600))
  (call $text
    (i32.load
      (i32.const 600))
    (i32.load
      (i32.const 604))))
