//! The worked examples of `vectors.json`, as rankings, measures and values.
//!
//! The file holds rankings with their judgments and the exact value of many
//! measures, under names of its own. This reads it and gives every value that
//! belongs to a measure with a naive twin, under the canonical spelling.

#![allow(dead_code, reason = "a test file reads only the fields that it needs")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// One worked example: what a measure is worth on one list.
pub struct VectorCase {
    /// The record's name in the file.
    pub record: String,
    /// The value's key in the record.
    pub key: String,
    /// The measure in its canonical spelling.
    pub measure: String,
    /// Retrieved documents, best first.
    pub ranking: Vec<String>,
    /// Judged documents; a negative grade is pooled but not judged.
    pub grades: BTreeMap<String, f64>,
    /// Number of documents in the collection, where the record names it.
    pub docs_in_collection: Option<u64>,
    /// The collection's highest gain, where the record names it. The measure
    /// spells it already wherever it matters, so the highest grade of
    /// `grades` does for the collection's.
    pub top_gain: Option<f64>,
    /// What the measure is worth.
    pub expected: f64,
}

/// Reads the file at `path`. Panics, with the record's name, on anything that
/// is not as expected: the file is part of the tests.
pub fn cases(path: &Path) -> Vec<VectorCase> {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let records: Value = serde_json::from_str(&text).expect("vectors.json is JSON");
    let mut cases = Vec::new();
    for record in records.as_array().expect("a list of records") {
        add_record(record, &mut cases);
    }
    cases
}

fn add_record(record: &Value, cases: &mut Vec<VectorCase>) {
    let Some(Topic { ranking, grades, docs_in_collection }) = topic(record) else {
        return;
    };
    let name = record["name"].as_str().expect("a name");
    let top_gain = record["params"]["H_gain"].as_f64();
    let spelling = Spelling::of(record, &grades, top_gain);
    for (key, expected) in record["expected"].as_object().expect("expected values") {
        for measure in spelling.measures(key) {
            cases.push(VectorCase {
                record: name.to_owned(),
                key: key.clone(),
                measure,
                ranking: ranking.clone(),
                grades: grades.clone(),
                docs_in_collection,
                top_gain,
                expected: number(expected),
            });
        }
    }
}

/// What a record says of its topic.
struct Topic {
    ranking: Vec<String>,
    grades: BTreeMap<String, f64>,
    docs_in_collection: Option<u64>,
}

/// The list and judgments of a record; `None` where it has none, or judgments
/// by subtopic.
fn topic(record: &Value) -> Option<Topic> {
    let params = &record["params"];
    // One record keeps its list among the parameters, others describe it there.
    let holder = if record["judgments"].is_null() { params } else { record };
    let (Some(judgments), Some(ranking)) =
        (holder["judgments"].as_object(), holder["ranking"].as_array())
    else {
        return described(params);
    };
    if judgments.values().any(|grade| !grade.is_number()) {
        return None;
    }
    let scale = if params["gains"] == "level/10" { 10.0 } else { 1.0 };
    let mut grades = BTreeMap::new();
    for (doc, grade) in judgments {
        grades.insert(doc.clone(), grade.as_f64().expect("a grade") / scale);
    }
    let ranking = ranking.iter().map(|doc| doc.as_str().expect("a document").to_owned()).collect();
    Some(Topic { ranking, grades, docs_in_collection: params["collection_size"].as_u64() })
}

/// A list made up from its description: the documents retrieved and those
/// relevant by number, how many there are of each, or R and N by rank.
fn described(params: &Value) -> Option<Topic> {
    let mut retrieved: Vec<u64> = Vec::new();
    let mut relevant: Vec<u64> = Vec::new();
    let mut docs_in_collection = None;
    if let (Some(docs), Some(good)) =
        (params["retrieved"].as_array(), params["relevant"].as_array())
    {
        retrieved.extend(docs.iter().filter_map(Value::as_u64));
        relevant.extend(good.iter().filter_map(Value::as_u64));
    } else if let Some(found) = params["rel_ret"].as_u64() {
        let others = params["nonrel_ret"].as_u64().expect("non-relevant documents retrieved");
        let all = params["rel"].as_u64().expect("relevant documents");
        retrieved.extend(0..found + others);
        // The relevant documents that were missed are numbered from 1000 on.
        relevant.extend((0..found).chain(1000..1000 + all - found));
    } else if let Some(letters) = params["list"].as_str()?.strip_suffix("(whole collection)") {
        for (number, letter) in (0..).zip(letters.split_whitespace()) {
            retrieved.push(number);
            if letter == "R" {
                relevant.push(number);
            }
        }
        docs_in_collection = Some(retrieved.len() as u64);
    } else {
        return None;
    }
    let name = |number: &u64| format!("d{number}");
    let mut grades = BTreeMap::new();
    grades.extend(retrieved.iter().map(|number| (name(number), 0.0)));
    grades.extend(relevant.iter().map(|number| (name(number), 1.0)));
    Some(Topic { ranking: retrieved.iter().map(name).collect(), grades, docs_in_collection })
}

