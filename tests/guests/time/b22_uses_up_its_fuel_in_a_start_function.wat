;; Row: B22
;;
;; Tries: to end for lack of fuel where the end looks like a fault of the host: in the start function of a call.
;;
;; Answer: fuel_exhausted, told by its type wherever it happens.

(import "wasi:clocks/monotonic-clock@0.2.12" "now" (func $now (result i64)))

(func $start
  (local $left i64)
  ;; The clock stands still while it describes itself.
  (local.set $left (i64.mul (call $now) (i64.const 1_000_000_000)))
  (block $done
    (loop $again
      (br_if $done (i64.eqz (local.get $left)))
      (local.set $left (i64.sub (local.get $left) (i64.const 1)))
      (br $again))))
(start $start)

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 4)))
