;; Row: D12
;;
;; Tries: to fill the view of the model with the name of its failure.
;;
;; Answer: tool_error; the kind and the message are cut.

(memory $memory (export "memory") 100)

(func $call (type $call)
  (memory.fill
    (i32.const 65536)
    (i32.const 75)
    (i32.const 3_145_728))
  (call $failure
    (i32.const 65536)
    (i32.const 1_572_864)
    (i32.const 65536)
    (i32.const 1_572_864)))
