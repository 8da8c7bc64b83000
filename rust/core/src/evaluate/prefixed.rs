//! Measures over classes, global gains and intents: measures over documents
//! of other judgments, which are made here.
//!
//! [`PrefixedMeasures`] are those that see the same other judgments, compiled
//! against these. The tables of documents are shared, so a ranking that was
//! joined with the judgments is scored under all of them.

use std::sync::{Arc, OnceLock};

use super::compile::{CompiledMeasures, Workspace, check, column, with_rel};
use super::options::{Negative, Options};
use crate::error::Result;
use crate::measure::{Case, Gain, Measure, Over};
use crate::qrels::{Qrels, Topic};
use crate::rank::{Hit, Ranking};
use crate::read::qrels::CLASS;
use crate::trace::{Record, Trace};

/// Measures that see the same other judgments.
pub(super) struct PrefixedMeasures {
    key: RegradingKey,
    measures: Vec<PrefixedMeasure>,
    /// The measures compiled against the other judgments: for each intent, or
    /// once.
    inner: Vec<CompiledMeasures>,
    /// The judgments, whose list of grades the inner ones share.
    base: Arc<Qrels>,
    /// How many intents have a document that gains: a slot for each topic and
    /// measure, filled when it is first needed.
    served: Vec<OnceLock<f64>>,
    /// What documents gain under which intents, for each topic, if a document
    /// can take it from another.
    gaining: Vec<IntentGains>,
    options: Options,
}

/// A measure over something else than documents.
struct PrefixedMeasure {
    /// As the caller gave it, for messages.
    given: Measure,
    /// With the relevance grade that it has under the options.
    measure: Measure,
    /// Where it stands among all.
    place: usize,
    /// Where its measure over documents stands among the inner ones.
    inner: usize,
}