/// A number, or a fraction written as text.
fn number(value: &Value) -> f64 {
    let Some(text) = value.as_str() else {
        return value.as_f64().expect("a number or a fraction");
    };
    let (p, q) = text.split_once('/').expect("a fraction p/q");
    p.parse::<f64>().expect("a numerator") / q.parse::<f64>().expect("a denominator")
}

/// What a record adds to the spelling of its measures.
struct Spelling {
    /// `gain={...}` where a gain is not the grade itself, else empty.
    gain: String,
    /// `top_gain=` where the grades do not show the highest gain, else empty.
    top_gain: String,
    /// `max_rel=` for the same reason.
    max_rel: String,
    /// `p=` where the record names a rate, else empty.
    p: String,
}

impl Spelling {
    fn of(record: &Value, grades: &BTreeMap<String, f64>, top_gain: Option<f64>) -> Self {
        let mut gains = Vec::new();
        if let Some(map) = record["params"]["gains"].as_object() {
            for (grade, gain) in map {
                let grade: f64 = grade.parse().expect("a grade");
                gains.push((grade, gain.as_f64().expect("a gain")));
            }
        }
        gains.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut shown: f64 = 0.0;
        for &grade in grades.values() {
            let listed = gains.iter().find(|(listed, _)| *listed == grade);
            shown = shown.max(listed.map_or(grade, |&(_, gain)| gain));
        }
        let hidden = top_gain.filter(|&top_gain| top_gain != shown);
        let pairs: Vec<String> =
            gains.iter().map(|(grade, gain)| format!("{grade}:{gain}")).collect();
        let identity = gains.iter().all(|(grade, gain)| grade == gain);
        Self {
            gain: if identity { String::new() } else { format!("gain={{{}}}", pairs.join(",")) },
            top_gain: hidden.map_or(String::new(), |top| format!("top_gain={top}")),
            max_rel: hidden.map_or(String::new(), |top| format!("max_rel={top}")),
            p: match &record["params"]["p"] {
                Value::Null => String::new(),
                p => format!("p={}", number(p)),
            },
        }
    }

