;; Row: GHSA-394w
;;
;; Tries: the same with a text that has one byte for each character, and a length that says that it has two and
;;   is without end.
;;
;; Answer: bad_result; the length is looked at in bytes.
;; Strings: latin1+utf16

(data (i32.const 32768) "\48\e4\00\00")

(func $call (type $call)
  (local $at i32)
  (local.set $at (i32.const 32768))
  (call $text
    (local.get $at)
    (i32.const 0xffff_ffff)))
