;; Row: GHSA-43j2
;;
;; Tries: to run on a part of the engine that has had more faults than others: types whose values are collected.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (type $pair (struct (field i32) (field (mut i64))))
    (func (result i32)
      (struct.get $pair 0
        (struct.new $pair (i32.const 1) (i64.const 2))))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
