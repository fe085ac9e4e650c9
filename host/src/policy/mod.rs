//! What the operator decided, as plain data and pure decisions. Empty means deny: no grant, no power.
//!
//! A component's word about itself can only make a rule stricter; [`ToolPolicy::effective`] is where the two meet.

mod access;
mod egress;
mod grants;
mod limits;
mod narrowing;
mod pools;
mod quotas;
mod redact;
mod retry;
mod roles;
mod tenant;
mod token;
mod tool;

pub use access::{Access, Pattern, PatternError, Verdict};
pub use egress::{
    Destination, DestinationError, EgressLimits, Host, HostError, HttpRule, Networks, RuleError, Scheme,
    TargetError, admits, refusal, target, unreachable,
};
pub use grants::{DirectoryGrant, DirectoryPower, DirectoryQuota, FRAMING, GrantError, Grants, SecretGrant};
pub use limits::{Ceilings, Limits};
pub use narrowing::{Granted, Narrowing};
pub use pools::{MOST_NESTED, PoolSettings, Pools};
pub use quotas::Quotas;
pub use redact::{Place, PlaceError, Redaction};
pub use retry::Retry;
pub use roles::{Role, RoleError, Roles};
pub use tenant::{Disclosure, Tenant};
pub use token::{
    ALGORITHMS, Algorithm, DocumentUrl, Issuer, KeySet, KeySetError, KeySource, Proven, TenantOf, TokenFault,
    UrlFault,
};
pub use tool::{ToolOverride, ToolPolicy, Wider};
