//! Measures of the retrieved documents as a set: all of them, or the first k.

use super::{List, Params};

/// `SetP` = relevant in the set / size of the set; 0 for the empty set.
///
/// Source: IIR 8.1; measures.md 1.2.
pub fn set_p(params: &Params, list: &List) -> f64 {
    let set = list.first(params.k());
    if set.is_empty() {
        return 0.0;
    }
    list.relevant_among(set, params.rel) as f64 / set.len() as f64
}

/// `SetR` = relevant in the set / R.
///
/// Source: IIR 8.2; measures.md 1.2.
pub fn set_r(params: &Params, list: &List) -> f64 {
    let set = list.first(params.k());
    list.relevant_among(set, params.rel) as f64 / list.num_relevant(params.rel) as f64
}

/// `SetF` = (b^2 + 1) P R / (b^2 P + R) with b = `beta` (1); 0 if P = R = 0.
///
/// Source: IIR 8.5; measures.md 1.2 and D15.
pub fn set_f(params: &Params, list: &List) -> f64 {
    let beta = params.number("beta").unwrap_or(1.0);
    let p = set_p(params, list);
    let r = set_r(params, list);
    if p == 0.0 && r == 0.0 {
        return 0.0;
    }
    (beta * beta + 1.0) * p * r / (beta * beta * p + r)
}

/// `SetAP` = `SetP` times `SetR`.
///
/// Source: measures.md 1.2 (`set_map` of `trec_eval`).
pub fn set_ap(params: &Params, list: &List) -> f64 {
    set_p(params, list) * set_r(params, list)
}
