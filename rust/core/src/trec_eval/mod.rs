//! `trec_eval`, to the byte.
//!
//! What the program does from its command line to its exit code, in the
//! versions that people have. All that is known of versions and of quirks is
//! in this folder; where its measures are measures of ours, they are computed
//! by ours, on the list as it sees it.
//!
//! ```text
//! arguments --options--> Options --chosen--> measures, parameters
//! judgments --judgments--> Qrels and what a format adds
//! run --lists--> Ranking of each topic --seen--> hits --topics--> values --print--> lines
//! ```

mod binary;
mod catalogue;
mod chosen;
mod gains;
mod help;
mod judgments;
mod lines;
mod lists;
mod number;
mod options;
mod preferences;
mod print;
mod seen;
mod sort;
mod topics;
mod version;
mod zscores;

use std::io::Write;

use rayon::prelude::*;

use crate::bytes::hash;
use crate::evaluate::thread_pool;
use crate::qrels::{Qrels, Topic};
use crate::run::Ranking;
use catalogue::{Print, Summary};
use chosen::{Asked, Chosen};
use judgments::{Format, Judgments, Kind};
use lists::{List, Lists, Reader};
use options::{Options, Parsed};
use print::Printer;
use topics::{Scorer, Value};
use zscores::Zscores;

/// How it ends when not well: an exit code and what to say.
#[derive(Clone, Debug)]
struct Exit {
    code: u8,
    message: String,
}

impl Exit {
    fn new(code: u8, message: String) -> Self {
        Exit { code, message }
    }

    fn followed_by(mut self, more: &str) -> Self {
        self.message += more;
        self
    }
}

impl From<std::io::Error> for Exit {
    fn from(error: std::io::Error) -> Self {
        // Whoever read the output has seen enough.
        let silent = error.kind() == std::io::ErrorKind::BrokenPipe;
        Exit::new(2, if silent { String::new() } else { format!("trec_eval: {error}\n") })
    }
}

fn quoted(text: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(text))
}

/// Runs the program: arguments without its name, where to print values and
/// where to print everything else. Returns the exit code.
pub fn run(arguments: &[Vec<u8>], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let ended = started(arguments, out, err).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    ended.unwrap_or_else(|exit| {
        // Nobody is left to tell if this fails.
        let _ = out.flush().and_then(|()| err.write_all(exit.message.as_bytes()));
        exit.code
    })
}

fn started(arguments: &[Vec<u8>], out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Exit> {
    let usage =
        |message: &[u8]| Exit::new(1, String::from_utf8_lossy(message).into_owned() + help::USAGE);
    let options = match options::parse(arguments) {
        Parsed::Run(options) => options,
        Parsed::Version(version) => {
            writeln!(err, "trec_eval version {}", version.id())?;
            return Ok(0);
        }
        Parsed::Bad(message) => return Err(usage(&message)),
    };
    if options.help {
        out.write_all(help::help(options.version).as_bytes())?;
        return Ok(0);
    }
    let asked = Asked::read(&options)?;
    let (judgments, runs) = match options.files.split_first() {
        Some((judgments, runs)) if !runs.is_empty() => (judgments, runs),
        _ => return Err(usage(b"")),
    };
    let session = Session::new(&options, &asked, judgments)?;
    session.each_run(runs, out, err)
}

/// Everything that runs share.
struct Session<'a> {
    options: &'a Options,
    asked: &'a Asked,
    judgments: Judgments,
    ascending: bool,
    /// What is read after the run, and whose errors come after its errors.
    prepared: Result<(Option<Zscores>, Vec<Chosen>), Exit>,
}

/// What a run's topics add up to.
struct Sums {
    values: Vec<f64>,
    topics: usize,
}

impl<'a> Session<'a> {
    fn new(options: &'a Options, asked: &'a Asked, judgments: &[u8]) -> Result<Self, Exit> {
        let format = Format::named(&options.rel_format).ok_or_else(|| {
            let found = quoted(&options.rel_format);
            Exit::new(2, format!("trec_eval: Illegal rel_format {found}\n"))
        })?;
        let judgments = format.read(judgments, options.version)?;
        if options.results_format != b"trec_results" {
            let found = quoted(&options.results_format);
            let message = format!("trec_eval: Illegal retrieval results format {found}\n");
            return Err(Exit::new(2, message));
        }
        let zscores = options.zscores.as_ref().map(|path| Zscores::read(path, options.version));
        let prepared = zscores.transpose().and_then(|zscores| Ok((zscores, asked.choose()?)));
        let ascending = format.has_preferences();
        Ok(Session { options, asked, judgments, ascending, prepared })
    }

