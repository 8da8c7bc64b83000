//! Measures that are one function under certain arguments, on random lists, and
//! the samples that `subAP` draws.

use std::collections::{BTreeMap, BTreeSet};

use cranfield_core::grammar::{parse, parse_list};
use cranfield_core::measure::Measure;
use cranfield_core::qrels::Builder;
use cranfield_core::rank::{Lines, Run};
use cranfield_core::scores::Scores;

use crate::cases::{
    ALL, BATCHES, BINARY, Case, FRACTIONS, GRADED, RELEVANCE, SAMPLED, SAMPLED_GRADED, agree,
    close, evaluate, plain, values,
};
use crate::common::Random;

/// Pairs of measures that are one function on lists with such grades.
fn identical(seed: u64, palettes: &[&[f64]], pairs: &[(&str, &str)]) {
    let measure = |text: &&str| parse(text).unwrap();
    let left: Vec<Measure> = pairs.iter().map(|(left, _)| measure(left)).collect();
    let right: Vec<Measure> = pairs.iter().map(|(_, right)| measure(right)).collect();
    for cases in plain(seed, palettes) {
        agree(&left, &right, &cases, &cases);
    }
}

#[test]
fn q_without_gains_is_ap() {
    // For AP a document with a gain is one of a grade above 0, however low.
    let pairs = [
        ("Q(beta=0)", "AP(rel=0.01)"),
        ("Q(beta=0)'", "AP(rel=0.01)'"),
        ("Q(beta=0)@3", "aAP(rel=0.01)@3"),
        ("Q(beta=0,gain={1:3,2:1,3:2})'@5", "aAP(rel=0.01)'@5"),
    ];
    identical(10, ALL, &pairs);
}

/// A beta whose square or whose product with a gain is no double is as good as infinite.
#[test]
fn an_infinite_beta_is_the_limit() {
    let pairs = [
        ("SetF(beta=inf)", "SetR"),
        ("SetF(beta=inf)@3", "R@3"),
        ("SetF(beta=1e200)", "SetR"),
        ("E(beta=inf)", "E(alpha=0)"),
        ("MaxF(beta=inf)", "MaxF(alpha=0)"),
        ("Q(beta=inf)", "Q(beta=1e17)"),
        ("Q(beta=inf)'@3", "Q(beta=1.7e308)'@3"),
        ("O(beta=inf)", "O(beta=1e17)"),
        ("PMeasure(beta=inf)", "PMeasure(beta=1.7e308)"),
        ("PPlus(beta=inf)@4", "PPlus(beta=1e17)@4"),
        ("NCU(beta=inf)", "NCU(beta=1e17)"),
        ("EBR(beta=inf)", "EBR(beta=1e17)"),
    ];
    identical(40, ALL, &pairs);
}

#[test]
fn binary_grades_make_rpref_into_bpref() {
    let pairs = [
        ("rpref_N", "bpref_N"),
        ("rpref_N", "bpref(top=\"all\")"),
        ("rpref_relative", "bpref_relative"),
        ("rpref_relative2", "AP'"),
    ];
    identical(11, &[BINARY, SAMPLED], &pairs);
    let pairs = [
        ("rpref_N(gain=\"binary\")", "bpref_N(rel=0.01)"),
        ("rpref_relative(gain=\"binary\")", "bpref_relative(rel=0.01)"),
        ("rpref_relative2(gain=\"binary\")", "AP(rel=0.01)'"),
    ];
    identical(12, ALL, &pairs);
}

