//! Runs joined with judgments: the row of one run in the table, filled topic by topic.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::compile::Workspace;
use super::input::Ranked;
use super::mismatch::{RanksSeen, Strangers, hint, rising_lines, rising_list, some};
use super::options::Options;
use crate::costs::Unit;
use crate::error::{Advice, Error, Kind, Result, quote};
use crate::interrupt;
use crate::qrels::{Qrels, Topic};
use crate::rank::arrays::{ArrayScratch, Arrays};
use crate::rank::{
    JoinTarget, Lines, Order, Ranking, Run, Scratch, Unrankable, keep_one, without_call,
    without_memory, without_ranks,
};
use crate::read::lines::LineReader;
use crate::read::run::{Gathered, LinePlaces, Trailer, gather_or_topics};
use crate::scores::{Missing, Notes};
use crate::table::DocTable;

/// What runs are joined with.
pub(super) struct Context {
    pub(super) qrels: Arc<Qrels>,
    pub(super) options: Options,
    /// Which grades count as judged, by their position in the list of all.
    pub(super) is_judged: Vec<bool>,
    /// Which topics are wanted; all if nothing is said.
    pub(super) chosen: Option<Vec<bool>>,
    /// What a topic is that has no judgments.
    unjudged_topic: Topic,
    /// The documents of each topic, which all runs share that are joined with them.
    tables: OnceLock<Arc<[Arc<DocTable>]>>,
}

impl Context {
    pub(super) fn new(qrels: Arc<Qrels>, options: Options) -> Result<Self> {
        if options.ranker.depth == Some(0) {
            return Err(Error::new(Kind::Option, "expected a depth of at least 1, found 0"));
        }
        if options.threads == Some(0) {
            return Err(Error::new(Kind::Option, "expected at least 1 thread, found 0"));
        }
        let is_judged = options.negative.judged_grades(&qrels);
        let (unjudged_topic, tables) = (Topic::default(), OnceLock::new());
        Ok(Context { qrels, options, is_judged, chosen: None, unjudged_topic, tables })
    }

    /// The judgments of a topic by its position, if it has one.
    pub(super) fn topic(&self, position: Option<usize>) -> &Topic {
        position.map_or(&self.unjudged_topic, |position| &self.qrels.topics()[position])
    }

    /// Whether the values of a topic are wanted.
    fn wants(&self, topic: usize) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen[topic])
    }

    /// The documents of each topic, as a run keeps them that is joined with them.
    pub(super) fn tables(&self) -> &Arc<[Arc<DocTable>]> {
        let docs = |topic: &Topic| Arc::clone(topic.docs());
        self.tables.get_or_init(|| self.qrels.topics().iter().map(docs).collect())
    }

    /// Whether a run was joined with these documents.
    fn has_tables(&self, tables: &Arc<[Arc<DocTable>]>) -> bool {
        let same = |(topic, table): (&Topic, &Arc<DocTable>)| Arc::ptr_eq(topic.docs(), table);
        let topics = self.qrels.topics();
        self.tables.get().is_some_and(|own| Arc::ptr_eq(own, tables))
            || topics.len() == tables.len() && topics.iter().zip(&**tables).all(same)
    }

    /// The notes on a run of which nothing was looked at.
    pub(super) fn blank_notes(&self) -> Notes {
        let f32_differs = self.options.ranker.both_precisions.then_some(0);
        Notes { f32_differs, ..Notes::default() }
    }

    /// Counts a topic in which a judged document stands elsewhere in the other
    /// precision.
    pub(super) fn note_moved(&self, notes: &mut Notes, topic: usize, ranking: &Ranking) {
        let grade_indexes = self.qrels.topics()[topic].grade_column();
        let judged = |&document: &u32| {
            grade_indexes.get(document).is_some_and(|index| self.is_judged[index as usize])
        };
        if ranking.moved.iter().any(judged) {
            notes.f32_differs = notes.f32_differs.map(|count| count + 1);
        }
    }

    /// Reads a run from a stream, which is read only once.
    pub fn gather(&self, reader: LineReader, name: &str) -> Result<Gathered> {
        let file = reader.name().to_string();
        gather_or_topics(reader, self.options.run_options(), name.to_string())
            .map_err(|(error, topics)| self.foremost(error, name, &file, &topics))
    }

    /// The error for a run that failed: if none of its topics is judged, then that, since
    /// nothing else that is wrong with it matters then.
    #[cold]
    pub(super) fn foremost(
        &self,
        error: Error,
        run: &str,
        file: &str,
        topics: &[Box<[u8]>],
    ) -> Error {
        let matches = topics.iter().any(|id| self.qrels.position(id).is_some());
        let asked = self.options.expects_topics() && error.kind() != Kind::Cancelled;
        if matches || !asked || topics.is_empty() {
            return error;
        }
        let mut seen = HashSet::new();
        let topics = topics.iter().map(|id| &**id).filter(|id| seen.insert(*id));
        let error = nothing_in_common(run, topics, &self.qrels);
        if file.is_empty() { error } else { error.in_file(file) }
    }
}

