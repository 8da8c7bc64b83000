//! Families, and measures: families with arguments.

use super::case::{Best, Case};
use super::laws::{Aggregate, Better, Bounds, Falls, Ties};
use super::param::{
    Budgets, COVER, CREDIT, Cutoff, Default, FIT, Param, REPEATS, REPEATS_SKIPPED, TEXT_UNIT,
    WITHIN,
};
use super::running::RunningSum;
use super::value::{Gain, Value};
use crate::costs::Budget;
use crate::ideal::Discounting;
use crate::trace::Relevant;

/// A kind of measure: everything about it that is not an argument.
///
/// Each part has to be given. [`About`] has no defaults; the parts that have
/// some name them: `..Takes::NONE`, `..Sees::GRADES` or `..Sees::GAINS`,
/// `..Laws::UNKNOWN`.
#[derive(Debug)]
pub struct Family {
    /// What people read about it.
    pub about: About,
    /// What it takes as arguments.
    pub takes: Takes,
    /// What it looks at in the judgments and the list.
    pub sees: Sees,
    /// What is known of its values.
    pub laws: Laws,
    /// The fold.
    pub score: fn(&Measure, &Case) -> f64,
    /// Who else computes it.
    pub peers: &'static [Peer],
    /// At least one example.
    pub examples: &'static [Example],
}

/// What people read about a family.
///
/// ```
/// use cranfield_core::measure::{About, Better};
///
/// let about = About {
///     name: "PJ",
///     aliases: &[],
///     group: "binary ranks",
///     summary: "The share of the judged documents among the first k that is relevant.",
///     prose: "Unjudged documents are left out of the divisor.",
///     formula: "PJ@k = c(k) / j(k)",
///     citation: "an example",
///     range: "[0, 1]",
///     better: |_| Better::Higher,
/// };
/// ```
///
/// A text that is left out does not compile:
///
/// ```compile_fail,E0063
/// use cranfield_core::measure::{About, Better};
///
/// let about = About {
///     name: "PJ",
///     aliases: &[],
///     group: "binary ranks",
///     prose: "Unjudged documents are left out of the divisor.",
///     formula: "PJ@k = c(k) / j(k)",
///     citation: "an example",
///     range: "[0, 1]",
///     better: |_| Better::Higher,
/// };
/// ```
#[derive(Debug)]
pub struct About {
    /// The name that its paper prints.
    pub name: &'static str,
    /// Other spellings that mean the same. Those with a space are how people say it: searches
    /// find them, and no list of measures can have them.
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
    /// The values that it can take.
    pub range: &'static str,
    /// Which values are better, under given arguments; what a measure is
    /// computed over can change it ([`Measure::better`]).
    pub better: fn(&Measure) -> Better,
}

/// What a family takes as arguments. Whether it takes `rel=` or `gain=` follows
/// from [`Relevance`].
#[derive(Debug)]
pub struct Takes {
    /// Its own parameters.
    pub params: &'static [Param],
    /// Its cutoff.
    pub cutoff: Cutoff,
    /// Whether a budget can be its cutoff.
    pub budget: Budgets,
    /// Whether the condensed list makes sense.
    pub prime: bool,
    /// What is still missing before the measure can be computed.
    pub check: fn(&Measure) -> Result<(), String>,
}

impl Takes {
    /// No parameter and no cutoff.
    pub const NONE: Takes = Takes {
        params: &[],
        cutoff: Cutoff::None,
        budget: Budgets::Refused,
        prime: true,
        check: |_| Ok(()),
    };
}

