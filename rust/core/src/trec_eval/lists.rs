//! Runs: from a file to a ranked list of each topic of the judgments.
//!
//! Nearly every run is an ordinary one, and goes through cranfield's reader and
//! ranker. A run that they refuse or read differently than `trec_eval`
//! (comments, fields that a form feed separates, a repeated document, scores such as `inf`
//! or `3x`) is read again by the exact reader of this file, which holds all lines.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use super::exit::{Exit, quoted};
use super::lines::{Data, fields, fields_into, first_field, path};
use super::number::atof;
use super::program_options::ProgramOptions;
use super::sort::merge_sort;
use crate::evaluate::{Input, Options, rank_runs};
use crate::hash::hash;
use crate::numbers::number as number_of;
use crate::qrels::{Qrels, Topic};
use crate::rank::{Hit, Order, Precision, Ranker, Ranking};
use crate::read::run::are_ranks;
use crate::read::{Limits, Source, Strictness};

/// The ranked lists of a run.
#[derive(Clone, Debug, Default)]
pub struct RankedLists {
    /// The tag of the last line.
    pub tag: Vec<u8>,
    /// The list of each topic of the judgments, if the run has the topic.
    pub rankings: Vec<Option<RankedList>>,
    /// For each cutoff of pyserini's `judged`: judged lines, and lines.
    pub judged: Vec<(u64, u64)>,
}

/// A ranked list, or the first document, in byte order, that it has twice.
pub type RankedList = Result<Ranking, Vec<u8>>;

/// The same, borrowed.
pub type Listed<'a> = Result<&'a Ranking, &'a Vec<u8>>;

/// Reads runs and joins them with the same judgments.
pub struct RunsReader<'a> {
    qrels: &'a Arc<Qrels>,
    options: &'a ProgramOptions,
    judged: &'a [u64],
    /// Whether equal scores are in ascending order of their documents, as
    /// under the formats of preferences.
    ascending: bool,
    plain: Options,
}

impl<'a> RunsReader<'a> {
    /// A reader of runs.
    pub fn new(
        qrels: &'a Arc<Qrels>,
        options: &'a ProgramOptions,
        judged: &'a [u64],
        ascending: bool,
    ) -> Self {
        let order = if ascending { Order::DocnoAsc } else { Order::DocnoDesc };
        let ranker = Ranker { order, precision: options.version.precision(), ..Ranker::default() };
        let strictness = Strictness::AsTrecEval;
        let plain = Options { ranker, strictness, threads: Some(1), ..Options::default() };
        RunsReader { qrels, options, judged, ascending, plain }
    }

    /// Reads a run.
    pub fn read(&self, argument: &[u8]) -> Result<RankedLists, Exit> {
        if self.judged.is_empty()
            && is_plain(argument)
            && let Some(lists) = self.read_plain(argument)
        {
            return Ok(lists);
        }
        let quit = |message: String| {
            let quit = format!("trec_eval: Quit in file {}\n", quoted(argument));
            Exit::new(2, format!("trec_eval.get_results: {message}\n{quit}"))
        };
        let stdin = self.options.version.reads_standard_input() && argument.starts_with(b"-");
        let data = if stdin { Data::standard_input() } else { Data::read(argument) };
        let data = data
            .map_err(|why| quit(format!("Cannot read results file {}{why}", quoted(argument))))?;
        let held = BorrowedRun::read(&data, self.options.version.has_comments());
        let held = held.map_err(quit)?;
        Ok(self.rank_borrowed(&held))
    }

    /// The fast path; `None` if anything in the run is unusual.
    fn read_plain(&self, argument: &[u8]) -> Option<RankedLists> {
        let input = Input::file(String::new(), path(argument));
        let ranked = rank_runs(self.qrels, self.plain, &[input], false, &Arc::default()).ok()?;
        let ranked = ranked.into_iter().next()?;
        let line = ranked.notes.tag.unwrap_or_default();
        let tag = first_field(&line).map(|(start, end)| line[start..end].to_vec())?;
        let finished = |list: Option<Ranking>| list.map(|list| Ok(self.finished(list)));
        let rankings = ranked.rankings.into_iter().map(finished).collect();
        Some(RankedLists { tag, rankings, judged: Vec::new() })
    }

