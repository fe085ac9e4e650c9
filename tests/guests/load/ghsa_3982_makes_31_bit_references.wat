;; Row: GHSA-3982
;;
;; Tries: to run on a part of the engine that has had more faults than others: references that hold 31 bits.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (func (result i32)
      (i31.get_s
        (ref.i31 (i32.const -1))))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
