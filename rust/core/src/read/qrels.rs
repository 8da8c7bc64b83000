//! Judgment files.
//!
//! Formats that the first data line tells apart: TREC's four columns (topic,
//! iteration, document, grade), the five columns of a stratified sample
//! (topic, iteration, document, stratum, grade), those of a sample with
//! inclusion probabilities (topic, document, grade, method, probability),
//! NTCIR's three (topic, document, level such as L2), and BEIR's tab-separated
//! file with the header `query-id corpus-id score`. Judgments by intent have
//! four columns like TREC's, so they have to be asked for by name. So do five columns
//! with a stratum, unless all lines together leave no doubt: a document id with a space
//! in TREC's four columns looks alike.

use super::fast_path_qrels::LineAbove;
use std::mem::take;

use super::Strictness;
use super::lines::LineReader;
use super::mistaken::{check_line_end, check_separators, is_comment, no_number, wrong_fields};
use crate::bytes::{fields, fields_into};
use crate::error::{Advice, Error, Interface, Kind, Result, quote};
use crate::numbers::{lenient_number, number};
use crate::qrels::{Builder, Clash, Qrels};

/// Which fields of a line hold what.
#[derive(Clone, Copy, Debug)]
struct QrelsFields {
    fields: usize,
    document: usize,
    grade: usize,
    column: Option<(usize, &'static str)>,
    intent: Option<usize>,
    /// Whether grades have names such as L2.
    named_grades: bool,
    layout: &'static str,
}

const TREC: QrelsFields = QrelsFields {
    fields: 4,
    document: 2,
    grade: 3,
    column: None,
    intent: None,
    named_grades: false,
    layout: "topic iteration document grade",
};
const STRATIFIED: QrelsFields = QrelsFields {
    fields: 5,
    document: 2,
    grade: 4,
    column: Some((3, STRATUM)),
    intent: None,
    named_grades: false,
    layout: "topic iteration document stratum grade",
};
const DRAWN: QrelsFields = QrelsFields {
    fields: 5,
    document: 1,
    grade: 2,
    column: Some((4, INCLUSION)),
    intent: None,
    named_grades: false,
    layout: "topic document grade method inclusion",
};
const BY_INTENT: QrelsFields = QrelsFields {
    fields: 4,
    document: 2,
    grade: 3,
    column: None,
    intent: Some(1),
    named_grades: false,
    layout: "topic intent document grade",
};
const BEIR: QrelsFields = QrelsFields {
    fields: 3,
    document: 1,
    grade: 2,
    column: None,
    intent: None,
    named_grades: false,
    layout: "query-id corpus-id score",
};

const NTCIR: QrelsFields = QrelsFields {
    fields: 3,
    document: 1,
    grade: 2,
    column: None,
    intent: None,
    named_grades: true,
    layout: "topic document level, such as L2",
};
const NTCIR_BY_INTENT: QrelsFields = QrelsFields {
    named_grades: true,
    layout: "topic intent document level, such as L2",
    ..BY_INTENT
};

/// The formats that can be asked for by name.
const NAMED_LAYOUTS: [(&str, QrelsFields); 6] = [
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
    format: Option<QrelsFields>,
    grade_names: GradeNames,
}

/// The grades of levels that have other names than L0, L1 ...
#[derive(Clone, Debug, Default)]
struct GradeNames(Vec<(Box<[u8]>, f64)>);

impl Layout {
    /// The names of the formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED_LAYOUTS.iter().map(|(name, _)| *name)
    }

    /// The format of a name; an error is a sentence.
    pub fn named(name: &str) -> std::result::Result<Layout, String> {
        let found = NAMED_LAYOUTS.iter().find(|(known, _)| *known == name);
        let layout = |format| Layout { format: Some(format), grade_names: GradeNames::default() };
        found.map(|(_, format)| layout(*format)).ok_or_else(|| {
            let names: Vec<&str> = Layout::names().collect();
            format!("expected one of {} as layout, found {}", names.join(", "), quote(name))
        })
    }

