;; Row: GHSA-mr2v
;;
;; Tries: to bring the host down with a file whose time is before all time, and one from the year 30000.
;;
;; Answer: ok; the host gives the times or refuses to.

(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $folders (param i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.stat-at"
  (func $stat (param i32 i32 i32 i32 i32)))
(data (i32.const 32768) "pastfuture")

(func $call (type $call)
  (local $folder i32)
  (call $folders (i32.const 640))
  (local.set $folder (i32.load (i32.load (i32.const 640))))
  (call $stat (local.get $folder) (i32.const 1) (i32.const 32768) (i32.const 4) (i32.const 704))
  (call $stat (local.get $folder) (i32.const 1) (i32.const 32772) (i32.const 6) (i32.const 704))
  (call $text (i32.const 1024) (i32.const 4)))
