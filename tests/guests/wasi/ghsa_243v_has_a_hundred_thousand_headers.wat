;; Row: GHSA-243v
;;
;; Tries: to bring the host down with the fields of a request: a hundred thousand of one name.
;;
;; Answer: bad_result; the fields of a request are bounded in bytes.

(import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))
(import "wasi:http/types@0.2.12" "[method]fields.append"
  (func $append (param i32 i32 i32 i32 i32 i32)))
(data (i32.const 32768) "x-field")

(func $call (type $call)
  (local $fields i32)
  (local $round i32)
  (local.set $fields (call $fields))
  (loop $again
    (call $append (local.get $fields)
      (i32.const 32768) (i32.const 7) (i32.const 32768) (i32.const 7) (i32.const 600))
    (local.set $round (i32.add (local.get $round) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $round) (i32.const 100_000))))
  (call $text (i32.const 1024) (i32.const 4)))
