//! Durations and sizes as people write them, and back.

use std::time::Duration;

const DURATIONS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
const SIZES: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// `10s`, `250ms`, `24h`: a whole number and a unit.
pub(super) fn duration(text: &str) -> Option<Duration> {
    scaled(text, &DURATIONS).map(Duration::from_millis)
}

/// `128MiB`: a whole number and a unit.
pub(super) fn size(text: &str) -> Option<u64> {
    scaled(text, &SIZES)
}

/// A duration in the largest unit that keeps it whole.
pub(super) fn show_duration(duration: Duration) -> String {
    show(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX), &DURATIONS)
}

/// A size in the largest unit that keeps it whole.
pub(super) fn show_size(bytes: u64) -> String {
    show(bytes, &SIZES)
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

fn show(number: u64, units: &[(&str, u64)]) -> String {
    let whole = units.iter().rev().find(|(_, factor)| number > 0 && number.is_multiple_of(*factor));
    let (unit, factor) = whole.or(units.first()).copied().unwrap_or(("", 1));
    format!("{}{unit}", number / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_and_shown() {
        for (text, millis) in
            [("250ms", 250), ("10s", 10_000), ("24h", 86_400_000), ("7d", 604_800_000), ("0s", 0)]
        {
            assert_eq!(duration(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for bad in
            ["", "10", "s", "1.5s", "-1s", "1 s", "1S", "10sec", "99999999999999999999s", "300000000000d"]
        {
            assert_eq!(duration(bad), None, "{bad}");
        }
        assert_eq!(size("128MiB"), Some(128 << 20));
        for bad in ["128", "128MB", "1.5MiB", "-1B", "99999999999GiB", "MiB"] {
            assert_eq!(size(bad), None, "{bad}");
        }
        assert_eq!(show_duration(Duration::from_secs(90)), "90s");
        assert_eq!(show_duration(Duration::from_secs(120)), "2m");
        assert_eq!(
            (show_size(256 << 10), show_size(1000), show_size(0)),
            ("256KiB".into(), "1000B".into(), "0B".into())
        );
    }
}
