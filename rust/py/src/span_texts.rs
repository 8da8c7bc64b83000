//! Judgments of spans from quotes, runs of chunks from the nodes of retrievers: with the texts of
//! documents, in which things are looked for.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use cranfield_core::error::Kind;
use cranfield_core::spans::texts::{Folded, TextPlace, exact, spaced};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList, PySlice, PyString, PyTuple};

use crate::errors::{fail, instead};
use crate::values::{in_order, is_mapping};

/// What offsets can count where texts are given, with the encoding and the bytes of a unit.
const UNITS: [(&str, Option<(&str, usize)>); 3] =
    [("codepoints", None), ("utf8", Some(("utf-8", 1))), ("utf16", Some(("utf-16-le", 2)))];

/// How many characters of a quote a message shows.
const SHOWN: usize = 60;

/// The texts of documents, and where things are in them.
struct Texts<'py> {
    given: Bound<'py, PyAny>,
    read: HashMap<Vec<u32>, Rc<Document>>,
    /// Letters without case and compatibility forms.
    letters: HashMap<u32, Vec<u32>>,
}

struct Document {
    text: Vec<u32>,
    folded: OnceCell<Folded>,
}

/// How a quote is looked for, and what is said of one that stands in several places.
struct QuoteSearch<'a> {
    normalize: &'a str,
    ambiguous: &'a str,
}

/// A quote of a document, for messages.
struct Quote<'a, 'py> {
    topic: &'a Bound<'py, PyString>,
    document: &'a Bound<'py, PyString>,
    text: &'a Bound<'py, PyString>,
}

impl Quote<'_, '_> {
    /// How a message about it begins.
    fn begun(&self) -> PyResult<String> {
        let first = first(self.text, SHOWN)?.repr()?;
        Ok(format!("topic {}: the quote {first}", printed(self.topic)?))
    }
}

/// The `repr` of a value.
fn printed(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.repr()?.to_string_lossy().into_owned())
}

/// The first characters of a text.
fn first<'py>(text: &Bound<'py, PyString>, most: usize) -> PyResult<Bound<'py, PyAny>> {
    text.as_any().get_item(PySlice::new(text.py(), 0, most as isize, 1))
}

/// The code points of a text.
fn code_points(text: &Bound<'_, PyString>) -> PyResult<Vec<u32>> {
    if let Ok(text) = text.to_str() {
        return Ok(text.chars().map(u32::from).collect());
    }
    let bytes = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
    let (units, _) = bytes.cast::<PyBytes>()?.as_bytes().as_chunks::<4>();
    Ok(units.iter().copied().map(u32::from_le_bytes).collect())
}

/// An error (kind "type") in place of what an object of another structure raises.
fn taken_as<T>(py: Python<'_>, what: &str, found: PyResult<T>) -> PyResult<T> {
    found.map_err(|raised| {
        let name = raised.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
        let text = raised.value(py).str().map(|text| text.to_string_lossy().into_owned());
        let text: String = text.unwrap_or_default().chars().take(200).collect();
        instead(py, raised, || fail(Kind::Type, format!("expected {what}: {name}: {text}")))
    })
}

/// The module of Python that reads the files of this one.
fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("cranfield._io.spans")
}

