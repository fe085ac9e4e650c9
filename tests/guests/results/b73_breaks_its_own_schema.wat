;; Row: B73
;;
;; Tries: to return a value that its own schema does not allow.
;;
;; Answer: bad_result; the fault is named with its place.
;; Spec: output_schema = {"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}

(data (i32.const 32768) "{\"a\":\"one\"}")

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 32768))
  (call $structured
    (local.get $at)
    (i32.const 11)))
