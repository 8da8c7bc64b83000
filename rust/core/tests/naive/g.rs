//! G: gain discounted by what the list is behind.

use super::{List, Params};

/// `binG` = (1/R) sum over retrieved relevant documents of 1 / log2(2 + m),
/// with m the documents above that are not relevant, judged or not.
///
/// Source: `trec_eval`, what it says of `binG`.
pub fn bin_g(params: &Params, list: &List) -> f64 {
    let mut sum = 0.0;
    for (place, doc) in list.ranking.iter().enumerate() {
        if list.is_relevant(doc, params.rel) {
            let above = list.ranking[..place].iter();
            let vain = above.filter(|other| !list.is_relevant(other, params.rel)).count();
            sum += 1.0 / (2.0 + vain as f64).log2();
        }
    }
    sum / list.num_relevant(params.rel) as f64
}

/// G = sum over retrieved documents of g(r) / log2(2 + b(r)) over the sum of all
/// gains, with b(r) what the ideal list has at rank r more than this one: its
/// gains down to r, and 1 for each of these ranks that it does not have.
///
/// Source: `trec_eval`, what it says of G, and 1 for a rank
/// in vain as in `binG`.
pub fn g(params: &Params, list: &List) -> f64 {
    let ideal = list.ideal_gains(params);
    let mut sum = 0.0;
    for rank in 1..=list.ranking.len() {
        let gain = list.gain(&list.ranking[rank - 1], params);
        let mut behind = 0.0;
        for place in 0..rank {
            behind += if place < ideal.len() { ideal[place] } else { 1.0 };
        }
        for doc in &list.ranking[..rank] {
            behind -= list.gain(doc, params);
        }
        sum += gain / (2.0 + behind).log2();
    }
    sum / ideal.iter().sum::<f64>()
}
