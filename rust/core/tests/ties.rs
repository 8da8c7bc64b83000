//! Means and extremes over the orders of equal scores against brute force:
//! every order, scored by the whole program.

use std::collections::BTreeMap;
use std::sync::Arc;

use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::grammar::parse_list;
use cranfield_core::measure::{FAMILIES, Measure, Needs};
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::rank::{Lines, Ranker, Run};
use cranfield_core::ties::{TieMode, average, extremes};

use crate::common::{Random, cases};

/// Spellings in addition to the bare names, each with something that could go wrong.
const SPELLINGS: &str = "AP@3 AP(rel=2) AP' AP'@3 aAP@2 aAP'@3 P@1 P@3 P(rel=2)'@2 R@2 Rprec(mult=0.6) Rprec(mult=1.4)' RR@2 RR' \
    Success@1 Success@2 Success(rel=2)'@1 SetP@2 SetF(beta=2)@3 SetAP@2 E@2 Utility(tp=2,fp=-1,fn=-3)@2 \
    CG@2 DCG(dcg=\"exp-log2\")@3 DCG(dcg=\"jk\")@3 nDCG@2 nDCG' nDCG'@2 nDCG(gain={1:3,2:1})@2 nDCG(gain={0:1,1:3})@2 \
    enDCG@2 RnDCG(dcg=\"jk\") RnDCG' RBP(p=0) RBP_residual(p=0) nRBP(p=0) RBP(p=0.5)@3 RBP(p=0.8,max_rel=3)'@3 RBP_residual(p=0.5) RBP_residual(p=0.5)@2 nRBP(p=0.5)@3 nRBP(residual=0.2)@4 \
    ERR(max_rel=3) ERR(max_rel=4)@2 ERR(max_rel=3)' ERR(stop=\"ntcir\") nERR(max_rel=3)@2 iRBU(p=0.5) iRBU(p=0.9)'@3 \
    Q(beta=0) Q(beta=10)@3 Q' Q'@2 Q(gain={1:3,2:1}) O(beta=10) O' O@1 GAP@2 GAP' GAP(thresholds=\"uniform\") NCU(x=\"P\")@2 NCU' \
    bpref(top=\"all\") bpref(top=\"10+R\",nonrel=\"pooled\") bpref(nonrel=\"retrieved\",divisor=\"retrieved\") bpref(first=1) \
    bpref(first=2) bpref(rel=2) bpref_relative(rel=2) binG(rel=2) binG' infAP(epsilon=0) infAP(rel=2) \
    rpref_N(top_gain=3) rpref_N'@2 rpref_relative(skip_first=False) rpref_relative2'@3 rpref_relative(partitions=3) \
    Pref(over=\"retrieved\") Pref(over=\"implied\") Pref' num_prefs_ful(over=\"retrieved\") Judged@1 Judged@3 Unjudged@2 Judged'@2 \
    SDCG(max_rel=3)@3 SDCG(out=\"ETU\")@3 INSQ(T=2)@6 INSQ(T=1,out=\"ETU\",max_rel=3)@6 NPV(rate=0.5,unjudged=\"residual\")@5 \
    ESL(wanted=2) ESL' IPrec@0.5 IPrec'@0.3 IAP(points=4) MaxF@2 \
    PrecAtRecall@0.5 PPlus@3 PMeasure@3 G(gain=\"binary\") nDCG_rel(gain=\"binary\") yaap(rel=2) \
    statP@2 statDCG@3 statRprec statAP xinfAP infNDCG infP@2 alpha_nDCG@3 P_IA@2 AP_IA D_nDCG@3 D_Q@3 ERR_IA@3 StRecall@2 \
    EBR(stop=\"exp\",max_rel=3)@3 compat(p=0.5)@4 INST(T=1)@5 BPM(T=1,K=3)@5 IFT(T=2,A=0.2)@5 NERR8@3 NERR9@3 NERR10@3 NERR11@3 subAP(p=0.5)";