/// What the reference says of relatives.
#[test]
fn relatives_are_what_the_reference_says() {
    let pairs = [("GAP", "AP"), ("GAP(thresholds=\"uniform\")'", "AP'")];
    identical(27, &[BINARY, SAMPLED], &pairs);
    let pairs = [
        ("GMAP", "AP"),
        ("bpref_N", "bpref(top=\"all\")"),
        ("old_bpref", "bpref(nonrel=\"retrieved\")"),
        ("gm_bpref", "bpref"),
        ("G(gain=\"binary\")", "binG(rel=0.01)"),
        ("Pref(gain=\"binary\",nonrel=\"R\")", "bpref_R(rel=0.01)"),
    ];
    identical(28, ALL, &pairs);
    let pairs = [("G", "binG"), ("Pref(nonrel=\"R\")", "bpref_R")];
    identical(31, &[BINARY, SAMPLED], &pairs);
    identical(29, &[BINARY, GRADED, FRACTIONS], &[("infAP(epsilon=0)", "AP")]);

    let measures = "SetF@3 E@3 Specificity@3 Fallout@3 Judged@3 Unjudged@3 SetP@3 SetR@3 SetAP@3";
    let measures = parse_list(measures).unwrap();
    for cases in plain(30, ALL) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            // An empty list has neither judged nor unjudged documents.
            let whole = if case.list.is_empty() { 0.0 } else { 1.0 };
            let right = close(row[0] + row[1], 1.0)
                && close(row[2] + row[3], 1.0)
                && close(row[4] + row[5], whole)
                && close(row[6] * row[7], row[8]);
            assert!(row[0].is_nan() || right, "{row:?} for {case:?}");
        }
    }

    let measures =
        "AP yaap R@100 SetRcap SetP num_rel num_ret num_rel_ret Utility iDCG@3 nDCG@3 DCG@3";
    let measures = parse_list(measures).unwrap();
    for cases in plain(32, ALL) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            let [ap, yaap, recall, rcap, p, num_rel, num_ret, hits, utility, idcg, ndcg, dcg] =
                row[..]
            else {
                unreachable!("{row:?}")
            };
            let right = close(yaap, ((1.0 + num_rel * ap) / (1.0 + num_rel * (1.0 - ap))).ln())
                && close(rcap, recall.max(p))
                && close(utility, 2.0 * hits - num_ret)
                && (ndcg.is_nan() || close(idcg * ndcg, dcg));
            assert!(ap.is_nan() || right, "{row:?} for {case:?}");
        }
    }
}

/// The share, its numerator and its divisor.
#[test]
fn preferences_are_counted_once() {
    for arguments in [
        "",
        "(over=\"implied\")",
        "(over=\"retrieved\")@3",
        "(nonrel=\"R\")@5",
        "(over=\"retrieved\",nonrel=\"R\")",
        "(over=\"implied\",nonrel=\"R\")'@4",
    ] {
        let of = |family: &str| parse(&format!("{family}{arguments}")).unwrap();
        let measures = ["Pref", "num_prefs_ful", "num_prefs"].map(of);
        for cases in plain(33, ALL) {
            for (case, row) in cases.iter().zip(values(&measures, &cases)) {
                let share = if row[2] == 0.0 { 0.0 } else { row[1] / row[2] };
                assert!(row[0].is_nan() || close(row[0], share), "{row:?} for {case:?}");
            }
        }
    }
}

/// bpref counts a relevant document as preferred where there is nothing to
/// prefer it to, Pref does not.
#[test]
fn binary_preferences_are_bpref_n() {
    let measures = parse_list("Pref bpref_N").unwrap();
    for cases in plain(34, &[BINARY, SAMPLED]) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            let nonrelevant = case.grades.values().any(|&grade| grade == 0.0);
            let right = if nonrelevant { close(row[0], row[1]) } else { row[0] == 0.0 };
            assert!(row[0].is_nan() || right, "{row:?} for {case:?}");
        }
    }
}

