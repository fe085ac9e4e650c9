;; Row: T-describe-pure
;;
;; Tries: to have another name in each host by a throw of dice.
;;
;; Answer: ok; dice fall always the same while it is asked, and as they like in a call.

(import "wasi:random/random@0.2.12" "get-random-u64" (func $random (result i64)))

(func $letters (param $at i32)
  (local $end i32)
  (local.set $end (i32.add (local.get $at) (i32.const 12)))
  (loop $again
    (i32.store8 (local.get $at)
      (i32.add (i32.const 97) (i32.wrap_i64 (i64.rem_u (call $random) (i64.const 26)))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $at) (local.get $end)))))

(func $describe (result i32)
  (call $letters (i32.const 1024))
  (call $described))

(func $call (type $call)
  (call $letters (i32.const 32768))
  (call $text (i32.const 32768) (i32.const 12)))
