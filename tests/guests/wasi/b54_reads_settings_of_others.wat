;; Row: B54
;;
;; Tries: to read settings that were not made for it, by names that they might have.
;;
;; Answer: ok; it has its own, and there are no others.

(import "toolhost:tool/context@0.1.0" "config" (func $config (param i32 i32 i32)))

(data (i32.const 32768) "currencyTOOLHOST_KEYPATHstore.url")

(func $has (param $at i32) (param $length i32) (result i32)
  (call $config (local.get $at) (local.get $length) (i32.const 600))
  (i32.load8_u (i32.const 600)))

(func $call (type $call)
  (if (call $has (i32.const 32776) (i32.const 12)) (then (unreachable)))
  (if (call $has (i32.const 32788) (i32.const 4)) (then (unreachable)))
  (if (call $has (i32.const 32792) (i32.const 9)) (then (unreachable)))
  (if (i32.eqz (call $has (i32.const 32768) (i32.const 8))) (then (unreachable)))
  (call $text (i32.load (i32.const 604)) (i32.load (i32.const 608))))