#[test]
fn rpref_relative2_is_graded_ap() {
    let graded = &[GRADED, SAMPLED_GRADED];
    let pairs = [("rpref_relative2", "GAP(thresholds=\"uniform\")'")];
    identical(13, ALL, &pairs);
    for (batch, cases) in plain(14, graded).enumerate() {
        let mut random = Random(batch as u64);
        let gains: Vec<String> =
            (0..4).map(|grade| format!("{grade}:{}", random.index(5))).collect();
        let gains = gains.join(",");
        let [left, right] = [
            format!("rpref_relative2(gain={{{gains}}})"),
            format!("GAP(thresholds=\"uniform\",gain={{{gains}}})'"),
        ]
        .map(|text| [parse(&text).unwrap()]);
        agree(&left, &right, &cases, &cases);
    }
}

/// A user's threshold splits grades in two; each step of gain is a threshold.
#[test]
fn rpref_relative2_is_a_mean_of_ap_over_thresholds() {
    for (batch, cases) in plain(15, &[GRADED, SAMPLED_GRADED]).enumerate() {
        let mut random = Random(batch as u64);
        let steps = [(); 3].map(|()| random.share() * 10.0);
        let gains = [steps[0], steps[0] + steps[1], steps[0] + steps[1] + steps[2]];
        let graded =
            format!("rpref_relative2(gain={{1:{},2:{},3:{}}})", gains[0], gains[1], gains[2]);
        let measures = parse_list(&format!("{graded} AP(rel=1)' AP(rel=2)' AP(rel=3)'")).unwrap();
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            let (mut sum, mut weights) = (0.0, 0.0);
            for (grade, step) in (1..).zip(steps) {
                let reached = case.grades.values().filter(|&&other| other >= f64::from(grade));
                let weight = step * reached.count() as f64;
                // Without a document above the threshold AP is 0/0 and has no weight.
                if weight > 0.0 {
                    sum += weight * row[grade as usize];
                }
                weights += weight;
            }
            let mean = sum / weights;
            let same = close(row[0], mean) || row[0].is_nan() && mean.is_nan();
            assert!(same, "{graded}: {} is not {mean} for {case:?}", row[0]);
        }
    }
}

#[test]
fn two_partitions_are_a_threshold() {
    let pairs = [
        ("rpref_N(top_gain=1,partitions=2)", "bpref_N(rel=0.5)"),
        ("rpref_relative(top_gain=1,partitions=2)", "bpref_relative(rel=0.5)"),
        ("rpref_relative2(top_gain=1,partitions=2)", "AP(rel=0.5)'"),
    ];
    identical(16, &[RELEVANCE], &pairs);
    let pairs = [
        ("rpref_N(partitions=2)", "bpref_N(rel=1.5)"),
        ("rpref_relative(partitions=2)", "bpref_relative(rel=1.5)"),
        ("rpref_relative2(top_gain=3,partitions=2)", "AP(rel=1.5)'"),
    ];
    identical(17, &[GRADED, SAMPLED_GRADED], &pairs);
}

#[test]
fn many_partitions_are_the_relevance_itself() {
    let measures = parse_list(
        "rpref_N(top_gain=1) rpref_relative(top_gain=1) rpref_relative2(top_gain=1) \
         rpref_N(top_gain=1,partitions=1000000) rpref_relative(top_gain=1,partitions=1000000) \
         rpref_relative2(top_gain=1,partitions=1000000)",
    )
    .unwrap();
    for cases in plain(18, &[RELEVANCE]) {
        for (case, row) in cases.iter().zip(values(&measures, &cases)) {
            for (whole, parted) in row[..3].iter().zip(&row[3..]) {
                let near = whole.is_nan() || (whole - parted).abs() < 1e-4;
                assert!(near, "{whole} and {parted} for {case:?}");
            }
        }
    }
}

