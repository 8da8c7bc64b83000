//! Measures over documents, compiled against judgments: what all of them need
//! of a topic is computed once. Which views, which gains, which best lists; and
//! for a ranked topic its trace, its views, and what each measure sees of it.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::options::Negative;
use crate::error::{Advice, Error, Kind, Result, quote};
use crate::grammar;
use crate::hash::{GOLDEN, SeededHasher, lasting_hash};
use crate::ideal::{Discount, Ideal};
use crate::measure::{Best, Case, Measure, Needs, Over, UnjudgedDocs};
use crate::memory;
use crate::qrels::{Qrels, Topic};
use crate::rank::Ranking;
use crate::read::qrels::{CLASS, COST, INCLUSION, STRATUM};
use crate::sample::{self, Design, Sample};
use crate::trace::{Lens, Record, Relevant, Trace, View};

/// Memory for scoring that a thread uses again from topic to topic.
#[derive(Default)]
pub(crate) struct Workspace {
    pub(super) trace: Trace,
    pub(super) views: Vec<View>,
    /// The part of a ranking that a budget affords.
    pub(super) first: Ranking,
}

/// A measure over documents with everything about it that the judgments settle.
pub(super) struct Prepared {
    pub(super) measure: Measure,
    /// Where it stands among all measures.
    pub(super) place: usize,
    pub(super) lens: usize,
    ideal: usize,
    pub(super) gains: Vec<f64>,
    pub(super) top_gain: f64,
    discount: usize,
    pub(super) best: Best,
    /// Where its relevance grade stands among all.
    pub(super) rel: usize,
    pub(super) needs_collection: bool,
    /// Whether it sees a topic as the measure before it does.
    alike: bool,
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
    discounts: Vec<Discount>,
    kinds: Vec<IdealKind>,
    /// A slot for each topic and kind of ideal, filled when it is first needed.
    ideals: Vec<OnceLock<Ideal>>,
    /// The relevance grades.
    rels: Vec<f64>,
    /// A slot for each topic and relevance grade, filled when it is first
    /// needed: how many documents serve each intent.
    pub(super) served: Vec<OnceLock<Box<[u32]>>>,
    /// The documents that any topic's judgments name, if a measure asks.
    pub(super) named: Option<HashSet<u64, SeededHasher>>,
    /// Whether a measure asks for the documents that the judgments do not list.
    pub(super) sees_unjudged: bool,
    /// A slot for each topic, if a measure needs samples.
    samples: Vec<OnceLock<Sample>>,
}

impl CompiledMeasures {
    /// No measures yet: [`CompiledMeasures::add`] them, then
    /// [`CompiledMeasures::finish`].
    pub(super) fn new(qrels: Arc<Qrels>, negative: Negative, intent: Option<usize>) -> Self {
        CompiledMeasures {
            is_judged: negative.judged_grades(&qrels),
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
        format!("{needs}; {}", to.advice(Advice::CollectionSize))
    })
}

/// An error if the judgments lack a column that a measure reads.
fn check_columns(qrels: &Qrels, measure: &Measure) -> Result<()> {
    if measure.family.sees.needs == Needs::Nothing && measure.over == Over::Documents {
        return Ok(());
    }
    if measure.over.is_of_text() {
        return Err(Error::for_each(Kind::Needs, |to| {
            let advice = to.advice(Advice::Spans);
            format!(
                "{measure} needs judgments of spans, and these are of whole documents; {advice}"
            )
        }));
    }
    let by_intent = measure.family.sees.needs == Needs::Intents
        || !matches!(measure.over, Over::Documents | Over::Classes);
    let (missing, advice) = match (measure.family.sees.needs, design(qrels, 0)) {
        _ if by_intent && !qrels.has_intents() => ("grades under each intent", Advice::Intents),
        _ if measure.over == Over::Classes && column(qrels, CLASS, 0).is_none() => {
            ("the class of each document", Advice::Classes)
        }
        (Needs::Strata, None | Some(Design::Inclusion(_))) => {
            ("the stratum of each document", Advice::Strata)
        }
        (Needs::Sample, None) => {
            ("the stratum of each document or its probability to be judged", Advice::Sample)
        }
        _ => return Ok(()),
    };
    Err(Error::for_each(Kind::Needs, |to| {
        let advice = to.advice(advice);
        format!("{measure} needs {missing}, and these judgments have none; {advice}")
    }))
}

