//! Measures that know the size of the collection: whatever is in it and not
//! judged relevant is not relevant.

use super::{List, Params};

/// The four cells of the table of retrieved against relevant.
struct Table {
    tp: f64,
    fp: f64,
    tn: f64,
    size: f64,
}

/// Counts the set of all retrieved documents, or of the first k, against the
/// whole collection.
///
/// Source: IIR section 8.3.
fn table(params: &Params, list: &List) -> Table {
    let size = size(list);
    let set = list.first(params.k());
    let tp = list.relevant_among(set, params.rel) as f64;
    let fp = set.len() as f64 - tp;
    let missed = list.num_relevant(params.rel) as f64 - tp;
    Table { tp, fp, tn: size - tp - fp - missed, size }
}

/// C, the number of documents in the collection.
fn size(list: &List) -> f64 {
    list.docs_in_collection.expect("this measure needs the size of the collection") as f64
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { f64::NAN } else { part / whole }
}

/// Accuracy = (tp + tn) / C.
///
/// Source: IIR section 8.3.
pub fn accuracy(params: &Params, list: &List) -> f64 {
    let Table { tp, tn, size, .. } = table(params, list);
    share(tp + tn, size)
}

/// Specificity = tn / (fp + tn).
///
/// Source: IIR section 8.4.
pub fn specificity(params: &Params, list: &List) -> f64 {
    let Table { fp, tn, .. } = table(params, list);
    share(tn, fp + tn)
}

/// Fallout = fp / (fp + tn).
///
/// Source: IIR section 8.4.
pub fn fallout(params: &Params, list: &List) -> f64 {
    let Table { fp, tn, .. } = table(params, list);
    share(fp, fp + tn)
}

/// AUC = the share of pairs of a relevant and a non-relevant document of the
/// collection that stand in the right order; a pair that is tied counts 1/2.
///
/// All documents not retrieved are one tied block below the list. Source: IIR
/// section 8.4.
pub fn auc(params: &Params, list: &List) -> f64 {
    let retrieved: Vec<&String> =
        list.ranking.iter().filter(|doc| !list.is_relevant(doc, params.rel)).collect();
    let nonrelevant = size(list) - list.num_relevant(params.rel) as f64;
    let block = nonrelevant - retrieved.len() as f64;
    let rank = |doc: &String| list.ranking.iter().position(|other| other == doc);
    let mut relevant = 0.0;
    let mut right = 0.0;
    for doc in list.grades.keys().filter(|doc| list.is_relevant(doc, params.rel)) {
        relevant += 1.0;
        match rank(doc) {
            None => right += block / 2.0,
            Some(place) => {
                let below = retrieved.iter().filter(|other| rank(other) > Some(place)).count();
                right += below as f64 + block;
            }
        }
    }
    share(right, relevant * nonrelevant)
}
