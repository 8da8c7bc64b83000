//! What other implementations compute: five measures under other conventions.
//!
//! One small slow evaluator, written from the definitions and not from the folds of the measures:
//! it has the deviations that no measure here has, and its standard values are a twin of theirs.
//! A convention is a value of a dimension; the first value of each dimension is the standard.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What implementations decide in different ways.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Its name.
    pub name: &'static str,
    /// Its values, the standard first.
    pub values: &'static [&'static str],
}

const fn dimension(name: &'static str, values: &'static [&'static str]) -> Dimension {
    Dimension { name, values }
}

const CUT: Dimension = dimension("cut", &["k", "none", "k-1", "k+1"]);
const DUPLICATES: Dimension = dimension("duplicates", &["dropped", "each", "first"]);
const EMPTY: Dimension = dimension("empty", &["0", "1", "left-out"]);
const MISSING: Dimension = dimension("missing", &["0", "left-out"]);
const TIES: Dimension = dimension("ties", &["order", "average", "id-up", "id-down"]);
const SCORES: Dimension = dimension("scores", &["all", ">0"]);
const LEVEL: Dimension = dimension("level", &[">=1", ">0", "any-judged", ">=2"]);
const GRADES: Dimension = dimension("grades", &["as-given", "whole"]);
const REPEATED: Dimension = dimension("repeated", &["once", "each"]);
const IDS: Dimension = dimension("ids", &["text", "number"]);
const PRINTED: Dimension = dimension("printed", &["all", "2"]);

/// The dimensions of each measure.
pub const MEASURES: &[(&str, &[Dimension])] = &[
    (
        "nDCG",
        &[
            dimension("gain", &["linear", "exp", "binary"]),
            dimension(
                "ideal",
                &["judged", "uncut", "list-length", "retrieved", "k-of-1", "gain-3", "none"],
            ),
            dimension("duplicates", &["dropped", "each", "first", "in-ideal"]),
            dimension("discount", &["log2(r+1)", "from-rank-2", "log2(r+2)", "1/r"]),
            CUT,
            EMPTY,
            MISSING,
            TIES,
            SCORES,
            dimension("negative", &["0", "as-given"]),
            GRADES,
            REPEATED,
            IDS,
            PRINTED,
        ],
    ),
    (
        "AP",
        &[
            dimension("divisor", &["R", "min(k,R)", "found", "min(list,R)", "k", "found-uncut"]),
            dimension("terms", &["relevant", "every-rank"]),
            CUT,
            DUPLICATES,
            EMPTY,
            MISSING,
            TIES,
            SCORES,
            LEVEL,
            GRADES,
            REPEATED,
            IDS,
            PRINTED,
        ],
    ),
    (
        "RR",
        &[
            dimension("rank", &["first", "highest-grade", "mean-of-found", "from-0", "from-2"]),
            CUT,
            DUPLICATES,
            EMPTY,
            MISSING,
            TIES,
            SCORES,
            LEVEL,
            GRADES,
            IDS,
            PRINTED,
        ],
    ),
    (
        "P",
        &[
            dimension("divisor", &["k", "min(k,list)", "unique"]),
            CUT,
            DUPLICATES,
            EMPTY,
            MISSING,
            dimension("ties", &["order", "average", "id-up", "id-down", "all-at-k"]),
            SCORES,
            LEVEL,
            GRADES,
            IDS,
            PRINTED,
        ],
    ),
    (
        "R",
        &[
            dimension("divisor", &["R", "min(k,R)", "hit", "min(list,R)"]),
            CUT,
            DUPLICATES,
            EMPTY,
            MISSING,
            TIES,
            SCORES,
            LEVEL,
            GRADES,
            REPEATED,
            IDS,
            PRINTED,
        ],
    ),
];

/// The dimensions of a measure, if it is one of the five.
pub fn dimensions(measure: &str) -> Option<&'static [Dimension]> {
    MEASURES.iter().find(|(name, _)| *name == measure).map(|(_, dimensions)| *dimensions)
}

