//! The figures, statements and exercises of the papers that define the
//! measures. Where a paper prints no number the arithmetic is shown.

use std::collections::BTreeMap;

use cranfield_core::evaluate::Options;
use cranfield_core::grammar::{parse, parse_list};

use crate::common;

/// A topic's judgments and a list, in a collection of 10,000 documents.
#[derive(Clone)]
struct Topic {
    grades: BTreeMap<String, f64>,
    list: Vec<String>,
}

impl Topic {
    fn new(grades: &str, list: &str) -> Self {
        Topic { grades: common::judgments(grades), list: common::list(list) }
    }

    /// A list as exercises print it: R is relevant, N is not. As many more
    /// relevant documents were not retrieved.
    fn marked(marks: &str, missing: usize) -> Self {
        let (mut grades, mut list) = (BTreeMap::new(), Vec::new());
        for (rank, mark) in (1..).zip(marks.split_whitespace()) {
            let document = format!("d{rank}");
            grades.insert(document.clone(), f64::from(u8::from(mark == "R")));
            list.push(document);
        }
        grades.extend((0..missing).map(|i| (format!("missing{i}"), 1.0)));
        Topic { grades, list }
    }

    /// Relevant documents at some ranks of a list.
    fn at_ranks(relevant: &[usize], length: usize) -> Self {
        let mark = |rank| if relevant.contains(&rank) { "R" } else { "N" };
        let marks: Vec<&str> = (1..=length).map(mark).collect();
        Topic::marked(&marks.join(" "), 0)
    }

    fn value(&self, measure: &str) -> f64 {
        let measure = parse(measure).unwrap();
        let options = Options::default();
        common::scores(&[measure], &self.grades, &self.list, Some(10_000), options).unwrap().values
            [0]
    }

    #[track_caller]
    fn has(&self, measure: &str, expected: f64) {
        self.has_about(measure, expected, 1e-12);
    }

    #[track_caller]
    fn has_about(&self, measure: &str, expected: f64, tolerance: f64) {
        let found = self.value(measure);
        assert!((found - expected).abs() <= tolerance, "{measure} is {found}, not {expected}");
    }
}

/// The sample set of Figure 1: document k has the relevance at k - 1.
const SAMPLE: [f64; 16] =
    [1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1, 0.0, 0.0];

/// The orderings of the three search tools.
const T1: &str = "D3 D1 D2 D4 D5 D6 D7 D8 D12";
const T2: &str = "D1 D6 D3 D5 D9 D12 D2 D8 D10";
const T3: &str = "D16 D14 D13 D15 D7 D11 D10 D5";

fn figure_1(list: &str) -> Topic {
    let sample = (1..).zip(SAMPLE).map(|(k, relevance): (u32, f64)| (format!("D{k}"), relevance));
    Topic { grades: sample.collect(), list: common::list(list) }
}

/// The n-pref scores that the graph plots, for 2, 4, 8 and 16 partitions, and
/// rpref. The paper prints the graph only; these are its definition in exact
/// fractions. For T1 and two partitions, say, the relevant ones are D1 to D8,
/// all at the top: 7/8, since the first is left out.
#[test]
fn debeer_moens_figure_1() {
    for (list, scores) in [
        (T1, [7.0 / 8.0, 3.0 / 4.0, 41.0 / 55.0, 87.0 / 118.0, 57.0 / 79.0]),
        (T2, [23.0 / 42.0, 2119.0 / 4032.0, 345.0 / 616.0, 527.0 / 944.0, 2425.0 / 4424.0]),
        (T3, [1.0 / 56.0, 29.0 / 630.0, 232.0 / 5775.0, 691.0 / 12390.0, 16.0 / 237.0]),
    ] {
        let topic = figure_1(list);
        for (n, score) in [2, 4, 8, 16].into_iter().zip(scores) {
            topic.has(&format!("rpref_relative(top_gain=1,partitions={n})"), score);
        }
        topic.has("rpref_relative(top_gain=1)", scores[4]);
        topic.has("rpref_relative", scores[4]);
        // Two partitions are bpref for documents of at least .5.
        topic.has("bpref_relative(rel=0.5)", scores[0]);
    }
}

