;; Row: GHSA-243v
;;
;; Tries: to bring the host down with one field of a request that has ten megabytes.
;;
;; Answer: bad_result; what crosses the border in one call is bounded.

(import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))
(import "wasi:http/types@0.2.12" "[method]fields.append"
  (func $append (param i32 i32 i32 i32 i32 i32)))
(memory $memory (export "memory") 200)
(data (i32.const 32768) "x-field")

(func $call (type $call)
  (memory.fill (i32.const 65536) (i32.const 97) (i32.const 10_485_760))
  (call $append (call $fields)
    (i32.const 32768) (i32.const 7) (i32.const 65536) (i32.const 10_485_760) (i32.const 600))
  (call $text (i32.const 1024) (i32.const 4)))
