//! Moments as people read them: UTC, to the second.

/// A moment in milliseconds since 1970 as `2026-07-28 14:03:05 UTC`.
///
/// The calendar is worked out in years that begin in March, so that a leap day is the last of its year.
#[must_use]
pub(super) fn utc(unix_ms: u64) -> String {
    const DAYS_TO_MARCH_OF_YEAR_0: u64 = 719_468;
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let seconds = unix_ms / 1_000;
    let (days, second) = (seconds / 86_400 + DAYS_TO_MARCH_OF_YEAR_0, seconds % 86_400);
    let (era, day_of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / (DAYS_OF_400_YEARS - 1)) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_agree_with_the_calendar() {
        for (unix_s, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_704_067_199, "2023-12-31 23:59:59 UTC"),
            (1_709_164_800, "2024-02-29 00:00:00 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(unix_s * 1_000 + 999), text);
        }
    }
}
