;; Row: GHSA-p8xm
;;
;; Tries: to have a table whose size does not fit into the arithmetic of the host.
;;
;; Answer: refused, since 64-bit tables are switched off.

(component
  (core module $m
    (table i64 18446744073709551615 funcref)
    (memory (export "memory") 1)
    (func (export "f")
      (nop)))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
