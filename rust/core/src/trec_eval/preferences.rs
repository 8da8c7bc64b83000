//! Preferences between documents: which exist, and which a list fulfils.
//!
//! Documents that are judged get ids: the retrieved ones in order of rank, then
//! the others in order of their names. A preference x over y is fulfilled if x
//! has the lower id and is retrieved.

use std::collections::{HashMap, HashSet};

use super::catalogue::{CountedPreferences, Preferred};
use super::exit::Exit;
use super::judgments::Opinion;
use crate::qrels::Topic;
use crate::rank::{Hit, Ranking};

/// The most judged documents of a topic whose pairs are counted one by one.
const COUNTED_ONE_BY_ONE: usize = 1 << 14;

/// The counts of fulfilled and other preferences of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Fulfilled: between retrieved documents; and implied, over a document that
    /// was not retrieved.
    ful: [f64; 2],
    /// Not fulfilled, likewise.
    unful: [f64; 2],
    /// Between documents of which none was retrieved.
    not_occurring: f64,
}

/// A group of judgments.
#[derive(Debug)]
enum JudgmentGroup {
    /// Classes of documents, the best first, each with ascending ids.
    Simple(Vec<(f64, Vec<u32>)>),
    /// Preferences, and the grades of documents.
    Partial { preferences: Vec<(u32, u32)>, grades: Vec<(u32, f64)> },
}

/// The preferences of a topic against a list.
#[derive(Debug)]
pub struct TopicPreferences {
    groups: Vec<(JudgmentGroup, Counts)>,
    /// K: how many of the judged documents are retrieved.
    retrieved: u32,
    judged: usize,
}

impl Counts {
    fn add(&mut self, (x, y): (u32, u32), retrieved: u32) {
        if x < y {
            match (x < retrieved, y < retrieved) {
                (_, true) => self.ful[0] += 1.0,
                (true, false) => self.ful[1] += 1.0,
                _ => self.not_occurring += 1.0,
            }
        } else {
            match (x < retrieved, y < retrieved) {
                (true, _) => self.unful[0] += 1.0,
                (false, true) => self.unful[1] += 1.0,
                _ => self.not_occurring += 1.0,
            }
        }
    }

    /// Fulfilled and possible.
    fn over(&self, over: CountedPreferences) -> (f64, f64) {
        let retrieved = self.ful[0] + self.unful[0];
        let implied = self.ful[1] + self.unful[1];
        match over {
            CountedPreferences::Retrieved => (self.ful[0], retrieved),
            CountedPreferences::Implied => (self.ful[0] + self.ful[1], retrieved + implied),
            CountedPreferences::All => {
                (self.ful[0] + self.ful[1], retrieved + implied + self.not_occurring)
            }
        }
    }
}

