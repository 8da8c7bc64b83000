//! Preferences that grades imply, pair by pair.

use super::{List, Params};

/// A judged document that takes part in comparisons.
struct Compared {
    /// Its gain.
    gain: f64,
    /// Where it stands; `None` if it was not retrieved.
    place: Option<usize>,
}

/// The documents to compare: the judged ones of the list in its order, then,
/// unless only retrieved ones count, the judged ones that are not in
/// it. With `nonrel="R"` only the first of those without gain, as many as
/// there are with gain, and stand-ins behind all others where there are fewer.
///
/// Source: what `trec_eval` does, for one judge.
fn compared(params: &Params, list: &List) -> Vec<Compared> {
    let listed = list.first(params.k());
    let retrieved_only = params.text("over") == Some("retrieved");
    let mut all = Vec::new();
    for (place, doc) in listed.iter().enumerate() {
        if list.is_judged(doc) {
            all.push(Compared { gain: list.gain(doc, params), place: Some(place) });
        }
    }
    for doc in list.grades.keys() {
        if list.is_judged(doc) && !listed.contains(doc) && !retrieved_only {
            all.push(Compared { gain: list.gain(doc, params), place: None });
        }
    }
    if params.text("nonrel") != Some("R") {
        return all;
    }
    let wanted = all.iter().filter(|doc| doc.gain > 0.0).count();
    let mut some = Vec::new();
    let mut without_gain = 0;
    for doc in all {
        if doc.gain > 0.0 {
            some.push(doc);
        } else if without_gain < wanted {
            without_gain += 1;
            some.push(doc);
        }
    }
    for extra in without_gain..wanted {
        let place = retrieved_only.then_some(listed.len() + extra);
        some.push(Compared { gain: 0.0, place });
    }
    some
}

/// The pairs in which the first has more gain than the second, and how many of
/// these the list has in that order.
///
/// A document that was not retrieved stands below all that were; of two that
/// were not the order is open, and with `over="implied"` they are not a pair.
fn pairs(params: &Params, list: &List) -> (f64, f64) {
    let docs = compared(params, list);
    let implied = params.text("over") == Some("implied");
    let (mut possible, mut fulfilled) = (0.0, 0.0);
    for x in &docs {
        for y in docs.iter().filter(|y| x.gain > y.gain) {
            if implied && x.place.is_none() && y.place.is_none() {
                continue;
            }
            possible += 1.0;
            fulfilled += match (x.place, y.place) {
                (Some(x), Some(y)) if x < y => 1.0,
                (Some(_), None) => 1.0,
                _ => 0.0,
            };
        }
    }
    (possible, fulfilled)
}

/// The share of the preferences that the list fulfils; 0 where there are none.
///
/// Source: Carterette & Bennett 2008; what `trec_eval` does.
pub fn pref(params: &Params, list: &List) -> f64 {
    let (possible, fulfilled) = pairs(params, list);
    if possible == 0.0 { 0.0 } else { fulfilled / possible }
}

/// The number of preferences.
///
/// Source: `trec_eval` (`prefs_num_prefs_poss`).
pub fn num_prefs(params: &Params, list: &List) -> f64 {
    pairs(params, list).0
}

/// The number of preferences that the list fulfils.
///
/// Source: `trec_eval` (`prefs_num_prefs_ful`).
pub fn num_prefs_ful(params: &Params, list: &List) -> f64 {
    pairs(params, list).1
}
