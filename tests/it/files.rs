//! Granted directories are walls: no path leads out, no link is made, and read-only stays so.

use std::os::unix::fs::symlink;
use std::path::Path;

use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost_tests::host::{Ground, caller, text};

const CONFIG: &str = r#"
[[component]]
path = "tools/files.wasm"
grants = { directories = [
    { host = "read", guest = "/r", access = "read_only" },
    { host = "data/{tenant}", guest = "/w", access = "writable" },
    { host = "small/{tenant}", guest = "/s", access = "writable", max_bytes = "64KiB", max_files = 10 },
] }

[[tenant]]
id = "acme"

[[tenant]]
id = "globex"
"#;

/// What stands outside of every grant.
const SECRET: &str = "of nobody's business";

/// A ground with something to read, and with links that an operator put there.
pub(crate) fn ground() -> Ground {
    let ground = Ground::new().samples(&["files"]).config(CONFIG);
    let outside = ground.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), SECRET).unwrap();
    for (folder, up) in [("read", "../outside"), ("data/acme", "../../outside")] {
        let folder = ground.path().join(folder);
        std::fs::create_dir_all(folder.join("sub/deep")).unwrap();
        std::fs::write(folder.join("plain"), "plain").unwrap();
        std::fs::write(folder.join("sub/inner"), "inner").unwrap();
        symlink(&outside, folder.join("out")).unwrap();
        symlink(outside.join("secret"), folder.join("out-file")).unwrap();
        symlink(up, folder.join("up")).unwrap();
        std::fs::hard_link(outside.join("secret"), folder.join("shared")).unwrap();
        symlink("plain", folder.join("in")).unwrap();
        symlink("sub", folder.join("in-sub")).unwrap();
        symlink("nothing", folder.join("dangling")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
        assert!(made.success());
    }
    ground
}

/// What each command of one call said.
pub(crate) async fn run(host: &Host, tenant: &str, commands: &[impl AsRef<str>]) -> Vec<String> {
    let commands: Vec<&str> = commands.iter().map(AsRef::as_ref).collect();
    let arguments = serde_json::json!({ "commands": commands }).to_string();
    let outcome = host.execute(Call::new(caller(host, tenant), "files", arguments)).await;
    assert_eq!(outcome.code(), "ok", "{}", text(&outcome));
    serde_json::from_str(&text(&outcome)).unwrap()
}

/// What the last of some commands said.
pub(crate) async fn last(host: &Host, commands: &[&str]) -> String {
    run(host, "acme", commands).await.pop().unwrap()
}

/// Every name below a folder, with what it is.
fn tree(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is = path.symlink_metadata().unwrap();
        names.push(format!("{} {} {:?}", path.display(), is.len(), is.modified().unwrap()));
        if is.is_dir() {
            names.extend(tree(&path));
        }
    }
    names.sort();
    names
}

/// Forms of a path that may not be named, and what a guest is told.
const FORMS: &[(&str, &str)] = &[
    ("/", "not-permitted"),
    ("/etc/passwd", "not-permitted"),
    ("//etc/passwd", "not-permitted"),
    ("..", "not-permitted"),
    ("../outside/secret", "not-permitted"),
    ("sub/../../x", "not-permitted"),
    ("sub/deep/../../../x", "not-permitted"),
    ("./..", "not-permitted"),
    ("missing/../../x", "not-permitted"),
    ("C:", "not-permitted"),
    ("C:/x", "not-permitted"),
    ("c:x", "not-permitted"),
    ("sub/C:/x", "not-permitted"),
    ("C:\\x", "not-permitted"),
    ("\\x", "not-permitted"),
    ("\\\\server\\share\\x", "not-permitted"),
    ("\\\\?\\C:\\x", "not-permitted"),
    ("sub\\..\\..\\x", "not-permitted"),
    ("..\\x", "not-permitted"),
    ("plain:stream", "not-permitted"),
    ("CON", "not-permitted"),
    ("nul.txt", "not-permitted"),
    ("sub/COM¹", "not-permitted"),
    ("LPT9 .log", "not-permitted"),
    (".. ", "not-permitted"),
    ("...", "not-permitted"),
    ("a%0b", "invalid"),
];