/// One topic: a list, its judgments and the cutoff.
#[derive(Clone, Debug, Default)]
pub struct JudgedList {
    /// The documents, best first; `None` for a topic that the run lacks.
    pub retrieved: Option<Vec<String>>,
    /// Their scores, if they have any.
    pub scores: Option<Vec<f64>>,
    /// Grades by document.
    pub judgments: Vec<(String, f64)>,
    /// Documents that the judgments name once more.
    pub repeated: Vec<String>,
    /// The cutoff.
    pub k: usize,
}

/// What an implementation answered for a topic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// A number.
    Number(f64),
    /// The topic is left out.
    LeftOut,
    /// It refused the input.
    Refused,
}

/// A choice of conventions: the place of a value for each dimension.
pub type Choice = Vec<u8>;

/// More orders of equal scores than these are not averaged.
const MOST_ORDERS: usize = 5040;

/// A number that is not further from another than this is the same.
const TOLERANCE: f64 = 1e-6;

struct Conventions<'a> {
    dimensions: &'static [Dimension],
    choice: &'a [u8],
}

impl Conventions<'_> {
    fn of(&self, name: &str) -> &'static str {
        let place = self.dimensions.iter().position(|dimension| dimension.name == name);
        place.map_or("", |place| self.dimensions[place].values[self.choice[place] as usize])
    }
}

/// A document of a list.
#[derive(Clone)]
struct GradedDocument {
    key: String,
    grade: Option<f64>,
    score: f64,
}

/// The value of a measure under some conventions; `None` if the topic is left out.
///
/// NaN where equal scores have too many orders to average.
pub fn value(measure: &str, topic: &JudgedList, choice: &[u8]) -> Option<f64> {
    let dimensions = dimensions(measure)?;
    let conventions = Conventions { dimensions, choice };
    if topic.retrieved.is_none() && conventions.of("missing") == "left-out" {
        return None;
    }
    let numbers = conventions.of("ids") == "number";
    let key = |id: &str| match id.parse::<u64>() {
        Ok(number) if numbers => number.to_string(),
        _ => id.to_string(),
    };
    let whole = conventions.of("grades") == "whole";
    let grade = |grade: f64| if whole { grade.trunc() } else { grade };
    let gold: HashMap<String, f64> =
        topic.judgments.iter().map(|(id, given)| (key(id), grade(*given))).collect();
    let documents = topic.retrieved.as_deref().unwrap_or_default();
    let mut list: Vec<GradedDocument> = documents
        .iter()
        .enumerate()
        .map(|(place, id)| {
            let score = topic.scores.as_ref().map_or(-(place as f64), |scores| scores[place]);
            let key = key(id);
            GradedDocument { grade: gold.get(&key).copied(), key, score }
        })
        .collect();
    let ties = conventions.of("ties");
    if topic.scores.is_some() && ties.starts_with("id-") {
        let up = ties == "id-up";
        list.sort_by(|a, b| {
            let ids = if up { a.key.cmp(&b.key) } else { b.key.cmp(&a.key) };
            b.score.total_cmp(&a.score).then(ids)
        });
    }
    if topic.scores.is_some() && conventions.of("scores") == ">0" {
        for listed in list.iter_mut().filter(|listed| listed.score <= 0.0) {
            listed.grade = None;
        }
    }
    let scored = Scored { measure, conventions: &conventions, topic, gold: &gold, key: &key };
    let value = if topic.scores.is_some() && ties == "average" {
        let orders = orders(&list)?;
        let values: Option<Vec<f64>> = orders.iter().map(|order| scored.of(order)).collect();
        if orders.is_empty() { f64::NAN } else { values.map(|v| mean(&v))? }
    } else {
        scored.of(&list)?
    };
    Some(if conventions.of("printed") == "2" { (value * 100.0).round() / 100.0 } else { value })
}

