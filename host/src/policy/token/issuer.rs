//! An issuer that the operator trusts, and where its tokens say what.

use std::collections::BTreeMap;
use std::time::Duration;

use jsonwebtoken::Algorithm;
use serde_json::{Map, Value};

use super::keys::KeySource;
use super::verify::TokenFault;
use crate::id::{TenantId, UserId};
use crate::policy::{Pattern, Role, Roles};

/// Words and patterns of one claim.
const MOST_WORDS: usize = 256;

/// Whose tokens are taken, and what they mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer {
    /// Its name, which the claim `iss` has to be.
    pub name: String,
    /// Names of this host, one of which has to be among the claim `aud`: tokens for others are not taken.
    pub audiences: Vec<String>,
    /// Where its keys are.
    pub keys: KeySource,
    /// The algorithms that its tokens may name.
    pub algorithms: Vec<Algorithm>,
    /// How far its clock may be off.
    pub leeway: Duration,
    /// Whose tenant its tokens speak for.
    pub tenant: TenantOf,
    /// The claim with the user.
    pub user_claim: String,
    /// The claim with the scopes, words in one text or in a list.
    pub scope_claim: String,
    /// The claim with patterns of the tools that a token leaves, in the same form; a token without it leaves all.
    pub allow_claim: Option<String>,
    /// The scope that gives each role.
    pub scopes: BTreeMap<&'static str, String>,
}

/// Whose tenant a token speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TenantOf {
    /// Each token for this one.
    All(TenantId),
    /// The one that this claim names.
    Claim(String),
}

/// What a token that was checked says of its bearer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// The tenant. Whether there is such a tenant is not known here.
    pub tenant: TenantId,
    /// The user, where the token names one.
    pub user: Option<UserId>,
    /// The roles that its scopes give.
    pub roles: Roles,
    /// The tools that it leaves, if it leaves less than all.
    pub allow: Option<Vec<Pattern>>,
}

impl Issuer {
    /// The scope that gives a role.
    #[must_use]
    pub fn scope(&self, role: Role) -> &str {
        self.scopes.get(role.as_str()).map_or("", String::as_str)
    }

    /// Reads claims that were checked.
    pub(super) fn proven(&self, claims: &Map<String, Value>) -> Result<Proven, TokenFault> {
        let tenant = match &self.tenant {
            TenantOf::All(tenant) => tenant.clone(),
            TenantOf::Claim(name) => {
                let text = find(claims, name).and_then(Value::as_str);
                text.and_then(|text| text.parse().ok()).ok_or_else(|| TokenFault::Claim(name.clone()))?
            }
        };
        let user = match find(claims, &self.user_claim) {
            None => None,
            Some(value) => {
                let user = value.as_str().and_then(|text| text.parse().ok());
                Some(user.ok_or_else(|| TokenFault::Claim(self.user_claim.clone()))?)
            }
        };
        let held = words(claims, &self.scope_claim)?.unwrap_or_default();
        let roles = Role::ALL.into_iter().filter(|role| held.contains(&self.scope(*role))).collect();
        let allow = match &self.allow_claim {
            None => None,
            Some(name) => words(claims, name)?
                .map(|words| words.into_iter().map(str::parse).collect::<Result<_, _>>())
                .transpose()
                .map_err(|_| TokenFault::Claim(name.clone()))?,
        };
        Ok(Proven { tenant, user, roles, allow })
    }
}

/// The value of a claim, by its name or, where it begins with a /, by its place (RFC 6901).
fn find<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let Some(place) = name.strip_prefix('/') else { return claims.get(name) };
    let (first, rest) = place.split_at(place.find('/').unwrap_or(place.len()));
    claims.get(&first.replace("~1", "/").replace("~0", "~"))?.pointer(rest)
}

/// The words of a claim, which is a text with spaces or a list of texts; none if it is not there.
fn words<'a>(claims: &'a Map<String, Value>, name: &str) -> Result<Option<Vec<&'a str>>, TokenFault> {
    let fault = || TokenFault::Claim(name.to_owned());
    let words: Vec<&str> = match find(claims, name) {
        None => return Ok(None),
        Some(Value::String(text)) => text.split(' ').filter(|word| !word.is_empty()).collect(),
        Some(Value::Array(items)) => {
            items.iter().map(Value::as_str).collect::<Option<_>>().ok_or_else(fault)?
        }
        Some(_) => return Err(fault()),
    };
    if words.len() > MOST_WORDS { Err(fault()) } else { Ok(Some(words)) }
}