#[test]
fn the_top_gain_is_a_number() {
    let mut random = Random(19);
    for _ in 0..10 * BATCHES {
        let palette = random.choice(ALL);
        let case = random.case(palette);
        let top = case.grades.values().copied().fold(0.0, f64::max);
        if top == 0.0 {
            continue;
        }
        // Another topic has the highest grade of the collection.
        let cases = [case, Case::of("a=5", "a")];
        for (word, number) in [("topic", top), ("collection", 5.0)] {
            let word = parse(&format!("rpref_N(top_gain=\"{word}\")")).unwrap();
            let number = parse(&format!("rpref_N(top_gain={number})")).unwrap();
            let (a, b) = (&values(&[word], &cases)[0], &values(&[number], &cases[..1])[0]);
            assert!(a[0].to_bits() == b[0].to_bits(), "{a:?}, {b:?} for {:?}", cases[0]);
        }
    }
}

#[test]
fn the_residual_chooses_p() {
    for (batch, cases) in plain(20, ALL).enumerate() {
        let mut random = Random(batch as u64);
        let (residual, k) = (random.share(), 1 + random.index(20));
        let p = residual.powf(1.0 / k as f64);
        for arguments in ["", ",rel=2", ",max_rel=3"] {
            let left = parse(&format!("RBP(residual={residual}{arguments})@{k}")).unwrap();
            let right = parse(&format!("RBP(p={p}{arguments})@{k}")).unwrap();
            agree(&[left], &[right], &cases, &cases);
        }
    }
}

#[test]
fn alpha_is_another_beta() {
    for (batch, cases) in plain(21, ALL).enumerate() {
        let alpha = Random(batch as u64).share();
        let beta = ((1.0 - alpha) / alpha).sqrt();
        for (name, rest) in
            [("SetF", ""), ("SetF", "@3"), ("E", "'"), ("MaxF", ""), ("MaxF", "'@3")]
        {
            let left = parse(&format!("{name}(alpha={alpha}){rest}")).unwrap();
            let right = parse(&format!("{name}(beta={beta}){rest}")).unwrap();
            agree(&[left], &[right], &cases, &cases);
        }
    }
    let pairs = [("SetF(alpha=0)", "SetR"), ("SetF(alpha=1)", "SetP"), ("SetF(beta=0)", "SetP")];
    identical(22, ALL, &pairs);
}

#[test]
fn subap_is_ap_on_a_complete_pool_and_its_prime_without_the_rest() {
    let pairs = [
        ("subAP(p=1)", "AP"),
        ("subAP", "AP"),
        ("subAP_expected(p=1)", "AP"),
        ("subAP_expected", "AP"),
    ];
    identical(23, &[BINARY, GRADED, FRACTIONS], &pairs);
    let pairs = [
        ("subAP(p=0)", "AP'"),
        ("subAP(p=0,seed=5)", "AP'"),
        ("subAP_expected(p=0)", "AP'"),
        ("subAP_expected(p=0,rel=2)", "AP(rel=2)'"),
    ];
    identical(24, ALL, &pairs);
}

#[test]
fn the_judged_share_of_the_pool_is_the_default_p() {
    let mut random = Random(25);
    for _ in 0..10 * BATCHES {
        let palette = random.choice(&[SAMPLED, SAMPLED_GRADED]);
        let case = random.case(palette);
        if case.grades.is_empty() {
            continue;
        }
        let judged = case.grades.values().filter(|&&grade| grade >= 0.0).count();
        let p = judged as f64 / case.grades.len() as f64;
        let left = parse_list("subAP subAP(seed=9) subAP_expected").unwrap();
        let right = format!("subAP(p={p}) subAP(p={p},seed=9) subAP_expected(p={p})");
        let cases = [case];
        agree(&left, &parse_list(&right).unwrap(), &cases, &cases);
    }
}

