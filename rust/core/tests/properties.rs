//! Properties of measures: each is stated once, with the measures that have it
//! and those that do not, and tested on random lists.
//!
//! A family that is on neither side of a property fails the first test, so
//! that a new one forces a decision. Those that have a property must show it
//! on every list; those that lack it must fail on at least one, so that
//! neither side holds a measure by mistake.
//!
//! Families that need a column of the judgments in addition to grades are exempt: the
//! lists here have grades only. Their test is `columns.rs`.

mod tables;

use std::collections::BTreeSet;

use cranfield_core::error::Kind;
use cranfield_core::evaluate::Options;
use cranfield_core::grammar::{check_prime, parse, parse_list};
use cranfield_core::measure::{Better, Cutoff, FAMILIES, Family, Gain, Measure, Needs};

use crate::cases::{
    ALL, Case, GRADED, SAMPLED_GRADED, TOLERANCE, agree, batches, close, plain, values, with_primes,
};
use crate::common::{self, Random};
use tables::*;

/// The families that grades are enough for.
fn on_grades() -> impl Iterator<Item = &'static Family> {
    FAMILIES.iter().copied().filter(|family| family.sees.needs == Needs::Nothing)
}

/// Tests a property by the values before and after a change to a list. A
/// measure without a value says nothing.
fn test(
    property: &Property,
    seed: u64,
    change: impl Fn(&mut Random, &Case) -> Option<Case>,
    holds: impl Fn(&Measure, f64, f64) -> bool,
) {
    let (has, lacks) = (with_primes(property.has()), property.lacks());
    let measures: Vec<Measure> = has.iter().chain(&lacks).cloned().collect();
    let mut refuted = vec![false; measures.len()];
    for (before, after) in batches(seed, ALL, change) {
        let rows = values(&measures, &before).into_iter().zip(values(&measures, &after));
        for (case, (row, changed)) in rows.enumerate() {
            for (i, (a, b)) in row.into_iter().zip(changed).enumerate() {
                let fails = !a.is_nan() && !holds(&measures[i], a, b);
                refuted[i] |= fails;
                assert!(
                    !fails || i >= has.len(),
                    "{} is not {}: {a}, then {b}; {:?}, then {:?}",
                    measures[i],
                    property.about,
                    before[case],
                    after[case].list
                );
            }
        }
    }
    for (measure, refuted) in measures.iter().zip(refuted).skip(has.len()) {
        assert!(refuted, "{measure} seems to be {}", property.about);
    }
}

#[test]
fn every_property_decides_on_every_family() {
    let mut missing = BTreeSet::new();
    for property in PROPERTIES {
        let (has, lacks) = (property.has(), property.lacks());
        for measure in &has {
            assert!(!lacks.contains(measure), "{measure} has and lacks: {}", property.about);
        }
        for family in on_grades() {
            let of = |measure: &Measure| std::ptr::eq(measure.family, family);
            if !has.iter().chain(&lacks).any(of) {
                missing.insert(format!("{}: {}", family.about.name, property.place()));
            }
        }
    }
    let missing = Vec::from_iter(missing);
    assert!(
        missing.is_empty(),
        "add to MEASURES, or to `has` or `lacks` of the property, in properties/tables.rs:\n{}",
        missing.join("\n")
    );
}

#[test]
fn values_are_in_their_range() {
    test(
        &BOUNDED,
        1,
        |_, case| Some(case.clone()),
        |_, value, _| (-TOLERANCE..=1.0 + TOLERANCE).contains(&value),
    );
}

#[test]
fn other_ranges_hold_too() {
    let sums = BOUNDED.lacks();
    for cases in plain(2, ALL) {
        for row in values(&sums, &cases) {
            for (measure, value) in sums.iter().zip(row).filter(|(_, value)| !value.is_nan()) {
                let inside = match measure.family.about.range {
                    "[0, inf)" | "[0, 1], or [0, inf) for ETU, EC, ETC and ED" => value >= 0.0,
                    "(-inf, inf)" => value.is_finite(),
                    "0, 1, 2 ..." => value >= 0.0 && value.fract() == 0.0,
                    range => panic!("add what {range} means here: {measure} has that range"),
                };
                assert!(inside, "{measure} is {value}");
            }
        }
    }
}

#[test]
fn the_ideal_list_has_one() {
    test(&ONE_ON_THE_IDEAL_LIST, 3, |_, case| Some(case.ideal()), |_, _, ideal| close(ideal, 1.0));
}

