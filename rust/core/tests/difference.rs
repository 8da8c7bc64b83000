//! Differences of two runs against plain loops: what documents bring, and bounds
//! by brute force over every way to judge.

use std::collections::BTreeSet;
use std::sync::Arc;

use cranfield_core::bounds::Question;
use cranfield_core::difference::{Difference, Reached, difference};
use cranfield_core::evaluate::{Input, Monitor, Options};
use cranfield_core::grammar::parse;
use cranfield_core::qrels::Builder;
use cranfield_core::rank::{Lines, Run};

use crate::common::{Random, cases};

/// Two lists of documents, and the grades of those that are judged.
struct Case {
    lists: [Vec<usize>; 2],
    grades: Vec<Option<f64>>,
}

impl Case {
    /// A random case with up to this number of unjudged documents in the lists.
    fn random(random: &mut Random, open: u64, top: u64) -> Case {
        let judged = 1 + random.below(8);
        let mut grades: Vec<Option<f64>> =
            (0..judged).map(|_| Some(random.below(top + 1) as f64)).collect();
        // So that the scale has its highest grade.
        grades.push(Some(top as f64));
        grades.extend((0..open).map(|_| None));
        let mut list = || {
            let mut list = Vec::new();
            for document in 0..grades.len() {
                if random.below(4) > 0 {
                    list.insert(random.below(list.len() as u64 + 1) as usize, document);
                }
            }
            list
        };
        let lists = [list(), list()];
        Case { lists, grades }
    }

    /// What is unjudged in either list.
    fn open(&self) -> Vec<usize> {
        let open: BTreeSet<usize> = self.lists.iter().flatten().copied().collect();
        open.into_iter().filter(|&document| self.grades[document].is_none()).collect()
    }

    fn difference(&self, measure: &str, top: f64) -> Difference {
        self.difference_among(measure, top, 0, 0)
    }

    /// The difference with up to so many relevant documents in neither list, and with at least
    /// so many relevant documents in all.
    fn difference_among(&self, measure: &str, top: f64, unseen: u32, least: u32) -> Difference {
        let mut builder = Builder::new(&[]);
        builder.topic(b"1");
        for (document, grade) in self.grades.iter().enumerate() {
            if let Some(grade) = *grade {
                builder.add(b"1", format!("d{document}").as_bytes(), grade, &[], 0).unwrap();
            }
        }
        let inputs = self.lists.clone().map(|list| {
            let mut lines = Lines::default();
            for (position, document) in list.iter().enumerate() {
                lines.push(format!("d{document}").as_bytes(), -(position as f64));
            }
            let topics = vec![(b"1"[..].into(), lines)];
            Input::Run(Arc::new(Run { name: "run".into(), topics, ..Run::default() }))
        });
        let question =
            Question { max_grade: Some(top), unseen, least_relevant: least, ..Question::default() };
        difference(
            &Arc::new(builder.finish(Some(100))),
            &parse(measure).unwrap(),
            &inputs,
            Options::default(),
            &question,
            &Arc::new(Monitor::default()),
        )
        .unwrap()
    }
}

/// The measures that are compared, and whether their bounds are reached.
const MEASURES: &[(&str, Reached)] = &[
    ("P@3", Reached::Exactly),
    ("DCG@5", Reached::Exactly),
    ("DCG", Reached::Exactly),
    ("RBP(p=0.8)", Reached::Exactly),
    ("CG@4", Reached::Exactly),
    ("R@3", Reached::Exactly),
    ("nDCG@4", Reached::Exactly),
    ("nDCG", Reached::Exactly),
    ("nDCG(dcg=\"exp-log2\")@5", Reached::Exactly),
    ("nDCG(dcg=\"jk\")@4", Reached::Exactly),
    ("enDCG@3", Reached::Exactly),
    ("nRBP(p=0.8)@4", Reached::Exactly),
    ("Rcap@3", Reached::Exactly),
    ("Rprec", Reached::Exactly),
    ("Rprec(mult=0.6)", Reached::Exactly),
    ("Rprec(mult=1.4)", Reached::Exactly),
    ("RR", Reached::Exactly),
    ("RR@3", Reached::Exactly),
    ("Success@2", Reached::Exactly),
    ("AP", Reached::Outer),
    ("AP@4", Reached::Outer),
    ("aAP@3", Reached::Outer),
    ("bpref", Reached::Outer),
    ("AP'", Reached::Outer),
    ("nDCG'", Reached::Outer),
];

