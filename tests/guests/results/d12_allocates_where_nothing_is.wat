;; Row: D12
;;
;; Tries: to make the host write its arguments where the guest has no memory.
;;
;; Answer: bad_result; each address is looked at first.

(func $realloc (param i32 i32 i32 i32) (result i32)
  ;; The host asks for a place, and gets one behind the memory.
  (i32.const 0x7fff_fff8))

(func $call (type $call)
  (local $at i32)
  (local.set $at
    (i32.const 1024))
  (call $text
    (local.get $at)
    (i32.const 4)))
