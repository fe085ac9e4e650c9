;; Row: D3
;;
;; Tries: to run on a part of the engine that has had more faults than others: vectors whose results depend on
;;   the machine.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (func (param v128 v128) (result v128)
      (i8x16.relaxed_swizzle
        (local.get 0)
        (local.get 1)))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