/// A measure of a list by plain loops.
fn value(measure: &str, list: &[usize], grades: &[Option<f64>]) -> f64 {
    let (name, cutoff) = measure.split_once('@').unwrap_or((measure, ""));
    let family = name.trim_end_matches('\'').split('(').next().unwrap();
    let form = |form: &str| name.contains(form);
    let depth = cutoff.parse().unwrap_or(usize::MAX);
    let condensed: Vec<usize> =
        list.iter().copied().filter(|&document| grades[document].is_some()).collect();
    let list = if name.ends_with('\'') { &condensed } else { list };
    let ranked = list.iter().map(|&document| grades[document].unwrap_or(0.0));
    let gains: Vec<f64> = ranked.take(depth).collect();
    let mut ideal: Vec<f64> = grades.iter().filter_map(|&grade| grade).collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let num_rel = ideal.iter().filter(|&&grade| grade > 0.0).count() as f64;
    let dcg_to = |gains: &[f64], depth: usize| -> f64 {
        let discounted = |(rank, &gain): (i32, &f64)| {
            let gain = if form("exp") { gain.exp2() - 1.0 } else { gain };
            let jk = form("jk") || family == "enDCG";
            let divisor = f64::from(if jk { rank.max(2) } else { rank + 1 }).log2();
            gain / divisor
        };
        (1..).zip(gains.iter().take(depth)).map(discounted).sum()
    };
    let dcg = |gains: &[f64]| dcg_to(gains, depth);
    let p_sum = |relevant: &mut dyn Iterator<Item = bool>| -> f64 {
        let weighed = (0..).zip(relevant).filter(|(_, relevant)| *relevant);
        weighed.map(|(rank, _)| 0.2 * 0.8_f64.powi(rank)).sum()
    };
    let hits = gains.iter().filter(|&&gain| gain > 0.0).count() as f64;
    let found = match family {
        "P" => hits / depth as f64,
        "CG" => gains.iter().sum(),
        "DCG" => dcg(&gains),
        "nDCG" => dcg(&gains) / dcg(&ideal),
        "enDCG" => dcg(&gains) / dcg_to(&ideal, usize::MAX),
        "RBP" => p_sum(&mut gains.iter().map(|&gain| gain > 0.0)),
        "nRBP" => {
            let best = p_sum(&mut std::iter::repeat_n(true, depth.min(num_rel as usize)));
            p_sum(&mut gains.iter().map(|&gain| gain > 0.0)) / best
        }
        "R" => hits / num_rel,
        "Rcap" => hits / num_rel.min(depth as f64),
        "Success" => f64::from(u8::from(hits > 0.0)),
        "Rprec" => {
            let mult = if form("0.6") {
                6
            } else if form("1.4") {
                14
            } else {
                10
            };
            let size = (mult * num_rel as usize).div_ceil(10);
            let first = gains.iter().take(size);
            first.filter(|gain| **gain > 0.0).count() as f64 / size as f64
        }
        "RR" => gains.iter().position(|&gain| gain > 0.0).map_or(0.0, |r| 1.0 / (r + 1) as f64),
        "AP" | "aAP" => {
            let (mut seen, mut sum) = (0.0, 0.0);
            for (rank, gain) in (1..).zip(&gains) {
                if *gain > 0.0 {
                    seen += 1.0;
                    sum += seen / f64::from(rank);
                }
            }
            sum / if family == "aAP" { num_rel.min(depth as f64) } else { num_rel }
        }
        "bpref" => {
            let others = ideal.len() as f64 - num_rel;
            let (mut above, mut sum) = (0.0_f64, 0.0);
            for &document in list {
                match grades[document] {
                    Some(grade) if grade > 0.0 => {
                        let least = num_rel.min(others);
                        sum += if above > 0.0 { 1.0 - above.min(num_rel) / least } else { 1.0 };
                    }
                    Some(_) => above += 1.0,
                    None => {}
                }
            }
            sum / num_rel
        }
        other => panic!("{other}"),
    };
    if found.is_nan() { 0.0 } else { found }
}

