//! Objects: members, their names, and what their presence demands.

use serde_json::{Map, Value};

use super::findings::{Findings, Nature};
use super::{Marks, OutOfSteps, Walk};
use crate::canonical::equal;
use crate::schema::graph::NodeId;
use crate::schema::rules::Rules;
use crate::schema::words::{self, Place, counted};

impl Walk<'_> {
    /// Whether a tag of the object names another form than this one; if so, that is found and nothing else.
    pub(super) fn is_tagged_otherwise(
        &self,
        rules: &Rules,
        members: &Map<String, Value>,
        place: &Place<'_>,
        out: &mut Findings,
    ) -> bool {
        let mut otherwise = false;
        for (name, wanted) in &rules.tags {
            if let Some(value) = members.get(name)
                && !equal(wanted, value)
            {
                let found = words::echo(value);
                let reason = words::wrong_option(std::slice::from_ref(wanted), &found);
                self.find(out, &place.key(name), Nature::Tag { wanted: wanted.clone(), found }, || reason);
                otherwise = true;
            }
        }
        otherwise
    }

    pub(super) fn object<'v>(
        &mut self,
        rules: &Rules,
        members: &'v Map<String, Value>,
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        self.spend(rules.required.len() / 8)?;
        for name in rules.required.iter().filter(|name| !members.contains_key(*name)) {
            self.find(out, &place.key(name), Nature::Other, || "required, but missing".to_owned());
        }
        for (trigger, names) in &rules.dependent_required {
            self.spend(1 + names.len() / 8)?;
            if members.contains_key(trigger) {
                for name in names.iter().filter(|name| !members.contains_key(*name)) {
                    self.find(out, &place.key(name), Nature::Other, || {
                        format!("required, since '{}' is given, but missing", words::cut(trigger, 80))
                    });
                }
            }
        }
        self.count_members(rules, members, place, out);
        self.members(rules, members, place, out, marks)
    }

    fn count_members(
        &self,
        rules: &Rules,
        members: &Map<String, Value>,
        place: &Place<'_>,
        out: &mut Findings,
    ) {
        let count = u64::try_from(members.len()).unwrap_or(u64::MAX);
        if let Some(least) = rules.min_properties.filter(|&least| count < least) {
            self.find(out, place, Nature::Other, || {
                format!("must have at least {}, found {count}", counted(least, "property", "properties"))
            });
        }
        if let Some(most) = rules.max_properties.filter(|&most| count > most) {
            self.find(out, place, Nature::Other, || {
                format!("must have at most {}, found {count}", counted(most, "property", "properties"))
            });
        }
    }

    fn members<'v>(
        &mut self,
        rules: &Rules,
        members: &'v Map<String, Value>,
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        if rules.properties.is_empty()
            && rules.pattern_properties.is_empty()
            && rules.additional_properties.is_none()
            && rules.property_names.is_none()
        {
            return Ok(());
        }
        for (name, value) in members {
            self.spend(1 + rules.pattern_properties.len() * (1 + name.len() / 64))?;
            let place = place.key(name);
            let mut is_known = false;
            if let Some(&target) = rules.properties.get(name) {
                is_known = true;
                self.node(target, value, &place, false, out)?;
            }
            if !rules.pattern_properties.is_empty() || rules.property_names.is_some() {
                let name = Value::String(name.clone());
                for (pattern, target) in &rules.pattern_properties {
                    if pattern.accepts(&name) {
                        is_known = true;
                        self.node(*target, value, &place, false, out)?;
                    }
                }
                if let Some(target) = rules.property_names {
                    self.property_name(target, &name, &place, out)?;
                }
            }
            if !is_known && let Some(target) = rules.additional_properties {
                is_known = true;
                self.other_member(target, rules.names(), value, &place, out)?;
            }
            if is_known && self.marking {
                marks.properties.push(name);
            }
        }
        Ok(())
    }

    fn property_name(
        &mut self,
        target: NodeId,
        name: &Value,
        place: &Place<'_>,
        out: &mut Findings,
    ) -> Result<(), OutOfSteps> {
        let mut findings = Findings::default();
        self.node(target, name, place, false, &mut findings)?;
        if let Some((first, _)) = findings.listed.first() {
            self.find(out, place, Nature::Other, || format!("the name is not allowed: {}", first.reason));
        }
        Ok(())
    }

    /// A member that only a rule for all others covers.
    fn other_member<'n>(
        &mut self,
        target: NodeId,
        known: impl Iterator<Item = &'n str>,
        value: &Value,
        place: &Place<'_>,
        out: &mut Findings,
    ) -> Result<(), OutOfSteps> {
        if self.graph.node(target).is_some_and(|node| !node.allows) {
            self.spend(1)?;
            self.find(out, place, Nature::Other, || {
                words::unknown(place.is_at_top(), &known.collect::<Vec<_>>())
            });
            return Ok(());
        }
        self.node(target, value, place, false, out)?;
        Ok(())
    }

    pub(super) fn unevaluated_properties<'v>(
        &mut self,
        id: NodeId,
        rules: &Rules,
        members: &'v Map<String, Value>,
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        let Some(target) = rules.unevaluated_properties else { return Ok(()) };
        if !marks.every_property {
            self.spend(marks.properties.len() + members.len())?;
            marks.properties.sort_unstable();
            let (graph, seen) = (self.graph, std::mem::take(&mut marks.properties));
            for (name, value) in members {
                if seen.binary_search(&name.as_str()).is_err() {
                    let closure = graph.same_value_closure(id);
                    let known = closure.iter().filter_map(|&id| graph.rules(id)).flat_map(Rules::names);
                    self.spend(closure.len())?;
                    self.other_member(target, known, value, &place.key(name), out)?;
                }
            }
        }
        marks.every_property = true;
        Ok(())
    }
}
