//! All settings of a host, resolved: every default filled in, every value checked, nothing left to look up.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::id::{Digest, SecretName, TenantId};
use crate::policy::{
    Disclosure, EgressLimits, Grants, Issuer, Limits, Pools, Retry, Tenant, ToolOverride, Wider,
};
use crate::store::{DatabaseUrl, StoreSettings};
use crate::wall::Demand;

/// The tenant of the local mode.
const LOCAL: &str = "local";

/// Everything that a host is started with.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The listener and what it admits.
    pub server: ServerSettings,
    /// Where state is kept.
    pub store: StoreSettings,
    /// Ceilings for every call.
    pub limits: Limits,
    /// Pools of executions.
    pub pools: Pools,
    /// How to try again after a failure that may pass.
    pub retry: Retry,
    /// What calls may use of the network, where they were granted any.
    pub egress: EgressSettings,
    /// How often a call that is to happen at least once may be started, if it is lost.
    pub runs: u32,
    /// Where components come from, in the order of the file.
    pub components: Vec<ComponentSettings>,
    /// The tenants, by id. Without any in the file there is one, `local`.
    pub tenants: BTreeMap<TenantId, Tenant>,
    /// Whose tokens prove who a caller is.
    pub jwt: Vec<Issuer>,
    /// The file that these settings come from; none if there was no file.
    pub file: Option<PathBuf>,
}

/// Why an address cannot be listened on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{address} can be reached from other machines, and the tenant {tenant:?} has no keys, so that anybody could act \
     in its name; give every tenant keys, ask everybody for proof with server.authentication = \"required\", or listen on \
     127.0.0.1"
)]
pub struct ListenError {
    /// The address.
    pub address: SocketAddr,
    /// The first tenant without keys.
    pub tenant: TenantId,
}

impl Settings {
    /// The settings without any file: the components of `./tools`, the tenant `local`, the store in `./.toolhost`.
    #[must_use]
    pub fn built_in(folder: &Path) -> Self {
        Self {
            server: ServerSettings {
                listen: SocketAddr::from(([127, 0, 0, 1], 7878)),
                allowed_hosts: Vec::new(),
                allowed_origins: Vec::new(),
                disclosure: Disclosure::Normal,
                wall: Demand::default(),
                authentication: Authentication::default(),
                public_url: None,
            },
            store: StoreSettings {
                database: DatabaseUrl::Sqlite(folder.join(".toolhost/toolhost.db")),
                artefacts: folder.join(".toolhost/artefacts"),
                trace_retention: Duration::from_secs(7 * 86_400),
                approval_lifetime: Duration::from_secs(86_400),
                secrets: Vec::new(),
                secrets_key: None,
            },
            limits: Limits::default(),
            pools: Pools::default(),
            retry: Retry::default(),
            egress: EgressSettings::default(),
            runs: 3,
            components: vec![ComponentSettings {
                origin: Origin::Files(folder.join("tools/*.wasm")),
                digest: None,
                prefix: None,
                grants: Grants::default(),
                config: BTreeMap::new(),
                trust_annotations: true,
                on_change: OnChange::Accept,
                tools: BTreeMap::new(),
            }],
            tenants: LOCAL.parse().into_iter().map(|id: TenantId| (id.clone(), Tenant::local(id))).collect(),
            jwt: Vec::new(),
            file: None,
        }
    }

    /// What is in force for every tool unless its own settings say otherwise.
    #[must_use]
    pub fn wider(&self) -> Wider<'_> {
        Wider { limits: self.limits, pools: &self.pools, retry: self.retry, runs: self.runs }
    }

    /// The tenant of a caller on the host's own machine that shows no key: `local`, or the only one there is.
    #[must_use]
    pub fn keyless(&self) -> Option<&TenantId> {
        let local = self.tenants.keys().find(|id| id.as_str() == LOCAL);
        local.or_else(|| self.tenants.keys().next().filter(|_| self.tenants.len() == 1))
    }

    /// The entry that a component's file belongs to: the one that names it, else the first whose pattern it fits.
    #[must_use]
    pub fn component_of(&self, file: &Path) -> Option<&ComponentSettings> {
        let files = || self.components.iter().filter_map(|it| Some((it.origin.files()?, it)));
        let named = files().find(|(path, _)| same_place(path, file));
        named.or_else(|| files().find(|(path, _)| fits(path, file))).map(|(_, component)| component)
    }

    /// The entry that an uploaded component belongs to: the one that names it, else the first whose pattern it fits.
    #[must_use]
    pub fn uploaded(&self, name: &str) -> Option<&ComponentSettings> {
        let uploaded = || self.components.iter().filter_map(|it| Some((it.origin.uploaded()?, it)));
        let named = uploaded().find(|(pattern, _)| *pattern == name);
        named
            .or_else(|| uploaded().find(|(pattern, _)| name_fits(pattern, name)))
            .map(|(_, component)| component)
    }

    /// The names of all secrets.
    #[must_use]
    pub fn secret_names(&self) -> BTreeSet<SecretName> {
        self.store.secrets.iter().map(|secret| secret.name.clone()).collect()
    }

    /// Whether these settings make a host ask its callers who they are.
    #[must_use]
    pub fn asks_for_proof(&self) -> bool {
        let has_keys = |tenant: &Tenant| tenant.keys_by_role().iter().any(|(_, keys)| !keys.is_empty());
        self.must_authenticate() || self.tenants.values().any(has_keys)
    }

    /// Whether everybody is asked, whatever keys there are.
    fn must_authenticate(&self) -> bool {
        self.server.authentication == Authentication::Required || !self.jwt.is_empty()
    }

    /// Whether an address may be listened on: a loopback address always, any other only if everybody is asked for proof or
    /// every tenant has keys here.
    ///
    /// # Errors
    /// [`ListenError`] names the first tenant without keys.
    pub fn may_listen(&self, address: SocketAddr) -> Result<(), ListenError> {
        if address.ip().to_canonical().is_loopback() || self.must_authenticate() {
            return Ok(());
        }
        match self.tenants.values().find(|tenant| tenant.keys.is_empty()) {
            Some(tenant) => Err(ListenError { address, tenant: tenant.id.clone() }),
            None => Ok(()),
        }
    }
}