/// The absolute form, formula 1: documents that were not retrieved add
/// nothing, or stand below the list as the text has it.
#[test]
fn debeer_moens_formula_1_on_figure_1() {
    for (list, retrieved, literal) in [
        (T1, 67.0 / 79.0, 6359.0 / 6399.0),
        (T2, 4499.0 / 6399.0, 5759.0 / 6399.0),
        (T3, 922.0 / 6399.0, 2509.0 / 6399.0),
    ] {
        let topic = figure_1(list);
        topic.has("rpref_N(top_gain=1)", retrieved);
        topic.has("rpref_N(top_gain=1,unretrieved=\"literal\")", literal);
    }
}

/// The columns next to the lists: A and B differ at .5, A1, A2, B1 and B2 at .75,
/// .5 and .25. They name a class for all of the sample, and the classes are
/// what partitions make of relevance. What a class is worth is our reading.
#[test]
fn debeer_moens_figure_1_columns() {
    let lists = [
        (T1, "A1 A1 A1 A1 A1 A2 A2 A2 B2", 7.0 / 8.0, 3.0 / 4.0),
        (T2, "A1 A2 A1 A1 B1 B2 A1 A2 B1", 23.0 / 42.0, 2119.0 / 4032.0),
        (T3, "B2 B2 B2 B2 A2 B1 B1 A1", 1.0 / 56.0, 29.0 / 630.0),
    ];
    let mut classes = BTreeMap::new();
    for (list, columns, ..) in lists {
        for (document, class) in list.split_whitespace().zip(columns.split_whitespace()) {
            assert_eq!(*classes.entry(document).or_insert(class), class, "{document}");
        }
    }
    assert_eq!(classes.len(), SAMPLE.len());
    for (list, _, two, four) in lists {
        let graded = |worth: fn(&str) -> f64| Topic {
            grades: classes.iter().map(|(id, class)| ((*id).to_string(), worth(class))).collect(),
            list: common::list(list),
        };
        graded(|class| f64::from(u8::from(class.starts_with('A')))).has("rpref_relative", two);
        let worth = |class: &str| match class {
            "A1" => 1.0,
            "A2" => 2.0 / 3.0,
            "B1" => 1.0 / 3.0,
            _ => 0.0,
        };
        graded(worth).has("rpref_relative", four);
    }
}

/// Section 3: the scores converge towards rpref, but not monotonically.
#[test]
fn debeer_moens_section_3_convergence() {
    let scores = |list: &str| {
        let topic = figure_1(list);
        [2, 4, 8, 16, 1_000_000]
            .map(|n| topic.value(&format!("rpref_relative(top_gain=1,partitions={n})")))
    };
    for list in [T1, T2, T3] {
        figure_1(list).has_about("rpref_relative", scores(list)[4], 1e-6);
    }
    for list in [T2, T3] {
        let scores = scores(list);
        assert!(!scores.is_sorted() && !scores.iter().rev().is_sorted(), "{scores:?}");
    }
}

/// Where no document has relevance 1, `top_gain=1` says what counts as fully
/// relevant: else it is the highest, .9, and borders and N' are others.
#[test]
fn debeer_moens_without_a_perfect_document() {
    for (list, one, highest, absolute, absolute_highest) in [
        (T1, 3.0 / 5.0, 5.0 / 8.0, 37.0 / 49.0, 37.0 / 49.0),
        (T2, 101.0 / 300.0, 121.0 / 320.0, 109.0 / 189.0, 137.0 / 238.0),
        (T3, 116.0 / 1575.0, 29.0 / 420.0, 922.0 / 3969.0, 361.0 / 1666.0),
    ] {
        let mut topic = figure_1(list);
        for perfect in ["D1", "D2", "D3"] {
            topic.grades.remove(perfect);
        }
        topic.has("rpref_relative(top_gain=1,partitions=4)", one);
        topic.has("rpref_relative(partitions=4)", highest);
        topic.has("rpref_relative(top_gain=0.9,partitions=4)", highest);
        // sum = 4.9: N' = 13 - 4.9, or 13 - 4.9/.9.
        topic.has("rpref_N(top_gain=1)", absolute);
        topic.has("rpref_N", absolute_highest);
        topic.has("rpref_relative(top_gain=1)", topic.value("rpref_relative"));
    }
}

/// Formula 2: for binary judgments rpref counts the others above, over N.
#[test]
fn debeer_moens_formula_2() {
    // n, r, n, r and m, which is missing: (1/2) ((1 - 1/3) + (1 - 2/3)).
    let topic = Topic::new("a=1 b=1 n=0 o=0 m=0", "n a o b");
    topic.has("rpref_N", 1.0 / 2.0);
    topic.has("bpref_N", 1.0 / 2.0);
}

