//! Lines of runs: read whole and in pieces, written and read again, scored as a stream
//! and from memory.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{env, fs, process};

use super::input::{begins_oddly, reader, same_error, text};
use cranfield_core::error::{Error, Kind};
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options, RunFile};
use cranfield_core::grammar::parse_list;
use cranfield_core::qrels::Builder;
use cranfield_core::rank::Run;
use cranfield_core::rank::{Duplicates, Ranker};
use cranfield_core::read::Strictness;
use cranfield_core::read::run::{Ranks, RunLayout, RunOptions, gather, gather_or_topics};

fn evaluator() -> &'static Evaluator {
    static MADE: OnceLock<Evaluator> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut builder = Builder::new(&[]);
        for topic in ["1", "2", "10", "q1"] {
            for (document, grade) in [("d1", 1.0), ("d2", 0.0), ("d3", 2.0), ("10", 1.0)] {
                builder.add(topic.as_bytes(), document.as_bytes(), grade, &[], 1).unwrap();
            }
        }
        let ranker = Ranker { duplicates: Duplicates::Best, ..Ranker::default() };
        let options = Options { ranker, threads: Some(1), hosted: true, ..Options::default() };
        let measures = parse_list("AP nDCG@10 num_ret bpref").unwrap();
        Evaluator::new(Arc::new(builder.finish(None)), &measures, options).unwrap()
    })
}

/// Everything about a run that a user can see.
fn seen(run: &Run) -> Vec<u8> {
    let mut all = Vec::new();
    for (topic, lines) in &run.topics {
        for line in 0..lines.len() {
            for part in [topic, lines.document(line), &lines.score(line).to_bits().to_le_bytes()] {
                all.extend_from_slice(&part.len().to_le_bytes());
                all.extend_from_slice(part);
            }
        }
    }
    all
}

/// The bits of the scores, or the error.
fn values(input: Input) -> Result<Vec<u64>, String> {
    match evaluator().evaluate(&[input], &Arc::new(Monitor::default())) {
        Ok(scores) => Ok(scores.values.iter().map(|value| value.to_bits()).collect()),
        Err(error) => Err(said(&error)),
    }
}

/// An error without the name of the file.
fn said(error: &Error) -> String {
    format!("{:?} {:?} {}", error.kind(), error.place().line, error.message())
}

/// The run in its canonical lines.
fn written(run: &Run) -> Vec<u8> {
    let mut lines = Vec::new();
    for (topic, list) in &run.topics {
        for line in 0..list.len() {
            lines.extend_from_slice(topic);
            lines.extend_from_slice(b" Q0 ");
            lines.extend_from_slice(list.document(line));
            let _ = writeln!(lines, " 1 {} tag", list.score(line));
        }
    }
    lines
}

/// A file of this process with a text.
fn file(text: &[u8]) -> RunFile {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path = PATH.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.into() } else { env::temp_dir() };
        folder.join(format!("cranfield-fuzz-{}", process::id()))
    });
    fs::write(path, text).expect("a small file can be written");
    RunFile::new("x".into(), path.clone())
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let [choices, piece, bytes @ ..] = bytes else { return };
    let text = text(bytes, &[6, 6, 6, 3]);
    let strictness = if choices & 1 == 0 { Strictness::Strict } else { Strictness::Lenient };
    let ranks = [Ranks::Ignored, Ranks::Kept, Ranks::Needed][usize::from(choices >> 1) % 3];
    let names = ["", "trec", "msmarco", "scores"];
    let layout = RunLayout::named(names[usize::from(choices >> 4) % 4]).unwrap_or_default();
    let options = RunOptions { strictness, ranks, layout };
    let Some(whole) = reader(&text, usize::MAX) else { return };
    let whole = gather(whole, options, "x".into());
    // One question an input, so that more inputs are tried.
    match choices >> 6 {
        0 => {
            let pieces = reader(&text, usize::from(*piece)).expect("it was opened above");
            let pieces = gather_or_topics(pieces, options, "x".into()).map_err(|(error, _)| error);
            match (whole, pieces) {
                (Ok(whole), Ok(pieces)) => assert_eq!(seen(&whole.run), seen(&pieces.run)),
                (Err(whole), Err(pieces)) => same_error(&whole, &pieces),
                (whole, pieces) => panic!("{whole:?} and in pieces {pieces:?}"),
            }
        }
        1 => {
            let Ok(whole) = whole else { return };
            let lines = written(&whole.run);
            if lines.is_empty() || begins_oddly(&lines) {
                return;
            }
            let again = reader(&lines, usize::MAX).expect("plain text");
            let layout = RunLayout::named("trec").unwrap();
            match gather(again, RunOptions { layout, ..RunOptions::default() }, "x".into()) {
                Ok(again) => assert_eq!(seen(&whole.run), seen(&again.run)),
                // Lines with more text than before may be too long.
                Err(error) => assert_eq!(error.kind().name(), "limit", "{error} {lines:?}"),
            }
        }
        2 => {
            let Ok(whole) = whole else { return };
            let memory = values(Input::Run(Arc::new(whole.run.clone())));
            assert_eq!(memory, values(Input::Gathered(whole)));
        }
        _ => {
            let streamed = values(Input::File(file(&text)));
            let again = reader(&text, usize::MAX).expect("it was opened above");
            match gather(again, RunOptions::default(), "x".into()) {
                Ok(whole) => match (streamed, values(Input::Gathered(whole))) {
                    // Of a line that is too long, a piece may be looked at first.
                    (Err(one), Err(other))
                        if one.starts_with("Limit") || other.starts_with("Limit") => {}
                    (streamed, whole) => assert_eq!(streamed, whole),
                },
                // Files may have longer lines; of a damaged one, another part may be read.
                Err(error) if matches!(error.kind(), Kind::Limit | Kind::Archive) => {}
                Err(error) => assert_eq!(streamed, Err(said(&error))),
            }
        }
    }
}