/// The set measures are perfect when the list ends after the relevant documents.
#[test]
fn the_relevant_documents_alone_are_the_perfect_set() {
    let best = "SetP SetR SetF SetF(beta=2) SetF(alpha=0.1) SetAP Accuracy Specificity";
    let least = "E E(beta=2) Fallout";
    let relevant_only = |random: &mut Random, case: &Case| {
        let mut case = case.ideal();
        case.list.retain(|document| case.grades[document] >= 1.0);
        random.shuffle(&mut case.list);
        Some(case)
    };
    for (_, cases) in batches(4, ALL, relevant_only) {
        for (measures, perfect) in [(best, 1.0), (least, 0.0)] {
            for (row, case) in values(&parse_list(measures).unwrap(), &cases).iter().zip(&cases) {
                let right = |&value: &f64| value.is_nan() || close(value, perfect);
                assert!(row.iter().all(right), "{row:?} for {case:?}");
            }
        }
    }
}

#[test]
fn the_prime_drops_the_unjudged() {
    let whole = CONDENSED.has();
    let primes: Vec<Measure> =
        whole.iter().map(|measure| Measure { prime: true, ..measure.clone() }).collect();
    for (cases, condensed) in batches(5, ALL, |_, case| Some(case.condensed())) {
        let rows = values(&primes, &cases).into_iter().zip(values(&whole, &condensed));
        for (case, (row, dropped)) in cases.iter().zip(rows) {
            for (measure, (prime, dropped)) in primes.iter().zip(row.iter().zip(&dropped)) {
                // The same arithmetic, so the same bits.
                assert!(
                    prime.to_bits() == dropped.to_bits(),
                    "{measure}: {prime}, and {dropped} without the unjudged, for {case:?}"
                );
            }
        }
    }
}

/// A sample of the pool says how many documents the unjudged ones of the list
/// stand for, so estimates from it refuse the prime too.
#[test]
fn estimates_refuse_the_prime() {
    let families = |measures: &[Measure]| -> BTreeSet<&str> {
        measures.iter().map(|measure| measure.family.about.name).collect()
    };
    let mut estimates = CONDENSED.lacks();
    for family in FAMILIES {
        if matches!(family.sees.needs, Needs::Strata | Needs::Sample) {
            let cutoff = (family.takes.cutoff == Cutoff::Required).then_some(5.0);
            estimates.push(Measure { cutoff, ..Measure::of(family) });
        }
    }
    let without: BTreeSet<&str> = FAMILIES
        .iter()
        .filter(|family| !family.takes.prime)
        .map(|family| family.about.name)
        .collect();
    assert_eq!(families(&estimates), without);
    assert!(families(&CONDENSED.has()).is_disjoint(&without));
    for measure in estimates {
        let measure = Measure { prime: true, ..measure };
        let text = measure.to_string();
        for text in [text.replace('\'', ".prime"), text] {
            let error = parse(&text).expect_err(&text);
            assert_eq!(error.kind(), Kind::Parameter);
            assert!(error.to_string().contains("condensed list"), "{error}");
        }
        assert!(check_prime(&measure).is_err());
    }
}

