//! All settings of a host, resolved: every default filled in, every value checked, nothing left to look up.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::id::{Digest, TenantId};
use crate::policy::{Disclosure, Grants, Limits, Pools, Retry, Tenant, ToolOverride, Wider};
use crate::store::{DatabaseUrl, StoreSettings};
use crate::wall::Demand;

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
    /// How often a call that is to happen at least once may be started, if it is lost.
    pub runs: u32,
    /// Where components come from, in the order of the file.
    pub components: Vec<ComponentSettings>,
    /// The tenants, by id. Without any in the file there is one, `local`.
    pub tenants: BTreeMap<TenantId, Tenant>,
    /// The file that these settings come from; none if there was no file.
    pub file: Option<PathBuf>,
}

/// Why an address cannot be listened on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{address} can be reached from other machines, and the tenant {tenant:?} has no keys, so that anybody could act \
     in its name; give every tenant keys, or listen on 127.0.0.1"
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
            },
            store: StoreSettings {
                database: DatabaseUrl::Sqlite(folder.join(".toolhost/toolhost.db")),
                artefacts: folder.join(".toolhost/artefacts"),
                trace_retention: Duration::from_secs(7 * 86_400),
                approval_lifetime: Duration::from_secs(86_400),
            },
            limits: Limits::default(),
            pools: Pools::default(),
            retry: Retry::default(),
            runs: 3,
            components: vec![ComponentSettings {
                path: folder.join("tools/*.wasm"),
                digest: None,
                prefix: None,
                grants: Grants::default(),
                config: BTreeMap::new(),
                trust_annotations: true,
                tools: BTreeMap::new(),
            }],
            tenants: "local"
                .parse()
                .into_iter()
                .map(|id: TenantId| (id.clone(), Tenant::local(id)))
                .collect(),
            file: None,
        }
    }

    /// What is in force for every tool unless its own settings say otherwise.
    #[must_use]
    pub fn wider(&self) -> Wider<'_> {
        Wider { limits: self.limits, pools: &self.pools, retry: self.retry, runs: self.runs }
    }

    /// Whether an address may be listened on: a loopback address always, any other only if every tenant is
    /// authenticated by keys.
    ///
    /// # Errors
    /// [`ListenError`] names the first tenant without keys.
    pub fn may_listen(&self, address: SocketAddr) -> Result<(), ListenError> {
        if address.ip().to_canonical().is_loopback() {
            return Ok(());
        }
        match self.tenants.values().find(|tenant| tenant.keys.is_empty()) {
            Some(tenant) => Err(ListenError { address, tenant: tenant.id.clone() }),
            None => Ok(()),
        }
    }
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
}

/// Where one component, or a folder of them, comes from, and what it is given.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentSettings {
    /// A file, or a folder with a file-name pattern in which `*` stands for any characters. A component that an
    /// entry without a star names is not taken from a folder's entry too.
    pub path: PathBuf,
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
    /// What the operator says about single tools, by the name that the component gives.
    pub tools: BTreeMap<String, ToolOverride>,
}
