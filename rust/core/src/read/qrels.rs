//! Judgment files.
//!
//! Formats that the first data line tells apart: TREC's four columns (topic,
//! iteration, document, grade), the five columns of a stratified sample
//! (topic, iteration, document, stratum, grade), those of a sample with
//! inclusion probabilities (topic, document, grade, method, probability),
//! NTCIR's three (topic, document, level such as L2), and BEIR's tab-separated
//! file with the header `query-id corpus-id score`. Judgments by intent have
//! four columns like TREC's, so they have to be asked for by name.

use super::fast_path_qrels::Above;
use super::lines::LineReader;
use super::{Strictness, read_anyway};
use crate::bytes::{fields_into, lenient_number, number};
use crate::error::{Error, Interface, Kind, Result, count, quote};
use crate::qrels::{Builder, Clash, Qrels};

/// Which fields of a line hold what.
#[derive(Clone, Copy, Debug)]
struct Format {
    fields: usize,
    document: usize,
    grade: usize,
    column: Option<(usize, &'static str)>,
    intent: Option<usize>,
    /// Whether grades are levels such as L2.
    levels: bool,
    layout: &'static str,
}

const TREC: Format = Format {
    fields: 4,
    document: 2,
    grade: 3,
    column: None,
    intent: None,
    levels: false,
    layout: "topic iteration document grade",
};
const STRATIFIED: Format = Format {
    fields: 5,
    document: 2,
    grade: 4,
    column: Some((3, STRATUM)),
    intent: None,
    levels: false,
    layout: "topic iteration document stratum grade",
};
const DRAWN: Format = Format {
    fields: 5,
    document: 1,
    grade: 2,
    column: Some((4, INCLUSION)),
    intent: None,
    levels: false,
    layout: "topic document grade method inclusion",
};
const BY_INTENT: Format = Format {
    fields: 4,
    document: 2,
    grade: 3,
    column: None,
    intent: Some(1),
    levels: false,
    layout: "topic intent document grade",
};
const BEIR: Format = Format {
    fields: 3,
    document: 1,
    grade: 2,
    column: None,
    intent: None,
    levels: false,
    layout: "query-id corpus-id score",
};

const NTCIR: Format = Format {
    fields: 3,
    document: 1,
    grade: 2,
    column: None,
    intent: None,
    levels: true,
    layout: "topic document level, such as L2",
};
const NTCIR_BY_INTENT: Format =
    Format { levels: true, layout: "topic intent document level, such as L2", ..BY_INTENT };

/// The formats that can be asked for by name.
const NAMED: [(&str, Format); 6] = [
    ("trec", TREC),
    ("stratified", STRATIFIED),
    ("inclusion", DRAWN),
    ("intents", BY_INTENT),
    ("beir", BEIR),
    ("ntcir", NTCIR),
];

/// The format of a file of judgments; by default the first line tells.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    format: Option<Format>,
    levels: Levels,
}

/// The grades of levels that have other names than L0, L1 ...
#[derive(Clone, Debug, Default)]
struct Levels(Vec<(Box<[u8]>, f64)>);

impl Layout {
    /// The names of the formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// The format of a name; an error is a sentence.
    pub fn named(name: &str) -> std::result::Result<Layout, String> {
        let found = NAMED.iter().find(|(known, _)| *known == name);
        let layout = |format| Layout { format: Some(format), levels: Levels::default() };
        found.map(|(_, format)| layout(*format)).ok_or_else(|| {
            let names: Vec<&str> = Layout::names().collect();
            format!("expected one of {} as layout, found {}", names.join(", "), quote(name))
        })
    }

