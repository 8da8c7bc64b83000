//! Lines of judgments: read whole and in pieces, written and read again.

use std::io::Write as _;

use super::input::{begins_oddly, reader, same_error, text};
use cranfield_core::qrels::Qrels;
use cranfield_core::read::Strictness;
use cranfield_core::read::qrels::{Layout, read_as};

/// A topic, and its documents with the bits of their grades.
type Seen<'a> = (&'a [u8], Vec<(&'a [u8], u64)>);

/// The judgments, in the order of ids.
fn seen(qrels: &Qrels) -> Vec<Seen<'_>> {
    let mut all = Vec::new();
    for topic in qrels.topics() {
        let mut judged: Vec<(&[u8], u64)> = topic
            .judgments()
            .map(|(_, document, level)| (document, qrels.grades()[level as usize].to_bits()))
            .collect();
        judged.sort_unstable();
        all.push((topic.id(), judged));
    }
    all
}

/// The judgments as lines.
fn written(qrels: &Qrels) -> Vec<u8> {
    let mut lines = Vec::new();
    for topic in qrels.topics() {
        for (_, document, level) in topic.judgments() {
            lines.extend_from_slice(topic.id());
            lines.extend_from_slice(b" 0 ");
            lines.extend_from_slice(document);
            let _ = writeln!(lines, " {}", qrels.grades()[level as usize]);
        }
    }
    lines
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let [choices, piece, bytes @ ..] = bytes else { return };
    let text = text(bytes, &[4, 4, 4, 3, 5]);
    let strictness = if choices & 1 == 0 { Strictness::Strict } else { Strictness::Lenient };
    let names: Vec<&str> = Layout::names().collect();
    let layout = names.get(usize::from(choices >> 1) % 16).map(|name| Layout::named(name).unwrap());
    let mut layout = layout.unwrap_or_default();
    if choices & 0x40 != 0 {
        layout = layout.with_grade_names(vec![(b"S"[..].into(), 3.0)]).unwrap();
    }
    let Some(whole) = reader(&text, usize::MAX) else { return };
    let whole = read_as(layout.clone(), whole, strictness, None);
    // One question an input, so that more inputs are tried.
    if choices & 0x80 == 0 {
        let pieces = reader(&text, usize::from(*piece)).expect("it was opened above");
        match (whole, read_as(layout, pieces, strictness, None)) {
            (Ok(whole), Ok(pieces)) => assert_eq!(seen(&whole), seen(&pieces)),
            (Err(whole), Err(pieces)) => same_error(&whole, &pieces),
            (whole, pieces) => panic!("{whole:?} and in pieces {pieces:?}"),
        }
        return;
    }
    let Ok(whole) = whole else { return };
    let lines = written(&whole);
    if lines.is_empty() || begins_oddly(&lines) {
        return;
    }
    let again = reader(&lines, usize::MAX).expect("plain text");
    match read_as(Layout::named("trec").unwrap(), again, Strictness::Strict, None) {
        Ok(again) => assert_eq!(seen(&whole), seen(&again)),
        // Lines with more text than before may be too long.
        Err(error) => assert_eq!(error.kind().name(), "limit", "{error} {lines:?}"),
    }
}
