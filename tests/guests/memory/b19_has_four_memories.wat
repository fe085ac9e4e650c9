;; Row: B19
;;
;; Tries: to have the limit of its memory four times, by four memories that each stay under it.
;;
;; Answer: refused; a module has one memory.

(memory $memory (export "memory") 2)
(memory $two 1)
(memory $three 1)
(memory $four 1)

(func $call (type $call)
  (drop (memory.grow $two (i32.const 2000)))
  (drop (memory.grow $three (i32.const 2000)))
  (drop (memory.grow $four (i32.const 2000)))
  (call $text (i32.const 1024) (i32.const 3)))
