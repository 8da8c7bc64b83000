//! Every measure against its naive twin on random lists, and against the
//! worked examples of `data/vectors.json`.
//!
//! The twins are the measures again from their definitions, written without
//! sight of the fast code; the worked examples were computed in exact
//! fractions by an independent program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cranfield_core::evaluate::Options;
use cranfield_core::grammar::{parse, parse_list};
use cranfield_core::measure::{FAMILIES, Family, Gain, Measure, Needs};

use crate::common::{self, Random, cases};
use crate::naive;
use crate::twin;
use crate::vectors;

/// Relative where values are large, absolute where they are small.
const TOLERANCE: f64 = 1e-12;

/// The groups whose measures look at 1000 ranks without a cutoff, and a family that does.
const READERS: [&str; 2] = ["user models", "Twist"];

/// A family whose twin solves equations.
const SOLVER: &str = "MP";

/// The spellings under which each family is compared.
fn variants() -> Vec<Measure> {
    let own = "IAP(points=3) SetF(beta=0.5) SetF(beta=2)@3 infAP(epsilon=0) infAP(epsilon=0.1) \
               DCG(dcg=\"exp-log2\")@4 DCG(dcg=\"jk\") DCG(dcg=\"jk\",base=3)@7 DCG(gain={1:3,2:5})@5 \
               nDCG(dcg=\"exp-log2\")@5 nDCG(dcg=\"jk\")@5 nDCG(dcg=\"jk\",base=4) nDCG(gain=\"binary\")@5 \
               nDCG(gain={0:1,1:3}) enDCG(dcg=\"log2\")@3 enDCG(gain=\"binary\")@2 CG(gain={1:10,3:100}) \
               RBP(p=0) RBP(p=0,max_rel=3)' RBP(residual=0)@4 RBP_residual(p=0) RBP_residual(p=0)@3 \
               nRBP(p=0) nRBP(p=0)@2 nRBP(residual=0)@3 Compat(p=0) NCU(stop=\"rb\",gamma=0) \
               NERR10(p=0) NERR10(p=0,out=\"ED\",max_rel=3)@20 \
               RBP(p=0.5) RBP(p=0.95)@7 RBP(residual=0.1)@5 RBP(p=0.8,max_rel=3) RBP(p=0.6,max_rel=4)'@3 \
               RBP_residual(p=0.5) RBP_residual(p=0.9)@4 nRBP(p=0.5)@3 nRBP(residual=0.1)@5 ERR(max_rel=4)@5 ERR(max_rel=3) \
               ERR(stop=\"ntcir\") ERR(max_rel=5,stop=\"ntcir\")' nERR(max_rel=3)@3 nERR(stop=\"ntcir\") \
               Q(beta=0) Q(beta=inf) Q(beta=inf)'@4 Q(beta=10) Q(gain={1:1,2:10,3:100}) Q(gain=\"binary\")@4 \
               rpref_N(top_gain=\"topic\") rpref_N(top_gain=4) rpref_N(unretrieved=\"literal\") \
               rpref_N(top_gain=100,gain={1:1,2:10,3:100}) rpref_relative(skip_first=False) \
               rpref_relative(unretrieved=\"literal\",skip_first=False) rpref_relative(unretrieved=\"literal\") \
               rpref_relative2(unretrieved=\"literal\") rpref_relative2(gain={1:3,2:2,3:1}) \
               rpref_N(partitions=2) rpref_N(partitions=3)@4 rpref_N(top_gain=4,partitions=8) \
               rpref_N(skip_first=True) rpref_N(unretrieved=\"literal\")@3 rpref_relative(partitions=2) \
               rpref_relative(top_gain=3,partitions=4)' rpref_relative(unretrieved=\"literal\")@2 \
               rpref_relative(skip_first=False)@5 rpref_relative2(partitions=16) rpref_relative2(top_gain=\"topic\")@4 \
               O(beta=0) O(beta=inf) O(beta=10)@2 PMeasure(beta=inf)@5 PPlus(beta=inf) NCU(beta=inf) NCU(stop=\"rb\",beta=inf)@4 \
               EBR(beta=inf)  O(gain={1:3,2:2,3:1}) PMeasure(beta=5) PMeasure(gain={1:3,2:2,3:1})@4 \
               PPlus(beta=0.3)' PPlus(gain={1:1,2:1,3:4}) PPlus(gain=\"binary\") NCU(x=\"P\") NCU(stop=\"rb\")@4 \
               NCU(stop=\"rb\",x=\"P\",gamma=0.5) NCU(stop=\"rb\",beta=3)' NCU(gain={1:1,2:10,3:100}) \
               EBR(max_rel=4)@5 EBR(stop=\"exp\",max_rel=3) EBR(beta=0)' iRBU(p=0.5) iRBU(max_rel=3,stop=\"exp\")@4 \
               iRBU(gain={1:1,2:10,3:100}) bpref(nonrel=\"pooled\") bpref(top=\"10+R\",nonrel=\"pooled\") \
               INST(T=2)@20 INST(T=2.5,max_rel=3)@20 INST(out=\"ED\")@15 INST(T=3,out=\"ETU\",unjudged=\"residual\")@20 \
               INST(unjudged=\"best\",max_rel=4)'@12 INSQ(T=2)@20 INSQ(T=1,out=\"ETC\")@20 BPM(T=2,K=5)@20 \
               BPM(T=1.2,K=4,hb=1,hc=1,max_rel=3)@20 BPM(T=1,K=7,cost=2,out=\"EC\")@20 BPM(hb=0.5,med=0.2,out=\"ETU\")@20 \
               IFT(T=2,R1=1)@20 IFT(A=0.2,b2=0.5)@20 IFT(T=1,A=0.3,cost=2,max_rel=4,out=\"ETC\")@20 \
               IFT(T=2)@20 IFT(A=0.5,R2=2,out=\"ED\",unjudged=\"residual\")@20 SDCG(max_rel=3)@5 SDCG(out=\"ETU\")@4 \
               NPV(rate=0.25)@20 NPV(rate=1,max_rel=3)'@20 NERR8(max_rel=3)@5 NERR8(out=\"ED\",max_rel=4)@6 \
               NERR9(max_rel=3)@5 NERR9(out=\"ETU\",max_rel=3)@20 NERR10(p=0.8,max_rel=3)@20 NERR10(p=0.8,out=\"ETU\")@20 \
               NERR11(T=2,max_rel=4)@20 NERR11(unjudged=\"best\",max_rel=3)@20 TBG(halflife=22)@20 TBG(cost=30,max_rel=3)@20 \
               U(L=10)@20 U(L=10,cost=3,out=\"ETU\")@20 U(L=1000,max_rel=3)@7 U@1 TBG(halflife=20,form=\"original\") \
               TBG(form=\"original\",max_rel=4,cost=300)@5 U(L=9,form=\"original\") U(L=7,form=\"original\",cost=2,max_rel=3)'@4 ESL(wanted=2) ESL(wanted=5)' \
               Compat(p=0.5) Compat(p=0.8)@3 Compat(p=0.99)'@7 Compat(gain={1:3,2:3,3:1})@20 \
               GAP(thresholds=\"uniform\")@4 GAP(gain={1:1,2:10,3:100}) GAP(thresholds=\"uniform\")' \
               subAP(p=0) subAP(p=0.5) subAP(p=0.5,seed=7) subAP(p=1) subAP(seed=3,rel=2) \
               subAP_expected(p=0) subAP_expected(p=0.3) subAP_expected(p=1) \
               SetF(alpha=0) SetF(beta=inf) SetF(beta=inf)@4 E(beta=inf) MaxF(beta=inf) SetF(alpha=0.2) SetF(alpha=1)@4 E(alpha=0.7) E(beta=2)@5 MaxF(beta=2)@5 \
               MaxF(alpha=0.1) MaxF(beta=0) PrecAtRecall@0 PrecAtRecall@0.1 PrecAtRecall@0.3 \
               PrecAtRecall@0.7 PrecAtRecall@1 PrecAtRecall(rel=2)'@0.5 \
               bpref(top=\"all\") bpref(top=100) bpref(top=\"5R\") bpref(top=\"10+R\") bpref(top=\"25+2R\") \
               bpref(top=1) bpref(nonrel=\"retrieved\") bpref(divisor=\"retrieved\") bpref(first=1) bpref(first=2) \
               bpref(top=\"all\",nonrel=\"retrieved\",divisor=\"retrieved\") bpref(nonrel=\"retrieved\",first=3) \
               bpref(top=\"10R\",above=\"5R\") bpref(top=\"2R\",nonrel=\"pooled\",above=1) bpref(top=\"all\",above=\"1+R\") \
               bpref_num_all(nonrel=\"pooled\") bpref_num_correct(nonrel=\"pooled\",rel=2) bpref_num_possible(nonrel=\"pooled\") \
               micro_bpref(nonrel=\"pooled\") RecallAtFallout(nonrel=1) RecallAtFallout(nonrel=4,rel=2) RecallAtFallout(nonrel=2)' \
               IPrec@0 IPrec@0.1 IPrec@0.3 IPrec@0.7 IPrec@1 IPrec(rel=2)@0.5 \
               Rprec(mult=0.2) Rprec(mult=0.35) Rprec(mult=0.6)' Rprec(mult=1.4) Rprec(mult=2) Rprec(mult=0.01) \
               Rprec(mult=7,rel=2) Utility(tp=2,fp=-0.5,fn=-3) Utility(tp=3,fp=-2,fn=-1,tn=0.25)@4 Utility(tn=-1)' \
               G(gain={1:1,2:10,3:100}) G(gain={0:0.5,1:3,2:2,3:1})' G(gain=\"binary\") iDCG(dcg=\"exp-log2\")@3 \
               iDCG(dcg=\"jk\",base=3) nDCG_rel(dcg=\"exp-log2\") nDCG_rel(dcg=\"jk\") nDCG_rel(gain={0:1,1:3})' \
               nDCG_rel(gain=\"binary\") RnDCG(dcg=\"exp-log2\") RnDCG(dcg=\"jk\",base=4)' RnDCG(gain={1:2,2:2,3:9}) \
               RnDCG(gain={0:1,1:3}) Pref(over=\"retrieved\") Pref(over=\"implied\") Pref(nonrel=\"R\") \
               Pref(over=\"retrieved\",nonrel=\"R\") Pref(over=\"implied\",nonrel=\"R\") Pref(over=\"implied\")@4 \
               Pref(over=\"retrieved\",nonrel=\"R\")'@5 Pref(nonrel=\"R\")@3 Pref(gain={1:2,2:2,3:1}) \
               Pref(gain={0:1,1:3},nonrel=\"R\") Pref(gain=\"binary\") num_prefs(over=\"retrieved\") \
               num_prefs(over=\"implied\")@4 num_prefs(nonrel=\"R\") num_prefs(over=\"retrieved\",nonrel=\"R\")@6 \
               num_prefs(over=\"implied\",nonrel=\"R\") num_prefs_ful(over=\"retrieved\")@5 \
               num_prefs_ful(over=\"implied\") num_prefs_ful(nonrel=\"R\") \
               num_prefs_ful(over=\"retrieved\",nonrel=\"R\") num_prefs_ful(over=\"implied\",nonrel=\"R\")@3 \
               CRP(gain={1:3,2:3,3:1}) CRP(gain=\"binary\")@4 Twist(out=\"rho\")@20 Twist(out=\"sigma\")@20 Twist@20 \
               MP(steps=\"local\") MP(states=\"relevant\")@9 MP(steps=\"local\",states=\"relevant\") MP(distance=\"log\",recall=False) \
               MP(loops=True)' MP(states=\"relevant\",distance=\"log\",loops=True,rel=2) MP(steps=\"local\",loops=True)@6 \
               MP(states=\"relevant\",distance=\"none\") MP(steps=\"local\",states=\"relevant\",distance=\"log\",loops=True) \
               Twist(out=\"sigma\")@5 Twist(gain=\"binary\")@12 Twist(gain={1:1,2:1,3:4},out=\"sigma\")'@9";
    let mut measures = parse_list(own).unwrap();
    // Those that read more than grades have their own cases, in `columns.rs`.
    for family in FAMILIES.iter().filter(|family| family.sees.needs == Needs::Nothing) {
        let bare = family.about.name;
        let mut texts = vec![bare.to_string(), format!("{bare}@3"), format!("{bare}@10")];
        texts.push(format!("{bare}'"));
        texts.push(format!("{bare}'@2"));
        texts.push(format!("{bare}(rel=2)"));
        texts.push(format!("{bare}(rel=2)'@4"));
        texts.push(format!("{bare}(rel=0.5)@5"));
        let complete = texts.iter().filter_map(|text| parse_list(text).ok()).flatten();
        measures.extend(complete);
        assert!(measures.iter().any(|m| m.family.about.name == bare), "{bare} is in no variant");
    }
    measures
}

