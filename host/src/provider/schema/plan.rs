//! The way back: from what a model sent, for the form that it was shown, to what the tool's own schema speaks of.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// What becomes of a property's `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// It cannot mean anything here, and is left for the gates to look at.
    Stray,
    /// It says that the property is not given, since the form has no other way to say so.
    Absent,
    /// It is a value of the property.
    Meant,
}

/// What becomes of a value and its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::provider) struct Plan {
    members: HashMap<String, Member>,
    items: Option<Box<Plan>>,
    prefix: Vec<Plan>,
    /// Of members that the schema does not name.
    others: Option<Box<Plan>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    name: String,
    null: Null,
    plan: Plan,
}

/// Two forms of one value disagree about what `null` says, so that no way back is right for both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ambiguous {
    pub(super) property: String,
}

impl Plan {
    pub(super) fn member(&mut self, alias: &str, name: &str, null: Null, plan: Self) {
        self.members.insert(alias.to_owned(), Member { name: name.to_owned(), null, plan });
    }

    pub(super) fn items(&mut self, plan: Self) {
        self.items = Some(Box::new(plan));
    }

    pub(super) fn prefix(&mut self, plans: Vec<Self>) {
        self.prefix = plans;
    }

    pub(super) fn others(&mut self, plan: Self) {
        self.others = Some(Box::new(plan));
    }

    /// Adds the plan of another form that the same value may have.
    pub(super) fn join(&mut self, other: Self) -> Result<(), Ambiguous> {
        for (alias, member) in other.members {
            match self.members.get_mut(&alias) {
                None => drop(self.members.insert(alias, member)),
                Some(own) => {
                    own.null = match (own.null, member.null) {
                        (one, other) if one == other => one,
                        (Null::Stray, other) => other,
                        (one, Null::Stray) => one,
                        _ => return Err(Ambiguous { property: own.name.clone() }),
                    };
                    own.plan.join(member.plan)?;
                }
            }
        }
        join_boxed(&mut self.items, other.items)?;
        join_boxed(&mut self.others, other.others)?;
        let mut prefix = other.prefix.into_iter();
        for (own, other) in self.prefix.iter_mut().zip(prefix.by_ref()) {
            own.join(other)?;
        }
        self.prefix.extend(prefix);
        Ok(())
    }

    /// Whether every value comes back as it is.
    pub(in crate::provider) fn is_trivial(&self) -> bool {
        let none = |plan: &Option<Box<Self>>| plan.as_ref().is_none_or(|plan| plan.is_trivial());
        let same = |(alias, member): (&String, &Member)| {
            *alias == member.name && member.null != Null::Absent && member.plan.is_trivial()
        };
        self.members.iter().all(same)
            && none(&self.items)
            && none(&self.others)
            && self.prefix.iter().all(Self::is_trivial)
    }

    /// Takes a value back; `true` if anything changed. An object in which two members would come to have one name stays as
    /// it is, so that the gates refuse it in the model's own words.
    pub(in crate::provider) fn apply(&self, value: &mut Value) -> bool {
        match value {
            Value::Object(members) => self.apply_members(members),
            Value::Array(items) => {
                let mut changed = false;
                for (at, item) in items.iter_mut().enumerate() {
                    if let Some(plan) = self.prefix.get(at).or(self.items.as_deref()) {
                        changed |= plan.apply(item);
                    }
                }
                changed
            }
            _ => false,
        }
    }

    fn apply_members(&self, members: &mut Map<String, Value>) -> bool {
        let name =
            |alias: &String| self.members.get(alias).map_or(alias.clone(), |member| member.name.clone());
        if members.keys().map(name).collect::<HashSet<_>>().len() < members.len() {
            return false;
        }
        let mut changed = false;
        let mut back = Map::with_capacity(members.len());
        for (alias, mut value) in std::mem::take(members) {
            let Some(member) = self.members.get(&alias) else {
                changed |= self.others.as_ref().is_some_and(|plan| plan.apply(&mut value));
                back.insert(alias, value);
                continue;
            };
            if member.null == Null::Absent && value.is_null() {
                changed = true;
                continue;
            }
            changed |= member.plan.apply(&mut value) | (alias != member.name);
            back.insert(member.name.clone(), value);
        }
        *members = back;
        changed
    }
}

fn join_boxed(own: &mut Option<Box<Plan>>, other: Option<Box<Plan>>) -> Result<(), Ambiguous> {
    match (own, other) {
        (Some(own), Some(other)) => own.join(*other),
        (own @ None, other) => {
            *own = other;
            Ok(())
        }
        (Some(_), None) => Ok(()),
    }
}
