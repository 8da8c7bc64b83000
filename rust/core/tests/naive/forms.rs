//! Measures over classes, global gains and intents, from their definitions.
//!
//! D- and IA- make other judgments, under which every twin is called again. In
//! EC- and DIN- a document gains in the list otherwise than in the ideal list,
//! so some measures are written down here for two such lists of gains.

use std::collections::BTreeMap;

use super::diversity::{Intent, intents};
use super::{List, Params, Value, q};

/// The value of a measure with a prefix.
pub fn score(family: &str, params: &Params, list: &List) -> f64 {
    if params.prime {
        let condensed = list.condensed();
        let params = Params { prime: false, ..copy(params) };
        return score(family, &params, &List { ranking: &condensed, ..*list });
    }
    let value = match params.over {
        "D" => under(family, params, list, &global(params, list)),
        "IA" => mean(params, list, |params, list| super::score(family, params, list), family),
        "EC" => {
            of_gains(family, params, list, &class_gains(params, list), &class_ideal(params, list))
        }
        "DIN" => {
            let ideal: Vec<f64> = global(params, list).values().copied().collect();
            of_gains(family, params, list, &once(params, list), &ideal)
        }
        other => panic!("no prefix {other}"),
    };
    match params.sharp {
        0.0 => value,
        gamma => gamma * recall_of_intents(&marked(family, params), list) + (1.0 - gamma) * value,
    }
}

fn copy(params: &Params) -> Params {
    let copied = params.values.iter().map(|(key, value)| {
        let value = match value {
            Value::Number(n) => Value::Number(*n),
            Value::Text(text) => Value::Text(text.clone()),
            Value::Flag(flag) => Value::Flag(*flag),
            Value::Map(map) => Value::Map(map.clone()),
        };
        (key.clone(), value)
    });
    Params { values: copied.collect(), ..*params }
}

/// Families that use relevance and not gains, of those tested here.
fn is_binary(family: &str) -> bool {
    ["AP", "aAP", "P", "R", "RR", "Success", "bpref", "num_rel", "Rprec", "RBP"].contains(&family)
}

/// What a grade under an intent, or of a class, gains.
fn gain(params: &Params, grade: f64) -> f64 {
    let binary = params.values.contains_key("binary");
    if binary && grade < params.rel {
        return 0.0;
    }
    let gain = params.gain(grade);
    if params.text("dcg") == Some("exp-log2") { 2.0_f64.powf(gain) - 1.0 } else { gain }
}

/// The same question, which also says whether it counts relevance alone.
fn marked(family: &str, params: &Params) -> Params {
    let mut marked = copy(params);
    if is_binary(family) {
        marked.values.insert("binary".to_string(), Value::Flag(true));
    }
    marked
}

/// P(i).
fn share(list: &List, intent: &Intent) -> f64 {
    intent.weight / intents(list).iter().map(|other| other.weight).sum::<f64>()
}

/// GG(d) = sum over intents of P(i) `g_i(d)`, for every judged document.
fn global(params: &Params, list: &List) -> BTreeMap<String, f64> {
    let mut global = BTreeMap::new();
    for (doc, &grade) in list.grades {
        let mut sum = 0.0;
        for intent in intents(list) {
            if let Some(&under) = intent.grades.get(doc) {
                sum += share(list, &intent) * gain(params, under);
            }
        }
        global.insert(doc.clone(), if grade >= 0.0 { sum } else { grade });
    }
    global
}

/// A measure under other grades, which are gains.
fn under(family: &str, params: &Params, list: &List, grades: &BTreeMap<String, f64>) -> f64 {
    let grades = if is_binary(family) { &global(&marked(family, params), list) } else { grades };
    let mut plain = copy(params);
    plain.over = "";
    plain.sharp = 0.0;
    plain.rel = f64::MIN_POSITIVE;
    plain.values.remove("gain");
    if params.text("dcg") == Some("exp-log2") {
        plain.values.remove("dcg");
    }
    let top_grade = grades.values().copied().fold(0.0, f64::max);
    super::score(family, &plain, &List { grades, top_grade, ..*list })
}

/// The mean over intents of a measure under the grades of each.
fn mean(
    params: &Params,
    list: &List,
    measure: impl Fn(&Params, &List) -> f64,
    family: &str,
) -> f64 {
    let (mut sum, mut some) = (0.0, false);
    for intent in intents(list) {
        let mut grades = BTreeMap::new();
        for (doc, &grade) in list.grades {
            let own = intent.grades.get(doc).map_or(0.0, |&own| own.max(0.0));
            grades.insert(doc.clone(), if grade >= 0.0 { own } else { grade });
        }
        let mut plain = copy(params);
        plain.over = "";
        plain.sharp = 0.0;
        if intent.navigational {
            plain.values.insert("navigational".to_string(), Value::Flag(true));
        }
        let wanted = marked(family, &plain);
        let gains = grades.iter().any(|(_, &grade)| grade >= 0.0 && gain(&wanted, grade) > 0.0);
        if gains {
            sum += share(list, &intent) * measure(&plain, &List { grades: &grades, ..*list });
            some = true;
        }
    }
    if some { sum } else { f64::NAN }
}