/// What a family looks at in the judgments and the list.
#[derive(Debug)]
pub struct Sees {
    /// What makes a document relevant.
    pub relevance: Relevance,
    /// A grade's gain, after `gain=`; the second number is that gain, the
    /// third the collection's highest.
    pub gain: fn(&Measure, f64, f64) -> f64,
    /// The parameter that declares the highest gain, if it has one: a grade above
    /// it is an error.
    pub declared_top: Option<Param>,
    /// The same measure of gains as they are, if under its arguments it raises
    /// 2 to the power of a gain.
    pub linear: fn(&Measure) -> Option<Measure>,
    /// The discount of the ranks, for measures that have one.
    pub discount: fn(&Measure) -> Discounting,
    /// What its best possible list is made of.
    pub best: fn(&Measure) -> Best,
    /// What it needs of the judgments besides grades.
    pub needs: Needs,
    /// What it is computed over, where its name says no more.
    pub over: Over,
    /// Whether it needs the number of documents in the collection, under given
    /// arguments.
    pub collection: fn(&Measure) -> bool,
    /// What it sees of documents that are judged not relevant.
    pub nonrelevant: Nonrelevant,
    /// What it sees of documents that the topic's judgments do not list.
    pub unjudged_docs: UnjudgedDocs,
    /// Whether it changes with what is judged not relevant, or pooled, outside
    /// of the list.
    pub beyond_list: bool,
    /// How far down a list that is not condensed it looks: documents below
    /// cannot change its value, only their number can.
    pub reach: fn(&Measure) -> u32,
}

impl Sees {
    /// Which documents are relevant by their grades, down the whole list.
    pub const GRADES: Sees = Sees {
        relevance: Relevance::Grade,
        gain: |_, gain, _| gain,
        declared_top: None,
        linear: |_| None,
        discount: |_| Discounting::Log2,
        best: |_| Best::Judged,
        needs: Needs::Nothing,
        over: Over::Documents,
        collection: |_| false,
        nonrelevant: Nonrelevant::Ranks,
        unjudged_docs: UnjudgedDocs::Ranks,
        beyond_list: false,
        reach: |_| u32::MAX,
    };

    /// What documents gain, down the whole list.
    pub const GAINS: Sees = Sees { relevance: Relevance::Gain, ..Sees::GRADES };
}

/// What is known of the values of a family.
#[derive(Debug)]
pub struct Laws {
    /// How topics become a run.
    pub aggregate: Aggregation,
    /// What its bounds under missing judgments rest on.
    pub bounds: fn(&Measure) -> Bounds,
    /// How slowly it falls when documents become relevant that gain this much; not known if
    /// `None`. Bounds are found faster by it, and are the same.
    pub falls: fn(&Measure, f64) -> Option<Falls>,
    /// What the bounds of the difference of two lists rest on.
    pub contrast: fn(&Measure) -> Contrast,
    /// What the orders of documents with equal scores do to it.
    pub ties: fn(&Measure) -> Ties,
    /// What a relevant document down to the cutoff adds to the value, where the
    /// value is the sum of what they add.
    pub term: Option<Term>,
    /// The value as a sum down the list, where a document adds what the documents above it let
    /// it add; those whose mean over equal scores is one of shares have it.
    pub running: Option<Running>,
}

impl Laws {
    /// A mean over topics of which nothing else is known.
    pub const UNKNOWN: Laws = Laws {
        aggregate: Aggregation::Mean,
        bounds: |_| Bounds::Refused("no exact method is known"),
        falls: |_, _| None,
        contrast: |_| Contrast::Unknown,
        ties: |_| Ties::UNKNOWN,
        term: None,
        running: None,
    };
}

/// What a value is made of, as far as the bounds of the difference of two lists rest on it
/// (`bounds/pair`). Documents below the cutoff weigh nothing.
#[derive(Clone, Copy, Debug)]
pub enum Contrast {
    /// The sum of gain x weight of the rank.
    Sum(RankWeight),
    /// That sum, divided by the same sum down the best possible list.
    Ratio {
        /// The weight of a rank.
        weight: RankWeight,
        /// Whether the best possible list ends at the cutoff, too.
        cut: bool,
    },
    /// The weight of the first relevant document's rank; weights fall with the rank.
    First(RankWeight),
    /// The share of relevant documents among the first ones, whose number follows from R.
    Head(fn(&Measure, &Case) -> u32),
    /// The sum of the precisions at the ranks of relevant documents, divided by R, or by the
    /// cutoff where that is less.
    Precisions {
        /// Whether the divisor is the cutoff at most.
        cut: bool,
    },
    /// Nothing is known.
    Unknown,
}