/// A value of a dimension beside its standard, and what topics have under it.
pub type SingleDeviation = (&'static str, &'static str, &'static str, Vec<Option<f64>>);

/// Every deviation in one dimension of a measure of run, with the value of each judged topic.
///
/// Lists are by score and then by id, both downwards. The cutoff is their length if there is none.
/// The mean over the orders of equal scores is left out, since it scores all orders.
pub fn single(
    measure: &str,
    judgments: &[(String, BTreeMap<String, f64>)],
    run: &BTreeMap<String, BTreeMap<String, f64>>,
    cutoff: Option<usize>,
) -> Vec<SingleDeviation> {
    let Some(dimensions) = dimensions(measure) else { return Vec::new() };
    let listed = |(topic, judged): &(String, BTreeMap<String, f64>)| {
        let list = run.get(topic).map(|list| {
            let mut list: Vec<(&String, f64)> =
                list.iter().map(|(id, score)| (id, *score)).collect();
            list.sort_by(|a, b| {
                b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal).then(b.0.cmp(a.0))
            });
            list
        });
        let length = list.as_ref().map_or(0, Vec::len);
        JudgedList {
            retrieved: list.as_ref().map(|list| list.iter().map(|(id, _)| (*id).clone()).collect()),
            scores: list.map(|list| list.iter().map(|(_, score)| *score).collect()),
            judgments: judged.iter().map(|(id, grade)| (id.clone(), *grade)).collect(),
            repeated: Vec::new(),
            k: cutoff.unwrap_or(length.max(1)),
        }
    };
    let topics: Vec<JudgedList> = judgments.iter().map(listed).collect();
    let mut found = Vec::new();
    for (place, dimension) in dimensions.iter().enumerate() {
        for (value, name) in dimension.values.iter().enumerate().skip(1) {
            if (dimension.name, *name) == ("ties", "average") {
                continue;
            }
            let mut choice = vec![0; dimensions.len()];
            choice[place] = value as u8;
            let values = topics.iter().map(|topic| self::value(measure, topic, &choice)).collect();
            found.push((dimension.name, *name, dimension.values[0], values));
        }
    }
    found
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Every order of equal scores; none if there are too many.
#[expect(clippy::unnecessary_wraps, reason = "the caller leaves a topic out in one place")]
fn orders(list: &[GradedDocument]) -> Option<Vec<Vec<GradedDocument>>> {
    let mut found: Vec<Vec<GradedDocument>> = vec![Vec::new()];
    for group in list.chunk_by(|a, b| a.score == b.score) {
        let several = permutations(group.len());
        if several.len().saturating_mul(found.len()) > MOST_ORDERS {
            return Some(Vec::new());
        }
        found = found
            .iter()
            .flat_map(|order| {
                several.iter().map(|places| {
                    let mut longer = order.clone();
                    longer.extend(places.iter().map(|&place| group[place].clone()));
                    longer
                })
            })
            .collect();
    }
    Some(found)
}

/// Every order of some places; of more than seven as many as are too many.
fn permutations(length: usize) -> Vec<Vec<usize>> {
    if length > 7 {
        return vec![Vec::new(); MOST_ORDERS + 1];
    }
    let mut found = vec![Vec::new()];
    for place in 0..length {
        found = found
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, place);
                    longer
                })
            })
            .collect();
    }
    found
}

/// One topic under some conventions, whose list is in its final order.
struct Scored<'a, K: Fn(&str) -> String> {
    measure: &'a str,
    conventions: &'a Conventions<'a>,
    topic: &'a JudgedList,
    gold: &'a HashMap<String, f64>,
    key: &'a K,
}

