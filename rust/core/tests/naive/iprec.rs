//! Precision at a recall level, interpolated and not, with levels compared in
//! integers.

use super::{List, Params};

/// The highest P@r over the ranks r >= 1 whose recall reaches `top / bottom`,
/// that is c(r) * bottom >= top * R; 0 if there is none.
fn best_precision(list: &List, rel: f64, top: u128, bottom: u128) -> f64 {
    let relevant = list.num_relevant(rel) as u128;
    let mut best = 0.0;
    for rank in 1..=list.ranking.len() {
        let found = list.relevant_among(&list.ranking[..rank], rel);
        let precision = found as f64 / rank as f64;
        if found as u128 * bottom >= top * relevant && precision > best {
            best = precision;
        }
    }
    best
}

/// The decimal number that a person would write for `t`, as a fraction.
pub fn decimal(t: f64) -> (u128, u128) {
    let written = format!("{t}");
    let (whole, fraction) = written.split_once('.').unwrap_or((&written, ""));
    let digits = format!("{whole}{fraction}");
    (digits.parse().expect("a recall level is not negative"), 10_u128.pow(fraction.len() as u32))
}

/// `IPrec@t` = max over ranks r with c(r) >= t R of P@r, 0 if there is none.
///
/// t is read as the decimal number it is written as, and compared exactly; at
/// t = 0 every rank qualifies. Source: IIR 8.7.
pub fn iprec(params: &Params, list: &List) -> f64 {
    let (top, bottom) = decimal(params.cutoff.expect("IPrec needs a recall level"));
    best_precision(list, params.rel, top, bottom)
}

/// `PrecAtRecall@t` = P@r at the first rank r >= 1 with c(r) >= t R, without
/// interpolation; 0 if there is none. t is read and compared as by `IPrec`.
///
/// Source: IIR section 8.4 and exercise 8.9.
pub fn prec_at_recall(params: &Params, list: &List) -> f64 {
    let (top, bottom) = decimal(params.cutoff.expect("PrecAtRecall needs a recall level"));
    let relevant = list.num_relevant(params.rel) as u128;
    if relevant == 0 {
        return f64::NAN;
    }
    for rank in 1..=list.ranking.len() {
        let found = list.relevant_among(&list.ranking[..rank], params.rel);
        if found as u128 * bottom >= top * relevant {
            return found as f64 / rank as f64;
        }
    }
    0.0
}

/// IAP = the mean of `IPrec` at `points` (11) recall levels, evenly spaced
/// from 0 to 1.
///
/// Source: IIR section 8.4.
#[allow(clippy::cast_sign_loss, reason = "a number of points is never below 0")]
pub fn iap(params: &Params, list: &List) -> f64 {
    let points = params.number("points").unwrap_or(11.0) as u128;
    let mut sum = 0.0;
    for point in 0..points {
        sum += best_precision(list, params.rel, point, points - 1);
    }
    sum / points as f64
}
