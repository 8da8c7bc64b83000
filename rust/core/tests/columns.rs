//! Measures that read more of the judgments than grades, against their naive
//! twins on random lists.

#[path = "common/asked.rs"]
mod asked;
mod common;
mod naive;

use std::collections::BTreeMap;

use common::Random;
use cranfield_core::error::Kind;
use cranfield_core::evaluate::Options;
use cranfield_core::grammar::parse_list;
use cranfield_core::measure::{FAMILIES, Measure, Needs};
use cranfield_core::qrels::{Builder, Qrels};

const RANDOM_LISTS: u64 = 10_000;

/// Relative where values are large, absolute where they are small.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

/// The spellings under which the families with certain needs are compared.
fn variants(needs: &[Needs], own: &str) -> Vec<Measure> {
    let mut measures = parse_list(own).unwrap();
    for family in FAMILIES.iter().filter(|family| needs.contains(&family.needs)) {
        let bare = family.name;
        let forms = ["", "@3", "@10", "(rel=2)", "(rel=2)@4", "'", "'@2"];
        let texts = forms.map(|form| format!("{bare}{form}"));
        measures.extend(texts.iter().filter_map(|text| parse_list(text).ok()).flatten());
        assert!(measures.iter().any(|m| m.family.name == bare), "{bare} is in no variant");
    }
    measures
}

/// Judgments of one topic with further columns.
fn with_columns(
    grades: &BTreeMap<String, f64>,
    columns: &BTreeMap<String, BTreeMap<String, f64>>,
) -> Qrels {
    let names: Vec<&str> = columns.keys().map(String::as_str).collect();
    let mut builder = Builder::new(&names);
    builder.topic(b"1");
    for (document, &grade) in grades {
        let values: Vec<f64> = columns.values().map(|column| column[document]).collect();
        builder.add(b"1", document.as_bytes(), grade, &values, 0).unwrap();
    }
    builder.finish(None)
}

/// A list of some documents in random order.
fn shuffled(random: &mut Random, documents: u64) -> Vec<String> {
    let mut ranking = Vec::new();
    for document in 0..documents {
        if random.below(4) > 0 {
            let place = random.below(ranking.len() as u64 + 1) as usize;
            ranking.insert(place, format!("d{document}"));
        }
    }
    ranking
}

#[test]
fn estimates_from_samples_agree_with_their_twins() {
    let own = "xinfAP(epsilon=0) xinfAP(epsilon=0.1)@5 infP(epsilon=0)@4 infNDCG(dcg=\"exp-log2\")@7 \
               infNDCG(dcg=\"jk\",base=3) infNDCG(gain={1:2,2:9}) statDCG(dcg=\"exp-log2\") statDCG(gain={1:2,2:9})@4";
    let stratified = variants(&[Needs::Strata, Needs::Sample], own);
    let drawn: Vec<Measure> =
        stratified.iter().filter(|m| m.family.needs == Needs::Sample).cloned().collect();
    let mut random = Random(2008);
    for case in 0..RANDOM_LISTS {
        let documents = 1 + random.below(24);
        let strata = 1 + random.below(4);
        let most = 1 + random.below(3);
        let mut grades = BTreeMap::new();
        let (mut stratum, mut inclusion) = (BTreeMap::new(), BTreeMap::new());
        for document in 0..documents {
            if random.below(5) > 0 {
                let id = format!("d{document}");
                let own = random.below(strata);
                // Each stratum has a rate of its own; the first is judged whole.
                let judged = random.below(own + 1) == 0;
                let grade = if judged { random.below(most + 1) as f64 } else { -1.0 };
                grades.insert(id.clone(), grade);
                stratum.insert(id.clone(), own as f64 + 1.0);
                inclusion.insert(id, (1 + random.below(8)) as f64 / 8.0);
            }
        }
        let ranking = shuffled(&mut random, documents);
        let column = |name: &str, values: &BTreeMap<String, f64>| {
            BTreeMap::from([(name.to_string(), values.clone())])
        };
        for (measures, columns) in
            [(&stratified, column("stratum", &stratum)), (&drawn, column("inclusion", &inclusion))]
        {
            let qrels = with_columns(&grades, &columns);
            let found =
                common::scores_under(qrels, measures, &ranking, Options::default()).unwrap();
            for (measure, &found) in found.measures.iter().zip(&found.values) {
                let list = naive::List {
                    ranking: &ranking,
                    grades: &grades,
                    top_grade: most as f64,
                    docs_in_collection: None,
                    columns: &columns,
                };
                let expected = naive::score(measure.family.name, &asked::params(measure), &list);
                let expected = if expected.is_nan() { 0.0 } else { expected };
                assert!(
                    close(found, expected),
                    "case {case}, {measure}: {found}, and its twin {expected}, for {ranking:?} under {grades:?} with {columns:?}"
                );
            }
        }
    }
}

