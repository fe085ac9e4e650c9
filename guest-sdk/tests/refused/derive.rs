use toolhost_sdk::ToolType;

#[derive(ToolType)]
struct Pair(u8, u8);

#[derive(ToolType)]
struct Nothing;

#[derive(ToolType)]
enum Never {}

#[derive(ToolType)]
union Bits {
    a: u8,
    b: u8,
}

#[derive(ToolType)]
enum Point {
    At(u8, u8),
}

#[derive(ToolType)]
#[serde(tag = "kind")]
enum Tagged {
    Inner(String),
}

#[derive(ToolType)]
#[serde(untagged)]
enum Untagged {
    Empty,
    Text(String),
}

#[derive(ToolType)]
#[serde(content = "value")]
enum ContentOnly {
    Text(String),
}

#[derive(ToolType)]
#[serde(rename_all = "Title Case", from = "String")]
struct Renamed {
    #[serde(flatten)]
    inner: String,
    #[serde(rename(serialize = "a", deserialize = "b"))]
    both: String,
    #[serde(with = "module")]
    with: String,
}

fn main() {}
