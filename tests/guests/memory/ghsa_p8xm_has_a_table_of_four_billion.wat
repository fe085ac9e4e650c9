;; Row: GHSA-p8xm
;;
;; Tries: to make the host reserve a table with as many places as there are numbers.
;;
;; Answer: refused, when it is loaded; both numbers are named.

(table $huge 4294967295 funcref)

(func $call (type $call)
  (drop
    (table.get $huge
      (i32.const 0)))
  (call $text
    (i32.const 1024)
    (i32.const 4)))
