;; Row: B15
;;
;; Tries: to stop everybody else: as many of it as there are places compute at once.
;;
;; Answer: timeout, each; others are answered meanwhile.

(func $fibonacci (param $n i64) (result i64)
  (if (i64.lt_u (local.get $n) (i64.const 2))
    (then (return (local.get $n))))
  (i64.add
    (call $fibonacci (i64.sub (local.get $n) (i64.const 1)))
    (call $fibonacci (i64.sub (local.get $n) (i64.const 2)))))

(func $call (type $call)
  (drop (call $fibonacci (i64.const 90)))
  (unreachable))
