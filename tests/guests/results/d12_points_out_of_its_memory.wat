;; Row: D12
;;
;; Tries: to be given what lies behind its memory: its answer points there.
;;
;; Answer: bad_result; each address is looked at first.

(func $call (type $call)
  (local $end i32)
  ;; The last bytes of its memory, and some behind them.
  (local.set $end
    (i32.mul (memory.size) (i32.const 65536)))
  (call $text
    (i32.sub
      (local.get $end)
      (i32.const 8))
    (i32.const 16)))
