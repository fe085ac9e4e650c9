;; Row: B55
;;
;; Tries: nothing; it speaks of a secretary, a token ring and a password manager.
;;
;; Answer: ok; words that only look like secrets stay as they are.

(data (i32.const 32768) "The Secretary of the token ring has no password: see api_key.md")

(func $call (type $call)
  (local $at i32)
  (local.set $at
    (i32.const 32768))
  (call $text
    (local.get $at)
    (i32.const 63)))
