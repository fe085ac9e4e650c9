;; Row: B54
;;
;; Tries: to read what the host's own process was started with: its environment, its arguments, its folders.
;;
;; Answer: ok; there is nothing of it.

(import "wasi:cli/environment@0.2.12" "get-environment" (func $environment (param i32)))
(import "wasi:cli/environment@0.2.12" "get-arguments" (func $arguments (param i32)))
(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $folders (param i32)))

(data (i32.const 32768) "nothingsomething")

;; Each puts a list at the address: where it is, and how long.
(func $call (type $call)
  (call $environment (i32.const 600))
  (call $arguments (i32.const 608))
  (call $folders (i32.const 616))
  (if (i32.or (i32.load (i32.const 604))
        (i32.or (i32.load (i32.const 612)) (i32.load (i32.const 620))))
    (then (return (call $text (i32.const 32775) (i32.const 9)))))
  (call $text (i32.const 32768) (i32.const 7)))
