;; Row: T-tenant-matrix
;;
;; Tries: to read what another tenant has kept: it keeps its first argument under one key, unless there is
;;   something.
;;
;; Answer: ok; each tenant finds its own alone.

(import "toolhost:tool/kv@0.1.0" "get" (func $get (param i32 i32 i32)))
(import "toolhost:tool/kv@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))

(data (i32.const 32768) "shared")

(func $call (type $call)
  (call $get (i32.const 32768) (i32.const 6) (i32.const 600))
  ;; There is something: that is the answer.
  (if (i32.and (i32.eqz (i32.load8_u (i32.const 600))) (i32.load8_u (i32.const 604)))
    (then (return (call $text (i32.load (i32.const 608)) (i32.load (i32.const 612))))))
  (call $set (i32.const 32768) (i32.const 6) (local.get 2) (local.get 3) (i32.const 640))
  (call $text (local.get 2) (local.get 3)))