impl<'py> Texts<'py> {
    /// Those of a mapping, or of what stands for a file.
    fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let given = module(given.py())?.call_method1("as_texts", (given,))?;
        Ok(Texts { given, read: HashMap::new(), letters: HashMap::new() })
    }

    /// The text of a document, if there is one.
    fn known(&self, document: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyString>>> {
        Ok(self.given.call_method1("get", (document,))?.cast_into().ok())
    }

    /// The text of a document; an error (kind "label") if there is none.
    fn text(&self, document: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
        let Some(text) = self.known(document)? else {
            let message = format!("no text of the document {}", printed(document)?);
            return Err(fail(Kind::Label, message));
        };
        Ok(text)
    }

    fn document(&mut self, document: &Bound<'py, PyString>) -> PyResult<Rc<Document>> {
        let name = code_points(document)?;
        if let Some(known) = self.read.get(&name) {
            return Ok(Rc::clone(known));
        }
        let text = code_points(&self.text(document)?)?;
        let found = Rc::new(Document { text, folded: OnceCell::new() });
        self.read.insert(name, Rc::clone(&found));
        Ok(found)
    }

    /// Offsets in code points; an error (kind "span") for what is not in the text.
    fn span(
        &self,
        document: &Bound<'py, PyString>,
        (start, end): TextPlace,
        (name, unit): (&str, Option<(&str, usize)>),
    ) -> PyResult<TextPlace> {
        let text = self.text(document)?;
        let beyond = || -> PyResult<String> {
            Ok(format!("[{start}, {end}) is beyond the text of {}", printed(document)?))
        };
        let Some((form, width)) = unit else {
            let length = text.len()?;
            if end > length {
                let message = format!("{}, which has {length} characters", beyond()?);
                return Err(fail(Kind::Span, message));
            }
            return Ok((start, end));
        };
        let data = text.call_method1("encode", (form, "surrogatepass"))?;
        let data = data.cast::<PyBytes>()?.as_bytes();
        if end * width > data.len() {
            return Err(fail(Kind::Span, format!("{} in {name}", beyond()?)));
        }
        let py = text.py();
        let length = |from: usize, to: usize| -> PyResult<usize> {
            let bytes = PyBytes::new(py, &data[from * width..to * width]);
            bytes.call_method1("decode", (form,))?.len()
        };
        let both = length(0, start).and_then(|before| Ok((before, length(start, end)?)));
        let (before, inside) = both.map_err(|raised| match printed(document) {
            Ok(document) => instead(py, raised, || {
                let place = format!("[{start}, {end}) of {document}");
                let message = format!("{place} begins or ends inside a character of {name}");
                fail(Kind::Span, message)
            }),
            Err(other) => other,
        })?;
        Ok((before, before + inside))
    }

    /// A text without case, compatibility forms and kinds of marks.
    fn folded(&mut self, text: &[u32], py: Python<'py>) -> PyResult<Folded> {
        let normalize = py.import("unicodedata")?.getattr("normalize")?;
        let letters = &mut self.letters;
        Folded::of(text, |letter| {
            if let Some(known) = letters.get(&letter) {
                return Ok(known.clone());
            }
            let one = py.import("builtins")?.getattr("chr")?.call1((letter,))?;
            let plain = normalize.call1(("NFKD", one))?.call_method0("casefold")?;
            let found = code_points(plain.cast::<PyString>()?)?;
            letters.insert(letter, found.clone());
            Ok::<_, PyErr>(found)
        })
    }

    /// Where a quote stands: as it is, or else with white space, and loosely with typography, as
    /// good as any.
    fn places(&mut self, quote: &Quote<'_, 'py>, normalize: &str) -> PyResult<Vec<TextPlace>> {
        let document = self.document(quote.document)?;
        let wanted = code_points(quote.text)?;
        let found = exact(&document.text, &wanted);
        if !found.is_empty() {
            return Ok(found);
        }
        if normalize != "loose" {
            return Ok(spaced(&document.text, &wanted));
        }
        let py = quote.text.py();
        let folded = if let Some(folded) = document.folded.get() {
            folded
        } else {
            let folded = self.folded(&document.text, py)?;
            document.folded.get_or_init(|| folded)
        };
        Ok(folded.spaced(&self.folded(&wanted, py)?))
    }

    /// Where a quote is meant; an error if that cannot be told.
    fn located(
        &mut self,
        quote: &Quote<'_, 'py>,
        start: Option<&Bound<'py, PyAny>>,
        search: &QuoteSearch<'_>,
    ) -> PyResult<Vec<TextPlace>> {
        let found = self.places(quote, search.normalize)?;
        if found.is_empty() {
            return Err(self.missing(quote, search.normalize)?);
        }
        if let Some(start) = start {
            return Ok(vec![nearest(&found, start)?]);
        }
        if found.len() > 1 && search.ambiguous != "any" {
            let offsets: Vec<String> =
                found.iter().take(10).map(|(first, _)| first.to_string()).collect();
            let way = match search.ambiguous {
                "error" => "give the start that is meant, or ambiguous=\"any\"",
                way => way,
            };
            let message = format!(
                "{} stands {} times in {}, at {}; {way}",
                quote.begun()?,
                found.len(),
                printed(quote.document)?,
                offsets.join(", ")
            );
            return Err(fail(Kind::Ambiguous, message));
        }
        Ok(found)
    }

    fn missing(&mut self, quote: &Quote<'_, 'py>, normalize: &str) -> PyResult<PyErr> {
        let message =
            format!("{} is not in the text of {}", quote.begun()?, printed(quote.document)?);
        if normalize != "loose" && !self.places(quote, "loose")?.is_empty() {
            let way = "but for case, accents' encoding, quotation marks or dashes it is";
            let message = format!("{message}; {way}: normalize=\"loose\" finds it");
            return Ok(fail(Kind::Missing, message));
        }
        let text = self.text(quote.document)?;
        let near = module(text.py())?.call_method1("nearest", (text, quote.text))?;
        Ok(fail(Kind::Missing, format!("{message}; the nearest is {near} alike")))
    }
}