    fn depth(&self) -> usize {
        usize::try_from(self.options.depth).unwrap_or(0)
    }

    /// Removes the documents that pyserini removes, and cuts to the depth.
    fn finished(&self, mut list: Ranking) -> Ranking {
        if self.options.remove_unjudged {
            list.retrieved = list.hits.len() as u32;
            for (rank, hit) in (1..).zip(&mut list.hits) {
                hit.rank = rank;
            }
        }
        list.cut(u32::try_from(self.depth()).unwrap_or(u32::MAX));
        list
    }

    fn rank_borrowed(&self, held: &BorrowedRun) -> RankedLists {
        let mut rankings: Vec<Option<RankedList>> = vec![None; self.qrels.topics().len()];
        let mut judged = vec![(0, 0); self.judged.len()];
        for (id, lines) in &held.topics {
            let topic = self.qrels.position(id).map(|position| &self.qrels.topics()[position]);
            let is_listed = |line: &ScoredDocument| {
                topic.is_some_and(|t| self.number(t, line.document).is_some())
            };
            for (count, &cutoff) in judged.iter_mut().zip(self.judged) {
                // pyserini counts the remaining lines.
                let left = lines.iter().filter(|l| !self.options.remove_unjudged || is_listed(l));
                for line in left.take(usize::try_from(cutoff).unwrap_or(usize::MAX)) {
                    count.0 += u64::from(is_listed(line));
                    count.1 += 1;
                }
            }
            if let (Some(topic), Some(position)) = (topic, self.qrels.position(id)) {
                rankings[position] = Some(self.rank(topic, lines));
            }
        }
        RankedLists { tag: held.tag.to_vec(), rankings, judged }
    }

    fn number(&self, topic: &Topic, document: &[u8]) -> Option<u32> {
        topic.docs().get(hash(self.qrels.seed(), document), document)
    }

    /// Sorts lines. NaN scores compare equal to every other, so that the result
    /// depends on the sorting algorithm.
    fn rank(&self, topic: &Topic, lines: &[ScoredDocument]) -> RankedList {
        let single = self.options.version.precision() == Precision::F32;
        let held = |score: f64| if single { f64::from(score as f32) } else { score };
        let mut lines: Vec<ScoredDocument> =
            lines.iter().map(|line| ScoredDocument { score: held(line.score), ..*line }).collect();
        let by_document = |a: &ScoredDocument, b: &ScoredDocument| {
            let descending = b.document.cmp(a.document);
            if self.ascending { descending.reverse() } else { descending }
        };
        let compare = |a: &ScoredDocument, b: &ScoredDocument| {
            let scores = b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
            scores.then_with(|| by_document(a, b))
        };
        lines.sort_by(|a, b| a.document.cmp(b.document));
        merge_sort(&mut lines, &compare);
        let numbers = lines.iter().map(|line| self.number(topic, line.document));
        let mut numbers: Vec<Option<u32>> = numbers.collect();
        if self.options.remove_unjudged {
            let mut known = numbers.iter().map(Option::is_some);
            lines.retain(|_| known.next().unwrap_or(false));
            numbers.retain(Option::is_some);
        }
        lines.truncate(self.depth());
        numbers.truncate(self.depth());
        let mut documents: Vec<&[u8]> = lines.iter().map(|line| line.document).collect();
        documents.sort_unstable();
        if let Some(twice) = documents.windows(2).find(|two| two[0] == two[1]) {
            return Err(twice[0].to_vec());
        }
        let hits = (1..)
            .zip(&numbers)
            .filter_map(|(rank, number)| Some(Hit { rank, document: (*number)? }));
        let (hits, retrieved) = (hits.collect(), lines.len() as u32);
        Ok(Ranking { retrieved, hits, ..Ranking::default() })
    }
}

