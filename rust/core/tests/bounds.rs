//! Bounds against brute force: every way to judge what is not judged, scored by
//! the whole program.

use cranfield_core::bounds::{Mode, Question};
use cranfield_core::error::Kind;
use cranfield_core::evaluate::{Negative, Options};
use cranfield_core::grammar::{parse, parse_list};
use cranfield_core::measure::{Bounds, Gain, Measure};

use crate::brute::{Judgments, brute_force, measures};
use crate::common::{self, Random};

/// Judgments and a list with at most this number of unjudged documents, of which
/// some may be pooled.
fn random_case(random: &mut Random, palette: &[f64], unjudged: u64) -> (Judgments, Vec<String>) {
    let mut judgments = Judgments::new();
    let mut ranking = Vec::new();
    let mut open = random.below(unjudged + 1);
    for document in 0..=random.below(9) {
        let id = format!("d{document}");
        judgments.insert(id.clone(), palette[random.below(palette.len() as u64) as usize]);
        if random.below(4) > 0 {
            ranking.insert(random.below(ranking.len() as u64 + 1) as usize, id);
        }
    }
    while open > 0 {
        open -= 1;
        let id = format!("u{open}");
        if random.below(3) == 0 {
            judgments.insert(id.clone(), -1.0);
        }
        ranking.insert(random.below(ranking.len() as u64 + 1) as usize, id);
    }
    (judgments, ranking)
}

fn check(
    random: &mut Random,
    cases: usize,
    palette: &[f64],
    grades: &[f64],
    unjudged: u64,
    unseen: u32,
) {
    let top = grades.iter().copied().fold(0.0, f64::max);
    let question = Question { unseen, max_grade: Some(top), ..Question::default() };
    let graded = palette.iter().chain(grades).any(|&g| g != 0.0 && g != top && g > 0.0);
    for case in 0..cases {
        let (mut judgments, ranking) = random_case(random, palette, unjudged);
        // The scale is known: somewhere a document has the highest grade.
        judgments.insert("top".into(), top);
        let all = measures();
        let asked: Vec<Measure> = all
            .into_iter()
            .filter(|m| {
                let gains_differ = graded && m.gain == Gain::Grade;
                let refused = m.bounds() == Bounds::SortedIfBinary && gains_differ;
                // Unseen documents are relevant in the measure's sense, or not there.
                !refused && (unseen == 0 || m.rel == 1.0)
            })
            .collect();
        let found = common::bounded(&asked, &judgments, &ranking, Some(50), &question).unwrap();
        let asked = common::known(&found.low);
        let expected = brute_force(&asked, &judgments, &ranking, grades, unseen as usize);
        for (i, measure) in asked.iter().enumerate() {
            let (low, high) = (found.low.values[i], found.high.values[i]);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0);
            assert!(
                close(low, expected[i].0) && close(high, expected[i].1),
                "case {case}, {measure}: [{low}, {high}], by brute force {:?}, for {ranking:?} under {judgments:?}",
                expected[i]
            );
        }
    }
}

#[test]
fn binary_bounds_are_those_of_brute_force() {
    check(&mut Random(1), 200, &[0.0, 1.0], &[0.0, 1.0], 6, 0);
    check(&mut Random(2), 8, &[0.0, 0.0, 1.0], &[0.0, 1.0], 10, 0);
}

#[test]
fn graded_bounds_are_those_of_brute_force() {
    check(&mut Random(3), 150, &[0.0, 0.0, 1.0, 2.0], &[0.0, 1.0, 2.0], 4, 0);
    check(&mut Random(4), 30, &[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 2.0, 3.0], 4, 0);
}

#[test]
fn bounds_with_unseen_documents_are_those_of_brute_force() {
    check(&mut Random(5), 40, &[0.0, 1.0], &[0.0, 1.0], 4, 2);
    check(&mut Random(6), 20, &[0.0, 1.0, 2.0], &[0.0, 1.0, 2.0], 3, 2);
}