/// The place that is nearest to a start.
fn nearest(places: &[TextPlace], start: &Bound<'_, PyAny>) -> PyResult<TextPlace> {
    let py = start.py();
    let distance = |place: TextPlace| place.0.into_pyobject(py)?.into_any().sub(start)?.abs();
    let (mut best, mut least) = (places[0], distance(places[0])?);
    for &place in &places[1..] {
        let own: Bound<'_, PyAny> = distance(place)?;
        if own.lt(&least)? {
            (best, least) = (place, own);
        }
    }
    Ok(best)
}

/// The same spans in code points, checked against the texts.
pub fn converted<'py>(
    gold: &Bound<'py, PyDict>,
    texts: &Bound<'py, PyAny>,
    offsets: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = texts.py();
    let name = offsets.extract::<String>().unwrap_or_default();
    let Some(unit) = UNITS.into_iter().find(|(unit, _)| *unit == name) else {
        let known = UNITS.map(|(unit, _)| unit).join(", ");
        let message = format!("expected one of {known} as offsets, found {}", printed(offsets)?);
        return Err(fail(Kind::Option, message));
    };
    if texts.is_none() {
        let message = format!("offsets in {name} need the texts of the documents; give texts");
        return Err(fail(Kind::Needs, message));
    }
    let (known, found) = (Texts::of(texts)?, PyDict::new(py));
    for (topic, spans) in gold {
        let converted = PyList::empty(py);
        for span in spans.cast::<PyList>()? {
            let span = span.cast::<PyTuple>()?;
            let document = span.get_item(0)?.cast_into::<PyString>()?;
            let at = (span.get_item(1)?.extract()?, span.get_item(2)?.extract()?);
            let (start, end) = known.span(&document, at, unit)?;
            let whole = (document, start, end).into_pyobject(py)?;
            converted.append(whole.as_sequence().concat(span.get_slice(3, 5).as_sequence())?)?;
        }
        found.set_item(topic, converted)?;
    }
    Ok(found)
}

/// The spans of quoted evidence by topic; see `SpanQrels.from_quotes`.
pub fn from_quotes<'py>(
    quotes: &Bound<'py, PyAny>,
    texts: &Bound<'py, PyAny>,
    normalize: &str,
    ambiguous: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let py = quotes.py();
    let mut quotes = quotes.clone();
    if quotes.is_instance_of::<PyString>() || quotes.hasattr("__fspath__")? {
        quotes = module(py)?.call_method1("read_quotes", (quotes,))?;
    }
    let options =
        [("normalize", normalize, ["space", "loose"]), ("ambiguous", ambiguous, ["error", "any"])];
    for (option, value, known) in options {
        if !known.contains(&value) {
            let (known, value) = (known.join(" or "), printed(&PyString::new(py, value))?);
            return Err(fail(Kind::Option, format!("expected {known} as {option}, found {value}")));
        }
    }
    let search = QuoteSearch { normalize, ambiguous };
    taken_as(py, "{topic: [(doc, quote), ...]}", quoted(&quotes, texts, &search))
}

/// The spans of quotes by topic.
fn quoted<'py>(
    quotes: &Bound<'py, PyAny>,
    texts: &Bound<'py, PyAny>,
    search: &QuoteSearch<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let (mut texts, gold) = (Texts::of(texts)?, PyDict::new(quotes.py()));
    for item in quotes.call_method0("items")?.try_iter()? {
        let [topic, given]: [Bound<'py, PyAny>; 2] = item?.extract()?;
        let (name, spans) = (topic.str()?, PyList::empty(topic.py()));
        for (place, item) in in_order(&given, "quotes")?.iter().enumerate() {
            add_quoted(&spans, &mut texts, &name, (place, item), search)?;
        }
        gold.set_item(topic, spans)?;
    }
    Ok(gold)
}

