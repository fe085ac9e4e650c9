;; Row: Val-API
;;
;; Tries: to make the host hold much more than it sends: a million blocks, each of an empty text.
;;
;; Answer: bad_result; what the host has to make of it is counted.

(memory $memory (export "memory") 1300)

;; A block has 80 bytes. All zero, it is an empty text.
(func $call (type $call)
  (local $blocks i32)
  (local.set $blocks
    (i32.const 65536))
  (call $blocks
    (local.get $blocks)
    (i32.const 1_000_000)))
