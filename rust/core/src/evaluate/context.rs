//! What runs are joined with: judgments and options, whatever the measures.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::mismatch::{hint, some};
use super::options::{Negative, Options};
use crate::error::{Error, Kind, Result, quote};
use crate::qrels::{Qrels, Topic};
use crate::rank::{Lines, Ranking, Unrankable, keep_one, without_memory, without_ranks};
use crate::read::lines::LineReader;
use crate::read::run::{Gathered, Places, gather_or_topics};
use crate::scores::Notes;
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
        let is_judged = judged_grades(&qrels, options.negative);
        let (unjudged_topic, tables) = (Topic::default(), OnceLock::new());
        Ok(Context { qrels, options, is_judged, chosen: None, unjudged_topic, tables })
    }

    /// The judgments of a topic by its position, if it has one.
    pub(super) fn topic(&self, position: Option<usize>) -> &Topic {
        position.map_or(&self.unjudged_topic, |position| &self.qrels.topics()[position])
    }

    /// Whether the values of a topic are wanted.
    pub(super) fn wants(&self, topic: usize) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen[topic])
    }

    /// The documents of each topic, as a run keeps them that is joined with them.
    pub(super) fn tables(&self) -> &Arc<[Arc<DocTable>]> {
        let docs = |topic: &Topic| Arc::clone(topic.docs());
        self.tables.get_or_init(|| self.qrels.topics().iter().map(docs).collect())
    }

    /// Whether a run was joined with these documents.
    pub(super) fn has_tables(&self, tables: &Arc<[Arc<DocTable>]>) -> bool {
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

/// Whether a document of a grade counts as judged.
pub(super) fn is_judged(grade: f64, negative: Negative) -> bool {
    grade >= 0.0 || negative == Negative::Nonrelevant
}

/// Which grades of judgments count as judged.
pub(super) fn judged_grades(qrels: &Qrels, negative: Negative) -> Vec<bool> {
    qrels.grades().iter().map(|&grade| is_judged(grade, negative)).collect()
}

/// The error for a run that has none of the topics of the judgments.
#[cold]
pub(super) fn nothing_in_common<'a>(
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
             give the judgments of this run's topics, or {} to leave the others out",
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
    places: Option<&Places>,
) -> Error {
    match unrankable {
        Unrankable::NoRanks => without_ranks(topic),
        Unrankable::NoMemory(lines) => without_memory(lines, topic),
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
