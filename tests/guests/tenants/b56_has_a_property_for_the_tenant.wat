;; Row: B56
;;
;; Tries: to ask the model for the tenant, by a property of its own schema.
;;
;; Answer: refused; a property that is named like what the host decides is named.
;; Spec: input_schema = {"type":"object","additionalProperties":false,"properties":{"tenant_id":{"type":"string"}}}

(func $call (type $call)
  (local $length i32)
  ;; It would act for whom the model says.
  (local.set $length
    (local.get 3))
  (call $text
    (local.get 2)
    (local.get $length)))