    /// The same, where these names stand for grades; an error is a sentence. A
    /// name is no number and no level such as L2, which stand for themselves.
    pub fn with_levels(self, levels: Vec<(Box<[u8]>, f64)>) -> std::result::Result<Layout, String> {
        for (name, grade) in &levels {
            let blank =
                name.iter().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
            let own = number(name).is_some() || Levels::default().grade(name).is_some();
            if name.is_empty() || blank || own || name.starts_with(b"#") {
                return Err(format!(
                    "expected names of levels such as S, which are no numbers and not L0, L1 ..., found {}",
                    quote(name)
                ));
            }
            if !grade.is_finite() {
                let name = quote(name);
                return Err(format!("expected a finite grade for level {name}, found {grade}"));
            }
        }
        Ok(Layout { levels: Levels(levels), ..self })
    }
}

impl Levels {
    /// The grade of a level: by its name, or the number of one such as L2.
    fn grade(&self, text: &[u8]) -> Option<f64> {
        let named = self.0.iter().find(|(name, _)| **name == *text);
        named.map(|&(_, grade)| grade).or_else(|| {
            let digits = text.strip_prefix(b"L")?;
            digits.iter().all(u8::is_ascii_digit).then(|| number(digits)).flatten()
        })
    }
}

/// What to do about a text that is no level, if it may be one of another name.
fn hint(text: &[u8], to: Interface) -> &'static str {
    match text {
        [letter] if letter.is_ascii_uppercase() => to.either(
            "; say what levels of other names stand for: levels={\"S\": 3, \"A\": 2, \"B\": 1}",
            "; say what levels of other names stand for: --levels S=3,A=2,B=1",
        ),
        _ => "",
    }
}

/// The name of the column that stratified judgments have.
pub const STRATUM: &str = "stratum";

/// The name of the column that judgments with probabilities have.
pub const INCLUSION: &str = "inclusion";

/// The name of the column of classes: documents of one class say the same.
pub const CLASS: &str = "class";

/// The name of the column of what documents cost to read.
pub const COST: &str = "cost";

/// The field of the method, and the methods under which a document was judged
/// for certain: all others drew it with the probability that stands there.
const METHOD: usize = 3;
const CERTAIN: [&[u8]; 2] = [b"0", b"2"];

/// Reads judgments in the format that their first line shows.
pub fn read_qrels(
    reader: LineReader,
    strictness: Strictness,
    docs_in_collection: Option<u64>,
) -> Result<Qrels> {
    read_as(Layout::default(), reader, strictness, docs_in_collection)
}

