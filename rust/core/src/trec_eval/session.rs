//! From judgments and runs to lines, topic by topic.

use std::io::{self, Write};
use std::sync::Arc;

use rayon::prelude::*;

use super::catalogue::{Entry, MadeUp, Print, Summary};
use super::chosen_measures::{Chosen, Requested};
use super::exit::{Exit, quoted};
use super::judgments::{Judgments, JudgmentsContent, JudgmentsFormat};
use super::lists::{RankedList, RankedLists, RunsReader};
use super::print::Printer;
use super::program_options::ProgramOptions;
use super::topics::{TopicScorer, Values};
use super::zscores::Zscores;
use crate::error::Error;
use crate::evaluate::thread_pool;
use crate::hash::hash;
use crate::qrels::{Qrels, Topic};
use crate::rank::{Hit, Ranking};

const NOTHING: &str = "trec_eval: No queries with both results and relevance info\n";

fn bare(error: &Error) -> Exit {
    Exit::new(2, format!("trec_eval: {error}\n"))
}

/// Everything that runs share.
pub struct Session<'a> {
    options: &'a ProgramOptions,
    requested: &'a Requested,
    judgments: &'a Arc<Judgments>,
    /// Files that are read after the run, so that their errors come after its errors.
    prepared: Result<(Option<Zscores>, Vec<Chosen>), Exit>,
}

/// The sums over a run's topics.
pub struct RunSums {
    values: Vec<f64>,
    topics: usize,
}

/// Reads the judgments that the options describe.
pub fn judgments(options: &ProgramOptions, path: &[u8]) -> Result<Arc<Judgments>, Exit> {
    let format = JudgmentsFormat::named(&options.rel_format).ok_or_else(|| {
        let found = quoted(&options.rel_format);
        Exit::new(2, format!("trec_eval: Illegal rel_format {found}\n"))
    })?;
    let judgments = format.read(path, options.version)?;
    if options.results_format != b"trec_results" {
        let found = quoted(&options.results_format);
        let message = format!("trec_eval: Illegal retrieval results format {found}\n");
        return Err(Exit::new(2, message));
    }
    Ok(Arc::new(judgments))
}

impl<'a> Session<'a> {
    /// Reads the file of z-scores and the parameters of the measures.
    pub fn new(
        options: &'a ProgramOptions,
        requested: &'a Requested,
        judgments: &'a Arc<Judgments>,
    ) -> Self {
        let zscores = options.zscores.as_ref().map(|path| Zscores::read(path, options.version));
        let prepared = zscores.transpose().and_then(|zscores| Ok((zscores, requested.choose()?)));
        Session { options, requested, judgments, prepared }
    }

