//! Inferred average precision.

use super::{List, Params};

/// infAP = (1/R) sum over retrieved relevant documents of the expected
/// precision at their rank k: 1 at k = 1, else
/// 1/k + (d/k) (rel + e) / (rel + nonrel + 2 e).
///
/// rel and nonrel count the judged documents above; d counts these and the
/// pooled but unjudged ones above. e is `epsilon` (1e-5); with e = 0 and
/// nothing judged above, 0/0 is taken as 0.
///
/// Source: Yilmaz & Aslam 2006 section 2.5.
pub fn infap(params: &Params, list: &List) -> f64 {
    let epsilon = params.number("epsilon").unwrap_or(1e-5);
    let mut sum = 0.0;
    for (index, doc) in list.ranking.iter().enumerate() {
        if !list.is_relevant(doc, params.rel) {
            continue;
        }
        let above = &list.ranking[..index];
        let k = (index + 1) as f64;
        let rel = list.relevant_among(above, params.rel) as f64;
        let nonrel = list.nonrelevant_among(above, params.rel) as f64;
        let pooled = above.iter().filter(|other| list.grades.contains_key(*other)).count() as f64;
        let weight = rel + nonrel + 2.0 * epsilon;
        let share = if weight == 0.0 { 0.0 } else { (rel + epsilon) / weight };
        sum += if index == 0 { 1.0 } else { 1.0 / k + pooled / k * share };
    }
    sum / list.num_relevant(params.rel) as f64
}
