//! The C library's merge sort.
//!
//! Its result is defined even if comparisons contradict each other, as they do
//! for NaN scores and for gains that are less than 1 apart.

use std::cmp::Ordering;

/// Sorts halves, the first the shorter one, and merges them; of two that
/// compare equal the one from the first half comes first.
pub fn merge_sort<T: Clone>(items: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let middle = items.len() / 2;
    merge_sort(&mut items[..middle], compare);
    merge_sort(&mut items[middle..], compare);
    let (first, second) = (items[..middle].to_vec(), items[middle..].to_vec());
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    for slot in items {
        let from_first = match (first.peek(), second.peek()) {
            (Some(a), Some(b)) => compare(a, b) != Ordering::Greater,
            (left, _) => left.is_some(),
        };
        if let Some(next) = if from_first { first.next() } else { second.next() } {
            *slot = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let mut items = [(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        merge_sort(&mut items, &|a, b| a.0.cmp(&b.0));
        assert_eq!(items, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
    }

    #[test]
    fn contradicting_comparisons_end() {
        let mut items = [1.0, f64::NAN, 3.0, f64::NAN, 2.0];
        merge_sort(&mut items, &|a, b| b.partial_cmp(a).unwrap_or(Ordering::Equal));
        assert_eq!(items.iter().filter(|item| item.is_nan()).count(), 2);
    }
}