    /// The same, where these names stand for grades; an error is a sentence. A
    /// name is no number and no level such as L2, which stand for themselves.
    pub fn with_grade_names(
        self,
        names: Vec<(Box<[u8]>, f64)>,
    ) -> std::result::Result<Layout, String> {
        for (name, grade) in &names {
            let blank =
                name.iter().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
            let own = number(name).is_some() || GradeNames::default().grade(name).is_some();
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
        Ok(Layout { grade_names: GradeNames(names), ..self })
    }
}

impl GradeNames {
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
fn hint(text: &[u8], to: Interface) -> String {
    match text {
        [letter] if letter.is_ascii_uppercase() => format!("; {}", to.advice(Advice::GradeNames)),
        _ => String::new(),
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
    layout: Layout,
    mut reader: LineReader,
    strictness: Strictness,
    docs_in_collection: Option<u64>,
) -> Result<Qrels> {
    let name = reader.name().to_string();
    let read = || {
        let mut parser = QrelsParser::new(layout, strictness);
        let longest = reader.longest();
        loop {
            let at = reader.number() + 1;
            if let Some((_, builder)) = &mut parser.state {
                let block = reader.block()?;
                builder.make_room(block.ends.len(), block.bytes())?;
                let (bytes, lines) = parser.above.read(block, longest, at, builder);
                reader.skip(bytes, lines);
                if lines > 0 {
                    continue;
                }
            }
            let Some(line) = reader.next_line()? else { break };
            parser.line(line, at)?;
        }
        parser.finish(reader.number(), docs_in_collection)
    };
    read().map_err(|error: Error| error.in_file(name))
}

/// Reads judgments line by line.
struct QrelsParser {
    given: Option<QrelsFields>,
    grade_names: GradeNames,
    strictness: Strictness,
    /// The format and the judgments so far, once there was a line.
    state: Option<(QrelsFields, Builder)>,
    /// The first line and its number, where only all lines together can show that five
    /// fields have a stratum.
    unsure: Option<(Box<[u8]>, u64)>,
    /// Intents are looked for where the layout was not named.
    iterations: Option<Iterations>,
    above: LineAbove,
    spans: Vec<(usize, usize)>,
    comments: u64,
}

impl QrelsParser {
    fn new(Layout { format: given, grade_names }: Layout, strictness: Strictness) -> Self {
        QrelsParser {
            given,
            grade_names,
            strictness,
            state: None,
            unsure: None,
            iterations: given.is_none().then(Iterations::default),
            above: LineAbove::new(number),
            spans: Vec::new(),
            comments: 0,
        }
    }

    /// Reads a line of any shape.
    fn line(&mut self, text: &[u8], at: u64) -> Result<()> {
        if let Some((_, builder)) = &self.state {
            builder.make_room(1, text.len())?;
        }
        check_line_end(text, at)?;
        self.above.forget();
        // Taken out, so that the rest can change while the line is looked at.
        let (mut spans, grade_names) = (take(&mut self.spans), take(&mut self.grade_names));
        fields_into(text, &mut spans);
        let line = SplitLine { text, spans: &spans, at, grade_names: &grade_names };
        let known = self.state.as_ref().map(|(format, _)| *format).or(self.given);
        let read = match spans.first() {
            None => Ok(()),
            Some(_) if is_comment(line.field(0), || line.is_entry(known)) => {
                self.comments += 1;
                Ok(())
            }
            Some(_) => self.judgment(&line),
        };
        (self.spans, self.grade_names) = (spans, grade_names);
        read
    }

    /// Reads a line that is not blank and no comment.
    fn judgment(&mut self, line: &SplitLine) -> Result<()> {
        if line.spans.len() == TREC.fields
            && self.state.as_ref().is_none_or(|(format, _)| format.layout == TREC.layout)
            && let Some(iterations) = &mut self.iterations
        {
            iterations.see(line.field(0), line.field(1));
        }
        if let Some((format, builder)) = &mut self.state {
            let format = *format;
            if self.unsure.is_some() && line.spans.len() == format.fields && !line.has_stratum() {
                return Err(line.in_doubt(Kind::Fields));
            }
            judgment(line, format, (self.strictness, false), builder)
                .map_err(|error| hinted(error, self.iterations.as_ref()))?;
            // A topic that begins with `#` is told from a comment line by line.
            let is_plain =
                format.column.is_none() && format.intent.is_none() && !format.named_grades;
            if is_plain && line.text[line.spans[0].0] != b'#' {
                self.above.learn(line.text, line.spans[format.document].0);
            }
            return Ok(());
        }
        check_separators(line.text, line.spans, line.at)?;
        let (format, header) = match self.given {
            Some(format) => of_line(format, line),
            None => sniff(line)?,
        };
        if self.given.is_none() && format.column.is_some_and(|(_, name)| name == STRATUM) {
            self.unsure = Some((line.text.into(), line.at));
        }
        let mut builder = Builder::new(format.column.map(|(_, name)| name).as_slice());
        if !header {
            judgment(line, format, (self.strictness, true), &mut builder)?;
        }
        self.state = Some((format, builder));
        Ok(())
    }

    /// The judgments of a file of this many lines.
    fn finish(self, lines: u64, docs_in_collection: Option<u64>) -> Result<Qrels> {
        let QrelsParser { given, grade_names, state, unsure, iterations, comments, .. } = self;
        let Some((format, mut builder)) = state else {
            let layout = given.unwrap_or(TREC).layout;
            let found = if lines == 0 { "an empty file" } else { "only comments and blank lines" };
            let message = format!("expected judgments ({layout}), found {found}");
            return Err(Error::new(Kind::Empty, message));
        };
        builder.room_to_finish()?;
        builder.comments = comments;
        let mut qrels = builder.finish(docs_in_collection);
        qrels.iterations = iterations.and_then(|iterations| iterations.said).map(Into::into);
        if qrels.topics().is_empty() {
            let message = format!("expected judgments ({}), found only the header", format.layout);
            return Err(Error::new(Kind::Empty, message));
        }
        match unsure {
            Some((text, at)) if !has_strata(&qrels) => {
                let spans = fields(&text);
                let line = SplitLine { text: &text, spans: &spans, at, grade_names: &grade_names };
                Err(line.in_doubt(Kind::Layout))
            }
            _ => Ok(qrels),
        }
    }
}

/// Whether a column of judgments holds strata beyond doubt: whole numbers from 0 or 1 without a
/// gap, and documents that were not drawn. The ends of ids with a space would not be so.
fn has_strata(qrels: &Qrels) -> bool {
    let columns = qrels.topics().iter().filter_map(|topic| topic.column(0));
    let mut strata: Vec<f64> = columns.flatten().copied().collect();
    strata.sort_by(f64::total_cmp);
    strata.dedup();
    let is_next = |pair: &[f64]| pair[1] - pair[0] == 1.0;
    strata.first().is_some_and(|first| [0.0, 1.0].contains(first))
        && strata.windows(2).all(is_next)
        && qrels.grades().first().is_some_and(|grade| *grade < 0.0)
}

/// A line that is not blank, and where its fields are.
struct SplitLine<'a> {
    text: &'a [u8],
    spans: &'a [(usize, usize)],
    at: u64,
    grade_names: &'a GradeNames,
}

impl SplitLine<'_> {
    fn field(&self, i: usize) -> &[u8] {
        &self.text[self.spans[i].0..self.spans[i].1]
    }

