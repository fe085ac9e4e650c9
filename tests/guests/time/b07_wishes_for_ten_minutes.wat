;; Row: B07
;;
;; Tries: to get more time than the operator gives, by the wish in its own description.
;;
;; Answer: timeout, after the time of the configuration.
;; Spec: timeout_ms = 600000

(func $count (param $rounds i64) (result i64)
  (loop $again
    (local.set $rounds (i64.add (local.get $rounds) (i64.const 1)))
    (br_if $again (i64.ne (local.get $rounds) (i64.const 0))))
  (local.get $rounds))

(func $call (type $call)
  (drop (call $count (i64.const 1)))
  (unreachable))
