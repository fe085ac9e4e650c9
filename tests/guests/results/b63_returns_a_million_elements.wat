;; Row: B63
;;
;; Tries: to make the host hold a hundred bytes for each of its own: a list of a hundred and twenty thousand
;;   numbers.
;;
;; Answer: bad_result; elements are counted, not bytes alone.

(memory $memory (export "memory") 16)

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 131073))
  (i32.store8 (i32.const 131072) (i32.const 91))
  (loop $again
    ;; A digit and a comma.
    (i32.store16 (local.get $at) (i32.const 0x2c31))
    (local.set $at (i32.add (local.get $at) (i32.const 2)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 371073))))
  (i32.store16 (local.get $at) (i32.const 0x5d31))
  (call $structured (i32.const 131072) (i32.const 240_003)))
