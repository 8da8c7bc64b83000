//! Measures: what one is, and the list of all.
//!
//! A measure is a value: a [`Family`] with arguments. A family lives in one
//! file of this folder: its name, other spellings, parameters, prose, formula,
//! citation, examples worked by hand, and one pure function from a [`Case`] to
//! a number. The list at the end of this file is the registry; the grammar,
//! the command line, the Python names and the reference pages are made from
//! it. To add a measure, write one file and add its name to the list.
//!
//! A fold returns NaN where its definition is 0/0 because the topic has no
//! relevant document. What becomes of that is a policy, applied in
//! `scores.rs` and nowhere else.

mod families;

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::bytes::Again;
use crate::ideal::{Discount, Discounting, Ideal};
use crate::intents::Intents;
use crate::qrels::Topic;
use crate::sample::{Sample, whole};
use crate::trace::{Hit, Relevant, Trace, View};

pub use families::{FAMILIES, FILES, FORMS};

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Not given, and no default.
    None,
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// True or False.
    Flag(bool),
    /// Numbers for numbers: a gain map.
    Map(Vec<(f64, f64)>),
    /// A number of documents that may grow with R: a constant and how many
    /// times R comes on top; infinity is all.
    Documents(f64, f64),
}

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// A number above 0 and below 1.
    Inside01,
    /// A number from 0 to 1.
    Unit,
    /// A number above 0.
    Positive,
    /// Any number.
    Number,
    /// A number of at least 0.
    NonNegative,
    /// A number above 1.
    AboveOne,
    /// A whole number of at least 2.
    Points,
    /// A whole number of at least 1.
    Count,
    /// A whole number of at least 0 that a double holds.
    Whole,
    /// "all", or a number of documents that may grow with R, such as "10+R".
    Documents,
    /// True or False.
    Flag,
    /// The highest gain: of the collection, of the topic, or a number above 0.
    TopGain,
    /// One of these words.
    Words(&'static [&'static str]),
}

/// A parameter's default; it is not printed when it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// Nothing: the parameter may be left out.
    None,
    /// A number.
    Number(f64),
    /// A number that is printed all the same, since tools disagree on it.
    Printed(f64),
    /// A word.
    Text(&'static str),
    /// True or False.
    Flag(bool),
    /// A number of documents: a constant, and how many times R.
    Documents(f64, f64),
}

impl Default {
    /// The value that holds when none is given.
    pub fn value(self) -> Value {
        match self {
            Default::None => Value::None,
            Default::Number(n) | Default::Printed(n) => Value::Number(n),
            Default::Text(text) => Value::Text(text.to_string()),
            Default::Flag(flag) => Value::Flag(flag),
            Default::Documents(constant, times) => Value::Documents(constant, times),
        }
    }
}

/// A parameter of a family.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its key in the brackets.
    pub key: &'static str,
    /// Its default.
    pub default: Default,
    /// What it takes.
    pub range: Range,
    /// A parameter that loses its default when this one is given.
    pub replaces: Option<&'static str>,
    /// What it means, in one sentence.
    pub text: &'static str,
}

impl Param {
    /// A parameter without a default, to be refined.
    pub const fn new(key: &'static str, range: Range, text: &'static str) -> Self {
        Param { key, default: Default::None, range, replaces: None, text }
    }

    /// The same with a default.
    #[must_use]
    pub const fn or(mut self, default: Default) -> Self {
        self.default = default;
        self
    }

    /// The same, taking another parameter's place.
    #[must_use]
    pub const fn instead_of(mut self, key: &'static str) -> Self {
        self.replaces = Some(key);
        self
    }
}

/// Whether a family takes a cutoff after `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cutoff {
    /// None.
    None,
    /// A rank, or the whole list.
    Optional,
    /// A rank.
    Required,
    /// A recall level between 0 and 1.
    Recall,
}

/// What makes a document relevant for a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relevance {
    /// A grade of at least `rel`.
    Grade,
    /// A gain above 0.
    Gain,
}

/// What a family needs of the judgments beside grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// The stratum of each document.
    Strata,
    /// The stratum of each document, or its probability to be judged.
    Sample,
    /// Grades under each intent of a topic.
    Intents,
}

