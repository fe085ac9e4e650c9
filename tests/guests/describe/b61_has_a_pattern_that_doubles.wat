;; Row: B61
;;
;; Tries: to make the check of a short text take for ever, by a pattern with a choice in each repetition.
;;
;; Answer: bad_args, at once; patterns are run in time that grows with the text alone.
;; Spec: input_schema = {"type":"object","additionalProperties":false,"properties":{"a":{"pattern":"^(a+)+$"}}}

(func $call (type $call)
  (local $length i32)
  ;; It would answer with its arguments,
  ;; if it were called at all.
  (local.set $length (local.get 3))
  (call $text
    (local.get 2)
    (local.get $length)))