impl<K: Fn(&str) -> String> Scored<'_, K> {
    fn of(&self, list: &[GradedDocument]) -> Option<f64> {
        // Repeated documents: dropped, or kept in their places with or without what they gain.
        let duplicates = self.conventions.of("duplicates");
        let mut seen = HashSet::new();
        let mut listed: Vec<GradedDocument> = Vec::new();
        for one in list {
            let first = seen.insert(one.key.clone());
            match duplicates {
                "dropped" if !first => {}
                "first" if !first => listed.push(GradedDocument { grade: None, ..one.clone() }),
                _ => listed.push(one.clone()),
            }
        }
        if self.measure == "nDCG" { self.ndcg(&listed) } else { self.binary(&listed) }
    }

    fn cut(&self, length: usize) -> usize {
        let k = self.topic.k;
        match self.conventions.of("cut") {
            "none" => length,
            "k-1" => length.min(k.saturating_sub(1)),
            "k+1" => length.min(k + 1),
            _ => length.min(k),
        }
    }

    /// What a topic without anything relevant has.
    fn empty(&self) -> Option<f64> {
        match self.conventions.of("empty") {
            "1" => Some(1.0),
            "left-out" => None,
            _ => Some(0.0),
        }
    }

    fn repeated(&self) -> Vec<f64> {
        let counts = self.conventions.of("repeated") == "each";
        let ids = if counts { &self.topic.repeated[..] } else { &[] };
        ids.iter().filter_map(|id| self.gold.get(&(self.key)(id)).copied()).collect()
    }

    fn ndcg(&self, list: &[GradedDocument]) -> Option<f64> {
        let (k, conventions) = (self.topic.k, self.conventions);
        let gain = |grade: f64| {
            let grade = if grade < 0.0 && conventions.of("negative") == "0" { 0.0 } else { grade };
            match conventions.of("gain") {
                "exp" => grade.exp2() - 1.0,
                "binary" => f64::from(grade > 0.0),
                _ => grade,
            }
        };
        let discounted = |gains: &[f64]| -> f64 {
            let at = |rank: f64| match conventions.of("discount") {
                "from-rank-2" => rank.log2().max(1.0),
                "log2(r+2)" => (rank + 2.0).log2(),
                "1/r" => rank,
                _ => (rank + 1.0).log2(),
            };
            gains.iter().enumerate().map(|(place, gain)| gain / at(place as f64 + 1.0)).sum()
        };
        let gains: Vec<f64> = list.iter().map(|one| one.grade.map_or(0.0, gain)).collect();
        let shown = &gains[..self.cut(gains.len())];
        let mut ideal: Vec<f64> = self.gold.values().map(|&grade| gain(grade)).collect();
        ideal.extend(self.repeated().into_iter().map(gain));
        if conventions.of("duplicates") == "in-ideal" {
            let mut seen = HashSet::new();
            let again = list.iter().zip(shown).filter(|(one, _)| !seen.insert(&one.key));
            ideal.extend(again.map(|(_, gain)| *gain));
        }
        let relevant = ideal.iter().filter(|&&gain| gain > 0.0).count();
        let cut = if conventions.of("cut") == "none" { usize::MAX } else { self.cut(usize::MAX) };
        let most = match conventions.of("ideal") {
            "uncut" => usize::MAX,
            "list-length" => cut.min(list.len()),
            _ => cut,
        };
        match conventions.of("ideal") {
            "retrieved" => ideal.clone_from(&gains),
            "k-of-1" => ideal = vec![1.0; k],
            "gain-3" => ideal = vec![3.0; relevant],
            "none" => return Some(discounted(shown)),
            _ => {}
        }
        if relevant == 0 {
            return self.empty();
        }
        ideal.sort_by(|a, b| b.total_cmp(a));
        ideal.truncate(most);
        let best = discounted(&ideal);
        if best == 0.0 {
            let of_list = conventions.of("ideal") == "retrieved" && !list.is_empty();
            return if of_list { self.empty() } else { Some(0.0) };
        }
        Some(discounted(shown) / best)
    }

    fn is_relevant(&self, grade: f64) -> bool {
        match self.conventions.of("level") {
            ">0" => grade > 0.0,
            "any-judged" => true,
            ">=2" => grade >= 2.0,
            _ => grade >= 1.0,
        }
    }

    /// AP, RR, P and R.
    fn binary(&self, list: &[GradedDocument]) -> Option<f64> {
        let divisor = self.conventions.of("divisor");
        let (k, length) = (self.topic.k as f64, self.cut(list.len()));
        let mut relevant = self.gold.values().filter(|&&grade| self.is_relevant(grade)).count();
        relevant += self.repeated().into_iter().filter(|&grade| self.is_relevant(grade)).count();
        if relevant == 0 {
            return self.empty();
        }
        let hit = |one: &GradedDocument| one.grade.is_some_and(|grade| self.is_relevant(grade));
        let ranks: Vec<f64> = (0..length)
            .filter(|&place| hit(&list[place]))
            .map(|place| place as f64 + 1.0)
            .collect();
        let (found, relevant) = (ranks.len() as f64, relevant as f64);
        Some(match self.measure {
            "AP" => {
                let sum: f64 = if self.conventions.of("terms") == "relevant" {
                    ranks.iter().enumerate().map(|(place, rank)| (place + 1) as f64 / rank).sum()
                } else {
                    let above = |rank: f64| ranks.iter().filter(|&&r| r <= rank).count() as f64;
                    (1..=length).map(|rank| above(rank as f64) / rank as f64).sum()
                };
                let every = list.iter().filter(|one| hit(one)).count() as f64;
                let by = match divisor {
                    "min(k,R)" => k.min(relevant),
                    "found" => found,
                    "min(list,R)" => relevant.min(length as f64),
                    "k" => k,
                    "found-uncut" => every,
                    _ => relevant,
                };
                if by == 0.0 { 0.0 } else { sum / by }
            }
            "RR" => self.reciprocal(&list[..length], &ranks),
            "P" if self.conventions.of("ties") == "all-at-k" && self.topic.scores.is_some() => {
                let last = list.get(length.saturating_sub(1)).map_or(f64::INFINITY, |l| l.score);
                let tied: Vec<&GradedDocument> =
                    list.iter().filter(|one| one.score >= last).collect();
                let hits = tied.iter().filter(|one| hit(one)).count();
                if tied.is_empty() { 0.0 } else { hits as f64 / tied.len() as f64 }
            }
            "P" => {
                let by = match divisor {
                    "min(k,list)" => length as f64,
                    "unique" => {
                        list[..length].iter().map(|l| &l.key).collect::<HashSet<_>>().len() as f64
                    }
                    _ => k,
                };
                if by == 0.0 { 0.0 } else { found / by }
            }
            _ => match divisor {
                "hit" => f64::from(found > 0.0),
                "min(k,R)" => found / k.min(relevant),
                "min(list,R)" if length > 0 => found / relevant.min(length as f64),
                _ => found / relevant,
            },
        })
    }

    fn reciprocal(&self, list: &[GradedDocument], ranks: &[f64]) -> f64 {
        let grade = |one: &GradedDocument| one.grade.unwrap_or(0.0);
        let rank = self.conventions.of("rank");
        if rank == "highest-grade" {
            let highest = list.iter().map(grade).fold(f64::NEG_INFINITY, f64::max);
            let place = list.iter().position(|one| grade(one) == highest);
            return place.map_or(0.0, |place| 1.0 / (place as f64 + 1.0));
        }
        let Some(first) = ranks.first() else { return 0.0 };
        match rank {
            "mean-of-found" => {
                ranks.iter().map(|rank| 1.0 / rank).sum::<f64>() / ranks.len() as f64
            }
            "from-0" => 1.0 / (first - 1.0),
            "from-2" => 1.0 / (first + 1.0),
            _ => 1.0 / first,
        }
    }
}

