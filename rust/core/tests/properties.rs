//! Properties of measures: each is stated once, with the measures that have it
//! and those that do not, and tested on random lists.
//!
//! A family that is on neither side of a property fails the first test, so
//! that a new one forces a decision. Those that have a property must show it
//! on every list; those that lack it must fail on at least one, so that
//! neither side holds a measure by mistake.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cranfield_core::error::Kind;
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::grammar::{check_prime, parse, parse_list};
use cranfield_core::measure::{FAMILIES, Family, Gain, Measure};
use cranfield_core::qrels::Builder;
use cranfield_core::run::{Lines, Run};
use cranfield_core::scores::{Scores, Undefined};

const TOLERANCE: f64 = 1e-12;

/// For the comparison of all measures, and for identities of a few.
const RANDOM_LISTS: u64 = 3_000;

/// A statement about measures: where it holds and where it does not. A family
/// can be on both sides with different arguments.
struct Property {
    about: &'static str,
    has: &'static str,
    lacks: &'static str,
}

impl Property {
    fn has(&self) -> Vec<Measure> {
        parse_list(self.has).unwrap()
    }

    fn lacks(&self) -> Vec<Measure> {
        if self.lacks.is_empty() { Vec::new() } else { parse_list(self.lacks).unwrap() }
    }
}

/// No value is outside of [0, 1]. The others are sums.
const BOUNDED: Property = Property {
    about: "bounded in [0, 1]",
    has: "P@1 P@3 R@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0 \
          IPrec@0.3 IPrec@1 PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) \
          MaxF MaxF(beta=2)@3 MaxF(alpha=0.1) AUC SetP SetP@3 SetR SetR@3 SetF SetF(beta=2)@3 \
          SetF(alpha=0) SetF(alpha=1) E E(alpha=0.2)@3 SetAP SetAP@3 Accuracy Accuracy@3 \
          Specificity Specificity@3 Fallout Fallout@3 nDCG nDCG@3 nDCG(dcg=\"exp-log2\")@3 \
          nDCG(dcg=\"jk\") nDCG(dcg=\"jk\",base=5)@7 nDCG(gain={1:5,2:1,3:0.1}) \
          nDCG(gain={0:1,1:3})@4 enDCG enDCG@3 enDCG(dcg=\"log2\") RBP(p=0.5) RBP(p=0.99) \
          RBP(residual=0.1)@5 RBP(p=0.8,max_rel=3) RBP_residual(p=0.5) RBP_residual(p=0.95)@3 \
          nRBP(p=0.5) nRBP(p=0.95)@3 ERR(max_rel=3) ERR(max_rel=4)@3 ERR(stop=\"ntcir\") \
          nERR(max_rel=3) nERR(max_rel=4)@3 nERR(stop=\"ntcir\") \
          nERR(max_rel=3,gain={1:3,2:1,3:2})@2 Q Q@3 Q(beta=10) \
          Q(beta=0.1,gain={1:1,2:10,3:100}) GAP GAP@3 GAP(thresholds=\"uniform\") \
          GAP(gain={1:3,2:2,3:1})@2 bpref bpref(top=\"all\") bpref(top=1) \
          bpref(top=\"10+R\",nonrel=\"retrieved\") bpref(divisor=\"retrieved\") bpref(first=2) \
          bpref(nonrel=\"retrieved\",first=3) bpref_R bpref_N old_bpref bpref_10 bpref_relative \
          rpref_N rpref_N@3 rpref_N(top_gain=\"topic\") rpref_N(top_gain=3,skip_first=True) \
          rpref_N(unretrieved=\"literal\") rpref_N(unretrieved=\"literal\")@3 \
          rpref_N(partitions=3) rpref_N(gain={1:100,2:10,3:1}) rpref_relative rpref_relative@3 \
          rpref_relative(skip_first=False) rpref_relative(unretrieved=\"literal\")@2 \
          rpref_relative(partitions=4) rpref_relative2 rpref_relative2@3 \
          rpref_relative2(unretrieved=\"literal\") rpref_relative2(partitions=2) infAP \
          infAP(epsilon=0) infAP(epsilon=5) subAP subAP(p=0.5,seed=3) subAP_expected \
          subAP_expected(p=0.3) Judged Judged@3 Unjudged Unjudged@3",
    lacks: "CG CG@3 DCG DCG@3 DCG(dcg=\"exp-log2\") DCG(dcg=\"jk\") num_ret num_rel num_rel_ret",
};

