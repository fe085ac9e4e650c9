;; Row: B74
;;
;; Tries: to break its promise: it has a schema for its result, and returns a text alone.
;;
;; Answer: bad_result; a promise that is not kept is named.
;; Spec: output_schema = {"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}

(func $call (type $call)
  (local $at i32)
  ;; A text, and no value.
  (local.set $at
    (i32.const 1024))
  (call $text
    (local.get $at)
    (i32.const 4)))