/// What a measure is computed over.
#[derive(Clone, Copy, Debug, std::default::Default, PartialEq, Eq)]
pub enum Over {
    /// Documents and their grades.
    #[default]
    Documents,
    /// Classes of documents that say the same: the first one counts.
    Classes,
    /// What documents gain under all intents of a topic.
    Global,
    /// The same, where an intent that wants one document is served once.
    Typed,
    /// Each intent by itself; the value is the mean over intents.
    Intents,
}

/// What the best possible list of a family is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Best {
    /// The judged documents.
    Judged,
    /// As many documents as the sample lets expect of each grade.
    Sampled,
    /// What a greedy choice makes of the documents, for the intents that are
    /// left: alpha, and the lowest grade that serves one.
    Greedy {
        /// The probability that a relevant document has served an intent.
        alpha: f64,
        /// The lowest grade of a relevant document.
        rel: f64,
    },
}

/// How the values of topics become one for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The arithmetic mean.
    Mean,
    /// The sum: counts.
    Sum,
    /// The geometric mean, each value at least 1e-5.
    Geometric,
    /// The mean weighted with what a topic's value is a share of: the share
    /// of all topics together.
    Pooled,
}

impl Aggregate {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::Mean => "mean",
            Aggregate::Sum => "sum",
            Aggregate::Geometric => "geometric",
            Aggregate::Pooled => "pooled",
        }
    }
}

/// Which values of a measure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The higher ones.
    Higher,
    /// The lower ones.
    Lower,
    /// Neither: it says something, but not how good a run is.
    Neither,
}

impl Better {
    /// Its name, if there is a direction.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Better::Higher => Some("higher"),
            Better::Lower => Some("lower"),
            Better::Neither => None,
        }
    }
}

/// How the value of a measure moves when documents are judged better: what its
/// exact bounds under missing judgments rest on (`bounds.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// A better grade never lowers the value, and no total enters it: all
    /// worst and all best are the extremes.
    Monotone,
    /// With the same new grades, the best first is highest and the best last
    /// is lowest (or the other way round).
    Sorted,
    /// As `Sorted`, if there is only one gain above 0.
    SortedIfBinary,
    /// The share of the relevant documents that is among the first.
    Share,
    /// A sum over the steps of gain, divided by a sum over the same steps.
    Steps {
        /// What a step sums over the documents that reach it.
        weight: Weight,
        /// Whether the divisor looks at the first k documents only.
        cut: bool,
    },
    /// As `Sorted`, over pooled documents only, but for the smoothing.
    Pooled,
    /// No exact method is known, and why.
    Refused(&'static str),
}

/// What a step of gain sums over the documents that reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The discounts of their ranks.
    Discount,
    /// The precisions at their ranks.
    Precision,
}

/// What the orders of documents with equal scores do to a measure: what its mean
/// and its extremes over them rest on (`ties`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ties {
    /// How the mean over all orders is worked out; no exact way is known if
    /// `None`.
    pub mean: Option<Mean>,
    /// Which orders are extreme; not known if `None`.
    pub extremes: Option<Extremes>,
}

/// How the mean over all orders of a group of equal scores is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mean {
    /// A sum over documents of something that depends on the document and its
    /// rank: the mean over the rotations of a group is that over its orders.
    Rotations,
    /// A sum over pairs of documents that looks at which stands above: the mean
    /// of an order and its reverse.
    Reversal,
    /// A sum over relevant documents, each by itself, of what is seen above it.
    Each(Looks),
    /// A sum over relevant documents that is linear in the shares of the
    /// classes of documents above each.
    Shares {
        /// Whether only judged documents count as being above.
        judged: bool,
    },
    /// The expected utility of a user who stops at a document with a
    /// probability that is its gain.
    Cascade,
    /// It depends on the first relevant document alone.
    First,
}

/// What of a relevant document's surroundings enters its share of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Looks {
    /// Its rank.
    pub rank: bool,
    /// How many relevant documents are above.
    pub seen: bool,
    /// How many documents judged not relevant are above.
    pub nonrelevant: bool,
    /// How many pooled documents are above.
    pub pooled: bool,
}

