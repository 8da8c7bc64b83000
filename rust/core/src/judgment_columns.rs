//! What judgments have besides grades: columns of numbers, and weights of intents. Which values
//! are valid, and which may be missing.

use crate::error::{Error, Kind, Result, quote};
use crate::intents::Weights;
use crate::qrels::Qrels;
use crate::read::qrels::{CLASS, COST, INCLUSION, check_cost, check_inclusion};

/// Checks a finite number of a column; an error says what is wrong with it.
pub fn check_value(column: &str, value: f64) -> std::result::Result<(), String> {
    match column {
        INCLUSION => check_inclusion(value),
        COST => check_cost(value),
        _ => Ok(()),
    }
}

/// Whether judged documents may lack a number in a column.
pub fn is_optional(column: &str) -> bool {
    column == CLASS || column == COST
}

/// Checks that each judgment has a number where the column is not optional. A missing one is NaN.
pub fn check_complete(qrels: &Qrels, name: &str, column: &[Vec<f64>]) -> Result<()> {
    if is_optional(name) {
        return Ok(());
    }
    for (topic, numbers) in qrels.topics().iter().zip(column) {
        for (number, document, _) in topic.judgments() {
            if numbers[number].is_nan() {
                let message = format!(
                    "expected a number as {name} for each judgment, found none for document {} of topic {}",
                    quote(document),
                    quote(topic.id())
                );
                return Err(Error::new(Kind::Needs, message));
            }
        }
    }
    Ok(())
}

/// Gives intents that have no weight yet (NaN) the weight 0. An intent under which a document was
/// judged needs one.
pub fn complete_weights(qrels: &Qrels, weights: &mut [Weights]) -> Result<()> {
    for (topic, (_, weights)) in qrels.topics().iter().zip(weights) {
        let intents = topic.intents();
        for (intent, weight) in weights.iter_mut().enumerate().filter(|(_, w)| w.is_nan()) {
            if intents.is_judged(intent) {
                let message = format!(
                    "expected a weight for each intent, found none for intent {} of topic {}",
                    quote(&intents.names()[intent]),
                    quote(topic.id())
                );
                return Err(Error::new(Kind::Needs, message));
            }
            *weight = 0.0;
        }
    }
    Ok(())
}