    /// The measures that a key stands for: usually one, none where the key
    /// belongs to a measure without a twin.
    fn measures(&self, key: &str) -> Vec<String> {
        let gain = self.gain.as_str();
        let graded = |family: &str, own: &[&str], end: &str| {
            let mut all = own.to_vec();
            all.push(gain);
            vec![format!("{}{end}", with(family, &all))]
        };
        let top = self.top_gain.as_str();
        let literal = r#"unretrieved="literal""#;
        let first = "skip_first=False";
        if let Some(variant) = key.strip_prefix("te81:") {
            return bpref_of_trec_eval_8(variant);
        }
        if let Some(rest) = key.strip_prefix("2pref_") {
            return two_classes(rest);
        }
        match key {
            "AP" | "AP'" | "RR" | "Rprec" | "num_rel" | "bpref" | "bpref_R" | "bpref_N"
            | "old_bpref" | "bpref_relative" => vec![key.to_owned()],
            "11pt" => vec!["IAP".to_owned()],
            "bpref-10" => vec!["bpref_10".to_owned()],
            "bpref_relative2" => vec!["AP'".to_owned()],
            "Q" => graded("Q", &[], ""),
            "Q'" => graded("Q", &[], "'"),
            "Q@5" => graded("Q", &[], "@5"),
            "Q_beta0" => graded("Q", &["beta=0"], ""),
            // On the grades, whatever the gains: as NTCIREVAL's `compute` has it.
            "GAP" => vec!["GAP".to_owned()],
            "nDCG_jk2@10" => graded("nDCG", &[r#"dcg="jk""#], "@10"),
            "nDCG'_jk2@10" => graded("nDCG", &[r#"dcg="jk""#], "'@10"),
            "nDCG_log2p1@10" => graded("nDCG", &[], "@10"),
            "nDCG'_log2p1@10" => graded("nDCG", &[], "'@10"),
            // On the grades, whatever the gains: as gdeval has these two.
            "nDCG_exp@10" => vec![r#"nDCG(dcg="exp-log2")@10"#.to_owned()],
            "EBR" => graded("EBR", &[&self.max_rel], ""),
            "NCUgu,P" => graded("NCU", &[r#"x="P""#], ""),
            "NCUgu,BR" => graded("NCU", &[], ""),
            "ERR_gdeval_max4" => vec!["ERR(max_rel=4)".to_owned()],
            "ERR_ntcir" => graded("ERR", &[&self.max_rel, r#"stop="ntcir""#], ""),
            "DCG_jk2_bin@5" => vec![r#"DCG(dcg="jk",gain="binary")@5"#.to_owned()],
            "nDCG_jk2_bin@5" => vec![r#"nDCG(dcg="jk",gain="binary")@5"#.to_owned()],
            "enDCG_jk2_bin@5" => vec![r#"enDCG(gain="binary")@5"#.to_owned()],
            "RBP_p0.5" => vec!["RBP(p=0.5)".to_owned()],
            "RBP_p0.5_resid" => vec!["RBP_residual(p=0.5)".to_owned()],
            "RBP_p0.8@5" => vec!["RBP(p=0.8)@5".to_owned()],
            "RBP_p0.8@5_resid" => vec!["RBP_residual(p=0.8)@5".to_owned()],
            "nRBP_p0.5@5" => vec!["nRBP(p=0.5)@5".to_owned()],
            "infAP_eps1e-5" => vec!["infAP".to_owned()],
            "infAP_eps0" => vec!["infAP(epsilon=0)".to_owned()],
            // "subAP" itself names the documents kept, which no seed can say.
            "subAP_expected" => vec![with("subAP_expected", &[&self.p])],
            "subAP_p0" => vec!["subAP(p=0)".to_owned(), "subAP_expected(p=0)".to_owned()],
            "subAP_p1" => vec!["subAP(p=1)".to_owned(), "subAP_expected(p=1)".to_owned()],
            "P" => vec!["SetP".to_owned()],
            "R" => vec!["SetR".to_owned()],
            "F1" | "Dice" => vec!["SetF".to_owned(), "SetF(alpha=0.5)".to_owned()],
            "setF1@20" => vec!["SetF@20".to_owned(), "SetF(alpha=0.5)@20".to_owned()],
            "AUC" => vec!["AUC".to_owned()],
            "iprec_at_recall_0.33" => vec!["IPrec@0.33".to_owned()],
            "prec_at_recall_0.25_uninterp" => vec!["PrecAtRecall@0.25".to_owned()],
            "rpref_N" | "rpref_relative" | "rpref_relative2" => graded(key, &[top], ""),
            "rpref_N_with_unretrieved" => graded("rpref_N", &[top, literal], ""),
            "rpref_relative_with_unretrieved" => graded("rpref_relative", &[top, literal], ""),
            "rpref_relative2_with_unretrieved" => graded("rpref_relative2", &[top, literal], ""),
            "rpref_relative_first_counts_1" => graded("rpref_relative", &[top, first], ""),
            "rpref_relative_first_counts_1_with_unretrieved" => {
                graded("rpref_relative", &[top, literal, first], "")
            }
            _ => match key.split_once('@') {
                Some(("P" | "R" | "AP" | "aAP", _)) => vec![key.to_owned()],
                _ => Vec::new(),
            },
        }
    }
}

/// A family with those of its parameters that are given.
fn with(family: &str, parameters: &[&str]) -> String {
    let given: Vec<&str> = parameters.iter().copied().filter(|text| !text.is_empty()).collect();
    if given.is_empty() { family.to_owned() } else { format!("{family}({})", given.join(",")) }
}

/// `trec_eval` 8.1's forms of bpref, by the name that it prints, as the file describes them: pooled
/// documents are no part of N but for bpref itself, and 5R is no bound. What the program computes
/// is in the families (`Peer::here`), of which twins know nothing.
fn bpref_of_trec_eval_8(variant: &str) -> Vec<String> {
    let parameters = match variant {
        "bpref_topnonrel" => r#"top="100""#,
        "bpref_top5Rnonrel" => r#"top="5R""#,
        "bpref_top10Rnonrel" => r#"top="10R""#,
        "bpref_top10pRnonrel" => r#"top="10+R""#,
        "bpref_top25pRnonrel" => r#"top="25+R""#,
        "bpref_top50pRnonrel" => r#"top="50+R""#,
        "bpref_top25p2Rnonrel" => r#"top="25+2R""#,
        "bpref_retnonrel" => r#"top="all",nonrel="retrieved""#,
        "bpref_retall" => r#"top="all",nonrel="retrieved",divisor="retrieved""#,
        "old_bpref_top10pRnonrel" => r#"top="10+R",nonrel="retrieved""#,
        "bpref_5" => "first=5",
        "bpref_10" => "first=10",
        "bpref" => r#"nonrel="pooled""#,
        _ => return Vec::new(),
    };
    vec![format!("bpref({parameters})")]
}

/// rpref with relevance in two classes split at .5, on grades in tenths: the
/// graded form with gains of 0 and 1, the same by `partitions`, and the binary
/// form where there is one.
fn two_classes(rest: &str) -> Vec<String> {
    let pairs: Vec<String> = (1..=10)
        .map(|tenth| format!("{}:{}", f64::from(tenth) / 10.0, i32::from(tenth >= 5)))
        .collect();
    let gain = format!("gain={{{}}}", pairs.join(","));
    match rest {
        "N" => vec![
            format!("rpref_N({gain})"),
            "rpref_N(partitions=2)".to_owned(),
            "bpref_N(rel=0.5)".to_owned(),
        ],
        "relative_omit_first" => vec![
            format!("rpref_relative({gain})"),
            "rpref_relative(partitions=2)".to_owned(),
            "bpref_relative(rel=0.5)".to_owned(),
        ],
        "relative_first_counts_1" => vec![
            format!("rpref_relative(skip_first=False,{gain})"),
            "rpref_relative(skip_first=False,partitions=2)".to_owned(),
        ],
        _ => Vec::new(),
    }
}
