//! Writes judgments and runs as text, in the formats that can be read.

use std::io::Write;
use std::path::Path;

use crate::bytes::is_white_space;
use crate::error::{Error, Kind, Result, quote};
use crate::qrels::Qrels;
use crate::rank::{Run, in_default_order};
use crate::read::Compression;
use crate::read::mistaken::archive;
use crate::read::qrels::STRATUM;
use crate::write::{Output, WRITE, failed, stdout};

/// The text formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TREC's columns.
    Trec,
    /// MS MARCO's three columns of a run.
    MsMarco,
    /// BEIR's tab-separated judgments with a header.
    Beir,
    /// TREC's columns of stratified judgments.
    Stratified,
}

/// Every format: its name, and whether judgments and runs can be written in it.
const NAMED_FORMATS: [(&str, Format, bool, bool); 4] = [
    ("trec", Format::Trec, true, true),
    ("msmarco", Format::MsMarco, false, true),
    ("beir", Format::Beir, true, false),
    ("stratified", Format::Stratified, true, false),
];

impl Format {
    /// The format of a name.
    pub fn named(name: &str) -> Result<Format> {
        let found = NAMED_FORMATS.iter().find(|(known, ..)| *known == name);
        found.map(|&(_, format, ..)| format).ok_or_else(|| {
            let known = listed(NAMED_FORMATS.iter().map(|(name, ..)| *name));
            let message = format!("expected a format of {known}, found {}", quote(name));
            Error::new(Kind::Option, message)
        })
    }

    /// The names of the formats of judgments.
    pub fn of_qrels() -> impl Iterator<Item = &'static str> {
        NAMED_FORMATS.iter().filter(|(_, _, qrels, _)| *qrels).map(|(name, ..)| *name)
    }

    /// The names of the formats of runs.
    pub fn of_runs() -> impl Iterator<Item = &'static str> {
        NAMED_FORMATS.iter().filter(|(_, _, _, runs)| *runs).map(|(name, ..)| *name)
    }

    fn name(self) -> &'static str {
        NAMED_FORMATS.iter().find(|(_, format, ..)| *format == self).map_or("", |(name, ..)| name)
    }

    /// An error if the format is not among those of what is written.
    fn check(self, what: &str, known: &[&str]) -> Result<()> {
        if known.contains(&self.name()) {
            return Ok(());
        }
        let known = listed(known.iter().copied());
        let message = format!("{what} are written as {known}, not as {}", self.name());
        Err(Error::new(Kind::Option, message))
    }
}

/// Words in a sentence: "a, b or c".
fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.join(""),
    }
}

