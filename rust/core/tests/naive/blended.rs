//! The blended ratio at one rank, or where a user may stop: O, P-measure,
//! P-plus, NCU, EBR, iRBU.

use super::err::stop;
use super::q::blended_ratio;
use super::{List, Params};

/// The gains of the list, rank by rank, to the cutoff if there is one.
fn gains(params: &Params, list: &List) -> Vec<f64> {
    list.first(params.k()).iter().map(|doc| list.gain(doc, params)).collect()
}

/// BR(r) on the list.
fn br(params: &Params, list: &List, rank: usize) -> f64 {
    let beta = params.number("beta").unwrap_or(1.0);
    blended_ratio(&gains(params, list), &list.ideal_gains(params), rank, beta)
}

/// The first rank with the highest gain of the list, if anything gains.
fn preferred_rank(gains: &[f64]) -> Option<usize> {
    let highest = gains.iter().copied().fold(0.0, f64::max);
    if highest == 0.0 {
        return None;
    }
    gains.iter().position(|&gain| gain == highest).map(|index| index + 1)
}

/// O = BR at the first relevant rank.
pub fn o(params: &Params, list: &List) -> f64 {
    match gains(params, list).iter().position(|&gain| gain > 0.0) {
        Some(index) => br(params, list, index + 1),
        None => 0.0,
    }
}

/// P-measure = BR at the preferred rank.
pub fn p_measure(params: &Params, list: &List) -> f64 {
    match preferred_rank(&gains(params, list)) {
        Some(rank) => br(params, list, rank),
        None => 0.0,
    }
}

/// P-plus = mean of BR over the relevant ranks up to the preferred rank.
pub fn p_plus(params: &Params, list: &List) -> f64 {
    let gains = gains(params, list);
    let Some(preferred) = preferred_rank(&gains) else {
        return 0.0;
    };
    let relevant: Vec<usize> = (1..=preferred).filter(|&rank| gains[rank - 1] > 0.0).collect();
    let sum: f64 = relevant.iter().map(|&rank| br(params, list, rank)).sum();
    sum / relevant.len() as f64
}

/// NCU = sum over relevant ranks of `P_stop` times X.
///
/// Source: Sakai and Robertson 2008.
pub fn ncu(params: &Params, list: &List) -> f64 {
    let gamma = params.number("gamma").unwrap_or(0.95);
    let gains = gains(params, list);
    let ideal = list.ideal_gains(params);
    let mut sum = 0.0;
    for rank in 1..=gains.len() {
        if gains[rank - 1] == 0.0 {
            continue;
        }
        let count = gains[..rank].iter().filter(|&&gain| gain > 0.0).count();
        let stop = match params.text("stop").unwrap_or("gu") {
            "gu" => gains[rank - 1] / ideal.iter().sum::<f64>(),
            "rb" => {
                let mut all = 0.0;
                for i in 1..=ideal.len() {
                    all += gamma.powf(i as f64 - 1.0);
                }
                gamma.powf(count as f64 - 1.0) / all
            }
            other => panic!("stop={other:?} is unknown"),
        };
        sum += stop
            * match params.text("x").unwrap_or("BR") {
                "BR" => br(params, list, rank),
                "P" => count as f64 / rank as f64,
                other => panic!("x={other:?} is unknown"),
            };
    }
    sum
}

/// The sum over ranks r of u(r) times the probability to stop there, having
/// passed all ranks above.
fn expected(params: &Params, list: &List, utility: impl Fn(usize) -> f64) -> f64 {
    let gains = gains(params, list);
    let mut sum = 0.0;
    for rank in 1..=gains.len() {
        let passed: f64 =
            gains[..rank - 1].iter().map(|&gain| 1.0 - stop(gain, "ntcir", params, list)).product();
        sum += utility(rank) * stop(gains[rank - 1], "ntcir", params, list) * passed;
    }
    sum
}

/// EBR = sum over ranks of BR(r) times the probability to stop at r.
pub fn ebr(params: &Params, list: &List) -> f64 {
    expected(params, list, |rank| br(params, list, rank))
}

/// iRBU = sum over ranks of p^r times the probability to stop at r.
pub fn irbu(params: &Params, list: &List) -> f64 {
    let p = params.number("p").unwrap_or(0.99);
    expected(params, list, |rank| p.powf(rank as f64))
}