fn measures(asked: TieMode) -> Vec<Measure> {
    let mut measures = parse_list(SPELLINGS).unwrap();
    for family in FAMILIES.iter().filter(|family| family.about.group != "user models") {
        measures.extend(parse_list(family.about.name).into_iter().flatten());
        measures.extend(parse_list(&format!("{}@4", family.about.name)).into_iter().flatten());
    }
    let mut known: Vec<Measure> = Vec::new();
    for measure in measures {
        let answered = asked.check(std::slice::from_ref(&measure), &Options::default()).is_ok();
        if answered && !known.contains(&measure) {
            known.push(measure);
        }
    }
    known
}

/// Judgments, and a list in groups of equal scores.
type Case = (BTreeMap<String, f64>, Vec<Vec<String>>);

/// A case with no more than this number of orders.
fn random_case(random: &mut Random, most: u64) -> Case {
    let palette = [-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0];
    let (mut judgments, mut groups) = (BTreeMap::new(), Vec::new());
    let mut documents = 0;
    let mut orders = 1;
    for _ in 0..=random.below(4) {
        let mut group = Vec::new();
        for size in 1..=1 + random.below(5) {
            if orders * size > most {
                break;
            }
            orders *= size;
            group.push(format!("d{documents}"));
            documents += 1;
        }
        groups.push(group);
    }
    let judged = random.below(11);
    // One missing document has the grade that every case needs.
    for document in 0..documents + 3 {
        if random.below(10) < judged {
            let grade = palette[random.below(palette.len() as u64) as usize];
            judgments.insert(format!("d{document}"), grade);
        }
    }
    (judgments, groups)
}

/// Judgments with strata, and each document under two intents.
fn qrels(grades: &BTreeMap<String, f64>, columns: Needs) -> Qrels {
    let mut builder = match columns {
        Needs::Strata | Needs::Sample => Builder::new(&["stratum"]),
        _ => Builder::new(&[]),
    };
    builder.topic(b"1");
    for (i, (document, &grade)) in grades.iter().enumerate() {
        let document = document.as_bytes();
        match columns {
            Needs::Intents => {
                let under =
                    [("1", grade.max(0.0)), ("2", if i % 2 == 0 { grade.max(0.0) } else { 0.0 })];
                for (intent, grade) in under {
                    builder.add_under(b"1", Some(intent.as_bytes()), document, grade, 0).unwrap();
                }
            }
            Needs::Nothing => builder.add(b"1", document, grade, &[], 0).unwrap(),
            _ => builder.add(b"1", document, grade, &[1.0 + (i % 2) as f64], 0).unwrap(),
        }
    }
    builder.finish(Some(100))
}

fn run(groups: &[Vec<String>]) -> Input<'static> {
    let mut lines = Lines::default();
    for (i, group) in groups.iter().enumerate() {
        for document in group {
            lines.push(document.as_bytes(), -(i as f64));
        }
    }
    let run = Run { name: "run".into(), topics: vec![(b"1"[..].into(), lines)], ..Run::default() };
    Input::Run(Arc::new(run))
}

/// Every order of the groups, a list each.
fn each_order(groups: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut lists = vec![Vec::new()];
    for group in groups {
        let mut longer = Vec::new();
        for order in permutations(group) {
            longer.extend(lists.iter().map(|list| [list.clone(), order.clone()].concat()));
        }
        lists = longer;
    }
    lists
}

fn permutations(items: &[String]) -> Vec<Vec<String>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(i);
        all.extend(
            permutations(&rest).into_iter().map(|tail| [vec![first.clone()], tail].concat()),
        );
    }
    all
}

fn of_kind(measures: &[Measure], columns: Needs) -> Vec<Measure> {
    measures.iter().filter(|measure| measure.family.sees.needs == columns).cloned().collect()
}

const COLUMNS: [Needs; 4] = [Needs::Nothing, Needs::Strata, Needs::Sample, Needs::Intents];

