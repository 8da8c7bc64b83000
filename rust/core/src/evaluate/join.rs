//! Joining a run with the judgments: while its lists arrive, or to be scored later.

use std::sync::{Arc, Mutex, PoisonError};

use super::compile::Workspace;
use super::evaluator::Evaluator;
use super::input::{Input, Ranked};
use super::mismatch::Strangers;
use super::options::{Monitor, Options};
use super::rows::{Cell, Context, Filling, Kernel, RunRow};
use super::runs::each_run;
use crate::error::{self, Error};
use crate::memory;
use crate::qrels::Qrels;
use crate::rank::{JoinTarget, Lines, Ranker, Ranking, Scratch, Unrankable};
use crate::scores::{Missing, Notes, Scores};

/// A run that is joined with an evaluator's judgments, a list at a time. What
/// comes of it is for that evaluator alone: of a list no more is kept than its
/// measures look at.
pub struct Joiner<'a, T> {
    evaluator: &'a Evaluator,
    scratch: Scratch,
    ranking: Ranking,
    notes: Notes,
    strangers: Strangers,
    taker: T,
}

/// What takes the rankings of a run.
pub trait Taker {
    /// Takes the ranking of the topic at a position, and leaves one to write over.
    fn take(&mut self, position: usize, ranking: &mut Ranking);
}

/// Keeps all rankings of a run.
pub struct Keeper(Vec<Option<Ranking>>);

impl Taker for Keeper {
    fn take(&mut self, position: usize, ranking: &mut Ranking) {
        self.0[position] = Some(std::mem::take(ranking));
    }
}

/// Scores the rankings of a run, some topics at a time, in memory that is used again.
pub struct Scorer<'a> {
    row: RunRow<'a>,
    workspace: Workspace,
    waiting: Vec<(usize, Ranking)>,
    /// How many of these are to be scored.
    count: usize,
    failure: Option<Error>,
}

/// This many rankings are scored together: they fit into the second-level cache.
const RANKINGS_AT_ONCE: usize = 64;

impl<'a> Scorer<'a> {
    pub(super) fn new(row: RunRow<'a>) -> Self {
        let workspace = Workspace::default();
        Scorer { row, workspace, waiting: Vec::new(), count: 0, failure: None }
    }

    /// Whether this many rankings wait that they are to be scored now.
    pub fn is_full(&self) -> bool {
        self.count == RANKINGS_AT_ONCE
    }

    /// Scores what waits. A failure is kept.
    pub fn score(&mut self) {
        for (position, ranking) in &self.waiting[..self.count] {
            let filled = self.row.fill(*position, ranking, &mut self.workspace);
            self.failure = self.failure.take().or(filled.err());
        }
        self.count = 0;
    }

    /// Scores what is left, and fills the topics that did not come. Nothing if that fails.
    pub(super) fn finish(
        mut self,
        name: &str,
        (notes, strangers): (Notes, Strangers),
    ) -> Option<Notes> {
        self.score();
        if self.failure.is_some() {
            return None;
        }
        (self.row.seen.notes, self.row.seen.strangers) = (notes, strangers);
        self.row.finish(name, &mut self.workspace).ok()
    }
}

impl Taker for Scorer<'_> {
    fn take(&mut self, position: usize, ranking: &mut Ranking) {
        if self.count == self.waiting.len() {
            self.waiting.push((0, Ranking::default()));
        }
        let (place, kept) = &mut self.waiting[self.count];
        *place = position;
        std::mem::swap(kept, ranking);
        self.count += 1;
    }
}

impl<'a> Joiner<'a, Keeper> {
    /// Nothing joined yet; rankings are kept.
    pub fn keeping(evaluator: &'a Evaluator) -> Self {
        Joiner::new(evaluator, Keeper(vec![None; evaluator.qrels().topics().len()]))
    }

    /// The run as it is scored.
    pub fn finish(mut self, name: String) -> error::Result<Ranked> {
        let Evaluator { context, .. } = self.evaluator;
        let come = self.taker.0.iter().flatten().count();
        self.strangers.note(&mut self.notes, come, &context.qrels)?;
        self.notes.note_own(come);
        Ok(Ranked {
            name,
            tables: Arc::clone(context.tables()),
            rankings: self.taker.0,
            unjudged_depth: context.options.ranker.unjudged_depth,
            groups: context.options.ranker.groups,
            notes: self.notes,
        })
    }
}