#[test]
fn unjudged_documents_change_nothing() {
    let more = |random: &mut Random, case: &Case| Some(case.with_unjudged(random));
    test(&BLIND_TO_UNJUDGED, 6, more, |_, before, after| close(before, after));
    let mut primes = with_primes(CONDENSED.has());
    primes.retain(|measure| measure.prime);
    for (cases, with_more) in batches(7, ALL, more) {
        let rows = values(&primes, &cases).into_iter().zip(values(&primes, &with_more));
        for (case, (row, changed)) in with_more.iter().zip(rows) {
            for (measure, (before, after)) in primes.iter().zip(row.iter().zip(&changed)) {
                let same = before.to_bits() == after.to_bits();
                assert!(same, "{measure}: {before}, then {after} for {case:?}");
            }
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
        |random, case| case.exchanged(neighbours, random),
        |measure, before, after| {
            if measure.better() == Better::Lower {
                after <= before + TOLERANCE
            } else {
                after >= before - TOLERANCE
            }
        },
    );
}

/// One exchange for each measure that punishes some, with its two values.
#[test]
fn some_exchanges_are_punished() {
    let strangers: Vec<String> = (0..200_000).map(|i| format!("u{i}")).collect();
    let [far_before, far_after] =
        ["n r", "r n"].map(|pair| format!("{} {pair}", strangers.join(" ")));
    let cases = [
        // One of the two others stands above r, one pair of four; first, r has no pairs.
        ("micro_bpref", "r=1 s=1 n=0 m=0", "n r", "r n", (1.0 / 4.0, 0.0)),
        // cg* = 3, 4, 4: (4/6 + 6/7) / 2; b at rank 1 has 1 of 3: (2/4 + 6/6) / 2.
        ("Q", "n=0 s=3 b=1", "n s b", "b s n", (16.0 / 21.0, 3.0 / 4.0)),
        // H = 3, cg* = 7, N' = 3 - 7/3: (2 + 2) / 7; c loses (1/3) / (2/3): (2 + 3/2) / 7.
        ("rpref_N@2", "a=2 b=2 c=3", "a b c", "a c b", (4.0 / 7.0, 1.0 / 2.0)),
        // One of the two others stands above r: 1 - 1/2; then r is first and left out.
        ("rpref_N(skip_first=True)", "r=1 n=0 m=0", "n r", "r n", (1.0 / 2.0, 0.0)),
        // n speaks for itself: 1/5 + (1/5) (1/3); then there is nothing to speak for: 1/4.
        ("infAP(epsilon=1)", "r=1 n=0", "x y z n r", "x y z r n", (4.0 / 15.0, 1.0 / 4.0)),
        // a has 1; r half of five pooled, 1/10 + (5/10) (1/2), then all of one, 1/6 + 1/6.
        (
            "infAP(epsilon=0)",
            "a=1 n=0 p=-1 q=-1 o=-1 r=1",
            "a v w x y n p q o r",
            "a v w x y r p q o n",
            (27.0 / 40.0, 2.0 / 3.0),
        ),
        // As with epsilon=1, for ranks beyond 1/e: (1/k) (1 + e / (1 + 2 e)); then 1 / (k - 1).
        (
            "infAP",
            "r=1 n=0",
            &far_before,
            &far_after,
            ((1.0 + 1e-5 / 1.000_02) / 200_002.0, 1.0 / 200_001.0),
        ),
        // Ideal c b a: behind by 6, 6 and 0: (1/3 + 3/3 + 7/1) / 11; then by 6, 2 and 0.
        ("G", "a=1 b=3 c=7", "a b c", "a c b", (25.0 / 33.0, 41.0 / 66.0)),
        // m does not reach 1 and b is read, 5/3 of 3; then b is enough, 1 of 2.
        ("BPM(T=1,K=10,max_rel=3)", "n=0 m=2 b=3", "n m b", "n b m", (5.0 / 9.0, 1.0 / 2.0)),
        // A strict user does the same.
        ("IFT(T=0.9,R1=1000,max_rel=3)", "n=0 m=2 b=3", "n m b", "n b m", (5.0 / 9.0, 1.0 / 2.0)),
        // Blended ratios 3/7 and 7/8, s = 2/4 and 3/4; then 4/7 and 7/8.
        ("EBR", "b=3 s=2", "x s b", "x b s", (3.0 / 14.0 + 21.0 / 64.0, 3.0 / 7.0 + 7.0 / 64.0)),
        ("PMeasure", "b=3 s=2", "x s b", "x b s", (7.0 / 8.0, 4.0 / 7.0)),
        ("PPlus", "b=3 s=2", "x s b", "x b s", (73.0 / 112.0, 4.0 / 7.0)),
        // (2 (3/7) + 3 (7/8)) / 5; then (3 (4/7) + 2 (7/8)) / 5.
        ("NCU", "b=3 s=2", "x s b", "x b s", (39.0 / 56.0, 97.0 / 140.0)),
        // b at rank 2: (9 + 1) / (10 + 2); then s at rank 1: (1 + 1) / (9 + 1).
        ("O", "n=0 b=9 s=1", "n b s", "s b n", (5.0 / 6.0, 1.0 / 5.0)),
        // Weights 1 and 1: (1 + 2/5) / 2; then b has two neighbours: (1 + 2 (2/4)) / 3.
        ("MP(steps=\"local\")", "a=1 b=1 n=0", "a x y n b", "a x y b n", (7.0 / 10.0, 2.0 / 3.0)),
        // n is early by 1 and r late by 2; then nothing is anything.
        ("CRP", "r=1 n=0", "n x r", "r x n", (1.0, 0.0)),
        // -1, then 1 at rank 3; then -1 and 0, which is never above 0.
        ("Twist(out=\"rho\")", "r=1 n=0 m=0", "m n r", "m r n", (1.0 / 2.0, 0.0)),
        // Nothing is discounted: (3/4 + 4/4) / 2; then a at rank 1 has a third of the ideal.
        ("nDCG_rel(dcg=\"jk\",base=3)", "n=0 b=3 a=1", "n b a", "a b n", (7.0 / 8.0, 2.0 / 3.0)),
        // s over r of s over r, n, m and r over n, m; o is not compared.
        ("Pref(nonrel=\"R\")", "r=1 s=2 n=0 m=0 o=0", "n m o s r", "n m r s o", (1.0 / 5.0, 0.0)),
        // What has nothing above it is left out.
        ("bpref_num_correct", "a=1 b=1 n=0 m=0", "n a", "a n", (1.0, 0.0)),
        // a over n; then c over a, which is not fulfilled.
        ("Pref(over=\"retrieved\")@3", "a=1 c=2 n=0", "a n x c", "a c x n", (1.0, 0.0)),
        ("num_prefs(over=\"retrieved\")@3", "a=1 b=1 n=0", "a n x b", "a b x n", (1.0, 0.0)),
    ];
    for (measure, judgments, before, after, worse) in cases {
        let values = values(
            &[parse(measure).unwrap()],
            &[Case::of(judgments, before), Case::of(judgments, after)],
        );
        assert!(
            close(values[0][0], worse.0) && close(values[1][0], worse.1),
            "{measure}: {values:?}"
        );
        assert!(values[1][0] < values[0][0], "{measure}: {values:?}");
    }
    for lacks in
        [BETTER_WITH_THE_BETTER_FIRST, BETTER_WITH_THE_BETTER_NEIGHBOUR_FIRST].map(|p| p.lacks())
    {
        for measure in lacks {
            let name = measure.family.about.name;
            assert!(
                cases.iter().any(|case| case.0.starts_with(name)),
                "{name} needs an example above"
            );
        }
    }
}

#[test]
fn a_gain_map_stands_for_other_grades() {
    let mut direct = GAINS_STAND_FOR_GRADES.has();
    direct.retain(|measure| measure.gain == Gain::Grade);
    for (batch, cases) in plain(9, &[GRADED, SAMPLED_GRADED]).enumerate() {
        let mut random = Random(batch as u64);
        let mut gains = [0.0, 1.0, 2.0, 3.0];
        random.shuffle(&mut gains);
        let map = Gain::Map((0..4).map(|grade| (grade as f64, gains[grade])).collect());
        let mapped: Vec<Measure> =
            direct.iter().map(|m| Measure { gain: map.clone(), ..m.clone() }).collect();
        let mut regraded = cases.clone();
        for case in &mut regraded {
            let judged = case.grades.values_mut().filter(|grade| **grade >= 0.0);
            judged.for_each(|grade| *grade = gains[*grade as usize]);
        }
        agree(&mapped, &direct, &cases, &regraded);
    }
}

#[test]
fn only_graded_measures_take_gains() {
    for measure in GAINS_STAND_FOR_GRADES.lacks() {
        let text = format!("{}(gain=\"binary\")", measure.family.about.name);
        assert_eq!(parse(&text).expect_err(&text).kind(), Kind::Parameter);
    }
}

#[test]
fn a_grade_above_the_declared_one_is_an_error() {
    let (grades, list) = (common::judgments("a=3 b=1"), common::list("a b"));
    for text in [
        "ERR(max_rel=2)",
        "nERR(max_rel=2)",
        "RBP(p=0.5,max_rel=2)",
        "rpref_N(top_gain=2)",
        "rpref_relative(top_gain=2,partitions=2)",
    ] {
        let measure = [parse(text).unwrap()];
        let error = common::scores(&measure, &grades, &list, None, Options::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Parameter);
        assert!(error.to_string().contains("declares 2 to be the highest gain"), "{error}");
    }
}

#[test]
fn an_unjudged_document_gains_nothing() {
    // The map gives a gain to the grade of pooled documents, too.
    let (grades, list) = (common::judgments("a=1 b=-1"), common::list("a b"));
    for text in ["nDCG", "Q", "GAP", "nERR(stop=\"ntcir\")", "rpref_relative2"] {
        let plain = parse(text).unwrap();
        let mut mapped = plain.clone();
        mapped.gain = cranfield_core::measure::Gain::Map(vec![(-1.0, 2.0)]);
        let measures = [plain, mapped];
        let scores = common::scores(&measures, &grades, &list, None, Options::default()).unwrap();
        assert_eq!(scores.values[0].to_bits(), scores.values[1].to_bits(), "{text}");
    }
}
