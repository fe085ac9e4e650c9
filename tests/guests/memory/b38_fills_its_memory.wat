;; Row: B38
;;
;; Tries: to leave its own bytes for whoever gets the place in the pool next.
;;
;; Answer: ok; no other call finds a byte of it.

(memory $memory (export "memory") 64)

(func $call (type $call)
  (memory.fill
    (i32.const 65536)
    (i32.const 0xa5)
    (i32.const 4_128_768))
  (call $text
    (i32.const 1024)
    (i32.const 3)))