impl Looks {
    /// At nothing.
    pub const NOWHERE: Looks =
        Looks { rank: false, seen: false, nonrelevant: false, pooled: false };
    /// At the documents above that are judged not relevant.
    pub const NONRELEVANT: Looks = Looks { nonrelevant: true, ..Looks::NOWHERE };
}

/// Which orders of a group of equal scores give the lowest and the highest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extremes {
    /// The highest gains first, and documents judged not relevant last; and
    /// the other way round.
    Gain,
    /// The judged documents first, and last.
    Judged,
}

impl Ties {
    /// Nothing is known.
    pub const UNKNOWN: Ties = Ties { mean: None, extremes: None };

    /// A sum over documents by rank, highest with the highest gains first.
    pub const SUM: Ties = Ties { mean: Some(Mean::Rotations), extremes: Some(Extremes::Gain) };

    /// Highest with the highest gains first.
    pub const fn sorted(mean: Mean) -> Ties {
        Ties { mean: Some(mean), extremes: Some(Extremes::Gain) }
    }

    /// Highest with the highest gains first; the mean is not known.
    pub const SORTED: Ties = Ties { mean: None, extremes: Some(Extremes::Gain) };
}

/// An example worked by hand, checked by a test.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The measure, as one writes it.
    pub measure: &'static str,
    /// Judgments: `document=grade`, separated by spaces.
    pub judgments: &'static str,
    /// Retrieved documents, best first.
    pub list: &'static str,
    /// The value.
    pub value: f64,
    /// The arithmetic.
    pub working: &'static str,
}

/// Another program that computes the measure.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The program, by the name that its users know.
    pub tool: &'static str,
    /// What the measure is called there.
    pub spelling: &'static str,
    /// How its values differ from ours; empty when they agree.
    pub difference: &'static str,
}

/// What a relevant document adds to the value of a measure.
pub type Term = fn(&Measure, &Case, &Relevant) -> f64;

/// A kind of measure: everything about it that is not an argument.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a record of independent facts")]
pub struct Family {
    /// The name that its paper prints.
    pub name: &'static str,
    /// Other spellings that mean the same.
    pub aliases: &'static [&'static str],
    /// The heading that it stands under in the reference.
    pub group: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What it measures, and where tools differ.
    pub prose: &'static str,
    /// The definition in plain notation.
    pub formula: &'static str,
    /// Who defined it where.
    pub citation: &'static str,
    /// Its own parameters.
    pub params: &'static [Param],
    /// Its cutoff.
    pub cutoff: Cutoff,
    /// Whether the condensed list makes sense.
    pub prime: bool,
    /// Whether it takes `rel=`.
    pub takes_rel: bool,
    /// Whether it takes `gain=`.
    pub takes_gain: bool,
    /// How topics become a run.
    pub aggregate: Aggregate,
    /// What a topic's value is a share of, where the aggregate is pooled.
    pub weight: fn(&Measure, &Case) -> f64,
    /// The values that it can take.
    pub range: &'static str,
    /// Which values are better, under given arguments; what a measure is
    /// computed over can change it (`Measure::better`).
    pub better: fn(&Measure) -> Better,
    /// Whether it counts grades or gains, under given arguments.
    pub relevance: fn(&Measure) -> Relevance,
    /// A grade's gain, after `gain=`; the second number is that gain, the
    /// third the collection's highest.
    pub gain: fn(&Measure, f64, f64) -> f64,
    /// The highest gain that its arguments declare, if they do: a grade above
    /// it is an error.
    pub declared_top: fn(&Measure) -> Option<f64>,
    /// The discount of the ranks, for measures that have one.
    pub discount: fn(&Measure) -> Discounting,
    /// What it needs of the judgments beside grades.
    pub needs: Needs,
    /// What it is computed over, where its name says no more.
    pub over: Over,
    /// What its best possible list is made of.
    pub best: fn(&Measure) -> Best,
    /// What is still missing before the measure can be computed.
    pub check: fn(&Measure) -> Result<(), String>,
    /// Whether it needs the number of documents in the collection, under given
    /// arguments.
    pub needs_collection: fn(&Measure) -> bool,
    /// Whether it looks at the judged documents that are not relevant one by
    /// one, and not only at how many there are.
    pub needs_trace: bool,
    /// Down to which rank it looks at documents that the judgments do not know.
    pub strangers: fn(&Measure) -> u32,
    /// Whether it asks which documents the judgments of any topic name.
    pub needs_named: bool,
    /// How far down a list that is not condensed it looks: documents below
    /// cannot change its value, only their number can.
    pub reach: fn(&Measure) -> u32,
    /// What its bounds under missing judgments rest on.
    pub bounds: fn(&Measure) -> Bounds,
    /// What the orders of documents with equal scores do to it.
    pub ties: fn(&Measure) -> Ties,
    /// The fold.
    pub score: fn(&Measure, &Case) -> f64,
    /// What a relevant document down to the cutoff adds to the value, where the
    /// value is the sum of what they add.
    pub term: Option<Term>,
    /// Who else computes it.
    pub peers: &'static [Peer],
    /// At least one example.
    pub examples: &'static [Example],
}

