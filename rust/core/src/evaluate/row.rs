//! The row of one run in the table, filled topic by topic.

use super::context::{Context, explain, nothing_in_common};
use super::input::Ranked;
use super::kernel::{Cell, Kernel, Workspace};
use super::mismatch::Strangers;
use super::ranks::{RanksSeen, rising_lines, rising_list};
use crate::error::{Error, Kind, Result, quote};
use crate::interrupt;
use crate::rank::arrays::{ArrayScratch, Arrays};
use crate::rank::{JoinTarget, Lines, Order, Ranking, Run, Scratch};
use crate::read::run::{Gathered, Places, Trailer};
use crate::scores::{Missing, Notes};

/// After this many topics in memory it is asked whether to stop; reading asks as well.
const ASKED: usize = 16;

/// Memory for ranking and scoring that a thread uses again from run to run.
#[derive(Default)]
pub(super) struct Memory {
    scratch: Scratch,
    arrays: ArrayScratch,
    ranking: Ranking,
    pub(super) workspace: Workspace,
}

/// How the rows of a table are filled.
#[derive(Clone, Copy)]
pub(super) struct Filling<'a> {
    pub(super) context: &'a Context,
    pub(super) kernel: &'a Kernel<'a>,
    /// How many cells a topic has.
    pub(super) width: usize,
}

impl Filling<'_> {
    /// How many cells a row has.
    pub(super) fn cells(&self) -> usize {
        self.context.qrels.topics().len() * self.width
    }
}

/// The row of one run while it is filled.
pub(super) struct RunRow<'a> {
    filling: Filling<'a>,
    /// The position of the run among all.
    place: usize,
    cells: &'a mut [f64],
    pub(super) done: Vec<bool>,
    pub(super) notes: Notes,
    pub(super) strangers: Strangers,
    pub(super) ranks: RanksSeen,
}

impl<'a> RunRow<'a> {
    pub(super) fn new(filling: Filling<'a>, place: usize, cells: &'a mut [f64]) -> Self {
        let done = vec![false; filling.context.qrels.topics().len()];
        let (notes, strangers) = (filling.context.blank_notes(), Strangers::default());
        RunRow { filling, place, cells, done, notes, strangers, ranks: RanksSeen::default() }
    }

    /// The row as it was at the beginning.
    pub(super) fn anew(self) -> Self {
        RunRow::new(self.filling, self.place, self.cells)
    }

