//! User models of the C/W/L framework, and Cooper's expected search length.

use super::{List, Params};

/// The gains of the first n ranks. Unjudged documents, and ranks past the end
/// of the list, gain `unjudged`.
fn padded(params: &Params, list: &List, n: usize, unjudged: f64) -> Vec<f64> {
    let mut gains = Vec::new();
    for index in 0..n {
        let gain = match list.ranking.get(index) {
            Some(doc) if list.is_judged(doc) => match params.number("max_rel") {
                None => f64::from(u8::from(list.is_relevant(doc, params.rel))),
                Some(max_rel) => list.grades[doc] / max_rel,
            },
            _ => unjudged,
        };
        gains.push(gain);
    }
    gains
}

/// The costs of the first n ranks: those of the column, else `cost`.
fn costs(params: &Params, list: &List, n: usize) -> Vec<f64> {
    let column = list.columns.get("cost");
    let of = |index: usize| {
        let doc = list.ranking.get(index)?;
        column?.get(doc).copied()
    };
    (0..n).map(|index| of(index).unwrap_or(params.number("cost").unwrap_or(1.0))).collect()
}

/// What is spent before and after each of the first n ranks.
fn spent(params: &Params, list: &List, n: usize) -> Vec<f64> {
    cumulated(&costs(params, list, n))
}

/// The number that `out` names, from the continuation vector: W1 = 1 / sum of the
/// products of all C above, W(i+1) = W(i) C(i), L(i) = prod of C above times
/// (1 - C(i)).
fn number(params: &Params, gains: &[f64], costs: &[f64], continuation: &[f64]) -> f64 {
    let spent = cumulated(costs);
    let mut reaches = vec![1.0];
    for (index, c) in continuation.iter().enumerate() {
        reaches.push(reaches[index] * c);
    }
    let cg = cumulated(gains);
    let attention: f64 = reaches[..gains.len()].iter().sum();
    let mut eu = 0.0;
    let mut etu = 0.0;
    let mut ec = 0.0;
    let mut etc = 0.0;
    for index in 0..gains.len() {
        let weight = reaches[index] / attention;
        let last = reaches[index] * (1.0 - continuation[index]);
        eu += weight * gains[index];
        etu += last * cg[index + 1];
        ec += weight * costs[index];
        etc += last * spent[index + 1];
    }
    match params.text("out").unwrap_or("EU") {
        "EU" => eu,
        "ETU" => etu,
        "EC" => ec,
        "ETC" => etc,
        "ED" => attention,
        other => panic!("out={other:?} is unknown"),
    }
}

/// A model is a continuation vector that follows from the gains.
fn model(params: &Params, list: &List, c: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
    let n = params.k().unwrap_or(1000);
    let with = |unjudged: f64| {
        let gains = padded(params, list, n, unjudged);
        number(params, &gains, &costs(params, list, n), &c(&gains))
    };
    match params.text("unjudged").unwrap_or("worst") {
        "worst" => with(0.0),
        "best" => with(1.0),
        "residual" => with(1.0) - with(0.0),
        other => panic!("unjudged={other:?} is unknown"),
    }
}

/// A continuation vector from a rule for each rank.
fn ranks(gains: &[f64], rule: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    (0..gains.len()).map(|index| rule((index + 1) as f64, gains[index])).collect()
}

/// The sums of the first 0, 1, 2 ... gains.
fn cumulated(gains: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for (index, gain) in gains.iter().enumerate() {
        sums.push(sums[index] + gain);
    }
    sums
}

/// INST: `((i+T+T_i-1)/(i+T+T_i))^2` with `T_i = T - cg(i)`.
pub fn inst(params: &Params, list: &List) -> f64 {
    let t = params.number("T").unwrap_or(1.0);
    model(params, list, |gains| {
        let cg = cumulated(gains);
        let rule = |i: usize| {
            let ti = t - cg[i];
            ((i as f64 + t + ti - 1.0) / (i as f64 + t + ti)).powf(2.0)
        };
        (1..=gains.len()).map(rule).collect()
    })
}

