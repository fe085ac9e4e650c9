;; Row: GHSA-852m
;;
;; Tries: to make the host allocate what it asks for: all random bytes that there are.
;;
;; Answer: bad_result; the host allocates nothing of that size.

(import "wasi:random/random@0.2.12" "get-random-bytes" (func $random (param i64 i32)))

(func $call (type $call)
  ;; A large number that may be a bound, and the largest.
  (call $random
    (i64.const 1_073_741_824)
    (i32.const 600))
  (call $random
    (i64.const -1)
    (i32.const 600))
  (call $text
    (i32.const 1024)
    (i32.const 3)))
