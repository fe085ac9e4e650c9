//! The valid name that a mistyped one is nearest to.

/// The nearest of some names, if one is near enough to have been meant: at most a third of its letters differ, two at
/// the least.
pub(in super::super) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // What is much longer than every key was not meant to be one, and measuring it would take long.
    let wrong: Vec<char> = wrong.chars().take(64).collect();
    names
        .map(|name| (distance(&wrong, name), name))
        .filter(|(distance, name)| *distance <= (name.len() / 3).max(2) && *distance < name.len())
        .min()
        .map(|(_, name)| name)
}

/// The number of letters to insert, remove or replace, and of neighbours to swap.
fn distance(one: &[char], other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, a) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, b) in other.iter().enumerate() {
            let get = |line: &[usize], at: usize| line.get(at).copied().unwrap_or(usize::MAX / 2);
            let mut best = (get(&last, column) + usize::from(a != b))
                .min(get(&last, column + 1) + 1)
                .min(get(&line, column) + 1);
            let swapped =
                row > 0 && column > 0 && one.get(row - 1) == Some(b) && other.get(column - 1) == Some(a);
            if swapped {
                best = best.min(get(&before_last, column - 1) + 1);
            }
            line.push(best);
        }
        before_last = std::mem::replace(&mut last, line);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let names = ["attempt_timeout", "deadline", "memory", "fuel"];
        for (wrong, near) in [
            ("atempt_timeout", Some("attempt_timeout")),
            ("timeout", None),
            ("deadlien", Some("deadline")),
            ("Memory", Some("memory")),
            ("memory_bytes", None),
            ("fule", Some("fuel")),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, names.into_iter()), near, "{wrong}");
        }
    }
}