/// The extremes over the lists whose first 0, 1, 2 ... open places are relevant, or whose last.
fn scanned(asked: &[Measure], judgments: &Judgments, ranking: &[String]) -> Vec<(f64, f64)> {
    let open: Vec<&String> = ranking.iter().filter(|id| !judgments.contains_key(*id)).collect();
    let mut extremes = vec![(f64::INFINITY, f64::NEG_INFINITY); asked.len()];
    for filled in 0..=open.len() {
        for first in [true, false] {
            let mut judged = judgments.clone();
            for (i, id) in open.iter().enumerate() {
                let relevant = if first { i < filled } else { i >= open.len() - filled };
                judged.insert((*id).clone(), f64::from(u8::from(relevant)));
            }
            let scores =
                common::scores(asked, &judged, ranking, Some(5000), Options::default()).unwrap();
            for (extreme, &value) in extremes.iter_mut().zip(&scores.values) {
                *extreme = (extreme.0.min(value), extreme.1.max(value));
            }
        }
    }
    extremes
}

#[test]
fn bounds_of_long_lists_are_those_of_a_scan_to_the_last_bit() {
    let random = &mut Random(12);
    let asked: Vec<Measure> = measures()
        .into_iter()
        .filter(|m| matches!(m.bounds(), Bounds::Sorted | Bounds::SortedIfBinary) && m.rel <= 1.0)
        .collect();
    let cases = std::env::var("CRANFIELD_CASES").map_or(25, |cases| cases.parse().unwrap());
    for case in 0..cases {
        let mut judgments = Judgments::new();
        let mut ranking = Vec::new();
        // Few or many are judged, few or many of these relevant, here or elsewhere.
        let (judged, relevant) = (1 + random.below(6), 1 + random.below(12));
        for i in 0..20 + random.below(60) {
            let id = format!("d{i}");
            if random.below(8) < judged {
                let grade = f64::from(u8::from(random.below(16) < relevant));
                judgments.insert(id.clone(), grade);
            }
            if random.below(8) > 0 || !judgments.contains_key(&id) {
                ranking.push(id);
            }
        }
        judgments.insert("top".into(), 1.0);
        judgments.insert("bottom".into(), 0.0);
        let found = common::bounded(&asked, &judgments, &ranking, Some(5000), &Question::default())
            .unwrap();
        let known = common::known(&found.low);
        let expected = scanned(&known, &judgments, &ranking);
        for (i, measure) in known.iter().enumerate() {
            let (low, high) = (found.low.values[i], found.high.values[i]);
            assert!(
                (low.to_bits(), high.to_bits())
                    == (expected[i].0.to_bits(), expected[i].1.to_bits()),
                "case {case}, {measure}: [{low}, {high}], by a scan {:?}, for {ranking:?} under {judgments:?}",
                expected[i]
            );
        }
    }
}

/// Every way to put documents on free ranks of a whole collection.
fn each_placing(
    free: &[usize],
    documents: &[String],
    list: &mut Vec<String>,
    f: &mut impl FnMut(&[String]),
) {
    let Some((document, rest)) = documents.split_first() else { return f(list) };
    for (i, &rank) in free.iter().enumerate() {
        let kept = std::mem::replace(&mut list[rank], document.clone());
        let others: Vec<usize> = [&free[..i], &free[i + 1..]].concat();
        each_placing(&others, rest, list, f);
        list[rank] = kept;
    }
}

/// Judgments of a whole collection: what the judgments leave out is not relevant.
fn all_judged(judgments: &Judgments, list: &[String]) -> Judgments {
    let mut all = judgments.clone();
    for document in list {
        let grade = all.entry(document.clone()).or_insert(0.0);
        *grade = grade.max(0.0);
    }
    all
}

