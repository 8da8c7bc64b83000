//! Users who read down a list and may stop after each document: the C/W/L
//! framework.
//!
//! A user model says how likely a user goes on after a rank, C. From it follow
//! how much of the attention each rank gets, W, and how likely it is the last
//! one read, L; from these and the gains the five numbers of a list.

/// What a user who reads a list gets and spends.
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

/// What a user knows who has read a document and may go on.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
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

/// The numbers of a list of gains and costs, when the user goes on after a
/// document with the probability that `goes_on` gives. The list is all that
/// there is: no user reads beyond its end.
pub fn expected(gains: &[f64], costs: &[f64], mut goes_on: impl FnMut(Reading) -> f64) -> Expected {
    // How likely a user comes to a rank.
    let mut arrives = 1.0;
    let (mut depth, mut utility, mut paid) = (0.0, 0.0, 0.0);
    let (mut total_utility, mut total_cost) = (0.0, 0.0);
    let (mut gained, mut spent) = (0.0, 0.0);
    for ((&gain, &cost), rank) in gains.iter().zip(costs).zip(1u32..) {
        gained += gain;
        spent += cost;
        let on = goes_on(Reading { rank: f64::from(rank), gain, cost, gained, spent });
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
        let twice = |reading: Reading| f64::from(reading.rank < 2.0);
        let found = expected(&[1.0, 0.5, 1.0], &[3.0, 5.0, 7.0], twice);
        let expected =
            Expected { utility: 0.75, total_utility: 1.5, cost: 4.0, total_cost: 8.0, depth: 2.0 };
        assert_eq!(found, expected);
    }
}
