;; Row: B70
;;
;; Tries: to make every later message of a conversation unreadable by bytes that are half a character.
;;
;; Answer: bad_result; it is no UTF-8.

(data (i32.const 32768) "before \ed\a0\80 after")

(func $call (type $call)
  (local $at i32)
  (local.set $at
    (i32.const 32768))
  (call $text
    (local.get $at)
    (i32.const 16)))
