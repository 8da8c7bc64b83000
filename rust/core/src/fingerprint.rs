//! The fingerprint that identifies judgments.
//!
//! Two sets of judgments have the same fingerprint if they have the same grades
//! for the same topics and documents, in any order, and know of the same grades of the collection
//! and of the same lengths of documents.

use crate::costs::DocumentCosts;
use crate::hash::{lasting_hash, paired_hash};
use crate::qrels::{Qrels, Topic};

/// The fingerprint of judgments, the same in every process and on every machine.
pub fn fingerprint(qrels: &Qrels) -> u64 {
    // A sum does not depend on the order.
    let topics = qrels.topics().iter().map(|topic| of_topic(topic, qrels));
    let sum = topics.fold(0, u64::wrapping_add);
    // A grade that only the whole has moves scores as well.
    let mut occurs = vec![false; qrels.grades().len()];
    for of in qrels.topics().iter().flat_map(Topic::counts) {
        occurs[of.grade_index as usize] = true;
    }
    let others = qrels.grades().iter().zip(&occurs).filter(|(_, occurs)| !**occurs);
    let others = others.map(|(grade, _)| paired_hash(0, grade.to_bits()));
    let sum = sum.wrapping_add(others.fold(0, u64::wrapping_add));
    let sum = sum.wrapping_add(of_lengths(&qrels.costs));
    paired_hash(sum, qrels.docs_in_collection.map_or(0, |size| size.wrapping_add(1)))
}

/// Nothing is 0.
fn of_lengths(costs: &DocumentCosts) -> u64 {
    let of = |(id, length): (&[u8], f64)| paired_hash(lasting_hash(1, id), length.to_bits());
    let lengths = costs.lengths.iter().flat_map(|lengths| lengths.iter());
    lengths.map(of).fold(0, u64::wrapping_add)
}

fn of_topic(topic: &Topic, qrels: &Qrels) -> u64 {
    let id = lasting_hash(0, topic.id());
    let names = qrels.column_names();
    let document = |(number, name, grade_index): (usize, &[u8], u32)| {
        let hash = lasting_hash(id, name);
        let mut state = paired_hash(hash, qrels.grades()[grade_index as usize].to_bits());
        for (place, column) in names.iter().enumerate() {
            if let Some(values) = topic.column(place) {
                let named = lasting_hash(hash, column.as_bytes());
                state = paired_hash(state, paired_hash(named, values[number].to_bits()));
            }
        }
        let intents = topic.intents();
        for &(intent, grade) in intents.grades(number as u32) {
            let named = lasting_hash(hash, &intents.names()[intent as usize]);
            state = state.wrapping_add(paired_hash(named, grade.to_bits()));
        }
        state
    };
    let documents = topic.judgments().map(document).fold(0, u64::wrapping_add);
    let intents = topic.intents();
    let weights = intents.names().iter().zip(intents.weights()).enumerate();
    let weights = weights.map(|(place, (name, weight))| {
        let navigational = u64::from(intents.is_navigational(place));
        paired_hash(lasting_hash(navigational, name), weight.to_bits())
    });
    paired_hash(id, paired_hash(documents, weights.fold(0, u64::wrapping_add)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qrels::Builder;

    fn of(judgments: &[(&str, &str, f64)]) -> u64 {
        let mut builder = Builder::new(&[]);
        for (topic, document, grade) in judgments {
            builder.topic(topic.as_bytes());
            let added = builder.add_list(topic.as_bytes(), &[document.as_bytes()], &[*grade]);
            assert!(added.is_ok());
        }
        fingerprint(&builder.finish(None))
    }

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let base = of(&[("1", "a", 1.0), ("1", "b", 0.0), ("2", "a", 2.0)]);
        assert_eq!(base, of(&[("2", "a", 2.0), ("1", "b", 0.0), ("1", "a", 1.0)]));
        for other in [
            of(&[("1", "a", 1.0), ("1", "b", 0.0), ("2", "a", 1.0)]),
            of(&[("1", "a", 1.0), ("1", "b", 0.0), ("2", "c", 2.0)]),
            of(&[("1", "a", 1.0), ("2", "b", 0.0), ("2", "a", 2.0)]),
            of(&[("1", "a", 1.0), ("2", "a", 2.0)]),
            of(&[("1", "a", 0.0), ("1", "b", 1.0), ("2", "a", 2.0)]),
        ] {
            assert_ne!(base, other);
        }
    }
}
