//! Scores a run file with hashes that are the same in every process, so that
//! the instructions of two programs can be compared: what
//! `benches/instructions.py` counts. It prints the code path of the processor
//! and the sum of all values.
//!
//! `lines QRELS [RUN]`, `lines --judgments QRELS` for reading alone, `lines --lists QRELS RUN TIMES`
//! for a run in memory that is scored so many times, `lines --bounds QRELS RUN`,
//! `lines --bootstrap SYSTEMS`

use std::fs::read_to_string;
use std::path::Path;
use std::sync::Arc;

use cranfield_core::bounds::{Question, bounds};
use cranfield_core::error::{Error, Kind, Result};
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::grammar::parse_list;
use cranfield_core::hash::stir;
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::read::Strictness;
use cranfield_core::read::lines::LineReader;
use cranfield_core::read::qrels::read_qrels;
use cranfield_core::read::run::Gathered;
use cranfield_core::read::{Limits, Source};
use cranfield_core::stats::bootstrap::{Draws, bootstrap_test};
use cranfield_core::stats::paired::{Pair, ScoreTable};
use cranfield_core::stats::resample::Work;

fn seeded(path: &str) -> Result<Qrels> {
    let bad = |what: &str| Error::new(Kind::Fields, format!("expected {what} in {path}"));
    let text = read_to_string(path).map_err(|_| bad("judgments"))?;
    let mut builder = Builder::seeded(&[], 1);
    for (number, line) in (1..).zip(text.lines()) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [topic, _, document, grade] = fields[..] else { return Err(bad("four fields")) };
        let grade = grade.parse().map_err(|_| bad("grades"))?;
        let added = builder.add(topic.as_bytes(), document.as_bytes(), grade, &[], number);
        added.map_err(|_| bad("each document once"))?;
    }
    Ok(builder.finish(None))
}

/// How many judgments there are.
fn judgments(qrels: &str) -> Result<f64> {
    let limits = Limits::default();
    let reader = LineReader::new(Source::open(Path::new(qrels), &limits)?, &limits);
    let found = read_qrels(reader, Strictness::Strict, None)?;
    Ok(found.topics().iter().map(|topic| topic.len() as f64).sum())
}

/// The sum of all values of runs in files.
fn score(qrels: &str, runs: &[&str]) -> Result<f64> {
    let measures = parse_list("nDCG@10 nDCG AP bpref P@10 R@1000 RR num_ret")?;
    let evaluator = Evaluator::new(Arc::new(seeded(qrels)?), &measures, options())?;
    let inputs: Vec<Input> =
        runs.iter().map(|run| Input::file(run.to_string(), run.into())).collect();
    let scores = evaluator.evaluate(&inputs, &Arc::new(Monitor::default()))?;
    Ok(scores.values.iter().sum())
}

/// The same of lists in memory that are scored many times, one call a time.
fn score_lists(qrels: &str, run: &str, times: usize) -> Result<f64> {
    let measures = parse_list("nDCG@10 AP RR P@10 R@10")?;
    let evaluator = Evaluator::new(Arc::new(seeded(qrels)?), &measures, options())?;
    let limits = Limits::default();
    let reader = LineReader::new(Source::open(Path::new(run), &limits)?, &limits);
    let Gathered { run, .. } = evaluator.gather(reader, run)?;
    let mut sum = 0.0;
    for _ in 0..times {
        let scores = evaluator.evaluate_lists("run", |joiner| {
            let joined = run.topics.iter().all(|(id, lines)| {
                let joined = joiner.lines(id, lines).is_ok();
                if joiner.taker().is_full() {
                    joiner.taker().score();
                }
                joined
            });
            Ok::<bool, Error>(joined)
        });
        sum += scores?.map_or(f64::NAN, |scores| scores.values.iter().sum());
    }
    Ok(sum)
}

/// The sum of the bounds of a run.
fn bound(qrels: &str, run: &str) -> Result<f64> {
    let measures = parse_list("AP nDCG@10 bpref Rprec rpref_N")?;
    let qrels = Arc::new(seeded(qrels)?);
    let inputs = [Input::file(run.to_string(), run.into())];
    let monitor = Arc::new(Monitor::default());
    let found = bounds(&qrels, &measures, &inputs, options(), &Question::default(), &monitor)?;
    Ok(found.low.values.iter().chain(&found.high.values).sum())
}

/// The sum of the p-values of all pairs of so many systems over 50 topics.
fn bootstrap(systems: usize) -> Result<f64> {
    const TOPICS: usize = 50;
    let score = |i: usize| stir(i as u64) as f64 / u64::MAX as f64;
    let values: Vec<f64> = (0..systems * TOPICS).map(score).collect();
    let pairs: Vec<Pair> = (0..systems).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let work = Work { threads: Some(1) };
    let draws = Draws::new(TOPICS, 1000, 1).unwrap();
    let tested = bootstrap_test(ScoreTable::new(&values, TOPICS), &pairs, &draws, &work)?;
    Ok(tested.iter().map(|tested| tested.pvalue).sum())
}

fn options() -> Options {
    Options { threads: Some(1), ..Options::default() }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| {
        let bad = |_| Error::new(Kind::Fields, format!("expected a number, found {text}"));
        text.parse::<usize>().map_err(bad)
    };
    let sum = match arguments[..] {
        ["--judgments", qrels] => judgments(qrels)?,
        ["--lists", qrels, run, times] => score_lists(qrels, run, number(times)?)?,
        ["--bounds", qrels, run] => bound(qrels, run)?,
        ["--bootstrap", systems] => bootstrap(number(systems)?)?,
        [qrels, ref runs @ ..] => score(qrels, runs)?,
        [] => {
            eprintln!(
                "usage: lines QRELS [RUN], lines --judgments QRELS, lines --lists QRELS RUN TIMES, \
                 lines --bounds QRELS RUN, lines --bootstrap SYSTEMS"
            );
            std::process::exit(2);
        }
    };
    println!("{} {sum}", cranfield_scan::operations());
    Ok(())
}
