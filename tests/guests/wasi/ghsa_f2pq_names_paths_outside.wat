;; Row: GHSA-f2pq
;;
;; Tries: to leave its folder by names: upwards, from the root, by a drive, by a link with and without a stroke,
;;   and through a device.
;;
;; Answer: ok; none of them is opened.

(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $folders (param i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
  (func $open (param i32 i32 i32 i32 i32 i32 i32)))
;; Each name ends with a zero, the list with another.
(data (i32.const 32768) "../secret\00/etc/passwd\00a/../../secret\00C:\5csecret\00C:secret\00\5c\5c?\5cC:\5csecret\00")
(data (i32.const 32836) "link\00link/\00link/secret\00CON\00COM\c2\b9\00//etc/passwd\00./..\00..\00\00")
(data (i32.const 33000) "keptout")

(func $end (param $at i32) (result i32)
  (loop $again
    (if (i32.eqz (i32.load8_u (local.get $at))) (then (return (local.get $at))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br $again))
  (unreachable))

(func $call (type $call)
  (local $folder i32) (local $at i32) (local $end i32)
  (call $folders (i32.const 640))
  (local.set $folder (i32.load (i32.load (i32.const 640))))
  (local.set $at (i32.const 32768))
  (loop $again
    (local.set $end (call $end (local.get $at)))
    (call $open (local.get $folder) (i32.const 1) (local.get $at) (i32.sub (local.get $end) (local.get $at))
      (i32.const 0) (i32.const 1) (i32.const 600))
    (if (i32.eqz (i32.load8_u (i32.const 600)))
      ;; It got out, by that name.
      (then (return (call $text (local.get $at) (i32.sub (local.get $end) (local.get $at))))))
    (local.set $at (i32.add (local.get $end) (i32.const 1)))
    ;; The first list is followed by zeros up to the second.
    (if (i32.eqz (i32.load8_u (local.get $at)))
      (then
        (if (i32.ge_u (local.get $at) (i32.const 32836))
          (then (return (call $text (i32.const 33000) (i32.const 4)))))
        (local.set $at (i32.const 32836))))
    (br $again))
  (unreachable))
