//! Hostile components, written as core WebAssembly text and wrapped into the guest contract. They need no tool
//! chain, and can say what no compiler would.
//!
//! The description is laid out in memory by the canonical ABI of the component model; the body of `call` is the
//! test's own text.

use std::sync::OnceLock;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

use wit_parser::{Resolve, WorldId};

static CONTRACT: OnceLock<(Resolve, WorldId)> = OnceLock::new();

/// Where texts and records are laid out.
const DATA: u32 = 1_024;

/// One tool as a hostile component describes it.
#[derive(Debug, Clone)]
pub struct GuestTool {
    /// See the field of `spec` in `wit/types.wit`.
    pub name: String,
    /// The same.
    pub title: Option<String>,
    /// The same.
    pub description: String,
    /// The same.
    pub input_schema: String,
    /// The same.
    pub output_schema: Option<String>,
    /// The same.
    pub read_only: bool,
    /// The same.
    pub requires_approval: bool,
    /// The same.
    pub timeout_ms: Option<u64>,
    /// The same.
    pub pool: Option<String>,
    /// The same.
    pub idempotency_key: Option<String>,
    /// The same.
    pub capabilities: Vec<String>,
    /// The same: titles and arguments.
    pub examples: Vec<(String, String)>,
}

impl GuestTool {
    /// A sound read-only tool that takes any string arguments named `a`.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: None,
            description: "Does what the test wants. It has no side effect.".to_owned(),
            input_schema: r#"{"type":"object","properties":{"a":{}},"additionalProperties":false}"#
                .to_owned(),
            output_schema: None,
            read_only: true,
            requires_approval: false,
            timeout_ms: None,
            pool: None,
            idempotency_key: None,
            capabilities: Vec::new(),
            examples: Vec::new(),
        }
    }
}

/// A component under construction.
#[derive(Debug, Clone)]
pub struct Guest {
    tools: Vec<GuestTool>,
    call: String,
    describe: Option<String>,
    extra: String,
    memory: String,
}

impl Guest {
    /// A guest whose one tool lets a table grow until it is refused, and traps then.
    pub fn growing_table(name: &str) -> Self {
        let grow = "(loop $more (br_if $more (i32.ne (i32.const -1) (table.grow (ref.null func) (i32.const 10000))))) \
                    (unreachable)";
        Self::new(name, grow).extra("(table 1 funcref)")
    }

    /// A component with one sound tool, whose `call` has the given body. The body's locals are the nine parameters
    /// of the lowered `call-request`, and it must leave an `i32`; see [`Guest::text`] for one that answers.
    pub fn new(name: &str, call: &str) -> Self {
        Self::of(vec![GuestTool::new(name)], call)
    }

    /// A component with any tools.
    pub fn of(tools: Vec<GuestTool>, call: &str) -> Self {
        Self {
            tools,
            call: call.to_owned(),
            describe: None,
            extra: String::new(),
            memory: "(memory (export \"memory\") 2)".to_owned(),
        }
    }

    /// Replaces the body of `describe`, which must leave an `i32`.
    #[must_use]
    pub fn describe(mut self, body: &str) -> Self {
        self.describe = Some(body.to_owned());
        self
    }

    /// Adds module fields: functions, globals, a start function.
    #[must_use]
    pub fn extra(mut self, fields: &str) -> Self {
        self.extra.push_str(fields);
        self
    }

    /// Replaces the memory.
    #[must_use]
    pub fn memory(mut self, memory: &str) -> Self {
        self.memory = memory.to_owned();
        self
    }

    /// The body of a `call` that answers with a text, of which `bytes` gives each byte as WebAssembly text writes it.
    pub fn text(address: u32, length: u32) -> String {
        answer(false, &format!("(i32.const {address})"), &format!("(i32.const {length})"))
    }

    /// The body of a `call` that answers with its own arguments as text.
    pub fn echo() -> String {
        answer(false, "(local.get 2)", "(local.get 3)")
    }

    /// The body of a `call` that answers with a structured value, whose JSON text stands at an address.
    pub fn structured(address: u32, length: u32) -> String {
        answer(true, &format!("(i32.const {address})"), &format!("(i32.const {length})"))
    }

    /// The body of a `call` that answers with its own arguments as structured value.
    pub fn echo_structured() -> String {
        answer(true, "(local.get 2)", "(local.get 3)")
    }

