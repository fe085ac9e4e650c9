;; Row: D3
;;
;; Tries: to run on a part of the engine that has had more faults than others: typed references to functions.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (type $t (func (result i32)))
    (func (param (ref $t)) (result i32)
      (call_ref $t
        (local.get 0)))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
