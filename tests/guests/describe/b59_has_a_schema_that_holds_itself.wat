;; Row: B59
;;
;; Tries: to send the check of its arguments round in a circle.
;;
;; Answer: refused; a sub-schema that leads back to itself for the same value is named.
;; Spec: input_schema = {"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"oneOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}}

(func $call (type $call)
  (local $length i32)
  ;; It would answer with its arguments,
  ;; if it were called at all.
  (local.set $length (local.get 3))
  (call $text
    (local.get 2)
    (local.get $length)))
