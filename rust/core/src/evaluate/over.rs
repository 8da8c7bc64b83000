//! Measures over classes, global gains and intents: measures over documents
//! of other judgments, which are made here.
//!
//! A [`Part`] holds the measures that see the same other judgments, compiled
//! against these. The tables of documents are shared, so a ranking that was
//! joined with the judgments is scored under all of them.

use std::sync::{Arc, OnceLock};

use super::{Evaluator, Options, Workspace};
use crate::error::Result;
use crate::measure::{Case, Gain, Measure, Over};
use crate::qrels::{Qrels, Topic};
use crate::read::qrels::CLASS;
use crate::trace::Trace;

/// Measures that see the same other judgments.
pub(super) struct Part {
    sight: Sight,
    /// Where each measure stands among all, and its inner measure among those
    /// of the inner evaluators.
    places: Vec<(usize, usize)>,
    /// The evaluators of the other judgments: one for each intent, or one.
    inner: Vec<Evaluator>,
    /// The judgments, whose list of grades the inner ones share.
    base: Arc<Qrels>,
    /// How many intents have a document that gains: a slot for each topic and
    /// measure, filled by the first who asks.
    served: Vec<OnceLock<f64>>,
    /// What documents gain under which intents, for each topic, if a document
    /// can take it from another.
    gaining: Vec<Gaining>,
}

