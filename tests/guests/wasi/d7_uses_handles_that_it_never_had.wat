;; Row: D7
;;
;; Tries: to use a thing of the host's that it was never given, by guessing its number.
;;
;; Answer: bad_result; a number that is no handle is refused.

(import "wasi:io/poll@0.2.12" "[method]pollable.block"
  (func $block (param i32)))

(func $call (type $call)
  ;; One that could be, and one that could not.
  (call $block
    (i32.const 1))
  (call $block
    (i32.const -1))
  (call $text
    (i32.const 1024)
    (i32.const 4)))
