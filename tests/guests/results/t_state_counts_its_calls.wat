;; Row: T-state
;;
;; Tries: to remember what was before: it counts its calls.
;;
;; Answer: ok; each call is its first.

(memory $memory (export "memory") 2)
(global $calls (mut i32) (i32.const 48))
(data (i32.const 32768) "0")

(func $call (type $call)
  ;; Once in a global, and once in its memory.
  (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
  (i32.store8 (i32.const 32769) (global.get $calls))
  (i32.store8 (i32.const 32768)
    (i32.add (i32.load8_u (i32.const 32768)) (i32.const 1)))
  (call $text (i32.const 32768) (i32.const 2)))
