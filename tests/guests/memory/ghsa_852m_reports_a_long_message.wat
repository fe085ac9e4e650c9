;; Row: GHSA-852m
;;
;; Tries: to make the host copy much in one host call: a line of its log that has 64 megabytes.
;;
;; Answer: bad_result; what crosses the border in one call is bounded.

(import "toolhost:tool/log@0.1.0" "write" (func $log (param i32 i32 i32)))

(memory $memory (export "memory") 1100)

(func $call (type $call)
  (memory.fill
    (i32.const 65536)
    (i32.const 120)
    (i32.const 67_108_864))
  (call $log
    (i32.const 1)
    (i32.const 65536)
    (i32.const 67_108_864))
  (call $text (i32.const 1024) (i32.const 3)))