fn share((part, whole): (f64, f64)) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl TopicPreferences {
    /// Joins the lines of a topic with a list.
    pub fn new(topic: &Topic, opinions: &[Opinion], list: &Ranking) -> Result<Self, Exit> {
        let judged = topic.docs().len();
        if judged > COUNTED_ONE_BY_ONE {
            let message =
                format!("trec_eval: more than {COUNTED_ONE_BY_ONE} documents with preferences\n");
            return Err(Exit::new(3, message));
        }
        let mut ids = vec![u32::MAX; judged];
        for (id, &Hit { document, .. }) in (0..).zip(&list.hits) {
            ids[document as usize] = id;
        }
        let retrieved = list.hits.len() as u32;
        let mut others: Vec<u32> = (0..judged as u32).collect();
        others.retain(|&document| ids[document as usize] == u32::MAX);
        others.sort_by_key(|&document| topic.docs().key(document));
        for (id, document) in (retrieved..).zip(others) {
            ids[document as usize] = id;
        }
        let mut names = vec![&b""[..]; judged];
        for (document, &id) in ids.iter().enumerate() {
            names[id as usize] = topic.docs().key(document as u32);
        }
        let mut lines: Vec<(&Opinion, u32)> =
            opinions.iter().map(|opinion| (opinion, ids[opinion.document as usize])).collect();
        lines.sort_by(|(a, a_id), (b, b_id)| {
            let groups = a.group.cmp(&b.group).then_with(|| a.part.cmp(&b.part));
            groups.then_with(|| b.grade.total_cmp(&a.grade)).then_with(|| a_id.cmp(b_id))
        });
        let groups = lines.chunk_by(|(a, _), (b, _)| a.group == b.group).map(|lines| {
            let simple = lines.iter().all(|(opinion, _)| opinion.part == lines[0].0.part);
            let group = if simple { simple_group(lines)? } else { partial_group(lines, &names)? };
            let mut counts = Counts::default();
            group.each_preference(|pair| counts.add(pair, retrieved));
            Ok((group, counts))
        });
        let groups = groups.collect::<Result<Vec<_>, Exit>>()?;
        Ok(TopicPreferences { groups, retrieved, judged })
    }

    /// The value of a measure.
    pub fn value(&self, measure: Preferred) -> f64 {
        let groups = || self.groups.iter().map(|(_, counts)| counts);
        let sums = |over: CountedPreferences| {
            groups().fold((0.0, 0.0), |(part, whole), counts| {
                let (more, of) = counts.over(over);
                (part + more, whole + of)
            })
        };
        let mean = |sum: f64| sum / self.groups.len() as f64;
        match measure {
            Preferred::Possible => sums(CountedPreferences::All).1,
            Preferred::Fulfilled => sums(CountedPreferences::All).0,
            Preferred::FulfilledRetrieved => sums(CountedPreferences::Retrieved).0,
            Preferred::Simple(over) => share(sums(over)),
            Preferred::Groups(over) => {
                mean(groups().fold(0.0, |sum, counts| sum + share(counts.over(over))))
            }
            Preferred::GroupsRnonrel(over) => {
                let shares = self.groups.iter().map(|(group, counts)| {
                    group.rnonrel(counts, over == CountedPreferences::Retrieved, self.retrieved)
                });
                let sum = shares.fold(0.0, |sum, share| sum + share);
                if sum > 0.0 { mean(sum) } else { 0.0 }
            }
            Preferred::Pair(over) => self.pairs(over),
        }
    }

    /// The mean over pairs of documents of the share of opinions that the list
    /// fulfils.
    fn pairs(&self, over: CountedPreferences) -> f64 {
        let (n, k) = (self.judged, self.retrieved as usize);
        let mut opinions = vec![0u16; n * n];
        for (group, _) in &self.groups {
            group.each_preference(|(x, y)| {
                let cell = &mut opinions[x as usize * n + y as usize];
                *cell = cell.wrapping_add(1);
            });
        }
        let (mut sum, mut count) = (0.0, 0.0);
        let mut add = |x: usize, y: usize| {
            let (one, other) = (f64::from(opinions[x * n + y]), f64::from(opinions[y * n + x]));
            if one + other > 0.0 {
                count += 1.0;
                sum += if x < k { one / (one + other) } else { 0.0 };
            }
        };
        (0..k).for_each(|x| (x + 1..k).for_each(|y| add(x, y)));
        if over != CountedPreferences::Retrieved {
            (0..k).for_each(|x| (k..n).for_each(|y| add(x, y)));
        }
        if over == CountedPreferences::All {
            (k..n).for_each(|x| (x + 1..n).for_each(|y| add(x, y)));
        }
        share((sum, count))
    }
}

fn simple_group(lines: &[(&Opinion, u32)]) -> Result<JudgmentGroup, Exit> {
    let mut grades: HashMap<u32, f64> = HashMap::new();
    let mut classes: Vec<(f64, Vec<u32>)> = Vec::new();
    for &(opinion, id) in lines {
        if grades.insert(id, opinion.grade).is_some_and(|known| known != opinion.grade) {
            return Err(Exit::new(
                4,
                format!(
                    "trec_eval.form_prefs_counts: Internal docid {id} occurs with different rel_level in same jsg\n"
                ),
            ));
        }
        match classes.last_mut().filter(|(grade, _)| *grade == opinion.grade) {
            Some((_, ids)) => ids.push(id),
            None => classes.push((opinion.grade, vec![id])),
        }
    }
    Ok(JudgmentGroup::Simple(classes))
}

fn partial_group(lines: &[(&Opinion, u32)], names: &[&[u8]]) -> Result<JudgmentGroup, Exit> {
    let mut grades: HashMap<u32, f64> = HashMap::new();
    for &(opinion, id) in lines {
        let known = grades.insert(id, opinion.grade);
        // A grade below 0 does not conflict with one of 0.
        let at_odds = |one: f64, other: f64| one == 0.0 && other > 0.0;
        if known.is_some_and(|known| at_odds(known, opinion.grade) || at_odds(opinion.grade, known))
        {
            let name = String::from_utf8_lossy(names[id as usize]).into_owned();
            return Err(Exit::new(
                4,
                format!(
                    "trec_eval.form_prefs_counts: doc '{name}' has both 0 and non-0 rel_level assigned\n"
                ),
            ));
        }
    }
    let mut over: HashMap<u32, HashSet<u32>> = HashMap::new();
    for part in lines.chunk_by(|(a, _), (b, _)| a.part == b.part) {
        for (at, (opinion, id)) in part.iter().enumerate() {
            let worse = part[at..].iter().filter(|(other, _)| opinion.grade > other.grade);
            let worse = worse.map(|(_, other)| *other).filter(|other| other != id);
            over.entry(*id).or_default().extend(worse);
        }
    }
    let mut ids: Vec<u32> = grades.keys().copied().collect();
    ids.sort_unstable();
    close(&ids, &mut over);
    let mut preferences: Vec<(u32, u32)> =
        over.iter().flat_map(|(&x, worse)| worse.iter().map(move |&y| (x, y))).collect();
    preferences.sort_unstable();
    if let Some(&(x, y)) = preferences.iter().find(|&&(x, y)| over[&y].contains(&x)) {
        return Err(Exit::new(
            134,
            format!(
                "trec_eval.form_prefs_counts: Pref inconsistency found\n      internal rank {x} and internal rank {y} are conflicted\n"
            ),
        ));
    }
    let grades = ids.into_iter().map(|id| (id, grades[&id])).collect();
    Ok(JudgmentGroup::Partial { preferences, grades })
}

