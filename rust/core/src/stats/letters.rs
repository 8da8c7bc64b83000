//! Groups of items that do not differ, for letters beside them: compact letter displays.

use crate::error::Result;
use crate::interrupt;

/// Which items go together: a row for each.
struct Together {
    items: usize,
    cells: Vec<bool>,
}

impl Together {
    fn row(&self, item: usize) -> &[bool] {
        &self.cells[item * self.items..][..self.items]
    }
}

/// Groups of items that do not differ, from a symmetric matrix of the pairs that do, row after
/// row.
///
/// Two items share a group if and only if they do not differ (Piepho 2004). Every group is
/// maximal, and a group is dropped if each of its pairs also shares another group, so there
/// may be fewer groups than Piepho's steps alone would leave. Items in a group are ascending, and
/// so are groups, by their items.
pub fn letter_groups(differ: &[bool], items: usize) -> Result<Vec<Vec<usize>>> {
    let mut together = Together { items, cells: differ.iter().map(|differ| !differ).collect() };
    (0..items).for_each(|item| together.cells[item * items + item] = true);
    // The pairs that share no group yet, including each item with itself.
    let mut open = Together { items, cells: together.cells.clone() };
    let mut found = Vec::new();
    while let Some(first) = (0..items).find(|item| open.row(*item).contains(&true)) {
        interrupt::check()?;
        let mut group = grown(&together, &open, first);
        for (one, other) in pairs(&group) {
            open.cells[one * items + other] = false;
        }
        group.sort_unstable();
        found.push(group);
    }
    let mut kept = needed(found, items);
    kept.sort_unstable();
    Ok(kept)
}

/// A group that cannot grow, with the first item and as many open pairs as possible.
fn grown(together: &Together, open: &Together, first: usize) -> Vec<usize> {
    let mut group = vec![first];
    let mut candidates = together.row(first).to_vec();
    candidates[first] = false;
    let mut gain: Vec<usize> = open.row(first).iter().map(|open| usize::from(*open)).collect();
    // Of several with the same gain the first is taken.
    while let Some(chosen) =
        (0..gain.len()).rev().filter(|item| candidates[*item]).max_by_key(|item| gain[*item])
    {
        group.push(chosen);
        let alike = candidates.iter_mut().zip(together.row(chosen));
        alike.for_each(|(candidate, alike)| *candidate &= alike);
        candidates[chosen] = false;
        gain.iter_mut().zip(open.row(chosen)).for_each(|(gain, open)| *gain += usize::from(*open));
    }
    group
}

/// The groups without those whose pairs are all in others; the smallest are dropped first.
fn needed(mut found: Vec<Vec<usize>>, items: usize) -> Vec<Vec<usize>> {
    let mut shared = vec![0_usize; items * items];
    for group in &found {
        pairs(group).for_each(|(one, other)| shared[one * items + other] += 1);
    }
    found.sort_by_key(Vec::len);
    found.retain(|group| {
        let spare = pairs(group).all(|(one, other)| shared[one * items + other] > 1);
        if spare {
            pairs(group).for_each(|(one, other)| shared[one * items + other] -= 1);
        }
        !spare
    });
    found
}

/// Each two items of a group, in both orders and with themselves.
fn pairs(group: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    group.iter().flat_map(move |one| group.iter().map(move |other| (*one, *other)))
}

/// The letter of a group by its number: a to z, A to Z, then with leading dots: .a, ..a.
pub fn letter_of(number: usize) -> String {
    let letters = || ('a'..='z').chain('A'..='Z');
    let (dots, index) = (number / 52, number % 52);
    ".".repeat(dots) + &letters().skip(index).take(1).collect::<String>()
}

/// The letters of each item.
pub fn letters_of(groups: &[Vec<usize>], items: usize) -> Vec<String> {
    let mut texts = vec![String::new(); items];
    for (number, group) in groups.iter().enumerate() {
        for item in group {
            texts[*item] += &letter_of(number);
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_after_the_alphabet() {
        let found: Vec<String> = [0, 25, 26, 51, 52, 103, 104].map(letter_of).into();
        assert_eq!(found, ["a", "z", "A", "Z", ".a", ".Z", "..a"]);
    }
}
