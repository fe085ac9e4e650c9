;; Row: GHSA-2674
;;
;; Tries: to run on a part of the engine that has had more faults than others: memory that threads share.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (memory 1 4 shared)
    (func (result i32)
      (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
