//! Cumulated gain, discounted and normalised.

use super::{List, Params};

/// The sum of the gains at ranks 1, 2, ... each under its discount.
///
/// `"log2"`: g / log2(r + 1). `"exp-log2"`: (2^g - 1) / log2(r + 1). `"jk"`: g
/// down to rank `base` (2), then g over the logarithm of r to that base.
/// Source: Järvelin & Kekäläinen 2002; Burges et al.
/// 2005; Sakai 2007 eq. 22.
fn discounted(gains: &[f64], params: &Params, default: &str) -> f64 {
    let base = params.number("base").unwrap_or(2.0);
    let mut sum = 0.0;
    for (index, &gain) in gains.iter().enumerate() {
        let rank = (index + 1) as f64;
        sum += match params.text("dcg").unwrap_or(default) {
            "log2" => gain / (rank + 1.0).log2(),
            "exp-log2" => (2.0_f64.powf(gain) - 1.0) / (rank + 1.0).log2(),
            "jk" if rank <= base => gain,
            "jk" => gain / (rank.ln() / base.ln()),
            other => panic!("dcg={other:?} is unknown"),
        };
    }
    sum
}

/// The gains of the list, down to the cutoff.
fn gains(params: &Params, list: &List) -> Vec<f64> {
    list.first(params.k()).iter().map(|doc| list.gain(doc, params)).collect()
}

/// The gains of the ideal list, down to the cutoff.
fn ideal_gains_cut(params: &Params, list: &List) -> Vec<f64> {
    let mut ideal = list.ideal_gains(params);
    if let Some(k) = params.k() {
        ideal.truncate(k);
    }
    ideal
}

/// CG@k = the sum of the gains of the first k documents.
///
/// Source: Järvelin & Kekäläinen 2002.
pub fn cg(params: &Params, list: &List) -> f64 {
    let mut sum = 0.0;
    for gain in gains(params, list) {
        sum += gain;
    }
    sum
}

/// DCG@k = the discounted sum of the gains of the first k documents.
pub fn dcg(params: &Params, list: &List) -> f64 {
    discounted(&gains(params, list), params, "log2")
}

/// nDCG@k = DCG@k / DCG@k of the ideal list. Without a cutoff the ideal list
/// is all relevant documents, however short the list is.
///
/// Source: Sakai 2007 eq. 22; IIR 8.9.
pub fn ndcg(params: &Params, list: &List) -> f64 {
    discounted(&gains(params, list), params, "log2")
        / discounted(&ideal_gains_cut(params, list), params, "log2")
}

/// enDCG@k = DCG@k / DCG of the whole ideal list, never cut, with the
/// discount `"jk"` unless another is given.
///
/// Source: Webber et al. 2010 section 2.
pub fn endcg(params: &Params, list: &List) -> f64 {
    discounted(&gains(params, list), params, "jk")
        / discounted(&list.ideal_gains(params), params, "jk")
}

/// iDCG@k = DCG@k of the ideal list.
///
/// Source: `ideal_dcg` of `trec_eval`.
pub fn idcg(params: &Params, list: &List) -> f64 {
    discounted(&ideal_gains_cut(params, list), params, "log2")
}

/// nDCG at a rank, with both lists cut there.
fn ndcg_at(rank: usize, params: &Params, list: &List) -> f64 {
    let listed: Vec<f64> = gains(params, list).into_iter().take(rank).collect();
    let ideal: Vec<f64> = list.ideal_gains(params).into_iter().take(rank).collect();
    discounted(&listed, params, "log2") / discounted(&ideal, params, "log2")
}

/// `nDCG_rel` = the mean over all documents with a gain of nDCG at the rank of
/// the document, or of nDCG of the whole list if it was not retrieved.
///
/// Source: `trec_eval`, what it says of `ndcg_rel`.
pub fn ndcg_rel(params: &Params, list: &List) -> f64 {
    let mut sum = 0.0;
    let mut relevant = 0.0;
    for doc in list.grades.keys().filter(|doc| list.gain(doc, params) > 0.0) {
        let place = list.ranking.iter().position(|other| other == doc);
        sum += ndcg_at(place.map_or(usize::MAX, |place| place + 1), params, list);
        relevant += 1.0;
    }
    sum / relevant
}

/// `RnDCG` = the mean of nDCG after as many documents as have a gain of at
/// least g, for each gain g > 0 of the topic, and of nDCG of the whole list.
///
/// Source: `trec_eval`, what it says of Rndcg.
pub fn rndcg(params: &Params, list: &List) -> f64 {
    let all = list.ideal_gains(params);
    let mut distinct = all.clone();
    distinct.dedup();
    let mut sum = ndcg_at(usize::MAX, params, list);
    for gain in &distinct {
        let reached = all.iter().filter(|other| *other >= gain).count();
        sum += ndcg_at(reached, params, list);
    }
    sum / (distinct.len() + 1) as f64
}
