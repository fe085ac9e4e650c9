//! The forms of those who serve models, judged by their own packages: lists of real tools and of awkward schemas as the
//! program prints them, and the results of real calls that came in replies which those packages made.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use toolhost::policy::Pattern;
use toolhost::provider::{self, Format, Strict, Turn, Wanted};
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, caller, repository};
use toolhost_tests::wire::run;

const PROVIDERS: [Format; 4] = [Format::OpenAi, Format::OpenAiChat, Format::Anthropic, Format::Gemini];

/// The sample tools, some of the conformance suite's, and one tool for each awkward schema.
fn ground() -> Ground {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../corpora/schemas.json")).unwrap();
    let tools = cases.iter().map(|case| GuestTool {
        input_schema: case["schema"].to_string(),
        ..GuestTool::new(case["name"].as_str().unwrap())
    });
    let corpus = Guest::of(tools.collect(), &Guest::echo()).build();
    let mut config = String::from(
        "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n\n[[component]]\npath = \"tools/corpus.wasm\"\n",
    );
    for case in cases.iter().filter(|case| case["open"] == true) {
        config.push_str(&format!(
            "tool.{} = {{ accept_open_schema = true }}\n",
            case["name"].as_str().unwrap()
        ));
    }
    Ground::new()
        .samples(&["math", "orders", "search", "desk", "chaos", "conformance"])
        .component("corpus", &corpus)
        .config(&config)
}

