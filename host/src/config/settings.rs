//! All settings of a host, resolved: every default filled in, every value checked, nothing left to look up.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::id::{Digest, TenantId};
use crate::policy::{Disclosure, Grants, Limits, Pools, Tenant, ToolOverride};
use crate::store::StoreSettings;

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
    /// Where components come from, in the order of the file.
    pub components: Vec<ComponentSettings>,
    /// The tenants, by id. Without any in the file there is one, `local`.
    pub tenants: BTreeMap<TenantId, Tenant>,
    /// The file that these settings come from; none if there was no file.
    pub file: Option<PathBuf>,
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
