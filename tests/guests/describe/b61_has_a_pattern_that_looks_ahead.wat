;; Row: B61
;;
;; Tries: to make the check of a short text take for ever, by a pattern that goes back and forth.
;;
;; Answer: refused; patterns that are not linear are named.
;; Spec: input_schema = {"type":"object","additionalProperties":false,"properties":{"a":{"pattern":"^(?=(a+)+$)(a|aa)+$"}}}

(func $call (type $call)
  (local $length i32)
  ;; It would answer with its arguments,
  ;; if it were called at all.
  (local.set $length (local.get 3))
  (call $text
    (local.get 2)
    (local.get $length)))
