//! Which definitions give printed numbers: those that are tried, and those that are left.
//!
//! A definition is a measure, options, and how topics are summed up. It has bits: how uncommon it
//! is or, with a label, how far from the measure of that name. Definitions with the same values in
//! every topic of every run cannot be told apart, and are one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::error::{Error, Kind, Result};
use crate::evaluate::{Evaluator, Input, Monitor};
use crate::format::general;
use crate::grammar;
use crate::measure::{Better, Cutoff, FAMILIES, Family, Measure};
use crate::options::{Choices, EvaluatingOption, OptionValues};
use crate::qrels::Qrels;
use crate::scores::Scores;
use crate::ties::{TieMode, average};

/// The bits of common families.
const COMMON: &[(&str, u32)] = &[
    ("AP", 1),
    ("P", 1),
    ("nDCG", 1),
    ("R", 2),
    ("RR", 2),
    ("Rprec", 2),
    ("bpref", 2),
    ("Success", 3),
    ("infAP", 3),
    ("Q", 3),
    ("ERR", 3),
    ("RBP", 3),
    ("GMAP", 3),
    ("aAP", 3),
    ("DCG", 3),
    ("SetF", 3),
];

/// The bits of other families.
const UNCOMMON: u32 = 5;

/// Families that take longer than all others together.
const SLOW: &[&str] = &["MP", "subAP", "subAP_expected"];

/// Usual cutoffs, and those of families that are not common.
const USUAL: &[u32] = &[1, 3, 5, 10, 20, 50, 100, 1000];
const FEW: &[u32] = &[10, 100];

/// Families whose rare cutoffs are tried, too.
const ANY_CUTOFF: &[&str] = &["P", "R", "AP", "nDCG"];

/// Arguments with their bits.
type Arguments = &'static [(&'static str, u32)];

const GAINS: Arguments = &[("dcg=\"exp-log2\"", 1), ("gain=\"binary\"", 2), ("dcg=\"jk\"", 3)];

/// Other arguments of families.
const OTHERS: &[(&str, Arguments)] =
    &[("nDCG", GAINS), ("DCG", GAINS), ("RBP", &[("p=0.5", 1), ("p=0.9", 1), ("p=0.95", 1)])];

/// Options of an evaluation, with their bits and what is said of them.
#[derive(Clone, Copy, Debug)]
pub struct TriedOptions {
    /// Names and values.
    pub given: &'static [(&'static str, &'static str)],
    /// How uncommon they are.
    pub bits: u32,
    /// What differs from the standard.
    pub words: &'static str,
}

const fn tried(
    given: &'static [(&'static str, &'static str)],
    bits: u32,
    words: &'static str,
) -> TriedOptions {
    TriedOptions { given, bits, words }
}

/// The sets of options that are tried, those of the standard first.
pub const TRIED: &[TriedOptions] = &[
    tried(&[], 0, ""),
    tried(&[("scores", "f32")], 1, "scores in single precision"),
    tried(&[("missing", "skip")], 2, "over the topics of the run"),
    tried(
        &[("missing", "skip"), ("scores", "f32")],
        3,
        "over the topics of the run, single precision",
    ),
    tried(&[("undefined", "skip")], 2, "without topics where it is undefined"),
    tried(&[("undefined", "one")], 4, "undefined counts as 1"),
    tried(&[("order", "docno_asc")], 3, "equal scores by id upwards"),
    tried(&[("order", "input")], 3, "in the order of the file"),
    tried(&[("order", "rank")], 3, "by the rank column"),
    tried(&[("depth", "1000")], 3, "the first 1000 documents only"),
    tried(&[("depth", "100")], 4, "the first 100 documents only"),
    tried(&[("depth", "10")], 5, "the first 10 documents only"),
    tried(&[("ties", "average")], 4, "mean over the orders of equal scores"),
];

impl TriedOptions {
    fn gives(&self, name: &str, value: &str) -> bool {
        self.given.contains(&(name, value))
    }