    /// The finished component.
    ///
    /// # Panics
    /// If the text is not WebAssembly, since then the test is wrong.
    pub fn build(&self) -> Vec<u8> {
        let (data, specs) = laid_out(&self.tools, StringEncoding::UTF8);
        let describe = self.describe.clone().unwrap_or_else(|| {
            format!(
                "(i32.store (i32.const 512) (i32.const {specs})) (i32.store (i32.const 516) (i32.const {})) \
                 (i32.const 512)",
                self.tools.len()
            )
        });
        let module = format!(
            r#"(module
                {memory}
                (global $heap (mut i32) (i32.const 65536))
                {data}
                {extra}
                (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                    (local $at i32)
                    (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
                    (global.set $heap (i32.add (local.get $at) (local.get 3)))
                    (block $fits
                        (br_if $fits (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
                        (drop (memory.grow (i32.add (i32.const 1)
                            (i32.div_u (local.get 3) (i32.const 65536))))))
                    (local.get $at))
                (func (export "toolhost:tool/tools@0.1.0#describe") (result i32) {describe})
                (func (export "toolhost:tool/tools@0.1.0#call")
                    (param i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32) {call}))"#,
            memory = self.memory,
            extra = self.extra,
            call = self.call,
        );
        encoded(&module, StringEncoding::UTF8)
    }
}

/// A core module's text as a component of the contract, which may import all of WASI too.
pub(crate) fn encoded(module: &str, strings: StringEncoding) -> Vec<u8> {
    let mut module = wat::parse_str(module).unwrap_or_else(|fault| panic!("{fault}\n{module}"));
    let (resolve, world) = CONTRACT.get_or_init(|| {
        let mut resolve = Resolve::default();
        let wit = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
        let (package, _) = resolve.push_dir(&wit).expect("the contract parses");
        let world = resolve.select_world(&[package], Some("tool-with-wasi")).expect("the world is there");
        (resolve, world)
    });
    embed_component_metadata(&mut module, resolve, *world, strings).expect("metadata fits");
    let mut encoder = ComponentEncoder::default();
    encoder.module(&module).expect("the module fits");
    encoder.encode().expect("the component is sound")
}

/// The description of tools as a data segment, and the address of their specs in it.
pub(crate) fn laid_out(tools: &[GuestTool], strings: StringEncoding) -> (String, u32) {
    let mut data = Data { wide: matches!(strings, StringEncoding::UTF16), ..Data::default() };
    let specs = data.specs(tools);
    (format!("(data (i32.const {DATA}) \"{}\")", data.escaped()), specs)
}

/// An answer: one text block, or a structured value. The result stands at 256 and its block at 384; the reply in it
/// begins at 264, since the failure that could stand there holds a 64-bit number.
fn answer(structured: bool, address: &str, length: &str) -> String {
    if structured {
        format!(
            "(i32.store8 (i32.const 256) (i32.const 0)) (i32.store8 (i32.const 264) (i32.const 0)) \
             (i32.store (i32.const 268) (i32.const 0)) (i32.store (i32.const 272) (i32.const 0)) \
             (i32.store8 (i32.const 276) (i32.const 1)) (i32.store (i32.const 280) {address}) \
             (i32.store (i32.const 284) {length}) (i32.const 256)"
        )
    } else {
        format!(
            "(i32.store8 (i32.const 256) (i32.const 0)) (i32.store8 (i32.const 264) (i32.const 0)) \
             (i32.store (i32.const 268) (i32.const 384)) (i32.store (i32.const 272) (i32.const 1)) \
             (i32.store8 (i32.const 276) (i32.const 0)) \
             (i32.store8 (i32.const 384) (i32.const 0)) (i32.store (i32.const 392) {address}) \
             (i32.store (i32.const 396) {length}) (i32.const 256)"
        )
    }
}

/// Records laid out by the canonical ABI.
#[derive(Default)]
struct Data {
    bytes: Vec<u8>,
    /// Strings are of UTF-16.
    wide: bool,
}

impl Data {
    /// All specs, 128 bytes each, aligned to 8. Gives their address.
    fn specs(&mut self, tools: &[GuestTool]) -> u32 {
        let records: Vec<[u8; 128]> = tools.iter().map(|tool| self.spec(tool)).collect();
        self.align(8);
        let at = self.at();
        self.bytes.extend(records.into_iter().flatten());
        at
    }

    fn spec(&mut self, tool: &GuestTool) -> [u8; 128] {
        let mut record = [0; 128];
        self.string(&mut record[0..8], &tool.name);
        self.option(&mut record[8..20], tool.title.as_deref());
        self.string(&mut record[20..28], &tool.description);
        self.string(&mut record[28..36], &tool.input_schema);
        self.option(&mut record[36..48], tool.output_schema.as_deref());
        record[48] = tool.read_only.into();
        // The wishes begin at 56, since they hold a 64-bit number.
        record[56] = tool.requires_approval.into();
        if let Some(millis) = tool.timeout_ms {
            record[64] = 1;
            record[72..80].copy_from_slice(&millis.to_le_bytes());
        }
        self.option(&mut record[80..92], tool.pool.as_deref());
        self.option(&mut record[96..108], tool.idempotency_key.as_deref());
        let capabilities: Vec<&str> = tool.capabilities.iter().map(String::as_str).collect();
        self.list(&mut record[112..120], &capabilities, 1);
        let examples: Vec<&str> = tool
            .examples
            .iter()
            .flat_map(|(title, arguments)| [title.as_str(), arguments.as_str()])
            .collect();
        self.list(&mut record[120..128], &examples, 2);
        record
    }

    fn string(&mut self, field: &mut [u8], text: &str) {
        self.align(2);
        field[0..4].copy_from_slice(&self.at().to_le_bytes());
        let units = if self.wide {
            let before = self.bytes.len();
            self.bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            (self.bytes.len() - before) / 2
        } else {
            self.bytes.extend_from_slice(text.as_bytes());
            text.len()
        };
        let length = u32::try_from(units).expect("a short text");
        field[4..8].copy_from_slice(&length.to_le_bytes());
    }

    fn option(&mut self, field: &mut [u8], text: Option<&str>) {
        if let Some(text) = text {
            field[0] = 1;
            self.string(&mut field[4..12], text);
        }
    }

    /// A list whose items are so many strings each.
    fn list(&mut self, field: &mut [u8], texts: &[&str], each: usize) {
        let mut items = vec![[0; 8]; texts.len()];
        for (item, text) in items.iter_mut().zip(texts) {
            self.string(item, text);
        }
        self.align(8);
        let length = u32::try_from(texts.len() / each).expect("a short list");
        field[0..4].copy_from_slice(&self.at().to_le_bytes());
        field[4..8].copy_from_slice(&length.to_le_bytes());
        self.bytes.extend(items.into_iter().flatten());
    }

    fn at(&self) -> u32 {
        DATA + u32::try_from(self.bytes.len()).expect("a short description")
    }

    fn align(&mut self, to: usize) {
        while !self.bytes.len().is_multiple_of(to) {
            self.bytes.push(0);
        }
    }

    fn escaped(&self) -> String {
        self.bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
    }
}