    fn named_grade(&self, i: usize) -> Option<f64> {
        self.grade_names.grade(self.field(i))
    }

    fn number(&self, i: usize) -> Option<f64> {
        number(self.field(i)).filter(|number| number.is_finite())
    }

    /// Whether the second field is an iteration, as these usually are.
    fn has_iteration(&self) -> bool {
        number(self.field(1)).is_some() || self.field(1).eq_ignore_ascii_case(b"q0")
    }

    /// Whether the fourth of five fields can be a stratum.
    fn has_stratum(&self) -> bool {
        self.number(3).is_some_and(|stratum| stratum >= 0.0 && stratum.fract() == 0.0)
    }

    /// Whether it has all fields of a format, each of its kind; without one, of the format that
    /// it shows.
    fn is_entry(&self, known: Option<QrelsFields>) -> bool {
        let format = known.or_else(|| match self.spans.len() {
            4 => Some(TREC),
            5 if self.is_drawn() => Some(DRAWN),
            5 => Some(STRATIFIED),
            3 => Some(NTCIR),
            _ => None,
        });
        format.is_some_and(|format| {
            let iteration = format.document == 2 && format.intent.is_none();
            self.spans.len() == format.fields
                && (self.named_grade(format.grade).is_some()
                    || !format.named_grades && self.number(format.grade).is_some())
                && format.column.is_none_or(|(i, _)| self.number(i).is_some())
                && (!iteration || self.has_iteration())
        })
    }

