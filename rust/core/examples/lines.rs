//! Scores a run file with hashes that are the same in every process, so that
//! the instructions of two programs can be compared: what
//! `benches/instructions.py` counts. It prints the code path of the processor
//! and the sum of all values.
//!
//! `lines QRELS [RUN]`, or `lines --judgments QRELS` for reading alone

use std::fs::read_to_string;
use std::path::Path;
use std::sync::Arc;

use cranfield_core::error::{Error, Kind, Result};
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::grammar::parse_list;
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::read::Strictness;
use cranfield_core::read::lines::LineReader;
use cranfield_core::read::qrels::read_qrels;
use cranfield_core::read::{Limits, Source};

fn code_path() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if cranfield_scan::Vector::detect().is_some() {
        return "avx2";
    }
    "portable"
}

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

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (qrels, runs) = match arguments[..] {
        ["--judgments", qrels] => {
            let limits = Limits::default();
            let reader = LineReader::new(Source::open(Path::new(qrels), &limits)?, &limits);
            let found = read_qrels(reader, Strictness::Strict, None)?;
            println!("{} {}", code_path(), found.topics().len());
            return Ok(());
        }
        [qrels, ref runs @ ..] => (qrels, runs),
        [] => {
            eprintln!("usage: lines QRELS [RUN], lines --judgments QRELS");
            std::process::exit(2);
        }
    };
    let options = Options { threads: Some(1), ..Options::default() };
    let measures = parse_list("nDCG@10 nDCG AP bpref P@10 R@1000 RR num_ret")?;
    let evaluator = Evaluator::new(Arc::new(seeded(qrels)?), &measures, options)?;
    let inputs: Vec<Input> =
        runs.iter().map(|run| Input::file(run.to_string(), run.into())).collect();
    let scores = evaluator.evaluate(&inputs, &Arc::new(Monitor::default()))?;
    println!("{} {}", code_path(), scores.values.iter().sum::<f64>());
    Ok(())
}
