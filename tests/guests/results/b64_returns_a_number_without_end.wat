;; Row: B64
;;
;; Tries: to make exact arithmetic costly: a number with an exponent of nine digits.
;;
;; Answer: bad_result; exponents are bounded.

(data (i32.const 32768) "{\"n\":1e999999999}")

(func $call (type $call)
  (local $at i32)
  (local.set $at
    (i32.const 32768))
  (call $structured
    (local.get $at)
    (i32.const 17)))