/// The list holds all judged documents and nothing else, best grade first.
///
/// P, SetP and their relatives count the judged documents at the end; cut
/// below R, a divisor that is not cut stays out of reach; RBP and ERR leave
/// weight to what nobody can retrieve; the relative forms skip rank 1; the
/// smoothing of `infAP` allows for documents that are not there.
const ONE_ON_THE_IDEAL_LIST: Property = Property {
    about: "1 on the ideal list",
    has: "P@1 R@100 R(rel=2)@100 Rcap@1 Rcap@3 Rcap@100 Success@1 Success@3 Rprec Rprec(rel=2) \
          RR RR@1 AP AP(rel=2) AP@100 aAP@1 aAP@3 aAP@100 GMAP IPrec@0 IPrec@0.3 IPrec@1 \
          PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) MaxF MaxF(beta=2) \
          MaxF(alpha=0.1)@100 AUC SetR SetF(alpha=0) nDCG nDCG@1 nDCG@3 nDCG(dcg=\"exp-log2\")@3 \
          nDCG(dcg=\"jk\") nDCG(dcg=\"jk\",base=5)@7 nDCG(gain={1:1,2:10,3:100}) enDCG enDCG@100 \
          enDCG(dcg=\"log2\") nRBP(p=0.5) nRBP(p=0.95)@3 nERR(max_rel=3) nERR(max_rel=4)@3 \
          nERR(stop=\"ntcir\") Q Q@1 Q@3 Q(beta=10) Q(beta=0) Q(gain={1:1,2:10,3:100})@2 GAP \
          GAP@1 GAP@3 GAP(thresholds=\"uniform\")@2 bpref bpref(top=\"all\") bpref(top=1) \
          bpref(nonrel=\"retrieved\") bpref(divisor=\"retrieved\") bpref(first=2) bpref_R \
          bpref_N old_bpref bpref_10 rpref_N rpref_N(top_gain=\"topic\") rpref_N(partitions=4) \
          rpref_N(unretrieved=\"literal\") rpref_N@100 rpref_relative(skip_first=False) \
          rpref_relative2 rpref_relative2(partitions=3) rpref_relative2@100 infAP(epsilon=0) \
          subAP subAP(p=0.5) subAP_expected subAP_expected(p=0.5) Judged Judged@3",
    lacks: "P@3 R@2 AP@2 SetP SetP@3 SetR@2 SetF SetF@3 E SetAP Accuracy Specificity Fallout CG \
            DCG DCG@3 enDCG@2 RBP(p=0.8) RBP(residual=0.1)@3 RBP(p=0.5,max_rel=3) \
            RBP_residual(p=0.8) ERR(max_rel=3) ERR(stop=\"ntcir\") bpref_relative rpref_N@2 \
            rpref_N(skip_first=True) rpref_relative rpref_relative2@2 infAP MaxF@2 num_ret \
            num_rel num_rel_ret Unjudged",
};

