;; Row: GHSA-cfhf
;;
;; Tries: to run on a part of the engine that has had more faults than others: exceptions, which live on a
;;   collected heap.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (tag $e (param i32))
    (func
      (throw $e
        (i32.const 1)))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
