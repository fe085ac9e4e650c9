//! What the tests share: hostile components, a host for one test, and the surfaces as a client sees them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on says so"
)]

pub mod corpus;
pub mod guest;
pub mod host;
pub mod peer;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod wire;

/// Waits until something is so. What never becomes so fails the test that waits for it.
pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patience = Patience::new(what);
    while !is_so() {
        patience.wait().await;
    }
}

/// How long a test waits for something.
#[derive(Debug)]
pub struct Patience<'a> {
    what: &'a str,
    began: std::time::Instant,
}

impl<'a> Patience<'a> {
    /// Begins to wait.
    pub fn new(what: &'a str) -> Self {
        Self { what, began: std::time::Instant::now() }
    }

    /// Waits for a moment.
    ///
    /// # Panics
    /// If it has taken over a minute.
    pub async fn wait(&self) {
        assert!(
            self.began.elapsed() < std::time::Duration::from_secs(60),
            "it never came to that: {}",
            self.what
        );
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

/// How often a round is repeated: a few times in `just test`, many in `just soak`.
pub fn rounds(few: usize, many: usize) -> usize {
    if std::env::var_os("TOOLHOST_SOAK").is_some() { many } else { few }
}