/// A small collection of documents, some judged, some pooled, some unknown.
fn random_case(random: &mut Random) -> (BTreeMap<String, f64>, Vec<String>) {
    let documents = 1 + random.below(20);
    let grades = [
        &[0.0, 1.0][..],
        &[-1.0, 0.0, 0.0, 1.0, 2.0, 3.0],
        &[0.0, 1.0, 2.0, 3.0],
        &[0.0, 0.0, 0.0, 0.25, 0.5, 1.0, 1.5],
        &[-2.0, -1.0, 0.0],
    ];
    let palette = grades[random.below(grades.len() as u64) as usize];
    let judged = random.below(11);
    let mut judgments = BTreeMap::new();
    let mut ranking = Vec::new();
    for document in 0..documents {
        let id = format!("d{document}");
        if random.below(10) < judged {
            judgments.insert(id.clone(), palette[random.below(palette.len() as u64) as usize]);
        }
        if random.below(4) > 0 {
            let place = random.below(ranking.len() as u64 + 1) as usize;
            ranking.insert(place, id);
        }
    }
    (judgments, ranking)
}

/// A twin's value under the default policy: 0 for 0/0.
fn twin(measure: &Measure, judgments: &BTreeMap<String, f64>, ranking: &[String]) -> f64 {
    let top_grade = judgments.values().copied().fold(0.0, f64::max);
    let list = naive::List {
        ranking,
        grades: judgments,
        top_grade,
        docs_in_collection: Some(1000),
        columns: &BTreeMap::new(),
    };
    let value = naive::score(measure.family.about.name, &twin::params(measure), &list);
    if value.is_nan() { 0.0 } else { value }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn every_family_has_a_twin() {
    for family in FAMILIES {
        assert!(
            naive::FAMILIES.contains(&family.about.name),
            "{} has no twin: add one to TWINS in tests/naive/mod.rs",
            family.about.name
        );
    }
}

#[test]
fn measures_agree_with_their_twins() {
    let measures = variants();
    // A user who reads to rank 1000 takes the twins long.
    let reads = |family: &Family| {
        READERS.contains(&family.about.group) || READERS.contains(&family.about.name)
    };
    let long = |measure: &&Measure| measure.cutoff.is_none() && reads(measure.family);
    let short: Vec<Measure> = measures.iter().filter(|m| !long(m)).cloned().collect();
    let solved = |measure: &&Measure| measure.family.about.name == SOLVER;
    let quick: Vec<Measure> = short.iter().filter(|m| !solved(m)).cloned().collect();
    let mut random = Random::seeded(2007);
    for case in 0..cases(10_000, 2_500) {
        let measures = match case {
            _ if case % 20 == 0 => &measures,
            _ if case % 5 == 0 => &short,
            _ => &quick,
        };
        let (judgments, ranking) = random_case(&mut random);
        let scores =
            common::scores(measures, &judgments, &ranking, Some(1000), Options::default()).unwrap();
        for (measure, &found) in common::known(&scores).iter().zip(&scores.values) {
            // The twin reads "binary" as a grade of at least 1, and fractions
            // below 1 have a gain: two readings, neither of which a paper decides.
            if measure.gain == Gain::Binary && judgments.values().any(|&g| g > 0.0 && g < 1.0) {
                continue;
            }
            let expected = twin(measure, &judgments, &ranking);
            assert!(
                close(found, expected),
                "case {case}, {measure}: {found}, and its twin {expected}, for {ranking:?} under {judgments:?}"
            );
        }
    }
}

#[test]
fn measures_agree_with_the_worked_examples() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors.json");
    let mut checked = BTreeSet::new();
    for case in vectors::cases(&path) {
        let family = case.measure.split(['(', '\'', '@']).next().unwrap();
        assert!(
            FAMILIES.iter().any(|known| known.about.name == family),
            "{} is unknown",
            case.measure
        );
        let measure = parse(&case.measure).unwrap_or_else(|e| panic!("{}: {e}", case.measure));
        let scores = common::scores(
            &[measure],
            &case.grades,
            &case.ranking,
            case.docs_in_collection,
            Options::default(),
        )
        .unwrap();
        let found = scores.values[0];
        assert!(
            close(found, case.expected),
            "{}, {} as {}: {found} is not {}",
            case.record,
            case.key,
            case.measure,
            case.expected
        );
        checked.insert((case.record, case.key));
    }
    // The other values of the file are compared, or counted, in `tests/measures/test_vectors.py`.
    assert_eq!(checked.len(), 1946, "values of the file");
}
