//! Cumulated relative position and twist, on lists written out rank by rank.

use super::{List, Params};

/// The relative positions of a list of gains: 0 where the ideal list, of any
/// length, has a document of that gain, else the distance to the nearest rank
/// where it has one.
fn relative_positions(gains: &[f64], ideal: &[f64]) -> Vec<f64> {
    let at = |rank: usize| ideal.get(rank - 1).copied().unwrap_or(0.0);
    let distance = |rank: usize, gain: f64| {
        // The distance to the first rank of that gain.
        let up = (0..rank).find(|away| at(rank - away) == gain);
        let down = (0..=ideal.len()).find(|away| at(rank + away) == gain);
        match (up, down) {
            (Some(up), Some(down)) if down < up => -(down as f64),
            (Some(up), _) => up as f64,
            (None, Some(down)) => -(down as f64),
            (None, None) => unreachable!("every gain of the list is in the ideal list"),
        }
    };
    (1..).zip(gains).map(|(rank, &gain)| distance(rank, gain)).collect()
}

/// The gains of the first documents of the list, with nothing after its end.
fn gains(params: &Params, list: &List, k: usize, length: usize) -> Vec<f64> {
    let mut gains: Vec<f64> =
        list.first(Some(k)).iter().map(|doc| list.gain(doc, params)).collect();
    gains.resize(length.max(gains.len()), 0.0);
    gains
}

/// CRP@k: the relative positions of the first k ranks added up; without a
/// cutoff those of the list, which does not end before R.
///
/// Source: Angelini et al. 2012.
pub fn crp(params: &Params, list: &List) -> f64 {
    let ideal = list.ideal_gains(params);
    if ideal.is_empty() {
        return f64::NAN;
    }
    let k = params.k().unwrap_or(list.ranking.len().max(ideal.len()));
    let filled = gains(params, list, k, k.min(list.ranking.len() + ideal.len()));
    relative_positions(&filled, &ideal).iter().sum()
}

/// Twist: the mean of recovery ratio and space ratio over N ranks (1000).
///
/// Source: Ferro et al. 2016; MATTERS, twist.m.
pub fn twist(params: &Params, list: &List) -> f64 {
    let mut ideal = list.ideal_gains(params);
    let relevant = ideal.len();
    if relevant == 0 {
        return f64::NAN;
    }
    let k = params.k().unwrap_or(1000);
    // Fewer ranks than relevant documents have no worst list.
    let length = if k > relevant { k } else { 2 * relevant };
    let own = gains(params, list, k, length);
    if own.iter().all(|&gain| gain == 0.0) {
        return 0.0;
    }
    ideal.resize(length, 0.0);
    let reversed: Vec<f64> = ideal.iter().rev().copied().collect();
    let own = relative_positions(&own, &ideal);
    let worst = relative_positions(&reversed, &ideal);

    let passes_0 = |rank: &usize| own[..*rank].iter().sum::<f64>() > 0.0;
    let recovery = if own.iter().all(|&position| position == 0.0) {
        1.0
    } else if let Some(rank) = (1..=own.len()).find(passes_0) {
        relevant as f64 / relevant.max(rank - 1) as f64
    } else {
        0.0
    };
    let share = |side: fn(f64) -> f64| {
        let sum = |positions: &[f64]| positions.iter().map(|&p| side(p)).sum::<f64>();
        1.0 - sum(&own) / sum(&worst)
    };
    let late = share(|position| position.max(0.0));
    let early = share(|position| (-position).max(0.0)).max(0.0);
    let space = if late > 0.0 && early > 0.0 { 2.0 / (1.0 / late + 1.0 / early) } else { 0.0 };
    match params.text("out") {
        Some("rho") => recovery,
        Some("sigma") => space,
        _ => f64::midpoint(recovery, space),
    }
}
