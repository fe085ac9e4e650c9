;; Row: B111
;;
;; Tries: nothing; it is called so often that a host which keeps something for each call would grow.
;;
;; Answer: ok; the process holds what it held before.

(func $call (type $call)
  (local $at i32)
  ;; As little as a call can do:
  ;; its own name.
  (local.set $at
    (i32.const 1024))
  (call $text
    (local.get $at)
    (i32.const 4)))
