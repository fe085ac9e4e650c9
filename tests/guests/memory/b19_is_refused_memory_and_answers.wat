;; Row: B19
;;
;; Tries: to be punished for a question: it asks for more memory than there is, is refused, and goes on.
;;
;; Answer: ok; a guest that takes a no for an answer has not failed.

(data (i32.const 32768) "refused")

(func $call (type $call)
  (if
    (i32.ne (i32.const -1) (memory.grow (i32.const 60000)))
    (then (unreachable)))
  (call $text
    (i32.const 32768)
    (i32.const 7)))