/// The documents of a topic that gain something, and what under each intent.
#[derive(Default)]
struct Gaining {
    /// Where the entries of each document begin, and the end of all.
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl Gaining {
    fn new(topic: &Topic, gain: impl Fn(f64) -> f64) -> Gaining {
        let mut gaining = Gaining { starts: vec![0], entries: Vec::new() };
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
struct Sight {
    over: Over,
    /// How a grade under an intent, or of a class, gains.
    gain: Gain,
    /// The lowest grade that gains, for measures that have one.
    rel: Option<f64>,
    /// Whether a gain is that of Burges et al., 2^g - 1.
    exponential: bool,
}

impl Sight {
    fn of(measure: &Measure) -> Sight {
        let binary = !measure.counts_gains();
        let plain = measure.over == Over::Intents;
        Sight {
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

impl Part {
    /// The parts of an evaluator.
    pub(super) fn of_all(whole: &Evaluator) -> Result<Vec<Part>> {
        let mut sights: Vec<(Sight, Vec<usize>)> = Vec::new();
        for (place, measure) in whole.measures.iter().enumerate() {
            if measure.over == Over::Documents {
                continue;
            }
            let sight = Sight::of(&whole.leveled(measure));
            match sights.iter_mut().find(|(known, _)| *known == sight) {
                Some((_, places)) => places.push(place),
                None => sights.push((sight, vec![place])),
            }
        }
        sights.into_iter().map(|(sight, places)| Part::new(whole, sight, &places)).collect()
    }

    fn new(whole: &Evaluator, sight: Sight, places: &[usize]) -> Result<Part> {
        let base = Arc::new(whole.qrels.with_grades(&[0.0]));
        let first = &whole.measures[places[0]];
        let measures: Vec<Measure> = places
            .iter()
            .map(|&place| sight.inner(&whole.leveled(&whole.measures[place])))
            .collect();
        let compile = |qrels: Qrels, intent| -> Result<Evaluator> {
            // The levels are in the measures.
            let options = Options { rel: None, ..whole.options };
            let mut inner = Evaluator::new(Arc::new(qrels), &measures, options)?;
            inner.intent = intent;
            Ok(inner)
        };
        let judged = |grade: f64| whole.judges(grade);
        let inner = match sight.over {
            Over::Documents => Vec::new(),
            Over::Classes => {
                let best = best_of_classes(whole, &base, |grade| sight.gain(first, grade));
                let regrade = |topic: usize, number: usize, grade: Option<f64>| {
                    grade.map(|grade| if best[topic][number] { grade } else { 0.0 })
                };
                vec![compile(base.regraded(regrade).with_grades(base.grades()), None)?]
            }
            Over::Global | Over::Typed => {
                let regrade = |topic: usize, number: usize, grade: Option<f64>| {
                    let intents = base.topics()[topic].intents();
                    let global = || intents.global(number as u32, |g| sight.gain(first, g));
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
        let known = inner.first().map_or(&[][..], |evaluator: &Evaluator| &evaluator.measures);
        let position = |measure: &Measure| known.iter().position(|other| other == measure);
        let places = places.iter().zip(&measures);
        let places = places.filter_map(|(&place, inner)| Some((place, position(inner)?)));
        let places: Vec<(usize, usize)> = places.collect();
        let mut served = Vec::new();
        served.resize_with(places.len() * base.topics().len(), OnceLock::new);
        let gaining = match sight.over {
            Over::Typed => {
                let gaining = |topic| Gaining::new(topic, |grade| sight.gain(first, grade));
                base.topics().iter().map(gaining).collect()
            }
            _ => Vec::new(),
        };
        Ok(Part { sight, places, inner, base, served, gaining })
    }

    /// The topics in which its measures find nothing relevant.
    pub(super) fn without_relevant(&self) -> impl Iterator<Item = Box<[u8]>> {
        let first = self.inner.first().map_or(&[][..], |inner| &inner.without_relevant);
        first
            .iter()
            .filter(|topic| self.inner.iter().all(|inner| inner.without_relevant.contains(topic)))
            .cloned()
    }

    /// The values of a ranked topic.
    pub(super) fn score(
        &self,
        whole: &Evaluator,
        position: usize,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Result<()> {
        let topic = &self.base.topics()[position];
        let measures = self.inner.first().map_or(0, |inner| inner.measures.len());
        let mut sums = vec![Sum::default(); measures];
        let score = |case: &Case, measure: &Measure| measure.score(case);
        if self.sight.over == Over::Intents {
            // One that no document was judged under adds nothing to the sum; its
            // weight is in the shares of the others.
            for (intent, inner) in self.inner.iter().enumerate().take(topic.intents().judged()) {
                let share = topic.intents().share(intent);
                inner.each_case(position, workspace, |case, measure, i| {
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
            let Workspace { ranking, trace, .. } = workspace;
            match self.sight.over {
                // A document has its own grade, not that of its class.
                Over::Classes => {
                    trace.write(ranking, topic, &inner.is_judged);
                    self.once_a_class(whole, position, &ranking.hits, trace);
                }
                _ => trace.write(ranking, &inner.qrels.topics()[position], &inner.is_judged),
            }
            if self.sight.over == Over::Typed {
                extra = self.once_an_intent(position, &ranking.hits, trace);
            }
            inner.each_view(position, workspace, &extra, |case, measure, i| {
                sums[i] = Sum { value: score(case, measure), defined: case.view.num_rel > 0 };
                Ok(())
            })?;
        }
        for (slot, &(place, i)) in (position * self.places.len()..).zip(&self.places) {
            let measure = &whole.measures[place];
            let Sum { mut value, defined } = sums[i];
            if measure.sharp > 0.0 && defined {
                let leveled = whole.leveled(measure);
                let recall = self.recall_of_intents(whole, &leveled, (position, slot), workspace);
                value = measure.sharp * recall + (1.0 - measure.sharp) * value;
            }
            out[place] = whole.options.undefined.settle(value, defined, measure, topic.id())?;
        }
        Ok(())
    }

    /// Takes its gain from every document whose class stands above it.
    fn once_a_class(
        &self,
        whole: &Evaluator,
        position: usize,
        hits: &[(u32, u32)],
        trace: &mut Trace,
    ) {
        let first = &whole.measures[self.places[0].0];
        let classes = whole.column(CLASS, position).unwrap_or_default();
        let nothing = self.base.grades().partition_point(|grade| *grade < 0.0) as u32;
        let mut seen: Vec<f64> = Vec::new();
        for (number, hit) in known(hits, &self.base.topics()[position]).zip(&mut trace.hits) {
            let gain = self.sight.gain(first, self.base.grades()[hit.grade_index as usize]);
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
    fn once_an_intent(&self, position: usize, hits: &[(u32, u32)], trace: &mut Trace) -> Vec<f64> {
        let topic = &self.base.topics()[position];
        let intents = topic.intents();
        let grades = self.inner[0].qrels.grades();
        let mut extra: Vec<f64> = Vec::new();
        let mut served = vec![false; intents.names().len()];
        let shares: Vec<f64> = (0..served.len()).map(|intent| intents.share(intent)).collect();
        for (number, hit) in known(hits, topic).zip(&mut trace.hits) {
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
                let level = among(grades).or_else(|| Some(grades.len() + among(&extra)?));
                hit.grade_index = level.unwrap_or_else(|| {
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
        whole: &Evaluator,
        measure: &Measure,
        (position, slot): (usize, usize),
        workspace: &Workspace,
    ) -> f64 {
        let topic = &self.base.topics()[position];
        let intents = topic.intents();
        let sight = Sight {
            over: Over::Global,
            ..Sight::of(&Measure { over: Over::Global, ..measure.clone() })
        };
        let serve = |served: &mut [bool], number: usize| {
            for &(intent, grade) in intents.grades(number as u32) {
                let served = &mut served[intent as usize];
                *served = *served || sight.gain(measure, grade) > 0.0;
            }
        };
        let count = |served: &[bool]| served.iter().filter(|served| **served).count() as f64;
        let all = *self.served[slot].get_or_init(|| {
            let mut all = vec![false; intents.names().len()];
            for (number, _, level) in topic.judgments() {
                if whole.judges(self.base.grades()[level as usize]) {
                    serve(&mut all, number);
                }
            }
            count(&all)
        });
        let mut found = vec![false; intents.names().len()];
        let hits = &workspace.trace.hits;
        for (number, hit) in known(&workspace.ranking.hits, topic).zip(hits) {
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
fn known<'a>(hits: &'a [(u32, u32)], topic: &'a Topic) -> impl Iterator<Item = usize> + 'a {
    let numbers = hits.iter().map(|&(_, number)| number);
    numbers.filter(|&number| topic.levels().get(number).is_some()).map(|number| number as usize)
}

/// Which documents, by topic and number, stand for their classes: those that
/// gain most, and those that gain nothing.
fn best_of_classes(whole: &Evaluator, base: &Qrels, gain: impl Fn(f64) -> f64) -> Vec<Vec<bool>> {
    let best = |(position, topic): (usize, &Topic)| {
        let classes = whole.column(CLASS, position).unwrap_or_default();
        let mut best = vec![true; topic.docs().len()];
        let mut members: Vec<(f64, f64, usize)> = Vec::new();
        for (number, _, level) in topic.judgments() {
            let grade = base.grades()[level as usize];
            if whole.judges(grade) && gain(grade) > 0.0 {
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
