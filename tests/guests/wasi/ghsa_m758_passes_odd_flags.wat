;; Row: GHSA-m758
;;
;; Tries: to confuse the host with bits that no flag has.
;;
;; Answer: ok; the bits are dropped, and nothing is opened for writing.

(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $folders (param i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
  (func $open (param i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 32768) "file")

(func $call (type $call)
  (local $folder i32)
  (call $folders (i32.const 640))
  (local.set $folder (i32.load (i32.load (i32.const 640))))
  (call $open (local.get $folder) (i32.const -1) (i32.const 32768) (i32.const 4) (i32.const -1) (i32.const -1) (i32.const 600))
  (if (i32.eqz (i32.load8_u (i32.const 600))) (then (unreachable)))
  (call $open (local.get $folder) (i32.const 0xfe) (i32.const 32768) (i32.const 4) (i32.const 0xf0) (i32.const 0xc1) (i32.const 600))
  (call $text (i32.const 1024) (i32.const 4)))
