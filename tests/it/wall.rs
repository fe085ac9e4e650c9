//! The second wall: what a process behind it cannot do, that `host serve` stands behind one, and that everything goes on
//! working there.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use landlock::{AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};
use toolhost::sandbox::BROKER_WORD;
use toolhost::wall::Standing;
use toolhost_tests::guest::Guest;
use toolhost_tests::host::{Ground, program};
use toolhost_tests::process::{assert_walled, children, status, until};
use toolhost_tests::wire::{Piped, Served, run, shown};

/// Whether the kernel's `landlock_create_ruleset` answers, asked without the host's own code.
fn landlock_answers() -> bool {
    let asked = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    asked.handle_access(AccessFs::Execute).and_then(Ruleset::create).is_ok()
}

/// What came of each act behind a wall.
fn probed(wall: &str) -> BTreeMap<String, String> {
    let ground = tempfile::tempdir().unwrap();
    for folder in ["read", "write"] {
        std::fs::create_dir(ground.path().join(folder)).unwrap();
    }
    for file in ["read/file", "outside", "away"] {
        std::fs::write(ground.path().join(file), "x").unwrap();
    }
    let listeners = [TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap()];
    let ports = listeners.each_ref().map(|it| it.local_addr().unwrap().port().to_string());
    let output = Command::new(env!("CARGO_BIN_EXE_wall-probe"))
        .arg(wall)
        .arg(ground.path())
        .args(ports)
        .output()
        .expect("the probe starts");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let lines = said.lines().map(|line| line.split_once(": ").unwrap());
    lines.map(|(act, outcome)| (act.to_owned(), outcome.to_owned())).collect()
}

