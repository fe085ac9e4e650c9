;; Row: D12
;;
;; Tries: to say much with few bytes: a hundred tools whose names are the same ten megabytes.
;;
;; Answer: refused; what it hands over is counted, not what it holds.

(memory $memory (export "memory") 200)

(func $describe (result i32)
  (local $at i32)
  (local.set $at (i32.const 65536))
  (memory.fill (i32.const 131072) (i32.const 97) (i32.const 10_485_760))
  (loop $again
    (i32.store (local.get $at) (i32.const 131072))
    (i32.store (i32.add (local.get $at) (i32.const 4)) (i32.const 10_485_760))
    (local.set $at (i32.add (local.get $at) (i32.const 128)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 78336))))
  (i32.store (i32.const 512) (i32.const 65536))
  (i32.store (i32.const 516) (i32.const 100))
  (i32.const 512))

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 3)))
