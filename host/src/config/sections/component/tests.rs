use std::path::Path;

use crate::config::parse;
use crate::policy::{DirectoryPower, DirectoryQuota};

/// What a grant with some keys says of its directory's power.
fn power(keys: &str) -> Result<DirectoryPower, String> {
    let text = format!(
        "[[component]]\npath = \"a\"\n\
         grants = {{ directories = [{{ host = \"files/{{tenant}}\", guest = \"/f\", {keys} }}] }}"
    );
    match parse(&text, Path::new("/somewhere/host.toml")) {
        Ok(settings) => Ok(settings.components[0].grants.directories[0].power),
        Err(fault) => Err(format!("{}; {}", fault.message, fault.help.unwrap_or_default())),
    }
}

#[test]
fn a_writable_directory_has_a_quota_whether_it_is_named_or_not() {
    let writable = |bytes, files| Ok(DirectoryPower::Writable(DirectoryQuota { bytes, files }));
    assert_eq!(power(r#"access = "writable""#), writable(64 << 20, 1_000));
    assert_eq!(power(r#"access = "writable", max_bytes = "1KiB""#), writable(1 << 10, 1_000));
    assert_eq!(power(r#"access = "writable", max_files = 3"#), writable(64 << 20, 3));
    assert_eq!(power(r#"access = "writable", max_files = 100_000, max_bytes = 7"#), writable(7, 100_000));
    assert_eq!(power(r#"access = "read_only""#), Ok(DirectoryPower::ReadOnly));
}

#[test]
fn a_quota_that_cannot_be_kept_is_refused() {
    for (keys, message) in [
        (r#"access = "read_only", max_bytes = 1"#, "max_bytes is about what a tool may write"),
        (r#"access = "read_only", max_files = 1"#, "max_files is about what a tool may write"),
        (r#"access = "writable", max_bytes = "1025GiB""#, "may be at most 1024GiB"),
        (r#"access = "writable", max_bytes = 0"#, "must not be zero"),
        (r#"access = "writable", max_files = 100_001"#, "may be at most 100000"),
        (r#"access = "writable", max_files = 0"#, "must not be zero"),
        (r#"access = "writable", max_files = "3""#, "must be a whole number"),
        (r#"access = "writable", max_inodes = 3"#, "no key \"max_inodes\""),
    ] {
        let fault = power(keys).unwrap_err();
        assert!(fault.contains(message), "{keys}: {fault}");
    }
}

#[test]
fn the_figures_of_the_default_file_are_the_defaults() {
    let quota = crate::config::DEFAULT_CONFIG.lines().find_map(|line| line.split_once("\"writable\", "));
    let (_, rest) = quota.expect("the default file shows a writable directory");
    let keys = rest.split('}').next().unwrap_or_default();
    assert_eq!(
        power(&format!("access = \"writable\", {keys}")),
        Ok(DirectoryPower::Writable(DirectoryQuota::default()))
    );
}
