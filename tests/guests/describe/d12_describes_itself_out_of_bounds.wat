;; Row: D12
;;
;; Tries: to make the host read beyond the guest's memory.
;;
;; Answer: refused; each address is looked at first.

(func $describe (result i32)
  (i32.store
    (i32.const 512)
    (i32.const 0x7fff_fff8))
  (i32.store
    (i32.const 516)
    (i32.const 1))
  (i32.const 512))

(func $call (type $call)
  (call $text (i32.const 1024) (i32.const 3)))