#[test]
fn measures_of_intents_agree_with_their_twins() {
    let own = "ERR_IA(alpha=0)@4 ERR_IA(alpha=1)@5 ERR_IA(alpha=0.25)@20 ERR_IA@1 nERR_IA(alpha=0.75)@4 \
               alpha_DCG(alpha=0.25)@4 alpha_DCG@1 alpha_nDCG(alpha=1)@4 alpha_nDCG(alpha=0,rel=2)@5 \
               alpha_nDCG@20 NRBP(alpha=0.25,beta=0.8) nNRBP(beta=0.9) nNRBP(alpha=0.75,rel=2) AP_IA@2 \
               D_nDCG(gamma=0.5)@5 D_nDCG(dcg=\"exp-log2\")@4 D_nDCG(dcg=\"jk\",base=3)@7 \
               D_nDCG(gain={1:1,2:9})@5 D_Q(beta=3)@5 D_Q(gamma=0.5,gain={1:2,2:3})@4 D_Q(beta=0)'@20";
    let measures = variants(&[Needs::Intents], own);
    let mut random = Random(2009);
    for case in 0..RANDOM_LISTS / 4 {
        let documents = 1 + random.below(14);
        let mut builder = Builder::new(&[]);
        builder.topic(b"1");
        let (mut grades, mut columns) = (BTreeMap::new(), BTreeMap::new());
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        for intent in 0..=random.below(4) {
            let name = format!("intent{intent}");
            let mut column = BTreeMap::new();
            for document in 0..documents {
                if random.below(2) == 0 {
                    let grade = random.below(4) as f64 - 1.0;
                    let id = format!("d{document}");
                    builder.add_under(b"1", name.as_bytes(), id.as_bytes(), grade, 0).unwrap();
                    let highest: &mut f64 = grades.entry(id.clone()).or_insert(grade);
                    *highest = highest.max(grade);
                    column.insert(id, grade);
                }
            }
            if !column.is_empty() {
                weights.insert(name.clone(), [1.0, 0.5, 0.25][random.below(3) as usize]);
                columns.insert(name, column);
            }
        }
        if columns.is_empty() {
            continue;
        }
        let mut qrels = builder.finish(None);
        // Half of the topics have weights.
        if random.below(2) == 0 {
            qrels = qrels.with_weights(vec![weights.values().copied().collect()]);
            columns.insert("weight".to_string(), weights);
        }
        let ranking = shuffled(&mut random, documents + 3);
        let found = common::scores_under(qrels, &measures, &ranking, Options::default()).unwrap();
        for (measure, &found) in found.measures.iter().zip(&found.values) {
            let list = naive::List {
                ranking: &ranking,
                grades: &grades,
                top_grade: 2.0,
                docs_in_collection: None,
                columns: &columns,
            };
            let expected = naive::score(measure.family.name, &asked::params(measure), &list);
            let expected = if expected.is_nan() { 0.0 } else { expected };
            assert!(
                close(found, expected),
                "case {case}, {measure}: {found}, and its twin {expected}, for {ranking:?} under {columns:?}"
            );
        }
    }
}

#[test]
fn what_the_judgments_lack_is_said() {
    let grades = BTreeMap::from([("a".to_string(), 1.0)]);
    let drawn =
        BTreeMap::from([("inclusion".to_string(), BTreeMap::from([("a".to_string(), 0.5)]))]);
    let nothing = BTreeMap::new();
    for (text, columns, wanted) in [
        ("xinfAP", &nothing, "xinfAP needs the stratum of each document"),
        ("xinfAP", &drawn, "xinfAP needs the stratum of each document"),
        ("alpha_nDCG@5", &nothing, "alpha_nDCG@5 needs grades under each intent"),
        ("statP@5", &nothing, "statP@5 needs the stratum of each document or its probability"),
    ] {
        let measures = parse_list(text).unwrap();
        let qrels = with_columns(&grades, columns);
        let error = common::scores_under(qrels, &measures, &[], Options::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Needs);
        assert!(error.message().starts_with(wanted), "{error}");
    }
}