    pub(super) fn filling(&self) -> Filling<'a> {
        self.filling
    }

    /// The position of the run among all.
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// Notes what is known at the end of a file.
    pub(super) fn end(&mut self, trailer: Trailer) {
        self.notes.tag = trailer.tag;
        self.notes.repaired = self.repaired(trailer.repaired, trailer.repaired_ranks);
        self.notes.comments = trailer.comments;
    }

    /// How many numbers were repaired that the order looks at.
    fn repaired(&self, scores: u64, ranks: u64) -> u64 {
        let by_rank = self.filling.context.options.ranker.order == Order::Rank;
        scores + if by_rank { ranks } else { 0 }
    }

    /// Takes over the topics that were done in another row, from a later part
    /// of the same file.
    pub(super) fn take(
        &mut self,
        cells: &[f64],
        done: &[bool],
        (notes, strangers, ranks): (Notes, Strangers, RanksSeen),
    ) {
        let width = self.filling.width;
        for topic in (0..done.len()).filter(|&topic| done[topic]) {
            self.done[topic] = true;
            self.cells(topic).copy_from_slice(&cells[topic * width..(topic + 1) * width]);
        }
        self.notes.tag = notes.tag;
        self.notes.lines += notes.lines;
        self.notes.ties += notes.ties;
        self.notes.seen += notes.seen;
        self.notes.tied += notes.tied;
        self.notes.duplicates += notes.duplicates;
        self.notes.repaired += notes.repaired;
        self.notes.comments += notes.comments;
        if self.ranks.add(&ranks) {
            self.notes.said = notes.said;
        }
        self.notes.f32_differs = self.notes.f32_differs.zip(notes.f32_differs).map(|(a, b)| a + b);
        self.notes.without_judgments.extend(notes.without_judgments);
        self.strangers.append(strangers);
    }

    fn cells(&mut self, topic: usize) -> &mut [f64] {
        let width = self.filling.width;
        &mut self.cells[topic * width..(topic + 1) * width]
    }

    /// Fills the cells of a topic.
    pub(super) fn fill(
        &mut self,
        topic: usize,
        ranking: &Ranking,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.done[topic] = true;
        if topic.is_multiple_of(ASKED) {
            interrupt::check()?;
        }
        if !self.filling.context.wants(topic) {
            self.cells(topic).fill(f64::NAN);
            return Ok(());
        }
        let cell = Cell { run: self.place, topic };
        (self.filling.kernel.fill)(cell, ranking, workspace, self.cells(topic))
    }

    /// Ranks and scores the lines of a topic that has this position among the judged ones,
    /// if it is one of them.
    pub(super) fn topic(
        &mut self,
        (id, position): (&[u8], Option<usize>),
        lines: &Lines,
        places: Option<&Places>,
        memory: &mut Memory,
    ) -> Result<()> {
        let Filling { context, kernel, .. } = self.filling;
        let target = JoinTarget::new(&context.qrels, context.topic(position), kernel.reach);
        let Memory { scratch, ranking, .. } = memory;
        self.look_at_ranks(lines.len(), lines.ranks(), || rising_lines(id, lines));
        scratch.seeks = self.strangers.are_sought(&context.options, position);
        let ranked = context.options.ranker.rank(lines, target, scratch, ranking);
        ranked.map_err(|unrankable| explain(unrankable, id, lines, places))?;
        self.note(position, ranking, scratch);
        self.score(id, position, memory)
    }

    /// Looks at the ranks of a list: of the first one alone, unless the order goes by them.
    fn look_at_ranks(
        &mut self,
        documents: usize,
        ranks: &[f64],
        rising: impl FnOnce() -> Option<String>,
    ) {
        match self.filling.context.options.ranker.order {
            Order::Input => {}
            Order::Rank => self.ranks.count(ranks),
            Order::DocnoDesc | Order::DocnoAsc => {
                if self.ranks.is_first(documents)
                    && let Some(rising) = rising()
                {
                    self.notes.say().rising = Some(rising);
                }
            }
        }
    }

    /// Notes ties and unknown documents of a list that was ranked, if its topic is judged.
    fn note(&mut self, position: Option<usize>, ranking: &Ranking, scratch: &mut Scratch) {
        if let Some(position) = position {
            self.notes.count_ties(ranking, scratch);
            self.strangers.take(position, ranking, scratch);
        }
    }

    /// Scores the ranking in memory.
    fn score(&mut self, id: &[u8], position: Option<usize>, memory: &mut Memory) -> Result<()> {
        let Memory { ranking, workspace, .. } = memory;
        self.notes.duplicates += ranking.duplicates;
        if let Some(position) = position {
            self.filling.context.note_moved(&mut self.notes, position, ranking);
            self.fill(position, ranking, workspace)
        } else {
            self.notes.without_judgments.push(id.into());
            Ok(())
        }
    }

    /// Scores a run in arrays.
    pub(super) fn arrays(&mut self, run: &Arrays, memory: &mut Memory) -> Result<()> {
        let Filling { context, kernel, .. } = self.filling;
        for (id, list) in &run.lists {
            let position = context.qrels.position(id);
            let target = JoinTarget::new(&context.qrels, context.topic(position), kernel.reach);
            let Memory { arrays, ranking, .. } = memory;
            let ranks = list.ranks.unwrap_or_default();
            let documents = list.filled().take(2).count();
            self.look_at_ranks(documents, ranks, || rising_list(id, list));
            arrays.lists().seeks = self.strangers.are_sought(&context.options, position);
            let ranked = list.rank(&context.options.ranker, (target, run.check), arrays, ranking);
            let lines = ranked.map_err(|flaw| list.explain(flaw, id))?;
            self.notes.lines += lines as u64;
            self.note(position, ranking, arrays.lists());
            self.score(id, position, memory)?;
        }
        Ok(())
    }

    /// Scores a run in memory whose lines have places in a file.
    pub(super) fn gathered(&mut self, gathered: &Gathered, memory: &mut Memory) -> Result<()> {
        let scored = self.run(&gathered.run, Some(&gathered.places), memory);
        scored.map_err(|e| e.in_file(&gathered.file))
    }

    /// Scores a run in memory.
    pub(super) fn run(
        &mut self,
        run: &Run,
        places: Option<&[Places]>,
        memory: &mut Memory,
    ) -> Result<()> {
        for (i, (topic, lines)) in run.topics.iter().enumerate() {
            self.notes.lines += lines.len() as u64;
            let topic = (&**topic, self.filling.context.qrels.position(topic));
            self.topic(topic, lines, places.map(|places| &places[i]), memory)?;
        }
        self.notes.tag.clone_from(&run.tag);
        self.notes.repaired = self.repaired(run.repaired, run.repaired_ranks);
        self.notes.comments = run.comments;
        Ok(())
    }

    /// Scores a run that was ranked before.
    pub(super) fn ranked(&mut self, ranked: &Ranked, memory: &mut Memory) -> Result<()> {
        let Context { options, .. } = self.filling.context;
        if !self.filling.context.has_tables(&ranked.tables) {
            let message = format!(
                "run {} was ranked with judgments of other documents; rank it with these, or with those that these were made from",
                quote(&ranked.name)
            );
            return Err(Error::new(Kind::Option, message));
        }
        if options.ranker.unjudged_depth > ranked.unjudged_depth {
            return Err(Error::for_each(Kind::Needs, |to| {
                format!(
                    "a measure looks at the documents outside the judgments, which run {} was ranked without; {}",
                    quote(&ranked.name),
                    to.either("rank it with keep_unjudged=True", "leave the measure out")
                )
            }));
        }
        if options.ranker.groups && !ranked.groups {
            return Err(Error::for_each(Kind::Option, |to| {
                format!(
                    "{} is about equal scores, which run {} was ranked without; score the run itself",
                    to.option("ties"),
                    quote(&ranked.name)
                )
            }));
        }
        self.notes = Notes { missing: Vec::new(), ..ranked.notes.clone() };
        let Memory { ranking: shorter, workspace, .. } = memory;
        for (position, ranking) in ranked.rankings.iter().enumerate() {
            match (ranking, options.ranker.depth) {
                (None, _) => {}
                (Some(ranking), None) => self.fill(position, ranking, workspace)?,
                (Some(ranking), Some(depth)) => {
                    shorter.copy(ranking);
                    shorter.cut(depth);
                    self.fill(position, shorter, workspace)?;
                }
            }
        }
        Ok(())
    }

    /// Fills the topics that did not come; an error if that is all of them.
    pub(super) fn finish(mut self, name: &str, workspace: &mut Workspace) -> Result<Notes> {
        let Context { qrels, options, .. } = self.filling.context;
        if options.expects_topics() && !self.done.contains(&true) {
            let topics = self.notes.without_judgments.iter().map(|topic| &**topic);
            return Err(nothing_in_common(name, topics, qrels));
        }
        self.ranks.check(name)?;
        let empty = Ranking::default();
        for position in 0..self.done.len() {
            if self.done[position] {
                continue;
            }
            self.notes.missing.push(qrels.topics()[position].id().into());
            if options.missing == Missing::Skip {
                self.cells(position).fill(f64::NAN);
            } else {
                self.fill(position, &empty, workspace)?;
            }
        }
        if options.missing == Missing::Error && !self.notes.missing.is_empty() {
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
        let come = self.done.iter().filter(|done| **done).count();
        self.strangers.note(&mut self.notes, come, qrels)?;
        Ok(self.notes)
    }
}