/// Random cases, once with the documents judged not relevant and once without,
/// beside every order of a whole collection that begins with the list.
fn check_fixed_r(random: &mut Random, palette: &[f64], options: Options) {
    let question = Question { mode: Mode::FixedR, ..Question::default() };
    let graded = palette.iter().any(|&grade| grade > 1.0);
    let mut cases = 0;
    while cases < 60 {
        let (named, ranking) = random_case(random, palette, 3);
        let relevant: Judgments =
            named.iter().filter(|judged| *judged.1 > 0.0).map(|(d, &g)| (d.clone(), g)).collect();
        let missing: Vec<String> =
            relevant.keys().filter(|d| !ranking.contains(d)).cloned().collect();
        let behind = named.keys().filter(|d| !ranking.contains(d)).count();
        if missing.len() > 3 || relevant.is_empty() {
            continue;
        }
        cases += 1;
        let size = ranking.len() + behind + random.below(3) as usize;
        let mut list = ranking.clone();
        list.extend((ranking.len()..size).map(|rank| format!("x{rank}")));
        let free: Vec<usize> = (ranking.len()..size).collect();
        let mut asked = measures();
        asked.retain(|m| !m.needs_collection() || relevant.len() < size);
        asked.retain(|m| match m.bounds() {
            Bounds::Pooled { .. } => false,
            Bounds::SortedIfBinary => !graded || m.gain == Gain::Binary || m.family.takes_rel(),
            _ => true,
        });
        let mut once: Vec<Measure> = Vec::new();
        asked.retain(|m| {
            let new = !once.contains(m);
            once.extend(new.then(|| m.clone()));
            new
        });
        let mut expected = vec![(f64::INFINITY, f64::NEG_INFINITY); asked.len()];
        // Where a gain map gives grade 0 a gain, unjudged documents gain nothing.
        let of_zero = |m: &Measure| matches!(&m.gain, Gain::Map(map) if map[0].0 == 0.0);
        let size = Some(size as u64);
        each_placing(&free, &missing, &mut list.clone(), &mut |list| {
            let judged = all_judged(&relevant, list);
            let scores = common::scores(&asked, &judged, list, size, options).unwrap();
            let bare = common::scores(&asked, &relevant, list, size, options).unwrap();
            for (i, extremes) in expected.iter_mut().enumerate() {
                let value = if of_zero(&asked[i]) { bare.values[i] } else { scores.values[i] };
                *extremes = (extremes.0.min(value), extremes.1.max(value));
            }
        });
        for (judgments, bare) in [(&relevant, true), (&named, false)] {
            let compared: Vec<usize> =
                (0..asked.len()).filter(|&i| !of_zero(&asked[i]) || bare).collect();
            let some: Vec<Measure> = compared.iter().map(|&i| asked[i].clone()).collect();
            let found = common::bounded_under(&some, judgments, &ranking, size, options, &question)
                .unwrap();
            for (place, &i) in compared.iter().enumerate() {
                let measure = &asked[i];
                let (low, high) = (found.low.values[place], found.high.values[place]);
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0);
                assert!(
                    close(low, expected[i].0) && close(high, expected[i].1),
                    "{measure}: [{low}, {high}], by brute force {:?}, for {list:?} under {judgments:?}",
                    expected[i]
                );
            }
        }
    }
}

#[test]
fn bounds_with_fixed_r_are_those_of_brute_force() {
    let mut random = Random(7);
    for palette in [&[0.0, 1.0][..], &[1.0], &[0.0, 1.0, 2.0], &[0.0, 1.0, 2.0, 3.0]] {
        check_fixed_r(&mut random, palette, Options::default());
    }
    let negative = Options { negative: Negative::Nonrelevant, ..Options::default() };
    check_fixed_r(&mut random, &[-2.0, 0.0, 1.0], negative);
}

fn one(
    measure: &str,
    judgments: &str,
    list: &str,
    size: Option<u64>,
    question: &Question,
) -> [f64; 3] {
    let measures = [parse(measure).unwrap()];
    let (judgments, list) = (common::judgments(judgments), common::list(list));
    let found = common::bounded(&measures, &judgments, &list, size, question).unwrap();
    [found.value.values[0], found.low.values[0], found.high.values[0]]
}

fn close(found: [f64; 3], expected: [f64; 3]) -> bool {
    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
}

