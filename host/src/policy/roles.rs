//! What a principal may do: three roles, each by itself.

use std::fmt;
use std::str::FromStr;

/// One role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Calls tools.
    Caller,
    /// Decides about the tenant's calls.
    Approver,
    /// Sees all tenants' calls and what decided about them, and changes what is served.
    Operator,
}

/// What a principal may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles {
    /// Call tools.
    pub caller: bool,
    /// Decide about the tenant's calls.
    pub approver: bool,
    /// See all tenants' calls and what decided about them, and change what is served.
    pub operator: bool,
}

/// Why a text is no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a role is caller, approver or operator")]
pub struct RoleError;

impl Role {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Caller, Self::Approver, Self::Operator];

    /// The role in one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Approver => "approver",
            Self::Operator => "operator",
        }
    }
}

impl Roles {
    /// No role.
    pub const NONE: Self = Self { caller: false, approver: false, operator: false };

    /// Whether a role is among them.
    #[must_use]
    pub const fn has(self, role: Role) -> bool {
        match role {
            Role::Caller => self.caller,
            Role::Approver => self.approver,
            Role::Operator => self.operator,
        }
    }

    /// These and one more.
    #[must_use]
    pub const fn with(mut self, role: Role) -> Self {
        match role {
            Role::Caller => self.caller = true,
            Role::Approver => self.approver = true,
            Role::Operator => self.operator = true,
        }
        self
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.has(*role))
    }
}

impl FromIterator<Role> for Roles {
    fn from_iter<I: IntoIterator<Item = Role>>(roles: I) -> Self {
        roles.into_iter().fold(Self::NONE, Self::with)
    }
}

impl FromStr for Role {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, RoleError> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(RoleError)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Roles {
    /// Their words, with a space between two.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Role::as_str).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Roles {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, RoleError> {
        text.split(' ').filter(|word| !word.is_empty()).map(str::parse::<Role>).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_as_they_are_shown() {
        for text in ["", "caller", "approver operator", "caller approver operator"] {
            assert_eq!(text.parse::<Roles>().unwrap().to_string(), text);
        }
        assert_eq!("callers".parse::<Roles>(), Err(RoleError));
        let both: Roles = [Role::Operator, Role::Caller].into_iter().collect();
        assert!(both.has(Role::Caller) && both.has(Role::Operator) && !both.has(Role::Approver));
    }
}