/// Each act, and what comes of it without a wall, in a server, in the process that starts compilers, and in a compiler.
const ACTS: &[(&str, [&str; 4])] = &[
    ("read a readable file", ["ok", "ok", "EACCES", "EPERM"]),
    ("list a readable folder", ["ok", "ok", "EACCES", "EPERM"]),
    ("write a readable file", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("make a file in a readable folder", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("make a writable file", ["ok", "ok", "EACCES", "EPERM"]),
    ("make a writable folder", ["ok", "ok", "EACCES", "EACCES"]),
    ("link to what is outside", ["ok", "ok", "EACCES", "EACCES"]),
    ("read /etc/passwd", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("list /", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("read what is outside", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("write what is outside", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("cut what is outside", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("make a file outside", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("make a folder outside", ["ok", "EACCES", "EACCES", "EACCES"]),
    ("take a file in from outside", ["ok", "EXDEV", "EACCES", "EACCES"]),
    ("remove what is outside", ["ok", "EACCES", "EACCES", "EACCES"]),
    ("make a pipe among files", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("read the memory of the parent", ["ok", "EACCES", "EACCES", "EPERM"]),
    ("change the mode of what is outside", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("change the owner of what is outside", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("connect to the port", ["ok", "ok", "EPERM", "EPERM"]),
    ("connect to another port", ["ok", "EACCES", "EPERM", "EPERM"]),
    ("listen", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("use UDP", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("use netlink", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("use a stream that is not TCP", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("make a Unix socket", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("make a pair of sockets", ["ok", "ok", "ok", "ok"]),
    ("start a program", ["ok", "EPERM", "EACCES", "EPERM"]),
    ("start itself", ["ok", "EPERM", "ok", "EPERM"]),
    ("start a thread", ["ok", "ok", "ok", "ok"]),
    ("signal the parent", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("take a file of another process", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("leave a namespace", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("change the root", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("become a user", ["ok", "EPERM", "EPERM", "EPERM"]),
    ("read /etc/passwd in another thread", ["ok", "EACCES", "EACCES", "EPERM"]),
];

#[test]
fn behind_the_wall_each_act_ends_as_it_should() {
    if !landlock_answers() {
        return;
    }
    for (at, wall) in ["none", "serving", "starting", "compiling"].into_iter().enumerate() {
        let seen = probed(wall);
        let wrong: Vec<_> = ACTS
            .iter()
            .filter(|(act, expected)| seen.get(*act).map(String::as_str) != Some(expected[at]))
            .map(|(act, expected)| (act, expected[at], seen.get(*act)))
            .collect();
        assert!(wrong.is_empty(), "{wall}: {wrong:#?}");
    }
}

#[test]
fn in_writable_folders_files_are_used_as_ever() {
    let seen = probed("serving");
    for act in [
        "read a writable file",
        "move a file between writable folders",
        "remove a writable file",
        "remove a writable folder",
    ] {
        assert_eq!(seen[act], "ok", "{act}");
    }
    if landlock_answers() {
        assert_eq!(seen["read what is outside through a link"], "EACCES");
    }
}

#[test]
fn a_server_listens_where_it_should_and_only_once() {
    if !landlock_answers() {
        return;
    }
    let (before, after) = (probed("listening"), probed("listened"));
    assert_eq!((before["listen"].as_str(), before["listen on a port of choice"].as_str()), ("ok", "EACCES"));
    assert_eq!((after["listen"].as_str(), after["listen on a port of choice"].as_str()), ("EPERM", "EPERM"));
    assert_eq!(after["connect to the port"], "ok");
}

/// A server whose notes are read until the one about the wall.
struct Noted {
    child: Child,
    line: String,
}

impl Noted {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(program())
            .arg("serve")
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = loop {
            let line = notes.next().expect("the wall is spoken of").unwrap();
            if line.contains("second wall") {
                break line;
            }
        };
        std::thread::spawn(move || notes.for_each(drop));
        Self { child, line }
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn simple() -> Ground {
    Ground::new().component("t", &Guest::new("t", &Guest::text(1024, 1)).build())
}

#[test]
fn the_start_says_what_stands_and_what_stays_open() {
    let ground = simple();
    for arguments in [&["--listen", "127.0.0.1:0"][..], &["--stdio"]] {
        let noted = Noted::start(ground.path(), arguments);
        if landlock_answers() {
            assert!(noted.line.starts_with("A second wall stands, of Landlock ABI "), "{}", noted.line);
            assert!(noted.line.contains(" and seccomp. Readable: tools. Writable: "), "{}", noted.line);
        } else {
            assert!(noted.line.contains("the kernel offers no Landlock"), "{}", noted.line);
        }
    }
    let ground = ground.config("[server]\nwall = \"off\"\n");
    let noted = Noted::start(ground.path(), &["--listen", "127.0.0.1:0"]);
    assert!(noted.line.starts_with("No second wall stands (server.wall = \"off\")"), "{}", noted.line);
    assert_eq!(status(&noted.child.id().to_string(), "Seccomp"), "0");
    assert_eq!(children(noted.child.id(), BROKER_WORD), [0; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_thread_of_a_server_stands_behind_the_wall() {
    let ground = simple();
    let served = Served::start(ground.path());
    assert_eq!(shown(&served.call("t", "{}").await), "t");
    // One against calls, one against what hides its arguments, one against listening.
    assert_walled(served.id(), "3");
    let mut piped = Piped::start(ground.path());
    assert_eq!(shown(&piped.call("t", "{}")), "t");
    assert_walled(piped.id(), "2");
    let [broker] = children(served.id(), BROKER_WORD)[..] else { panic!("one process starts compilers") };
    until("the broker walls itself in", || status(&broker.to_string(), "Seccomp_filters") == "2");
    assert_walled(broker, "2");
}

const GRANTED: &str = r#"
[[component]]
path = "tools/*.wasm"
grants = { directories = [{ host = "WHERE", guest = "/effects", access = "writable" }] }
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_granted_directory_is_used_and_one_that_took_its_place_is_not() {
    // A tenant's own folder is made at the start.
    let ground = Ground::new().samples(&["effects"]).config(&GRANTED.replace("WHERE", "data/{tenant}"));
    let served = Served::start(ground.path());
    assert!(shown(&served.call("append", r#"{"line":"x"}"#).await).starts_with("appended x"));
    assert!(ground.path().join("data/local/log").is_file());
    if !landlock_answers() {
        return;
    }
    let ground = Ground::new().samples(&["effects"]).config(&GRANTED.replace("WHERE", "files"));
    let (files, before) = (ground.path().join("files"), ground.path().join("before"));
    std::fs::create_dir(&files).unwrap();
    let served = Served::start(ground.path());
    assert!(shown(&served.call("append", r#"{"line":"x"}"#).await).starts_with("appended x"));
    std::fs::rename(&files, before).unwrap();
    std::fs::create_dir(&files).unwrap();
    let refused = shown(&served.call("append", r#"{"line":"x"}"#).await);
    assert!(refused.starts_with("Error (Internal)"), "{refused}");
    assert!(!files.join("log").exists());
    drop(served);
    let served = Served::start(ground.path());
    assert!(shown(&served.call("append", r#"{"line":"x"}"#).await).starts_with("appended x"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_a_link_leads_to_is_served() {
    let (ground, elsewhere) = (Ground::new(), tempfile::tempdir().unwrap());
    let file = elsewhere.path().join("t.wasm");
    std::fs::write(&file, Guest::new("t", &Guest::text(1024, 1)).build()).unwrap();
    std::os::unix::fs::symlink(&file, ground.path().join("tools/t.wasm")).unwrap();
    let served = Served::start(ground.path());
    assert_eq!(shown(&served.call("t", "{}").await), "t");
}

#[test]
fn the_doctor_says_what_would_stand() {
    let ground = simple();
    let output = run(ground.path(), &["doctor"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find(|line| line.contains(" wall ")).unwrap_or_else(|| panic!("{said}"));
    let standing = Standing::offered().unwrap();
    assert_eq!(standing.landlock.is_some(), landlock_answers());
    if standing.is_whole() {
        assert!(line.starts_with("ok "), "{line}");
        assert!(
            line.contains(&format!("`host serve` stands behind {}", standing.parts().unwrap())),
            "{line}"
        );
    } else {
        assert!(line.starts_with("warning ") && line.contains("the kernel offers"), "{line}");
    }
}

#[test]
fn a_wall_that_is_required_and_not_whole_lets_nothing_start() {
    let ground = simple().config("[server]\nwall = \"required\"\n");
    if Standing::offered().unwrap().is_whole() {
        assert!(
            Noted::start(ground.path(), &["--listen", "127.0.0.1:0"])
                .line
                .starts_with("A second wall stands, of")
        );
    } else {
        let output = run(ground.path(), &["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(output.status.code(), Some(5));
        assert!(
            String::from_utf8_lossy(&output.stderr)
                .contains("server.wall is \"required\", and the kernel offers")
        );
    }
}
