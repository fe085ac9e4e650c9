;; Row: GHSA-hmmr
;;
;; Tries: to reach the network by every kind of socket: a stream, datagrams, and a look-up of a name. Its
;;   argument is a port of this machine.
;;
;; Answer: ok; each of them is denied, and no packet leaves.

(import "wasi:sockets/instance-network@0.2.12" "instance-network" (func $network (result i32)))
(import "wasi:sockets/tcp-create-socket@0.2.12" "create-tcp-socket" (func $tcp (param i32 i32)))
(import "wasi:sockets/udp-create-socket@0.2.12" "create-udp-socket" (func $udp (param i32 i32)))
(import "wasi:sockets/tcp@0.2.12" "[method]tcp-socket.start-connect"
  (func $connect (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:sockets/udp@0.2.12" "[method]udp-socket.stream"
  (func $stream (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:sockets/ip-name-lookup@0.2.12" "resolve-addresses" (func $look_up (param i32 i32 i32 i32)))
(data (i32.const 32768) "localhostdeniedreached")

(func $denied (result i32) (i32.load8_u (i32.const 600)))
(func $port (param $at i32) (result i32)
  (local $port i32) (local $end i32)
  (local.set $end (i32.add (local.get $at) (i32.const 5)))
  (loop $again
    (local.set $port (i32.add (i32.mul (local.get $port) (i32.const 10))
      (i32.sub (i32.load8_u (local.get $at)) (i32.const 48))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $at) (local.get $end))))
  (local.get $port))
(func $reached (result i32) (call $text (i32.const 32783) (i32.const 7)))

(func $call (type $call)
  (local $port i32) (local $zero i32)
  (local.set $port (call $port (i32.add (local.get 2) (i32.const 6))))
  (call $look_up (call $network) (i32.const 32768) (i32.const 9) (i32.const 600))
  (if (i32.eqz (call $denied)) (then (return (call $reached))))
  (call $tcp (i32.const 0) (i32.const 600))
  (if (i32.eqz (call $denied)) (then
    (call $connect (i32.load (i32.const 604)) (call $network) (i32.const 0) (local.get $port) (i32.const 127)
      (local.get $zero) (local.get $zero) (i32.const 1) (local.get $zero) (local.get $zero) (local.get $zero)
      (local.get $zero) (local.get $zero) (local.get $zero) (i32.const 600))
    (if (i32.eqz (call $denied)) (then (return (call $reached))))))
  (call $udp (i32.const 0) (i32.const 600))
  (if (i32.eqz (call $denied)) (then
    (call $stream (i32.load (i32.const 604)) (i32.const 1) (i32.const 0) (local.get $port) (i32.const 127)
      (local.get $zero) (local.get $zero) (i32.const 1) (local.get $zero) (local.get $zero) (local.get $zero)
      (local.get $zero) (local.get $zero) (local.get $zero) (i32.const 600))
    (if (i32.eqz (call $denied)) (then (return (call $reached))))))
  (call $text (i32.const 32777) (i32.const 6)))