/// Section 4.2: the relative forms ignore a relevant document at rank 1, and
/// one at rank 2 gets nothing, since penalty and divisor cancel out.
#[test]
fn sakai_section_4_2_flaws_of_the_relative_forms() {
    for list in ["r", "r n", "n r", "x n y r"] {
        let topic = Topic::new("r=2 n=0 o=0", list);
        topic.has("rpref_relative", 0.0);
        topic.has("bpref_relative", 0.0);
    }
    // The second forms see both: 1, and 1 - 1/2.
    Topic::new("r=2 n=0", "r n").has("rpref_relative2", 1.0);
    Topic::new("r=2 n=0", "n r").has("rpref_relative2", 1.0 / 2.0);
}

/// Section 4.2: the ideal list has (R - 1) / R under `bpref_relative`, .5 for
/// R = 2 and .8 for R = 5, and (cgI(R) - gI(1)) / cgI(R) under
/// `rpref_relative`; the second forms have 1.
#[test]
fn sakai_section_4_2_ideal_values() {
    for (grades, list, binary, graded) in [
        // S, A and B have the gains 3, 2 and 1: (3 + 1 - 3) / 4.
        ("a=3 b=1 n=0 o=0", "a b n", 1.0 / 2.0, 1.0 / 4.0),
        // (3 + 3 + 2 + 1 + 1 - 3) / 10.
        ("a=3 b=3 c=2 d=1 e=1 n=0", "b a c e d n", 4.0 / 5.0, 7.0 / 10.0),
        ("a=1 b=1 c=1", "a b c", 2.0 / 3.0, 2.0 / 3.0),
    ] {
        let topic = Topic::new(grades, list);
        topic.has("bpref_relative", binary);
        topic.has("rpref_relative", graded);
        topic.has("rpref_relative2", 1.0);
        topic.has("AP'", 1.0);
    }
}

/// Equations 9 to 11: bpref is `bpref_R` where R <= N and `bpref_N` where
/// R >= N; the old one divides by those retrieved.
#[test]
fn sakai_section_4_1_bpref_is_two_metrics() {
    // R = 2, N = 3: one above b: (1 + (1 - 1/2)) / 2, and over N: (1 + (1 - 1/3)) / 2.
    let few = Topic::new("a=1 b=1 n=0 o=0 p=0", "a n x b o");
    few.has("bpref", 3.0 / 4.0);
    few.has("bpref_R", 3.0 / 4.0);
    few.has("bpref_N", 5.0 / 6.0);
    // R = 3, N = 2: (1 + (1 - 1/2)) / 3, and over R: (1 + (1 - 1/3)) / 3.
    let many = Topic::new("a=1 b=1 c=1 n=0 o=0", "a x n b");
    many.has("bpref", 1.0 / 2.0);
    many.has("bpref_N", 1.0 / 2.0);
    many.has("bpref_R", 5.0 / 9.0);
    // One was retrieved, and it stands above b: (1 + (1 - 1/1)) / 3.
    many.has("old_bpref", 1.0 / 3.0);
    // R = N: all three.
    let even = Topic::new("a=1 b=1 n=0 o=0", "n a o b");
    for measure in ["bpref", "bpref_R", "bpref_N"] {
        // ((1 - 1/2) + (1 - 2/2)) / 2
        even.has(measure, 1.0 / 4.0);
    }
}

