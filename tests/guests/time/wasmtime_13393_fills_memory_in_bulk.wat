;; Row: wasmtime-13393
;;
;; Tries: to compute in one instruction what fuel and epochs count as one: it fills a hundred megabytes again and
;;   again.
;;
;; Answer: timeout; a bulk instruction is no way round the deadline.

(memory $memory (export "memory") 1700)

(func $call (type $call)
  (local $value i32)
  (loop $again
    (local.set $value (i32.add (local.get $value) (i32.const 1)))
    (memory.fill (i32.const 65536) (local.get $value) (i32.const 104_857_600))
    (memory.copy (i32.const 65536) (i32.const 131072) (i32.const 100_000_000))
    (br $again))
  (unreachable))
