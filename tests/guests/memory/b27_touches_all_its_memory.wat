;; Row: B27
;;
;; Tries: to leave pages behind: it writes to 64 megabytes, answers, and is called again and again.
;;
;; Answer: ok; the pages go back, and the process holds what it held before.

(memory $memory (export "memory") 1100)

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 65536))
  (loop $again
    (i32.store (local.get $at) (i32.const -1))
    (local.set $at (i32.add (local.get $at) (i32.const 4096)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 67_108_864))))
  (call $text (i32.const 1024) (i32.const 3)))