    /// Whether five fields are a judgment with its probability and not one with
    /// its stratum: where the iteration would be stands a document.
    fn is_drawn(&self) -> bool {
        let probability = number(self.field(4)).filter(|p| *p > 0.0 && *p <= 1.0);
        let method = matches!(self.field(METHOD), b"0" | b"1" | b"2" | b"3" | b"4");
        let fits = method && number(self.field(2)).is_some() && probability.is_some();
        fits && (!self.has_iteration() || probability.is_some_and(|p| p < 1.0))
    }

    /// The error for five fields of which the fourth may be the end of an id with a space.
    #[cold]
    fn in_doubt(&self, kind: Kind) -> Error {
        let hint = |to: Interface| {
            let (layout, columns) = (to.choice("layout", "stratified"), STRATIFIED.layout);
            format!(
                "; {layout} reads {columns}; no other field can contain a space: CSV and JSON \
                 Lines can hold ids that do"
            )
        };
        let expected = format!("expected 4 fields ({})", TREC.layout);
        wrong_fields(kind, &expected, self.text, (self.spans, TREC.fields), self.at, hint)
    }
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
fn hinted(error: Error, iterations: Option<&Iterations>) -> Error {
    let said = iterations.and_then(|iterations| iterations.said.as_ref());
    match said {
        Some(said) if matches!(error.kind(), Kind::Duplicate | Kind::Conflict) => {
            error.with_advice(said)
        }
        _ => error,
    }
}

/// A format that was asked for as the first line has it, and whether that line
/// is a header.
fn of_line(format: QrelsFields, line: &SplitLine) -> (QrelsFields, bool) {
    let is_named = line.spans.len() > format.grade && line.named_grade(format.grade).is_some();
    if format.intent.is_some() && is_named {
        return (NTCIR_BY_INTENT, false);
    }
    (format, format.fields == 3 && is_header(line))
}

/// Whether a line is the header of BEIR's files.
fn is_header(line: &SplitLine) -> bool {
    let text = |i: usize| line.field(i).to_ascii_lowercase();
    line.spans.len() == 3 && text(0).starts_with(b"query") && text(2) == b"score"
}

/// The format that a first line is in, and whether it is a header.
fn sniff(line: &SplitLine) -> Result<(QrelsFields, bool)> {
    let SplitLine { text, spans, at, .. } = *line;
    match spans.len() {
        4 if line.named_grade(3).is_some() => {
            let error = Error::for_each(Kind::Number, |to| {
                let layout = to.choice("layout", "intents");
                format!(
                    "expected a number as grade, found a level such as L2; judgments by intent \
                     in NTCIR's form have to be named: {layout}"
                )
            });
            Err(error.at(at, text, spans[3].0))
        }
        4 => Ok((TREC, false)),
        5 if line.is_drawn() => Ok((DRAWN, false)),
        5 if line.has_stratum() => Ok((STRATIFIED, false)),
        5 => Err(line.in_doubt(Kind::Fields)),
        3 if is_header(line) => Ok((BEIR, true)),
        3 if line.named_grade(2).is_some() => Ok((NTCIR, false)),
        2 if line.named_grade(1).is_some() => {
            let message = "expected the topic before the document, found NTCIREVAL's judgments of \
                           one topic; join its files into one of topic, document and level";
            Err(Error::new(Kind::Fields, message).at(at, text, spans[0].0))
        }
        found => {
            let advice = |to: Interface| match found {
                3 if line.number(2).is_some() => {
                    let layout = to.choice("layout", "beir");
                    format!("; {layout} reads three columns without a header")
                }
                3 => hint(line.field(2), to),
                6.. => "; this looks like a run".to_string(),
                _ => String::new(),
            };
            let (four, five, header) = (TREC.layout, STRATIFIED.layout, BEIR.layout);
            let expected =
                format!("expected 4 fields ({four}), 5 ({five}), or the header `{header}`");
            Err(wrong_fields(Kind::Fields, &expected, text, (spans, TREC.fields), at, advice))
        }
    }
}

/// Adds the judgment of a line. `first` says whether it is the first.
fn judgment(
    line: &SplitLine,
    format: QrelsFields,
    (strictness, first): (Strictness, bool),
    builder: &mut Builder,
) -> Result<()> {
    let SplitLine { text: whole, spans, at, grade_names } = *line;
    if spans.len() != format.fields {
        let expected = format!("expected {} fields ({})", format.fields, format.layout);
        let wanted = (spans, format.fields);
        return Err(wrong_fields(Kind::Fields, &expected, whole, wanted, at, |_| String::new()));
    }
    let text = |i: usize| line.field(i);
    let mut value = |i: usize, what: &str| match number(text(i)) {
        Some(value) if value.is_finite() => Ok(value),
        other => {
            let advice = no_number(text(i), first.then(|| text(0)));
            if advice.is_none() && strictness == Strictness::Lenient {
                builder.repaired += 1;
                // C's `atol` makes 0 of what is no number.
                let value = lenient_number(text(i));
                return Ok(if value.is_finite() { value } else { 0.0 });
            }
            let expected = if other.is_some() { "a finite number" } else { "a number" };
            let found = quote(text(i));
            let error = Error::for_each(Kind::Number, |to| {
                let named = hint(text(i), to);
                let named = if i == format.grade { named } else { String::new() };
                let advice = if named.is_empty() { advice.unwrap_or("") } else { &named };
                format!("expected {expected} as {what}, found {found}{advice}")
            });
            Err(error.at(at, whole, spans[i].0))
        }
    };
    // Names that the user gave hold everywhere, L2 where the layout names its grades.
    let known = format.named_grades || !grade_names.0.is_empty();
    let grade = match known.then(|| grade_names.grade(text(format.grade))).flatten() {
        Some(grade) => grade,
        None if format.named_grades => {
            let found = quote(text(format.grade));
            let error = Error::for_each(Kind::Number, |to| {
                let advice = hint(text(format.grade), to);
                format!("expected a level such as L2 as grade, found {found}{advice}")
            });
            return Err(error.at(at, whole, spans[format.grade].0));
        }
        None => value(format.grade, "grade")?,
    };
    let mut column = format.column.map(|(i, name)| value(i, name)).transpose()?;
    if let (Some(probability), Some((i, INCLUSION))) = (&mut column, format.column) {
        if CERTAIN.contains(&text(METHOD)) {
            *probability = 1.0;
        }
        if let Err(message) = check_inclusion(*probability) {
            return Err(Error::new(Kind::Number, message).at(at, whole, spans[i].0));
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
        again(clash, text(0), document, grade).at(at, whole, spans[format.document].0)
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
            "expected one judgment per document and topic, found {document} again for topic {topic}, first seen on line {line}"
        );
        Error::new(Kind::Duplicate, message)
    } else {
        let message = format!(
            "expected one judgment per document and topic, found grade {grade} for {document} and topic {topic}, which has grade {earlier} on line {line}"
        );
        Error::new(Kind::Conflict, message)
    }
}

#[cfg(test)]
mod tests;
