;; Row: GHSA-p8xm
;;
;; Tries: to run on a part of the engine that has had more faults than others: memory with 64-bit addresses.
;;
;; Answer: refused, since that feature is switched off.

(component
  (core module $m
    (memory i64 1)
    (func (result i32)
      (i32.load
        (i64.const 0xffff_ffff_0000)))
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
