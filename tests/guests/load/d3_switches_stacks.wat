;; Row: D3
;;
;; Tries: to run on a part of the engine that has had more faults than others: stacks that are switched.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (type $f (func))
    (type $c (cont $f))
    (func (param (ref $f))
      (drop (cont.new $c (local.get 0))))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
