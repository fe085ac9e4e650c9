;; Row: B37
;;
;; Tries: to call a function of the contract with other types than it has.
;;
;; Answer: refused; the message names the interface and the function.

(component
  (import "toolhost:tool/context@0.1.0"
    (instance $context
      (export "tenant-id" (func (result (list u8))))))
  (core module $m
    (func (export "f")))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
