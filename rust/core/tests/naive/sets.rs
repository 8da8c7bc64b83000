//! Measures of the retrieved documents as a set: all of them, or the first k.

use super::{List, Params};

/// `SetP` = relevant in the set / size of the set; 0 for the empty set.
///
/// Source: IIR 8.1.
pub fn set_p(params: &Params, list: &List) -> f64 {
    let set = list.first(params.k());
    if set.is_empty() {
        return 0.0;
    }
    list.relevant_among(set, params.rel) as f64 / set.len() as f64
}

/// `SetR` = relevant in the set / R.
///
/// Source: IIR 8.2.
pub fn set_r(params: &Params, list: &List) -> f64 {
    let set = list.first(params.k());
    list.relevant_among(set, params.rel) as f64 / list.num_relevant(params.rel) as f64
}

/// F of a precision and a recall; 0 if both are 0.
///
/// 1 / (a/P + (1-a)/R) where a = `alpha` is given, else
/// (b^2 + 1) P R / (b^2 P + R) with b = `beta` (1).
/// Source: IIR 8.5.
fn f(p: f64, r: f64, params: &Params) -> f64 {
    if p == 0.0 && r == 0.0 {
        return 0.0;
    }
    if let Some(alpha) = params.number("alpha") {
        return 1.0 / (alpha / p + (1.0 - alpha) / r);
    }
    let beta = params.number("beta").unwrap_or(1.0);
    if beta == f64::INFINITY {
        // What (b^2 + 1) P R / (b^2 P + R) comes to.
        return r;
    }
    (beta * beta + 1.0) * p * r / (beta * beta * p + r)
}

/// `SetF` = F of `SetP` and `SetR`.
///
/// Source: IIR 8.5.
pub fn set_f(params: &Params, list: &List) -> f64 {
    f(set_p(params, list), set_r(params, list), params)
}

/// `IoU` = what is retrieved and relevant / what is one or the other.
///
/// Source: Jaccard 1912.
pub fn iou(params: &Params, list: &List) -> f64 {
    let set = list.first(params.k());
    let both = list.relevant_among(set, params.rel) as f64;
    both / (set.len() as f64 + list.num_relevant(params.rel) as f64 - both)
}

/// E = 1 - `SetF`.
///
/// Source: van Rijsbergen 1979, by IIR section 8.8.
pub fn e(params: &Params, list: &List) -> f64 {
    1.0 - set_f(params, list)
}

/// `MaxF` = the highest F of the first r documents over all ranks r, down to
/// the cutoff if there is one; 0 for an empty list.
///
/// Source: IIR section 8.4 (the best point on the curve).
pub fn max_f(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel) as f64;
    if relevant == 0.0 {
        return f64::NAN;
    }
    let docs = list.first(params.k());
    let mut best = 0.0;
    for rank in 1..=docs.len() {
        let found = list.relevant_among(&docs[..rank], params.rel) as f64;
        let f = f(found / rank as f64, found / relevant, params);
        if f > best {
            best = f;
        }
    }
    best
}

/// `SetAP` = `SetP` times `SetR`.
///
/// Source: `set_map` of `trec_eval`.
pub fn set_ap(params: &Params, list: &List) -> f64 {
    set_p(params, list) * set_r(params, list)
}

/// `SetRcap` = relevant in the set / the most that a set of its size can have;
/// 0 for the empty set.
///
/// Source: `set_relative_P` of `trec_eval`.
pub fn set_rcap(params: &Params, list: &List) -> f64 {
    let set = list.first(params.k());
    let relevant = list.num_relevant(params.rel);
    if set.is_empty() && relevant > 0 {
        return 0.0;
    }
    let most = if set.len() < relevant { set.len() } else { relevant };
    list.relevant_among(set, params.rel) as f64 / most as f64
}

/// Utility = the sum over all documents of what the decision on each is worth:
/// `tp` (1) and `fp` (-1) for those in the set, `fn` (0) and `tn` (0) for those
/// left out. Without a collection only judged and retrieved documents exist,
/// and `tn` must be 0.
///
/// Source: `utility` of `trec_eval`.
pub fn utility(params: &Params, list: &List) -> f64 {
    let worth = |key: &str, default: f64| params.number(key).unwrap_or(default);
    let set = list.first(params.k());
    let mut utility = 0.0;
    for doc in set {
        let relevant = list.is_relevant(doc, params.rel);
        utility += if relevant { worth("tp", 1.0) } else { worth("fp", -1.0) };
    }
    let missed = |doc: &&String| list.is_relevant(doc, params.rel) && !set.contains(doc);
    let missed = list.grades.keys().filter(missed).count();
    for _ in 0..missed {
        utility += worth("fn", 0.0);
    }
    if worth("tn", 0.0) != 0.0 {
        let collection = list.docs_in_collection.expect("tn needs the size of the collection");
        for _ in set.len() + missed..collection as usize {
            utility += worth("tn", 0.0);
        }
    }
    utility
}
