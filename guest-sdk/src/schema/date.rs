//! A calendar date, as a tool's parameters and results carry it.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use super::{Schema, Schemas, ToolType, schema};

/// A day of the Gregorian calendar from year 0 to 9999, written as RFC 3339 `full-date`: `2026-11-30`.
///
/// ```
/// use toolhost_sdk::Date;
///
/// let day: Date = "2024-02-29".parse().unwrap();
/// assert!(day < Date::new(2024, 3, 1).unwrap());
/// assert!("2023-02-29".parse::<Date>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// A date that exists.
    ///
    /// # Errors
    /// If the year is over 9999, or the calendar has no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Result<Self, DateError> {
        let exists = year <= 9999 && day >= 1 && days_in_month(year, month).is_some_and(|days| day <= days);
        if exists { Ok(Self { year, month, day }) } else { Err(DateError) }
    }

    /// The year, 0 to 9999.
    pub fn year(self) -> u16 {
        self.year
    }

    /// The month, 1 to 12.
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, 1 to 31.
    pub fn day(self) -> u8 {
        self.day
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let mut parts = text.split('-');
        let (Some(year), Some(month), Some(day), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(DateError);
        };
        let digits = |part: &str, length: usize| -> Result<u16, DateError> {
            // `parse` alone would take "+1".
            let plain = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
            if plain { part.parse().map_err(|_| DateError) } else { Err(DateError) }
        };
        let small = |part: &str| u8::try_from(digits(part, 2)?).map_err(|_| DateError);
        Self::new(digits(year, 4)?, small(month)?, small(day)?)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Date;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a date such as 2026-11-30")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Date, E> {
                text.parse().map_err(|error| E::custom(format_args!("'{text}' is {error}")))
            }
        }

        deserializer.deserialize_str(Text).map_err(D::Error::custom)
    }
}

impl ToolType for Date {
    fn schema(_: &mut Schemas) -> Schema {
        schema(json!({ "type": "string", "format": "date" }))
    }
}

/// The text is not a date that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateError;

impl fmt::Display for DateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a date of the calendar, written as YYYY-MM-DD")
    }
}

impl std::error::Error for DateError {}

fn days_in_month(year: u16, month: u8) -> Option<u8> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if leap { 29 } else { 28 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_and_written_in_one_form_only() {
        for text in ["2026-11-30", "2000-02-29", "0000-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().map(|date| date.to_string()).as_deref(), Ok(text));
        }
        for text in [
            "",
            "2026-11-31",
            "1900-02-29",
            "2026-00-10",
            "2026-13-01",
            "2026-1-1",
            "+026-01-01",
            "2026-01-01Z",
            "20260101",
            "2026-01-00",
        ] {
            assert_eq!(text.parse::<Date>(), Err(DateError), "{text}");
        }
    }
}