/// The documents of a topic that gain something, and what under each intent.
#[derive(Default)]
struct IntentGains {
    /// Where the entries of each document begin, and the end of all.
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl IntentGains {
    fn new(topic: &Topic, gain: impl Fn(f64) -> f64) -> IntentGains {
        let mut gaining = IntentGains { starts: vec![0], entries: Vec::new() };
        for number in 0..topic.docs().len() as u32 {
            let gained = topic.intents().grades(number).iter();
            let gained = gained.map(|&(intent, grade)| (intent, gain(grade)));
            gaining.entries.extend(gained.filter(|(_, gain)| *gain != 0.0));
            gaining.starts.push(gaining.entries.len() as u32);
        }
        gaining
    }

    fn of(&self, number: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// What decides the other judgments.
#[derive(Clone, Debug, PartialEq)]
struct RegradingKey {
    over: Over,
    /// How a grade under an intent, or of a class, gains.
    gain: Gain,
    /// The lowest grade that gains, for measures that have one.
    rel: Option<f64>,
    /// Whether a gain is that of Burges et al., 2^g - 1.
    exponential: bool,
}

impl RegradingKey {
    fn of(measure: &Measure) -> RegradingKey {
        let binary = !measure.counts_gains();
        let plain = measure.over == Over::Intents;
        RegradingKey {
            over: measure.over,
            gain: if plain { Gain::Grade } else { measure.gain.clone() },
            rel: (binary && !plain).then_some(measure.rel),
            exponential: measure.linear().is_some() && !plain,
        }
    }

    /// What a grade gains.
    fn gain(&self, measure: &Measure, grade: f64) -> f64 {
        match self.rel {
            Some(rel) if grade < rel => 0.0,
            _ if self.exponential => measure.mapped(grade).exp2() - 1.0,
            _ => measure.mapped(grade),
        }
    }

    /// The measure over documents of the other judgments.
    fn inner(&self, measure: &Measure) -> Measure {
        let mut inner = Measure { over: Over::Documents, sharp: 0.0, ..measure.clone() };
        if matches!(self.over, Over::Global | Over::Typed) {
            // The grades of the other judgments are gains already.
            inner.gain = Gain::Grade;
            inner.rel = f64::MIN_POSITIVE;
            if let Some(linear) = measure.linear() {
                inner.values = linear.values;
            }
        }
        inner
    }
}

/// What a measure comes to over the inner evaluators.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    defined: bool,
}

impl PrefixedMeasures {
    /// Those of the measures, each with its place among all, that are over something else than
    /// documents.
    pub(super) fn of_all<'a>(
        qrels: &Qrels,
        options: Options,
        measures: impl Iterator<Item = (usize, &'a Measure)>,
    ) -> Result<Vec<PrefixedMeasures>> {
        let mut groups: Vec<(RegradingKey, Vec<PrefixedMeasure>)> = Vec::new();
        for (place, measure) in measures {
            if measure.over == Over::Documents {
                continue;
            }
            let given = measure.clone();
            let measure = with_rel(measure, options.rel);
            let key = RegradingKey::of(&measure);
            let prefixed = PrefixedMeasure { given, measure, place, inner: 0 };
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, group)) => group.push(prefixed),
                None => groups.push((key, vec![prefixed])),
            }
        }
        let compile = |(key, group)| PrefixedMeasures::new(qrels, options, key, group);
        groups.into_iter().map(compile).collect()
    }

    fn new(
        qrels: &Qrels,
        options: Options,
        key: RegradingKey,
        mut measures: Vec<PrefixedMeasure>,
    ) -> Result<PrefixedMeasures> {
        let base = Arc::new(qrels.with_grades(&[0.0]));
        let mut inner_measures: Vec<Measure> = Vec::new();
        for prefixed in &mut measures {
            let inner = key.inner(&prefixed.measure);
            let known = inner_measures.iter().position(|known| *known == inner);
            prefixed.inner = known.unwrap_or(inner_measures.len());
            if known.is_none() {
                inner_measures.push(inner);
            }
        }
        let first = &measures[0].measure;
        let compile = |qrels: Qrels, intent| -> Result<CompiledMeasures> {
            let qrels = Arc::new(qrels);
            let mut inner = CompiledMeasures::new(Arc::clone(&qrels), options.negative, intent);
            for (place, measure) in inner_measures.iter().enumerate() {
                check(measure, &qrels)?;
                inner.add(measure, place)?;
            }
            inner.finish()?;
            Ok(inner)
        };
        let judged = |grade: f64| options.negative.is_judged(grade);
        let inner = match key.over {
            Over::Documents | Over::Characters | Over::Spans => Vec::new(),
            Over::Classes => {
                let best = best_of_classes(&base, options.negative, |grade| key.gain(first, grade));
                let regrade = |topic: usize, number: usize, grade: Option<f64>| {
                    grade.map(|grade| if best[topic][number] { grade } else { 0.0 })
                };
                vec![compile(base.regraded(regrade).with_grades(base.grades()), None)?]
            }
            Over::Global | Over::Typed => {
                let regrade = |topic: usize, number: usize, grade: Option<f64>| {
                    let intents = base.topics()[topic].intents();
                    let global = || intents.global(number as u32, |g| key.gain(first, g));
                    grade.map(|grade| if judged(grade) { global() } else { grade })
                };
                vec![compile(base.regraded(regrade).with_grades(&[0.0]), None)?]
            }
            Over::Intents => {
                let intents = base.topics().iter().map(|topic| topic.intents().judged());
                let under = |intent: usize| {
                    let regrade = |topic: usize, number: usize, grade: Option<f64>| {
                        let under = base.topics()[topic].intents().grades(number as u32);
                        let under = under.iter().find(|(other, _)| *other as usize == intent);
                        let under = under.map_or(0.0, |(_, grade)| grade.max(0.0));
                        grade.map(|grade| if judged(grade) { under } else { grade })
                    };
                    compile(base.regraded(regrade).with_grades(base.grades()), Some(intent))
                };
                (0..intents.max().unwrap_or(0)).map(under).collect::<Result<_>>()?
            }
        };
        let mut served = Vec::new();
        served.resize_with(measures.len() * base.topics().len(), OnceLock::new);
        let gaining = match key.over {
            Over::Typed => {
                let gaining = |topic| IntentGains::new(topic, |grade| key.gain(first, grade));
                base.topics().iter().map(gaining).collect()
            }
            _ => Vec::new(),
        };
        Ok(PrefixedMeasures { key, measures, inner, base, served, gaining, options })
    }

    /// The topics in which its measures find nothing relevant.
    pub(super) fn without_relevant(&self) -> Vec<Box<[u8]>> {
        let mut inner = self.inner.iter().map(CompiledMeasures::without_relevant);
        let first = inner.next().unwrap_or_default();
        let common = |mut common: Vec<Box<[u8]>>, next: Vec<Box<[u8]>>| {
            common.retain(|topic| next.contains(topic));
            common
        };
        inner.fold(first, common)
    }

    /// The values of a ranked topic.
    pub(super) fn score(
        &self,
        position: usize,
        ranking: &Ranking,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Result<()> {
        let topic = &self.base.topics()[position];
        let inner_measures = self.inner.first().map_or(0, |inner| inner.prepared.len());
        let mut sums = vec![Sum::default(); inner_measures];
        let score = |case: &Case, measure: &Measure| measure.score(case);
        if self.key.over == Over::Intents {
            // One that no document was judged under adds nothing to the sum; its
            // weight is in the shares of the others.
            for (intent, inner) in self.inner.iter().enumerate().take(topic.intents().judged()) {
                let share = topic.intents().share(intent);
                inner.each_case(position, ranking, workspace, |case, measure, i| {
                    // An intent that nothing serves adds nothing.
                    if case.view.num_rel > 0 && share > 0.0 {
                        sums[i].value += share * score(case, measure);
                        sums[i].defined = true;
                    }
                    Ok(())
                })?;
            }
        } else if let Some(inner) = self.inner.first() {
            let mut extra = Vec::new();
            let trace = &mut workspace.trace;
            if self.key.over == Over::Classes {
                // A document has its own grade, not that of its class.
                trace.write(ranking, topic, &inner.is_judged, inner.sees_unjudged);
                self.once_a_class(position, &ranking.hits, trace);
            } else {
                let topic = &inner.qrels.topics()[position];
                trace.write(ranking, topic, &inner.is_judged, inner.sees_unjudged);
            }
            if self.key.over == Over::Typed {
                extra = self.once_an_intent(position, &ranking.hits, trace);
            }
            inner.each_case_of_trace(
                position,
                ranking,
                workspace,
                &extra,
                |case, measure, i| {
                    sums[i] = Sum { value: score(case, measure), defined: case.view.num_rel > 0 };
                    Ok(())
                },
            )?;
        }
        let slots = position * self.measures.len()..;
        for (slot, prefixed) in slots.zip(&self.measures) {
            let PrefixedMeasure { given, measure, place, inner } = prefixed;
            let Sum { mut value, defined } = sums[*inner];
            if measure.sharp > 0.0 && defined {
                let hits = (&*ranking.hits, &*workspace.trace.records);
                let recall = self.recall_of_intents(measure, (position, slot), hits);
                value = measure.sharp * recall + (1.0 - measure.sharp) * value;
            }
            let undefined = self.options.undefined;
            out[*place] = undefined.settle(value, defined, given, topic.id())?;
        }
        Ok(())
    }

    /// Takes its gain from every document whose class stands above it.
    fn once_a_class(&self, position: usize, hits: &[Hit], trace: &mut Trace) {
        let first = &self.measures[0].measure;
        let classes = column(&self.base, CLASS, position).unwrap_or_default();
        let nothing = self.base.grades().partition_point(|grade| *grade < 0.0) as u32;
        let mut seen: Vec<f64> = Vec::new();
        for (number, hit) in known(hits, &self.base.topics()[position]).zip(&mut trace.records) {
            let gain = self.key.gain(first, self.base.grades()[hit.grade_index as usize]);
            if hit.condensed == 0 || gain <= 0.0 {
                continue;
            }
            let class = classes[number];
            if seen.contains(&class) {
                hit.grade_index = nothing;
            } else {
                seen.push(class);
            }
        }
    }

    /// Takes from every document what it gains for navigational intents that
    /// are served above it; returns the grades that the judgments lack.
    fn once_an_intent(&self, position: usize, hits: &[Hit], trace: &mut Trace) -> Vec<f64> {
        let topic = &self.base.topics()[position];
        let intents = topic.intents();
        let grades = self.inner[0].qrels.grades();
        let mut extra: Vec<f64> = Vec::new();
        let mut served = vec![false; intents.names().len()];
        let shares: Vec<f64> = (0..served.len()).map(|intent| intents.share(intent)).collect();
        for (number, hit) in known(hits, topic).zip(&mut trace.records) {
            if hit.condensed == 0 {
                continue;
            }
            let (mut left, mut less) = (0.0, false);
            for &(intent, gain) in self.gaining[position].of(number) {
                let intent = intent as usize;
                if intents.is_navigational(intent) && served[intent] {
                    less |= gain > 0.0;
                } else {
                    left += shares[intent] * gain;
                }
                served[intent] |= gain > 0.0;
            }
            if less {
                let among = |list: &[f64]| list.iter().position(|grade| *grade == left);
                let grade_index = among(grades).or_else(|| Some(grades.len() + among(&extra)?));
                hit.grade_index = grade_index.unwrap_or_else(|| {
                    extra.push(left);
                    grades.len() + extra.len() - 1
                }) as u32;
            }
        }
        extra
    }

    /// The share of the intents with a document that gains, of which there is
    /// one among the first k.
    fn recall_of_intents(
        &self,
        measure: &Measure,
        (position, slot): (usize, usize),
        (ranked, traced): (&[Hit], &[Record]),
    ) -> f64 {
        let topic = &self.base.topics()[position];
        let intents = topic.intents();
        let key = RegradingKey {
            over: Over::Global,
            ..RegradingKey::of(&Measure { over: Over::Global, ..measure.clone() })
        };
        let serve = |served: &mut [bool], number: usize| {
            for &(intent, grade) in intents.grades(number as u32) {
                let served = &mut served[intent as usize];
                *served = *served || key.gain(measure, grade) > 0.0;
            }
        };
        let count = |served: &[bool]| served.iter().filter(|served| **served).count() as f64;
        let all = *self.served[slot].get_or_init(|| {
            let mut all = vec![false; intents.names().len()];
            for (number, _, grade_index) in topic.judgments() {
                if self.options.negative.is_judged(self.base.grades()[grade_index as usize]) {
                    serve(&mut all, number);
                }
            }
            count(&all)
        });
        let mut found = vec![false; intents.names().len()];
        for (number, hit) in known(ranked, topic).zip(traced) {
            let rank = if measure.prime { hit.condensed } else { hit.rank };
            if hit.condensed > 0 && rank <= measure.depth() {
                serve(&mut found, number);
                // Nothing further down adds to all of them.
                if count(&found) == all {
                    break;
                }
            }
        }
        count(&found) / all
    }
}