/// Whether a file can be read twice, begins like the runs that cranfield's reader
/// accepts, and not with a byte order mark, which is part of the first topic
/// for `trec_eval`.
fn is_plain(argument: &[u8]) -> bool {
    let path = path(argument);
    if argument.starts_with(b"-") || !fs::metadata(&path).is_ok_and(|file| file.is_file()) {
        return false;
    }
    let mut start = [0; 1024];
    let source = Source::open(&path, &Limits::default());
    let read = source.and_then(|mut source| source.read(&mut start)).unwrap_or(0);
    let first = start[..read].split(|&byte| byte == b'\n').find(|line| first_field(line).is_some());
    !start.starts_with(b"\xEF\xBB\xBF") && first.is_some_and(|line| fields(line).len() >= 6)
}

/// A run in file order, borrowed from the text of its file.
struct BorrowedRun<'a> {
    topics: Vec<(&'a [u8], Vec<ScoredDocument<'a>>)>,
    tag: &'a [u8],
}

#[derive(Clone, Copy)]
struct ScoredDocument<'a> {
    document: &'a [u8],
    score: f64,
}

/// The tag that pyserini gives to MS MARCO runs.
const MS_MARCO_TAG: &[u8] = b"TEMPRUN";

/// The message about a third column that is not certainly a rank; `trec_eval`
/// does not accept three columns.
const THREE: &str = "\nThree columns are read as topic document rank if the third is \
     unambiguously a rank (whole numbers that begin with 1 for each topic and rise); \
     `cranfield eval` reads topic document score with --run-layout scores";

impl<'a> BorrowedRun<'a> {
    /// Splits a text into fields; `Err` says what is wrong with it.
    fn read(data: &'a Data, comments: bool) -> Result<BorrowedRun<'a>, String> {
        let filled = |line: &&[u8]| {
            first_field(line).is_some_and(|(start, _)| !(comments && line[start] == b'#'))
        };
        let lines = data.lines(false).filter(filled);
        let ms_marco = lines.clone().all(|line| ms_marco_rank(line, &fields(line)).is_some());
        let mut held = BorrowedRun { topics: Vec::new(), tag: b"" };
        let mut ranks: Vec<Vec<f64>> = Vec::new();
        let mut index: HashMap<&[u8], usize> = HashMap::new();
        let mut spans = Vec::new();
        for (number, line) in (1..).zip(lines) {
            fields_into(line, &mut spans);
            let text = |i: usize| &line[spans[i].0..spans[i].1];
            let (document, score, tag) = match ms_marco_rank(line, &spans).filter(|_| ms_marco) {
                // As pyserini turns ranks into scores.
                Some(rank) => (text(1), 1.0 / rank, MS_MARCO_TAG),
                None if spans.len() >= 6 => (text(2), atof(text(4)), text(5)),
                None => {
                    let three = spans.len() == 3 && number_of(text(2)).is_some();
                    let three = if three { THREE } else { "" };
                    return Err(format!("Malformed line {number}{three}"));
                }
            };
            let position = *index.entry(text(0)).or_insert_with(|| {
                held.topics.push((text(0), Vec::new()));
                ranks.push(Vec::new());
                held.topics.len() - 1
            });
            ranks[position].extend(ms_marco_rank(line, &spans).filter(|_| ms_marco));
            held.topics[position].1.push(ScoredDocument { document, score });
            held.tag = tag;
        }
        for ((topic, _), ranks) in held.topics.iter().zip(&ranks) {
            if !are_ranks(ranks) {
                return Err(format!("Malformed topic {}{THREE}", quoted(topic)));
            }
        }
        Ok(held)
    }
}

/// The rank of a line of an MS MARCO run: topic, document, rank.
fn ms_marco_rank(line: &[u8], spans: &[(usize, usize)]) -> Option<f64> {
    let &[_, _, (start, end)] = spans else { return None };
    let digits = &line[start..end];
    digits.iter().all(u8::is_ascii_digit).then(|| atof(digits)).filter(|&rank| rank > 0.0)
}
