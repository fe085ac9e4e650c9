//! Arrays: items by position, by content, and whether they repeat.

use std::collections::HashMap;

use serde_json::Value;

use super::findings::{Findings, Nature};
use super::{Marks, OutOfSteps, Walk};
use crate::canonical::canonical;
use crate::schema::rules::Rules;
use crate::schema::words::{Place, counted};

impl Walk<'_> {
    pub(super) fn array<'v>(
        &mut self,
        rules: &Rules,
        items: &'v [Value],
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if let Some(least) = rules.min_items.filter(|&least| count < least) {
            self.find(out, place, Nature::Other, || {
                format!("must have at least {}, found {count}", counted(least, "item", "items"))
            });
        }
        if let Some(most) = rules.max_items.filter(|&most| count > most) {
            self.find(out, place, Nature::Other, || {
                format!("must have at most {}, found {count}", counted(most, "item", "items"))
            });
        }
        for (index, (item, &target)) in items.iter().zip(&rules.prefix_items).enumerate() {
            self.node(target, item, &place.index(index), false, out)?;
        }
        marks.first_items = marks.first_items.max(rules.prefix_items.len());
        if let Some(target) = rules.items {
            for (index, item) in items.iter().enumerate().skip(rules.prefix_items.len()) {
                self.node(target, item, &place.index(index), false, out)?;
            }
            marks.every_item = true;
        }
        self.contains(rules, items, place, out, marks)?;
        if rules.unique_items
            && let Some((first, second)) = self.repeated(items)?
        {
            self.find(out, place, Nature::Other, || {
                format!("items must be different from each other; items {first} and {second} are equal")
            });
        }
        Ok(())
    }

    fn contains<'v>(
        &mut self,
        rules: &Rules,
        items: &'v [Value],
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        let Some(target) = rules.contains else { return Ok(()) };
        let mut matching = 0_u64;
        for (index, item) in items.iter().enumerate() {
            if self.accepts(target, item, &place.index(index))?.is_some() {
                matching += 1;
                if self.marking {
                    marks.items.push(index);
                }
            }
        }
        let least = rules.min_contains.unwrap_or(1);
        if matching < least {
            self.find(out, place, Nature::Other, || {
                format!(
                    "must have at least {}, found {matching}",
                    counted(least, "fitting item", "fitting items")
                )
            });
        }
        if let Some(most) = rules.max_contains.filter(|&most| matching > most) {
            self.find(out, place, Nature::Other, || {
                format!(
                    "must have at most {}, found {matching}",
                    counted(most, "fitting item", "fitting items")
                )
            });
        }
        Ok(())
    }

    /// The first two places with equal items, found by their canonical texts in one pass.
    fn repeated(&mut self, items: &[Value]) -> Result<Option<(usize, usize)>, OutOfSteps> {
        let mut seen = HashMap::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let text = canonical(item);
            self.spend(1 + text.len() / 16)?;
            if let Some(first) = seen.insert(text, index) {
                return Ok(Some((first, index)));
            }
        }
        Ok(None)
    }

    pub(super) fn unevaluated_items<'v>(
        &mut self,
        rules: &Rules,
        items: &'v [Value],
        place: &Place<'_>,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        let Some(target) = rules.unevaluated_items else { return Ok(()) };
        if !marks.every_item {
            self.spend(marks.items.len() + items.len())?;
            marks.items.sort_unstable();
            for (index, item) in items.iter().enumerate().skip(marks.first_items) {
                if marks.items.binary_search(&index).is_err() {
                    let place = place.index(index);
                    if self.graph.node(target).is_some_and(|node| !node.allows) {
                        self.find(out, &place, Nature::Other, || "one item too many".to_owned());
                    } else {
                        self.node(target, item, &place, false, out)?;
                    }
                }
            }
        }
        marks.every_item = true;
        Ok(())
    }
}