/// The numbers of the documents of a trace.
fn known<'a>(hits: &'a [Hit], topic: &'a Topic) -> impl Iterator<Item = usize> + 'a {
    let numbers = hits.iter().map(|hit| hit.document);
    numbers
        .filter(|&number| topic.grade_column().get(number).is_some())
        .map(|number| number as usize)
}

/// Which documents, by topic and number, stand for their classes: those that
/// gain most, and those that gain nothing.
fn best_of_classes(base: &Qrels, negative: Negative, gain: impl Fn(f64) -> f64) -> Vec<Vec<bool>> {
    let best = |(position, topic): (usize, &Topic)| {
        let classes = column(base, CLASS, position).unwrap_or_default();
        let mut best = vec![true; topic.docs().len()];
        let mut members: Vec<(f64, f64, usize)> = Vec::new();
        for (number, _, grade_index) in topic.judgments() {
            let grade = base.grades()[grade_index as usize];
            if negative.is_judged(grade) && gain(grade) > 0.0 {
                members.push((classes[number], gain(grade), number));
            }
        }
        members.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        for class in members.chunk_by(|a, b| a.0 == b.0) {
            class[1..].iter().for_each(|&(_, _, number)| best[number] = false);
        }
        best
    };
    base.topics().iter().enumerate().map(best).collect()
}