/// INSQ: ((i+2T-1)/(i+2T))^2.
pub fn insq(params: &Params, list: &List) -> f64 {
    let t = params.number("T").unwrap_or(1.0);
    model(params, list, |gains| {
        ranks(gains, |i, _| ((i + 2.0 * t - 1.0) / (i + 2.0 * t)).powf(2.0))
    })
}

/// BPM: 1 while cg < T and cost < K; T and K move by hb and hc times
/// (g - med) after each document.
pub fn bpm(params: &Params, list: &List) -> f64 {
    let given = |key: &str, default: f64| params.number(key).unwrap_or(default);
    let med = given("med", 0.5);
    model(params, list, |gains| {
        let cg = cumulated(gains);
        let spent = spent(params, list, gains.len());
        let (mut t, mut k) = (given("T", 1.0), given("K", 10.0));
        let mut continuation = Vec::new();
        for i in 1..=gains.len() {
            // A sum that is the limit up to rounding has reached it.
            let below = |sum: f64, limit: f64| sum < limit - 1e-12 * limit.abs().max(1.0);
            continuation.push(if below(cg[i], t) && below(spent[i], k) { 1.0 } else { 0.0 });
            t += given("hb", 0.0) * (gains[i - 1] - med);
            k += given("hc", 0.0) * (gains[i - 1] - med);
        }
        continuation
    })
}

/// IFT: C1 = 1 - 1/(1 + b1 e^((T-cg)R1)), C2 = 1/(1 + b2 e^((A-cg/cost)R2)).
pub fn ift(params: &Params, list: &List) -> f64 {
    let given = |key: &str, default: f64| params.number(key).unwrap_or(default);
    model(params, list, |gains| {
        let cg = cumulated(gains);
        let spent = spent(params, list, gains.len());
        let mut continuation = Vec::new();
        for (i, cg) in cg.iter().enumerate().skip(1) {
            let mut c = 1.0;
            if let Some(t) = params.number("T") {
                let e = ((t - cg) * given("R1", 10.0)).exp();
                c *= 1.0 - 1.0 / (1.0 + given("b1", 0.9) * e);
            }
            if let Some(a) = params.number("A") {
                let rate = cg / spent[i];
                let e = ((a - rate) * given("R2", 10.0)).exp();
                c *= 1.0 / (1.0 + given("b2", 0.9) * e);
            }
            continuation.push(c);
        }
        continuation
    })
}

/// SDCG: log(i+1)/log(i+2) for i < k, else 0.
pub fn sdcg(params: &Params, list: &List) -> f64 {
    let k = params.k_required() as f64;
    model(params, list, |gains| {
        ranks(gains, |i, _| if i < k { (i + 1.0).ln() / (i + 2.0).ln() } else { 0.0 })
    })
}

/// NPV: 1/(1+rate).
pub fn npv(params: &Params, list: &List) -> f64 {
    let rate = params.number("rate").unwrap_or(0.1);
    model(params, list, |gains| ranks(gains, |_, _| 1.0 / (1.0 + rate)))
}

/// NERR, equation 8: 1 - g for i < k, else 0.
pub fn nerr8(params: &Params, list: &List) -> f64 {
    let k = params.k_required() as f64;
    model(params, list, |gains| ranks(gains, |i, g| if i < k { 1.0 - g } else { 0.0 }))
}

/// NERR, equation 9: (i/(i+1))(1 - g) for i < k, else 0.
pub fn nerr9(params: &Params, list: &List) -> f64 {
    let k = params.k_required() as f64;
    model(params, list, |gains| {
        ranks(gains, |i, g| if i < k { i / (i + 1.0) * (1.0 - g) } else { 0.0 })
    })
}

/// NERR, equation 10: p(1 - g).
pub fn nerr10(params: &Params, list: &List) -> f64 {
    let p = params.number("p").unwrap_or(0.9);
    model(params, list, |gains| ranks(gains, |_, g| p * (1.0 - g)))
}