/// Whether a path stands for all files of a folder whose names fit.
pub(crate) fn is_pattern(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains('*'))
}

/// The folder that a path lies in.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether two paths lead to one file, as far as that can be told.
fn same_place(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Whether a file lies where the pattern says, under a name that fits.
fn fits(pattern: &Path, file: &Path) -> bool {
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name_fits(&name(pattern), &name(file)) && same_place(folder(pattern), folder(file))
}

/// Whether a file's name fits a pattern with at most one star, which stands for any characters.
pub(super) fn name_fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
    }
}

/// Who is asked for proof of who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Authentication {
    /// Everybody, as soon as there is anything that could be proof; nobody before.
    #[default]
    Automatic,
    /// Everybody, also while nobody could have any.
    Required,
}

/// The listener and what it admits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Values of the `Host` header that are admitted, with or without a port, beside those of the address itself.
    pub allowed_hosts: Vec<String>,
    /// Values of the `Origin` header that are admitted, beside those of the address itself.
    pub allowed_origins: Vec<String>,
    /// How much a caller learns about tools that it may not use.
    pub disclosure: Disclosure,
    /// How much of a second wall stands around the process that serves.
    pub wall: Demand,
    /// Who is asked for proof of who it is.
    pub authentication: Authentication,
    /// Where clients reach it, as scheme and host, without a / at its end; where it listens, if nothing stands here.
    pub public_url: Option<String>,
}

/// How calls reach the network.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EgressSettings {
    /// What one call may use.
    pub limits: EgressLimits,
    /// Certificate authorities that are trusted beside the public ones: files in PEM (RFC 7468).
    pub authorities: Vec<Vec<u8>>,
    /// Their files, which are read again with the configuration.
    pub files: Vec<PathBuf>,
}

/// Where the components of an entry come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A file, or a folder with a file-name pattern in which `*` stands for any characters. A component that an
    /// entry without a star names is not taken from a folder's entry too.
    Files(PathBuf),
    /// Uploaded ones of that name, or of any that fits a pattern with one `*`. A name without a star goes before patterns.
    Uploaded(String),
}

impl Origin {
    /// The file or the pattern of files, if that is what it is.
    #[must_use]
    pub fn files(&self) -> Option<&Path> {
        if let Self::Files(path) = self { Some(path) } else { None }
    }

    /// The name or the pattern of names of uploaded components, if that is what it is.
    #[must_use]
    pub fn uploaded(&self) -> Option<&str> {
        if let Self::Uploaded(pattern) = self { Some(pattern) } else { None }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Files(path) => path.display().fmt(f),
            Self::Uploaded(pattern) => write!(f, "uploaded:{pattern}"),
        }
    }
}

/// What becomes of a component that is not as it was accepted last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnChange {
    /// It is not served until an operator accepts it.
    #[default]
    Quarantine,
    /// It is accepted, and that is recorded.
    Accept,
}

/// Where components come from, and what they are given.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentSettings {
    /// Where they come from.
    pub origin: Origin,
    /// The component's bytes must have this digest.
    pub digest: Option<Digest>,
    /// Put before each tool's name.
    pub prefix: Option<String>,
    /// What the component is given.
    pub grants: Grants,
    /// Settings that the guest may read.
    pub config: BTreeMap<String, String>,
    /// The component's word about itself counts.
    pub trust_annotations: bool,
    /// What becomes of one that changed.
    pub on_change: OnChange,
    /// What the operator says about single tools, by the name that the component gives.
    pub tools: BTreeMap<String, ToolOverride>,
}