/// The prime is the list without its unjudged documents, and nothing more.
/// Those that estimate from unjudged documents refuse it.
const CONDENSED: Property = Property {
    about: "the prime is the condensed list",
    has: "P@3 R@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0.3 \
          PrecAtRecall@0.3 IAP MaxF MaxF(beta=2)@3 AUC SetP SetP@3 SetR SetR@3 SetF SetF@3 E E@3 \
          SetAP SetAP@3 Accuracy Accuracy@3 Specificity Specificity@3 Fallout Fallout@3 CG CG@3 \
          DCG DCG(dcg=\"exp-log2\")@3 nDCG nDCG@3 nDCG(dcg=\"jk\") enDCG enDCG@3 RBP(p=0.5) \
          RBP(residual=0.1)@5 RBP(p=0.8,max_rel=3) RBP_residual(p=0.5) RBP_residual(p=0.95)@3 \
          nRBP(p=0.5) nRBP(p=0.95)@3 ERR(max_rel=3) ERR(stop=\"ntcir\")@3 nERR(max_rel=3) \
          nERR(max_rel=4)@3 Q Q@3 Q(beta=10) GAP GAP@3 bpref bpref(top=1) \
          bpref(nonrel=\"retrieved\") bpref(first=2) bpref_R bpref_N old_bpref bpref_10 \
          bpref_relative rpref_N rpref_N@3 rpref_N(partitions=3) \
          rpref_N(unretrieved=\"literal\")@3 rpref_relative rpref_relative@3 rpref_relative2 \
          rpref_relative2@3 num_ret num_rel num_rel_ret Judged Judged@3 Unjudged",
    lacks: "infAP subAP subAP_expected",
};

/// Unjudged documents, pooled or not, put anywhere into the list. All forms
/// with a prime have the property; this is about those without.
const BLIND_TO_UNJUDGED: Property = Property {
    about: "blind to unjudged documents",
    has: "bpref bpref(rel=2) bpref(top=\"all\") bpref(top=\"10+R\") bpref(nonrel=\"retrieved\") \
          bpref(divisor=\"retrieved\") bpref(first=2) bpref_R bpref_N old_bpref bpref_10 \
          bpref_relative rpref_N rpref_N(top_gain=\"topic\") rpref_N(unretrieved=\"literal\") \
          rpref_N(partitions=3) rpref_N(skip_first=True) rpref_relative \
          rpref_relative(skip_first=False) rpref_relative(partitions=4) rpref_relative2 \
          rpref_relative2(unretrieved=\"literal\") SetR SetF(alpha=0) subAP(p=0) \
          subAP_expected(p=0) num_rel num_rel_ret",
    lacks: "P@3 R@3 Rcap@3 Success@2 Rprec RR AP aAP@3 GMAP IPrec@0 PrecAtRecall@0.3 IAP MaxF \
            AUC SetP SetR@3 SetF E SetAP Accuracy Specificity Fallout CG@3 DCG nDCG enDCG \
            RBP(p=0.8) RBP_residual(p=0.8) nRBP(p=0.8) ERR(max_rel=3) nERR(max_rel=3) Q GAP \
            rpref_N@3 rpref_relative@3 rpref_relative2@3 infAP subAP(p=0.5) subAP(p=1) \
            subAP_expected(p=0.5) num_ret Judged Unjudged",
};

/// What an exchange of any two judged documents improves or leaves.
macro_rules! improved {
    () => {
        "P@1 P@3 R@3 Rcap@3 Success@2 Rprec RR RR@3 AP AP@3 AP(rel=2) aAP@3 GMAP IPrec@0 \
         IPrec@0.3 IPrec@1 PrecAtRecall@0 PrecAtRecall@0.3 PrecAtRecall@1 IAP IAP(points=3) MaxF \
         MaxF(beta=2)@3 AUC SetP SetP@3 SetR SetR@3 SetF SetF@3 E E@3 SetAP SetAP@3 Accuracy \
         Accuracy@3 Specificity Specificity@3 Fallout Fallout@3 CG CG@3 DCG DCG@3 \
         DCG(dcg=\"exp-log2\")@3 DCG(dcg=\"jk\",base=4) nDCG nDCG@3 nDCG(dcg=\"jk\")@5 enDCG \
         enDCG@3 RBP(p=0.5) RBP(residual=0.1)@3 RBP(p=0.8,max_rel=3) RBP_residual(p=0.8) \
         RBP_residual(p=0.8)@3 nRBP(p=0.5) nRBP(p=0.95)@3 ERR(max_rel=3) ERR(max_rel=4)@3 \
         ERR(stop=\"ntcir\") nERR(max_rel=3) nERR(stop=\"ntcir\")@3 Q(beta=0) GAP GAP@3 \
         GAP(thresholds=\"uniform\")@2 bpref bpref(top=\"all\") bpref(top=1) \
         bpref(nonrel=\"retrieved\") bpref(divisor=\"retrieved\") bpref(first=2) bpref_R bpref_N \
         old_bpref bpref_10 bpref_relative rpref_N rpref_N(top_gain=\"topic\") \
         rpref_N(unretrieved=\"literal\") rpref_N(unretrieved=\"literal\")@3 \
         rpref_N(partitions=3) rpref_relative rpref_relative@3 \
         rpref_relative(skip_first=False)@3 rpref_relative(unretrieved=\"literal\")@2 \
         rpref_relative(partitions=4) rpref_relative2 rpref_relative2@3 \
         rpref_relative2(unretrieved=\"literal\")@3 subAP subAP(p=0.5) subAP_expected \
         subAP_expected(p=0.5) num_ret num_rel num_rel_ret Judged Judged@3 Unjudged Unjudged@3"
    };
}

