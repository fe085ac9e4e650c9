;; Row: GHSA-394w
;;
;; Tries: to read or write out of bounds by texts of another encoding: two bytes for each character.
;;
;; Answer: ok; its texts are read as it writes them.
;; Strings: UTF-16

(data (i32.const 32768) "\48\00\e4\00\3d\d8\00\de")

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 32768))
  (call $text
    (local.get $at)
    (i32.const 4)))
