//! Expected reciprocal rank.

use super::{List, Params};

/// The probability that a document of gain g stops the user.
///
/// (2^g - 1) / 2^m, left as it is where g exceeds m; or g / (m + 1) with
/// `stop="ntcir"`; `default` where `stop` is not given. m is `max_rel`, else the gain of the collection's highest
/// grade. Source: Chapelle et al. 2009.
pub fn stop(gain: f64, default: &str, params: &Params, list: &List) -> f64 {
    let max_rel = params.number("max_rel").unwrap_or_else(|| params.gain(list.top_grade));
    if gain <= 0.0 {
        return 0.0;
    }
    match params.text("stop").unwrap_or(default) {
        "exp" => (2.0_f64.powf(gain) - 1.0) / 2.0_f64.powf(max_rel),
        "ntcir" => gain / (max_rel + 1.0),
        other => panic!("stop={other:?} is unknown"),
    }
}

/// The sum over ranks r of (1/r) stop(r) times the product over the ranks
/// above of (1 - stop).
fn expected_reciprocal_rank(gains: &[f64], params: &Params, list: &List) -> f64 {
    let mut sum = 0.0;
    for (index, &gain) in gains.iter().enumerate() {
        let mut goes_on = 1.0;
        for &above in &gains[..index] {
            goes_on *= 1.0 - stop(above, "exp", params, list);
        }
        sum += goes_on * stop(gain, "exp", params, list) / (index + 1) as f64;
    }
    sum
}

/// ERR = sum over ranks r of (1/r) t(r) product over i < r of (1 - t(i)), to
/// the cutoff if there is one, with t the probability to stop.
///
/// Source: Chapelle et al. 2009.
pub fn err(params: &Params, list: &List) -> f64 {
    let docs = list.first(params.k());
    let gains: Vec<f64> = docs.iter().map(|doc| list.gain(doc, params)).collect();
    expected_reciprocal_rank(&gains, params, list)
}

/// nERR@k = ERR@k / ERR@k of the ideal list.
///
/// Source: NTCIREVAL.
pub fn nerr(params: &Params, list: &List) -> f64 {
    let mut ideal = list.ideal_gains(params);
    if let Some(k) = params.k() {
        ideal.truncate(k);
    }
    err(params, list) / expected_reciprocal_rank(&ideal, params, list)
}
