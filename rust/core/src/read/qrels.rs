//! Judgment files.
//!
//! Four formats, told apart by the first data line: TREC's four columns
//! (topic, iteration, document, grade), the five columns of a stratified
//! sample (topic, iteration, document, stratum, grade), those of a sample with
//! inclusion probabilities (topic, document, grade, method, probability), and
//! BEIR's tab-separated file with the header `query-id corpus-id score`.

use super::Strictness;
use super::lines::LineReader;
use super::usual_qrels::Above;
use crate::bytes::{fields_into, lenient_number, number};
use crate::error::{Error, Kind, Result, count, quote};
use crate::qrels::{Builder, Clash, Qrels};

/// Which fields of a line hold what.
#[derive(Clone, Copy, Debug)]
struct Format {
    fields: usize,
    document: usize,
    grade: usize,
    column: Option<(usize, &'static str)>,
    intent: Option<usize>,
    layout: &'static str,
}

const TREC: Format = Format {
    fields: 4,
    document: 2,
    grade: 3,
    column: None,
    intent: None,
    layout: "topic iteration document grade",
};
const STRATIFIED: Format = Format {
    fields: 5,
    document: 2,
    grade: 4,
    column: Some((3, STRATUM)),
    intent: None,
    layout: "topic iteration document stratum grade",
};
const DRAWN: Format = Format {
    fields: 5,
    document: 1,
    grade: 2,
    column: Some((4, INCLUSION)),
    intent: None,
    layout: "topic document grade method inclusion",
};
const BY_INTENT: Format = Format {
    fields: 4,
    document: 2,
    grade: 3,
    column: None,
    intent: Some(1),
    layout: "topic intent document grade",
};
const BEIR: Format = Format {
    fields: 3,
    document: 1,
    grade: 2,
    column: None,
    intent: None,
    layout: "query-id corpus-id score",
};

/// The name of the column that stratified judgments have.
pub const STRATUM: &str = "stratum";

/// The name of the column that judgments with probabilities have.
pub const INCLUSION: &str = "inclusion";

/// The name of the column of classes: documents of one class say the same.
pub const CLASS: &str = "class";

/// The name of the column of what documents cost to read.
pub const COST: &str = "cost";

/// The field of the method, and the methods that draw: the documents of all
/// others were judged for certain.
const METHOD: usize = 3;
const DRAWS: [&[u8]; 2] = [b"1", b"3"];

/// Reads judgments.
pub fn read_qrels(
    reader: LineReader,
    strictness: Strictness,
    docs_in_collection: Option<u64>,
) -> Result<Qrels> {
    read_as(None, reader, strictness, docs_in_collection)
}

/// Reads judgments by intent: four columns, as the web track's diversity task
/// had them, whose second is the intent (subtopic).
pub fn read_intents(
    reader: LineReader,
    strictness: Strictness,
    docs_in_collection: Option<u64>,
) -> Result<Qrels> {
    read_as(Some(BY_INTENT), reader, strictness, docs_in_collection)
}

fn read_as(
    given: Option<Format>,
    mut reader: LineReader,
    strictness: Strictness,
    docs_in_collection: Option<u64>,
) -> Result<Qrels> {
    let name = reader.name().to_string();
    let mut read = || -> Result<Qrels> {
        let mut state: Option<(Format, Builder)> = None;
        let mut spans = Vec::new();
        let mut above = Above::default();
        let longest = reader.longest();
        loop {
            let at = reader.number() + 1;
            if let Some((_, builder)) = &mut state {
                let (bytes, lines) = above.read(reader.block()?, longest, at, builder);
                reader.skip(bytes, lines);
                if lines > 0 {
                    continue;
                }
            }
            let Some(line) = reader.next_line()? else { break };
            fields_into(line, &mut spans);
            let Some(&(start, _)) = spans.first() else { continue };
            if line[start] == b'#' {
                continue;
            }
            let Some((format, builder)) = &mut state else {
                let (format, header) = match given {
                    Some(format) => (format, false),
                    None => sniff(line, &spans, at)?,
                };
                let mut builder = Builder::new(format.column.map(|(_, name)| name).as_slice());
                if !header {
                    judgment(line, &spans, at, format, strictness, &mut builder)?;
                }
                state = Some((format, builder));
                continue;
            };
            above.forget();
            judgment(line, &spans, at, *format, strictness, builder)?;
            if format.column.is_none() && format.intent.is_none() {
                above.learn(line, spans[format.document].0);
            }
        }
        let layout =
            state.as_ref().map_or(given.unwrap_or(TREC).layout, |(format, _)| format.layout);
        let found = match (&state, reader.number()) {
            (Some(_), _) => "only the header",
            (None, 0) => "an empty file",
            (None, _) => "only comments and blank lines",
        };
        let qrels = state.map(|(_, builder)| builder.finish(docs_in_collection));
        qrels.filter(|qrels| !qrels.topics().is_empty()).ok_or_else(|| {
            Error::new(Kind::Empty, format!("expected judgments ({layout}), found {found}"))
        })
    };
    read().map_err(|e| e.in_file(name))
}

/// The format that a first line is in, and whether it is a header.
fn sniff(line: &[u8], spans: &[(usize, usize)], at: u64) -> Result<(Format, bool)> {
    let text = |i: usize| line[spans[i].0..spans[i].1].to_ascii_lowercase();
    match spans.len() {
        4 => Ok((TREC, false)),
        5 if is_drawn(line, spans) => Ok((DRAWN, false)),
        5 => Ok((STRATIFIED, false)),
        3 if text(0).starts_with(b"query") && text(2) == b"score" => Ok((BEIR, true)),
        found => {
            let hint = if found >= 6 { "; this looks like a run" } else { "" };
            let message = format!(
                "expected 4 fields ({}), 5 ({}), or the header `{}`, found {}{hint}",
                TREC.layout,
                STRATIFIED.layout,
                BEIR.layout,
                count(found, "field")
            );
            let end = spans.last().map_or(0, |span| span.1);
            Err(Error::new(Kind::Fields, message).at(at, line, end))
        }
    }
}

/// Whether five fields are a judgment with its probability and not one with
/// its stratum: where the iteration would be stands a document.
fn is_drawn(line: &[u8], spans: &[(usize, usize)]) -> bool {
    let text = |i: usize| &line[spans[i].0..spans[i].1];
    let iteration = number(text(1)).is_some() || text(1).eq_ignore_ascii_case(b"q0");
    let probability = number(text(4)).filter(|p| *p > 0.0 && *p <= 1.0);
    let method = matches!(text(METHOD), b"0" | b"1" | b"2" | b"3");
    let fits = method && number(text(2)).is_some() && probability.is_some();
    fits && (!iteration || probability.is_some_and(|p| p < 1.0))
}

fn judgment(
    line: &[u8],
    spans: &[(usize, usize)],
    at: u64,
    format: Format,
    strictness: Strictness,
    builder: &mut Builder,
) -> Result<()> {
    if spans.len() != format.fields {
        let message =
            format!("expected {} fields ({}), found {}", format.fields, format.layout, spans.len());
        let end = spans.last().map_or(0, |span| span.1);
        let column = spans.get(format.fields).map_or(end, |extra| extra.0);
        return Err(Error::new(Kind::Fields, message).at(at, line, column));
    }
    let text = |i: usize| &line[spans[i].0..spans[i].1];
    let mut value = |i: usize, what: &str| match number(text(i)) {
        Some(value) if value.is_finite() => Ok(value),
        _ if strictness == Strictness::Lenient => {
            builder.repaired += 1;
            // C's `atol` makes 0 of what is no number.
            Ok(Some(lenient_number(text(i))).filter(|value| value.is_finite()).unwrap_or(0.0))
        }
        other => {
            let expected = if other.is_some() { "a finite number" } else { "a number" };
            let message = format!("expected {expected} as {what}, found {}", quote(text(i)));
            Err(Error::new(Kind::Number, message).at(at, line, spans[i].0))
        }
    };
    let grade = value(format.grade, "grade")?;
    let mut column = format.column.map(|(i, name)| value(i, name)).transpose()?;
    if let (Some(probability), Some((i, INCLUSION))) = (&mut column, format.column) {
        if !DRAWS.contains(&text(METHOD)) {
            *probability = 1.0;
        }
        if let Err(message) = check_inclusion(*probability) {
            return Err(Error::new(Kind::Number, message).at(at, line, spans[i].0));
        }
    }
    let document = text(format.document);
    let added = match format.intent {
        Some(i) => builder.add_under(text(0), text(i), document, grade, at),
        None => builder.add(text(0), document, grade, column.as_slice(), at),
    };
    added.map_err(|clash| {
        again(clash, text(0), document, grade).at(at, line, spans[format.document].0)
    })
}

/// Whether a number is the probability of a document to be judged; an error is
/// a sentence.
pub fn check_inclusion(probability: f64) -> std::result::Result<(), String> {
    if probability > 0.0 && probability <= 1.0 {
        return Ok(());
    }
    Err(format!("expected a probability above 0 and up to 1 as {INCLUSION}, found {probability}"))
}

/// Whether a number is what a document costs; an error is a sentence.
pub fn check_cost(cost: f64) -> std::result::Result<(), String> {
    if cost > 0.0 && cost.is_finite() {
        return Ok(());
    }
    Err(format!("expected a number above 0 as {COST}, found {cost}"))
}

/// The error for a second judgment of a document.
#[cold]
pub fn again(clash: Clash, topic: &[u8], document: &[u8], grade: f64) -> Error {
    let Clash { line, grade: earlier } = clash;
    let (topic, document) = (quote(topic), quote(document));
    if earlier == grade {
        let message = format!(
            "expected one judgment of a document for each topic, found {document} again for topic {topic}: it stands on line {line} too"
        );
        Error::new(Kind::Duplicate, message)
    } else {
        let message = format!(
            "expected one judgment of a document for each topic, found grade {grade} for {document} and topic {topic}, which has grade {earlier} on line {line}"
        );
        Error::new(Kind::Conflict, message)
    }
}

#[cfg(test)]
mod tests {
    use super::super::open::Limits;
    use super::super::source;
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Qrels> {
        read_qrels(LineReader::new(source(text), &Limits::default()), Strictness::Strict, None)
    }