/// The lowest and the highest difference of each measure over all judgings with up to so many
/// relevant documents in neither list, and at least so many in all.
fn brute_force_among(case: &Case, top: u64, unseen: usize, least: usize) -> Vec<(f64, f64)> {
    let mut open = case.open();
    let mut grades = case.grades.clone();
    for _ in 0..unseen {
        open.push(grades.len());
        grades.push(None);
    }
    let mut extremes = vec![(f64::INFINITY, f64::NEG_INFINITY); MEASURES.len()];
    for mut number in 0..(top + 1).pow(open.len() as u32) {
        for &document in &open {
            grades[document] = Some((number % (top + 1)) as f64);
            number /= top + 1;
        }
        if grades.iter().flatten().filter(|&&grade| grade > 0.0).count() < least {
            continue;
        }
        for ((measure, _), (low, high)) in MEASURES.iter().zip(&mut extremes) {
            let [first, second] =
                [0, 1].map(|run: usize| value(measure, &case.lists[run], &grades));
            *low = low.min(second - first);
            *high = high.max(second - first);
        }
    }
    extremes
}

/// The same of the documents of the lists alone.
fn brute_force(case: &Case, top: u64) -> Vec<(f64, f64)> {
    brute_force_among(case, top, 0, 0)
}

/// Whether the bounds of a topic are those of brute force, or hold them where they are outer.
fn is_as_expected(
    found: &Difference,
    case: &Case,
    (measure, reached): (&str, Reached),
    (low, high): (f64, f64),
) {
    let topic = &found.topics[0];
    let shown = || {
        let Case { lists, grades } = case;
        format!(
            "{measure} {lists:?} {grades:?}: [{low}, {high}], found [{}, {}]",
            topic.low, topic.high
        )
    };
    // Bounds of AP are outer, and often reached.
    let is_exact = found.bounds == Ok(Reached::Exactly);
    assert!(is_exact || reached == Reached::Outer, "{measure}: {:?}", found.bounds);
    if is_exact {
        assert!((topic.low - low).abs() < 2e-9, "{}", shown());
        assert!((topic.high - high).abs() < 2e-9, "{}", shown());
    } else {
        assert!(topic.low <= low + 1e-12, "{}", shown());
        assert!(topic.high >= high - 1e-12, "{}", shown());
    }
}

/// How many bounds of average precision were reached, of how many.
fn check(random: &mut Random, tried: u64, open: u64, top: u64) -> (usize, usize) {
    let mut reached_of_all = (0, 0);
    for _ in 0..tried {
        // Few cases have many unjudged documents, since each doubles the work.
        let number = (0..3).map(|_| random.below(open + 1)).min().unwrap_or(0);
        let case = Case::random(random, number, top);
        let expected = brute_force(&case, top);
        for (&measure, ends) in MEASURES.iter().zip(expected) {
            let found = case.difference(measure.0, top as f64);
            is_as_expected(&found, &case, measure, ends);
            if matches!(measure.0, "AP" | "AP@4" | "aAP@3") {
                reached_of_all.0 += usize::from(found.bounds == Ok(Reached::Exactly));
                reached_of_all.1 += 1;
            }
        }
    }
    reached_of_all
}

#[test]
fn bounds_of_differences_are_those_of_brute_force() {
    let mut random = Random::seeded(41);
    let (reached, all) = check(&mut random, cases(9_000, 300), 10, 1);
    assert!(reached * 100 > all * 99, "{reached} of {all}");
    check(&mut random, cases(1_000, 60), 5, 3);
}