/// The error for a run that has none of the topics of the judgments.
#[cold]
pub(crate) fn nothing_in_common<'a>(
    run: &str,
    topics: impl Iterator<Item = &'a [u8]>,
    qrels: &Qrels,
) -> Error {
    let (topics, judged): (Vec<&[u8]>, Vec<&[u8]>) =
        (topics.collect(), qrels.topics().iter().map(Topic::id).collect());
    let hint = hint(&topics, &judged).ok().flatten().map(|hint| format!("; {hint}"));
    let (hint, in_run) = (hint.unwrap_or_default(), some(topics.into_iter()));
    let in_judgments = some(judged.into_iter());
    Error::for_each(Kind::Topics, |to| {
        format!(
            "run {} has no topic in common with the judgments: the run has {in_run}, the judgments have {in_judgments}{hint}; \
             give the judgments of this run's topics, or use {} to leave the others out",
            quote(run),
            to.choice("missing", "skip")
        )
    })
}

/// The error for a list that cannot be ranked.
#[cold]
pub(crate) fn explain(
    unrankable: Unrankable,
    topic: &[u8],
    lines: &Lines,
    places: Option<&LinePlaces>,
) -> Error {
    match unrankable {
        Unrankable::NoRanks => without_ranks(topic),
        Unrankable::NoMemory(lines) => without_memory(lines, topic),
        Unrankable::NoCall(line) => {
            let call = lines.costs(Unit::Calls).get(line).copied().unwrap_or(f64::NAN);
            without_call(call, lines.document(line), topic)
        }
        Unrankable::Repeated(repeated) => {
            let document = lines.document(repeated.second);
            if let Some(places) = places {
                return places.duplicate(repeated, topic, document);
            }
            Error::for_each(Kind::Duplicate, |to| {
                format!(
                    "expected each document once per topic, found {} again for topic {}: positions {} and {}; {}",
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

/// What is computed for a ranked topic: the cells of each measure.
pub(crate) struct Kernel<'a> {
    /// How many cells a measure has.
    pub(crate) cells: usize,
    /// How far down a list it looks.
    pub(crate) reach: u32,
    /// Fills the cells of all measures.
    pub(crate) fill: &'a FillCells<'a>,
}

/// Where in the table, the topic's ranking, memory, the cells to fill.
pub(crate) type FillCells<'a> =
    dyn Fn(Cell, &Ranking, &mut Workspace, &mut [f64]) -> Result<()> + Sync + 'a;

/// A run and a topic, by position.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) run: usize,
    pub(crate) topic: usize,
}

/// After this many topics in memory it is asked whether to stop; reading asks as well.
const TOPICS_BETWEEN_CHECKS: usize = 16;

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
    pub(super) seen: RowSeen,
}

/// What was seen of a run, or of a part of its file, besides the values.
pub(super) struct RowSeen {
    /// The topics whose cells are filled.
    pub(super) done: Vec<bool>,
    pub(super) notes: Notes,
    pub(super) strangers: Strangers,
    pub(super) ranks: RanksSeen,
}

impl<'a> RunRow<'a> {
    pub(super) fn new(filling: Filling<'a>, place: usize, cells: &'a mut [f64]) -> Self {
        let done = vec![false; filling.context.qrels.topics().len()];
        let (notes, strangers) = (filling.context.blank_notes(), Strangers::default());
        let seen = RowSeen { done, notes, strangers, ranks: RanksSeen::default() };
        RunRow { filling, place, cells, seen }
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
        self.seen.notes.tag = trailer.tag;
        self.seen.notes.repaired = self.repaired(trailer.repaired, trailer.repaired_ranks);
        self.seen.notes.comments = trailer.comments;
    }

    /// How many numbers were repaired that the order looks at.
    fn repaired(&self, scores: u64, ranks: u64) -> u64 {
        let by_rank = self.filling.context.options.ranker.order == Order::Rank;
        scores + if by_rank { ranks } else { 0 }
    }

    /// Takes over the topics that were done in another row, from a later part
    /// of the same file.
    pub(super) fn take(&mut self, cells: &[f64], seen: RowSeen) {
        let RowSeen { done, notes, strangers, ranks } = seen;
        let width = self.filling.width;
        for topic in (0..done.len()).filter(|&topic| done[topic]) {
            self.seen.done[topic] = true;
            self.cells(topic).copy_from_slice(&cells[topic * width..(topic + 1) * width]);
        }
        self.seen.notes.tag = notes.tag;
        self.seen.notes.lines += notes.lines;
        self.seen.notes.ties += notes.ties;
        self.seen.notes.seen += notes.seen;
        self.seen.notes.tied += notes.tied;
        self.seen.notes.duplicates += notes.duplicates;
        self.seen.notes.own += notes.own;
        self.seen.notes.own_first += notes.own_first;
        self.seen.notes.repaired += notes.repaired;
        self.seen.notes.comments += notes.comments;
        if self.seen.ranks.add(&ranks) {
            self.seen.notes.said = notes.said;
        }
        self.seen.notes.f32_differs =
            self.seen.notes.f32_differs.zip(notes.f32_differs).map(|(a, b)| a + b);
        self.seen.notes.without_judgments.extend(notes.without_judgments);
        self.seen.strangers.append(strangers);
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
        self.seen.done[topic] = true;
        if topic.is_multiple_of(TOPICS_BETWEEN_CHECKS) {
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
        places: Option<&LinePlaces>,
        memory: &mut Memory,
    ) -> Result<()> {
        let Filling { context, kernel, .. } = self.filling;
        let target = JoinTarget::new(&context.qrels, context.topic(position), kernel.reach);
        let Memory { scratch, ranking, .. } = memory;
        self.look_at_ranks(lines.len(), lines.ranks(), || rising_lines(id, lines));
        scratch.seeks = self.seen.strangers.are_sought(&context.options, position);
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
            Order::Rank => self.seen.ranks.count(ranks),
            Order::DocnoDesc | Order::DocnoAsc => {
                if self.seen.ranks.is_first(documents)
                    && let Some(rising) = rising()
                {
                    self.seen.notes.say().rising = Some(rising);
                }
            }
        }
    }

    /// Notes ties and unknown documents of a list that was ranked, if its topic is judged.
    fn note(&mut self, position: Option<usize>, ranking: &Ranking, scratch: &mut Scratch) {
        if let Some(position) = position {
            self.seen.notes.count_ties(ranking, scratch);
            self.seen.strangers.take(position, ranking, scratch);
        }
    }

    /// Scores the ranking in memory.
    fn score(&mut self, id: &[u8], position: Option<usize>, memory: &mut Memory) -> Result<()> {
        let Memory { ranking, workspace, .. } = memory;
        self.seen.notes.duplicates += ranking.duplicates;
        if let Some(position) = position {
            self.filling.context.note_moved(&mut self.seen.notes, position, ranking);
            self.fill(position, ranking, workspace)
        } else {
            self.seen.notes.without_judgments.push(id.into());
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
            arrays.lists().seeks = self.seen.strangers.are_sought(&context.options, position);
            let ranked = list.rank(&context.options.ranker, (target, run.check), arrays, ranking);
            let lines = ranked.map_err(|flaw| list.explain(flaw, id))?;
            self.seen.notes.lines += lines as u64;
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
        places: Option<&[LinePlaces]>,
        memory: &mut Memory,
    ) -> Result<()> {
        for (i, (topic, lines)) in run.topics.iter().enumerate() {
            self.seen.notes.lines += lines.len() as u64;
            let topic = (&**topic, self.filling.context.qrels.position(topic));
            self.topic(topic, lines, places.map(|places| &places[i]), memory)?;
        }
        self.seen.notes.tag.clone_from(&run.tag);
        self.seen.notes.repaired = self.repaired(run.repaired, run.repaired_ranks);
        self.seen.notes.comments = run.comments;
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
                    to.advice(Advice::KeepUnjudged)
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
        self.seen.notes = Notes { missing: Vec::new(), ..ranked.notes.clone() };
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
        if options.expects_topics() && !self.seen.done.contains(&true) {
            let topics = self.seen.notes.without_judgments.iter().map(|topic| &**topic);
            return Err(nothing_in_common(name, topics, qrels));
        }
        self.seen.ranks.check(name)?;
        let empty = Ranking::default();
        for position in 0..self.seen.done.len() {
            if self.seen.done[position] {
                continue;
            }
            self.seen.notes.missing.push(qrels.topics()[position].id().into());
            if options.missing == Missing::Skip {
                self.cells(position).fill(f64::NAN);
            } else {
                self.fill(position, &empty, workspace)?;
            }
        }
        if options.missing == Missing::Error && !self.seen.notes.missing.is_empty() {
            let shown: Vec<String> = self.seen.notes.missing.iter().take(5).map(quote).collect();
            let more = if self.seen.notes.missing.len() > shown.len() { " ..." } else { "" };
            let message = format!(
                "expected every topic of the judgments in run {}, found {} missing: {}{more}",
                quote(name),
                self.seen.notes.missing.len(),
                shown.join(" ")
            );
            return Err(Error::new(Kind::Topics, message));
        }
        let come = self.seen.done.iter().filter(|done| **done).count();
        self.seen.strangers.note(&mut self.seen.notes, come, qrels)?;
        self.seen.notes.note_own(come);
        Ok(self.seen.notes)
    }
}
