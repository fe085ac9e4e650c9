;; Row: B18
;;
;; Tries: to let its caller wait without a word: it asks for a reviewer, and nobody looks.
;;
;; Answer: needs_approval, at once, with words that a model can act on.
;; Spec: requires_approval = true

(func $wait (param $rounds i64)
  (loop $again
    (local.set $rounds (i64.sub (local.get $rounds) (i64.const 1)))
    (br_if $again (i64.ne (local.get $rounds) (i64.const 0)))))

;; It is never started.
(func $call (type $call)
  (call $wait (i64.const 0))
  (unreachable))
