//! Which lines of a text are gone and which are new.

/// More lines than this on one side are told as one block that took another's place.
const MOST: usize = 500;

/// The lines that differ, each with `- ` or `+ ` before it, in order.
pub(super) fn diff(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let common = if old.len().max(new.len()) > MOST { Vec::new() } else { longest_common(&old, &new) };
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    let mut told = Vec::new();
    for line in common.into_iter().map(Some).chain([None]) {
        let until = |it: &&str| Some(*it) != line;
        told.extend(old.by_ref().take_while(until).map(|line| format!("- {line}")));
        told.extend(new.by_ref().take_while(until).map(|line| format!("+ {line}")));
    }
    told
}

/// The longest list of lines that both have in this order.
fn longest_common<'a>(old: &[&'a str], new: &[&str]) -> Vec<&'a str> {
    // How long it is for what follows each pair of places.
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let at = |lengths: &[u32], row: usize, column: usize| {
        lengths.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, old_line) in old.iter().enumerate().rev() {
        for (column, new_line) in new.iter().enumerate().rev() {
            let length = if old_line == new_line {
                at(&lengths, row + 1, column + 1) + 1
            } else {
                at(&lengths, row + 1, column).max(at(&lengths, row, column + 1))
            };
            if let Some(place) = lengths.get_mut(row * width + column) {
                *place = length;
            }
        }
    }
    let (mut row, mut column, mut common) = (0, 0, Vec::new());
    while let (Some(old_line), Some(new_line)) = (old.get(row), new.get(column)) {
        if old_line == new_line {
            common.push(*old_line);
            (row, column) = (row + 1, column + 1);
        } else if at(&lengths, row + 1, column) >= at(&lengths, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    common
}
