//! Ten thousand names that a component may give its tools: which are taken, and what becomes of two that are equal.

use std::collections::HashSet;

use toolhost::id::ToolName;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, call, text};

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }
}

/// A name of letters that are mostly allowed, or of any.
fn name(dice: &mut Dice) -> String {
    const SOUND: &str = "abcxyzABCXYZ_0189-";
    const ODD: &[&str] = &[
        ".",
        "/",
        " ",
        "::",
        "é",
        "ａ",
        "а",
        "\u{0}",
        "\n",
        "\u{202e}",
        "\u{e0061}",
        "😀",
        "İ",
        "ß",
        "\"",
        "'",
        "%41",
        "$",
        "*",
    ];
    let length = match dice.throw(20) {
        0 => 0,
        1 => 47 + dice.throw(4),
        2 => 60 + dice.throw(10_000),
        _ => 1 + dice.throw(20),
    };
    let odd = dice.throw(3) == 0;
    (0..length)
        .map(|_| {
            if odd && dice.throw(8) == 0 {
                ODD[dice.throw(ODD.len())].to_owned()
            } else {
                SOUND.chars().nth(dice.throw(SOUND.len())).unwrap().to_string()
            }
        })
        .collect()
}

/// What the contract says: `[A-Za-z_][A-Za-z0-9_-]{0,47}`.
fn is_sound(name: &str) -> bool {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    begins && name.len() <= 48 && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[test]
fn ten_thousand_names_are_taken_or_refused_by_the_rule() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..toolhost_tests::rounds(10_000, 1_000_000) {
        let name = name(&mut dice);
        match name.parse::<ToolName>() {
            Ok(parsed) => {
                assert!(is_sound(&name), "{name:?} is taken");
                assert_eq!(parsed.as_str(), name, "it is kept as it was");
                taken += 1;
            }
            Err(fault) => {
                assert!(!is_sound(&name), "{name:?} is refused");
                let said = fault.to_string();
                assert!(said.len() < 1_200 && !said.chars().any(char::is_control), "{said:?}");
                refused += 1;
            }
        }
    }
    assert!(taken > 2_000 && refused > 2_000, "{taken} and {refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_equal_names_one_is_kept_both_files_are_named_and_a_prefix_keeps_both() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut names = HashSet::new();
    while names.len() < 100 {
        let name = name(&mut dice);
        // With the prefix it has 48 letters at most.
        if is_sound(&name) && name.len() <= 40 {
            names.insert(name);
        }
    }
    let tools: Vec<GuestTool> = names.iter().map(|name| GuestTool::new(name)).collect();
    let (first, second) =
        (Guest::of(tools.clone(), &Guest::text(1024, 1)), Guest::of(tools, &Guest::text(1024, 2)));
    let ground = Ground::new().component("one", &first.build()).component("two", &second.build());
    let host = ground.start().await;
    let report = host.load_report();
    assert_eq!((report.refused.len(), report.loaded[1].tools.len()), (names.len(), 0));
    for refused in &report.refused {
        assert!(refused.reason.contains("one.wasm") && refused.reason.contains("two.wasm"), "{refused:?}");
        assert!(names.iter().any(|name| refused.reason.contains(name.as_str())), "{refused:?}");
    }
    drop(host);
    let both = "[[component]]\npath = \"tools/one.wasm\"\n[[component]]\npath = \"tools/two.wasm\"\nprefix = \"two_\"\n";
    let ground = ground.plain_config(both);
    let host = ground.start().await;
    let report = host.load_report();
    let served: HashSet<String> =
        report.loaded.iter().flat_map(|loaded| &loaded.tools).map(ToString::to_string).collect();
    // Unless a name is another's with the prefix, which would be refused, none is lost.
    assert_eq!(served.len() + report.refused.len(), 2 * names.len(), "{report:?}");
    for name in &names {
        let (one, two) = (call(&host, name, "{}").await, call(&host, &format!("two_{name}"), "{}").await);
        assert_eq!((text(&one).len(), text(&two).len()), (1, 2), "{name}");
    }
}