/// Adds the spans of one quote of a topic, which is known by its place.
fn add_quoted<'py>(
    spans: &Bound<'py, PyList>,
    texts: &mut Texts<'py>,
    topic: &Bound<'py, PyString>,
    (place, item): (usize, &Bound<'py, PyAny>),
    search: &QuoteSearch<'_>,
) -> PyResult<()> {
    let parts = QuoteParts::of(item)?;
    let [Some(document), Some(text)] = [&parts.document, &parts.quote]
        .map(|part| part.as_ref().and_then(|part| part.cast::<PyString>().ok()))
    else {
        let message =
            format!("topic {}: expected (doc, quote[, grade[, group]]), found", printed(topic)?);
        return Err(fail(Kind::Type, format!("{message} {}", shown(item)?)));
    };
    let quote = Quote { topic, document, text };
    let found = texts.located(&quote, parts.start.as_ref(), search)?;
    let mut group = parts.group;
    if group.is_none() && found.len() > 1 {
        let name = format!("quote {}", place + 1);
        group = Some(PyString::new(item.py(), &name).into_any());
    }
    for (start, end) in found {
        match &group {
            None => spans.append((document, start, end, &parts.grade))?,
            Some(group) => spans.append((document, start, end, &parts.grade, group))?,
        }
    }
    Ok(())
}

/// The parts of a quote, none of which need be there.
struct QuoteParts<'py> {
    document: Option<Bound<'py, PyAny>>,
    quote: Option<Bound<'py, PyAny>>,
    grade: Bound<'py, PyAny>,
    group: Option<Bound<'py, PyAny>>,
    start: Option<Bound<'py, PyAny>>,
}

impl<'py> QuoteParts<'py> {
    /// Those of a dict, a tuple or a list.
    fn of(item: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = item.py();
        let usual = || Ok::<_, PyErr>(1_u8.into_pyobject(py)?.into_any());
        if is_mapping(item)? {
            let get = |key: &str| -> PyResult<Option<Bound<'py, PyAny>>> {
                Ok(Some(item.call_method1("get", (key,))?).filter(|found| !found.is_none()))
            };
            let mut quote = None;
            for key in ["quote", "content", "text", "reference"] {
                if item.contains(key)? {
                    quote = Some(item.get_item(key)?);
                    break;
                }
            }
            let grade = item.call_method1("get", ("grade", 1))?;
            let (document, group, start) = (get("doc")?, get("group")?, get("start")?);
            return Ok(QuoteParts { document, quote, grade, group, start });
        }
        let is_list = item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyList>();
        let parts: Vec<Bound<'py, PyAny>> = if is_list { item.extract()? } else { Vec::new() };
        let mut parts = parts.into_iter();
        let fits = (2..=4).contains(&parts.len());
        let mut next = || parts.next().filter(|_| fits);
        let (document, quote) = (next(), next());
        let grade = next().map_or_else(usual, Ok)?;
        let group = next().filter(|group| !group.is_none());
        Ok(QuoteParts { document, quote, grade, group, start: None })
    }
}

/// A value for a message, cut short.
fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let errors = value.py().import("cranfield._base.errors")?;
    errors.call_method1("shown", (value,))?.extract()
}

/// Where the objects of LlamaIndex, LangChain and Haystack have their text and their place.
const TEXT: [&str; 3] = ["page_content", "content", "text"];
const DOCUMENT: [&str; 6] =
    ["ref_doc_id", "source_id", "source", "file_name", "file_path", "doc_id"];
const START: [&str; 3] = ["start_char_idx", "start_index", "split_idx_start"];

/// The chunks of what retrievers return by topic; see `SpanRun.from_nodes`.
pub fn from_nodes<'py>(
    nodes: &Bound<'py, PyAny>,
    texts: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = nodes.py();
    let lists = || -> PyResult<Bound<'py, PyDict>> {
        let (mut known, lists) = (texts.map(Texts::of).transpose()?, PyDict::new(py));
        for item in nodes.call_method0("items")?.try_iter()? {
            let [topic, found]: [Bound<'py, PyAny>; 2] = item?.extract()?;
            let (own, list) = (topic.str()?, PyList::empty(py));
            for node in in_order(&found, "nodes")? {
                list.append(of_node(node, known.as_mut(), &own)?)?;
            }
            lists.set_item(topic, list)?;
        }
        Ok(lists)
    };
    taken_as(py, "{topic: [node, ...]}", lists())
}

/// An attribute that is there and not `None`.
fn attribute<'py>(node: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(node.getattr_opt(name)?.filter(|found| !found.is_none()))
}

