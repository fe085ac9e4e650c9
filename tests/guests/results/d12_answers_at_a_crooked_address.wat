;; Row: D12
;;
;; Tries: to make the host read numbers at an address where none can be.
;;
;; Answer: bad_result; a record stands where its numbers can.

(func $call (type $call)
  (drop
    (call $text
      (i32.const 1024)
      (i32.const 4)))
  (memory.copy
    (i32.const 259)
    (i32.const 256)
    (i32.const 40))
  (i32.const 259))
