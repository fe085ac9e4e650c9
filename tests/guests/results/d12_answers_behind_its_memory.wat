;; Row: D12
;;
;; Tries: to make the host read a record that begins behind its memory.
;;
;; Answer: bad_result; each address is looked at first.

(func $call (type $call)
  (local $end i32)
  (local.set $end
    (i32.mul
      (memory.size)
      (i32.const 65536)))
  (i32.sub
    (local.get $end)
    (i32.const 8)))
