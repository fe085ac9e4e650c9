;; Row: GHSA-394w
;;
;; Tries: the same with a text that ends in the middle of a character of two halves.
;;
;; Answer: bad_result; half a character is none.
;; Strings: UTF-16

(data (i32.const 32768) "\48\00\e4\00\3d\d8")

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 32768))
  (call $text
    (local.get $at)
    (i32.const 3)))
