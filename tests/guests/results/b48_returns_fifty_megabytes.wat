;; Row: B48
;;
;; Tries: to make the host hold fifty megabytes of text.
;;
;; Answer: bad_result; all that a guest hands over is bounded.

(memory $memory (export "memory") 900)

(func $call (type $call)
  (memory.fill
    (i32.const 65536)
    (i32.const 120)
    (i32.const 52_428_800))
  (call $text
    (i32.const 65536)
    (i32.const 52_428_800)))