impl<'a, T: Taker> Joiner<'a, T> {
    pub(super) fn new(evaluator: &'a Evaluator, taker: T) -> Self {
        let notes = evaluator.context.blank_notes();
        let (scratch, ranking) = (Scratch::default(), Ranking::default());
        let strangers = Strangers::default();
        Joiner { evaluator, scratch, ranking, notes, strangers, taker }
    }

    /// What takes the rankings.
    pub fn taker(&mut self) -> &mut T {
        &mut self.taker
    }

    /// What took the rankings, and the notes.
    fn into_parts(self) -> (T, (Notes, Strangers)) {
        (self.taker, (self.notes, self.strangers))
    }

    /// The position of a topic of the judgments.
    pub fn position(&self, topic: &[u8]) -> Option<usize> {
        self.evaluator.qrels().position(topic)
    }

    /// The judgments.
    pub fn qrels(&self) -> &'a Qrels {
        self.evaluator.qrels()
    }

    /// Joins the list of a judged topic by a function that ranks it, looking
    /// so far down, and returns how many lines it has; nothing if it cannot.
    pub fn ranked(
        &mut self,
        position: usize,
        rank: impl FnOnce(&Ranker, u32, &mut Scratch, &mut Ranking) -> Option<usize>,
    ) -> Option<usize> {
        let Evaluator { context, reach, .. } = self.evaluator;
        let ranker = &context.options.ranker;
        self.scratch.seeks = self.strangers.are_sought(&context.options, Some(position));
        let lines = rank(ranker, *reach, &mut self.scratch, &mut self.ranking)?;
        self.keep(position, lines);
        Some(lines)
    }

    /// Joins a list in lines.
    pub fn lines(&mut self, id: &[u8], lines: &Lines) -> Result<(), Unrankable> {
        let Evaluator { context, reach, .. } = self.evaluator;
        let position = context.qrels.position(id);
        let target = JoinTarget::new(&context.qrels, context.topic(position), *reach);
        self.scratch.seeks = self.strangers.are_sought(&context.options, position);
        context.options.ranker.rank(lines, target, &mut self.scratch, &mut self.ranking)?;
        self.notes.duplicates += self.ranking.duplicates;
        match position {
            Some(position) => self.keep(position, lines.len()),
            None => self.without_judgments(id, lines.len()),
        }
        Ok(())
    }

    /// Notes a topic without judgments, and how many lines it has.
    pub fn without_judgments(&mut self, id: &[u8], lines: usize) {
        self.notes.lines += lines as u64;
        self.notes.without_judgments.push(id.into());
    }

    fn keep(&mut self, position: usize, lines: usize) {
        self.notes.lines += lines as u64;
        self.notes.count_ties(&self.ranking, &self.scratch);
        self.strangers.take(position, &self.ranking, &mut self.scratch);
        self.evaluator.context.note_moved(&mut self.notes, position, &self.ranking);
        self.taker.take(position, &mut self.ranking);
    }
}

impl Evaluator {
    /// Ranks runs and joins them with the judgments, to be scored later by any
    /// measure that looks at the documents of the judgments only, and by the
    /// evaluator's own; with `keep_unjudged` by all.
    pub fn rank(
        &self,
        inputs: &[Input],
        keep_unjudged: bool,
        monitor: &Arc<Monitor>,
    ) -> error::Result<Vec<Ranked>> {
        rank_runs(self.qrels(), self.options(), inputs, keep_unjudged, monitor)
    }

    /// Scores a run whose lists `join` joins with the judgments; it returns whether it could.
    /// Nothing if it could not, or if the run or the measures need more than that; then
    /// [`Evaluator::evaluate`] has the scores or the error.
    pub fn evaluate_lists<E>(
        &self,
        name: &str,
        join: impl FnOnce(&mut Joiner<Scorer>) -> std::result::Result<bool, E>,
    ) -> std::result::Result<Option<Scores>, E> {
        if self.is_pooled() {
            return Ok(None);
        }
        let fill = self.fill();
        let kernel = Kernel { cells: 1, reach: self.reach, fill: &fill };
        let width = self.measures().count();
        let filling = Filling { context: &self.context, kernel: &kernel, width };
        let mut values = vec![0.0; filling.cells()];
        let scorer = Scorer::new(RunRow::new(filling, 0, &mut values));
        let mut joiner = Joiner::new(self, scorer);
        if !join(&mut joiner)? {
            return Ok(None);
        }
        let (scorer, found) = joiner.into_parts();
        let Some(notes) = scorer.finish(name, found) else { return Ok(None) };
        Ok(Some(self.labelled_as(vec![name.to_string()], values, vec![notes])))
    }
}

