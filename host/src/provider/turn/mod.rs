//! One reply of a model: the calls that it asks for, and their results for the next request, in a provider's own form.
//!
//! A reply is hostile, as everything from outside. What is not a call is left to the caller, a call that is wrong is for
//! the gates to refuse, and each call has one result, in the order of the reply. A reply that was cut off runs nothing: its
//! last call may lack half of its arguments, and what comes before may rest on what was to follow.

mod content;
mod read;
mod results;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::catalogue::{Catalogue, Wanted};
use super::format::Format;
use crate::gate::{Call, Caller};
use crate::policy::Pattern;
use crate::spec::Outcome;

/// Why a text is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TurnFault {
    /// It does not have the provider's form.
    #[error("the reply cannot be read as one of {format}: {reason}")]
    Unreadable {
        /// The form.
        format: Format,
        /// What is wrong with it.
        reason: String,
    },
    /// MCP has no replies of models.
    #[error("mcp is no form of a model's reply; its calls are requests of their own, to /mcp")]
    NoReplies,
}

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What the call is known by: the provider's id if there is one, else one that no other call of the reply has.
    pub id: String,
    /// The provider gave no id, or an empty one.
    pub is_id_made: bool,
    /// The tool, as the model named it.
    pub tool: String,
    /// The arguments as JSON text, with every digit that the model wrote; what the form made of names and of absent
    /// properties is taken back.
    pub arguments: String,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    format: Format,
    /// The narrower list that the model was shown.
    allow: Option<Vec<Pattern>>,
    /// The calls in the order of the reply.
    pub asked: Vec<Asked>,
    /// Why none of the calls may run: in the provider's words, why the reply ended before it was complete.
    pub cut_off: Option<String>,
}

impl Turn {
    pub(super) fn read(catalogue: &Catalogue, wanted: &Wanted<'_>, reply: &[u8]) -> Result<Self, TurnFault> {
        let read::Reply { calls, cut_off } = read::reply(wanted.format, reply)?;
        let mut ids: Vec<&str> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
        ids.sort_unstable();
        let mut asked = Vec::with_capacity(calls.len());
        let mut n_made = 0_usize;
        for call in &calls {
            let given = call.id.clone().filter(|id| !id.is_empty());
            let id = given.clone().unwrap_or_else(|| {
                let mut made = String::new();
                while made.is_empty() || ids.binary_search(&made.as_str()).is_ok() {
                    n_made += 1;
                    made = format!("call_{n_made}");
                }
                made
            });
            let arguments = match catalogue.plan(wanted, &call.name) {
                Some(plan) => read::back(plan, &call.arguments),
                None => call.arguments.clone(),
            };
            asked.push(Asked { id, is_id_made: given.is_none(), tool: call.name.clone(), arguments });
        }
        let allow = wanted.narrowed.map(<[Pattern]>::to_vec);
        Ok(Self { format: wanted.format, allow, asked, cut_off })
    }

    /// The calls to make, one for each that was asked for; none if the reply was cut off. The list that narrowed what the
    /// model was shown narrows them too.
    #[must_use]
    pub fn calls(&self, caller: &Caller) -> Vec<Call> {
        if self.cut_off.is_some() {
            return Vec::new();
        }
        let call = |asked: &Asked| Call {
            allow: self.allow.clone(),
            ..Call::new(caller.clone(), asked.tool.clone(), asked.arguments.clone())
        };
        self.asked.iter().map(call).collect()
    }

    /// The results as the provider takes them, to be added to the next request behind the reply: items of `input` for
    /// OpenAI's Responses, messages for the others, `contents` for Gemini. One result for each call, in the order of the
    /// calls, whose outcomes are given in that order. If the reply was cut off, each says that nothing ran, and outcomes are not
    /// looked at. Without calls there is nothing to add.
    #[must_use]
    pub fn results(&self, outcomes: &[Outcome]) -> Vec<Value> {
        results::results(self.format, self, outcomes)
    }
}
