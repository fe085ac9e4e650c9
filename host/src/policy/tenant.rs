//! The tenants that the operator named.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::access::{Access, Pattern};
use super::limits::Ceilings;
use super::narrowing::Narrowing;
use super::quotas::Quotas;
use super::roles::Role;
use crate::id::TenantId;

/// How much a caller learns about tools that it may not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disclosure {
    /// A forbidden tool is answered with `not_allowed`.
    #[default]
    Normal,
    /// A forbidden tool is answered exactly as a missing one.
    Strict,
}

/// One tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// The id.
    pub id: TenantId,
    /// Which tools it may see and use.
    pub access: Access,
    /// Lower limits for this tenant.
    pub ceilings: Ceilings,
    /// What all of its calls may use over time.
    pub quotas: Quotas,
    /// What of its components' grants it is left.
    pub narrowing: Narrowing,
    /// Settings for guests, over those of the component.
    pub config: Arc<BTreeMap<String, String>>,
    /// SHA-256 digests, in lower-case hexadecimal, of the keys with which this tenant is authenticated.
    pub keys: Vec<String>,
    /// The same of the keys of those who decide about its calls. They call nothing.
    pub approver_keys: Vec<String>,
    /// The same of the keys of those who see what all tenants do. They call nothing.
    pub operator_keys: Vec<String>,
    /// Whether a caller may approve its own calls.
    pub self_approve: bool,
    /// How much of a crowded pool it gets, against others.
    pub weight: u32,
}

impl Tenant {
    /// The digests of its keys, with the role that each gives.
    #[must_use]
    pub fn keys_by_role(&self) -> [(Role, &[String]); 3] {
        [
            (Role::Caller, &self.keys),
            (Role::Approver, &self.approver_keys),
            (Role::Operator, &self.operator_keys),
        ]
    }

    /// The same tenant, for a caller whose key or token leaves it these tools alone.
    #[must_use]
    pub fn narrowed_to(&self, list: Vec<Pattern>) -> Self {
        Self { access: self.access.clone().narrowed_to(list), ..self.clone() }
    }

    /// A tenant that may use every tool and approve its own calls, as in the local mode.
    #[must_use]
    pub fn local(id: TenantId) -> Self {
        Self {
            id,
            access: Access::everything(),
            ceilings: Ceilings::default(),
            quotas: Quotas::default(),
            narrowing: Narrowing::default(),
            config: Arc::default(),
            keys: Vec::new(),
            approver_keys: Vec::new(),
            operator_keys: Vec::new(),
            self_approve: true,
            weight: 1,
        }
    }
}
