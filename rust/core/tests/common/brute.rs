//! The extremes of measures by brute force: every way to judge what is not judged, scored
//! by the whole program.

#![allow(dead_code, reason = "a test file uses only the helpers that it needs")]

use std::collections::BTreeMap;

use cranfield_core::evaluate::Options;
use cranfield_core::grammar::parse_list;
use cranfield_core::measure::{Bounds, FAMILIES, Measure};

use crate::common;

pub type Judgments = BTreeMap<String, f64>;

/// Spellings in addition to the bare names, each with something that could go wrong.
const SPELLINGS: &str = "AP@3 AP(rel=2) AP' AP'@4 aAP@2 aAP@5 GMAP R@2 R(rel=2)@4 P@3 Rcap@2 Rprec(rel=2) IPrec@0 IPrec@0.3 \
    PrecAtRecall@0.5 IAP(points=4) SetF(beta=2)@3 SetF(beta=inf) SetF(alpha=0.2) E(alpha=0.8)@4 MaxF@3 SetAP@3 \
    DCG(dcg=\"exp-log2\")@3 nDCG@2 nDCG@4 nDCG' nDCG(dcg=\"exp-log2\")@3 nDCG(dcg=\"jk\")@4 nDCG(gain=\"binary\")@3 \
    nDCG(gain={1:5,2:1}) nDCG(gain={0:1,1:3})@4 enDCG@3 enDCG(gain=\"binary\")@2 CG(gain={1:2,2:2})@3 \
    RBP(p=0.5) RBP(p=0.8,max_rel=3)@4 nRBP(p=0.5)@3 nRBP(p=0.8) nRBP(residual=0.1)@3 ERR(max_rel=3) \
    ERR(max_rel=4)@3 ERR(stop=\"ntcir\") nERR(max_rel=3) nERR(max_rel=3)@2 nERR(stop=\"ntcir\")@4 \
    GAP GAP@3 GAP' GAP(thresholds=\"uniform\") GAP(gain={1:1,2:10}) rpref_relative2@3 rpref_relative2(partitions=3) \
    Q(gain=\"binary\") Q(gain=\"binary\",beta=3)@3 Q(gain=\"binary\",beta=inf) Q(gain=\"binary\")' bpref(top=\"all\") bpref(first=2) bpref(top=\"10+R\") \
    bpref(nonrel=\"retrieved\") bpref(nonrel=\"retrieved\",divisor=\"retrieved\") bpref(rel=2) bpref_relative(rel=2) \
    rpref_N@3 rpref_N(top_gain=3) rpref_relative(gain=\"binary\") rpref_relative(skip_first=False,gain=\"binary\") \
    rpref_relative(gain=\"binary\")@3 infAP infAP(epsilon=0) infAP(rel=2) \
    Rprec(mult=0.6) Rprec(mult=1.4) SetRcap@3 Utility(tp=2,fp=-1,fn=-3,tn=0.5) Utility(tp=-1,fp=2)@3 yaap(rel=2) \
    binG(rel=2) G(gain=\"binary\") G(gain={1:4,2:4,3:4}) iDCG@2 iDCG(gain={0:1,1:3}) RnDCG(dcg=\"exp-log2\") \
    RnDCG(dcg=\"jk\") RnDCG(gain={1:5,2:1}) RnDCG' nDCG_rel(gain=\"binary\") nDCG_rel(gain=\"binary\",dcg=\"jk\") \
    Pref(over=\"retrieved\") Pref(over=\"implied\") Pref(nonrel=\"R\") Pref(over=\"retrieved\",nonrel=\"R\") \
    Pref(over=\"implied\",nonrel=\"R\") Pref(nonrel=\"R\")@3 Pref' Pref(gain={1:2,2:1}) \
    num_prefs(over=\"retrieved\") num_prefs(over=\"implied\") num_prefs(nonrel=\"R\") \
    num_prefs_ful(over=\"retrieved\") num_prefs_ful(over=\"implied\",nonrel=\"R\") num_nonrel_judged_ret(rel=2)";

/// Every measure that has bounds, in several spellings.
pub fn measures() -> Vec<Measure> {
    let mut measures = parse_list(SPELLINGS).unwrap();
    let bare = FAMILIES.iter().filter_map(|family| parse_list(family.about.name).ok()).flatten();
    measures.extend(bare.filter(|m| !matches!(m.bounds(), Bounds::Refused(_))));
    let deep =
        FAMILIES.iter().filter_map(|family| parse_list(&format!("{}@4", family.about.name)).ok());
    measures.extend(deep.flatten().filter(|m| !matches!(m.bounds(), Bounds::Refused(_))));
    measures
}

/// Every way to give grades to documents.
pub fn each_judging(
    base: &Judgments,
    open: &[String],
    grades: &[f64],
    f: &mut impl FnMut(&Judgments),
) {
    let mut judgments = base.clone();
    let mut digits = vec![0; open.len()];
    loop {
        for (document, &digit) in open.iter().zip(&digits) {
            judgments.insert(document.clone(), grades[digit]);
        }
        f(&judgments);
        let Some(next) = digits.iter().position(|&digit| digit + 1 < grades.len()) else { return };
        digits[..next].fill(0);
        digits[next] += 1;
    }
}

/// The lowest and highest value of each measure over all judgings.
pub fn brute_force(
    measures: &[Measure],
    judgments: &Judgments,
    ranking: &[String],
    grades: &[f64],
    unseen: usize,
) -> Vec<(f64, f64)> {
    let mut extremes = vec![(f64::INFINITY, f64::NEG_INFINITY); measures.len()];
    let is_open = |d: &&String| judgments.get(*d).is_none_or(|&grade| grade < 0.0);
    let pooled = |d: &&String| judgments.get(*d).is_some_and(|&grade| grade < 0.0);
    let elsewhere: Vec<String> = (0..unseen).map(|i| format!("elsewhere{i}")).collect();
    for only_pooled in [false, true] {
        let mut open: Vec<String> =
            ranking.iter().filter(is_open).filter(|d| !only_pooled || pooled(d)).cloned().collect();
        open.extend(elsewhere.iter().cloned());
        let of_kind: Vec<usize> = (0..measures.len())
            .filter(|&i| {
                let bounds = measures[i].bounds();
                matches!(bounds, Bounds::Pooled { .. }) == only_pooled
            })
            .collect();
        let asked: Vec<Measure> = of_kind.iter().map(|&i| measures[i].clone()).collect();
        each_judging(judgments, &open, grades, &mut |judged| {
            // A document elsewhere is relevant or unknown, not "not relevant".
            let mut judged = judged.clone();
            for document in &elsewhere {
                if judged[document] == 0.0 {
                    judged.remove(document);
                }
            }
            let scores =
                common::scores(&asked, &judged, ranking, Some(50), Options::default()).unwrap();
            for (&i, &value) in of_kind.iter().zip(&scores.values) {
                extremes[i] = (extremes[i].0.min(value), extremes[i].1.max(value));
            }
        });
    }
    extremes
}