/// Reads judgments in a format.
pub fn read_as(
    Layout { format: given, levels }: Layout,
    mut reader: LineReader,
    strictness: Strictness,
    docs_in_collection: Option<u64>,
) -> Result<Qrels> {
    let name = reader.name().to_string();
    let mut read = || -> Result<Qrels> {
        let mut state: Option<(Format, Builder)> = None;
        let mut spans = Vec::new();
        let mut above = Above::default();
        // Intents are looked for where the layout was not named.
        let mut iterations = given.is_none().then(Iterations::default);
        let longest = reader.longest();
        loop {
            let at = reader.number() + 1;
            if let Some((_, builder)) = &mut state {
                let block = reader.block()?;
                builder.make_room(block.ends.len(), block.bytes())?;
                let (bytes, lines) = above.read(block, longest, at, builder);
                reader.skip(bytes, lines);
                if lines > 0 {
                    continue;
                }
            }
            let Some(line) = reader.next_line()? else { break };
            if let Some((_, builder)) = &state {
                builder.make_room(1, line.len())?;
            }
            fields_into(line, &mut spans);
            let Some(&(start, _)) = spans.first() else { continue };
            if line[start] == b'#' {
                continue;
            }
            if state.as_ref().is_none_or(|(format, _)| format.layout == TREC.layout)
                && let (Some(iterations), [(from, to), (start, end), _, _]) =
                    (&mut iterations, spans.as_slice())
            {
                iterations.see(&line[*from..*to], &line[*start..*end]);
            }
            let Some((format, builder)) = &mut state else {
                let (format, header) = match given {
                    Some(format) => of_line(format, &levels, line, &spans),
                    None => sniff(&levels, line, &spans, at)?,
                };
                let mut builder = Builder::new(format.column.map(|(_, name)| name).as_slice());
                if !header {
                    judgment(line, &spans, at, format, &levels, strictness, &mut builder)?;
                }
                state = Some((format, builder));
                continue;
            };
            above.forget();
            judgment(line, &spans, at, *format, &levels, strictness, builder)
                .map_err(|error| hinted(error, &iterations))?;
            if format.column.is_none() && format.intent.is_none() && !format.levels {
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
        if let Some((_, builder)) = &state {
            builder.room_to_finish()?;
        }
        let qrels = state.map(|(_, builder)| builder.finish(docs_in_collection));
        let said = iterations.and_then(|iterations| iterations.said);
        let qrels = qrels.map(|mut qrels| {
            qrels.iterations = said.map(Into::into);
            qrels
        });
        qrels.filter(|qrels| !qrels.topics().is_empty()).ok_or_else(|| {
            Error::new(Kind::Empty, format!("expected judgments ({layout}), found {found}"))
        })
    };
    read().map_err(|e| e.in_file(name))
}

/// What stands in the second of four columns: for one topic mostly always the same.
#[derive(Default)]
struct Iterations {
    topic: Vec<u8>,
    iteration: Vec<u8>,
    /// What to say if a topic has two whole numbers there.
    said: Option<String>,
}

impl Iterations {
    fn see(&mut self, topic: &[u8], iteration: &[u8]) {
        if self.said.is_some() {
            return;
        }
        let is_whole = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        if self.topic == topic
            && self.iteration != iteration
            && is_whole(&self.iteration)
            && is_whole(iteration)
        {
            self.said = Some(format!(
                "the second column has {} and {} in topic {}: if these are intents, name the layout `intents`",
                quote(&self.iteration),
                quote(iteration),
                quote(topic)
            ));
        }
        self.topic.clear();
        self.topic.extend_from_slice(topic);
        self.iteration.clear();
        self.iteration.extend_from_slice(iteration);
    }
}

/// The error of a document that is judged again, where that may be for another intent.
fn hinted(error: Error, iterations: &Option<Iterations>) -> Error {
    let said = iterations.as_ref().and_then(|iterations| iterations.said.as_ref());
    match said {
        Some(said) if matches!(error.kind(), Kind::Duplicate | Kind::Conflict) => {
            error.with_advice(said)
        }
        _ => error,
    }
}

/// A format that was asked for as the first line has it, and whether that line
/// is a header.
fn of_line(
    format: Format,
    levels: &Levels,
    line: &[u8],
    spans: &[(usize, usize)],
) -> (Format, bool) {
    let leveled = |&(from, to): &(usize, usize)| levels.grade(&line[from..to]).is_some();
    if format.intent.is_some() && spans.get(format.grade).is_some_and(leveled) {
        return (NTCIR_BY_INTENT, false);
    }
    (format, format.fields == 3 && is_header(line, spans))
}

/// Whether a line is the header of BEIR's files.
fn is_header(line: &[u8], spans: &[(usize, usize)]) -> bool {
    let text = |i: usize| line[spans[i].0..spans[i].1].to_ascii_lowercase();
    spans.len() == 3 && text(0).starts_with(b"query") && text(2) == b"score"
}

/// The format that a first line is in, and whether it is a header.
fn sniff(
    levels: &Levels,
    line: &[u8],
    spans: &[(usize, usize)],
    at: u64,
) -> Result<(Format, bool)> {
    let leveled = |i: usize| levels.grade(&line[spans[i].0..spans[i].1]).is_some();
    match spans.len() {
        4 if leveled(3) => {
            let error = Error::for_each(Kind::Number, |to| {
                let layout = to.choice("layout", "intents");
                format!(
                    "expected a number as grade, found a level such as L2; judgments by intent \
                     in NTCIR's form have to be named: {layout}"
                )
            });
            Err(error.at(at, line, spans[3].0))
        }
        4 => Ok((TREC, false)),
        5 if is_drawn(line, spans) => Ok((DRAWN, false)),
        5 => Ok((STRATIFIED, false)),
        3 if is_header(line, spans) => Ok((BEIR, true)),
        3 if leveled(2) => Ok((NTCIR, false)),
        2 if leveled(1) => {
            let message = "expected the topic before the document, found NTCIREVAL's judgments of \
                           one topic; join its files into one of topic, document and level";
            Err(Error::new(Kind::Fields, message).at(at, line, spans[0].0))
        }
        found => {
            let error = Error::for_each(Kind::Fields, |to| {
                let hint = match spans {
                    [.., last] if found == 3 && number(&line[last.0..last.1]).is_some() => {
                        let layout = to.choice("layout", "beir");
                        format!("; {layout} reads three columns without a header")
                    }
                    [.., last] if found == 3 => hint(&line[last.0..last.1], to).to_string(),
                    _ if found >= 6 => "; this looks like a run".to_string(),
                    _ => String::new(),
                };
                format!(
                    "expected 4 fields ({}), 5 ({}), or the header `{}`, found {}{hint}",
                    TREC.layout,
                    STRATIFIED.layout,
                    BEIR.layout,
                    count(found, "field")
                )
            });
            let end = spans.last().map_or(0, |span| span.1);
            Err(error.at(at, line, end))
        }
    }
}

/// Whether five fields are a judgment with its probability and not one with
/// its stratum: where the iteration would be stands a document.
fn is_drawn(line: &[u8], spans: &[(usize, usize)]) -> bool {
    let text = |i: usize| &line[spans[i].0..spans[i].1];
    let iteration = number(text(1)).is_some() || text(1).eq_ignore_ascii_case(b"q0");
    let probability = number(text(4)).filter(|p| *p > 0.0 && *p <= 1.0);
    let method = matches!(text(METHOD), b"0" | b"1" | b"2" | b"3" | b"4");
    let fits = method && number(text(2)).is_some() && probability.is_some();
    fits && (!iteration || probability.is_some_and(|p| p < 1.0))
}

fn judgment(
    line: &[u8],
    spans: &[(usize, usize)],
    at: u64,
    format: Format,
    levels: &Levels,
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
            let found = quote(text(i));
            let error = Error::for_each(Kind::Number, |to| {
                let advice = match hint(text(i), to) {
                    named if i == format.grade && !named.is_empty() => named.to_string(),
                    _ => format!("; {}", read_anyway(to)),
                };
                format!("expected {expected} as {what}, found {found}{advice}")
            });
            Err(error.at(at, line, spans[i].0))
        }
    };
    // Names of levels hold everywhere, L2 where the layout has levels.
    let known = format.levels || !levels.0.is_empty();
    let grade = match known.then(|| levels.grade(text(format.grade))).flatten() {
        Some(level) => level,
        None if format.levels => {
            let found = quote(text(format.grade));
            let error = Error::for_each(Kind::Number, |to| {
                let advice = hint(text(format.grade), to);
                format!("expected a level such as L2 as grade, found {found}{advice}")
            });
            return Err(error.at(at, line, spans[format.grade].0));
        }
        None => value(format.grade, "grade")?,
    };
    let mut column = format.column.map(|(i, name)| value(i, name)).transpose()?;
    if let (Some(probability), Some((i, INCLUSION))) = (&mut column, format.column) {
        if CERTAIN.contains(&text(METHOD)) {
            *probability = 1.0;
        }
        if let Err(message) = check_inclusion(*probability) {
            return Err(Error::new(Kind::Number, message).at(at, line, spans[i].0));
        }
    }
    let document = text(format.document);
    let added = match format.intent {
        Some(i) => {
            // Documents that serve no intent stand under 0.
            let intent = Some(text(i)).filter(|intent| *intent != b"0" || grade > 0.0);
            builder.add_under(text(0), intent, document, grade, at)
        }
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
mod tests;
