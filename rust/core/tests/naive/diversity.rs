//! Diversity: what a list does for users who mean different things.
//!
//! A column called `intent...` or, if the intent is navigational, `nav...` holds
//! the grades of the documents judged under that intent, the column `weight` the weight of each intent.

use std::collections::BTreeMap;

use super::{List, Params};

/// An intent: its weight and the grades under it.
pub struct Intent<'a> {
    pub weight: f64,
    pub navigational: bool,
    pub grades: &'a BTreeMap<String, f64>,
}

pub fn intents<'a>(list: &'a List) -> Vec<Intent<'a>> {
    let is_intent = |name: &str| name.starts_with("intent") || name.starts_with("nav");
    let named = list.columns.iter().filter(|(name, _)| is_intent(name));
    named
        .map(|(name, grades)| {
            let weight = list.columns.get("weight").map_or(1.0, |weights| weights[name]);
            Intent { weight, navigational: name.starts_with("nav"), grades }
        })
        .collect()
}

/// Whether a judged document is relevant under an intent.
fn serves(list: &List, intent: &Intent, doc: &String, rel: f64) -> bool {
    list.is_judged(doc) && intent.grades.get(doc).is_some_and(|&grade| grade >= rel)
}

/// The intents with at least one relevant document.
fn wanted<'a>(params: &Params, list: &'a List) -> Vec<Intent<'a>> {
    let mut wanted = intents(list);
    wanted.retain(|intent| list.grades.keys().any(|doc| serves(list, intent, doc, params.rel)));
    wanted
}

/// The sum of the weights of these intents.
fn weight(intents: &[Intent]) -> f64 {
    intents.iter().map(|intent| intent.weight).sum()
}

/// `score_i` = sum over intents of w rel (1 - alpha)^(relevant documents above).
fn score(params: &Params, list: &List, above: &[String], doc: &String) -> f64 {
    let alpha = params.number("alpha").unwrap_or(0.5);
    let mut sum = 0.0;
    for intent in intents(list) {
        if serves(list, &intent, doc, params.rel) {
            let seen = above.iter().filter(|other| serves(list, &intent, other, params.rel));
            sum += intent.weight * (1.0 - alpha).powi(seen.count() as i32);
        }
    }
    sum
}

/// The scores of a ranking, rank by rank.
fn scores(params: &Params, list: &List, ranking: &[String]) -> Vec<f64> {
    (0..ranking.len()).map(|i| score(params, list, &ranking[..i], &ranking[i])).collect()
}

/// The greedy ideal: each time the document with the highest score, the larger
/// document number among equals, until nothing adds anything.
fn greedy(params: &Params, list: &List) -> Vec<String> {
    let mut chosen: Vec<String> = Vec::new();
    loop {
        let mut best: Option<(f64, &String)> = None;
        for doc in list.grades.keys().filter(|doc| !chosen.contains(doc)) {
            let score = score(params, list, &chosen, doc);
            if score > 0.0 && best.is_none_or(|(other, _)| score >= other) {
                best = Some((score, doc));
            }
        }
        match best {
            Some((_, doc)) => chosen.push(doc.clone()),
            None => return chosen,
        }
    }
}

/// The sum over the first k ranks of a score times a discount.
fn discounted(scores: &[f64], k: usize, discount: impl Fn(f64) -> f64) -> f64 {
    scores.iter().take(k).enumerate().map(|(i, score)| score * discount(i as f64 + 1.0)).sum()
}

/// The same of a list whose every document serves every intent.
fn ideal_ideal(params: &Params, k: usize, discount: impl Fn(f64) -> f64) -> f64 {
    let alpha = params.number("alpha").unwrap_or(0.5);
    (1..=k).map(|i| (1.0 - alpha).powi(i as i32 - 1) * discount(i as f64)).sum()
}

/// A discounted sum over that of the ideal ideal with A intents.
fn cascade(params: &Params, list: &List, discount: impl Fn(f64) -> f64 + Copy) -> f64 {
    let k = params.k_required();
    let sum = discounted(&scores(params, list, list.ranking), k, discount);
    sum / ideal_ideal(params, k, discount) / weight(&wanted(params, list))
}

/// A discounted sum over that of the greedy ideal.
fn normalised(params: &Params, list: &List, k: usize, discount: impl Fn(f64) -> f64 + Copy) -> f64 {
    let ideal = greedy(params, list);
    discounted(&scores(params, list, list.ranking), k, discount)
        / discounted(&scores(params, list, &ideal), k, discount)
}

