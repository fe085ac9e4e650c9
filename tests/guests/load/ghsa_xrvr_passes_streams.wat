;; Row: GHSA-xrvr
;;
;; Tries: to run on a part of the engine that has had more faults than others: streams between components.
;;
;; Answer: refused, since that feature is switched off.

(component
  (type $bytes (stream u8))
  (core module $m
    (func (export "f")
      (param i32)))
  (core instance $i (instantiate $m))
  (core func $new (canon stream.new $bytes))
  (func (export "f") (param "s" $bytes)
    (canon lift (core func $i "f"))))