#[test]
fn neither_end_need_be_extreme() {
    // One document judged relevant at rank 3: the highest value has the two
    // places above it relevant, the lowest only the last.
    let found = one("AP", "r=1 n=0", "a b r c n d e f g", None, &Question::default());
    assert!(close(found, [1.0 / 3.0, 5.0 / 18.0, 1.0]), "{found:?}");
}

#[test]
fn the_bounds_are_of_the_value_after_judging() {
    // AP' is (1 + 2/3) / 2 today; with u judged it is (1 + 2/3 + 3/4) / 3 or
    // (1 + 2/4) / 2.
    let found = one("AP'", "a=1 b=0 c=1", "a b u c", None, &Question::default());
    assert!(close(found, [5.0 / 6.0, 3.0 / 4.0, 29.0 / 36.0]), "{found:?}");
}

#[test]
fn the_highest_ndcg_can_have_a_grade_in_the_middle() {
    let question = Question { max_grade: Some(3.0), ..Question::default() };
    let [_, _, high] = one("nDCG", "a=1 b=0 c=0 f=1", "a b c d e f", None, &question);
    let discount = |rank: f64| 1.0 / (rank + 1.0).log2();
    let ones: f64 = [1.0, 4.0, 5.0, 6.0].map(discount).iter().sum();
    let ideal: f64 = [1.0, 2.0, 3.0, 4.0].map(discount).iter().sum();
    assert!((high - ones / ideal).abs() < 1e-12 && high > 0.848, "{high}");
}

#[test]
fn exercise_8_9_of_iir() {
    // R R N N N  N N N R N  R N N N R  N N N N R with 8 relevant documents in
    // a collection of 10,000.
    let list = "r1 r2 n1 n2 n3 n4 n5 n6 r3 n7 r4 n8 n9 n10 r5 n11 n12 n13 n14 r6";
    let relevant = (1..=8).map(|i| format!("r{i}=1"));
    let others = (1..=14).map(|i| format!("n{i}=0"));
    let judgments = relevant.chain(others).collect::<Vec<_>>().join(" ");
    let question = Question { mode: Mode::FixedR, ..Question::default() };
    let found = one("AP", &judgments, list, Some(10_000), &question);
    let expected = [1099.0 / 2640.0, 20_821_687.0 / 49_995_000.0, 443.0 / 880.0];
    assert!(close(found, expected), "{found:?}");
    // Without the others every document that is not named is not relevant.
    let relevant = (1..=8).map(|i| format!("r{i}=1")).collect::<Vec<_>>().join(" ");
    for measure in ["AP", "AP'", "GMAP", "Q(gain=\"binary\")'"] {
        let bare = one(measure, &relevant, list, Some(10_000), &question);
        let full = one(measure, &judgments, list, Some(10_000), &question);
        assert_eq!(bare[1..], full[1..], "{measure}");
    }
    // No unjudged place of the list can be one of those that were not found.
    assert!(close(one("AP", &relevant, list, Some(10_000), &question), expected));
    // bpref: 0 1 2 ... of the first 8 others stand above the six, all above the rest.
    let above = [0.0, 0.0, 6.0, 7.0, 8.0, 8.0];
    let bpref: f64 = above.iter().map(|n| 1.0 - n / 8.0).sum::<f64>() / 8.0;
    assert!(close(
        one("bpref", &relevant, list, Some(10_000), &question)[..3].try_into().unwrap(),
        [0.75, bpref, bpref]
    ));
    // vectors.json, ap_bounds_general: R N, two relevant of five documents.
    let found = one("AP", "a=1 b=0 c=1", "a b", Some(5), &question);
    assert!(close(found, [0.5, 7.0 / 10.0, 5.0 / 6.0]), "{found:?}");
}

