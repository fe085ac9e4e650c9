use super::*;
use crate::spec::Wishes;

fn spec(input: &str, output: Option<&str>) -> ToolSpec {
    ToolSpec {
        name: "multiply".parse().unwrap(),
        title: Some("Multiply".to_owned()),
        description: "Multiplies two numbers.".to_owned(),
        input_schema: input.to_owned(),
        output_schema: output.map(str::to_owned),
        annotations: Annotations { read_only: true, ..Annotations::default() },
        wishes: Wishes::default(),
        required_capabilities: vec![],
        examples: vec![],
    }
}

#[test]
fn schemas_pass_unchanged_and_all_hints_are_written_out() {
    let input = r#"{"type":"object","properties":{"z":{"type":"number","maximum":1.10},"a":{"const":9007199254740993}},"x-y":[-0.0],"additionalProperties":false}"#;
    let output = r#"{"type":"array","items":{"type":"integer"}}"#;
    let shown = Annotations { open_world: true, ..Annotations::default() };
    let tool = render(&"m_multiply".parse().unwrap(), &spec(input, Some(output)), shown);
    assert_eq!(
        serde_json::to_string(&tool).unwrap(),
        format!(
            r#"{{"name":"m_multiply","title":"Multiply","description":"Multiplies two numbers.","inputSchema":{input},"#
        ) + &format!(
            r#""outputSchema":{output},"annotations":{{"readOnlyHint":false,"destructiveHint":false,"#
        ) + r#""idempotentHint":false,"openWorldHint":true}}"#
    );
}

#[test]
fn a_schema_that_is_a_bare_word_is_written_as_an_object() {
    for (text, long) in [("true", "{}"), ("false", r#"{"not":{}}"#)] {
        let tool = render(&"t".parse().unwrap(), &spec(text, None), Annotations::default());
        assert_eq!(serde_json::to_string(&tool.input_schema).unwrap(), long);
    }
}

#[test]
fn pages_join_to_the_whole_list() {
    let tools: Vec<Tool> = (0..10)
        .map(|n| render(&format!("t{n}").parse().unwrap(), &spec("{}", None), Annotations::default()))
        .collect();
    for size in 1..=11 {
        let (mut names, mut after) = (Vec::new(), None::<String>);
        for _ in 0..20 {
            let (page, next) = page_of(tools.iter(), after.as_deref(), size);
            assert!(page.len() <= size);
            names.extend(page.into_iter().map(|tool| tool.name.to_string()));
            after = next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(names, (0..10).map(|n| format!("t{n}")).collect::<Vec<_>>(), "pages of {size}");
    }
    // A cursor whose tool has gone still finds its place.
    assert_eq!(page_of(tools.iter(), Some("t4_gone"), 1).0.first().unwrap().name, "t5");
}