/// The weight of a rank (from 1).
pub type RankWeight = fn(&Measure, &Case, u32) -> f64;

/// What a relevant document adds to the value of a measure.
pub type Term = fn(&Measure, &Case, &Relevant) -> f64;

/// The value of a measure as a sum, on a list of which nothing was passed.
pub type Running = for<'a> fn(&'a Measure, &'a Case<'a>) -> Box<dyn RunningSum + 'a>;

/// How the values of topics become one for the run.
#[derive(Clone, Copy, Debug)]
pub enum Aggregation {
    /// The arithmetic mean.
    Mean,
    /// The sum: counts.
    Sum,
    /// The geometric mean, each value at least 1e-5.
    Geometric,
    /// The mean weighted with this, which a topic's value is a share of: the
    /// share of all topics together.
    Pooled(fn(&Measure, &Case) -> f64),
}

impl Aggregation {
    /// The same without the weights.
    pub fn kind(self) -> Aggregate {
        match self {
            Aggregation::Mean => Aggregate::Mean,
            Aggregation::Sum => Aggregate::Sum,
            Aggregation::Geometric => Aggregate::Geometric,
            Aggregation::Pooled(_) => Aggregate::Pooled,
        }
    }
}

/// What makes a document relevant for a measure, and by which argument that is
/// chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relevance {
    /// A grade of at least `rel`.
    Grade,
    /// A gain above 0, by `gain`.
    Gain,
    /// A grade of at least `rel`, or a gain above 0 if the arguments declare
    /// the highest one ([`Sees::declared_top`]).
    GradeUnlessDeclared,
    /// A grade above 0, which changes nothing: it takes neither argument.
    Unused,
}

/// What a measure sees of documents that are judged not relevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonrelevant {
    /// That they take up ranks, and how many there are.
    Ranks,
    /// How many stand above relevant ones: a preference needs both.
    Compared,
    /// Each by itself, where it stands.
    Each,
}

/// What a measure sees of documents that the topic's judgments do not list.
#[derive(Clone, Copy, Debug)]
pub enum UnjudgedDocs {
    /// That they take up ranks.
    Ranks,
    /// Which ones they are, down to a rank.
    Identified(fn(&Measure) -> u32),
    /// Which ones they are, down to a rank, and whether the judgments of
    /// another topic list them.
    LookedUp(fn(&Measure) -> u32),
}

/// What a family needs of the judgments besides grades.
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
    /// Characters of text that is read.
    Characters,
    /// Pieces of evidence in text.
    Spans,
}

impl Over {
    /// Whether it is about parts of documents.
    pub fn is_of_text(self) -> bool {
        matches!(self, Over::Characters | Over::Spans)
    }

    /// The families that have a form over parts of documents; none if that is not what it is.
    pub fn families(self) -> &'static [&'static str] {
        match self {
            Over::Characters => &[
                "R", "P", "SetP", "SetR", "SetF", "IoU", "AP", "IPrec", "IAP", "Rprec", "Success",
                "nDCG", "U",
            ],
            Over::Spans => &["R", "Success", "RR", "AllRecall", "CG", "DCG", "nDCG"],
            _ => &[],
        }
    }

    /// What a family takes there besides its own parameters.
    fn params(self, family: &str) -> &'static [Param] {
        match (self, family) {
            (Over::Characters, "nDCG") => &[REPEATS, FIT, TEXT_UNIT],
            (Over::Characters, "IoU") => &[REPEATS_SKIPPED, FIT],
            (Over::Characters, _) => &[REPEATS, FIT],
            (Over::Spans, "R" | "CG" | "DCG" | "nDCG") => &[COVER, WITHIN, FIT, CREDIT],
            (Over::Spans, _) => &[COVER, WITHIN, FIT],
            _ => &[],
        }
    }
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
    /// The measure here that it is, where that is not the family with the cutoff or the arguments
    /// of the spelling. What else maps names of programs to measures asks this.
    pub here: Option<&'static str>,
    /// How its values differ from the family's; empty when they agree, or when `here` says it all.
    pub difference: &'static str,
}