/// Equations 15 to 20 on one list, with the gains of the paper.
#[test]
fn sakai_section_4_equations() {
    // Condensed: c n a b; cgI = 6, N' = 5 - 6/3. Penalties: c none; a below c
    // 2/3 and n 1; b below c 1/2 and n 1, and a is better.
    let topic = Topic::new("a=3 b=2 c=1 n=0 o=0", "c x n a y b");
    // (1 + 3 (1 - (5/3)/3) + 2 (1 - (3/2)/3)) / 6
    topic.has("rpref_N", (1.0 + 4.0 / 3.0 + 1.0) / 6.0);
    // (3 (1 - (5/3)/2) + 2 (1 - (3/2)/3)) / 6
    topic.has("rpref_relative", (1.0 / 2.0 + 1.0) / 6.0);
    // (1 + 3 (1 - (5/3)/3) + 2 (1 - (3/2)/4)) / 6
    topic.has("rpref_relative2", (1.0 + 4.0 / 3.0 + 5.0 / 4.0) / 6.0);
    // ((1 - 1/2) + (1 - 1/3)) / 3
    topic.has("bpref_relative", (1.0 / 2.0 + 2.0 / 3.0) / 3.0);
    // Equation 20: (1/1 + 2/3 + 3/4) / 3.
    topic.has("AP'", (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0);
}

/// Equations 21 and 22: Q and nDCG on the raw and on the condensed list.
#[test]
fn sakai_section_4_2_q_and_ndcg() {
    let topic = Topic::new("a=3 b=2 c=1 n=0 o=0", "c x n a y b");
    // cgI = 3, 5, 6, 6 ...: c (1 + 1) / (3 + 1); a (4 + 2) / (6 + 4); b (6 + 3) / (6 + 6).
    topic.has("Q", (1.0 / 2.0 + 3.0 / 5.0 + 3.0 / 4.0) / 3.0);
    // Condensed c n a b: a (4 + 2) / (6 + 3); b (6 + 3) / (6 + 4).
    topic.has("Q'", (1.0 / 2.0 + 2.0 / 3.0 + 9.0 / 10.0) / 3.0);
    topic.has("Q(beta=0)", topic.value("AP"));
    let ideal = 3.0 + 2.0 + 1.0 / 3_f64.log2();
    topic.has("nDCG(dcg=\"jk\")@1000", (1.0 + 3.0 / 2.0 + 2.0 / 6_f64.log2()) / ideal);
    topic.has("nDCG(dcg=\"jk\")'@1000", (1.0 + 3.0 / 3_f64.log2() + 2.0 / 2.0) / ideal);
}

/// Section 2.3: indAP, in its two forms, is AP on the condensed list.
#[test]
fn yilmaz_aslam_section_2_3_induced_ap() {
    // The judged ranks of a, b, c are 1, 3, 5; d is missing.
    let topic = Topic::new("a=1 b=1 c=1 d=1 n=0 o=0 p=-1", "a x n p b y o c");
    topic.has("AP'", (1.0 / 1.0 + 2.0 / 3.0 + 3.0 / 5.0) / 4.0);
    topic.has("AP'", ((1.0 - 0.0) + (1.0 - 1.0 / 3.0) + (1.0 - 2.0 / 5.0)) / 4.0);
    topic.has("rpref_relative2", topic.value("AP'"));
}

/// Section 2.2: equation 1 divides by R; bpref-10 by 10 + R.
#[test]
fn yilmaz_aslam_section_2_2_bpref() {
    // R = 2, N = 5: none above a, and of three above b the first two.
    let topic = Topic::new("a=1 b=1 n=0 o=0 p=0 q=0 s=0", "a n o x p b");
    // (1 + (1 - 2/2)) / 2 and (1 + (1 - 3/12)) / 2
    topic.has("bpref_R", 1.0 / 2.0);
    topic.has("bpref_10", 7.0 / 8.0);
}

/// Section 2.4: "when the complete relevance judgment set is available, it is
/// exactly equivalent to average precision".
#[test]
fn yilmaz_aslam_section_2_4_subcollection_ap() {
    let complete = Topic::new("a=1 b=1 c=1 n=0 o=0", "a x n b y z c");
    for measure in parse_list("subAP subAP(seed=1) subAP_expected").unwrap() {
        complete.has(&measure.to_string(), complete.value("AP"));
    }
    // Half of the pool is judged, so x is kept in half of the samples: (1 + 2/3) / 2, or (1 + 2/2) / 2.
    let half = Topic::new("a=1 b=1 p=-1 q=-1", "a p x b");
    half.has("subAP_expected", 11.0 / 12.0);
    let found = half.value("subAP");
    assert!([5.0 / 6.0, 1.0].iter().any(|value| (found - value).abs() < 1e-12), "{found}");
}

/// Section 2.5: AP is the expectation of a random experiment: a relevant
/// document, then a rank from 1 to its own, then whether that is relevant.
#[test]
fn yilmaz_aslam_section_2_5_average_precision_as_an_expectation() {
    let topic = Topic::marked("R N N R R N R N", 2);
    let relevant: Vec<bool> = topic.list.iter().map(|d| topic.grades[d] > 0.0).collect();
    let mut expected = 0.0;
    for rank in (1..=relevant.len()).filter(|rank| relevant[rank - 1]) {
        for drawn in 1..=rank {
            // 6 relevant documents, 2 of them at rank infinity, where nothing is found.
            expected += 1.0 / 6.0 * (1.0 / rank as f64) * f64::from(u8::from(relevant[drawn - 1]));
        }
    }
    topic.has("AP", expected);
}

/// Section 2.5: the expected precision at a relevant document of rank k, and
/// equality with AP when all judgments are there.
#[test]
fn yilmaz_aslam_section_2_5_inferred_ap() {
    // x and y are outside the pool; p, q and s in it and not sampled.
    let topic = Topic::new("a=1 b=1 c=1 d=1 n=0 p=-1 q=-1 s=-1", "a n p q x b s y c");
    let b = 1.0 / 6.0 + 5.0 / 6.0 * (4.0 / 5.0 * (1.0 / 2.0));
    let c = 1.0 / 9.0 + 8.0 / 9.0 * (6.0 / 8.0 * (2.0 / 3.0));
    topic.has("infAP(epsilon=0)", (1.0 + b + c) / 4.0);
    let e = 0.01;
    let b = 1.0 / 6.0 + 5.0 / 6.0 * (4.0 / 5.0 * ((1.0 + e) / (2.0 + 2.0 * e)));
    let c = 1.0 / 9.0 + 8.0 / 9.0 * (6.0 / 8.0 * ((2.0 + e) / (3.0 + 2.0 * e)));
    topic.has("infAP(epsilon=0.01)", (1.0 + b + c) / 4.0);

    let complete = Topic::new("a=1 b=1 c=1 n=0 o=0", "a x n b y z c");
    complete.has("infAP(epsilon=0)", complete.value("AP"));
    // "except for a slight difference due to the effect of smoothing"
    complete.has_about("infAP", complete.value("AP"), 1e-5);
    assert!(complete.value("infAP") != complete.value("AP"));
}

/// Equations 1 to 4, and which of the values compression keeps below 1.
#[test]
fn webber_section_3_1_divisors() {
    let topic = Topic::marked("R N R R N", 2);
    for (measure, value) in [
        ("P@4", 3.0 / 4.0),
        ("R@4", 3.0 / 5.0),
        ("AP@4", (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 5.0),
        ("aAP@4", (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 4.0),
        // k > R: P@k < 1.
        ("P@10", 3.0 / 10.0),
        ("aAP@10", (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 5.0),
    ] {
        topic.has(measure, value);
    }
    let perfect = Topic::marked("R R R R R", 0);
    for (measure, value) in
        [("P@10", 0.5), ("R@2", 0.4), ("AP@2", 0.4), ("aAP@2", 1.0), ("nDCG(dcg=\"jk\")@2", 1.0)]
    {
        perfect.has(measure, value);
    }
    // The ideal of enDCG is not cut: 2 of 2 + 1/log2(3) + 1/2 + 1/log2(5).
    perfect.has("enDCG@2", 2.0 / (2.5 + 1.0 / 3_f64.log2() + 1.0 / 5_f64.log2()));
}

/// Section 3.1: "82% of DCG's total rank weight falls between depth 101 to
/// 1,000". It takes max for the misprinted min of equation 5: the discount
/// log2(r + 1) would have 83%.
#[test]
fn webber_section_3_1_weights_of_dcg() {
    let all = Topic::at_ranks(&(1..=1000).collect::<Vec<_>>(), 1000);
    let tail = |form: &str| {
        let [deep, top] = [1000, 100].map(|k| all.value(&format!("DCG(dcg=\"{form}\")@{k}")));
        (deep - top) / deep
    };
    assert!((tail("jk") - 0.82).abs() < 0.005, "{}", tail("jk"));
    assert!((tail("log2") - 0.83).abs() < 0.005, "{}", tail("log2"));
    // Which is also what the ideal list lacks when it ends at 100.
    all.has("enDCG@100", 1.0 - tail("jk"));
}

/// Section 3.1: "half a percent" of the weight of RBP lies there for p = .95,
/// and 77% of the base weight, that down to rank 1,000, for p = .9977.
#[test]
fn webber_section_3_1_weights_of_rbp() {
    let all = Topic::at_ranks(&(1..=1000).collect::<Vec<_>>(), 1000);
    let beyond = |p: f64| [1000, 100].map(|k| all.value(&format!("RBP(p={p})@{k}")));
    let [deep, top] = beyond(0.95);
    assert!((deep - top - 0.005).abs() < 0.001, "{}", deep - top);
    let [deep, top] = beyond(0.9977);
    assert!(((deep - top) / deep - 0.77).abs() < 0.005, "{}", (deep - top) / deep);
    all.has("nRBP(p=0.9977)@1000", 1.0);
}

/// Equation 7: "a residual of 0.1 is achieved at depth k = 10 evaluation by
/// p = 0.8, at k = 100 by p = 0.977, and at k = 1,000 by p = 0.9977".
#[test]
fn webber_equation_7() {
    let first = Topic::at_ranks(&[1], 1000);
    let all = Topic::at_ranks(&(1..=1000).collect::<Vec<_>>(), 1000);
    for (k, printed, rounding, p) in
        [(10, 0.8, 0.05, 0.7943), (100, 0.977, 5e-4, 0.9772), (1000, 0.9977, 5e-5, 0.9977)]
    {
        let measure = format!("RBP(residual=0.1)@{k}");
        // One relevant document at rank 1 has the weight 1 - p.
        first.has_about(&measure, 1.0 - printed, rounding);
        first.has_about(&measure, 1.0 - p, 5e-5);
        // What lies beyond rank k weighs .1.
        all.has(&measure, 0.9);
    }
}

/// Section 3.1: "partial evaluation sets bounds, as a base score and a
/// residual, on the score that a full evaluation would achieve".
#[test]
fn webber_section_3_1_residual() {
    let topic = Topic::new("a=1 b=0 c=1 d=0", "a x b c y d");
    let mut best = topic.clone();
    for unjudged in ["x", "y"] {
        best.grades.insert(unjudged.to_string(), 1.0);
    }
    // With both relevant only what follows rank 6 is open: .8^6.
    let upper = best.value("RBP(p=0.8)") + 0.8_f64.powi(6);
    topic.has("RBP_residual(p=0.8)", upper - topic.value("RBP(p=0.8)"));
    best.has("RBP_residual(p=0.8)", 0.8_f64.powi(6));
}

/// 8 relevant and 10 other documents are returned, of 20 relevant ones.
#[test]
fn iir_exercise_8_1() {
    let topic = Topic::marked("R R R R R R R R N N N N N N N N N N", 12);
    topic.has("SetP", 4.0 / 9.0);
    topic.has("SetR", 2.0 / 5.0);
    topic.has("SetF", 8.0 / 19.0);
    // Exercise 8.7: Dice is 2 (8) / (18 + 20).
    topic.has("Dice", 16.0 / 38.0);
}

/// Section 8.3: a system that returns all of 10,000 documents, one of them
/// relevant, has F = .02%; one that returns none is right about 99.99%.
#[test]
fn iir_section_8_3_extremes() {
    let all = Topic::at_ranks(&[5000], 10_000);
    all.has("SetR", 1.0);
    all.has("SetF", 2.0 / 10_001.0);
    all.has_about("SetF", 0.0002, 5e-7);
    all.has("Specificity", 0.0);
    let none = Topic::new("a=1", "");
    none.has("Accuracy", 0.9999);
    none.has("Specificity", 1.0);
    none.has("SetF", 0.0);
}

/// Figure 8.1: "when the precision is also 70%, all the measures coincide".
#[test]
fn iir_figure_8_1() {
    let topic = Topic::marked("R R R R R R R N N N", 3);
    for measure in ["SetP", "SetR", "SetF", "SetF(beta=3)", "SetF(beta=5)", "SetF(alpha=0.9)"] {
        topic.has(measure, 0.7);
    }
}

/// Table 8.1 from a list whose curve has these values: 20 relevant documents.
/// The 11-point average is their mean.
#[test]
fn iir_table_8_1() {
    let ranks = [1, 3, 6, 7, 8, 11, 18, 19, 20, 26, 27, 33, 47, 48, 122, 123, 179, 180, 249, 250];
    let topic = Topic::at_ranks(&ranks, 1000);
    // How many documents a recall level needs, and where precision is best after them.
    let reached = [
        (1.00, 1.0 / 1.0),
        (0.67, 2.0 / 3.0),
        (0.63, 5.0 / 8.0),
        (0.55, 6.0 / 11.0),
        (0.45, 9.0 / 20.0),
        (0.41, 11.0 / 27.0),
        (0.36, 12.0 / 33.0),
        (0.29, 14.0 / 48.0),
        (0.13, 16.0 / 123.0),
        (0.10, 18.0 / 180.0),
        (0.08, 20.0 / 250.0),
    ];
    for (tenth, (printed, exact)) in (0..).zip(reached) {
        let measure = format!("IPrec@{}", f64::from(tenth) / 10.0);
        topic.has(&measure, exact);
        // 5/8 lies halfway, and is printed as .63.
        topic.has_about(&measure, printed, 0.005 + 1e-9);
    }
    let mean = reached.iter().map(|(_, exact)| exact).sum::<f64>() / 11.0;
    topic.has("IAP", mean);
    topic.has_about("IAP", 4.67 / 11.0, 0.005);
}

/// Section 8.4: "a perfect system could only achieve a precision at 20 of 0.4
/// if there were only 8 documents in the collection relevant".
#[test]
fn iir_section_8_4_precision_at_20() {
    let perfect = Topic::at_ranks(&(1..=8).collect::<Vec<_>>(), 20);
    perfect.has("P@20", 0.4);
    perfect.has("Rprec", 1.0);
}

#[test]
fn iir_exercise_8_8() {
    let first = Topic::marked("R N R N N N N N R R", 0);
    first.has("MAP", 3.0 / 5.0);
    first.has("Rprec", 1.0 / 2.0);
    let second = Topic::marked("N R N N R R R N N N", 0);
    second.has("MAP", 69.0 / 140.0);
    second.has("Rprec", 1.0 / 4.0);
    // Section 8.4 and exercise 8.6: at rank R precision, recall and F are one.
    for topic in [first, second] {
        for measure in ["P@4", "R@4", "SetF@4", "BreakEven"] {
            topic.has(measure, topic.value("Rprec"));
        }
    }
}

/// Parts (a) to (e): 6 of 8 relevant documents in a list of 20.
#[test]
fn iir_exercise_8_9() {
    let topic = Topic::marked("R R N N N N N N R N R N N N R N N N N R", 2);
    topic.has("P@20", 3.0 / 10.0);
    topic.has("SetP", 3.0 / 10.0);
    topic.has("SetF", 3.0 / 7.0);
    topic.has("PrecAtRecall@0.25", 1.0);
    // Three documents have .375; from there the best is 4/11.
    topic.has("IPrec@0.33", 4.0 / 11.0);
    topic.has("MAP", 1099.0 / 2640.0);
}

/// Equation 8.9: gains 2^R - 1, and a list that is shorter than k is summed
/// to its end, while the perfect one goes to k.
#[test]
fn iir_equation_8_9() {
    let topic = Topic::new("a=1 b=3 c=2 d=1", "a b");
    let found = 1.0 + 7.0 / 3_f64.log2();
    let perfect = 7.0 + 3.0 / 3_f64.log2() + 1.0 / 2.0;
    topic.has("nDCG(dcg=\"exp-log2\")@3", found / perfect);
    topic.has("nDCG(dcg=\"exp-log2\")@4", found / (perfect + 1.0 / 5_f64.log2()));
    Topic::new("a=1 b=3 c=2 d=1", "b c a").has("nDCG(dcg=\"exp-log2\")@3", 1.0);
}

/// Parts (b) and (c): relevant is what both judges say, or what either says.
#[test]
fn iir_exercise_8_10() {
    let judges = [
        ("1", [0, 0]),
        ("2", [0, 0]),
        ("3", [1, 1]),
        ("4", [1, 1]),
        ("5", [1, 0]),
        ("6", [1, 0]),
        ("7", [1, 0]),
        ("8", [1, 0]),
        ("9", [0, 1]),
        ("10", [0, 1]),
        ("11", [0, 1]),
        ("12", [0, 1]),
    ];
    // The grade is the number of judges who say so.
    let grades = judges.map(|(id, votes)| (id.to_string(), f64::from(votes[0] + votes[1])));
    let topic = Topic { grades: grades.into_iter().collect(), list: common::list("4 5 6 7 8") };
    for (rel, precision, recall, f) in
        [(2, 1.0 / 5.0, 1.0 / 2.0, 2.0 / 7.0), (1, 1.0, 1.0 / 2.0, 2.0 / 3.0)]
    {
        topic.has(&format!("SetP(rel={rel})"), precision);
        topic.has(&format!("SetR(rel={rel})"), recall);
        topic.has(&format!("SetF(rel={rel})"), f);
    }
}
