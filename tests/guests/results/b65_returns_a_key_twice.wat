;; Row: B65
;;
;; Tries: to mean one thing to the host and another to the client: a key that stands twice.
;;
;; Answer: bad_result; what two readers read differently is refused.

(data (i32.const 32768) "{\"path\":\"/a\",\"p\\u0061th\":\"/etc\"}")

(func $call (type $call)
  (local $at i32)
  (local.set $at
    (i32.const 32768))
  (call $structured
    (local.get $at)
    (i32.const 32)))