/// How many choices of as many deviations are extended by one more.
const BEAM: usize = 200;

/// The choices that explain the most answers with the fewest deviations, and what each explains.
///
/// All choices of up to two deviations are tried, then those that extend the best by one, up to
/// six. A refusal is explained by every choice.
pub fn explanations(
    measure: &str,
    topics: &[JudgedList],
    answers: &[Answer],
) -> Vec<(Choice, Vec<bool>)> {
    let Some(dimensions) = dimensions(measure) else { return Vec::new() };
    let explained = |choice: &Choice| -> Vec<bool> {
        let pairs = topics.iter().zip(answers);
        pairs.map(|(topic, answer)| is_explained(*answer, value(measure, topic, choice))).collect()
    };
    let count = |found: &[bool]| found.iter().filter(|&&explained| explained).count();
    let standard = vec![0; dimensions.len()];
    let mut frontier = vec![(standard.clone(), explained(&standard))];
    let mut best = frontier.clone();
    for deviations in 1..=6 {
        if count(&best[0].1) == answers.len() {
            break;
        }
        let mut tried = HashSet::new();
        let mut next = Vec::new();
        for (choice, _) in &frontier {
            for (place, dimension) in dimensions.iter().enumerate() {
                for value in 1..dimension.values.len() as u8 {
                    let mut longer = choice.clone();
                    if longer[place] == 0 {
                        longer[place] = value;
                        if tried.insert(longer.clone()) {
                            next.push((explained(&longer), longer));
                        }
                    }
                }
            }
        }
        next.sort_by_key(|(found, choice)| (usize::MAX - count(found), choice.clone()));
        frontier = next.into_iter().map(|(found, choice)| (choice, found)).collect();
        let most = frontier.first().map_or(0, |(_, found)| count(found));
        if most > count(&best[0].1) {
            best = frontier.iter().take_while(|(_, found)| count(found) == most).cloned().collect();
        }
        if deviations >= 2 {
            frontier.truncate(BEAM);
        }
    }
    best
}