/// Makes preferences transitive.
fn close(ids: &[u32], over: &mut HashMap<u32, HashSet<u32>>) {
    for &x in ids {
        let mut found: HashSet<u32> = HashSet::new();
        let mut open: Vec<u32> = over[&x].iter().copied().collect();
        while let Some(y) = open.pop() {
            if found.insert(y) {
                open.extend(&over[&y]);
            }
        }
        found.remove(&x);
        over.insert(x, found);
    }
}

impl JudgmentGroup {
    fn each_preference(&self, mut f: impl FnMut((u32, u32))) {
        match self {
            JudgmentGroup::Partial { preferences, .. } => {
                for &pair in preferences {
                    f(pair);
                }
            }
            JudgmentGroup::Simple(classes) => {
                for (at, (_, better)) in classes.iter().enumerate() {
                    for (_, worse) in &classes[at + 1..] {
                        for &x in better {
                            for &y in worse {
                                f((x, y));
                            }
                        }
                    }
                }
            }
        }
    }

    /// The documents that are relevant, and those that are not.
    fn relevant_and_other(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut relevant, mut other) = (Vec::new(), Vec::new());
        match self {
            JudgmentGroup::Simple(classes) => {
                for (grade, ids) in classes {
                    if *grade > 0.0 { &mut relevant } else { &mut other }.extend(ids);
                }
            }
            JudgmentGroup::Partial { grades, .. } => {
                for &(id, grade) in grades {
                    if grade > 0.0 {
                        relevant.push(id);
                    } else if grade == 0.0 {
                        other.push(id);
                    }
                }
            }
        }
        (relevant, other)
    }

    /// The share of fulfilled preferences with as many nonrelevant documents as
    /// relevant ones: surplus ones are left out, missing ones are assumed at the
    /// end of the list.
    fn rnonrel(&self, counts: &Counts, only_retrieved: bool, retrieved: u32) -> f64 {
        let (relevant, other) = self.relevant_and_other();
        let in_list = |ids: &[u32]| ids.iter().filter(|&&id| id < retrieved).count() as f64;
        let (all, found) = (relevant.len() as f64, in_list(&relevant));
        let (fulfilled, possible) = counts.over(CountedPreferences::All);
        if only_retrieved {
            let missing = found - in_list(&other);
            if missing >= 0.0 {
                let (fulfilled, possible) = counts.over(CountedPreferences::Retrieved);
                return (fulfilled + found * missing) / (possible + all * missing);
            }
        } else {
            let missing = all - other.len() as f64;
            if missing >= 0.0 {
                return (fulfilled + found * missing) / (possible + all * missing);
            }
        }
        let (f, u) = match self {
            JudgmentGroup::Simple(classes) => {
                let first = if only_retrieved { found } else { all } as usize;
                rnonrel_simple(classes, first, only_retrieved, retrieved)
            }
            JudgmentGroup::Partial { preferences, .. } => {
                let left_out: HashSet<u32> = other.into_iter().skip(relevant.len()).collect();
                let stays =
                    |id: &u32| !left_out.contains(id) && (!only_retrieved || *id < retrieved);
                let mut sums = (0.0, 0.0);
                let staying = preferences.iter().filter(|(x, y)| stays(x) && stays(y));
                staying.for_each(|&pair| judge(pair, retrieved, &mut sums));
                sums
            }
        };
        f / (f + u)
    }
}

/// Adds a preference to those that are fulfilled, or that are not.
fn judge((x, y): (u32, u32), retrieved: u32, (f, u): &mut (f64, f64)) {
    if x < y && x < retrieved { *f += 1.0 } else { *u += 1.0 }
}

/// All classes against each other, except that the last is represented by its
/// first documents, also against itself.
fn rnonrel_simple(
    classes: &[(f64, Vec<u32>)],
    first: usize,
    only_retrieved: bool,
    retrieved: u32,
) -> (f64, f64) {
    let in_list = |ids: &Vec<u32>| -> Vec<u32> {
        ids.iter().copied().filter(|&id| !only_retrieved || id < retrieved).collect()
    };
    let classes: Vec<Vec<u32>> = classes.iter().map(|(_, ids)| in_list(ids)).collect();
    let mut sums = (0.0, 0.0);
    let Some((last, better)) = classes.split_last() else { return sums };
    for (at, class) in better.iter().enumerate() {
        for worse in &better[at + 1..] {
            for &x in class {
                for &y in worse {
                    judge((x, y), retrieved, &mut sums);
                }
            }
        }
    }
    for &x in classes.iter().flatten() {
        last.iter().take(first).for_each(|&y| judge((x, y), retrieved, &mut sums));
    }
    sums
}