    /// The reader of its runs.
    pub fn reader(&self) -> RunsReader<'a> {
        let ascending = matches!(self.judgments.kind, JudgmentsContent::Preferences(_));
        RunsReader::new(&self.judgments.qrels, self.options, &self.requested.judged, ascending)
    }

    /// The measures.
    pub fn chosen(&self) -> Result<&[Chosen], Exit> {
        self.prepared.as_ref().map(|(_, chosen)| chosen.as_slice()).map_err(Clone::clone)
    }

    /// The values of the summary of a run, and over how many topics they are.
    pub fn values(&self, lists: &RankedLists) -> Result<(Vec<Option<f64>>, usize), Exit> {
        let chosen = self.chosen()?;
        let scorer = TopicScorer::new(self.judgments, chosen.to_vec(), self.options);
        let sums =
            self.topics(lists, &scorer, None, &mut Printer::new(&mut io::sink(), false, 0))?;
        if sums.topics == 0 {
            return Err(Exit::new(7, NOTHING.to_string()));
        }
        Ok((self.summarised(chosen, &sums), sums.topics))
    }

    /// Evaluates runs, several in parallel, and prints them in order. The code
    /// is that of the first that fails.
    pub fn each_run(
        &self,
        runs: &[Vec<u8>],
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> Result<u8, Exit> {
        let reader = self.reader();
        let prepared = self.prepared.as_ref().ok();
        let scorer = prepared
            .map(|(_, chosen)| TopicScorer::new(self.judgments, chosen.clone(), self.options));
        let scorer = scorer.as_ref();
        if let [run] = runs {
            self.run(run, &reader, scorer, out)?;
            return Ok(0);
        }
        let pool = thread_pool(self.options.threads, runs.len()).map_err(|error| bare(&error))?;
        let scored = |run: &Vec<u8>| {
            let mut text = Vec::new();
            let ended = self.run(run, &reader, scorer, &mut text);
            (text, ended)
        };
        let mut code = 0;
        // A limited number at a time, to bound the memory of their output.
        for runs in runs.chunks(256) {
            let results: Vec<_> = match &pool {
                None => runs.iter().map(scored).collect(),
                Some(pool) => {
                    pool.install(|| runs.par_iter().with_max_len(1).map(scored).collect())
                }
            };
            for (run, (text, ended)) in runs.iter().zip(results) {
                out.write_all(&[b"==> ", &run[..], b" <==\n"].concat())?;
                out.write_all(&text)?;
                if let Err(exit) = ended {
                    out.flush()?;
                    let end = if exit.message.ends_with('\n') { "" } else { "\n" };
                    write!(err, "{}: {}{end}", String::from_utf8_lossy(run), exit.message)?;
                    code = if code == 0 { exit.code } else { code };
                }
            }
        }
        Ok(code)
    }

    fn run(
        &self,
        run: &[u8],
        reader: &RunsReader,
        scorer: Option<&TopicScorer>,
        out: &mut dyn Write,
    ) -> Result<(), Exit> {
        let lists = reader.read(run)?;
        let (zscores, chosen) = self.prepared.as_ref().map_err(Clone::clone)?;
        // Without measures there was an error.
        let Some(scorer) = scorer else { return Ok(()) };
        let mut printer = Printer::new(out, zscores.is_some(), self.options.digits);
        let sums = self.topics(&lists, scorer, zscores.as_ref(), &mut printer)?;
        if sums.topics == 0 {
            return Err(Exit::new(7, NOTHING.to_string()));
        }
        if !self.options.no_summary {
            self.summary(&lists, chosen, &sums, &mut printer)?;
        }
        Ok(())
    }

    /// Evaluates topic after topic, prints those that are requested for, and adds
    /// up.
    fn topics(
        &self,
        lists: &RankedLists,
        scorer: &TopicScorer,
        zscores: Option<&Zscores>,
        printer: &mut Printer,
    ) -> Result<RunSums, Exit> {
        let names: Vec<(&Chosen, &String)> = scorer
            .chosen
            .iter()
            .flat_map(|chosen| chosen.names.iter().map(move |name| (chosen, name)))
            .collect();
        let mut sums = RunSums { values: vec![0.0; names.len()], topics: 0 };
        let mut values = Values::default();
        let topics = self.judgments.qrels.topics().iter().zip(&lists.rankings);
        for (position, (topic, list)) in topics.enumerate() {
            if self.options.only_topic.as_ref().is_some_and(|only| **only != *topic.id()) {
                continue;
            }
            match list {
                Some(list) => scorer.score(position, list.as_ref(), &mut values)?,
                None if !self.options.version.loops_over_judgments() => continue,
                None => {
                    let list = self.made_up(topic)?;
                    scorer.score(position, list.as_ref(), &mut values)?;
                    correct_made_up(&mut values, &names);
                }
            }
            sums.topics += 1;
            let numbers = values.numbers.iter().zip(&mut sums.values);
            for ((&number, sum), (chosen, name)) in numbers.zip(&names) {
                let shown = self.options.topics && chosen.entry.per_topic;
                if chosen.entry.print == Print::Text {
                    if shown {
                        let text = format!("'{}'", values.text);
                        printer.text(name, topic.id(), text.as_bytes())?;
                    }
                    continue;
                }
                let number = zscores.map_or(number, |scores| scores.of(topic.id(), name, number));
                *sum += number;
                match chosen.entry.print {
                    _ if !shown => {}
                    Print::Integer => printer.integer(name, topic.id(), number)?,
                    _ => printer.real(name, topic.id(), number)?,
                }
            }
        }
        Ok(sums)
    }

    /// The list that version 10 evaluates, under `-c`, of a topic that the run
    /// lacks.
    fn made_up(&self, topic: &Topic) -> Result<RankedList, Exit> {
        const DOCUMENT: &[u8] = b"ceci_nest_pas_un_docno";
        if !self.options.complete {
            let topic = quoted(topic.id());
            let message = format!("trec_eval: result qid {topic} not found in qrels\n");
            return Err(Exit::new(4, message));
        }
        let qrels: &Qrels = &self.judgments.qrels;
        let number = topic.docs().get(hash(qrels.seed(), DOCUMENT), DOCUMENT);
        let hits = number.map(|document| Hit { rank: 1, document }).into_iter().collect();
        let mut list = Ranking { retrieved: 1, hits, ..Ranking::default() };
        list.cut(u32::try_from(self.options.depth.max(0)).unwrap_or(u32::MAX));
        Ok(Ok(list))
    }

    /// The number of topics that means are over.
    fn divisor(&self, sums: &RunSums) -> usize {
        if self.options.complete { self.judgments.qrels.topics().len() } else { sums.topics }
    }

    /// The numbers of the summary, for measures that have one.
    fn summarised(&self, chosen: &[Chosen], sums: &RunSums) -> Vec<Option<f64>> {
        let divisor = self.divisor(sums) as f64;
        let entries = chosen.iter().flat_map(|one| one.names.iter().map(move |_| one.entry));
        let number = |(entry, &sum): (&Entry, &f64)| match (entry.summary, &self.judgments.kind) {
            (Summary::None | Summary::Tag, _) => None,
            (Summary::Topics, _) => Some(divisor),
            (Summary::Mean, _) => Some(sum / divisor),
            (Summary::SumOrAll, JudgmentsContent::Qrels { positive, .. })
                if self.options.complete =>
            {
                Some(*positive as f64)
            }
            (Summary::Sum | Summary::SumOrAll, _) => Some(sum),
            (Summary::Geometric, _) => {
                let missing = divisor - sums.topics as f64;
                let missing = if self.options.complete { missing * 0.00001_f64.ln() } else { 0.0 };
                Some(((sum + missing) / divisor).exp())
            }
        };
        entries.zip(&sums.values).map(number).collect()
    }

    fn summary(
        &self,
        lists: &RankedLists,
        chosen: &[Chosen],
        sums: &RunSums,
        printer: &mut Printer,
    ) -> Result<(), Exit> {
        const ALL: &[u8] = b"all";
        let names = chosen.iter().flat_map(|one| one.names.iter().map(move |name| (one, name)));
        for ((chosen, name), number) in names.zip(self.summarised(chosen, sums)) {
            match (number, chosen.entry.print) {
                (Some(number), Print::Integer) => printer.integer(name, ALL, number)?,
                (Some(number), _) => printer.real(name, ALL, number)?,
                (None, _) if chosen.entry.summary == Summary::Tag => {
                    printer.text(name, ALL, &lists.tag)?;
                }
                (None, _) => {}
            }
        }
        for (cutoff, &(judged, lines)) in self.requested.judged.iter().zip(&lists.judged) {
            printer.real(&format!("judged_{cutoff}"), ALL, judged as f64 / lines as f64)?;
        }
        Ok(())
    }
}

/// What version 10 puts right in the values of a list that it made up.
fn correct_made_up(values: &mut Values, names: &[(&Chosen, &String)]) {
    for (number, (chosen, name)) in values.numbers.iter_mut().zip(names) {
        match chosen.entry.made_up {
            MadeUp::Plain if *name != chosen.entry.name => {}
            MadeUp::Plain if chosen.entry.print == Print::Text => values.text.clear(),
            MadeUp::Plain | MadeUp::Zero => *number = 0.0,
            MadeUp::Scored => {}
        }
    }
}
