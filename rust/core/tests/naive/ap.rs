//! Average precision.

use super::{List, Params};

/// The sum over relevant ranks r, down to the cutoff, of c(r) / r.
fn sum_of_precisions(params: &Params, list: &List) -> f64 {
    let docs = list.first(params.k());
    let mut sum = 0.0;
    for rank in 1..=docs.len() {
        if list.is_relevant(&docs[rank - 1], params.rel) {
            sum += list.relevant_among(&docs[..rank], params.rel) as f64 / rank as f64;
        }
    }
    sum
}

/// AP = (1/R) sum over relevant ranks r of c(r)/r; AP@k stops the sum at rank
/// k and still divides by R. Also a topic's value under GMAP, which differs in
/// its mean only.
///
/// Source: IIR 8.8; Webber et al. 2010 eq. 3.
pub fn ap(params: &Params, list: &List) -> f64 {
    sum_of_precisions(params, list) / list.num_relevant(params.rel) as f64
}

/// aAP@k = (1/min(k,R)) sum over relevant ranks r <= k of c(r)/r.
///
/// Source: Webber et al. 2010 eq. 4.
pub fn aap(params: &Params, list: &List) -> f64 {
    let k = params.k_required();
    sum_of_precisions(params, list) / k.min(list.num_relevant(params.rel)) as f64
}

/// `yaap` = ln((1 + S) / (1 + R - S)), with S the sum over relevant ranks r of
/// c(r)/r.
///
/// Source: Robertson 2012.
pub fn yaap(params: &Params, list: &List) -> f64 {
    let sum = sum_of_precisions(params, list);
    (1.0 + sum).ln() - (1.0 + list.num_relevant(params.rel) as f64 - sum).ln()
}
