//! One ranked topic: its trace, its views, and what each measure sees of it.

use super::compile::{CompiledMeasures, Prepared, column, design};
use super::kernel::Workspace;
use crate::error::{Error, Kind, Result, quote};
use crate::measure::{Case, Measure};
use crate::memory;
use crate::rank::Ranking;
use crate::read::qrels::COST;
use crate::sample::{self, Sample};
use crate::trace::{Lens, Record, Relevant, View};

/// What so few documents need is less than what any call takes.
const SHORT: usize = 1 << 12;

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
        if ranking.hits.len() + ranking.unjudged_docs.len() + documents < SHORT {
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
        let Workspace { trace, views } = workspace;
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
        let Workspace { trace, views } = workspace;
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
