;; Row: B19
;;
;; Tries: to take all the memory of the machine, four gigabytes at a time if it can, and dies when it gets no
;;   more.
;;
;; Answer: memory_limit; the first refusal decides, whatever trap follows.

(func $call (type $call)
  (loop $again
    (br_if $again
      (i32.ne
        (i32.const -1)
        (memory.grow
          (i32.const 16)))))
  (unreachable))