fn list(ground: &Ground, more: &[&str]) -> (Value, String) {
    let output = run(ground.path(), &[&["tools"], more].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{more:?}: {said}");
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

fn script(what: &str, folder: &Path) -> Output {
    let script = repository().join("scripts/providers.sh");
    Command::new(script).arg(what).arg(folder).output().expect("the script starts; it needs bash")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_and_results_are_what_the_providers_own_types_take() {
    let (ground, judged) = (ground(), tempfile::tempdir().unwrap());
    for format in PROVIDERS {
        for strict in Strict::ALL {
            let (printed, _) = list(&ground, &["--format", format.as_str(), "--strict", strict.as_str()]);
            let file = judged.path().join(format!("tools.{format}.{strict}.json"));
            std::fs::write(file, printed.to_string()).unwrap();
        }
    }
    let made = script("replies", judged.path());
    assert!(made.status.success(), "{}", said(&made));
    let host = ground.start().await;
    let (caller, tools) = (caller(&host, "local"), host.tools());
    for format in PROVIDERS {
        let wanted = Wanted { format, strict: Strict::Auto, access: &caller.tenant.access, narrowed: None };
        let reply = std::fs::read(judged.path().join(format!("reply.{format}.json"))).unwrap();
        let turn: Turn = provider::turn(host.exports(), &tools, &wanted, &reply).unwrap();
        let outcomes = host.call_many(turn.calls(&caller)).await.unwrap();
        let codes: Vec<&str> = outcomes.iter().map(toolhost::spec::Outcome::code).collect();
        assert_eq!(codes, ["ok", "no_such_tool", "bad_args", "ok", "tool_error"], "{format}");
        let results = Value::from(turn.results(&outcomes)).to_string();
        assert!(results.contains("9007199254740993"), "{format}: {results}");
        std::fs::write(judged.path().join(format!("results.{format}.json")), results).unwrap();
    }
    let check = script("check", judged.path());
    assert!(check.status.success(), "{}", said(&check));
    assert_eq!(said(&check).matches("  ok  ").count(), 1 + 4 * 4, "{}", said(&check));
    // What the script finds has to be found in the files too.
    let spoilt = judged.path().join("results.openai.json");
    let sound = std::fs::read_to_string(&spoilt).unwrap();
    std::fs::write(&spoilt, sound.replace("\"output\":", "\"content\":")).unwrap();
    let check = script("check", judged.path());
    assert!(!check.status.success() && said(&check).contains("results for openai"), "{}", said(&check));
}

#[test]
fn the_command_prints_the_same_bytes_each_time_and_says_what_was_lost() {
    let ground = ground();
    for format in Format::ALL {
        let print = || run(ground.path(), &["tools", "--format", format.as_str(), "--strict", "on"]);
        let (one, two) = (print(), print());
        assert!(one.status.success() && one == two, "{format}");
    }
    let (printed, said) = list(&ground, &["--format", "gemini"]);
    let line =
        "the tool recursion: '$ref' at /properties/tree/properties/children/items leads back to itself.";
    assert!(said.lines().any(|one| one == line), "{said}");
    let n_tools = printed["tools"][0]["functionDeclarations"].as_array().unwrap().len();
    assert!(
        said.lines().last().unwrap().starts_with(&format!("{n_tools} tools for gemini; about ")),
        "{said}"
    );
    let (printed, said) = list(&ground, &["--format", "openai", "--allow", "multiply,free_form_map"]);
    let strict: Vec<&Value> =
        printed["tools"].as_array().unwrap().iter().map(|tool| &tool["strict"]).collect();
    assert_eq!(strict, [false, true]);
    let line = "the tool free_form_map: not strict, since the sub-schema at /properties/headers takes properties that it \
                does not name.";
    assert!(said.lines().any(|one| one == line), "{said}");
    let (printed, said) =
        list(&ground, &["--format", "openai-chat", "--strict", "off", "--allow", "multiply"]);
    assert_eq!(printed["tools"][0]["function"]["strict"], false);
    assert!(said.starts_with("1 tool for openai-chat; about "), "{said}");
    let wrong = run(ground.path(), &["tools", "--format", "openai", "--strict", "yes"]);
    assert_eq!(wrong.status.code(), run(ground.path(), &["tools", "--nothing"]).status.code());
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("[possible values: auto, on, off]"), "{wrong:?}");
}

/// What a provider's form makes of a call is taken back before the gates see it, and the gates see all of it.
#[tokio::test(flavor = "multi_thread")]
async fn the_tools_own_schema_is_what_a_call_has_to_match() {
    let ground = ground();
    let host = ground.start().await;
    let (caller, tools) = (caller(&host, "local"), host.tools());
    let run = async |format, strict, reply: String| {
        let wanted = Wanted { format, strict, access: &caller.tenant.access, narrowed: None };
        let turn = provider::turn(host.exports(), &tools, &wanted, reply.as_bytes()).unwrap();
        let outcomes = host.call_many(turn.calls(&caller)).await.unwrap();
        Value::from(turn.results(&outcomes))
    };
    let call = |tool: &str, arguments: &str| {
        let arguments = Value::from(arguments);
        format!(r#"[{{"type":"function_call","call_id":"c","name":"{tool}","arguments":{arguments}}}]"#)
    };
    // The echo shows what the guest was given.
    let strict = r#"{"needed":"é","optional":null,"needed_nullable":9007199254740993,"list":null,"inner":{"deep":null}}"#;
    let given = r#"{"needed":"é","needed_nullable":9007199254740993,"inner":{}}"#;
    let results = run(Format::OpenAi, Strict::Auto, call("optional_and_nullable", strict)).await;
    assert_eq!(results[0]["output"], given, "{results}");
    let results = run(Format::OpenAi, Strict::Off, call("optional_and_nullable", strict)).await;
    assert!(results[0]["output"].as_str().unwrap().starts_with("Error (InvalidArguments)"), "{results}");
    // The root's combination is in the description only, and is enforced.
    let results = run(Format::OpenAi, Strict::Auto, call("any_of_at_the_root", "{}")).await;
    assert!(results[0]["output"].as_str().unwrap().starts_with("Error (InvalidArguments)"), "{results}");
    let cut =
        r#"{"content":[{"type":"tool_use","id":"c","name":"append","input":{}}],"stop_reason":"max_tokens"}"#;
    let results = run(Format::Anthropic, Strict::Auto, cut.to_owned()).await;
    let block = &results[0]["content"][0];
    assert_eq!((&block["tool_use_id"], &block["is_error"]), (&"c".into(), &true.into()), "{results}");
    // A model that was shown less is refused what it was not shown.
    let only: [Pattern; 1] = ["multiply".parse().unwrap()];
    let wanted = Wanted {
        format: Format::OpenAi,
        strict: Strict::Auto,
        access: &caller.tenant.access,
        narrowed: Some(&only),
    };
    let reply = call("no_parameters", "");
    let turn = provider::turn(host.exports(), &tools, &wanted, reply.as_bytes()).unwrap();
    let outcome = &host.call_many(turn.calls(&caller)).await.unwrap()[0];
    assert_eq!(outcome.code(), "not_allowed");
}
