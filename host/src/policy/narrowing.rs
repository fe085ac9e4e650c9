//! What of its components' grants a tenant is left. A narrowing only takes away: what is in force is what the component
//! was granted and the tenant is left.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::egress::{self, Destination, HttpRule};
use super::grants::{DirectoryGrant, DirectoryPower, Grants, SecretGrant};
use crate::id::SecretName;

/// What a tenant is left. The default leaves everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrowing {
    /// Components keep their stores of keys and values.
    pub kv: bool,
    /// Components may call other tools.
    pub invoke: bool,
    /// Components may write to the directories that they may write to.
    pub writable: bool,
    /// The guest paths of the directories that are left; all if nothing stands here.
    pub directories: Option<BTreeSet<String>>,
    /// Where requests may go, at most; as granted if nothing stands here.
    pub http: Option<Vec<HttpRule>>,
    /// The secrets that are left; all if nothing stands here.
    pub secrets: Option<BTreeSet<SecretName>>,
}

impl Default for Narrowing {
    fn default() -> Self {
        Self { kv: true, invoke: true, writable: true, directories: None, http: None, secrets: None }
    }
}

/// What is in force for one component and one tenant.
#[derive(Debug, Clone, Copy)]
pub struct Granted<'a> {
    grants: &'a Grants,
    narrowing: &'a Narrowing,
}

impl<'a> Granted<'a> {
    /// What a component was granted, as far as the tenant is left it.
    #[must_use]
    pub const fn new(grants: &'a Grants, narrowing: &'a Narrowing) -> Self {
        Self { grants, narrowing }
    }

    /// A store of keys and values.
    #[must_use]
    pub const fn kv(self) -> bool {
        self.grants.kv && self.narrowing.kv
    }

    /// Calls to other tools.
    #[must_use]
    pub const fn invoke(self) -> bool {
        self.grants.invoke && self.narrowing.invoke
    }

    /// Whether there is any directory.
    #[must_use]
    pub fn has_directories(self) -> bool {
        self.grants.directories.iter().any(|grant| self.leaves(grant))
    }

    /// The directories, each with the power that is left.
    pub fn directories(self) -> impl Iterator<Item = DirectoryGrant> {
        let left = self.grants.directories.iter().filter(move |grant| self.leaves(grant));
        left.map(move |grant| match self.narrowing.writable {
            true => grant.clone(),
            false => DirectoryGrant { power: DirectoryPower::ReadOnly, ..grant.clone() },
        })
    }

    fn leaves(self, grant: &DirectoryGrant) -> bool {
        self.narrowing.directories.as_ref().is_none_or(|left| left.contains(&grant.guest))
    }

    /// Whether any request can be sent.
    #[must_use]
    pub fn has_http(self) -> bool {
        !self.grants.http.is_empty() && self.narrowing.http.as_ref().is_none_or(|left| !left.is_empty())
    }

    /// Whether requests may go to a destination.
    #[must_use]
    pub fn admits(self, to: &Destination) -> bool {
        egress::admits(&self.grants.http, to)
            && self.narrowing.http.as_ref().is_none_or(|left| egress::admits(left, to))
    }

    /// Why an address must not be dialled for a destination, if it must not.
    #[must_use]
    pub fn refusal(self, to: &Destination, address: IpAddr) -> Option<&'static str> {
        egress::refusal(&self.grants.http, to, address)
    }

    /// The secrets that may be sent.
    pub fn secrets(self) -> impl Iterator<Item = &'a SecretGrant> {
        let left = self.narrowing.secrets.as_ref();
        self.grants.secrets.iter().filter(move |grant| left.is_none_or(|left| left.contains(&grant.name)))
    }

    /// The grant of a secret.
    #[must_use]
    pub fn secret(self, name: &str) -> Option<&'a SecretGrant> {
        self.secrets().find(|grant| grant.name.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::DirectoryQuota;

    fn grants() -> Grants {
        let http: Vec<HttpRule> = vec!["https://*.example.com".parse().unwrap()];
        let secret = |name: &str| SecretGrant {
            name: name.parse().unwrap(),
            to: http[0].clone(),
            header: "authorization".into(),
        };
        let directory = |guest: &str| DirectoryGrant {
            host: "data".into(),
            guest: guest.into(),
            power: DirectoryPower::Writable(DirectoryQuota::default()),
        };
        Grants {
            kv: true,
            invoke: true,
            directories: vec![directory("/a"), directory("/b")],
            secrets: vec![secret("one"), secret("two")],
            http,
        }
    }

    fn to(host: &str) -> Destination {
        Destination::parse("https", host).unwrap()
    }

    #[test]
    fn what_is_not_narrowed_is_left() {
        let (grants, narrowing) = (grants(), Narrowing::default());
        let granted = Granted::new(&grants, &narrowing);
        assert!(granted.kv() && granted.invoke() && granted.has_http() && granted.has_directories());
        assert!(granted.admits(&to("a.example.com")) && granted.secret("one").is_some());
        assert_eq!(granted.directories().collect::<Vec<_>>(), grants.directories);
    }

    #[test]
    fn a_tenant_is_left_less_and_never_more() {
        let grants = grants();
        let narrowing = Narrowing {
            kv: false,
            invoke: false,
            writable: false,
            directories: Some(["/b".to_owned(), "/c".to_owned()].into()),
            http: Some(vec!["https://a.example.com".parse().unwrap(), "https://evil.test".parse().unwrap()]),
            secrets: Some(["two".parse().unwrap(), "three".parse().unwrap()].into()),
        };
        let granted = Granted::new(&grants, &narrowing);
        assert!(!granted.kv() && !granted.invoke());
        assert!(granted.admits(&to("a.example.com")));
        assert!(!granted.admits(&to("b.example.com")) && !granted.admits(&to("evil.test")));
        assert!(granted.secret("one").is_none() && granted.secret("three").is_none());
        assert!(granted.secret("two").is_some());
        let directories: Vec<_> = granted.directories().map(|grant| (grant.guest, grant.power)).collect();
        assert_eq!(directories, [("/b".to_owned(), DirectoryPower::ReadOnly)]);
        let everything_else =
            Narrowing { http: Some(Vec::new()), directories: Some(BTreeSet::new()), ..narrowing };
        let granted = Granted::new(&grants, &everything_else);
        assert!(!granted.has_http() && !granted.has_directories());
    }

    #[test]
    fn a_grant_of_nothing_stays_nothing() {
        let (nothing, narrowing) = (Grants::default(), Narrowing::default());
        let granted = Granted::new(&nothing, &narrowing);
        assert!(!granted.kv() && !granted.invoke() && !granted.has_http() && !granted.has_directories());
        assert!(!granted.admits(&to("a.example.com")) && granted.secret("one").is_none());
    }
}