impl Peer {
    /// A program that has the family under this name, with the same values.
    pub const fn new(tool: &'static str, spelling: &'static str) -> Self {
        Peer { tool, spelling, here: None, difference: "" }
    }

    /// The same, where the name is this measure here.
    #[must_use]
    pub const fn is(mut self, here: &'static str) -> Self {
        self.here = Some(here);
        self
    }

    /// The same, where values differ in this.
    #[must_use]
    pub const fn but(mut self, difference: &'static str) -> Self {
        self.difference = difference;
        self
    }

    /// How its values differ, and which measure here has them; empty when they agree.
    pub fn said(&self) -> String {
        match (self.here, self.difference) {
            (None, difference) => difference.to_string(),
            (Some(here), "") => format!("is {here} here"),
            (Some(here), difference) => format!("{difference}: is {here} here"),
        }
    }

    /// Whether nothing but its name differs from the measure that `here`, or else the family, is.
    pub fn agrees(&self) -> bool {
        self.difference.is_empty()
    }
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
    /// Whether that grade was written, be it the default; no part of what the
    /// measure is.
    pub rel_given: bool,
    /// Whether the list is condensed.
    pub prime: bool,
    /// The rank, or the recall level, after `@`.
    pub cutoff: Option<f64>,
    /// The budget after `@`, in place of a rank.
    pub budget: Option<Budget>,
    /// What it is computed over.
    pub over: Over,
    /// Over intents: how much their recall counts relative to the value; 0 without
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
            && self.budget == other.budget
            && self.over == other.over
            && self.sharp == other.sharp
    }
}

impl Family {
    /// Whether it estimates what full judging of a pool would give from a sample of it.
    pub fn estimates(&self) -> bool {
        self.about.group == "estimates"
    }

    /// Whether it takes `rel=`.
    pub fn takes_rel(&self) -> bool {
        matches!(self.sees.relevance, Relevance::Grade | Relevance::GradeUnlessDeclared)
    }

    /// Whether it takes `gain=`.
    pub fn takes_gain(&self) -> bool {
        self.sees.relevance == Relevance::Gain
    }
}

impl Measure {
    /// A family with its defaults.
    pub fn of(family: &'static Family) -> Self {
        let values = family.takes.params.iter().map(|param| param.default.value()).collect();
        Measure {
            family,
            values,
            gain: Gain::Grade,
            rel: 1.0,
            rel_given: false,
            prime: false,
            cutoff: None,
            budget: None,
            over: family.sees.over,
            sharp: 0.0,
        }
    }

    /// The same over something else.
    #[must_use]
    pub fn with_over(mut self, over: Over, sharp: f64) -> Self {
        (self.over, self.sharp) = (over, sharp);
        self.values.truncate(self.family.takes.params.len());
        let own = over.params(self.family.about.name).iter();
        self.values.extend(own.map(|param| param.default.value()));
        self
    }

