//! Users who read down a list and may stop after each document: the C/W/L
//! framework.
//!
//! A user model gives the probability C that a user continues after a rank. It
//! determines the share W of the attention that each rank gets and the
//! probability L that it is the last one read; these and the gains determine
//! the five numbers of a list.

/// The expected gains and costs of a user who reads a list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// The expected gain of a document that is read.
    pub utility: f64,
    /// The expected gain of all documents that are read.
    pub total_utility: f64,
    /// The expected cost of a document that is read.
    pub cost: f64,
    /// The expected cost of all documents that are read.
    pub total_cost: f64,
    /// The expected number of documents that are read.
    pub depth: f64,
}

/// What a user knows after reading a document, when deciding whether to
/// continue.
#[derive(Clone, Copy, Debug)]
pub struct ReadDocument {
    /// The rank of the document, from 1.
    pub rank: f64,
    /// Its gain.
    pub gain: f64,
    /// Its cost.
    pub cost: f64,
    /// The gain of all documents down to it.
    pub gained: f64,
    /// The cost of all documents down to it.
    pub spent: f64,
}

/// The numbers of a list of gains and costs, if the user continues after a
/// document with the probability that `goes_on` returns. Users do not read
/// beyond the end of the list.
pub fn expected(
    gains: &[f64],
    costs: &[f64],
    mut goes_on: impl FnMut(ReadDocument) -> f64,
) -> Expected {
    // The probability that a user reaches a rank.
    let mut arrives = 1.0;
    let (mut depth, mut utility, mut paid) = (0.0, 0.0, 0.0);
    let (mut total_utility, mut total_cost) = (0.0, 0.0);
    let (mut gained, mut spent) = (0.0, 0.0);
    for ((&gain, &cost), rank) in gains.iter().zip(costs).zip(1u32..) {
        gained += gain;
        spent += cost;
        let on = goes_on(ReadDocument { rank: f64::from(rank), gain, cost, gained, spent });
        depth += arrives;
        utility += arrives * gain;
        paid += arrives * cost;
        let last = arrives * (1.0 - on);
        total_utility += last * gained;
        total_cost += last * spent;
        arrives *= on;
        if arrives == 0.0 {
            break;
        }
    }
    Expected { utility: utility / depth, total_utility, cost: paid / depth, total_cost, depth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_who_always_reads_two_documents() {
        let twice = |reading: ReadDocument| f64::from(reading.rank < 2.0);
        let found = expected(&[1.0, 0.5, 1.0], &[3.0, 5.0, 7.0], twice);
        let expected =
            Expected { utility: 0.75, total_utility: 1.5, cost: 4.0, total_cost: 8.0, depth: 2.0 };
        assert_eq!(found, expected);
    }
}