/// Two adjacent judged documents change places and the better one comes first.
///
/// With a cutoff, or without the first document, `rpref_N` changes the documents
/// that it sums over, and a better one can have the lower term. The smoothing
/// of `infAP` lets a document judged not relevant above a relevant one speak
/// for documents that nobody judged; the default epsilon needs 100,000 of them.
const BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST: Property = Property {
    about: "better when the better neighbour comes first",
    has: concat!(improved!(), " Q Q@3 Q(beta=10) Q(gain={1:1,2:10,3:100})@4 infAP(epsilon=0)"),
    lacks: "rpref_N@3 rpref_N(skip_first=True) infAP(epsilon=1)",
};

/// As above, for any two judged documents of the list.
///
/// Q compares what was gained so far with the ideal list at the same rank, so
/// a document of low gain on a high rank leaves a large gap; `infAP` counts the
/// pooled documents that are passed over as relevant at the rate of those above.
const BETTER_WITH_THE_BETTER_FIRST: Property = Property {
    about: "better when the better document comes first",
    has: improved!(),
    lacks: "Q Q@3 Q(beta=10) rpref_N@3 rpref_N(skip_first=True) infAP infAP(epsilon=0) infAP(epsilon=1)",
};

/// A gain map that permutes the grades does what other grades would.
const GAINS_STAND_FOR_GRADES: Property = Property {
    about: "a gain map is another set of grades",
    has: "CG CG@3 DCG DCG(dcg=\"exp-log2\")@3 DCG(dcg=\"jk\") nDCG nDCG@3 \
          nDCG(dcg=\"jk\",base=5)@7 enDCG@3 ERR(max_rel=3) ERR(stop=\"ntcir\")@3 \
          nERR(max_rel=3)@3 nERR(stop=\"ntcir\") Q Q@3 Q(beta=10) GAP GAP@3 \
          GAP(thresholds=\"uniform\") rpref_N rpref_N@3 rpref_N(top_gain=\"topic\") \
          rpref_N(partitions=3) rpref_N(unretrieved=\"literal\") rpref_relative \
          rpref_relative(partitions=4) rpref_relative2 rpref_relative2@3",
    lacks: "P@1 R@1 Rcap@1 Success@1 Rprec RR AP aAP@1 GMAP IPrec@0 PrecAtRecall@0 IAP MaxF AUC \
            SetP SetR SetF E SetAP Accuracy Specificity Fallout RBP RBP_residual nRBP bpref \
            bpref_R bpref_N old_bpref bpref_10 bpref_relative infAP subAP subAP_expected num_ret \
            num_rel num_rel_ret Judged Unjudged",
};

const PROPERTIES: &[Property] = &[
    BOUNDED,
    ONE_ON_THE_IDEAL_LIST,
    CONDENSED,
    BLIND_TO_UNJUDGED,
    BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST,
    BETTER_WITH_THE_BETTER_FIRST,
    GAINS_STAND_FOR_GRADES,
];

/// Where a lower value is the better one.
const LESS_IS_BETTER: &[&str] = &["E", "Fallout"];

