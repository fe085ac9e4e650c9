;; Row: GHSA-p8xm
;;
;; Tries: to take memory that is no linear memory: it lets a table grow until it is refused.
;;
;; Answer: memory_limit; tables are counted too.

(table $table 1 funcref)

(func $call (type $call)
  (loop $again
    (br_if $again
      (i32.ne
        (i32.const -1)
        (table.grow $table (ref.null func) (i32.const 10000)))))
  (unreachable))
