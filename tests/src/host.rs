//! A host for one test: its own folder, its own components, in this process or as a process of its own.

use std::path::{Path, PathBuf};

use toolhost::executor::Host;
use toolhost::gate::{Call, Caller, Surface};
use toolhost::id::TenantId;
use toolhost::spec::Outcome;

use crate::postgres;

/// A folder with a configuration and components.
#[derive(Debug)]
pub struct Ground {
    folder: tempfile::TempDir,
}

impl Default for Ground {
    fn default() -> Self {
        Self::new()
    }
}

impl Ground {
    /// An empty folder with `tools/`.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("tools")).expect("a folder");
        Self { folder }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes `host.toml`. Where `TOOLHOST_TEST_POSTGRES` names a server, the store is in a database there.
    #[must_use]
    pub fn config(self, text: &str) -> Self {
        let store = postgres::database(self.path()).map(|url| format!("\n[store]\nurl = \"{url}\"\n"));
        self.plain_config(&format!("{text}{}", store.unwrap_or_default()))
    }

    /// Writes `host.toml` as it stands.
    #[must_use]
    pub fn plain_config(self, text: &str) -> Self {
        std::fs::write(self.path().join("host.toml"), text).expect("a file");
        self
    }

    /// A further folder, as of another machine: with the same configuration, components and `effects/`, on the same
    /// store, and with a cache of its own.
    ///
    /// # Panics
    /// If this one has no configuration yet.
    #[must_use]
    pub fn another(&self) -> Self {
        let other = Self::new();
        let text = std::fs::read_to_string(self.path().join("host.toml")).expect("a configuration");
        let mut text = text.replace("\"effects\"", &format!("{:?}", self.path().join("effects")));
        if !text.contains("[store]") {
            let file = self.path().join(".toolhost/toolhost.db");
            text.push_str(&format!("\n[store]\nurl = \"sqlite:{}\"\n", file.display()));
        }
        std::fs::write(other.path().join("host.toml"), text).expect("a file");
        for tool in std::fs::read_dir(self.path().join("tools")).expect("a folder").flatten() {
            std::fs::copy(tool.path(), other.path().join("tools").join(tool.file_name())).expect("a copy");
        }
        other
    }

    /// Puts a component into `tools/`.
    #[must_use]
    pub fn component(self, name: &str, bytes: &[u8]) -> Self {
        std::fs::write(self.path().join("tools").join(format!("{name}.wasm")), bytes).expect("a file");
        self
    }

    /// Puts sample tools into `tools/`, as `just test` built them.
    #[must_use]
    pub fn samples(self, names: &[&str]) -> Self {
        for name in names {
            let built = repository().join("target-guests/components").join(format!("{name}.wasm"));
            let to = self.path().join("tools").join(format!("{name}.wasm"));
            std::fs::copy(&built, to).unwrap_or_else(|fault| {
                panic!("{} is missing ({fault}); `just test-components` builds it", built.display())
            });
        }
        self
    }

    /// Starts a host in this process.
    pub async fn start(&self) -> Host {
        let settings = toolhost::config::load(None, self.path()).expect("the configuration is sound");
        Host::start(settings, &program()).await.expect("the host starts")
    }

    /// The same on a network of the test's own.
    pub async fn start_on(&self, network: std::sync::Arc<dyn toolhost::sandbox::Network>) -> Host {
        let settings = toolhost::config::load(None, self.path()).expect("the configuration is sound");
        Host::start_on(settings, &program(), network).await.expect("the host starts")
    }
}

/// A caller of a tenant that the host knows.
pub fn caller(host: &Host, tenant: &str) -> Caller {
    let id: TenantId = tenant.parse().expect("a tenant id");
    let tenant = host.tenant(&id).unwrap_or_else(|| panic!("there is no tenant {id}"));
    Caller { tenant, user: None, surface: Surface::Cli }
}

/// One call of the local tenant.
pub async fn call(host: &Host, tool: &str, arguments: impl Into<Vec<u8>>) -> Outcome {
    host.execute(Call::new(caller(host, "local"), tool, arguments)).await
}

/// The text of an outcome, as a model reads it.
pub fn text(outcome: &Outcome) -> String {
    match &outcome.result {
        Ok(success) => success
            .content
            .iter()
            .map(|block| match block {
                toolhost::spec::Content::Text(text) => text.as_str(),
                _ => "[a block that is no text]",
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Err(failure) => failure.text(),
    }
}

/// The `host` program, which stands beside the folder of the test program.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let folder = test.parent().and_then(Path::parent).expect("target/debug");
    let program = folder.join("host");
    assert!(program.is_file(), "{} is missing; `cargo build --bins` makes it", program.display());
    program
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