    /// What it takes: the parameters of its family, and those of what it is computed over.
    pub fn params(&self) -> impl Iterator<Item = &'static Param> + use<> {
        let own = self.over.params(self.family.about.name);
        self.family.takes.params.iter().chain(own)
    }

    /// Whether a document is relevant to it by its grade, which `rel` decides.
    pub fn rel_decides(&self) -> bool {
        self.family.takes_rel() && !self.counts_gains()
    }

    /// Whether a document is relevant to it by its gain.
    pub fn counts_gains(&self) -> bool {
        match self.family.sees.relevance {
            Relevance::Grade | Relevance::Unused => false,
            Relevance::Gain => true,
            Relevance::GradeUnlessDeclared => self.declared_top().is_some(),
        }
    }

    /// The highest gain that its arguments declare, if they do.
    pub fn declared_top(&self) -> Option<f64> {
        self.given(self.family.sees.declared_top?)
    }

    /// Whether it needs the number of documents in the collection.
    pub fn needs_collection(&self) -> bool {
        (self.family.sees.collection)(self)
    }

    /// Down to which rank it asks which documents those are that the topic's
    /// judgments do not list.
    pub fn unjudged_depth(&self) -> u32 {
        match self.family.sees.unjudged_docs {
            UnjudgedDocs::Ranks => 0,
            UnjudgedDocs::Identified(depth) | UnjudgedDocs::LookedUp(depth) => depth(self),
        }
    }

    /// The same measure of gains as they are, if it raises 2 to the power of a
    /// gain.
    pub fn linear(&self) -> Option<Measure> {
        (self.family.sees.linear)(self)
    }

    /// How the values of topics become one for the run.
    pub fn aggregate(&self) -> Aggregate {
        self.family.laws.aggregate.kind()
    }

    /// What a topic counts in a pooled aggregate; 1 in any other.
    pub fn weight(&self, case: &Case) -> f64 {
        match self.family.laws.aggregate {
            Aggregation::Pooled(weight) => weight(self, case),
            Aggregation::Mean | Aggregation::Sum | Aggregation::Geometric => 1.0,
        }
    }

    /// What its bounds under missing judgments rest on.
    pub fn bounds(&self) -> Bounds {
        (self.family.laws.bounds)(self)
    }

    /// What the bounds of the difference of two lists rest on; nothing is known of condensed ones,
    /// whose ranks change with the judgments, and of those that end with a budget.
    pub fn contrast(&self) -> Contrast {
        if self.prime || self.budget.is_some() {
            return Contrast::Unknown;
        }
        (self.family.laws.contrast)(self)
    }

    /// What the orders of documents with equal scores do to it.
    pub fn ties(&self) -> Ties {
        (self.family.laws.ties)(self)
    }

    /// Its value of a topic.
    pub fn score(&self, case: &Case) -> f64 {
        (self.family.score)(self, case)
    }

    /// A parameter's value; the key is one of the family's.
    pub fn value(&self, key: &str) -> &Value {
        let own = self.family.takes.params.iter().position(|param| param.key == key);
        let position = own.or_else(|| self.params().position(|param| param.key == key));
        position.and_then(|i| self.values.get(i)).unwrap_or(&Value::None)
    }

    /// A parameter that is a number, if it is given or has a default.
    #[inline]
    pub fn given(&self, param: Param) -> Option<f64> {
        match self.value(param.key) {
            Value::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// A parameter whose default is a number: what is given, or that default.
    #[inline]
    pub fn get(&self, param: Param) -> f64 {
        self.given(param).unwrap_or_else(|| match param.default {
            Default::Number(n) | Default::Printed(n) => n,
            _ => unreachable!("{} has no number for a default", param.key),
        })
    }

    /// A parameter whose default is a word: what is given, or that default.
    #[inline]
    pub fn word(&self, param: Param) -> &str {
        match (self.value(param.key), param.default) {
            (Value::Text(word), _) => word,
            (Value::None, Default::Text(word)) => word,
            _ => "",
        }
    }

    /// Whether a parameter is a certain word.
    #[inline]
    pub fn is(&self, param: Param, word: &str) -> bool {
        debug_assert!(param.range.has_word(word), "{} is never {word}", param.key);
        self.word(param) == word
    }

    /// Whether a parameter is True.
    #[inline]
    pub fn flag(&self, param: Param) -> bool {
        *self.value(param.key) == Value::Flag(true)
    }

    /// A parameter whose default is a number of documents: what is given, or that default, where
    /// so many are relevant.
    pub fn documents(&self, param: Param, num_rel: f64) -> f64 {
        match (self.value(param.key), param.default) {
            (&Value::Documents(constant, times), _)
            | (Value::None, Default::Documents(constant, times)) => constant + times * num_rel,
            _ => unreachable!("{} has no number of documents for a default", param.key),
        }
    }

    /// Whether a parameter has its default.
    pub fn is_default(&self, param: Param) -> bool {
        *self.value(param.key) == param.default.value()
    }

    /// The cutoff as a rank; past every list when there is none.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.cutoff.map_or(u32::MAX, |k| k as u32)
    }

    /// Which values are better.
    pub fn better(&self) -> Better {
        match (self.family.about.better)(self) {
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
