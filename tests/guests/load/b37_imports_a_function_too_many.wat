;; Row: B37
;;
;; Tries: to import from an interface of the contract what that does not have.
;;
;; Answer: refused; the message names the interface and the function.

(component
  (import "toolhost:tool/log@0.1.0"
    (instance $log
      (export "erase" (func (param "since" u64)))))
  (core module $m
    (func (export "f")))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
