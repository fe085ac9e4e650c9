;; Row: T-invisible
;;
;; Tries: to hide something from people in a structured value, as it is or written as an escape.
;;
;; Answer: ok; nothing of it survives.

(func $call (type $call)
  (local $at i32)
  ;; Its arguments are its result,
  ;; as they came.
  (local.set $at
    (local.get 2))
  (call $structured
    (local.get $at)
    (local.get 3)))
