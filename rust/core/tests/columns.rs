//! Measures that read more of the judgments than grades, against their naive
//! twins on random lists.

use std::collections::BTreeMap;

use cranfield_core::error::Kind;
use cranfield_core::evaluate::Options;
use cranfield_core::grammar::parse_list;
use cranfield_core::measure::{FAMILIES, Measure, Needs};
use cranfield_core::qrels::{Builder, Qrels};

use crate::common::{self, Random, cases};
use crate::naive;
use crate::twin;

/// Relative where values are large, absolute where they are small.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

/// The spellings under which the families with certain needs are compared.
fn variants(needs: &[Needs], own: &str) -> Vec<Measure> {
    let mut measures = parse_list(own).unwrap();
    for family in FAMILIES.iter().filter(|family| needs.contains(&family.sees.needs)) {
        let bare = family.about.name;
        let forms = ["", "@3", "@10", "(rel=2)", "(rel=2)@4", "'", "'@2"];
        let texts = forms.map(|form| format!("{bare}{form}"));
        measures.extend(texts.iter().filter_map(|text| parse_list(text).ok()).flatten());
        assert!(measures.iter().any(|m| m.family.about.name == bare), "{bare} is in no variant");
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
               infNDCG(dcg=\"jk\",base=3) infNDCG(gain={1:2,2:9}) statDCG(dcg=\"exp-log2\") statDCG(gain={1:2,2:9})@4 \
               infIPrec@0 infIPrec@0.3 infIPrec(epsilon=0.1)@0.7 infIPrec@1 infIPrec(rel=2)@0.5 varAP(version=\"4\") varAP(version=\"4\",rel=2) \
               inf_num_rel_ret(epsilon=0) inf_num_rel_ret(epsilon=0.1)@4";
    let stratified = variants(&[Needs::Strata, Needs::Sample], own);
    let drawn: Vec<Measure> =
        stratified.iter().filter(|m| m.family.sees.needs == Needs::Sample).cloned().collect();
    let mut random = Random::seeded(2008);
    for case in 0..cases(2_500, 700) {
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
            for (measure, &found) in common::known(&found).iter().zip(&found.values) {
                let list = naive::List {
                    ranking: &ranking,
                    grades: &grades,
                    top_grade: most as f64,
                    docs_in_collection: None,
                    columns: &columns,
                };
                let expected =
                    naive::score(measure.family.about.name, &twin::params(measure), &list);
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
               alpha_nDCG@20 NRBP(alpha=0.25,beta=0.8) NRBP(beta=0) nNRBP(beta=0) nNRBP(beta=0.9) nNRBP(alpha=0.75,rel=2) AP_IA@2 \
               D_nDCG(gamma=0.5)@5 D-nDCG(dcg=\"exp-log2\")@4 D-nDCG(dcg=\"jk\",base=3)@7 D-nDCG'@2 D#-nDCG \
               D-nDCG(gain={1:1,2:9})@5 D-Q(beta=3)@5 D_Q(gamma=0.5,gain={1:2,2:3})@4 D-Q(beta=0)'@20 D#-Q(gamma=0.2)@3 \
               D-AP D-AP(rel=2)@4 D#-P@5 D#-P(rel=2)'@5 D-RR D-bpref D-num_rel D-R@3 D-ERR(stop=\"ntcir\")@5 D-nERR(stop=\"ntcir\") \
               D-O D-PPlus@4 D-PMeasure D-NCU(stop=\"rb\",x=\"P\") D-EBR D-iRBU@6 D-GAP(gain={1:2,2:3}) D-RBP(p=0.5)@4 \
               D#-NCU(gamma=0.5)@4 IA-nDCG@4 nDCG-IA IA-nDCG(dcg=\"exp-log2\")@5 IA-Q IA-Q(gain={1:1,2:9})'@3 IA#-Q@3 IA-AP \
               IA-AP(rel=2)@5 IA-P@3 IA-RR(rel=2) IA-ERR(stop=\"ntcir\")@5 IA-ERR(max_rel=4) IA-bpref IA-PPlus IA-O IA-NCU \
               IA-GAP@4 IA-num_rel IA#-RR(gamma=0.1,rel=2)@4 P+Q@3 P+Q(beta=4)'@5 P+Q#@4 P+Q(gain={1:1,2:9}) P+Q#(gamma=0.9) \
               DIN-nDCG@4 DIN-nDCG DIN#-nDCG@5 DIN-nDCG'@3 DIN-Q DIN#-Q(beta=3)@5 DIN-AP@6 DIN-AP(rel=2) DIN-P@2 \
               DIN-RR(rel=2) DIN-CG(gain={1:1,2:9})@5 DIN#-CG(gamma=0.25)@3 DIN-R@4 DIN-num_rel DIN-DCG@4 DIN-Success@2 \
               DIN-aAP@3 DIN-RBP(p=0.5)@4 DIN-O DIN-O(beta=5)'@3 DIN-PMeasure DIN-PPlus@4 DIN-PPlus(gain={1:1,2:9}) DIN-NCU DIN#-NCU(stop=\"rb\",x=\"P\")@5 \
               DIN-ERR(stop=\"ntcir\")@5 DIN-ERR(max_rel=4) DIN-nERR(stop=\"ntcir\")@4 DIN-EBR DIN-iRBU(p=0.9)@6 DIN-GAP DIN-GAP(thresholds=\"uniform\")@4 \
               RBU(p=0.5) RBU(e=0)@3 RBU(e=0.5,p=0.9)@5 RBU(max_rel=4)@6 RBU(discount=\"p^(r-1)\")@4";
    let measures = variants(&[Needs::Intents], own);
    let mut random = Random::seeded(2009);
    for case in 0..cases(2_500, 700) {
        let documents = 1 + random.below(14);
        let mut builder = Builder::new(&[]);
        builder.topic(b"1");
        let (mut grades, mut columns) = (BTreeMap::new(), BTreeMap::new());
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        for intent in 0..=random.below(4) {
            let kind = if random.below(2) == 0 { "intent" } else { "nav" };
            let name = format!("{kind}{intent}");
            let mut column = BTreeMap::new();
            for document in 0..documents {
                if random.below(2) == 0 {
                    let grade = random.below(4) as f64 - 1.0;
                    let id = format!("d{document}");
                    builder
                        .add_under(b"1", Some(name.as_bytes()), id.as_bytes(), grade, 0)
                        .unwrap();
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
        let mut qrels = common::with_navigational(&builder.finish(None));
        // Half of the topics have weights.
        if random.below(2) == 0 {
            let names = qrels.topics()[0].intents().names().iter();
            let mut named: Vec<f64> =
                names.map(|name| weights[std::str::from_utf8(name).unwrap()]).collect();
            // Half of these have an intent that no document was judged under.
            let mut more: Vec<Box<[u8]>> = Vec::new();
            if random.below(2) == 0 {
                named.push(0.5);
                more.push(b"intent9"[..].into());
                weights.insert("intent9".to_string(), 0.5);
                columns.insert("intent9".to_string(), BTreeMap::new());
            }
            qrels = qrels.with_weights(vec![(more, named)]);
            columns.insert("weight".to_string(), weights);
        }
        let ranking = shuffled(&mut random, documents + 3);
        let found = common::scores_under(qrels, &measures, &ranking, Options::default()).unwrap();
        for (measure, &found) in common::known(&found).iter().zip(&found.values) {
            let list = naive::List {
                ranking: &ranking,
                grades: &grades,
                top_grade: grades.values().copied().fold(0.0, f64::max),
                docs_in_collection: None,
                columns: &columns,
            };
            let expected = naive::score(measure.family.about.name, &twin::params(measure), &list);
            let expected = if expected.is_nan() { 0.0 } else { expected };
            assert!(
                close(found, expected),
                "case {case}, {measure}: {found}, and its twin {expected}, for {ranking:?} under {columns:?}"
            );
        }
    }
}

#[test]
fn measures_over_classes_agree_with_their_twins() {
    let measures = parse_list(
        "EC-AP EC-AP(rel=2)@4 EC-P@3 EC-P(rel=2)'@5 EC-R@5 EC-RR EC-RR(rel=2) EC-num_rel(rel=2) EC-Q EC-Q(beta=5)@4 \
         EC-Q(gain={1:3,2:1}) EC-nDCG@4 EC-nDCG' EC-nDCG(gain={1:1,2:9})@3 EC-CG@4 EC-DCG@5 EC-Success@2 EC-aAP@4 EC-RBP(p=0.5) EC-RBP(p=0.8,rel=2)'@4 EC-bpref EC-bpref(rel=2) \
         EC-O EC-O(beta=5)'@3 EC-PMeasure EC-PMeasure(beta=4)@5 EC-PPlus@4 EC-PPlus(gain={1:1,2:9}) EC-NCU EC-NCU(stop=\"rb\",x=\"P\")@5 \
         EC-ERR(stop=\"ntcir\")@5 EC-ERR(max_rel=4)' EC-nERR(stop=\"ntcir\")@4 EC-EBR EC-EBR(max_rel=5)@3 EC-iRBU(p=0.9)@6 EC-GAP EC-GAP(gain={1:1,2:9})@4 \
         EC-GAP(thresholds=\"uniform\")'",
    )
    .unwrap();
    let mut random = Random::seeded(2012);
    for case in 0..cases(2_500, 700) {
        let documents = 1 + random.below(14);
        let (mut grades, mut classes) = (BTreeMap::new(), BTreeMap::new());
        for document in 0..documents {
            if random.below(5) > 0 {
                let id = format!("d{document}");
                grades.insert(id.clone(), random.below(5) as f64 - 1.0);
                classes.insert(id, random.below(4) as f64);
            }
        }
        let columns = BTreeMap::from([("class".to_string(), classes)]);
        let ranking = shuffled(&mut random, documents + 3);
        let qrels = with_columns(&grades, &columns);
        let found = common::scores_under(qrels, &measures, &ranking, Options::default()).unwrap();
        for (measure, &found) in common::known(&found).iter().zip(&found.values) {
            let list = naive::List {
                ranking: &ranking,
                grades: &grades,
                top_grade: 3.0,
                docs_in_collection: None,
                columns: &columns,
            };
            let expected = naive::score(measure.family.about.name, &twin::params(measure), &list);
            let expected = if expected.is_nan() { 0.0 } else { expected };
            assert!(
                close(found, expected),
                "case {case}, {measure}: {found}, and its twin {expected}, for {ranking:?} under {grades:?} with {columns:?}"
            );
        }
    }
}

/// Where classes, intents or weights say nothing, a form is the measure itself.
#[test]
fn forms_without_a_choice_are_the_plain_measures() {
    let plain = "nDCG@5 Q AP@3 bpref P@4 ERR(max_rel=4) RBP(p=0.8)' NCU GAP PPlus";
    let measures = parse_list(plain).unwrap();
    let mut random = Random::seeded(2013);
    for _ in 0..300 {
        let mut builder = Builder::new(&["class"]);
        let mut by_intent = Builder::new(&[]);
        let grades: Vec<f64> = (0..12).map(|_| random.below(5) as f64 - 1.0).collect();
        for (document, &grade) in grades.iter().enumerate() {
            let id = format!("d{document}");
            builder.add(b"1", id.as_bytes(), grade, &[document as f64], 0).unwrap();
            by_intent.add_under(b"1", Some(b"x"), id.as_bytes(), grade, 0).unwrap();
        }
        let ranking = shuffled(&mut random, 15);
        let of = |prefix: &str| -> Vec<Measure> {
            measures
                .iter()
                .map(|m| parse_list(&format!("{prefix}{m}")).unwrap().remove(0))
                .collect()
        };
        let classes = builder.finish(None);
        let intents = by_intent.finish(None);
        let score = |qrels: &Qrels, measures: &[Measure]| {
            common::scores_under(qrels.clone(), measures, &ranking, Options::default())
                .unwrap()
                .values
        };
        let expected = score(&classes, &measures);
        for (qrels, prefix) in
            [(&classes, "EC-"), (&intents, "D-"), (&intents, "DIN-"), (&intents, "IA-")]
        {
            assert_eq!(score(qrels, &of(prefix)), expected, "{prefix} {ranking:?} {grades:?}");
        }
    }
}

#[test]
fn user_models_read_what_documents_cost() {
    let measures = parse_list(
        "TBG(halflife=22)@20 TBG(halflife=5,cost=3,max_rel=3)@9 TBG(halflife=30,out=\"EC\")@20 TBG(out=\"ETC\")@12 \
         TBG(halflife=9,out=\"ED\",unjudged=\"residual\")@20 TBG(halflife=40,form=\"original\") TBG(form=\"original\",cost=80)'@4 \
         U(L=30)@20 U(L=12,cost=4,max_rel=3)@9 U(L=25,out=\"ETU\")@20 U(L=25,out=\"EC\",unjudged=\"best\")@15 U(L=15,out=\"ETC\")'@9 \
         U(L=40,form=\"original\") U(L=22,form=\"original\",max_rel=3)@5 BPM(T=2,K=15)@20 BPM(T=1.2,K=9,hb=1,hc=1,max_rel=3)@20 \
         BPM(K=12,out=\"EC\",unjudged=\"residual\")@20 BPM(T=3,K=20,out=\"ETC\")'@20 IFT(A=0.2,b2=0.5)@20 IFT(T=1,A=0.3,cost=2)@20 \
         IFT(A=0.1,max_rel=3,out=\"ETC\")@15 INST(T=2,out=\"EC\")@20 INSQ(out=\"ETC\")@20 SDCG(max_rel=3,out=\"EC\")@7 NPV(out=\"ETC\")@20",
    )
    .unwrap();
    let mut random = Random::seeded(2014);
    for case in 0..cases(2_500, 700) {
        let documents = 1 + random.below(14);
        let (mut grades, mut costs) = (BTreeMap::new(), BTreeMap::new());
        for document in 0..documents {
            if random.below(5) > 0 {
                let id = format!("d{document}");
                grades.insert(id.clone(), random.below(5) as f64 - 1.0);
                costs.insert(id, (1 + random.below(24)) as f64 / 4.0);
            }
        }
        let columns = BTreeMap::from([("cost".to_string(), costs)]);
        let ranking = shuffled(&mut random, documents + 3);
        let qrels = with_columns(&grades, &columns);
        let found = common::scores_under(qrels, &measures, &ranking, Options::default()).unwrap();
        for (measure, &found) in common::known(&found).iter().zip(&found.values) {
            let list = naive::List {
                ranking: &ranking,
                grades: &grades,
                top_grade: 3.0,
                docs_in_collection: None,
                columns: &columns,
            };
            let expected = naive::score(measure.family.about.name, &twin::params(measure), &list);
            let expected = if expected.is_nan() { 0.0 } else { expected };
            assert!(
                close(found, expected),
                "case {case}, {measure}: {found}, and its twin {expected}, for {ranking:?} under {grades:?} with {columns:?}"
            );
        }
    }
}

#[test]
fn what_the_judgments_lack_is_reported() {
    let grades = BTreeMap::from([("a".to_string(), 1.0)]);
    let drawn =
        BTreeMap::from([("inclusion".to_string(), BTreeMap::from([("a".to_string(), 0.5)]))]);
    let nothing = BTreeMap::new();
    for (text, columns, wanted) in [
        ("xinfAP", &nothing, "xinfAP needs the stratum of each document"),
        ("xinfAP", &drawn, "xinfAP needs the stratum of each document"),
        ("alpha_nDCG@5", &nothing, "alpha_nDCG@5 needs grades under each intent"),
        ("D#-nDCG@5", &nothing, "D#-nDCG@5 needs grades under each intent"),
        ("P+Q@5", &nothing, "P+Q@5 needs grades under each intent"),
        ("EC-Q", &drawn, "EC-Q needs the class of each document"),
        ("statP@5", &nothing, "statP@5 needs the stratum of each document or its probability"),
    ] {
        let measures = parse_list(text).unwrap();
        let qrels = with_columns(&grades, columns);
        let error = common::scores_under(qrels, &measures, &[], Options::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Needs);
        assert!(error.message().starts_with(wanted), "{error}");
    }
}