#[test]
fn bounds_with_documents_in_neither_list_are_those_of_brute_force() {
    let mut random = Random::seeded(45);
    for (tried, open, top) in [(cases(2_500, 100), 7, 1), (cases(800, 40), 4, 2)] {
        for _ in 0..tried {
            let number = random.below(open + 1);
            let mut case = Case::random(&mut random, number, top);
            let nothing_judged = random.below(3) == 0;
            if nothing_judged {
                let few = case.grades.len().min(open as usize + 1);
                case.grades = vec![None; few];
                for list in &mut case.lists {
                    list.retain(|&document| document < few);
                }
            }
            let known = case.grades.iter().flatten().filter(|&&grade| grade > 0.0).count();
            let unseen = random.below(3) as usize;
            let least = (random.below(4) as usize).min(known + case.open().len() + unseen);
            let expected = brute_force_among(&case, top, unseen, least);
            for (&measure, ends) in MEASURES.iter().zip(expected) {
                // Of other measures only the documents of the lists are judged.
                if matches!(measure.0, "bpref" | "AP'" | "nDCG'") {
                    continue;
                }
                let found =
                    case.difference_among(measure.0, top as f64, unseen as u32, least as u32);
                is_as_expected(&found, &case, measure, ends);
            }
        }
    }
}

#[test]
fn bounds_hold_for_twelve_unjudged_documents() {
    let mut random = Random::seeded(42);
    for _ in 0..cases(20, 2) {
        let case = Case::random(&mut random, 12, 1);
        let expected = brute_force(&case, 1);
        for (&(measure, _), (low, high)) in MEASURES.iter().zip(expected) {
            let topic = &case.difference(measure, 1.0).topics[0];
            assert!(topic.low <= low + 1e-12 && topic.high >= high - 1e-12, "{measure}");
        }
    }
}

#[test]
fn what_documents_bring_is_their_term_or_the_effect_of_taking_them_out() {
    let mut random = Random::seeded(43);
    for _ in 0..cases(500, 60) {
        let case = Case::random(&mut random, 4, 3);
        for &(measure, _) in MEASURES {
            let found = case.difference(measure, 3.0);
            let family = measure.trim_end_matches('\'').split(['@', '(']).next().unwrap();
            let sums = matches!(family, "P" | "CG" | "DCG" | "nDCG" | "RBP" | "R" | "AP");
            assert_eq!(found.sums, sums, "{measure}");
            for (list, documents) in found.topics[0].lists.iter().zip(&case.lists) {
                let expected = value(measure, documents, &case.grades);
                assert!((list.value - expected).abs() < 1e-12, "{measure}");
                if sums {
                    let sum: f64 = list.brings.iter().sum();
                    assert!((sum - list.value).abs() < 1e-12, "{measure}: {sum} {}", list.value);
                    continue;
                }
                for (place, effect) in list.brings.iter().enumerate() {
                    let mut rest = documents.clone();
                    rest.remove(place);
                    let without = value(measure, &rest, &case.grades);
                    assert!((effect - (expected - without)).abs() < 1e-12, "{measure}");
                }
            }
        }
    }
}

#[test]
fn what_one_judgment_does_is_what_it_would_do() {
    let mut random = Random::seeded(44);
    for _ in 0..cases(500, 60) {
        let case = Case::random(&mut random, 6, 3);
        for &(measure, _) in MEASURES {
            let topic = &case.difference(measure, 3.0).topics[0];
            assert_eq!(topic.open.len(), case.open().len());
            for open in &topic.open {
                let run = usize::from(open.ranks[0] == 0);
                let document = case.lists[run][open.ranks[run] as usize - 1];
                for (grade, found) in [(3.0, open.best), (0.0, open.worst)] {
                    let mut grades = case.grades.clone();
                    grades[document] = Some(grade);
                    let [first, second] =
                        [0, 1].map(|run: usize| value(measure, &case.lists[run], &grades));
                    assert!((found - (second - first)).abs() < 1e-12, "{measure} {open:?}");
                }
            }
        }
    }
}