    /// Evaluates runs, several in parallel, and prints them in order. The code
    /// is that of the first that fails.
    fn each_run(
        &self,
        runs: &[Vec<u8>],
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> Result<u8, Exit> {
        let bare = |error: crate::error::Error| Exit::new(2, format!("trec_eval: {error}\n"));
        let qrels = &self.judgments.qrels;
        let reader = Reader::new(qrels, self.options, &self.asked.judged, self.ascending);
        let reader = reader.map_err(bare)?;
        if let [run] = runs {
            self.run(run, &reader, out)?;
            return Ok(0);
        }
        let pool = thread_pool(self.options.threads, runs.len()).map_err(bare)?;
        let scored = |run: &Vec<u8>| {
            let mut text = Vec::new();
            let ended = self.run(run, &reader, &mut text);
            (text, ended)
        };
        let mut code = 0;
        // So many at a time that what is printed stays in bounds.
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

    fn run(&self, run: &[u8], reader: &Reader, out: &mut dyn Write) -> Result<(), Exit> {
        let lists = reader.read(run)?;
        let (zscores, chosen) = self.prepared.as_ref().map_err(Clone::clone)?;
        let scorer = Scorer::new(&self.judgments, chosen, self.options);
        let mut printer = Printer::new(out, zscores.is_some());
        let sums = self.topics(&lists, &scorer, zscores.as_ref(), &mut printer)?;
        if sums.topics == 0 {
            let message = "trec_eval: No queries with both results and relevance info\n";
            return Err(Exit::new(7, message.to_string()));
        }
        if !self.options.no_summary {
            self.summary(&lists, chosen, &sums, &mut printer)?;
        }
        Ok(())
    }

    /// Evaluates topic after topic, prints those that are asked for, and adds
    /// up.
    fn topics(
        &self,
        lists: &Lists,
        scorer: &Scorer,
        zscores: Option<&Zscores>,
        printer: &mut Printer,
    ) -> Result<Sums, Exit> {
        let names: Vec<(&Chosen, &String)> = scorer
            .chosen
            .iter()
            .flat_map(|chosen| chosen.names.iter().map(move |name| (chosen, name)))
            .collect();
        let mut sums = Sums { values: vec![0.0; names.len()], topics: 0 };
        let mut values = Vec::new();
        let topics = self.judgments.qrels.topics().iter().zip(&lists.rankings);
        for (position, (topic, list)) in topics.enumerate() {
            if self.options.only_topic.as_ref().is_some_and(|only| **only != *topic.id()) {
                continue;
            }
            match list {
                Some(list) => scorer.score(position, list, &mut values)?,
                None if !self.options.version.loops_over_judgments() => continue,
                None => {
                    let list = self.made_up(topic)?;
                    scorer.score(position, &list, &mut values)?;
                    for (value, (_, name)) in values.iter_mut().zip(&names) {
                        correct_made_up(name, value);
                    }
                }
            }
            sums.topics += 1;
            for ((value, sum), (chosen, name)) in values.iter().zip(&mut sums.values).zip(&names) {
                let shown = self.options.topics && chosen.entry.per_topic;
                match value {
                    Value::Text(text) if shown => {
                        printer.text(name, topic.id(), format!("'{text}'").as_bytes())?;
                    }
                    Value::Text(_) => {}
                    Value::Number(value) => {
                        let value =
                            zscores.map_or(*value, |scores| scores.of(topic.id(), name, *value));
                        *sum += value;
                        match chosen.entry.print {
                            _ if !shown => {}
                            Print::Integer => printer.integer(name, topic.id(), value)?,
                            _ => printer.real(name, topic.id(), value)?,
                        }
                    }
                }
            }
        }
        Ok(sums)
    }

    /// The list that version 10 evaluates, under `-c`, of a topic that the run
    /// lacks.
    fn made_up(&self, topic: &Topic) -> Result<List, Exit> {
        const DOCUMENT: &[u8] = b"ceci_nest_pas_un_docno";
        if !self.options.complete {
            let topic = quoted(topic.id());
            let message = format!("trec_eval: result qid {topic} not found in qrels\n");
            return Err(Exit::new(4, message));
        }
        let qrels: &Qrels = &self.judgments.qrels;
        let number = topic.docs().get(hash(qrels.seed(), DOCUMENT), DOCUMENT);
        let hits = number.map(|number| (1, number)).into_iter().collect();
        let mut list = Ranking { retrieved: 1, hits, ..Ranking::default() };
        list.cut(u32::try_from(self.options.depth.max(0)).unwrap_or(u32::MAX));
        Ok(Ok(list))
    }

    fn summary(
        &self,
        lists: &Lists,
        chosen: &[Chosen],
        sums: &Sums,
        printer: &mut Printer,
    ) -> Result<(), Exit> {
        const ALL: &[u8] = b"all";
        let all_topics = self.judgments.qrels.topics().len();
        let topics = if self.options.complete { all_topics } else { sums.topics };
        let divisor = topics as f64;
        let names =
            chosen.iter().flat_map(|chosen| chosen.names.iter().map(move |name| (chosen, name)));
        for ((chosen, name), &sum) in names.zip(&sums.values) {
            let value = match chosen.entry.summary {
                Summary::None => continue,
                Summary::Tag => {
                    printer.text(name, ALL, &lists.tag)?;
                    continue;
                }
                Summary::Topics => divisor,
                Summary::Mean => sum / divisor,
                Summary::Sum => sum,
                Summary::SumOrAll => match &self.judgments.kind {
                    Kind::Qrels { positive, .. } if self.options.complete => *positive as f64,
                    _ => sum,
                },
                Summary::Geometric => {
                    let missing = if self.options.complete {
                        (divisor - sums.topics as f64) * 0.00001_f64.ln()
                    } else {
                        0.0
                    };
                    ((sum + missing) / divisor).exp()
                }
            };
            match chosen.entry.print {
                Print::Integer => printer.integer(name, ALL, value)?,
                _ => printer.real(name, ALL, value)?,
            }
        }
        for (cutoff, &(judged, lines)) in self.asked.judged.iter().zip(&lists.judged) {
            printer.real(&format!("judged_{cutoff}"), ALL, judged as f64 / lines as f64)?;
        }
        Ok(())
    }
}

/// What version 10 puts right, by the printed name, in the values of a list
/// that it made up.
fn correct_made_up(name: &str, value: &mut Value) {
    match value {
        Value::Text(text) if name == "relstring" => text.clear(),
        Value::Number(number)
            if matches!(name, "num_ret" | "utility" | "rbp_resid") || name.starts_with("unj") =>
        {
            *number = 0.0;
        }
        _ => {}
    }
}