/// ERR-IA@k.
pub fn err_ia(params: &Params, list: &List) -> f64 {
    cascade(params, list, |rank| 1.0 / rank)
}

/// nERR-IA@k.
pub fn nerr_ia(params: &Params, list: &List) -> f64 {
    normalised(params, list, params.k_required(), |rank| 1.0 / rank)
}

/// alpha-DCG@k.
pub fn alpha_dcg(params: &Params, list: &List) -> f64 {
    cascade(params, list, |rank| 1.0 / (rank + 1.0).log2())
}

/// alpha-nDCG@k.
pub fn alpha_ndcg(params: &Params, list: &List) -> f64 {
    normalised(params, list, params.k_required(), |rank| 1.0 / (rank + 1.0).log2())
}

/// NRBP = (1 - (1 - alpha) beta) / A times sum of score beta^(i-1).
pub fn nrbp(params: &Params, list: &List) -> f64 {
    let alpha = params.number("alpha").unwrap_or(0.5);
    let beta = params.number("beta").unwrap_or(0.5);
    let scores = scores(params, list, list.ranking);
    let sum = discounted(&scores, scores.len(), |rank| beta.powf(rank - 1.0));
    (1.0 - (1.0 - alpha) * beta) * sum / weight(&wanted(params, list))
}

/// nNRBP: NRBP over that of the greedy ideal.
pub fn nnrbp(params: &Params, list: &List) -> f64 {
    let beta = params.number("beta").unwrap_or(0.5);
    normalised(params, list, usize::MAX, |rank| beta.powf(rank - 1.0))
}

/// The weighted mean over the intents with a relevant document.
fn mean(params: &Params, list: &List, of_intent: impl Fn(&Intent) -> f64) -> f64 {
    let wanted = wanted(params, list);
    wanted.iter().map(|intent| intent.weight * of_intent(intent)).sum::<f64>() / weight(&wanted)
}

/// MAP-IA: the mean of AP.
pub fn ap_ia(params: &Params, list: &List) -> f64 {
    mean(params, list, |intent| {
        let relevant = |doc: &&String| serves(list, intent, doc, params.rel);
        let shown = list.first(params.k());
        let mut sum = 0.0;
        for (index, doc) in shown.iter().enumerate() {
            if relevant(&doc) {
                let found = shown[..=index].iter().filter(relevant).count();
                sum += found as f64 / (index + 1) as f64;
            }
        }
        sum / list.grades.keys().filter(relevant).count() as f64
    })
}

/// P-IA: the mean of P@k.
pub fn p_ia(params: &Params, list: &List) -> f64 {
    mean(params, list, |intent| {
        let shown = list.first(params.k()).iter();
        let found = shown.filter(|doc| serves(list, intent, doc, params.rel)).count();
        found as f64 / params.k_required() as f64
    })
}

/// Subtopic recall: intents covered / A.
pub fn st_recall(params: &Params, list: &List) -> f64 {
    let wanted = wanted(params, list);
    let shown = list.first(params.k());
    let covered = |intent: &&Intent| shown.iter().any(|doc| serves(list, intent, doc, params.rel));
    wanted.iter().filter(covered).count() as f64 / wanted.len() as f64
}

/// RBU, the sum over ranks and intents written out.
pub fn rbu(params: &Params, list: &List) -> f64 {
    let p = params.number("p").unwrap_or(0.8);
    let e = params.number("e").unwrap_or(0.03);
    let earlier = i32::from(params.text("discount") == Some("p^(r-1)"));
    let intents = intents(list);
    let satisfies = |intent: &Intent, doc: &String| {
        let judged = list.grades.keys().filter(|doc| list.is_judged(doc));
        let highest =
            judged.filter_map(|doc| intent.grades.get(doc)).fold(0.0, |a: f64, b| a.max(*b));
        let grade =
            intent.grades.get(doc).filter(|_| list.is_judged(doc)).map_or(0.0, |g| g.max(0.0));
        (2_f64.powf(grade) - 1.0) / 2_f64.powf(params.number("max_rel").unwrap_or(highest))
    };
    let shown = list.first(params.k());
    let mut sum = 0.0;
    for (index, doc) in shown.iter().enumerate() {
        let mut gained = 0.0;
        for intent in &intents {
            let open: f64 =
                shown[..index].iter().map(|other| 1.0 - satisfies(intent, other)).product();
            gained += intent.weight / weight(&intents) * satisfies(intent, doc) * open;
        }
        sum += p.powi(index as i32 + 1 - earlier) * (gained - e);
    }
    (1.0 - p) * sum
}