fn is_explained(answer: Answer, value: Option<f64>) -> bool {
    match (answer, value) {
        (Answer::Refused, _) | (Answer::LeftOut, None) => true,
        (Answer::Number(answer), Some(value)) => (answer - value).abs() <= TOLERANCE,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(documents: &[&str], judgments: &[(&str, f64)], k: usize) -> JudgedList {
        JudgedList {
            retrieved: Some(documents.iter().map(ToString::to_string).collect()),
            judgments: judgments.iter().map(|(id, grade)| (id.to_string(), *grade)).collect(),
            k,
            ..JudgedList::default()
        }
    }

    fn with(measure: &str, conventions: &[(&str, &str)]) -> Choice {
        let dimensions = dimensions(measure).unwrap();
        let place = |(name, value): &(&str, &str)| {
            let at = dimensions.iter().position(|dimension| dimension.name == *name).unwrap();
            (at, dimensions[at].values.iter().position(|known| known == value).unwrap())
        };
        let mut choice = vec![0; dimensions.len()];
        for (at, value) in conventions.iter().map(place) {
            choice[at] = value as u8;
        }
        choice
    }

    #[test]
    fn conventions_by_hand() {
        // Ranks 1 and 3 are relevant, a third document is not found: 1/1 and 2/3 over three.
        let topic = list(&["a", "b", "c"], &[("a", 1.0), ("c", 1.0), ("x", 1.0)], 5);
        for (conventions, expected) in [
            (&[][..], 5.0 / 9.0),
            (&[("divisor", "found")][..], 5.0 / 6.0),
            (&[("divisor", "k")][..], 1.0 / 3.0),
            (&[("terms", "every-rank")][..], (1.0 + 0.5 + 2.0 / 3.0) / 3.0),
            (&[("divisor", "found"), ("printed", "2")][..], 0.83),
        ] {
            let found = value("AP", &topic, &with("AP", conventions)).unwrap();
            assert!((found - expected).abs() < 1e-12, "{conventions:?}: {found}");
        }
        // Twice the same document: 1 + 1 / log2(3) where one is the best that can be.
        let twice = list(&["a", "a"], &[("a", 1.0)], 2);
        let each = value("nDCG", &twice, &with("nDCG", &[("duplicates", "each")])).unwrap();
        assert!((each - (1.0 + 1.0 / 3f64.log2())).abs() < 1e-12);
        let inside = with("nDCG", &[("duplicates", "in-ideal")]);
        assert_eq!(value("nDCG", &twice, &inside), Some(1.0));
    }

    #[test]
    fn every_single_deviation_is_found_again() {
        let topics = [
            list(&["a", "b", "c"], &[("a", 1.0), ("c", 1.0), ("x", 1.0)], 5),
            list(&["a", "b", "c", "d"], &[("b", 1.0), ("d", 1.0), ("x", 1.0)], 2),
        ];
        let wanted = with("AP", &[("divisor", "found")]);
        let answers: Vec<Answer> = topics
            .iter()
            .map(|topic| value("AP", topic, &wanted).map_or(Answer::LeftOut, Answer::Number))
            .collect();
        let found = explanations("AP", &topics, &answers);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, wanted);
        assert_eq!(found[0].1, [true, true]);
    }
}
