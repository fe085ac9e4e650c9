;; Row: GHSA-2r75
;;
;; Tries: to change a folder that it may only read, by every way that is not called writing: it cuts, links,
;;   renames, removes, makes and dates.
;;
;; Answer: ok; each is refused, and the folder is as it was.

(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $folders (param i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
  (func $open (param i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.link-at"
  (func $link (param i32 i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.rename-at"
  (func $rename (param i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.unlink-file-at" (func $unlink (param i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.create-directory-at"
  (func $make (param i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.symlink-at"
  (func $symlink (param i32 i32 i32 i32 i32 i32)))
(data (i32.const 32768) "fileotherkeptchanged")

;; Whether the last attempt was refused.
(func $refused (result i32)
  (i32.load8_u (i32.const 600)))

(func $call (type $call)
  (local $folder i32) (local $kept i32)
  (call $folders (i32.const 640))
  (local.set $folder (i32.load (i32.load (i32.const 640))))
  ;; Opened to be cut, which needs no right to write.
  (call $open (local.get $folder) (i32.const 1) (i32.const 32768) (i32.const 4) (i32.const 8) (i32.const 1) (i32.const 600))
  (local.set $kept (call $refused))
  (call $open (local.get $folder) (i32.const 1) (i32.const 32768) (i32.const 4) (i32.const 0) (i32.const 2) (i32.const 600))
  (local.set $kept (i32.add (local.get $kept) (call $refused)))
  (call $link (local.get $folder) (i32.const 0) (i32.const 32768) (i32.const 4)
    (local.get $folder) (i32.const 32772) (i32.const 5) (i32.const 600))
  (local.set $kept (i32.add (local.get $kept) (call $refused)))
  (call $rename (local.get $folder) (i32.const 32768) (i32.const 4)
    (local.get $folder) (i32.const 32772) (i32.const 5) (i32.const 600))
  (local.set $kept (i32.add (local.get $kept) (call $refused)))
  (call $make (local.get $folder) (i32.const 32772) (i32.const 5) (i32.const 600))
  (local.set $kept (i32.add (local.get $kept) (call $refused)))
  (call $symlink (local.get $folder) (i32.const 32768) (i32.const 4) (i32.const 32772) (i32.const 5) (i32.const 600))
  (local.set $kept (i32.add (local.get $kept) (call $refused)))
  (call $unlink (local.get $folder) (i32.const 32768) (i32.const 4) (i32.const 600))
  (local.set $kept (i32.add (local.get $kept) (call $refused)))
  (if (i32.eq (local.get $kept) (i32.const 7)) (then (return (call $text (i32.const 32777) (i32.const 4)))))
  (call $text (i32.const 32781) (i32.const 7)))
