;; Row: T-invisible
;;
;; Tries: to hide something from people in each text of a result: it takes the bytes from its argument.
;;
;; Answer: ok; nothing of it survives in any field.

(global $length (mut i32) (i32.const 0))

;; Puts the text of its argument into a field.
(func $put (param $at i32)
  (i32.store (local.get $at) (i32.const 49152))
  (i32.store offset=4 (local.get $at) (global.get $length)))
(func $maybe (param $at i32)
  (i32.store8 (local.get $at) (i32.const 1))
  (call $put (i32.add (local.get $at) (i32.const 4))))

(func $call (type $call)
  (global.set $length
    (call $unhexed (i32.add (local.get 2) (i32.const 6)) (i32.sub (local.get 3) (i32.const 8))))
  ;; A text, an image, a sound, a resource and a link, of 80 bytes each.
  (call $put (i32.const 36872))
  (i32.store8 (i32.const 36944) (i32.const 1))
  (call $put (i32.const 36960))
  (i32.store8 (i32.const 37024) (i32.const 2))
  (call $put (i32.const 37040))
  (i32.store8 (i32.const 37104) (i32.const 3))
  (call $put (i32.const 37112))
  (call $maybe (i32.const 37120))
  (call $put (i32.const 37136))
  (i32.store8 (i32.const 37184) (i32.const 4))
  (call $put (i32.const 37192))
  (call $put (i32.const 37200))
  (call $maybe (i32.const 37208))
  (call $maybe (i32.const 37220))
  (call $maybe (i32.const 37232))
  (call $blocks (i32.const 36864) (i32.const 5)))
