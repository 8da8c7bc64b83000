//! One large file, read by several threads.
//!
//! The file is cut where a topic begins, and each part is scored as if it were
//! a run. Topics do not depend on each other, so the values are those of one
//! thread. A part does not know its line numbers, and a topic may stand in two
//! parts: whatever is not plain sailing is left to reading the whole file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result as IoResult, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::reading::{Reading, Step};
use super::{Evaluator, Kernel, Monitor, Sheet, Workspace};
use crate::bytes::field;
use crate::read::{Compression, Source};
use crate::scores::Notes;

/// A file below this size is read in the time that threads take to start.
const LARGE: u64 = if cfg!(test) { 200 } else { 8 << 20 };

/// How far the beginning of a topic is looked for.
const FAR: u64 = 16 << 20;

/// Whether a file is worth several threads.
pub(super) fn is_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() >= LARGE)
}

/// Where up to so many parts of a plain file begin, and where the last ends.
fn cuts(path: &Path, parts: u64) -> IoResult<Vec<u64>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut cuts = vec![0];
    for part in 1..parts {
        let from = length / parts * part;
        if let Some(cut) = topic_begins(&mut file, from)?
            && cuts.last().is_some_and(|last| *last < cut)
        {
            cuts.push(cut);
        }
    }
    cuts.push(length);
    Ok(cuts)
}

/// The first line behind a place whose topic is not that of the line above.
fn topic_begins(file: &mut File, from: u64) -> IoResult<Option<u64>> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::new(file).take(FAR);
    let (mut line, mut at) = (Vec::new(), from);
    at += reader.read_until(b'\n', &mut line)? as u64;
    let mut above: Option<Vec<u8>> = None;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let topic = field(&line[..read - 1], 0).map(|(start, end)| &line[start..end]);
        if let Some(topic) = topic.filter(|topic| !topic.starts_with(b"#")) {
            match &above {
                Some(above) if above != topic => return Ok(Some(at)),
                Some(_) => {}
                None => above = Some(topic.to_vec()),
            }
        }
        at += read as u64;
    }
}

impl Evaluator {
    /// Fills a sheet from a plain file by so many threads; nothing if that
    /// does not go smoothly.
    pub(super) fn score_parts(
        &self,
        path: &Path,
        threads: usize,
        sheet: &mut Sheet,
        monitor: &Arc<Monitor>,
    ) -> Option<()> {
        let whole = Source::open(path, &self.options.limits).ok()?;
        if whole.compression() != Compression::None {
            return None;
        }
        let cuts = cuts(path, threads as u64).ok()?;
        let parts: Vec<(u64, u64)> = cuts.windows(2).map(|cut| (cut[0], cut[1])).collect();
        let (kernel, place) = sheet.kernel();
        let scored: Vec<Option<Part>> = parts
            .into_par_iter()
            .with_max_len(1)
            .map(|(from, to)| self.score_part(path, (from, to), (kernel, place), monitor))
            .collect();
        let mut unjudged = HashSet::new();
        for part in scored {
            let Part { row, done, notes } = part?;
            let twice = sheet.done.iter().zip(&done).any(|(before, here)| *before && *here);
            if twice || !notes.without_judgments.iter().all(|topic| unjudged.insert(topic.clone()))
            {
                return None;
            }
            sheet.take(&row, &done, notes);
        }
        Some(())
    }

    fn score_part(
        &self,
        path: &Path,
        (from, to): (u64, u64),
        (kernel, place): (&Kernel, usize),
        monitor: &Arc<Monitor>,
    ) -> Option<Part> {
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(from)).ok()?;
        let part = Box::new(file.take(to - from));
        let source = Source::from_reader("", part, &self.options.limits).ok()?;
        let width = self.qrels.topics().len() * self.measures.len() * kernel.cells;
        let mut row = vec![0.0; width];
        let sheet = Sheet::new(self, kernel, place, &mut row);
        let reader = self.options.reader(source, monitor).from_byte(from);
        let mut part = Reading::new(reader, sheet);
        let mut workspace = Workspace::default();
        loop {
            match part.step(&mut workspace).ok()? {
                Step::On => {}
                Step::End => break,
                Step::CameBack | Step::Unscored(_) => return None,
            }
        }
        let Sheet { done, notes, .. } = part.end();
        Some(Part { row, done, notes })
    }
}

/// What comes of a part.
struct Part {
    row: Vec<f64>,
    done: Vec<bool>,
    notes: Notes,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Input, Options};
    use crate::grammar::parse_list;
    use crate::qrels::Builder;
    use std::fmt::Write as _;

    /// The same of a text for one thread and for several.
    fn agree(text: &str) -> String {
        static FILES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let file = FILES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("cranfield-{}-{file}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        assert!(is_large(&path));
        let mut builder = Builder::new(&[]);
        for topic in 0..40 {
            let document = format!("d{}", topic % 7);
            let topic = topic.to_string();
            builder.add(topic.as_bytes(), document.as_bytes(), 1.0, &[], 1).unwrap();
        }
        let qrels = Arc::new(builder.finish(None));
        let outcome = |threads: usize| {
            let options = Options { threads: Some(threads), ..Options::default() };
            let measures = parse_list("AP num_ret").unwrap();
            let evaluator = Evaluator::new(Arc::clone(&qrels), &measures, options).unwrap();
            let input = [Input::Path("run".into(), path.clone())];
            match evaluator.evaluate(&input, &Arc::new(Monitor::default())) {
                Ok(scores) => format!("{:?} {:?}", scores.values, scores.notes),
                Err(error) => error.to_string(),
            }
        };
        let alone = outcome(1);
        for threads in 2..8 {
            assert_eq!(outcome(threads), alone, "{threads}");
        }
        std::fs::remove_file(&path).unwrap();
        alone
    }

    fn run(topics: impl Iterator<Item = usize>) -> String {
        let mut text = String::new();
        for topic in topics {
            for rank in 0..=topic % 5 {
                writeln!(text, "{topic} Q0 d{rank} 1 {}.5 tag", 9 - rank / 2).unwrap();
            }
        }
        text
    }

    #[test]
    fn parts_are_the_whole() {
        assert!(agree(&run(0..45)).contains("without_judgments: [[52, 48]"));
        agree(run(0..45).trim_end());
        agree(&format!("# note\n\n{}", run(0..10)));
        // All lines of one topic, and a topic that comes back.
        agree(&run([4].into_iter()).replace('d', &"x".repeat(60)));
        agree(&run((0..20).chain([3])).replace("3 Q0 d", "3 Q0 e"));
        agree(&format!("{}{}", run(0..20), run([2].into_iter()).replace(" d", " e")));
        agree(&format!("{}99 Q0 a 1 1 t\n{}99 Q0 b 1 1 t\n", run(0..20), run(20..40)));
    }

    #[test]
    fn errors_are_those_of_the_whole() {
        let odd = format!("{}39 Q0 d1 1 x tag\n", run(0..39));
        assert!(agree(&odd).contains("expected a number as score"));
        let twice = format!("{}39 Q0 d1 1 2 tag\n39 Q0 d1 2 1 tag\n", run(0..39));
        assert!(agree(&twice).contains("again"));
    }
}
