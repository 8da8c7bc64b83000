//! Scores run files without Python: what a profiler looks at.
//!
//! `score QRELS MEASURES RUN...`

use std::path::Path;
use std::sync::Arc;

use cranfield_core::error::Result;
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::grammar::parse_list;
use cranfield_core::read::Strictness;
use cranfield_core::read::lines::LineReader;
use cranfield_core::read::qrels::read_qrels;
use cranfield_core::read::{Limits, Source};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [qrels, measures, runs @ ..] = arguments.as_slice() else {
        eprintln!("usage: score QRELS MEASURES RUN...");
        std::process::exit(2);
    };
    let limits = Limits::default();
    let reader = LineReader::new(Source::open(Path::new(qrels), &limits)?, &limits);
    let qrels = Arc::new(read_qrels(reader, Strictness::Strict, None)?);
    let options = Options { threads: Some(1), ..Options::default() };
    let evaluator = Evaluator::new(qrels, &parse_list(measures)?, options)?;
    let inputs: Vec<Input> = runs.iter().map(|run| Input::file(run.clone(), run.into())).collect();
    let scores = evaluator.evaluate(&inputs, &Arc::new(Monitor::default()))?;
    for (run, name) in scores.runs.iter().enumerate() {
        let means: Vec<String> =
            (0..scores.measures.len()).map(|m| format!("{:.4}", scores.mean(run, m))).collect();
        println!("{name}\t{}", means.join("\t"));
    }
    Ok(())
}
