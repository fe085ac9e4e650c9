;; Row: D3
;;
;; Tries: to run on a part of the engine that has had more faults than others: arithmetic of 128 bits.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (func (param i64 i64) (result i64 i64)
      (i64.mul_wide_u
        (local.get 0)
        (local.get 1)))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
