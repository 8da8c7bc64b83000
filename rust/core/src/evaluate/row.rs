//! The row of one run, filled topic by topic.

use std::sync::Arc;

use super::{Evaluator, Kernel, Ranked, Spot, Workspace};
use crate::error::{Error, Kind, Result, quote};
use crate::qrels::{Qrels, Topic};
use crate::rank::arrays::{Aim, Arrays};
use crate::rank::{Lines, Order, Ranking, Run, Unrankable, keep_one, without_ranks};
use crate::read::run::{Gathered, Places, Trailer};
use crate::scores::{Missing, Notes};
use crate::table::Table;

/// The row of one run while it is filled.
pub(super) struct Sheet<'a> {
    evaluator: &'a Evaluator,
    kernel: &'a Kernel<'a>,
    place: usize,
    pub(super) row: &'a mut [f64],
    pub(super) done: Vec<bool>,
    pub(super) notes: Notes,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(
        evaluator: &'a Evaluator,
        kernel: &'a Kernel<'a>,
        place: usize,
        row: &'a mut [f64],
    ) -> Self {
        let done = vec![false; evaluator.qrels.topics().len()];
        Sheet { evaluator, kernel, place, row, done, notes: evaluator.blank_notes() }
    }

    /// The sheet as it was at the beginning.
    pub(super) fn anew(self) -> Self {
        Sheet::new(self.evaluator, self.kernel, self.place, self.row)
    }

    pub(super) fn evaluator(&self) -> &'a Evaluator {
        self.evaluator
    }

    /// What fills it, and which run it is of.
    pub(super) fn kernel(&self) -> (&'a Kernel<'a>, usize) {
        (self.kernel, self.place)
    }

    /// Notes what is known at the end of a file.
    pub(super) fn end(&mut self, trailer: Trailer) {
        self.notes.tag = trailer.tag;
        self.notes.repaired = self.repaired(trailer.repaired, trailer.repaired_ranks);
        self.notes.comments = trailer.comments;
    }

    /// How many numbers were repaired that the order looks at.
    fn repaired(&self, scores: u64, ranks: u64) -> u64 {
        let by_rank = self.evaluator.options.ranker.order == Order::Rank;
        scores + if by_rank { ranks } else { 0 }
    }

    /// Takes over the topics that were done elsewhere, from a later part of
    /// the same file.
    pub(super) fn take(&mut self, row: &[f64], done: &[bool], notes: Notes) {
        let width = self.evaluator.measures.len() * self.kernel.cells;
        for topic in (0..done.len()).filter(|&topic| done[topic]) {
            self.done[topic] = true;
            self.cells(topic).copy_from_slice(&row[topic * width..(topic + 1) * width]);
        }
        self.notes.tag = notes.tag;
        self.notes.lines += notes.lines;
        self.notes.ties += notes.ties;
        self.notes.duplicates += notes.duplicates;
        self.notes.repaired += notes.repaired;
        self.notes.comments += notes.comments;
        self.notes.f32_differs = self.notes.f32_differs.zip(notes.f32_differs).map(|(a, b)| a + b);
        self.notes.without_judgments.extend(notes.without_judgments);
    }

    /// What the kernel makes of the ranking in the workspace.
    fn fill(&mut self, topic: usize, workspace: &mut Workspace) -> Result<()> {
        self.done[topic] = true;
        let spot = Spot { run: self.place, topic };
        (self.kernel.fill)(self.evaluator, spot, workspace, self.cells(topic))
    }

    fn cells(&mut self, position: usize) -> &mut [f64] {
        let width = self.evaluator.measures.len() * self.kernel.cells;
        &mut self.row[position * width..(position + 1) * width]
    }

    /// Ranks and scores the lines of a topic that has this position among the judged ones,
    /// if it is one of them.
    pub(super) fn topic(
        &mut self,
        (id, position): (&[u8], Option<usize>),
        lines: &Lines,
        places: Option<&Places>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let evaluator = self.evaluator;
        let topic = evaluator.topic(position);
        let Workspace { scratch, ranking, .. } = workspace;
        let ranked =
            evaluator.options.ranker.rank(lines, &evaluator.qrels, topic, scratch, ranking);
        ranked.map_err(|unrankable| explain(unrankable, id, lines, places))?;
        self.score(id, position, workspace)
    }

    /// Scores the ranking in the workspace.
    fn score(
        &mut self,
        id: &[u8],
        position: Option<usize>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.notes.duplicates += workspace.ranking.duplicates;
        if let Some(position) = position {
            self.notes.ties += workspace.ranking.ties;
            self.evaluator.note_moved(&mut self.notes, position, &workspace.ranking);
            self.fill(position, workspace)
        } else {
            self.notes.without_judgments.push(id.into());
            Ok(())
        }
    }

    /// Scores a run in arrays.
    pub(super) fn arrays(&mut self, arrays: &Arrays, workspace: &mut Workspace) -> Result<()> {
        let evaluator = self.evaluator;
        let qrels = &*evaluator.qrels;
        for (id, list) in &arrays.lists {
            let position = qrels.position(id);
            let topic = evaluator.topic(position);
            let aim = Aim { qrels, topic, check: arrays.check, reach: self.kernel.reach };
            let Workspace { desk, ranking, .. } = workspace;
            let ranked = evaluator.options.ranker.rank_list(list, aim, desk, ranking);
            let lines = ranked.map_err(|flaw| list.explain(flaw, id))?;
            self.notes.lines += lines as u64;
            self.score(id, position, workspace)?;
        }
        Ok(())
    }

    /// Scores a run in memory whose lines have places in a file.
    pub(super) fn gathered(
        &mut self,
        gathered: &Gathered,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let scored = self.held(&gathered.run, Some(&gathered.places), workspace);
        scored.map_err(|e| e.in_file(&gathered.file))
    }

    /// Scores a run that was ranked before.
    pub(super) fn ranked(&mut self, ranked: &Ranked, workspace: &mut Workspace) -> Result<()> {
        let topics = self.evaluator.qrels.topics();
        let same = |(topic, table): (&Topic, &Arc<Table>)| Arc::ptr_eq(topic.docs(), table);
        if topics.len() != ranked.tables.len() || !topics.iter().zip(&ranked.tables).all(same) {
            let message = format!(
                "run {} was ranked with judgments of other documents; rank it with these, or with those that these were made from",
                quote(&ranked.name)
            );
            return Err(Error::new(Kind::Option, message));
        }
        if self.evaluator.options.ranker.strangers > ranked.strangers {
            return Err(Error::for_each(Kind::Needs, |to| {
                format!(
                    "a measure looks at the documents outside the judgments, which run {} was ranked without; {}",
                    quote(&ranked.name),
                    to.either("rank it with coins=True", "leave the measure out")
                )
            }));
        }
        if self.evaluator.options.ranker.groups && !ranked.groups {
            return Err(Error::for_each(Kind::Option, |to| {
                format!(
                    "{} is about equal scores, which run {} was ranked without; score the run itself",
                    to.option("ties"),
                    quote(&ranked.name)
                )
            }));
        }
        self.notes = Notes { missing: Vec::new(), ..ranked.notes.clone() };
        for (position, ranking) in ranked.rankings.iter().enumerate() {
            if let Some(ranking) = ranking {
                workspace.ranking.copy(ranking);
                if let Some(depth) = self.evaluator.options.ranker.depth {
                    workspace.ranking.cut(depth);
                }
                self.fill(position, workspace)?;
            }
        }
        Ok(())
    }

    /// Scores a run in memory.
    pub(super) fn held(
        &mut self,
        run: &Run,
        places: Option<&[Places]>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        for (i, (topic, lines)) in run.topics.iter().enumerate() {
            self.notes.lines += lines.len() as u64;
            let topic = (&**topic, self.evaluator.qrels.position(topic));
            self.topic(topic, lines, places.map(|places| &places[i]), workspace)?;
        }
        self.notes.tag.clone_from(&run.tag);
        self.notes.repaired = self.repaired(run.repaired, run.repaired_ranks);
        self.notes.comments = run.comments;
        Ok(())
    }

    /// Fills the topics that did not come; an error if that is all of them.
    pub(super) fn finish(mut self, name: &str, workspace: &mut Workspace) -> Result<Notes> {
        let evaluator = self.evaluator;
        if evaluator.options.expects_topics() && !self.done.contains(&true) {
            let topics = self.notes.without_judgments.iter().map(|topic| &**topic);
            return Err(nothing_in_common(name, topics, &evaluator.qrels));
        }
        for position in 0..self.done.len() {
            if self.done[position] {
                continue;
            }
            self.notes.missing.push(evaluator.qrels.topics()[position].id().into());
            if evaluator.options.missing == Missing::Skip {
                self.cells(position).fill(f64::NAN);
            } else {
                workspace.ranking = Ranking::default();
                self.fill(position, workspace)?;
            }
        }
        if evaluator.options.missing == Missing::Error && !self.notes.missing.is_empty() {
            let shown: Vec<String> = self.notes.missing.iter().take(5).map(quote).collect();
            let more = if self.notes.missing.len() > shown.len() { " ..." } else { "" };
            let message = format!(
                "expected every topic of the judgments in run {}, found {} missing: {}{more}",
                quote(name),
                self.notes.missing.len(),
                shown.join(" ")
            );
            return Err(Error::new(Kind::Topics, message));
        }
        Ok(self.notes)
    }
}