#[test]
fn rbp_can_grow_by_its_residual_but_for_the_tail() {
    let found = one("RBP(p=0.8)", "a=1 b=0 c=1", "x a y b z c w", None, &Question::default());
    let open: f64 = [1, 3, 5, 7].map(|rank| 0.2 * 0.8f64.powi(rank - 1)).iter().sum();
    assert!((found[2] - found[1] - open).abs() < 1e-12);
    // All but the tail of 0.8^7, which lies beyond the list.
    let measure = [parse("RBP_residual(p=0.8)").unwrap()];
    let (judgments, list) = (common::judgments("a=1 b=0 c=1"), common::list("x a y b z c w"));
    let residual = common::scores(&measure, &judgments, &list, None, Options::default()).unwrap();
    assert!((residual.values[0] - open - 0.8f64.powi(7)).abs() < 1e-12);
}

#[test]
fn fractional_grades_stay_within_the_bounds() {
    let question = Question { max_grade: Some(1.0), ..Question::default() };
    let mut random = Random(8);
    let asked = parse_list("nDCG nDCG@3 GAP rpref_relative2 DCG@4 enDCG@3").unwrap();
    for _ in 0..300 {
        let palette = [0.0, 0.0, 0.3, 0.5, 1.0];
        let (mut judgments, ranking) = random_case(&mut random, &palette, 5);
        let found = common::bounded(&asked, &judgments, &ranking, None, &question).unwrap();
        let unjudged = |d: &&String| judgments.get(*d).is_none_or(|&grade| grade < 0.0);
        let open: Vec<String> = ranking.iter().filter(unjudged).cloned().collect();
        for document in open {
            judgments.insert(document, random.below(1001) as f64 / 1000.0);
        }
        let scores =
            common::scores(&asked, &judgments, &ranking, None, Options::default()).unwrap();
        for (i, &value) in scores.values.iter().enumerate() {
            let (low, high) = (found.low.values[i], found.high.values[i]);
            assert!(
                low - 1e-12 <= value && value <= high + 1e-12,
                "{}: {value} outside [{low}, {high}]",
                asked[i]
            );
        }
    }
}

#[test]
fn what_has_no_exact_method_is_refused() {
    let refuse = |measure: &str, judgments: &str, list: &str, question: &Question, why: &str| {
        let measures = [parse(measure).unwrap()];
        let (judgments, list) = (common::judgments(judgments), common::list(list));
        let error =
            common::bounded(&measures, &judgments, &list, Some(100), question).err().unwrap();
        assert!(error.to_string().contains(why), "{measure}: {error}");
        error.kind()
    };
    let plain = Question::default();
    let graded = "a=1 b=2 c=0";
    for (measure, why) in [
        ("subAP(p=0.5)", "a random estimate"),
        ("subAP_expected", "estimate"),
        ("Judged@3", "how much is judged"),
        ("Q", "more than one gain"),
        ("rpref_relative", "more than one gain"),
        ("rpref_N(unretrieved=\"literal\")", "literal"),
        ("rpref_N(skip_first=True)", "left out"),
        ("infAP(epsilon=1)", "epsilon"),
        ("G", "more than one gain"),
        ("nDCG_rel", "more than one gain"),
        ("Pref(over=\"implied\")@2", "among the first k"),
        ("num_prefs(over=\"retrieved\")@2", "among the first k"),
    ] {
        assert_eq!(refuse(measure, graded, "a x b y c", &plain, why), Kind::Bounds);
    }
    assert_eq!(refuse("ERR(max_rel=1)", graded, "a x", &plain, "declares 1"), Kind::Parameter);
    let few = Question { max_assignments: 5, ..plain };
    assert_eq!(refuse("nERR(max_rel=3)", graded, "a x b y c", &few, "6 assignments"), Kind::Bounds);
    let fixed = Question { mode: Mode::FixedR, ..plain };
    assert_eq!(refuse("infAP", graded, "a x b", &fixed, "estimate"), Kind::Bounds);
    let any = "every grade is relevant";
    assert_eq!(refuse("bpref(rel=0)", graded, "a x b", &fixed, any), Kind::Bounds);
    let both = Question { unseen: 1, ..fixed };
    assert_eq!(refuse("AP", graded, "a x b", &both, "unseen"), Kind::Option);
    let negative = Question { max_grade: Some(-1.0), ..plain };
    assert_eq!(refuse("AP", graded, "a x b", &negative, "max_grade"), Kind::Option);
}