fn grouped() -> Options {
    Options { ranker: Ranker { groups: true, ..Ranker::default() }, ..Options::default() }
}

/// The values of every order, a row each.
fn by_force(qrels: &Arc<Qrels>, measures: &[Measure], groups: &[Vec<String>]) -> Vec<Vec<f64>> {
    let evaluator = Evaluator::new(Arc::clone(qrels), measures, Options::default()).unwrap();
    let singles = each_order(groups).into_iter().map(|list| {
        let list: Vec<Vec<String>> = list.into_iter().map(|document| vec![document]).collect();
        evaluator.evaluate(&[run(&list)], &Arc::default()).unwrap().values
    });
    singles.collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn means_and_extremes_are_those_of_all_orders() {
    let mut random = Random::seeded(2008);
    let (averaged, bounded) = (measures(TieMode::Average), measures(TieMode::Bounds));
    assert!(averaged.len() > 150 && bounded.len() > 150);
    let monitor: Arc<Monitor> = Arc::default();
    let mut wrong = BTreeMap::new();
    for case in 0..cases(2_000, 600) {
        let (judgments, groups) = random_case(&mut random, if case % 40 == 0 { 240 } else { 24 });
        for columns in COLUMNS {
            if columns != Needs::Nothing && (case % 4 > 0 || judgments.is_empty()) {
                continue;
            }
            let qrels = Arc::new(qrels(&judgments, columns));
            let asked = of_kind(&averaged, columns);
            let rows = by_force(&qrels, &asked, &groups);
            let evaluator = Evaluator::new(Arc::clone(&qrels), &asked, grouped()).unwrap();
            let found = average(&evaluator, &[run(&groups)], &monitor).unwrap();
            for (i, measure) in asked.iter().enumerate() {
                let mean = rows.iter().map(|row| row[i]).sum::<f64>() / rows.len() as f64;
                if !close(found.values[i], mean) {
                    wrong.entry(format!("mean of {measure}")).or_insert_with(|| {
                        format!("{} is not {mean}: {groups:?} under {judgments:?}", found.values[i])
                    });
                }
            }
            let asked = of_kind(&bounded, columns);
            let rows = by_force(&qrels, &asked, &groups);
            let evaluator = Evaluator::new(Arc::clone(&qrels), &asked, grouped()).unwrap();
            let found = extremes(&evaluator, &[run(&groups)], &monitor).unwrap();
            for (i, measure) in asked.iter().enumerate() {
                let low = rows.iter().map(|row| row[i]).fold(f64::INFINITY, f64::min);
                let high = rows.iter().map(|row| row[i]).fold(f64::NEG_INFINITY, f64::max);
                let (least, most) = (found.low.values[i], found.high.values[i]);
                if !close(least, low) || !close(most, high) {
                    wrong.entry(format!("extremes of {measure}")).or_insert_with(|| {
                        format!(
                            "{least}, {most} are not {low}, {high}: {groups:?} under {judgments:?}"
                        )
                    });
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// By itself a measure is computed down to its own reach only.
#[test]
fn a_measure_by_itself_has_the_same_mean() {
    let mut random = Random::seeded(7);
    let measures = of_kind(&measures(TieMode::Average), Needs::Nothing);
    let monitor: Arc<Monitor> = Arc::default();
    for _ in 0..30 {
        let (judgments, groups) = random_case(&mut random, 100_000);
        let qrels = Arc::new(qrels(&judgments, Needs::Nothing));
        let means = |measures: &[Measure]| {
            let evaluator = Evaluator::new(Arc::clone(&qrels), measures, grouped()).unwrap();
            average(&evaluator, &[run(&groups)], &monitor).unwrap().values
        };
        let together = means(&measures);
        for (measure, value) in measures.iter().zip(together) {
            let alone = means(std::slice::from_ref(measure))[0];
            assert_eq!(alone.to_bits(), value.to_bits(), "{measure}: {groups:?} {judgments:?}");
        }
    }
}