/// What can be done with a path; the path stands in the place of `{}`.
const OPERATIONS: &[&str] = &[
    "open|f|D|{}|r",
    "open|f|D|{}|rf",
    "open|f|D|{}|rwc",
    "open|f|D|{}|wt",
    "open|f|D|{}|rd",
    "mkdir|D|{}",
    "rmdir|D|{}",
    "unlink|D|{}",
    "stat|D|{}",
    "lstat|D|{}",
    "hash|D|{}",
    "readlink|D|{}",
    "times-at|D|{}",
    "rename|D|{}|D|moved",
    "rename|D|plain|D|{}",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_form_of_a_path_leads_out() {
    let ground = ground();
    let host = ground.start().await;
    let before = tree(ground.path().join("outside").as_path());
    let mut forms: Vec<(String, &str)> =
        FORMS.iter().map(|(path, code)| ((*path).to_owned(), *code)).collect();
    let mut faults = Vec::new();
    forms.push(("x".repeat(4_097), "name-too-long"));
    forms.push((vec!["sub"; 65].join("/"), "name-too-long"));
    for directory in ["/w", "/r"] {
        for (path, code) in &forms {
            let commands: Vec<String> =
                OPERATIONS.iter().map(|it| it.replace('D', directory).replace("{}", path)).collect();
            let said = run(&host, "acme", &commands).await;
            for (command, said) in commands.iter().zip(said) {
                if said != *code {
                    faults.push(format!("{command:.80} said {said}, not {code}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(tree(ground.path().join("outside").as_path()), before);
    let names = last(&host, &["list|/w"]).await;
    assert_eq!(names, "dangling@ in-sub@ in@ out-file@ out@ pipe? plain shared sub/ up@");
}

/// Commands of one call, and what the last of them says.
const CASES: &[(&[&str], &str)] = &[
    // Links that an operator put there are followed inside and never out.
    (&["open|f|/w|in|rf", "read|f"], "plain"),
    (&["open|f|/w|in-sub/inner|r", "read|f"], "inner"),
    (&["open|f|/w|in|r"], "loop"),
    (&["open|f|/w|out-file|rf"], "not-permitted"),
    (&["open|f|/w|out/secret|rf"], "not-permitted"),
    (&["open|f|/w|out/secret|r"], "not-permitted"),
    (&["open|f|/w|up/secret|rf"], "not-permitted"),
    (&["open|f|/w|out|rdf"], "not-permitted"),
    (&["open|f|/w|up|rdf"], "not-permitted"),
    (&["open|f|/w|out/new|wc"], "not-permitted"),
    (&["open|f|/w|out-file|wtf"], "not-permitted"),
    (&["open|f|/w|out-file|wcf"], "not-permitted"),
    (&["stat|/w|out"], "not-permitted"),
    (&["stat|/w|out/secret"], "not-permitted"),
    (&["hash|/w|up/secret"], "not-permitted"),
    (&["times-at|/w|out/secret"], "not-permitted"),
    (&["times-at|/w|out-file"], "not-permitted"),
    (&["mkdir|/w|out/new"], "not-permitted"),
    (&["mkdir|/w|up/new"], "not-permitted"),
    (&["unlink|/w|out/secret"], "not-permitted"),
    (&["rmdir|/w|up/x"], "not-permitted"),
    (&["readlink|/w|out"], "not-permitted"),
    (&["readlink|/w|in"], "plain"),
    (&["rename|/w|plain|/w|out/plain"], "not-permitted"),
    (&["rename|/w|out/secret|/w|mine"], "not-permitted"),
    (&["open|f|/r|out-file|rf"], "not-permitted"),
    (&["open|f|/r|up/secret|rf"], "not-permitted"),
    // A link is not moved, by whatever name.
    (&["rename|/w|out|/w|moved"], "not-permitted"),
    (&["rename|/w|out/|/w|moved"], "not-permitted"),
    (&["rename|/w|out//|/w|moved/"], "not-permitted"),
    (&["rename|/w|up/|/w|moved"], "not-permitted"),
    (&["rename|/w|in/|/w|moved"], "not-permitted"),
    (&["rename|/w|plain|/w|moved/"], "not-directory"),
    // What the operator put there by a second name of a file elsewhere can be read, and not changed.
    (&["open|f|/w|shared|r", "read|f"], SECRET),
    (&["open|f|/r|shared|r", "read|f"], SECRET),
    (&["open|f|/w|shared|w"], "not-permitted"),
    (&["open|f|/w|shared|rt"], "not-permitted"),
    (&["open|f|/w|shared|rc"], "not-permitted"),
    (&["open|f|/w|shared|r", "write|f|0|1"], "bad-descriptor"),
    (&["open|f|/w|shared|r", "append|f|1"], "bad-descriptor"),
    (&["open|f|/w|shared|r", "size|f|0"], "invalid"),
    (&["open|f|/w|shared|r", "times|f"], "not-permitted"),
    (&["times-at|/w|shared"], "not-permitted"),
    (&["open|f|/w|plain-2|wc", "rename|/w|plain-2|/w|shared", "unlink|/w|shared"], "ok"),
    // No link is made.
    (&["symlink|/w|plain|link"], "not-permitted"),
    (&["symlink|/w|/etc/passwd|link"], "not-permitted"),
    (&["symlink|/w|../outside|link"], "not-permitted"),
    (&["link|/w|plain|/w|link"], "not-permitted"),
    (&["link|/w|out-file|/w|link"], "not-permitted"),
    (&["link|/r|plain|/w|link"], "not-permitted"),
    (&["link|/w|plain|/r|link"], "not-permitted"),
    (&["symlink|/r|plain|link"], "not-permitted"),
    // A directory that is only read cannot be changed.
    (&["open|f|/r|plain|r", "read|f"], "plain"),
    (&["open|f|/r|plain|t"], "not-permitted"),
    (&["open|f|/r|plain|rt"], "not-permitted"),
    (&["open|f|/r|plain|w"], "not-permitted"),
    (&["open|f|/r|new|c"], "not-permitted"),
    (&["open|f|/r|plain|rc"], "not-permitted"),
    (&["open|f|/r|new|cx"], "not-permitted"),
    (&["open|d|/r|.|rdm", "open|f|d|new|wc"], "not-permitted"),
    (&["open|d|/r|sub|rdm", "unlink|d|inner"], "not-permitted"),
    (&["open|d|/r|sub|rd", "mkdir|d|new"], "not-permitted"),
    (&["open|d|/r|.|wd"], "not-permitted"),
    (&["open|f|/r|plain|r", "write|f|0|1"], "not-permitted"),
    (&["open|f|/r|plain|r", "stream|f|0|1"], "not-permitted"),
    (&["open|f|/r|plain|r", "append|f|1"], "not-permitted"),
    (&["open|f|/r|plain|r", "size|f|0"], "not-permitted"),
    (&["open|f|/r|plain|r", "times|f"], "not-permitted"),
    (&["times|/r"], "not-permitted"),
    (&["times-at|/r|plain"], "not-permitted"),
    (&["mkdir|/r|new"], "not-permitted"),
    (&["rmdir|/r|sub/deep"], "not-permitted"),
    (&["unlink|/r|plain"], "not-permitted"),
    (&["rename|/r|plain|/r|moved"], "not-permitted"),
    (&["rename|/r|plain|/w|moved"], "not-permitted"),
    (&["rename|/w|plain|/r|moved"], "not-permitted"),
    (&["open|f|/r|plain|r", "sync|f"], "ok"),
    (&["open|f|/r|plain|r", "advise|f"], "ok"),
    (&["stat|/r|plain"], "5"),
    (&["hash|/r|sub/inner"], "ok"),
    // Neither a pipe nor a device holds the host up.
    (&["open|f|/w|pipe|r"], "not-permitted"),
    (&["open|f|/w|pipe|w"], "not-permitted"),
    (&["open|f|/r|pipe|r"], "not-permitted"),
    // A descriptor of a directory inside is a wall, too.
    (&["open|d|/w|sub|rd", "open|f|d|../plain|r"], "not-permitted"),
    (&["open|d|/w|sub|rd", "open|f|d|deep/../inner|r", "read|f"], "inner"),
    // What is allowed works.
    (&["open|f|/w|sub/../plain|r", "read|f"], "plain"),
    (&["open|f|/w|missing|r"], "no-entry"),
    (&["open|f|/w||r"], "no-entry"),
    (&["open|f|/w|plain|cx"], "exist"),
    (&["open|f|/w|plain/x|r"], "not-directory"),
    (&["open|f|/w|sub|w"], "is-directory"),
    (&["open|f|/w|plain|rd"], "not-directory"),
    (&["open|f|/w|a|rwc", "append|f|3", "write|f|1|1", "read|f"], "xxx"),
    (&["open|f|/w|a|rwct", "read|f"], ""),
    (&["open|f|/w|a|rw", "times|f"], "ok"),
    (&["times-at|/w|a"], "ok"),
    (&["open|f|/w|a|r", "write|f|0|1"], "bad-descriptor"),
    (&["rename|/w|a|/w|b", "lstat|/w|b"], "0"),
    (&["rename|/w|b|/s|b"], "cross-device"),
    (&["rename|/w|b|/w|b"], "ok"),
    (&["unlink|/w|b"], "ok"),
    (&["unlink|/w|b"], "no-entry"),
    (&["unlink|/w|missing/b"], "no-entry"),
    (&["mkdir|/w|new", "rename|/w|new/|/w|newer/", "rmdir|/w|newer"], "ok"),
    (&["rmdir|/w|sub"], "not-empty"),
    (
        &["open|f|/w|dangling|wcf", "list|/w"],
        "dangling@ in-sub@ in@ nothing out-file@ out@ pipe? plain sub/ up@",
    ),
    (&["unlink|/w|nothing"], "ok"),
    (&["std-write|/w/new|3"], "ok"),
    (&["unlink|/w|new"], "ok"),
    (&["std-write|/r/new|3"], "PermissionDenied"),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_thing_that_may_be_tried_ends_as_it_should() {
    let ground = ground();
    let host = ground.start().await;
    let (outside, read) = (ground.path().join("outside"), ground.path().join("read"));
    let before = (tree(&outside), tree(&read));
    let mut faults = Vec::new();
    for (commands, expected) in CASES {
        let said = run(&host, "acme", commands).await;
        if said.last().unwrap() != expected {
            faults.push(format!("{commands:?} said {said:?}, not {expected}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!((tree(&outside), tree(&read)), before, "nothing outside or read-only was changed");
    let names = last(&host, &["list|/w"]).await;
    assert_eq!(names, "dangling@ in-sub@ in@ out-file@ out@ pipe? plain sub/ up@");
}

/// What is open is counted for as long as anything holds it: a descriptor, a stream, a listing.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_has_few_files_open_at_once() {
    let ground = ground();
    let host = ground.start().await;
    for directory in ["/r", "/w"] {
        let mut commands: Vec<String> =
            (0..64).map(|number| format!("open|f{number}|{directory}|plain|r")).collect();
        commands.extend([format!("open|more|{directory}|plain|r"), format!("list|{directory}")]);
        commands.extend([
            "close|f0".to_owned(),
            format!("open|more|{directory}|plain|r"),
            "read|more".to_owned(),
        ]);
        let mut expected = vec!["ok"; 64];
        expected.extend(["insufficient-memory", "insufficient-memory", "ok", "ok", "plain"]);
        assert_eq!(run(&host, "acme", &commands).await, expected);
    }
    let stream = |number| {
        [
            format!("open|f|/w|many-{number}|wc"),
            format!("keep-stream|s{number}|f"),
            "close|f".to_owned(),
            format!("unlink|/w|many-{number}"),
        ]
    };
    let said = run(&host, "acme", &(0..65).flat_map(stream).collect::<Vec<_>>()).await;
    assert!(said[..256].iter().all(|it| it == "ok") && said[256] == "insufficient-memory", "{said:?}");
}