/// P+Q under one intent.
pub fn p_q(params: &Params, list: &List) -> f64 {
    let navigational = params.values.contains_key("navigational");
    super::score(if navigational { "PPlus" } else { "Q" }, params, list)
}

/// What each document of the list gains when the first of its class counts.
fn class_gains(params: &Params, list: &List) -> Vec<f64> {
    let classes = &list.columns["class"];
    let worth =
        |doc: &String| if list.is_judged(doc) { gain(params, list.grades[doc]) } else { 0.0 };
    let of = |rank: usize| {
        let doc = &list.ranking[rank];
        let said = list.ranking[..rank]
            .iter()
            .any(|above| worth(above) > 0.0 && classes[above] == classes[doc]);
        if said { 0.0 } else { worth(doc) }
    };
    let worthy = |rank: usize| if worth(&list.ranking[rank]) > 0.0 { of(rank) } else { 0.0 };
    (0..list.ranking.len()).map(worthy).collect()
}

/// The highest gain of each class.
fn class_ideal(params: &Params, list: &List) -> Vec<f64> {
    let classes = &list.columns["class"];
    let mut highest: Vec<(f64, f64)> = Vec::new();
    for (doc, &grade) in list.grades {
        let gain = if grade >= 0.0 { gain(params, grade) } else { 0.0 };
        match highest.iter_mut().find(|(class, _)| *class == classes[doc]) {
            Some((_, known)) => *known = known.max(gain),
            None => highest.push((classes[doc], gain)),
        }
    }
    highest.into_iter().map(|(_, gain)| gain).collect()
}

/// What each document of the list gains when a navigational intent counts once.
fn once(params: &Params, list: &List) -> Vec<f64> {
    let mut gains = Vec::new();
    for (rank, doc) in list.ranking.iter().enumerate() {
        let mut sum = 0.0;
        for intent in intents(list) {
            let serves = |doc: &String| {
                list.is_judged(doc)
                    && intent.grades.get(doc).is_some_and(|&grade| gain(params, grade) > 0.0)
            };
            let served = list.ranking[..rank].iter().any(serves);
            if serves(doc) && !(intent.navigational && served) {
                sum += share(list, &intent) * gain(params, intent.grades[doc]);
            }
        }
        gains.push(sum);
    }
    gains
}

/// I-rec@k of the documents that gain.
fn recall_of_intents(params: &Params, list: &List) -> f64 {
    let serves = |intent: &Intent, doc: &String| {
        list.is_judged(doc)
            && intent.grades.get(doc).is_some_and(|&grade| gain(params, grade) > 0.0)
    };
    let all = intents(list);
    let wanted: Vec<&Intent> =
        all.iter().filter(|i| list.grades.keys().any(|doc| serves(i, doc))).collect();
    let shown = list.first(params.k());
    let found = wanted.iter().filter(|intent| shown.iter().any(|doc| serves(intent, doc)));
    found.count() as f64 / wanted.len() as f64
}

