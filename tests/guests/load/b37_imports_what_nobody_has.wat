;; Row: B37
;;
;; Tries: to be taken and to fail later, in words that nobody understands: it imports two things that the host
;;   does not have.
;;
;; Answer: refused; the message names each of them.

(component
  (import "wasi:http/incoming-handler@0.2.12"
    (instance))
  (import "other:thing/api@1.0.0"
    (instance))
  (core module $m
    (func (export "f")))
  (core instance $i (instantiate $m))
  (func (export "f")
    (canon lift (core func $i "f"))))
