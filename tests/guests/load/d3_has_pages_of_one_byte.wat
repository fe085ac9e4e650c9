;; Row: D3
;;
;; Tries: to run on a part of the engine that has had more faults than others: memory whose pages have one byte.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (memory 1 (pagesize 1))
    (func (result i32)
      (memory.grow
        (i32.const 1000)))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
