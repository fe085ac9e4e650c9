//! Strings and numbers.

use serde_json::{Number, Value};

use super::findings::{Findings, Nature};
use super::{OutOfSteps, Walk};
use crate::decimal::Decimal;
use crate::schema::rules::{Bound, Rules};
use crate::schema::words::{Place, counted, cut, echo, wrong_format};

/// How many bytes of text a regular expression or a format reads for the price of one step.
const BYTES_PER_STEP: usize = 64;

impl Walk<'_> {
    pub(super) fn text(
        &mut self,
        rules: &Rules,
        value: &Value,
        text: &str,
        place: &Place<'_>,
        out: &mut Findings,
    ) -> Result<(), OutOfSteps> {
        if rules.min_length.is_some() || rules.max_length.is_some() {
            let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
            if let Some(least) = rules.min_length.filter(|&least| length < least) {
                self.find(out, place, Nature::Other, || {
                    format!(
                        "must have at least {}, found {length}",
                        counted(least, "character", "characters")
                    )
                });
            }
            if let Some(most) = rules.max_length.filter(|&most| length > most) {
                self.find(out, place, Nature::Other, || {
                    format!("must have at most {}, found {length}", counted(most, "character", "characters"))
                });
            }
        }
        if let Some(pattern) = &rules.pattern {
            self.spend(1 + text.len() / BYTES_PER_STEP)?;
            if !pattern.accepts(value) {
                self.find(out, place, Nature::Other, || {
                    format!("must match the pattern {}, found {}", cut(&pattern.text, 80), echo(value))
                });
            }
        }
        if let Some(format) = &rules.format {
            self.spend(1 + text.len() / BYTES_PER_STEP)?;
            if !format.accepts(value) {
                self.find(out, place, Nature::Other, || wrong_format(&format.text, value));
            }
        }
        Ok(())
    }

    pub(super) fn number(
        &mut self,
        rules: &Rules,
        number: &Number,
        place: &Place<'_>,
        out: &mut Findings,
    ) -> Result<(), OutOfSteps> {
        let text = number.as_str();
        self.spend(text.len() / BYTES_PER_STEP)?;
        let Some(decimal) = Decimal::parse(text) else { return Ok(()) };
        let mut check =
            |bound: &Option<Bound>, words: &str, holds: fn(&Decimal<'_>, &Decimal<'_>) -> bool| {
                if let Some(bound) = bound
                    && !holds(&decimal, &bound.decimal)
                {
                    self.find(out, place, Nature::Other, || {
                        format!("must be {words} {}, found {}", cut(&bound.text, 80), cut(text, 80))
                    });
                }
            };
        check(&rules.minimum, "at least", |value, bound| value >= bound);
        check(&rules.exclusive_minimum, "more than", |value, bound| value > bound);
        check(&rules.maximum, "at most", |value, bound| value <= bound);
        check(&rules.exclusive_maximum, "less than", |value, bound| value < bound);
        check(&rules.multiple_of, "a multiple of", |value, bound| value.is_multiple_of(bound) != Some(false));
        Ok(())
    }
}