impl Family {
    /// What most families have; a family states only how it differs.
    pub const BASE: Family = Family {
        name: "",
        aliases: &[],
        group: "",
        summary: "",
        prose: "",
        formula: "",
        citation: "",
        params: &[],
        cutoff: Cutoff::None,
        prime: true,
        takes_rel: true,
        takes_gain: false,
        aggregate: Aggregate::Mean,
        weight: |_, _| 1.0,
        range: "[0, 1]",
        better: |_| Better::Higher,
        relevance: |_| Relevance::Grade,
        gain: |_, gain, _| gain,
        declared_top: |_| None,
        discount: |_| Discounting::Log2,
        needs: Needs::Nothing,
        over: Over::Documents,
        best: |_| Best::Judged,
        check: |_| Ok(()),
        needs_collection: |_| false,
        needs_trace: false,
        strangers: |_| 0,
        needs_named: false,
        reach: |_| u32::MAX,
        bounds: |_| Bounds::Refused("no exact method is known"),
        ties: |_| Ties::UNKNOWN,
        score: |_, _| f64::NAN,
        term: None,
        peers: &[],
        examples: &[],
    };

    /// The reach of what the documents above the cutoff settle.
    pub const CUTOFF: fn(&Measure) -> u32 = Measure::depth;

    /// What graded families have: no relevance level, but gains.
    pub const GRADED: Family = Family {
        takes_rel: false,
        takes_gain: true,
        relevance: |_| Relevance::Gain,
        ..Family::BASE
    };
}

/// How grades become gains before a family's own rule.
#[derive(Clone, Debug, std::default::Default, PartialEq)]
pub enum Gain {
    /// The grade itself.
    #[default]
    Grade,
    /// 1 for every grade above 0.
    Binary,
    /// A map; grades that it does not list keep their own value.
    Map(Vec<(f64, f64)>),
}

/// A measure: a family with arguments.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The family.
    pub family: &'static Family,
    /// A value for each of the family's parameters, defaults filled in.
    pub values: Vec<Value>,
    /// The gain map.
    pub gain: Gain,
    /// The lowest grade that counts as relevant.
    pub rel: f64,
    /// Whether somebody named that grade, be it the default; no part of what the
    /// measure is.
    pub rel_given: bool,
    /// Whether the list is condensed.
    pub prime: bool,
    /// The rank, or the recall level, after `@`.
    pub cutoff: Option<f64>,
    /// What it is computed over.
    pub over: Over,
    /// Over intents: how much their recall counts beside the value; 0 without
    /// a `#` in the name.
    pub sharp: f64,
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.family, other.family)
            && self.values == other.values
            && self.gain == other.gain
            && self.rel == other.rel
            && self.prime == other.prime
            && self.cutoff == other.cutoff
            && self.over == other.over
            && self.sharp == other.sharp
    }
}

impl Measure {
    /// A family with its defaults.
    pub fn of(family: &'static Family) -> Self {
        let values = family.params.iter().map(|param| param.default.value()).collect();
        Measure {
            family,
            values,
            gain: Gain::Grade,
            rel: 1.0,
            rel_given: false,
            prime: false,
            cutoff: None,
            over: family.over,
            sharp: 0.0,
        }
    }