/// Runs of the topics 1 and 2, whose only relevant document is `a`; each run
/// has one list for both. The lines come in any order.
fn sampled(measures: &[Measure], lists: &[Vec<String>], random: &mut Random) -> Scores {
    let mut builder = Builder::new(&[]);
    for topic in [b"1", b"2"] {
        builder.topic(topic);
        builder.add(topic, b"a", 1.0, &[], 0).unwrap();
    }
    let mut runs = Vec::new();
    for list in lists {
        let mut topics = Vec::new();
        for topic in [b"1", b"2"] {
            let mut ranked: Vec<(usize, &String)> = list.iter().enumerate().collect();
            random.shuffle(&mut ranked);
            let mut lines = Lines::default();
            for (rank, document) in ranked {
                lines.push(document.as_bytes(), -(rank as f64));
            }
            topics.push((topic[..].into(), lines));
        }
        random.shuffle(&mut topics);
        runs.push(Run { name: format!("run{}", runs.len()), topics, ..Run::default() });
    }
    evaluate(measures, builder, runs)
}

/// A document is kept or not by seed, topic and document alone: what lists
/// of one document say is true in all others.
#[test]
fn a_draw_depends_on_seed_topic_and_document_alone() {
    let measures = parse_list("subAP(p=0.5) subAP(p=0.5,seed=1)").unwrap();
    let documents: Vec<String> = (0..100).map(|i| format!("u{i}")).collect();
    let alone: Vec<Vec<String>> =
        documents.iter().map(|document| vec![document.clone(), "a".to_string()]).collect();
    let mut random = Random(26);
    let scores = sampled(&measures, &alone, &mut random);
    // A document that is kept halves the precision at a.
    let mut kept: BTreeMap<(usize, usize), BTreeSet<&str>> = BTreeMap::new();
    for (run, document) in documents.iter().enumerate() {
        for topic in 0..2 {
            for (seed, &value) in scores.row(run, topic).iter().enumerate() {
                assert!(value == 1.0 || value == 0.5, "{value}");
                if value == 0.5 {
                    kept.entry((topic, seed)).or_default().insert(document);
                }
            }
        }
    }
    for (key, set) in &kept {
        // 5 is the standard deviation of 100 fair draws.
        assert!((30..=70).contains(&set.len()), "{key:?} keeps {}", set.len());
        assert!(kept.iter().all(|(other, others)| key == other || set != others));
    }
    assert_eq!(kept.len(), 4);

    let lists: Vec<Vec<String>> = (0..200)
        .map(|_| {
            let mut list = documents.clone();
            random.shuffle(&mut list);
            list.truncate(random.index(documents.len()));
            list.insert(random.index(list.len() + 1), "a".to_string());
            list
        })
        .collect();
    let scores = sampled(&measures, &lists, &mut random);
    for (run, list) in lists.iter().enumerate() {
        let above = || list.iter().take_while(|document| *document != "a");
        for (&(topic, seed), set) in &kept {
            let above = above().filter(|document| set.contains(document.as_str())).count();
            let value = scores.row(run, topic)[seed];
            assert!(close(value, 1.0 / (1 + above) as f64), "{value}, and {above} above a");
        }
    }
}

#[test]
fn subap_is_its_expectation_on_average() {
    const SEEDS: u32 = 3_000;
    let case =
        Case::of("a=1 b=1 c=1 d=0 e=0 f=1 p=-1 q=-1", "u1 u2 a p u3 d u4 b u5 u6 q u7 u8 e u9 c");
    for p in [0.2, 0.5, 0.75] {
        let measures: Vec<Measure> =
            (0..SEEDS).map(|seed| parse(&format!("subAP(p={p},seed={seed})")).unwrap()).collect();
        let cases = std::slice::from_ref(&case);
        let row = &values(&measures, cases)[0];
        let expected = values(&[parse(&format!("subAP_expected(p={p})")).unwrap()], cases)[0][0];
        let n = f64::from(SEEDS);
        let mean = row.iter().sum::<f64>() / n;
        let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        assert!(variance > 0.0);
        // Four standard errors: one such test in 16,000 fails, and this one never changes.
        let error = (variance / n).sqrt();
        assert!((mean - expected).abs() < 4.0 * error, "{mean} is not {expected}, to {error}");
    }
}
