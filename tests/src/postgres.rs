//! Databases of single tests, on the server that `scripts/postgres.sh` starts. The host's own tests are built with this file
//! too.

use std::path::Path;
use std::process::Command;

/// The URL of a database of a temporary folder's own, if the tests are given a server. Asked for once more, it is the same.
pub fn database(folder: &Path) -> Option<String> {
    let server = std::env::var("TOOLHOST_TEST_POSTGRES").ok()?;
    let folder = folder.file_name().expect("a folder of its own").as_encoded_bytes();
    let name: String = folder.iter().map(|byte| format!("{byte:02x}")).collect();
    let made = Command::new("psql")
        .args([&format!("{server}/postgres"), "--quiet", "--command", &format!("CREATE DATABASE t{name}")])
        .output()
        .expect("psql is there");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success() || said.contains("already exists"), "{said}");
    Some(format!("{server}/t{name}"))
}