    /// Whether a document is relevant to it by its grade, which `rel` decides.
    pub fn rel_decides(&self) -> bool {
        self.family.takes_rel && (self.family.relevance)(self) == Relevance::Grade
    }

    /// A parameter's value; the key is one of the family's.
    pub fn value(&self, key: &str) -> &Value {
        let position = self.family.params.iter().position(|param| param.key == key);
        position.and_then(|i| self.values.get(i)).unwrap_or(&Value::None)
    }

    /// A parameter that is a number, if it is given.
    #[inline]
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.value(key) {
            Value::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// Whether a parameter is a certain word.
    #[inline]
    pub fn is(&self, key: &str, word: &str) -> bool {
        matches!(self.value(key), Value::Text(text) if text == word)
    }

    /// The cutoff as a rank; past every list when there is none.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.cutoff.map_or(u32::MAX, |k| k as u32)
    }

    /// Which values are better.
    pub fn better(&self) -> Better {
        match (self.family.better)(self) {
            // Its part that is the recall of intents is better when it is higher.
            Better::Lower if self.sharp > 0.0 => Better::Neither,
            better => better,
        }
    }

    /// The gain of a grade under the gain map alone.
    pub fn mapped(&self, grade: f64) -> f64 {
        match &self.gain {
            Gain::Grade => grade.max(0.0),
            Gain::Binary => f64::from(u8::from(grade > 0.0)),
            Gain::Map(map) => {
                map.iter().find(|(from, _)| *from == grade).map_or(grade.max(0.0), |&(_, to)| to)
            }
        }
    }
}

/// What a fold sees: one topic's list through the measure's lens, and what
/// the judgments say of the topic.
pub struct Case<'a> {
    /// The list and its relevant documents.
    pub view: &'a View,
    /// All documents of the list that the judgments know.
    pub trace: &'a Trace,
    /// Whether the list is condensed.
    pub condensed: bool,
    /// The gain of each level.
    pub gains: &'a [f64],
    /// The highest gain of the collection, before the family's own rule.
    pub top_gain: f64,
    /// Which levels are relevant.
    pub relevant: &'a [bool],
    /// The topic's judgments.
    pub topic: &'a Topic,
    /// Ranks and numbers of the documents of the list that the judgments know.
    pub hits: &'a [(u32, u32)],
    /// The lasting hashes of all documents that the judgments of any topic name,
    /// if a measure asks for them.
    pub named: Option<&'a HashSet<u64, Again>>,
    /// What the sample says of the pool, if the family needs one.
    pub sample: &'a Sample,
    /// What the best possible list is made of.
    pub best: &'a Best,
    /// What levels count as judged.
    pub is_judged: &'a [bool],
    /// Where the topic's best possible list is kept once somebody asked.
    pub kept_ideal: &'a OnceLock<Ideal>,
    /// Where it is kept how many documents serve each intent, once somebody
    /// asked.
    pub kept_served: &'a OnceLock<Box<[u32]>>,
    /// The discount of the ranks.
    pub discount: &'a Discount,
    /// How many documents the collection has.
    pub docs_in_collection: Option<u64>,
    /// What documents cost to read, if the judgments say so; NaN where they
    /// do not.
    pub costs: Option<&'a [f64]>,
    /// Whether the list is scored for an intent that wants one document.
    pub navigational: bool,
}

