;; Row: B14
;;
;; Tries: to be run by the concurrent interface of the engine, whose calls cannot be taken back: it lifts a
;;   function that is asynchronous.
;;
;; Answer: refused, since asynchronous components are switched off.

(component
  (core module $m
    (func (export "f") (result i32)
      (i32.const 0))
    (func (export "callback") (param i32 i32 i32) (result i32)
      (i32.const 0)))
  (core instance $i (instantiate $m))
  (func (export "f") async
    (canon lift (core func $i "f")
      async
      (callback (core func $i "callback")))))
