//! What one approval is good for.

use sha2::{Digest as _, Sha256};

use crate::id::{Digest, TenantId, ToolName, UserId, hex};

/// Everything that decides what an approved call would do. If any of it differs, it is another question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Whose call it is.
    pub tenant: TenantId,
    /// The person or program behind it.
    pub user: Option<UserId>,
    /// The tool.
    pub tool: ToolName,
    /// The component's code.
    pub digest: Digest,
    /// The hash of the canonical arguments.
    pub arguments_digest: String,
    /// The hash of the policy that is in force for this tenant and tool.
    pub policy_hash: String,
}

impl Binding {
    /// One hash over all parts. Each is preceded by its length, so that no two bindings run together.
    #[must_use]
    pub fn hash(&self) -> String {
        let user = self.user.as_ref().map(UserId::as_str);
        let digest = self.digest.hex();
        let mut hash = Sha256::new();
        hash.update([u8::from(user.is_some())]);
        for part in [
            self.tenant.as_str(),
            user.unwrap_or_default(),
            self.tool.as_str(),
            &digest,
            &self.arguments_digest,
            &self.policy_hash,
        ] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}
