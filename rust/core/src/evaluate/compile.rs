//! Measures over documents, compiled against judgments: what all of them need
//! of a topic is computed once. Which views, which gains, which best lists.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::context::judged_grades;
use super::options::Negative;
use crate::bytes::{GOLDEN, SeededHasher, lasting_hash};
use crate::error::{Error, Kind, Result};
use crate::grammar;
use crate::ideal::{Discount, Ideal};
use crate::measure::{Best, Measure, Needs, Over, UnjudgedDocs};
use crate::memory;
use crate::qrels::{Qrels, Topic};
use crate::read::qrels::{CLASS, INCLUSION, STRATUM};
use crate::sample::{Design, Sample};
use crate::trace::Lens;

/// A measure over documents with everything about it that the judgments settle.
pub(super) struct Prepared {
    pub(super) measure: Measure,
    /// Where it stands among all measures.
    pub(super) place: usize,
    pub(super) lens: usize,
    pub(super) ideal: usize,
    pub(super) gains: Vec<f64>,
    pub(super) top_gain: f64,
    pub(super) discount: usize,
    pub(super) best: Best,
    /// Where its relevance grade stands among all.
    pub(super) rel: usize,
    pub(super) needs_collection: bool,
    /// Whether it sees a topic as the measure before it does.
    pub(super) alike: bool,
}

impl Prepared {
    /// Whether all that it sees of a topic is the same to another: gains, discount and what
    /// is best are those of the kind of ideal, the prime is that of the lens.
    fn sees_as(&self, other: &Prepared) -> bool {
        (self.lens, self.ideal, self.rel) == (other.lens, other.ideal, other.rel)
            && self.top_gain.to_bits() == other.top_gain.to_bits()
    }

    /// What a judged document of a grade gains.
    pub(super) fn gain(&self, grade: f64) -> f64 {
        (self.measure.family.sees.gain)(&self.measure, self.measure.mapped(grade), self.top_gain)
    }
}

/// What sets one best possible list apart from another: gains, discount, and
/// what it is made of.
type IdealKind = (Vec<f64>, usize, Best);

/// Measures over documents, compiled against judgments.
pub(super) struct CompiledMeasures {
    pub(super) qrels: Arc<Qrels>,
    /// Which grades count as judged, by their position in the list of all.
    pub(super) is_judged: Vec<bool>,
    pub(super) prepared: Vec<Prepared>,
    /// Which intent the judgments are those of, if they are of one.
    pub(super) intent: Option<usize>,
    pub(super) lenses: Vec<Lens>,
    pub(super) discounts: Vec<Discount>,
    pub(super) kinds: Vec<IdealKind>,
    /// A slot for each topic and kind of ideal, filled when it is first needed.
    pub(super) ideals: Vec<OnceLock<Ideal>>,
    /// The relevance grades.
    pub(super) rels: Vec<f64>,
    /// A slot for each topic and relevance grade, filled when it is first
    /// needed: how many documents serve each intent.
    pub(super) served: Vec<OnceLock<Box<[u32]>>>,
    /// The documents that any topic's judgments name, if a measure asks.
    pub(super) named: Option<HashSet<u64, SeededHasher>>,
    /// Whether a measure asks for the documents that the judgments do not list.
    pub(super) sees_unjudged: bool,
    /// A slot for each topic, if a measure needs samples.
    pub(super) samples: Vec<OnceLock<Sample>>,
}

impl CompiledMeasures {
    /// No measures yet: [`CompiledMeasures::add`] them, then
    /// [`CompiledMeasures::finish`].
    pub(super) fn new(qrels: Arc<Qrels>, negative: Negative, intent: Option<usize>) -> Self {
        CompiledMeasures {
            is_judged: judged_grades(&qrels, negative),
            qrels,
            prepared: Vec::new(),
            intent,
            lenses: Vec::new(),
            discounts: Vec::new(),
            kinds: Vec::new(),
            ideals: Vec::new(),
            rels: Vec::new(),
            served: Vec::new(),
            named: None,
            sees_unjudged: false,
            samples: Vec::new(),
        }
    }

