//! The issuers of a server with their keys: those that are fetched are fetched at the start and again from time to time. A
//! set that was fetched counts until another is.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

use super::Refusal;
use crate::executor::Settings;
use crate::policy::{DocumentUrl, Issuer, KeySet, KeySource, Proven, TokenFault};
use crate::sandbox::{AuthorityError, Fetcher, SystemNetwork};
use crate::store::now_unix_ms;

/// The longest set of keys, in bytes.
const LONGEST_SET: usize = 256 << 10;
/// How often keys are fetched again.
const FETCH_AGAIN: Duration = Duration::from_secs(600);
/// How soon they are fetched again after that failed, and how often because a token names a key that is not there.
const FETCH_SOON: Duration = Duration::from_secs(60);

/// The issuers with their keys. A cheap handle; the last one dropped ends the fetching.
#[derive(Debug, Clone, Default)]
pub(super) struct Tokens(Arc<[Trusted]>);

#[derive(Debug)]
struct Trusted {
    issuer: Issuer,
    keys: Arc<Held>,
    fetching: Option<AbortHandle>,
}

impl Drop for Trusted {
    fn drop(&mut self) {
        self.fetching.iter().for_each(AbortHandle::abort);
    }
}

/// Keys, and where they are fetched.
#[derive(Debug)]
struct Held {
    keys: RwLock<Option<Arc<KeySet>>>,
    from: Option<(DocumentUrl, Fetcher)>,
    /// When a token was last the reason to fetch. Held while that is done, so that all who wait share one.
    asked: tokio::sync::Mutex<Option<Instant>>,
}

impl Tokens {
    /// The issuers of the settings. Keys that are fetched are there when this returns, unless they cannot be had; they are
    /// tried for again then.
    ///
    /// # Errors
    /// [`AuthorityError`] if a certificate authority of the settings cannot be read.
    pub(super) async fn start(settings: &Settings) -> Result<Self, AuthorityError> {
        let mut trusted = Vec::new();
        let mut first = tokio::task::JoinSet::new();
        for issuer in &settings.jwt {
            let (keys, from) = match &issuer.keys {
                KeySource::Here { keys, .. } => (Some(Arc::new(keys.clone())), None),
                KeySource::At(url) => {
                    let network = Arc::new(SystemNetwork::default());
                    (None, Some((url.clone(), Fetcher::new(&settings.egress.authorities, network)?)))
                }
            };
            let held = Arc::new(Held { keys: RwLock::new(keys), from, asked: tokio::sync::Mutex::default() });
            if held.from.is_some() {
                let held = held.clone();
                first.spawn(async move { held.fetch().await });
            }
            trusted.push((issuer.clone(), held));
        }
        first.join_all().await;
        let trusted = trusted.into_iter().map(|(issuer, keys)| {
            let fetching = keys.from.is_some().then(|| tokio::spawn(keep(keys.clone())).abort_handle());
            Trusted { issuer, keys, fetching }
        });
        Ok(Self(trusted.collect()))
    }

    /// Checks a token. One that names a key that its issuer did not have may make it fetch the keys again, once a minute at
    /// most.
    pub(super) async fn check(&self, token: &str) -> Result<Proven, Refusal> {
        let checked = self.verify(token).await;
        checked.map_err(|fault| {
            tracing::info!(%fault, "a token is refused");
            match fault {
                Fault::Token(TokenFault::Expired) => Refusal::Expired,
                Fault::Token(TokenFault::Audience) => Refusal::WrongAudience,
                Fault::Token(_) => Refusal::Invalid,
                Fault::NoKeys => Refusal::Unavailable,
            }
        })
    }

    async fn verify(&self, token: &str) -> Result<Proven, Fault> {
        let name = Issuer::named_in(token)?;
        let Trusted { issuer, keys: held, .. } =
            self.0.iter().find(|trusted| trusted.issuer.name == name).ok_or(TokenFault::Issuer)?;
        let mut keys = held.keys();
        if keys.as_ref().is_none_or(|keys| !Issuer::has_key_of(keys, token)) {
            held.fetch_for_a_token().await;
            keys = held.keys();
        }
        let keys = keys.ok_or(Fault::NoKeys)?;
        Ok(issuer.verify(token, &keys, now_unix_ms() / 1_000)?)
    }
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Token(#[from] TokenFault),
    #[error("the keys of its issuer were never fetched")]
    NoKeys,
}

impl Held {
    fn keys(&self) -> Option<Arc<KeySet>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn fetch_for_a_token(self: &Arc<Self>) {
        if self.from.is_none() {
            return;
        }
        let mut asked = self.asked.lock().await;
        if asked.is_none_or(|asked| asked.elapsed() >= FETCH_SOON) {
            // Said before, so that whoever goes away meanwhile does not let the next one ask again.
            *asked = Some(Instant::now());
            // Whoever sent the token may go away; the keys are fetched all the same. The task ends early only with the process.
            let held = self.clone();
            drop(tokio::spawn(async move { held.fetch().await }).await);
        }
    }

    /// Fetches the keys. What was there stays if that fails. Gives whether it did not.
    async fn fetch(&self) -> bool {
        let Some((url, fetcher)) = &self.from else { return true };
        let parsed = match fetcher.get(url, LONGEST_SET).await {
            Ok(text) => KeySet::parse(&text).map_err(|fault| fault.to_string()),
            Err(fault) => Err(fault.to_string()),
        };
        match parsed {
            Ok(keys) => {
                *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(keys));
                true
            }
            Err(fault) => {
                tracing::warn!(%url, %fault, "the keys of an issuer cannot be fetched");
                false
            }
        }
    }
}

/// Fetches keys from time to time.
async fn keep(held: Arc<Held>) {
    let mut pause = if held.keys().is_some() { FETCH_AGAIN } else { FETCH_SOON };
    loop {
        tokio::time::sleep(pause).await;
        pause = if held.fetch().await { FETCH_AGAIN } else { FETCH_SOON };
    }
}
