//! The command line as people and scripts meet it: words, help, and what is refused.

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::*;

/// The settings of a folder without a configuration file.
pub(super) fn settings() -> Settings {
    Settings::built_in(Path::new(""))
}

fn parse(line: &[&str]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(std::iter::once(&"host").chain(line))
}

#[test]
fn the_words_fit_together() {
    Cli::command().debug_assert();
}

#[test]
fn the_help_of_every_command_is_as_documented() {
    let mut command = Cli::command().term_width(100);
    command.build();
    insta::assert_snapshot!("help", command.render_long_help());
    let names: Vec<String> = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
        .map(|sub| sub.get_name().to_owned())
        .collect();
    let documented = [
        "serve",
        "call",
        "tools",
        "inspect",
        "explain",
        "trace",
        "approvals",
        "keys",
        "secrets",
        "components",
        "client-config",
        "doctor",
        "completions",
    ];
    assert_eq!(names, documented);
    for name in names {
        let sub = command.find_subcommand_mut(&name).unwrap();
        let help = sub.render_long_help().to_string();
        for part in ["--config", "Examples:", "Exit codes:"] {
            assert!(help.contains(part), "{name} says nothing of {part}");
        }
        insta::assert_snapshot!(format!("help_{name}"), help);
    }
}

#[test]
fn every_example_in_the_help_parses() {
    let mut command = Cli::command();
    command.build();
    let mut helps = vec![command.render_long_help().to_string()];
    for sub in command.get_subcommands_mut() {
        helps.push(sub.render_long_help().to_string());
        helps.extend(sub.get_subcommands_mut().map(|inner| inner.render_long_help().to_string()));
    }
    let mut seen = 0;
    for line in helps.iter().flat_map(|help| help.lines()).filter(|line| line.starts_with("  ")) {
        // Whatever pipes into it, redirects it, sets a variable or fills one in is the shell's.
        if line.contains('$') {
            continue;
        }
        let Some(at) = line.find("host ").filter(|at| line[..*at].ends_with([' ', '|'])) else { continue };
        let example = line[at..].split(" > ").next().unwrap();
        let words = shell_words(example);
        Cli::try_parse_from(&words).unwrap_or_else(|e| panic!("{example}\n{e}"));
        seen += 1;
    }
    assert!(seen > 25, "only {seen} examples were found");
}

#[test]
fn what_is_wrong_on_the_command_line_is_refused_with_code_2() {
    for line in [
        &["serve", "--listen", "nowhere"][..],
        &["serve", "--stdio", "--listen", "127.0.0.1:1"],
        &["call"],
        &["call", "t", "{}", "more"],
        &["call", "t", "--deadline", "10"],
        &["call", "t", "--allow", "a b"],
        &["call", "t", "--tenant", "a/b"],
        &["call", "t", "--key", "a\nb"],
        &["tools", "--format", "yaml"],
        &["tools", "--format", "openai", "--strict", "yes"],
        &["trace"],
        &["trace", "ä"],
        &["approvals"],
        &["approvals", "deny", "apr_1"],
        &["approvals", "deny", "apr_1", "--reason", " "],
        &["keys"],
        &["keys", "create", "--role", "admin"],
        &["keys", "create", "--expires", "30"],
        &["keys", "create", "--name", ""],
        &["keys", "revoke", "short"],
        &["components", "accept"],
        &["components", "accept", "x", "--digest", "sha256:0"],
        &["components", "add", "x.wasm", "--name", "a/b"],
        &["client-config", "--stdio", "--url", "http://127.0.0.1:1/mcp"],
        &["client-config", "--url", "127.0.0.1"],
        &["completions", "sh"],
        &["nonsense"],
        &[],
    ] {
        let error = parse(line).expect_err(&line.join(" "));
        assert_eq!(error.exit_code(), i32::from(Exit::Usage.code()), "{line:?}");
    }
    assert_eq!(parse(&["--help"]).unwrap_err().kind(), ErrorKind::DisplayHelp);
    assert_eq!(parse(&["call", "--version"]).unwrap_err().exit_code(), 0);
}

#[test]
fn the_configuration_may_be_named_anywhere() {
    for line in [["--config", "a.toml", "tools"], ["tools", "--config", "a.toml"]] {
        assert_eq!(parse(&line).unwrap().config(), Some(Path::new("a.toml")));
    }
    assert_eq!(
        parse(&["approvals", "list", "--config", "a.toml"]).unwrap().config(),
        Some(Path::new("a.toml"))
    );
}

#[test]
fn only_a_server_on_a_port_logs_what_goes_well() {
    assert_eq!(
        parse(&["serve"]).unwrap().log_filter(),
        "warn,rmcp=off,wasmtime_wasi_http=error,toolhost=info"
    );
    assert_eq!(parse(&["serve", "--stdio"]).unwrap().log_filter(), "warn,wasmtime_wasi_http=error");
    assert_eq!(parse(&["call", "t"]).unwrap().log_filter(), "warn,wasmtime_wasi_http=error");
}

#[test]
fn the_compiler_of_the_host_is_told_apart_before_anything_is_read() {
    let child = |line: &[&str]| parse(line).unwrap().child();
    assert_eq!(child(&[COMPILE_WORD]), Some(Child::Compiler { parent: None }));
    assert_eq!(child(&[COMPILE_WORD, "--parent", "7"]), Some(Child::Compiler { parent: Some(7) }));
    assert_eq!(child(&[BROKER_WORD]), Some(Child::Broker));
    assert_eq!(child(&["call", COMPILE_WORD]), None);
}

#[tokio::test]
async fn completions_are_made_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (mut results, mut notes) = (Vec::new(), Vec::new());
        let surroundings = Surroundings {
            settings: Ok(settings()),
            key: None,
            executable: "/usr/bin/host".into(),
            enclosure: Enclosure::none(Path::new("/usr/bin/host")),
            search_path: Vec::new(),
        };
        let cli = parse(&["completions", shell, "--bin", "toolhost"]).unwrap();
        run(cli, surroundings, &mut Output::new(&mut results, &mut notes)).await.unwrap();
        let script = String::from_utf8(results).unwrap();
        assert!(script.contains("toolhost") && script.contains("client-config"), "{shell}");
        for word in [COMPILE_WORD, BROKER_WORD] {
            assert!(!script.contains(word), "{shell} offers the host's own word {word}");
        }
    }
}

/// Takes a line apart as a shell does, as far as the examples need it.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut started) = (String::new(), false, false);
    for c in line.trim_end().chars() {
        match c {
            '\'' => (quoted, started) = (!quoted, true),
            ' ' if !quoted => {
                if std::mem::take(&mut started) {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => {
                word.push(c);
                started = true;
            }
        }
    }
    assert!(!quoted, "{line}");
    if started {
        words.push(word);
    }
    words
}