/// NERR, equation 11: ((i+2T-1)/(i+2T))^2 (1 - g).
pub fn nerr11(params: &Params, list: &List) -> f64 {
    let t = params.number("T").unwrap_or(1.0);
    model(params, list, |gains| {
        ranks(gains, |i, g| ((i + 2.0 * t - 1.0) / (i + 2.0 * t)).powf(2.0) * (1.0 - g))
    })
}

/// A continuation vector from weights: the share of each that the next has;
/// the last is 0.
fn from_weights(weights: &[f64]) -> Vec<f64> {
    let share = |i: usize| match weights.get(i + 1) {
        Some(next) if weights[i] > 0.0 => next / weights[i],
        _ => 0.0,
    };
    (0..weights.len()).map(share).collect()
}

/// TBG: weights h 2^(-x/h) / ln 2, with x the cost before the rank.
pub fn tbg(params: &Params, list: &List) -> f64 {
    let h = params.number("halflife").unwrap_or(224.0);
    if params.text("form") == Some("original") {
        return original_tbg(params, list, h);
    }
    model(params, list, |gains| {
        let spent = spent(params, list, gains.len());
        let weight = |i: usize| h * 2.0_f64.powf(-spent[i] / h) / 2.0_f64.ln();
        from_weights(&(0..gains.len()).map(weight).collect::<Vec<f64>>())
    })
}

/// The gains of the first k documents that there are.
fn shown(params: &Params, list: &List) -> Vec<f64> {
    padded(params, list, list.first(params.k()).len(), 0.0)
}

/// Smucker and Clarke's TBG: sum of .64 .77 g 2^(-T/h); after each document T
/// grows by 4.4 + (.018 words + 7.8) P(click).
fn original_tbg(params: &Params, list: &List, h: f64) -> f64 {
    let gains = shown(params, list);
    let words = costs(params, list, gains.len());
    let time = |rank: usize| -> f64 {
        let of = |i: usize| {
            let click = if gains[i] > 0.0 { 0.64 } else { 0.39 };
            4.4 + (0.018 * words[i] + 7.8) * click
        };
        (0..rank).map(of).sum()
    };
    (0..gains.len()).map(|i| 0.64 * 0.77 * gains[i] * 2.0_f64.powf(-time(i) / h)).sum()
}

/// U: weights max(0, 1 - x/L), with x the cost before the rank; the last is 0.
pub fn u(params: &Params, list: &List) -> f64 {
    let length = params.number("L").unwrap_or(1000.0);
    if params.text("form") == Some("original") {
        // Sakai and Dou: a document gains at its end.
        let gains = shown(params, list);
        let ends = spent(params, list, gains.len());
        return (0..gains.len()).map(|i| gains[i] * (1.0 - ends[i + 1] / length).max(0.0)).sum();
    }
    model(params, list, |gains| {
        let spent = spent(params, list, gains.len());
        let weight = |i: usize| (1.0 - spent[i] / length).max(0.0);
        let mut weights: Vec<f64> = (0..gains.len()).map(weight).collect();
        *weights.last_mut().expect("a rank") = 0.0;
        if weights.len() == 1 { vec![0.0] } else { from_weights(&weights) }
    })
}

/// ESL: the documents that are not relevant above the w-th relevant one; if
/// the list ends before it, all of the list, and of the rest of the
/// collection what a random order is expected to bring: i s / (r + 1), with i
/// others and r relevant documents left, s of them wanted.
///
/// Source: Cooper 1968.
pub fn esl(params: &Params, list: &List) -> f64 {
    let relevant = list.num_relevant(params.rel);
    let wanted = (params.number("wanted").unwrap_or(1.0) as usize).min(relevant);
    let mut found = 0;
    let mut read_in_vain = 0;
    for doc in list.ranking {
        if found == wanted && wanted > 0 {
            break;
        }
        if list.is_relevant(doc, params.rel) {
            found += 1;
        } else {
            read_in_vain += 1;
        }
    }
    let collection = list.docs_in_collection.expect("the size of the collection") as usize;
    let left = relevant - found.min(relevant);
    let others = collection - list.ranking.len() - left;
    let still = (wanted - found.min(wanted)) as f64;
    f64::from(read_in_vain) + still * others as f64 / (left as f64 + 1.0)
}