/// `SplitMix64`: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn choice<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A number inside (0, 1).
    fn share(&mut self) -> f64 {
        (1 + self.below(999)) as f64 / 1000.0
    }

    /// Up to 20 documents: judged, pooled, unknown, retrieved or not.
    fn case(&mut self, palettes: &[&[f64]]) -> Case {
        let palette = self.choice(palettes);
        let judged = 2 + self.below(9);
        let mut case = Case::default();
        for document in 0..=self.below(20) {
            let id = format!("d{document}");
            if self.below(10) < judged {
                case.grades.insert(id.clone(), self.choice(palette));
            }
            if self.below(5) > 0 {
                case.list.push(id);
            }
        }
        self.shuffle(&mut case.list);
        case
    }
}

/// A negative grade is a pooled document that nobody judged.
const BINARY: &[f64] = &[0.0, 1.0];
const SAMPLED: &[f64] = &[-1.0, 0.0, 0.0, 1.0];
const GRADED: &[f64] = &[0.0, 0.0, 1.0, 2.0, 3.0];
const SAMPLED_GRADED: &[f64] = &[-2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
const FRACTIONS: &[f64] = &[0.0, 0.0, 0.25, 0.5, 1.0, 1.5];
const RELEVANCE: &[f64] = &[-1.0, 0.0, 0.0625, 0.3, 0.4375, 0.5, 0.5625, 0.9, 1.0];

const ALL: &[&[f64]] = &[BINARY, SAMPLED, GRADED, SAMPLED_GRADED, FRACTIONS];
const WHOLE: &[&[f64]] = &[BINARY, SAMPLED, GRADED, SAMPLED_GRADED];

/// Judgments and a list.
#[derive(Clone, Debug, Default)]
struct Case {
    grades: BTreeMap<String, f64>,
    list: Vec<String>,
}

impl Case {
    fn of(grades: &str, list: &str) -> Self {
        Case { grades: common::judgments(grades), list: common::list(list) }
    }

    /// The grade of a judged document.
    fn grade(&self, document: &str) -> Option<f64> {
        self.grades.get(document).copied().filter(|&grade| grade >= 0.0)
    }

    fn condensed(&self) -> Self {
        let judged = self.list.iter().filter(|document| self.grade(document).is_some());
        Case { list: judged.cloned().collect(), ..self.clone() }
    }

    /// All judged documents, best grade first.
    fn ideal(&self) -> Self {
        let mut list: Vec<String> =
            self.grades.keys().filter(|document| self.grade(document).is_some()).cloned().collect();
        list.sort_by(|a, b| self.grades[b].total_cmp(&self.grades[a]));
        Case { list, ..self.clone() }
    }

    /// More unjudged documents: strangers, and what was pooled and not retrieved.
    fn with_unjudged(&self, random: &mut Random) -> Self {
        let pooled = self
            .grades
            .iter()
            .filter(|&(document, &grade)| grade < 0.0 && !self.list.contains(document));
        let mut more: Vec<String> = pooled.map(|(document, _)| document.clone()).collect();
        more.extend((0..1 + random.below(4)).map(|i| format!("u{i}")));
        let mut case = self.clone();
        for document in more {
            case.list.insert(random.below(case.list.len() + 1), document);
        }
        case
    }

    /// Two judged documents, `near` neighbours if wanted, change places, and
    /// the better one comes first.
    fn exchanged(&self, neighbours: bool, random: &mut Random) -> Option<Self> {
        let mut pairs = Vec::new();
        for below in 1..self.list.len() {
            for above in if neighbours { below - 1..below } else { 0..below } {
                let grade = |rank: usize| self.grade(&self.list[rank]);
                if let (Some(a), Some(b)) = (grade(above), grade(below))
                    && a < b
                {
                    pairs.push((above, below));
                }
            }
        }
        if pairs.is_empty() {
            return None;
        }
        let (above, below) = random.choice(&pairs);
        let mut case = self.clone();
        case.list.swap(above, below);
        Some(case)
    }

    /// The values of measures; NaN where the topic has no relevant document.
    fn values(&self, measures: &[Measure]) -> Vec<f64> {
        let options = Options { undefined: Undefined::Skip, ..Options::default() };
        common::scores(measures, &self.grades, &self.list, Some(1000), options).unwrap().values
    }

    fn value(&self, measure: &str) -> f64 {
        self.values(&[parse(measure).unwrap()])[0]
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0)
}

/// The measures and, where there are, their forms on the condensed list.
fn with_primes(measures: Vec<Measure>) -> Vec<Measure> {
    let primes = measures.iter().filter(|measure| measure.family.prime);
    let primes: Vec<Measure> =
        primes.map(|measure| Measure { prime: true, ..measure.clone() }).collect();
    measures.into_iter().chain(primes).collect()
}

/// Tests a property by the values before and after a change to a list. A
/// measure without a value on either side says nothing.
fn test(
    property: &Property,
    seed: u64,
    change: impl Fn(&mut Random) -> Option<(Case, Case)>,
    holds: impl Fn(&Measure, f64, f64) -> bool,
) {
    let (has, lacks) = (with_primes(property.has()), property.lacks());
    let measures: Vec<Measure> = has.iter().chain(&lacks).cloned().collect();
    let mut refuted = vec![false; measures.len()];
    let mut random = Random(seed);
    let mut lists = 0;
    while lists < RANDOM_LISTS {
        let Some((before, after)) = change(&mut random) else { continue };
        lists += 1;
        let values = before.values(&measures).into_iter().zip(after.values(&measures));
        for (i, (a, b)) in values.enumerate() {
            let fails = !(a.is_nan() || b.is_nan() || holds(&measures[i], a, b));
            refuted[i] |= fails;
            assert!(
                !fails || i >= has.len(),
                "{} is not {}: {a}, then {b}; {before:?}, then {:?}",
                measures[i],
                property.about,
                after.list
            );
        }
    }
    for (measure, refuted) in measures.iter().zip(refuted).skip(has.len()) {
        assert!(refuted, "{measure} seems to be {}", property.about);
    }
}

#[test]
fn every_property_decides_on_every_family() {
    for Property { about, .. } in PROPERTIES {
        assert_eq!(PROPERTIES.iter().filter(|other| other.about == *about).count(), 1);
    }
    for property in PROPERTIES {
        let (has, lacks) = (property.has(), property.lacks());
        for measure in &has {
            assert!(!lacks.contains(measure), "{measure} has and lacks: {}", property.about);
        }
        for family in FAMILIES {
            let of = |measure: &Measure| std::ptr::eq(measure.family, *family);
            assert!(
                has.iter().chain(&lacks).any(of),
                "{} is on neither side of the property: {}",
                family.name,
                property.about
            );
        }
    }
}

#[test]
fn values_are_in_their_range() {
    test(
        &BOUNDED,
        1,
        |random| Some((random.case(ALL), Case::default())),
        |_, value, _| (0.0..=1.0 + TOLERANCE).contains(&value),
    );
}

#[test]
fn the_reference_tells_the_range() {
    for measure in BOUNDED.has() {
        assert_eq!(measure.family.range, "[0, 1]", "{measure}");
    }
    let sums = BOUNDED.lacks();
    for measure in &sums {
        assert_ne!(measure.family.range, "[0, 1]", "{measure}");
    }
    let mut random = Random(2);
    for _ in 0..RANDOM_LISTS {
        let case = random.case(ALL);
        for (measure, value) in sums.iter().zip(case.values(&sums)) {
            let inside = match measure.family.range {
                "[0, inf)" => value >= 0.0,
                "0, 1, 2 ..." => value >= 0.0 && value.fract() == 0.0,
                range => panic!("{measure} has an unknown range, {range}"),
            };
            assert!(value.is_nan() || inside, "{measure} is {value} for {case:?}");
        }
    }
}

#[test]
fn the_ideal_list_has_one() {
    test(
        &ONE_ON_THE_IDEAL_LIST,
        3,
        |random| {
            let ideal = random.case(ALL).ideal();
            Some((ideal.clone(), ideal))
        },
        |_, value, _| close(value, 1.0),
    );
}

/// The set measures are perfect when the list ends after the relevant documents.
#[test]
fn the_relevant_documents_alone_are_the_perfect_set() {
    let best = parse_list("SetP SetR SetF SetF(beta=2) SetF(alpha=0.1) SetAP Accuracy Specificity")
        .unwrap();
    let least = parse_list("E E(beta=2) Fallout").unwrap();
    let mut random = Random(4);
    for _ in 0..RANDOM_LISTS {
        let mut case = random.case(ALL).ideal();
        case.list.retain(|document| case.grades[document] >= 1.0);
        random.shuffle(&mut case.list);
        let right = |value: f64, perfect: f64| value.is_nan() || close(value, perfect);
        assert!(case.values(&best).into_iter().all(|value| right(value, 1.0)), "{case:?}");
        assert!(case.values(&least).into_iter().all(|value| right(value, 0.0)), "{case:?}");
    }
}

#[test]
fn the_prime_drops_the_unjudged() {
    let plain = CONDENSED.has();
    let primes: Vec<Measure> =
        plain.iter().map(|measure| Measure { prime: true, ..measure.clone() }).collect();
    let mut random = Random(5);
    for _ in 0..RANDOM_LISTS {
        let case = random.case(ALL);
        let condensed = case.condensed();
        let values = case.values(&primes).into_iter().zip(condensed.values(&plain));
        for (measure, (prime, dropped)) in primes.iter().zip(values) {
            // The same arithmetic, so the same bits.
            assert!(
                prime == dropped || prime.is_nan() && dropped.is_nan(),
                "{measure}: {prime}, and {dropped} without the unjudged, for {case:?}"
            );
        }
    }
}

#[test]
fn estimates_refuse_the_prime() {
    let families = |measures: Vec<Measure>| -> BTreeSet<&str> {
        measures.iter().map(|measure| measure.family.name).collect()
    };
    let without: BTreeSet<&str> =
        FAMILIES.iter().filter(|family| !family.prime).map(|family| family.name).collect();
    assert_eq!(families(CONDENSED.lacks()), without);
    assert!(families(CONDENSED.has()).is_disjoint(&without));
    for measure in CONDENSED.lacks() {
        for text in [format!("{measure}'"), format!("{measure}.prime")] {
            let error = parse(&text).expect_err(&text);
            assert_eq!(error.kind(), Kind::Parameter);
            assert!(error.to_string().contains("condensed list"), "{error}");
        }
        assert!(check_prime(&Measure { prime: true, ..measure }).is_err());
    }
}

#[test]
fn unjudged_documents_change_nothing() {
    let change = |random: &mut Random| {
        let case = random.case(ALL);
        let more = case.with_unjudged(random);
        Some((case, more))
    };
    test(&BLIND_TO_UNJUDGED, 6, change, |_, before, after| close(before, after));
    let primes = with_primes(CONDENSED.has());
    let primes: Vec<Measure> = primes.into_iter().filter(|measure| measure.prime).collect();
    let mut random = Random(7);
    for _ in 0..RANDOM_LISTS {
        let case = random.case(ALL);
        let more = case.with_unjudged(&mut random);
        let values = case.values(&primes).into_iter().zip(more.values(&primes));
        for (measure, (before, after)) in primes.iter().zip(values) {
            let same = before.is_nan() || close(before, after);
            assert!(same, "{measure}: {before}, then {after}; {case:?}, then {:?}", more.list);
        }
    }
}

#[test]
fn the_better_neighbour_first_is_better() {
    exchange(&BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST, true);
}

#[test]
fn the_better_document_first_is_better() {
    exchange(&BETTER_WITH_THE_BETTER_FIRST, false);
}

fn exchange(property: &Property, neighbours: bool) {
    test(
        property,
        8,
        |random| {
            let case = random.case(ALL);
            let exchanged = case.exchanged(neighbours, random)?;
            Some((case, exchanged))
        },
        |measure, before, after| {
            if LESS_IS_BETTER.contains(&measure.family.name) {
                after <= before + TOLERANCE
            } else {
                after >= before - TOLERANCE
            }
        },
    );
}