    fn document() -> impl Strategy<Value = String> {
        prop_oneof![6 => "[ab]{1,3}", 2 => "[d-]{14,18}", 1 => "d{60,66}[xyé]"]
    }

    /// Where everything stands, or what was wrong.
    fn shown(reader: LineReader) -> std::result::Result<String, String> {
        let qrels = read_qrels(reader, Strictness::Strict, None).map_err(|e| e.to_string())?;
        let topics = qrels.topics().iter().map(|topic| {
            let documents: Vec<_> = topic.judgments().map(|(_, id, level)| (id, level)).collect();
            format!("{:?} {documents:?}", topic.id())
        });
        Ok(format!("{:?} {:?}", qrels.grades(), topics.collect::<Vec<_>>()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        /// Lines that are like those above are the same judgments as lines that
        /// are not, and wrong ones are the same errors.
        #[test]
        fn the_fast_path_reads_what_the_general_path_reads(
            lines in prop::collection::vec(
                (
                    "[12]",
                    document(),
                    prop_oneof![20 => "-?[0-3](\\.5)?", 1 => "x|nan|1e999|1e1|-|"],
                    prop_oneof![20 => Just(String::new()), 1 => "\r| |\t|\n|\n# note|\u{1}| 1|\0"],
                ),
                1..30,
            ),
            sorted: bool,
            chunk in 2usize..300,
            block in 1usize..300,
        ) {
            let mut lines = lines;
            if sorted {
                lines.sort_by(|a, b| a.0.cmp(&b.0));
                lines.dedup_by(|a, b| (&a.0, &a.1) == (&b.0, &b.1));
            }
            let each = |(topic, document, grade, end): &(String, String, String, String)| {
                format!("{topic} 0 {document} {grade}{end}\n")
            };
            let text: String = lines.iter().map(each).collect();
            // In a line that is longer than the longest nothing is foreseen.
            let limits = Limits { line_bytes: 79, ..Limits::default() };
            let fast = LineReader::by(chunk, block, source(&text), &Limits::default());
            let slow = LineReader::new(source(&text), &limits);
            prop_assume!(text.lines().all(|line| line.len() < 79));
            prop_assert_eq!(shown(fast), shown(slow));
        }
    }

    #[test]
    fn formats_are_recognised() {
        let trec = read("# note\n1 0 a 1\n1\t0\tb\t-1\r\n").unwrap();
        assert_eq!(trec.grades(), [-1.0, 1.0]);
        let beir = read("query-id\tcorpus-id\tscore\n1\ta\t0.5\n").unwrap();
        assert_eq!(beir.grades(), [0.5]);
        let stratified = read("1 0 a 2 -1\n").unwrap();
        assert_eq!(stratified.column_names(), [STRATUM]);
        assert_eq!(stratified.topics()[0].column(0), Some(&[2.0][..]));
    }

    #[test]
    fn strata_and_probabilities_are_told_apart() {
        for (text, name, value) in [
            ("1 0 55 1 1\n", STRATUM, 1.0),
            ("1 Q0 55 2 1\n", STRATUM, 2.0),
            ("1 0 a 2 0.5\n", STRATUM, 2.0),
            ("1 a 1 1 0.5\n", INCLUSION, 0.5),
            ("1 a 0 1 1\n", INCLUSION, 1.0),
            ("1 55 1 1 0.25\n", INCLUSION, 0.25),
            ("1 a 1 2 0.25\n", INCLUSION, 1.0),
        ] {
            let qrels = read(text).unwrap();
            assert_eq!(qrels.column_names(), [name], "{text}");
            assert_eq!(qrels.topics()[0].column(0), Some(&[value][..]), "{text}");
        }
        let error = read("1 a 1 1 0.5\n1 b 1 1 0\n").unwrap_err();
        assert_eq!((error.place().line, error.place().column), (Some(2), Some(9)));
        assert!(error.message().contains("above 0 and up to 1 as inclusion, found 0"), "{error}");
    }

    #[test]
    fn judgments_by_intent_keep_the_highest_grade() {
        let read = |text: &str| {
            let reader = LineReader::new(source(text), &Limits::default());
            read_intents(reader, Strictness::Strict, None)
        };
        let qrels = read("1 x a 0\n1 y a 2\n1 x b 1\n2 z a -1\n").unwrap();
        assert!(qrels.has_intents());
        assert_eq!(qrels.grades(), [-1.0, 1.0, 2.0]);
        let first = &qrels.topics()[0];
        assert_eq!(first.intents().names(), [b"x"[..].into(), b"y"[..].into()]);
        assert_eq!(first.intents().grades(0), [(0, 0.0), (1, 2.0)]);
        let alike = read("1 x a 0\n1 x b 1\n1 x c 1\n1 x d 0\n").unwrap();
        assert_eq!(alike.topics()[0].intents().counts(0..4, 1.0), [2]);
        let error = read("1 x a 0\n1 y a 2\n1 x a 1\n").unwrap_err();
        assert_eq!((error.kind(), error.place().line), (Kind::Conflict, Some(3)));
        assert!(
            !super::read_qrels(
                LineReader::new(source("1 0 a 1\n"), &Limits::default()),
                Strictness::Strict,
                None
            )
            .unwrap()
            .has_intents()
        );
    }

    #[test]
    fn judgments_that_disagree_name_both_lines() {
        let error = read("1 0 a 1\n1 0 b 1\n1 0 a 0\n").unwrap_err();
        assert_eq!(
            (error.kind(), error.place().line, error.place().column),
            (Kind::Conflict, Some(3), Some(5))
        );
        assert!(error.message().contains("grade 1 on line 1"), "{error}");
        assert_eq!(read("1 0 a 1\n1 0 a 1\n").unwrap_err().kind(), Kind::Duplicate);
    }
}