/// A measure of the gains of a list and of the best list.
fn of_gains(family: &str, params: &Params, list: &List, gains: &[f64], ideal: &[f64]) -> f64 {
    if is_binary(family) && !params.values.contains_key("binary") {
        return score(family, &Params { sharp: 0.0, ..marked(family, params) }, list);
    }
    let mut ideal = ideal.to_owned();
    ideal.retain(|&gain| gain > 0.0);
    ideal.sort_by(|a, b| b.total_cmp(a));
    let k = params.k().unwrap_or(usize::MAX);
    let shown = &gains[..k.min(gains.len())];
    let hits = |ranks: usize| gains[..ranks].iter().filter(|&&gain| gain > 0.0).count() as f64;
    let relevant: Vec<usize> = (1..=shown.len()).filter(|&rank| gains[rank - 1] > 0.0).collect();
    let r = ideal.len() as f64;
    if ideal.is_empty() {
        return f64::NAN;
    }
    let dcg = |gains: &[f64]| {
        let rank = |i: usize| i as f64 + 1.0;
        gains.iter().take(k).enumerate().map(|(i, g)| g / (rank(i) + 1.0).log2()).sum::<f64>()
    };
    match family {
        "num_rel" => r,
        "P" => hits(shown.len()) / k as f64,
        "R" => hits(shown.len()) / r,
        "RR" => relevant.first().map_or(0.0, |&rank| 1.0 / rank as f64),
        "AP" => relevant.iter().map(|&rank| hits(rank) / rank as f64).sum::<f64>() / r,
        "Q" => {
            let beta = params.number("beta").unwrap_or(1.0);
            let ratios = relevant.iter().map(|&rank| q::blended_ratio(gains, &ideal, rank, beta));
            ratios.sum::<f64>() / r.min(k as f64)
        }
        "CG" => shown.iter().sum(),
        "DCG" => dcg(gains),
        "nDCG" => dcg(gains) / dcg(&ideal),
        "Success" => relevant.iter().take(1).count() as f64,
        "aAP" => {
            let sum: f64 = relevant.iter().map(|&rank| hits(rank) / rank as f64).sum();
            sum / r.min(k as f64)
        }
        "RBP" => {
            let p = params.number("p").unwrap();
            relevant.iter().map(|&rank| (1.0 - p) * p.powf(rank as f64 - 1.0)).sum()
        }
        "bpref" => {
            let judged = list.grades.values().filter(|&&grade| grade >= 0.0).count() as f64;
            let above = |rank: usize| {
                let nothing = |&i: &usize| gains[i] <= 0.0 && list.is_judged(&list.ranking[i]);
                (0..rank - 1).filter(nothing).count() as f64
            };
            let term = |&rank: &usize| match above(rank) {
                0.0 => 1.0,
                n => 1.0 - n.min(r) / (judged - r).min(r),
            };
            relevant.iter().map(term).sum::<f64>() / r
        }
        "ERR" => cascade("exp", params, shown, ideal[0], |rank| 1.0 / rank as f64),
        "nERR" => {
            let best = &ideal[..k.min(ideal.len())];
            let of =
                |gains: &[f64]| cascade("exp", params, gains, ideal[0], |rank| 1.0 / rank as f64);
            of(shown) / of(best)
        }
        "iRBU" => {
            let p = params.number("p").unwrap();
            cascade("ntcir", params, shown, ideal[0], |rank| p.powf(rank as f64))
        }
        "GAP" => {
            let s = |gain: f64| match params.text("thresholds") {
                Some("uniform") => gain,
                _ => gain * (gain + 1.0),
            };
            let shared = |&rank: &usize| {
                shown[..rank].iter().map(|gain| s(gain.min(shown[rank - 1]))).sum::<f64>()
                    / rank as f64
            };
            let best = ideal.iter().take(k).map(|&gain| s(gain)).sum::<f64>();
            relevant.iter().map(shared).sum::<f64>() / best
        }
        _ => of_blended_ratios(family, params, shown, &ideal),
    }
}

/// The sum over ranks r of u(r) times the probability that a user stops at r,
/// who stops with (2^g - 1) / 2^m, or g / (m + 1) with `stop="ntcir"`; m is
/// `max_rel` or the highest gain.
fn cascade(
    default: &str,
    params: &Params,
    gains: &[f64],
    highest: f64,
    utility: impl Fn(usize) -> f64,
) -> f64 {
    let top = params.number("max_rel").unwrap_or(highest);
    let stops = |gain: f64| match params.text("stop").unwrap_or(default) {
        "exp" => (2.0_f64.powf(gain) - 1.0) / 2.0_f64.powf(top),
        _ => gain / (top + 1.0),
    };
    let at = |i: usize| {
        let passes: f64 = gains[..i].iter().map(|&gain| 1.0 - stops(gain)).product();
        utility(i + 1) * stops(gains[i]) * passes
    };
    (0..gains.len()).map(at).sum()
}

/// O, P-measure, P-plus, NCU and EBR of the gains of a list and of the best list.
fn of_blended_ratios(family: &str, params: &Params, shown: &[f64], ideal: &[f64]) -> f64 {
    let beta = params.number("beta").unwrap_or(1.0);
    let ratio = |rank: usize| q::blended_ratio(shown, ideal, rank, beta);
    let relevant: Vec<usize> = (1..=shown.len()).filter(|&rank| shown[rank - 1] > 0.0).collect();
    let Some(&first) = relevant.first() else {
        return 0.0;
    };
    let better = |best: usize, rank: usize| {
        if shown[rank - 1] > shown[best - 1] { rank } else { best }
    };
    let preferred = relevant.iter().copied().fold(first, better);
    match family {
        "O" => ratio(first),
        "PMeasure" => ratio(preferred),
        "PPlus" => {
            let read: Vec<usize> = relevant.into_iter().take_while(|&r| r <= preferred).collect();
            read.iter().map(|&rank| ratio(rank)).sum::<f64>() / read.len() as f64
        }
        "NCU" => {
            let gamma = params.number("gamma").unwrap_or(0.95);
            let powers = |count: usize| (0..count).map(|c| gamma.powf(c as f64)).sum::<f64>();
            let term = |(found, &rank): (usize, &usize)| {
                let stop = match params.text("stop") {
                    Some("rb") => gamma.powf(found as f64) / powers(ideal.len()),
                    _ => shown[rank - 1] / ideal.iter().sum::<f64>(),
                };
                let precision = (found as f64 + 1.0) / rank as f64;
                stop * if params.text("x") == Some("P") { precision } else { ratio(rank) }
            };
            relevant.iter().enumerate().map(term).sum()
        }
        "EBR" => cascade("ntcir", params, shown, ideal[0], ratio),
        other => panic!("no naive {other} for two lists of gains"),
    }
}
