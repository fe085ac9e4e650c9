;; Row: GHSA-jxcf
;;
;; Tries: to use a newer version of WASI than the host promises to keep safe.
;;
;; Answer: refused; nothing of it is linked.

(component
  (import "wasi:cli/stdin@0.3.0"
    (instance))
  (import "wasi:http/client@0.3.0"
    (instance))
  (core module $m
    (func (export "f")))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
