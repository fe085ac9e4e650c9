;; Row: B38
;;
;; Tries: to read what another call has left in the place of the pool: it looks through its memory before it
;;   wrote to it.
;;
;; Answer: ok; every byte is zero.

(memory $memory (export "memory") 64)
(data (i32.const 32768) "cleanstale")

(func $call (type $call)
  (local $at i32)
  ;; The arguments stand at the beginning of the heap.
  (local.set $at (i32.const 131072))
  (loop $again
    (if (i64.ne (i64.load (local.get $at)) (i64.const 0))
      (then (return (call $text (i32.const 32773) (i32.const 5)))))
    (local.set $at (i32.add (local.get $at) (i32.const 8)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 4_194_304))))
  (call $text (i32.const 32768) (i32.const 5)))