impl Case<'_> {
    /// R, the number of documents judged relevant.
    #[inline]
    pub fn num_rel(&self) -> f64 {
        f64::from(self.view.num_rel)
    }

    /// N, the number of documents judged and not relevant.
    #[inline]
    pub fn num_nonrel(&self) -> f64 {
        f64::from(self.view.num_nonrel)
    }

    /// The length of the list.
    #[inline]
    pub fn retrieved(&self) -> u32 {
        self.view.retrieved
    }

    /// The relevant documents among the first `k`.
    #[inline]
    pub fn relevant(&self, k: u32) -> &[Relevant] {
        let all = &self.view.relevant;
        if k >= self.view.retrieved {
            return all;
        }
        &all[..all.partition_point(|document| document.rank <= k)]
    }

    /// The number of relevant documents among the first `k`.
    #[inline]
    pub fn hits(&self, k: u32) -> f64 {
        self.relevant(k).len() as f64
    }

    /// The gain of a relevant document.
    #[inline]
    pub fn gain(&self, document: &Relevant) -> f64 {
        self.gains[document.level as usize]
    }

    /// The best possible list, made at the first call for the topic and shared
    /// by all runs and threads.
    pub fn ideal(&self) -> &Ideal {
        self.kept_ideal.get_or_init(|| {
            let gain = |level: u32| self.gains[level as usize];
            match self.best {
                Best::Judged => {
                    let counts = self.topic.counts().iter();
                    Ideal::new(counts.map(|&(level, n)| (gain(level), n)), self.discount)
                }
                Best::Sampled => {
                    let counts = self.sample.counts().iter();
                    Ideal::new(counts.map(|&(level, n)| (gain(level), whole(n))), self.discount)
                }
                Best::Greedy { alpha, rel } => {
                    let docs = self.topic.docs();
                    let documents =
                        self.judged_documents().map(|number| (number, docs.key(number)));
                    Ideal::in_order(self.intents().greedy(documents, *alpha, *rel), self.discount)
                }
            }
        })
    }

    /// The documents among the first `k` that the judgments know, for measures
    /// that look them up in the columns; on a condensed list the judged ones.
    pub fn known(&self, k: u32) -> impl Iterator<Item = Known> {
        let levels = self.topic.levels();
        let numbers = self.hits.iter().map(|&(_, number)| number);
        // The trace leaves out what these judgments do not list.
        let numbers = numbers.filter(|&number| levels.get(number).is_some());
        let condensed = self.condensed;
        let known =
            numbers.zip(&self.trace.hits).filter(move |(_, hit)| !condensed || hit.condensed > 0);
        known
            .map(move |(number, hit)| Known {
                rank: if condensed { hit.condensed } else { hit.rank },
                number: number as usize,
                level: hit.level,
                judged: hit.condensed > 0,
            })
            .take_while(move |document| document.rank <= k)
    }

    /// The grades of the documents under each intent.
    pub fn intents(&self) -> &Intents {
        self.topic.intents()
    }

    /// How many judged documents, retrieved or not, are relevant under each
    /// intent at the measure's level: counted at the first call for the topic
    /// and shared by all runs and threads.
    pub fn served(&self, measure: &Measure) -> &[u32] {
        let count = || self.intents().counts(self.judged_documents(), measure.rel).into();
        self.kept_served.get_or_init(count)
    }

    /// The numbers of the judged documents, retrieved or not.
    pub fn judged_documents(&self) -> impl Iterator<Item = u32> {
        let judged = |level: u32| self.is_judged[level as usize];
        self.topic
            .levels()
            .listed()
            .filter(move |&(_, level)| judged(level))
            .map(|(number, _)| number)
    }

    /// The numbers of the judged documents among the first `k`.
    pub fn first_judged(&self, k: u32) -> impl Iterator<Item = u32> {
        self.known(k).filter(|known| known.judged).map(|known| known.number as u32)
    }

    /// Whether the documents of a level are relevant.
    pub fn is_relevant(&self, level: usize) -> bool {
        self.relevant[level]
    }

    /// The judged documents among the first `k`, with their ranks.
    pub fn judged(&self, k: u32) -> impl Iterator<Item = (u32, &Hit)> {
        let judged = self.trace.hits.iter().filter(|hit| hit.condensed > 0);
        let condensed = self.condensed;
        judged
            .map(move |hit| (if condensed { hit.condensed } else { hit.rank }, hit))
            .take_while(move |&(rank, _)| rank <= k)
    }
}

/// A document of the list that the judgments know.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its rank in the list, from 1.
    pub rank: u32,
    /// Its number in the topic's table.
    pub number: usize,
    /// The level of its grade.
    pub level: u32,
    /// Whether it was judged, and not only pooled.
    pub judged: bool,
}
