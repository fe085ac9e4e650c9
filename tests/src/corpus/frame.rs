//! What each tool needs around the text of an attack: a memory, an allocator, a description, and functions that lay an
//! answer out.
//!
//! A guest's text may use `$text`, `$blocks`, `$structured` and `$failure` to answer, `$unhexed` to read the hexadecimal
//! digits of an argument, and the type `$call` for its function `$call`.
//! It may bring its own memory, `$realloc` or `$describe`, which may call the frame's `$described`. Its name stands at
//! 1,024. Its own data belong between 32,768 and 65,536, where the allocator begins.

use wit_component::StringEncoding;

use crate::guest::{GuestTool, encoded, laid_out};

const MEMORY: &str = "(memory $memory (export \"memory\") 2)";

const REALLOC: &str = "(func $realloc (param i32 i32 i32 i32) (result i32)
  (local $at i32)
  (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
  (global.set $heap (i32.add (local.get $at) (local.get 3)))
  (block $fits
    (br_if $fits (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
    (drop (memory.grow (i32.add (i32.const 1) (i32.div_u (local.get 3) (i32.const 65536))))))
  (local.get $at))";

/// The result stands at 256 and its block at 384. What the result holds begins at 264, since a failure has a 64-bit number.
const ANSWERS: &str = "
(func $text (param $at i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 256) (i32.const 0))
  (i32.store8 (i32.const 264) (i32.const 0))
  (i32.store (i32.const 268) (i32.const 384))
  (i32.store (i32.const 272) (i32.const 1))
  (i32.store8 (i32.const 276) (i32.const 0))
  (i32.store8 (i32.const 384) (i32.const 0))
  (i32.store (i32.const 392) (local.get $at))
  (i32.store (i32.const 396) (local.get $length))
  (i32.const 256))
(func $blocks (param $at i32) (param $number i32) (result i32)
  (drop (call $text (i32.const 0) (i32.const 0)))
  (i32.store (i32.const 268) (local.get $at))
  (i32.store (i32.const 272) (local.get $number))
  (i32.const 256))
(func $structured (param $at i32) (param $length i32) (result i32)
  (drop (call $blocks (i32.const 0) (i32.const 0)))
  (i32.store8 (i32.const 276) (i32.const 1))
  (i32.store (i32.const 280) (local.get $at))
  (i32.store (i32.const 284) (local.get $length))
  (i32.const 256))
(func $failure (param $kind i32) (param $kind_length i32) (param $at i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 256) (i32.const 1))
  (i32.store (i32.const 264) (local.get $kind))
  (i32.store (i32.const 268) (local.get $kind_length))
  (i32.store (i32.const 272) (local.get $at))
  (i32.store (i32.const 276) (local.get $length))
  (i32.store8 (i32.const 280) (i32.const 0))
  (i32.store8 (i32.const 288) (i32.const 0))
  (i32.const 256))
(func $digit (param $at i32) (result i32)
  (local $c i32)
  (local.set $c (i32.load8_u (local.get $at)))
  (i32.sub (local.get $c) (select (i32.const 48) (i32.const 87) (i32.lt_u (local.get $c) (i32.const 58)))))
(func $unhexed (param $at i32) (param $length i32) (result i32)
  (local $to i32)
  (block $done
    (loop $again
      (br_if $done (i32.ge_u (i32.mul (local.get $to) (i32.const 2)) (local.get $length)))
      (i32.store8 offset=49152 (local.get $to) (i32.add
        (i32.mul (i32.const 16) (call $digit (local.get $at)))
        (call $digit (i32.add (local.get $at) (i32.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (local.set $to (i32.add (local.get $to) (i32.const 1)))
      (br $again)))
  (local.get $to))";

/// What a component begins with, in bytes.
pub(crate) const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
/// What a core module begins with.
pub(crate) const MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// A number as WebAssembly writes it, in five bytes.
pub(crate) fn number(value: usize) -> [u8; 5] {
    let mut bytes = [0; 5];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let more = if at < 4 { 0x80 } else { 0 };
        *byte = u8::try_from(value >> (7 * at) & 0x7f).expect("seven bits") | more;
    }
    bytes
}

/// A section of a module or component.
pub(crate) fn section(id: u8, body: &[u8]) -> Vec<u8> {
    [&[id], number(body.len()).as_slice(), body].concat()
}

/// The component of a guest's text.
pub(crate) fn component(tool: &GuestTool, strings: StringEncoding, text: &str) -> Vec<u8> {
    let (data, specs) = laid_out(std::slice::from_ref(tool), strings);
    let described = format!(
        "(func $described (result i32)
           (i32.store (i32.const 512) (i32.const {specs}))
           (i32.store (i32.const 516) (i32.const 1))
           (i32.const 512))"
    );
    let unless = |said: &str, part: &str| if text.contains(said) { String::new() } else { part.to_owned() };
    let module = format!(
        r#"(module
        {text}
        {memory}
        {realloc}
        {described}
        {ANSWERS}
        (type $call (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
        (global $heap (mut i32) (i32.const 65536))
        {data}
        (export "cabi_realloc" (func $realloc))
        (export "toolhost:tool/tools@0.1.0#describe" (func {describe}))
        (export "toolhost:tool/tools@0.1.0#call" (func $call)))"#,
        memory = unless("(memory ", MEMORY),
        realloc = unless("(func $realloc", REALLOC),
        describe = if text.contains("(func $describe") { "$describe" } else { "$described" },
    );
    encoded(&module, strings)
}