    /// Adds a measure over documents that stands at this place among all.
    pub(super) fn add(&mut self, measure: &Measure, place: usize) -> Result<()> {
        if matches!(measure.family.sees.needs, Needs::Strata | Needs::Sample) {
            self.samples.resize_with(self.qrels.topics().len(), OnceLock::new);
        }
        let qrels = &self.qrels;
        // An unjudged document gains nothing, whatever a map says.
        let judged = qrels.grades().iter().zip(&self.is_judged);
        let mapped: Vec<f64> = judged
            .map(|(&grade, &judged)| if judged { measure.mapped(grade) } else { 0.0 })
            .collect();
        let top_gain = mapped.iter().copied().fold(0.0, f64::max);
        if let Some(declared) = measure.declared_top()
            && top_gain > declared
        {
            let message = format!(
                "{measure} declares {declared} to be the highest gain, and there can be one of {top_gain}"
            );
            return Err(Error::new(Kind::Parameter, message));
        }
        let gain = |(&gain, &judged): (&f64, &bool)| {
            if judged { (measure.family.sees.gain)(measure, gain, top_gain) } else { 0.0 }
        };
        let gains: Vec<f64> = mapped.iter().zip(&self.is_judged).map(gain).collect();
        let graded = measure.counts_gains();
        let is_relevant = |(index, &grade): (usize, &f64)| {
            let wanted =
                if graded { gains[index] > 0.0 } else { grade >= measure.rel && grade >= 0.0 };
            self.is_judged[index] && wanted
        };
        let relevant = qrels.grades().iter().enumerate().map(is_relevant).collect();
        let lens =
            position(&mut self.lenses, Lens { condensed: measure.prime, relevant }, |a, b| a == b);
        let kind = (measure.family.sees.discount)(measure);
        let known = self.discounts.iter().position(|discount| discount.kind() == kind);
        let discount = known.unwrap_or_else(|| {
            self.discounts.push(Discount::new(kind));
            self.discounts.len() - 1
        });
        let best = (measure.family.sees.best)(measure);
        let ideal =
            position(&mut self.kinds, (gains.clone(), discount, best.clone()), |a, b| a == b);
        let mut prepared = Prepared {
            measure: measure.clone(),
            place,
            lens,
            ideal,
            gains,
            top_gain,
            discount,
            best,
            rel: position(&mut self.rels, measure.rel, |a, b| a == b),
            needs_collection: measure.needs_collection(),
            alike: false,
        };
        self.sees_unjudged |= prepared.measure.unjudged_depth() > 0;
        prepared.alike = self.prepared.last().is_some_and(|last| prepared.sees_as(last));
        self.prepared.push(prepared);
        Ok(())
    }

    /// Makes room for what is computed when it is first needed.
    pub(super) fn finish(&mut self) -> Result<()> {
        let looks_up = |prepared: &Prepared| {
            matches!(prepared.measure.family.sees.unjudged_docs, UnjudgedDocs::LookedUp(_))
        };
        if self.prepared.iter().any(looks_up) {
            self.named = Some(named(&self.qrels));
        }
        let topics = self.qrels.topics().len();
        let (ideals, served) = (self.kinds.len() * topics, self.rels.len() * topics);
        memory::reserve(&mut self.ideals, ideals)?;
        memory::reserve(&mut self.served, served)?;
        self.ideals.resize_with(ideals, OnceLock::new);
        self.served.resize_with(served, OnceLock::new);
        Ok(())
    }

    /// The topics in which a measure finds nothing relevant.
    pub(super) fn without_relevant(&self) -> Vec<Box<[u8]>> {
        let bare = |topic: &&Topic| {
            self.lenses
                .iter()
                .any(|lens| !topic.counts().iter().any(|of| lens.relevant[of.grade_index as usize]))
        };
        self.qrels.topics().iter().filter(bare).map(|topic| topic.id().into()).collect()
    }
}