/// Ranks runs and joins them with judgments; with `keep_unjudged` the documents
/// outside the judgments are kept as well.
pub(crate) fn rank_runs(
    qrels: &Arc<Qrels>,
    options: Options,
    inputs: &[Input],
    keep_unjudged: bool,
    monitor: &Arc<Monitor>,
) -> error::Result<Vec<Ranked>> {
    let unjudged_depth = if keep_unjudged { u32::MAX } else { options.ranker.unjudged_depth };
    let ranker = Ranker { unjudged_depth, groups: true, ..options.ranker };
    let options = Options { ranker, missing: Missing::Skip, ..options };
    let context = Context::new(Arc::clone(qrels), options)?;
    memory::room_for(size_of::<Option<Ranking>>() * qrels.topics().len() * inputs.len())?;
    let empty = || Mutex::new(vec![None; qrels.topics().len()]);
    let kept: Vec<Mutex<Vec<Option<Ranking>>>> = inputs.iter().map(|_| empty()).collect();
    let fill = |cell: Cell, ranking: &Ranking, _: &mut Workspace, _: &mut [f64]| {
        let mut kept = kept[cell.run].lock().unwrap_or_else(PoisonError::into_inner);
        kept[cell.topic] = Some(ranking.copied()?);
        Ok(())
    };
    let kernel = Kernel { cells: 0, reach: u32::MAX, fill: &fill };
    let filling = Filling { context: &context, kernel: &kernel, width: 0 };
    let (_, notes) = each_run(inputs, filling, monitor)?;
    let runs = inputs.iter().zip(kept).zip(notes);
    let ranked = runs.map(|((input, kept), notes)| Ranked {
        name: input.name().to_string(),
        tables: Arc::clone(context.tables()),
        rankings: kept.into_inner().unwrap_or_else(PoisonError::into_inner),
        unjudged_depth,
        groups: true,
        notes,
    });
    Ok(ranked.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Input, Monitor, Options};
    use crate::grammar::parse;
    use crate::measure::{Cutoff, FAMILIES, Measure};
    use crate::qrels::Builder;
    use crate::rank::Hit;

    /// Of each family that says how far it looks a measure that looks at
    /// three documents.
    fn shallow() -> Vec<Measure> {
        let named = FAMILIES.iter().filter_map(|family| {
            let cut = matches!(family.takes.cutoff, Cutoff::Optional | Cutoff::Required);
            let examples = family.examples.iter().filter_map(|e| parse(e.measure).ok());
            let plain = examples.map(|measure| Measure { prime: false, ..measure });
            let cut = plain.map(|m| Measure { cutoff: cut.then_some(3.0), ..m });
            let mut looks = cut.filter(|m| (m.family.sees.reach)(m) <= 3);
            looks.next()
        });
        named.collect()
    }

    #[test]
    fn what_is_below_the_reach_changes_nothing() {
        let measures = shallow();
        assert!(measures.len() > 15, "{measures:?}");
        let mut builder = Builder::new(&[]);
        for i in 0..40 {
            let grade = f64::from(i % 4) - 1.0;
            builder.add(b"1", format!("d{i}").as_bytes(), grade, &[], 0).unwrap();
        }
        let qrels = Arc::new(builder.finish(Some(1000)));
        let evaluator = Evaluator::new(qrels, &measures, Options::default()).unwrap();
        let ranked = |hits: &[Hit], retrieved| {
            let mut joiner = Joiner::keeping(&evaluator);
            let ranking = Ranking { retrieved, hits: hits.to_vec(), ..Ranking::default() };
            joiner.ranked(0, |_, _, _, place| {
                *place = ranking;
                Some(retrieved as usize)
            });
            Input::Ranked(Arc::new(joiner.finish("run".into()).unwrap()))
        };
        for seed in 0..200u32 {
            let hits: Vec<Hit> = (1..30)
                .filter(|i| (i * seed) % 3 != 1)
                .map(|i| Hit { rank: i, document: (i * 7 + seed) % 40 })
                .collect();
            let cut = hits.partition_point(|hit| hit.rank <= 3);
            let inputs = [ranked(&hits, 29), ranked(&hits[..cut], 29)];
            let scores = evaluator.evaluate(&inputs, &Arc::new(Monitor::default())).unwrap();
            for (i, measure) in measures.iter().enumerate() {
                assert_eq!(scores.row(0, 0)[i], scores.row(1, 0)[i], "{measure}");
            }
        }
    }
}
