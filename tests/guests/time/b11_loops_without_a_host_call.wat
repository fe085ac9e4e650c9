;; Row: B11
;;
;; Tries: to compute for ever without asking the host for anything.
;;
;; Answer: timeout; the epoch alone gives the host the thread back.

(func $call (type $call)
  (local $rounds i64)
  (loop $again
    (local.set $rounds
      (i64.xor
        (i64.mul (local.get $rounds) (i64.const 6364136223846793005))
        (i64.const 1442695040888963407)))
    (br $again))
  (unreachable))