/// An error for a measure that cannot be computed with judgments.
pub(super) fn check(measure: &Measure, qrels: &Qrels) -> Result<()> {
    grammar::complete(measure)?;
    if measure.needs_collection() && qrels.docs_in_collection.is_none() {
        return Err(needs_collection(measure));
    }
    check_columns(qrels, measure)
}

/// The error for a measure that needs to know how large the collection is.
#[cold]
fn needs_collection(measure: &Measure) -> Error {
    Error::for_each(Kind::Needs, |to| {
        let needs = format!("{measure} needs the number of documents in the collection");
        let with =
            to.either("give docs_in_collection with the judgments", "give --docs-in-collection");
        format!("{needs}; {with}")
    })
}

/// An error if the judgments lack a column that a measure reads.
fn check_columns(qrels: &Qrels, measure: &Measure) -> Result<()> {
    if measure.family.sees.needs == Needs::Nothing && measure.over == Over::Documents {
        return Ok(());
    }
    let by_intent = measure.family.sees.needs == Needs::Intents
        || !matches!(measure.over, Over::Documents | Over::Classes);
    let (missing, python, command_line) = match (measure.family.sees.needs, design(qrels, 0)) {
        _ if by_intent && !qrels.has_intents() => (
            "grades under each intent",
            "read them with layout=\"intents\", or make them with Qrels.from_intents",
            "give judgments of topic, intent, document and grade with --layout intents",
        ),
        _ if measure.over == Over::Classes && column(qrels, CLASS, 0).is_none() => (
            "the class of each document",
            "give them with Qrels.with_column(\"class\", ...)",
            "give a file of them with --classes",
        ),
        (Needs::Strata, None | Some(Design::Inclusion(_))) => (
            "the stratum of each document",
            "read judgments whose fourth column of five it is, or give them with Qrels.with_column(\"stratum\", ...)",
            "give judgments whose fourth column of five it is",
        ),
        (Needs::Sample, None) => {
            let columns =
                "give judgments of five columns, the fourth or the fifth of which says it";
            ("the stratum of each document or its probability to be judged", columns, columns)
        }
        _ => return Ok(()),
    };
    Err(Error::for_each(Kind::Needs, |to| {
        let advice = to.either(python, command_line);
        format!("{measure} needs {missing}, and these judgments have none; {advice}")
    }))
}

/// How the documents of a topic came to be judged, if the judgments say so.
pub(super) fn design(qrels: &Qrels, topic: usize) -> Option<Design<'_>> {
    let strata = column(qrels, STRATUM, topic).map(Design::Strata);
    strata.or_else(|| column(qrels, INCLUSION, topic).map(Design::Inclusion))
}

/// A column of a topic by its name.
pub(super) fn column<'a>(qrels: &'a Qrels, name: &str, topic: usize) -> Option<&'a [f64]> {
    let position = qrels.column_names().iter().position(|known| known == name)?;
    qrels.topics().get(topic).map_or(Some(&[][..]), |topic| topic.column(position))
}

/// A measure with the relevance grade that it has under an option.
pub(super) fn with_rel(measure: &Measure, option: Option<f64>) -> Measure {
    let own = measure.rel_given || !measure.family.takes_rel();
    let rel = option.filter(|_| !own).unwrap_or(measure.rel);
    Measure { rel, ..measure.clone() }
}

/// The lasting hashes of the documents that the judgments of any topic name.
fn named(qrels: &Qrels) -> HashSet<u64, SeededHasher> {
    let of_topic = |topic: &Topic| -> Vec<u64> {
        topic.judgments().map(|(_, document, _)| lasting_hash(GOLDEN, document)).collect()
    };
    let mut named = HashSet::with_hasher(SeededHasher { state: qrels.seed() });
    named.extend(qrels.topics().iter().flat_map(of_topic));
    named
}

/// The position of an item in a list, where it is added if it is new.
fn position<T>(list: &mut Vec<T>, item: T, same: impl Fn(&T, &T) -> bool) -> usize {
    list.iter().position(|known| same(known, &item)).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}