/// How the documents of a topic came to be judged, if the judgments say so.
fn design(qrels: &Qrels, topic: usize) -> Option<Design<'_>> {
    let strata = column(qrels, STRATUM, topic).map(Design::Strata);
    strata.or_else(|| column(qrels, INCLUSION, topic).map(Design::Inclusion))
}

/// A column of a topic by its name.
pub(super) fn column<'a>(qrels: &'a Qrels, name: &str, topic: usize) -> Option<&'a [f64]> {
    let position = qrels.column_names().iter().position(|known| known == name)?;
    qrels.topics().get(topic).map_or(Some(&[][..]), |topic| topic.column(position))
}

/// A measure with the relevance grade that it has under an option.
pub(crate) fn with_rel(measure: &Measure, option: Option<f64>) -> Measure {
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

/// What so few documents need is less than what any call takes.
const DOCUMENTS_WITHOUT_CHECK: usize = 1 << 12;

impl CompiledMeasures {
    /// Writes the trace and the views of a ranked topic, and hands each measure
    /// what it sees of it.
    pub(super) fn each_case(
        &self,
        position: usize,
        ranking: &Ranking,
        workspace: &mut Workspace,
        f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        let topic = &self.qrels.topics()[position];
        self.make_room(ranking, topic.docs().len())?;
        workspace.trace.write(ranking, topic, &self.is_judged, self.sees_unjudged);
        self.each_case_of_trace(position, ranking, workspace, &[], f)
    }

    /// An error if there is no memory for the trace and the views of a ranking, and for the
    /// ideal lists of a topic with this many documents.
    #[inline(always)]
    fn make_room(&self, ranking: &Ranking, documents: usize) -> Result<()> {
        if ranking.hits.len() + ranking.unjudged_docs.len() + documents < DOCUMENTS_WITHOUT_CHECK {
            return Ok(());
        }
        self.make_much_room(ranking, documents)
    }

    #[cold]
    #[inline(never)]
    fn make_much_room(&self, ranking: &Ranking, documents: usize) -> Result<()> {
        let view = size_of::<Relevant>() + size_of::<(u32, u32)>();
        let each = size_of::<Record>() + view * self.lenses.len();
        let ideal = size_of::<f64>() * (1 + self.kinds.len() + self.rels.len());
        let unjudged = size_of::<(u32, u64)>() * ranking.unjudged_docs.len();
        // Vectors that grow are up to twice as long as their content.
        memory::room_for(2 * (ranking.hits.len() * each + documents * ideal + unjudged))
    }

    /// The same from a trace that is written, where the grades in `extra` follow
    /// those of the judgments.
    pub(super) fn each_case_of_trace(
        &self,
        position: usize,
        ranking: &Ranking,
        workspace: &mut Workspace,
        extra: &[f64],
        f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        let topic = &self.qrels.topics()[position];
        let Workspace { trace, views, .. } = workspace;
        views.resize_with(self.lenses.len(), View::default);
        let longer = self.with_grades(extra);
        let seen_by = longer
            .as_ref()
            .map_or((&self.lenses, &self.is_judged), |(lenses, judged)| (lenses, judged));
        for (view, lens) in views.iter_mut().zip(seen_by.0) {
            view.write(trace, topic, seen_by.1, lens);
        }
        self.each_case_of_views(position, ranking, workspace, extra, seen_by, f)
    }

    /// The same after the last document of a group, given by its first and last ranks, went to the
    /// top of it, in the ranking and here in the trace and in views of the full list.
    pub(super) fn each_turned_case(
        &self,
        position: usize,
        ranking: &Ranking,
        group: (u32, u32),
        workspace: &mut Workspace,
        f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        let turned = workspace.trace.turn(group);
        for (view, lens) in workspace.views.iter_mut().zip(&self.lenses) {
            if !lens.condensed {
                view.turn(&turned, lens);
            }
        }
        let seen_by = (&self.lenses, &self.is_judged);
        self.each_case_of_views(position, ranking, workspace, &[], seen_by, f)
    }

    #[inline(always)]
    fn each_case_of_views(
        &self,
        position: usize,
        ranking: &Ranking,
        workspace: &Workspace,
        extra: &[f64],
        (lenses, is_judged): (&Vec<Lens>, &Vec<bool>),
        mut f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        let topic = &self.qrels.topics()[position];
        let Workspace { trace, views, .. } = workspace;
        let drawn = || match design(&self.qrels, position) {
            Some(design) => Sample::new(topic, design, &self.is_judged),
            None => sample::NONE.clone(),
        };
        let kept = self.samples.get(position);
        let sample = kept.map_or(&sample::NONE, |sample| sample.get_or_init(drawn));
        let navigational = self.intent.is_some_and(|i| topic.intents().is_navigational(i));
        let costs = column(&self.qrels, COST, position);
        let ideals = &self.ideals[position * self.kinds.len()..];
        let served = &self.served[position * self.rels.len()..];
        let Some(first) = self.prepared.first() else { return Ok(()) };
        let gains_with_extra = |prepared: &Prepared| {
            let more = extra.iter().map(|&grade| prepared.gain(grade));
            prepared.gains.iter().copied().chain(more).collect::<Vec<f64>>()
        };
        let all_gains: Vec<Vec<f64>> = match extra {
            [] => Vec::new(),
            _ => self.prepared.iter().map(gains_with_extra).collect(),
        };
        // What all measures see in the same way is written once.
        let mut case = Case {
            condensed: first.measure.prime,
            gains: &first.gains,
            top_gain: first.top_gain,
            listed: &ranking.hits,
            named: self.named.as_ref(),
            sample,
            best: &first.best,
            is_judged,
            docs_in_collection: self.qrels.docs_in_collection,
            costs,
            navigational,
            ..Case::new(
                topic,
                trace,
                &views[first.lens],
                &lenses[first.lens].relevant,
                &self.discounts[first.discount],
                &ideals[first.ideal],
                &served[first.rel],
            )
        };
        for (i, prepared) in self.prepared.iter().enumerate() {
            // Of further grades measures that were alike may think otherwise.
            if !prepared.alike || !extra.is_empty() {
                case.view = &views[prepared.lens];
                case.condensed = prepared.measure.prime;
                case.gains = all_gains.get(i).unwrap_or(&prepared.gains);
                case.top_gain = prepared.top_gain;
                case.relevant_grades = &lenses[prepared.lens].relevant;
                case.best = &prepared.best;
                case.kept_ideal = &ideals[prepared.ideal];
                case.kept_served = &served[prepared.rel];
                case.discount = &self.discounts[prepared.discount];
            }
            if prepared.needs_collection {
                check_collection(&prepared.measure, &case, 0)?;
            }
            f(&case, &prepared.measure, prepared.place)?;
        }
        Ok(())
    }

    /// The lenses and the judged grades where these judged grades follow those of
    /// the judgments; nothing where there are none.
    fn with_grades(&self, extra: &[f64]) -> Option<(Vec<Lens>, Vec<bool>)> {
        if extra.is_empty() {
            return None;
        }
        let mut lenses = self.lenses.clone();
        for (i, lens) in lenses.iter_mut().enumerate() {
            let Some(prepared) = self.prepared.iter().find(|prepared| prepared.lens == i) else {
                continue;
            };
            let measure = &prepared.measure;
            let graded = measure.counts_gains();
            let relevant = |&grade: &f64| {
                if graded { prepared.gain(grade) > 0.0 } else { grade >= measure.rel }
            };
            lens.relevant.extend(extra.iter().map(relevant));
        }
        let mut judged = self.is_judged.clone();
        judged.resize(judged.len() + extra.len(), true);
        Some((lenses, judged))
    }
}

/// A collection holds what was retrieved, what is relevant, and documents
/// that are neither: not all can be relevant, even if that many more were.
pub(crate) fn check_collection(measure: &Measure, case: &Case, more: u64) -> Result<()> {
    let found = case.docs_in_collection.unwrap_or(0);
    let num_rel = u64::from(case.view.num_rel);
    let missed = num_rel - case.view.relevant.len() as u64;
    let known = u64::from(case.retrieved()) + missed;
    let judged = num_rel + u64::from(case.view.num_nonrel);
    let least = known.max(judged).max(num_rel + more + 1);
    if found < least {
        return Err(Error::for_each(Kind::Option, |to| {
            format!(
                "{measure} needs {}, the number of documents in the collection: found {found}, expected at least {least} because of topic {}",
                to.option("docs_in_collection"),
                quote(case.topic.id())
            )
        }));
    }
    Ok(())
}