    /// An evaluator of measures under these options, and how equal scores are treated. Nothing is
    /// refused for being unlikely.
    fn evaluator(&self, qrels: &Arc<Qrels>, measures: &[Measure]) -> Result<(Evaluator, TieMode)> {
        let mut choices = Choices::default();
        for (name, value) in self.given {
            let Some(option) = EvaluatingOption::named(name) else { continue };
            match (option.takes, value.parse()) {
                (OptionValues::Count(_, set), Ok(number)) => set(&mut choices, number),
                _ => option.set_word(&mut choices, value)?,
            }
        }
        let Choices { mut options, ties } = choices;
        options.hosted = true;
        options.ranker.groups = ties != TieMode::Order;
        ties.check(measures, &options)?;
        Ok((Evaluator::new(Arc::clone(qrels), measures, options)?, ties))
    }
}

/// Whether the judgments or the runs do not allow it; all else ends the search.
fn is_refusal(error: &Error) -> bool {
    !matches!(error.kind(), Kind::Cancelled | Kind::Memory)
}

/// An evaluator of some of the measures under a set of options.
pub struct TriedEvaluator {
    options: usize,
    /// The places of the measures.
    measures: Vec<usize>,
    evaluator: Evaluator,
    ties: TieMode,
}

impl TriedEvaluator {
    /// The evaluator, to which runs are given.
    pub fn core(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The scores of a run; none if it has no ranks, where these are asked for.
    pub fn scores(&self, run: &[Input], monitor: &Arc<Monitor>) -> Result<Option<Scores>> {
        let found = match self.ties {
            TieMode::Average => average(&self.evaluator, run, monitor),
            _ => self.evaluator.evaluate(run, monitor),
        };
        match found {
            Err(error) if is_refusal(&error) && TRIED[self.options].gives("order", "rank") => {
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    fn summaries(&self) -> usize {
        if TRIED[self.options].given.is_empty() { SUMMARIES.len() } else { 1 }
    }
}

/// How topics are summed up, with the bits; a mean has no name.
pub const SUMMARIES: &[(&str, u32)] = &[("", 0), ("geometric mean", 4), ("median", 5)];

fn is_common(family: &str) -> Option<u32> {
    COMMON.iter().find(|(name, _)| *name == family).map(|(_, bits)| *bits)
}

/// The cutoffs that are tried of a family, as they are written, with their bits.
fn cutoffs(family: &Family) -> Vec<(String, u32)> {
    let name = family.about.name;
    let none = (String::new(), 0);
    let usual = if is_common(name).is_some() { USUAL } else { FEW };
    let rare = (2..=30).chain((40..=500).step_by(10)).filter(|k| !USUAL.contains(k));
    let rare = rare.filter(|_| ANY_CUTOFF.contains(&name));
    let ranks =
        usual.iter().map(|k| (format!("@{k}"), 2)).chain(rare.map(|k| (format!("@{k}"), 5)));
    match family.takes.cutoff {
        Cutoff::Recall => vec![("@0.5".to_string(), 2)],
        Cutoff::None | Cutoff::Elsewhere(_) => vec![none],
        Cutoff::Required => ranks.collect(),
        Cutoff::Optional => [none].into_iter().chain(ranks).collect(),
    }
}

/// The arguments that are tried of a family, with their bits. Grades are those above 0, as they
/// are written.
fn arguments(family: &Family, grades: &[(String, f64)]) -> Vec<(String, u32)> {
    let name = family.about.name;
    if name == "ERR" {
        let highest = grades.iter().map(|(_, grade)| *grade).fold(1.0, f64::max);
        let known = [("1", 1.0), ("3", 3.0), ("4", 4.0)].map(|(text, grade)| (text.into(), grade));
        let mut tops: Vec<(String, f64)> =
            known.into_iter().chain(grades.iter().cloned()).collect();
        tops.sort_by(|a, b| a.1.total_cmp(&b.1));
        tops.dedup_by(|a, b| a.1 == b.1);
        let tops = tops.into_iter().filter(|(_, grade)| *grade >= highest);
        return tops.map(|(text, _)| (format!("max_rel={text}"), 0)).collect();
    }
    let others = OTHERS.iter().filter(|(of, _)| *of == name).flat_map(|(_, found)| *found);
    let mut found = vec![(String::new(), 0)];
    found.extend(others.map(|(text, bits)| ((*text).to_string(), *bits)));
    if family.takes_rel() && is_common(name).is_some() {
        let levels = grades.iter().filter(|(_, grade)| *grade != 1.0);
        found.extend(levels.map(|(text, _)| (format!("rel={text}"), 2)));
    }
    found
}

/// The measures that are tried, as they are written, each with its bits without a label.
///
/// `grades` are those above 0, as they are written and as numbers.
pub fn measures(grades: &[(String, f64)]) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for family in FAMILIES.iter().filter(|family| !SLOW.contains(&family.about.name)) {
        let name = family.about.name;
        let common = is_common(name);
        let cutoffs = cutoffs(family);
        let primes: &[(&str, u32)] =
            if family.takes.prime && common.is_some() { &[("", 0), ("'", 3)] } else { &[("", 0)] };
        for (arguments, own) in arguments(family, grades) {
            let least = if arguments.is_empty() {
                grammar::least(family)
            } else {
                format!("{name}({arguments})")
            };
            for (cutoff, more) in &cutoffs {
                for (prime, extra) in primes {
                    let is_rare = *more > 2;
                    let is_odd = !prime.is_empty() && (is_rare || own > 0);
                    if is_odd || (own > 0 && is_rare && name != "P") {
                        continue;
                    }
                    let text = format!("{least}{prime}{cutoff}");
                    let bits = common.unwrap_or(UNCOMMON) + own + more + extra;
                    let place = *places.entry(text.clone()).or_insert(found.len());
                    if place == found.len() {
                        found.push((text, bits));
                    } else {
                        found[place].1 = bits;
                    }
                }
            }
        }
    }
    found
}

/// What the text of a measure says of its cutoff, its list and its arguments.
#[derive(Debug, PartialEq)]
pub struct WrittenMeasure {
    /// The cutoff; empty for none.
    pub cutoff: String,
    /// Whether the list is condensed.
    pub condensed: bool,
    /// The arguments; empty for none.
    pub arguments: String,
}

impl WrittenMeasure {
    /// What the text of a measure says.
    pub fn of(measure: &Measure) -> Self {
        let text = measure.to_string();
        let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let cutoff = text.rsplit_once('@').map(|(_, part)| part);
        let cutoff = cutoff.filter(|part| !part.is_empty() && is_number(part)).unwrap_or_default();
        let inside = text.find('(').zip(text.rfind(')')).filter(|(from, to)| from < to);
        let (arguments, stem) = match inside {
            Some((from, to)) => (&text[from + 1..to], format!("{}{}", &text[..from], &text[to..])),
            None => ("", text.clone()),
        };
        let condensed = stem.contains('\'');
        WrittenMeasure { cutoff: cutoff.to_string(), condensed, arguments: arguments.to_string() }
    }
}

/// How far a measure is from a label in bits, and what differs.
fn distance(own: &Measure, label: &Measure) -> (u32, Vec<String>) {
    let (mine, other) = (WrittenMeasure::of(own), WrittenMeasure::of(label));
    let (mut bits, mut said) = (0, Vec::new());
    let family = own.family.about.name;
    if family != label.family.about.name {
        bits += 5 + is_common(family).unwrap_or(UNCOMMON);
        said.push(format!("{family} instead of {}", label.family.about.name));
    }
    if mine.cutoff != other.cutoff {
        let words = |cutoff: &str| match cutoff {
            "" => "no cutoff".to_string(),
            cutoff => format!("cutoff {cutoff}"),
        };
        bits += 4;
        said.push(format!("{} instead of {}", words(&mine.cutoff), words(&other.cutoff)));
    }
    if mine.condensed != other.condensed {
        bits += 3;
        said.push(if mine.condensed { "condensed list" } else { "full list" }.to_string());
    }
    if mine.arguments != other.arguments {
        let own = if mine.arguments.is_empty() { "default arguments" } else { &mine.arguments };
        bits += 2;
        said.push(format!("with {own}"));
    }
    (bits, said)
}

/// A definition that is tried: the places of its options, its measure and its summary.
#[derive(Clone, Copy, Debug)]
pub struct TriedDefinition {
    /// The place in [`TRIED`].
    pub options: usize,
    /// The place among the measures.
    pub measure: usize,
    /// The place in [`SUMMARIES`].
    pub summary: usize,
}

/// A number as it was printed.
#[derive(Clone, Copy, Debug)]
pub struct PrintedNumber {
    /// The place of its label.
    pub label: usize,
    /// The number.
    pub value: f64,
    /// Half a unit of its last digit.
    pub half: f64,
    /// The place of its topic; `None` for a mean.
    pub topic: Option<usize>,
}

/// Definitions that are one here.
#[derive(Clone, Debug)]
pub struct FoundDefinition {
    /// The place of the simplest.
    pub place: usize,
    /// Its value.
    pub value: f64,
    /// How many others are the same.
    pub others: usize,
    /// Its measure, with what topics are summed up by.
    pub measure: String,
    /// Its bits.
    pub bits: u32,
    /// What differs from the label, or from the standard.
    pub differs: Vec<String>,
}

/// Options as they are written.
fn written(options: &TriedOptions) -> String {
    let each: Vec<String> =
        options.given.iter().map(|(name, value)| format!("{name}={value}")).collect();
    each.join(", ")
}

/// What numbers of one label leave.
struct LabelState {
    label: Option<Measure>,
    left: Vec<bool>,
    /// Where numbers were rounded, not cut off.
    rounded: Vec<bool>,
    /// How far values are from the numbers, together.
    off: Vec<f64>,
    chance: Option<f64>,
}

/// The definitions that are left, over the runs that were looked at.
pub struct DefinitionSearch {
    measures: Vec<(Measure, u32)>,
    definitions: Vec<TriedDefinition>,
    labels: Vec<LabelState>,
    /// Equal numbers for definitions that were equal in every run.
    same: Vec<usize>,
    means: Vec<f64>,
    /// By topic and definition, of the first run.
    values: Vec<f64>,
}

/// Rounded as numpy does it, without a sign of 0.
fn rounded(value: f64) -> f64 {
    (value * 1e11).round_ties_even() / 1e11 + 0.0
}

/// What rounding of the last bits may change.
const SLACK: f64 = 1e-12;

/// How many of the nearest definitions are looked at.
const NEAREST: usize = 200;

/// The measures that judgments allow, each with its bits without a label; an error for one that is
/// asked for and that they do not allow.
fn usable(
    qrels: &Arc<Qrels>,
    grades: &[(String, f64)],
    asked: &[String],
) -> Result<Vec<(Measure, u32)>> {
    let mut every = measures(grades);
    for name in asked {
        if every.iter().all(|(known, _)| known != name) {
            every.push((name.clone(), UNCOMMON));
        }
    }
    let mut allowed: HashMap<String, bool> = HashMap::new();
    let (mut found, mut names) = (Vec::new(), HashSet::new());
    for (name, bits) in every {
        let refused = |error: Error| {
            if is_refusal(&error) && !asked.contains(&name) { Ok(false) } else { Err(error) }
        };
        let measure = match grammar::parse(&name) {
            Ok(measure) => measure,
            Err(error) => {
                refused(error)?;
                continue;
            }
        };
        // Cutoffs of a measure need the same.
        let kind = name.split_inclusive('@').next().unwrap_or_default().to_string();
        let is_allowed = match allowed.get(&kind) {
            Some(known) => *known,
            None => TRIED[0]
                .evaluator(qrels, std::slice::from_ref(&measure))
                .map_or_else(refused, |_| Ok(true))?,
        };
        allowed.insert(kind, is_allowed);
        if is_allowed && names.insert(measure.to_string()) {
            found.push((measure, bits));
        }
    }
    Ok(found)
}

/// Whether the mean of a measure over the orders of equal scores is known, and the measure common.
fn is_averaged(measure: &Measure) -> bool {
    let text = measure.to_string();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.split_once('@') {
        Some((family, cutoff)) => {
            ["P", "R", "nDCG", "Success"].contains(&family) && is_number(cutoff)
        }
        None => ["AP", "RR", "nDCG", "Rprec"].contains(&&*text),
    }
}

/// Families that judgments of many grades, or of none, do not allow over the orders of equal
/// scores.
const NOT_ALWAYS_AVERAGED: &[&str] = &["Rprec", "AP", "RR"];

impl TriedEvaluator {
    /// The evaluators under each set of options, of the measures that have values under it.
    fn all(qrels: &Arc<Qrels>, measures: &[(Measure, u32)]) -> Result<Vec<TriedEvaluator>> {
        let mut found = Vec::new();
        for (options, tried) in TRIED.iter().enumerate() {
            let is_share = |measure: &Measure| {
                measure.family.about.range == "[0, 1]" && measure.better() == Better::Higher
            };
            let is_tried = |measure: &Measure| {
                (!tried.gives("ties", "average") || is_averaged(measure))
                    && (!tried.gives("undefined", "one") || is_share(measure))
            };
            let mut places: Vec<usize> =
                (0..measures.len()).filter(|place| is_tried(&measures[*place].0)).collect();
            while !places.is_empty() {
                let chosen: Vec<Measure> =
                    places.iter().map(|place| measures[*place].0.clone()).collect();
                match tried.evaluator(qrels, &chosen) {
                    Ok((evaluator, ties)) => {
                        found.push(TriedEvaluator { options, measures: places, evaluator, ties });
                        break;
                    }
                    Err(error) if is_refusal(&error) && tried.gives("ties", "average") => {
                        let is_among = |place: &usize, names: &[&str]| {
                            names.contains(&&*measures[*place].0.to_string())
                        };
                        let had_any = places.iter().any(|place| is_among(place, &["AP"]));
                        places.retain(|place| had_any && !is_among(place, NOT_ALWAYS_AVERAGED));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(found)
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

/// The geometric mean, where 0 counts as 0.00001.
fn geometric(values: &[f64]) -> f64 {
    let sum = values.iter().map(|value| value.max(1e-5).ln()).fold(0.0, |sum, log| sum + log);
    (sum / values.len() as f64).exp()
}

/// The value where a run has no ranks: nothing gives it.
const WITHOUT_RANKS: f64 = -2.0;

/// A number as it was printed, and whether it can be a mean over so many topics: precision has
/// few values.
#[derive(Clone, Copy, Debug)]
pub struct PrintedMean<'a> {
    /// How it was printed.
    pub text: &'a str,
    /// What it is the mean of.
    pub label: Option<&'a Measure>,
    /// The number.
    pub value: f64,
    /// Half a unit of its last digit.
    pub half: f64,
    /// The number of topics.
    pub topics: u64,
}

/// Cutoffs that are usual in print.
const PRINTED: &[u64] = &[1, 3, 5, 10, 15, 20, 30, 50, 100];

impl PrintedMean<'_> {
    /// A sentence for what cannot be a mean; `always`: also for what can, and for what is not
    /// known.
    pub fn sentence(&self, always: bool) -> Option<String> {
        let PrintedMean { text, value, half, topics, .. } = *self;
        let known = self.label.map(|label| (label, label.family.about.name));
        let Some((label, family)) = known.filter(|(_, name)| ["P", "Success"].contains(name))
        else {
            return always.then(|| {
                format!("{text}: only means of P@k and Success@k are tested for being possible.")
            });
        };
        let cutoff = label.to_string().rsplit_once('@').and_then(|(_, k)| k.parse().ok());
        let k: u64 = cutoff.filter(|_| family == "P").unwrap_or(1);
        let off = |k: u64| {
            let steps = value * k as f64 * topics as f64;
            (steps - steps.round_ties_even()).abs()
        };
        let reach = |k: u64| (half + SLACK) * k as f64 * topics as f64;
        if off(k) <= reach(k) {
            return always.then(|| format!("{text} can be a mean over {topics} topics."));
        }
        let is_other =
            |other: &&u64| **other != k && off(**other) <= reach(**other) && reach(**other) < 0.5;
        let others: Vec<String> = PRINTED
            .iter()
            .filter(|_| family == "P")
            .filter(is_other)
            .map(ToString::to_string)
            .collect();
        let could = match &*others.join(", ") {
            "" => String::new(),
            others => format!("; of P at {others} it can"),
        };
        let step = general(1.0 / (k * topics) as f64, 6);
        Some(format!(
            "{text} cannot be a mean of {label} over {topics} topics at all (multiples of \
             {step}){could}."
        ))
    }
}

impl DefinitionSearch {
    /// A search over what judgments allow, and the evaluators of its definitions.
    pub fn over(
        qrels: &Arc<Qrels>,
        labels: Vec<Option<Measure>>,
    ) -> Result<(Self, Vec<TriedEvaluator>)> {
        let grades = qrels.grades().iter().filter(|grade| **grade > 0.0);
        let grades: Vec<(String, f64)> = grades.map(|grade| (general(*grade, 6), *grade)).collect();
        let asked: Vec<String> = labels.iter().flatten().map(ToString::to_string).collect();
        let measures = usable(qrels, &grades, &asked)?;
        let evaluators = TriedEvaluator::all(qrels, &measures)?;
        let mut definitions = Vec::new();
        for tried in &evaluators {
            for summary in 0..tried.summaries() {
                let options = tried.options;
                let of = |&measure| TriedDefinition { options, measure, summary };
                definitions.extend(tried.measures.iter().map(of));
            }
        }
        Ok((DefinitionSearch::new(measures, definitions, labels), evaluators))
    }

    /// Keeps the definitions that give the numbers of a run, from its scores by each evaluator.
    pub fn look_at(
        &mut self,
        evaluators: &[TriedEvaluator],
        found: &[Option<Scores>],
        numbers: &[PrintedNumber],
    ) {
        let topics = found.iter().flatten().map(|scores| scores.topics.len()).max().unwrap_or(0);
        let (mut means, mut columns) = (Vec::new(), Vec::new());
        for (tried, scores) in evaluators.iter().zip(found) {
            for summary in 0..tried.summaries() {
                for column in 0..tried.measures.len() {
                    let Some(scores) = scores else {
                        means.push(WITHOUT_RANKS);
                        columns.push(vec![WITHOUT_RANKS; topics]);
                        continue;
                    };
                    let own: Vec<f64> =
                        (0..topics).map(|topic| scores.row(0, topic)[column]).collect();
                    let known: Vec<f64> =
                        own.iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
                    means.push(match summary {
                        0 => scores.summary(0, column),
                        1 => geometric(&known),
                        _ => median(&known),
                    });
                    columns.push(own);
                }
            }
        }
        let defined = |value: f64| if value.is_nan() { -1.0 } else { value };
        let values =
            (0..topics).flat_map(|topic| columns.iter().map(move |own| defined(own[topic])));
        let values = values.collect();
        self.look(means.into_iter().map(defined).collect(), values, numbers);
    }

    /// How many definitions there are.
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// A definition by its place.
    pub fn definition(&self, place: usize) -> TriedDefinition {
        self.definitions[place]
    }

    /// A search over definitions, whose measures have their bits without a label.
    pub fn new(
        measures: Vec<(Measure, u32)>,
        definitions: Vec<TriedDefinition>,
        labels: Vec<Option<Measure>>,
    ) -> Self {
        let size = definitions.len();
        let state = |label| LabelState {
            label,
            left: vec![true; size],
            rounded: vec![true; size],
            off: vec![0.0; size],
            chance: None,
        };
        DefinitionSearch {
            measures,
            labels: labels.into_iter().map(state).collect(),
            same: vec![0; size],
            definitions,
            means: Vec::new(),
            values: Vec::new(),
        }
    }

    /// How many definitions differ.
    pub fn distinct(&self) -> usize {
        self.same.iter().collect::<HashSet<_>>().len()
    }

    /// How many definitions would give the numbers of a label by accident.
    pub fn chance(&self, label: usize) -> f64 {
        self.labels[label].chance.unwrap_or(0.0)
    }

    /// Keeps the definitions that give the numbers of a run. `values` are by topic and definition,
    /// `means` by definition.
    pub fn look(&mut self, means: Vec<f64>, values: Vec<f64>, numbers: &[PrintedNumber]) {
        let size = self.definitions.len();
        let mut known: HashMap<(usize, Vec<u64>), usize> = HashMap::new();
        for (place, mean) in means.iter().enumerate() {
            let own = values.iter().skip(place).step_by(size).chain([mean]);
            let row = own.map(|value| rounded(*value).to_bits()).collect();
            let next = known.len();
            self.same[place] = *known.entry((self.same[place], row)).or_insert(next);
        }
        let distinct = self.distinct().max(1) as f64;
        for number in numbers {
            let found = number.topic.map_or(&means[..], |topic| &values[topic * size..][..size]);
            self.labels[number.label].keep(found, number, distinct);
        }
        if self.means.is_empty() {
            (self.means, self.values) = (means, values);
        }
    }

    /// A definition with its distance from a label.
    fn described(&self, place: usize, label: usize) -> FoundDefinition {
        let state = &self.labels[label];
        let definition = self.definitions[place];
        let (measure, plain) = &self.measures[definition.measure];
        let options = &TRIED[definition.options];
        let (summary, more) = SUMMARIES[definition.summary];
        let (own, mut differs) = match &state.label {
            None => (*plain, Vec::new()),
            Some(label) => distance(measure, label),
        };
        let mut bits = options.bits + own + more;
        differs.extend(
            [options.words, summary]
                .iter()
                .filter(|words| !words.is_empty())
                .map(|words| (*words).to_string()),
        );
        if state.left[place] && !state.rounded[place] {
            bits += 1;
            differs.push("cut off, not rounded".to_string());
        }
        let measure = match summary {
            "" => measure.to_string(),
            summary => format!("{summary} of {measure}"),
        };
        FoundDefinition { place, value: self.means[place], others: 0, measure, bits, differs }
    }

    /// The options of a definition as they are written.
    pub fn options(&self, place: usize) -> String {
        written(&TRIED[self.definitions[place].options])
    }

    /// A definition as it is printed.
    fn text(&self, found: &FoundDefinition) -> String {
        match self.options(found.place) {
            options if options.is_empty() => found.measure.clone(),
            options => format!("{} ({options})", found.measure),
        }
    }

    /// What definitions are ordered by.
    fn simplicity(&self, found: &FoundDefinition) -> (u32, usize, String) {
        let text = self.text(found);
        (found.bits, text.chars().count(), text)
    }

    /// The definitions that are one, in the order in which they come.
    fn grouped(&self, places: &[usize], label: usize) -> Vec<FoundDefinition> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<usize, usize> = HashMap::new();
        for &place in places {
            let group = *known.entry(self.same[place]).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(place);
        }
        let simplest = |members: Vec<usize>| {
            let described = members.iter().map(|&place| self.described(place, label));
            let found = described.min_by_key(|found| self.simplicity(found))?;
            Some(FoundDefinition { others: members.len() - 1, ..found })
        };
        groups.into_iter().filter_map(simplest).collect()
    }

    /// The definitions that give the numbers of a label, the simplest first; if some options fit
    /// all labels, under these only.
    pub fn fitting(&self, label: usize) -> Vec<FoundDefinition> {
        let options = |state: &LabelState| -> BTreeSet<usize> {
            let left = self.definitions.iter().zip(&state.left).filter(|(_, left)| **left);
            left.map(|(definition, _)| definition.options).collect()
        };
        let shared = self.labels.iter().map(options).reduce(|a, b| &a & &b).unwrap_or_default();
        let left: Vec<usize> = (0..self.definitions.len())
            .filter(|&place| self.labels[label].left[place])
            .filter(|&p| shared.is_empty() || shared.contains(&self.definitions[p].options))
            .collect();
        let mut found = self.grouped(&left, label);
        found.sort_by_cached_key(|found| self.simplicity(found));
        found
    }

    /// The definitions whose values are nearest to the numbers of a label.
    pub fn nearest(&self, label: usize) -> Vec<FoundDefinition> {
        let off = &self.labels[label].off;
        let mut order: Vec<usize> = (0..off.len()).collect();
        order.sort_by(|&a, &b| off[a].total_cmp(&off[b]));
        order.truncate(NEAREST);
        self.grouped(&order, label)
    }

    /// The value of the measure that a label names, under the standard options.
    pub fn labelled(&self, label: usize) -> Option<f64> {
        let wanted = self.labels[label].label.as_ref()?.to_string();
        let is_it = |d: &TriedDefinition| {
            d.options == 0 && d.summary == 0 && self.measures[d.measure].0.to_string() == wanted
        };
        self.definitions.iter().rposition(is_it).map(|place| self.means[place])
    }

    /// The topic in which the values of some definitions that are left differ most, and these
    /// values, by the texts of the definitions.
    pub fn telling(&self, label: usize, texts: &[String]) -> Option<(usize, Vec<(String, f64)>)> {
        let mut chosen: Vec<(String, usize)> = Vec::new();
        let left = (0..self.definitions.len()).filter(|&place| self.labels[label].left[place]);
        for place in left {
            let text = self.text(&self.described(place, label));
            if texts.contains(&text) && chosen.iter().all(|(known, _)| *known != text) {
                chosen.push((text, place));
            }
        }
        if chosen.len() < 2 {
            return None;
        }
        let mut best: Option<(usize, f64)> = None;
        for (topic, row) in self.values.chunks(self.definitions.len()).enumerate() {
            let own = || chosen.iter().map(|(_, place)| row[*place]);
            let spread = own().fold(f64::MIN, f64::max) - own().fold(f64::MAX, f64::min);
            if best.is_none_or(|(_, most)| spread > most) {
                best = Some((topic, spread));
            }
        }
        let (topic, _) = best.filter(|(_, spread)| *spread > 1e-9)?;
        let row = &self.values[topic * self.definitions.len()..];
        Some((topic, chosen.into_iter().map(|(text, place)| (text, row[place])).collect()))
    }
}

impl LabelState {
    /// Keeps the definitions that give a number, whose values are `found`.
    fn keep(&mut self, found: &[f64], number: &PrintedNumber, distinct: f64) {
        let (value, half) = (number.value, number.half);
        let wide = (100.0 * half).max(0.01);
        let mut near: Vec<f64> = Vec::new();
        for (place, &own) in found.iter().enumerate() {
            let off = (own - value).abs();
            let fits = off <= half + SLACK;
            let is_cut = own - value > -SLACK && own - value < 2.0 * half - SLACK;
            self.left[place] &= fits || is_cut;
            self.rounded[place] &= fits;
            self.off[place] += off;
            if off <= wide {
                near.push(rounded(own));
            }
        }
        near.sort_by(f64::total_cmp);
        near.dedup();
        let own = (near.len() as f64 * half / wide).max(SLACK);
        self.chance = Some(self.chance.map_or(own, |before| before * own / distinct));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(text: &str) -> Measure {
        grammar::parse(text).unwrap()
    }

    #[test]
    fn measures_that_are_tried_can_be_parsed() {
        let found = measures(&[("1".to_string(), 1.0), ("2".to_string(), 2.0)]);
        for (text, _) in &found {
            measure(text);
        }
        let bits = |text: &str| found.iter().find(|(name, _)| name == text).map(|(_, bits)| *bits);
        assert_eq!(bits("P@10"), Some(3));
        assert_eq!(bits("P(rel=2)@7"), Some(8));
        assert_eq!(bits("AP'"), Some(4));
        assert_eq!(bits("MP"), None);
    }

    #[test]
    fn precision_has_few_values() {
        let label = measure("P@10");
        let said = |value, always| {
            let label = Some(&label);
            PrintedMean { text: "P@10", label, value, half: 0.00005, topics: 50 }.sentence(always)
        };
        assert_eq!(said(0.306, false), None);
        assert_eq!(said(0.306, true).unwrap(), "P@10 can be a mean over 50 topics.");
        let found = said(0.3067, false).unwrap();
        let start = "P@10 cannot be a mean of P@10 over 50 topics at all (multiples of 0.002)";
        assert!(found.starts_with(start), "{found}");
    }

    #[test]
    fn what_differs_from_a_label_is_said() {
        let said = |own: &str, label: &str| distance(&measure(own), &measure(label));
        assert_eq!(said("P@15", "P@10"), (4, vec!["cutoff 15 instead of cutoff 10".to_string()]));
        assert_eq!(said("AP'", "AP"), (3, vec!["condensed list".to_string()]));
        assert_eq!(said("AP(rel=2)", "AP"), (2, vec!["with rel=2".to_string()]));
        assert_eq!(said("RR", "AP"), (7, vec!["RR instead of AP".to_string()]));
    }

    #[test]
    fn definitions_with_the_same_values_are_one() {
        let measures = ["P@5", "P@10", "AP"].map(|text| (measure(text), 1)).to_vec();
        let definitions = (0..3).map(|measure| TriedDefinition { options: 0, measure, summary: 0 });
        let mut search = DefinitionSearch::new(measures, definitions.collect(), vec![None]);
        let number = PrintedNumber { label: 0, value: 0.25, half: 0.005, topic: None };
        search.look(vec![0.25, 0.25, 0.4], vec![0.1, 0.1, 0.2, 0.4, 0.4, 0.6], &[number]);
        let found = search.fitting(0);
        assert_eq!((found.len(), found[0].others, &*found[0].measure), (1, 1, "P@5"));
        assert_eq!(search.distinct(), 2);
    }
}