/// A number in so many digits that count, without zeros at the end, as C's `%g` has it.
pub fn general(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let bare = |text: &str| {
        let end = if text.contains('.') { ['0', '.'] } else { ['.', '.'] };
        text.trim_end_matches(end[0]).trim_end_matches(end[1]).to_string()
    };
    if (-4..digits as i32).contains(&exponent) {
        return bare(&format!("{value:.*}", (digits as i32 - 1 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", bare(mantissa), exponent.abs())
}

/// The shortest digits that are read back as the same number, written as by
/// Python's `repr`: with an exponent below 0.0001 and from 1e16 on.
pub fn shortest(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) || value.is_nan() {
        return format!("{value:?}").to_lowercase();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let sign = if exponent.starts_with('-') { '-' } else { '+' };
            format!("{digits}e{sign}{:0>2}", exponent.trim_start_matches('-'))
        }
        None => text,
    }
}

/// Refuses an id that would not be read back as it is written.
fn check_id(id: &[u8], what: &str) -> Result<()> {
    // A byte order mark at the beginning of a file is not part of its text, and what begins as
    // an archive is unpacked.
    let unread = what == "topic"
        && (id == b"#"
            || id.starts_with(b"\xEF\xBB\xBF")
            || Compression::of(id) != Compression::None
            || archive(id).is_some());
    if id.is_empty() || unread || id.iter().any(|&b| is_white_space(b) || matches!(b, b'\n' | 0)) {
        let message = format!(
            "expected ids that a file can hold (not empty, without white space, a topic not # alone and not beginning with a byte order mark or as an archive does), found {what} {}",
            quote(id)
        );
        return Err(Error::new(Kind::Type, message));
    }
    Ok(())
}

/// An error for the first id of judgments that would not be read back from lines.
pub fn check_ids(qrels: &Qrels) -> Result<()> {
    qrels.topics().iter().try_for_each(|topic| {
        check_id(topic.id(), "topic")?;
        topic.judgments().try_for_each(|(_, document, _)| check_id(document, "document"))
    })
}

/// Writes judgments to a file; a path of `-` is standard output.
pub fn write_qrels(qrels: &Qrels, path: &Path, format: Format) -> Result<()> {
    let stratum = qrels.column_names().iter().position(|name| name == STRATUM);
    format.check("judgments", &Format::of_qrels().collect::<Vec<_>>())?;
    if format == Format::Stratified && stratum.is_none() {
        let message = "the stratified format needs judgments with a stratum for each document";
        return Err(Error::new(Kind::Needs, message));
    }
    check_ids(qrels)?;
    to_file(path, |out| {
        if format == Format::Beir {
            writeln!(out, "query-id\tcorpus-id\tscore")?;
        }
        for topic in qrels.topics() {
            for (number, document, grade_index) in topic.judgments() {
                let grade = qrels.grades()[grade_index as usize];
                out.write_all(topic.id())?;
                out.write_all(if format == Format::Beir { b"\t" } else { b" 0 " })?;
                out.write_all(document)?;
                let column = stratum.filter(|_| format == Format::Stratified);
                match column.and_then(|column| topic.column(column)) {
                    Some(strata) => writeln!(out, " {} {grade}", strata[number])?,
                    None if format == Format::Beir => writeln!(out, "\t{grade}")?,
                    None => writeln!(out, " {grade}")?,
                }
            }
        }
        Ok(())
    })
}

/// Writes a run to a file, each list in ranked order; a path of `-` is
/// standard output.
pub fn write_run(run: &Run, path: &Path, format: Format) -> Result<()> {
    format.check("runs", &Format::of_runs().collect::<Vec<_>>())?;
    for (topic, lines) in &run.topics {
        check_id(topic, "topic")?;
        (0..lines.len()).try_for_each(|line| check_id(lines.document(line), "document"))?;
    }
    // A run without a tag is written with its name. Either is one field.
    let names = [run.tag.as_deref().unwrap_or_default(), run.name.as_bytes(), b"run"];
    let mut tags = names.into_iter().map(one_field);
    let tag = tags.find(|tag| !tag.is_empty()).unwrap_or_default();
    to_file(path, |out| {
        for (topic, lines) in &run.topics {
            for (line, rank) in in_default_order(lines).zip(1..) {
                out.write_all(topic)?;
                out.write_all(if format == Format::Trec { b" Q0 " } else { b"\t" })?;
                out.write_all(lines.document(line))?;
                if format == Format::Trec {
                    write!(out, " {rank} {} ", lines.score(line))?;
                    out.write_all(&tag)?;
                    writeln!(out)?;
                } else {
                    writeln!(out, "\t{rank}")?;
                }
            }
        }
        Ok(())
    })
}

/// Suffixes of forms that judgments and runs are read in, or scores written in, but that this
/// module does not write.
pub const OTHER_SUFFIXES: [&str; 15] = [
    "csv", "json", "jsonl", "ndjson", "parquet", "pq", "arrow", "feather", "ipc", "html", "htm",
    "md", "tex", "xlsx", "zip",
];

/// An error for a file whose name says that it holds something else than text in columns.
fn check_suffix(path: &Path) -> Result<()> {
    let of = |path: &Path| path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    let packed = matches!(of(path).as_deref(), Some("gz" | "zst" | "bz2" | "xz"));
    let bare = path.with_extension("");
    let suffix = of(if packed { &bare } else { path }).unwrap_or_default();
    if !OTHER_SUFFIXES.contains(&&*suffix) {
        return Ok(());
    }
    let known = listed(NAMED_FORMATS.iter().map(|(name, ..)| *name));
    let message = format!(
        "judgments and runs are written as text in columns ({known}), found the suffix .{suffix}; \
         give a name such as {}",
        quote(path.with_extension("txt").to_string_lossy().as_bytes())
    );
    Err(Error::new(Kind::Option, message).in_file(path.to_string_lossy()))
}

/// A text with underscores in place of white space, and none around it.
fn one_field(text: &[u8]) -> Vec<u8> {
    let is_gap = |byte: &u8| is_white_space(*byte) || matches!(byte, b'\n' | 0);
    let words = text.split(is_gap).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&b'_')
}

/// Runs a writer over a file that appears only if writing succeeds.
fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    if path == Path::new("-") {
        let written = stdout().and_then(|mut out| write(&mut out).and_then(|()| out.flush()));
        return written.map_err(|e| failed("<stdout>", "write", &e));
    }
    check_suffix(path)?;
    let mut out = Output::create(path)?;
    let name = out.name().to_string();
    write(&mut out).map_err(|e| failed(&name, WRITE, &e))?;
    out.commit()
}
