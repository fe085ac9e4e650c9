//! Names in the order in which a model probably meant them.

use crate::id::ToolName;

/// At most `most` names, nearest first; equally near ones by name.
///
/// Costs a name's length times 48 for each name, and runs only after a wrong name. A wrong name is cut to 64
/// characters first, so that a caller cannot make it longer.
pub(super) fn nearest<'a>(
    wrong: &str,
    names: impl Iterator<Item = &'a ToolName>,
    most: usize,
) -> Vec<ToolName> {
    let wrong: Vec<char> = wrong.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut ranked: Vec<(usize, &ToolName)> =
        names.map(|name| (distance(&wrong, name.as_str()), name)).collect();
    ranked.sort();
    ranked.into_iter().take(most).map(|(_, name)| name.clone()).collect()
}

/// Levenshtein's distance, with one row kept.
fn distance(wrong: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=wrong.len()).collect();
    for (at, c) in name.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (expected, above) in wrong.iter().zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(*expected != c);
            left = replaced.min(above + 1).min(left + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first_and_ties_go_by_name() {
        let names: Vec<ToolName> = ["find_orders", "get_order", "multiply", "get_orders"]
            .iter()
            .map(|name| name.parse().unwrap())
            .collect();
        let found = nearest("Get_Ordr", names.iter(), 3);
        let found: Vec<&str> = found.iter().map(ToolName::as_str).collect();
        assert_eq!(found, ["get_order", "get_orders", "find_orders"]);
        assert_eq!(distance(&['a', 'b'], "ab"), 0);
        assert_eq!(distance(&[], "abc"), 3);
        assert_eq!(distance(&['k', 'i', 't', 't', 'e', 'n'], "sitting"), 3);
    }
}