/// The chunk that an object of a retriever is.
fn of_node<'py>(
    node: Bound<'py, PyAny>,
    texts: Option<&mut Texts<'py>>,
    topic: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = node.py();
    let (mut node, mut score) = (node.clone(), attribute(&node, "score")?);
    if let Ok(pair) = node.clone().cast::<PyTuple>()
        && pair.len() == 2
    {
        score = Some(pair.get_item(1)?).filter(|score| !score.is_none());
        node = pair.get_item(0)?;
    }
    node = node.getattr_opt("node")?.unwrap_or(node);
    let mut metadata = None;
    for name in ["metadata", "meta"] {
        if let Some(found) = attribute(&node, name)?
            && metadata.is_none()
            && found.is_truthy()?
        {
            metadata = Some(found);
        }
    }
    let given = |names: &[&str]| -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut found = Vec::new();
        for name in names {
            found.extend(attribute(&node, name)?);
        }
        for name in names {
            if let Some(metadata) = &metadata {
                found.push(metadata.call_method1("get", (*name,))?);
            }
        }
        found.retain(|value| !value.is_none());
        Ok(found)
    };
    let documents = given(&DOCUMENT)?;
    // Hosts draw ids of documents; where there are texts, the name that these have is meant.
    let mut document = documents.first().cloned();
    if let Some(texts) = &texts {
        for name in &documents {
            if texts.known(&name.str()?)?.is_some() {
                document = Some(name.clone());
                break;
            }
        }
    }
    let (mut start, text) = (given(&START)?.into_iter().next(), given(&TEXT)?.into_iter().next());
    let text = text.and_then(|text| text.cast_into::<PyString>().ok());
    let mut end = attribute(&node, "end_char_idx")?;
    let Some(document) = document else {
        let (topic, names) = (printed(topic)?, DOCUMENT.join(", "));
        let message = format!("topic {topic}: expected a chunk that names its document ({names})");
        return Err(fail(Kind::Type, format!("{message}, found {}", shown(&node)?)));
    };
    if let (Some(start), Some(text), None) = (&start, &text, &end)
        && start.ge(0)?
    {
        end = Some(start.add(text.len()?)?);
    }
    if let (Some(texts), Some(text)) = (texts, &text)
        && !text.is_empty()?
    {
        let quote = Quote { topic, document: &document.str()?, text };
        let place = checked_place(texts, &quote, start, end)?;
        (start, end) = (Some(place.0), Some(place.1));
    }
    let found = PyDict::new(py);
    found.set_item("doc", document)?;
    found.set_item("start", start)?;
    found.set_item("end", end)?;
    if let Some(score) = score {
        found.set_item("score", py.get_type::<PyFloat>().call1((score,))?)?;
    }
    Ok(found)
}

/// Where a chunk is that brings its text: as it says, or else where its text stands.
fn checked_place<'py>(
    texts: &mut Texts<'py>,
    quote: &Quote<'_, 'py>,
    start: Option<Bound<'py, PyAny>>,
    end: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = quote.text.py();
    let whole = texts.text(quote.document)?;
    let mut search = QuoteSearch {
        normalize: "space",
        ambiguous: "have the splitter write where chunks begin, as with add_start_index=True",
    };
    let mut given = None;
    if let (Some(start), Some(end)) = (start, end)
        && !start.lt(0)?
    {
        let slice = py.import("builtins")?.getattr("slice")?.call1((&start, &end))?;
        if whole.as_any().get_item(slice)?.eq(quote.text)? {
            return Ok((start, end));
        }
        check_unit(&whole, quote, &start)?;
        search.ambiguous = "error";
        given = Some(start);
    }
    let found = texts.located(quote, given.as_ref(), &search)?[0];
    Ok((found.0.into_pyobject(py)?.into_any(), found.1.into_pyobject(py)?.into_any()))
}

/// An error (kind "needs") for a start that counts other units than characters.
fn check_unit(
    whole: &Bound<'_, PyString>,
    quote: &Quote<'_, '_>,
    start: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let at: usize = start.extract()?;
    for (unit, form) in UNITS {
        let Some((form, width)) = form else { continue };
        let (text, part) = (whole.call_method1("encode", (form,))?, quote.text);
        let part = part.call_method1("encode", (form,))?;
        let rest = text.cast::<PyBytes>()?.as_bytes().get(at * width..).unwrap_or_default();
        if rest.starts_with(part.cast::<PyBytes>()?.as_bytes()) {
            let (topic, document) = (printed(quote.topic)?, printed(quote.document)?);
            let message = format!(
                "topic {topic}: the offset {start} of a chunk of {document} counts {unit}, not \
                 characters; give offsets in code points"
            );
            return Err(fail(Kind::Needs, message));
        }
    }
    Ok(())
}
