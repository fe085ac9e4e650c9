;; Row: Val-API
;;
;; Tries: to say much with few bytes: a thousand blocks that all point to the same hundred kilobytes.
;;
;; Answer: bad_result; what it hands over is counted, not what it holds.

(memory $memory (export "memory") 8)

(func $call (type $call)
  (local $at i32)
  (memory.fill (i32.const 262144) (i32.const 120) (i32.const 102_400))
  (local.set $at (i32.const 131072))
  (loop $again
    (i32.store offset=8 (local.get $at) (i32.const 262144))
    (i32.store offset=12 (local.get $at) (i32.const 102_400))
    (local.set $at (i32.add (local.get $at) (i32.const 80)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 211072))))
  (call $blocks (i32.const 131072) (i32.const 1000)))