/// The error for a run that has none of the topics of the judgments.
#[cold]
pub(super) fn nothing_in_common<'a>(
    run: &str,
    topics: impl Iterator<Item = &'a [u8]>,
    qrels: &Qrels,
) -> Error {
    let theirs = some(topics);
    let ours = some(qrels.topics().iter().map(Topic::id));
    Error::for_each(Kind::Topics, |to| {
        format!(
            "run {} has no topic in common with the judgments: the run has {theirs}, the judgments have {ours}; \
             give the judgments of this run's topics, or {} to leave the others out",
            quote(run),
            to.choice("missing", "skip")
        )
    })
}

/// The first few topics, for a message.
fn some<'a>(topics: impl Iterator<Item = &'a [u8]>) -> String {
    let mut first: Vec<String> = topics.take(SOME + 1).map(quote).collect();
    if first.is_empty() {
        return "none".to_string();
    }
    if first.len() > SOME {
        first[SOME] = "...".to_string();
    }
    first.join(" ")
}

/// How many topics a message names.
const SOME: usize = 3;

/// The error for a list that cannot be ranked.
#[cold]
pub(crate) fn explain(
    unrankable: Unrankable,
    topic: &[u8],
    lines: &Lines,
    places: Option<&Places>,
) -> Error {
    match unrankable {
        Unrankable::NoRanks => without_ranks(topic),
        Unrankable::Repeated(repeated) => {
            let document = lines.document(repeated.second);
            if let Some(places) = places {
                return places.duplicate(repeated, topic, document);
            }
            Error::for_each(Kind::Duplicate, |to| {
                format!(
                    "expected a document once for each topic, found {} again for topic {}: positions {} and {}; {}",
                    quote(document),
                    quote(topic),
                    repeated.first + 1,
                    repeated.second + 1,
                    keep_one(to)
                )
            })
        }
    }
}
