//! Graded preference: how much less valuable the judged documents above each
//! relevant one are.
//!
//! g is a document's gain, cgI the sum of the gains of the topic, and
//! penalty = sum over judged documents above with g' < g of (g - g') / g. With
//! `partitions` g is the value of a document's class, for its gain.

use super::{List, Params, Value};

/// How a penalty counts: the share to take off, given the number of
/// judged documents above. `None` leaves the document out.
type Share<'a> = &'a dyn Fn(f64, usize) -> Option<f64>;

/// (1/cgI) sum over judged documents with gain of g (1 - share of penalty).
///
/// Documents not retrieved, or beyond the cutoff, add nothing, unless
/// `unretrieved="literal"`: then every one of them stands just below all
/// judged documents retrieved.
fn sum_of_preferences(params: &Params, list: &List, share: Share) -> f64 {
    let retrieved = list.first(params.k());
    let judged: Vec<&String> = retrieved.iter().filter(|doc| list.is_judged(doc)).collect();
    let mut gains = Vec::new();
    for doc in &judged {
        gains.push(worth(doc, params, list));
    }
    let mut sum = 0.0;
    for (index, &gain) in gains.iter().enumerate() {
        sum += preference(gain, &gains[..index], share);
    }
    match params.text("unretrieved").unwrap_or("zero") {
        "zero" => {}
        "literal" => {
            for doc in list.grades.keys() {
                if list.is_judged(doc) && !judged.contains(&doc) {
                    sum += preference(worth(doc, params, list), &gains, share);
                }
            }
        }
        other => panic!("unretrieved={other:?} is not \"literal\""),
    }
    sum / total_gain(params, list)
}

/// g (1 - share of penalty) for one document, given the gains above.
fn preference(gain: f64, above: &[f64], share: Share) -> f64 {
    if gain <= 0.0 {
        return 0.0;
    }
    let mut penalty = 0.0;
    for &other in above {
        if other < gain {
            penalty += (gain - other) / gain;
        }
    }
    match share(penalty, above.len()) {
        Some(share) => gain * (1.0 - share),
        None => 0.0,
    }
}

/// cgI: the sum of the gains of all judged documents.
fn total_gain(params: &Params, list: &List) -> f64 {
    let mut sum = 0.0;
    for doc in list.grades.keys() {
        if list.is_judged(doc) {
            sum += worth(doc, params, list);
        }
    }
    sum
}

/// g: the gain of a document, or the value of its class where `partitions`
/// says how many classes there are.
///
/// Class j of n, counted from 0, holds what has j/n <= gain/H < (j+1)/n, and
/// the last one all above too; it is worth j / (n - 1). So the lowest class is
/// not relevant, and n = 2 is relevance split at 1/2. The paper splits alike
/// but does not say what a class is worth. Source: De Beer & Moens 2006
/// section 3.
fn worth(doc: &String, params: &Params, list: &List) -> f64 {
    let gain = list.gain(doc, params);
    let Some(partitions) = params.number("partitions") else {
        return gain;
    };
    let phi = gain / top_gain(params, list);
    let mut class = 0.0;
    for j in 0..partitions as u64 {
        if phi >= j as f64 / partitions {
            class = j as f64;
        }
    }
    class / (partitions - 1.0)
}

/// H: the gain of the collection's highest grade, or the highest gain of the
/// topic, or the number given, by `top_gain`.
fn top_gain(params: &Params, list: &List) -> f64 {
    match params.values.get("top_gain") {
        Some(Value::Number(number)) => *number,
        Some(Value::Text(text)) if text == "topic" => {
            let mut top = 0.0;
            for doc in list.grades.keys() {
                if list.is_judged(doc) && list.gain(doc, params) > top {
                    top = list.gain(doc, params);
                }
            }
            top
        }
        Some(Value::Text(text)) if text != "collection" => panic!("top_gain={text:?} is unknown"),
        None | Some(Value::Text(_)) => params.gain(list.top_grade),
        Some(_) => panic!("top_gain must be \"collection\", \"topic\" or a number"),
    }
}

/// `rpref_N` = (1/cgI) sum of g (1 - penalty / N'), with
/// N' = judged documents - cgI / H, where H is 1 for the values of classes.
/// Without a penalty the share is 0, which covers N' = 0. With `skip_first` a
/// document with no judged document above is left out of the sum.
///
/// Source: Sakai 2007 eqs. 12 to 16; De Beer & Moens 2006 formula 1
/// and section 2.5.
pub fn rpref_n(params: &Params, list: &List) -> f64 {
    let judged = list.grades.keys().filter(|doc| list.is_judged(doc)).count() as f64;
    let top = if params.values.contains_key("partitions") { 1.0 } else { top_gain(params, list) };
    let nonrelevant = judged - total_gain(params, list) / top;
    let skip_first = params.flag("skip_first").unwrap_or(false);
    let share = |penalty: f64, above: usize| match above {
        0 if skip_first => None,
        _ if penalty == 0.0 => Some(0.0),
        _ => Some(penalty / nonrelevant),
    };
    sum_of_preferences(params, list, &share)
}

/// `rpref_relative` = (1/cgI) sum of g (1 - penalty / a), with a the judged
/// documents above. A document with a = 0 is left out of the sum, or has the
/// share 0 with `skip_first=False`.
///
/// Source: Sakai 2007 eqs. 7, 8 and 17.
pub fn rpref_relative(params: &Params, list: &List) -> f64 {
    let skip_first = params.flag("skip_first").unwrap_or(true);
    let share = |penalty: f64, above: usize| match above {
        0 if skip_first => None,
        0 => Some(0.0),
        _ => Some(penalty / above as f64),
    };
    sum_of_preferences(params, list, &share)
}

/// `rpref_relative2` = (1/cgI) sum of g (1 - penalty / r'), with r' the rank
/// among judged documents.
///
/// Source: Sakai 2007 eq. 19.
pub fn rpref_relative2(params: &Params, list: &List) -> f64 {
    let share = |penalty: f64, above: usize| Some(penalty / (above + 1) as f64);
    sum_of_preferences(params, list, &share)
}
