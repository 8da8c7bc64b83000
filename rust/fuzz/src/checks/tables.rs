//! CSV, TSV, JSON and JSON Lines: read whole, in pieces, and by topics.

use std::collections::HashSet;

use super::input::{same_error, source};
use cranfield_core::error::Result;
use cranfield_core::qrels::Qrels;
use cranfield_core::rank::{Lines, Run};
use cranfield_core::read::Limits;
use cranfield_core::read::tables::{Role, TextTable, form_of};

/// What the bytes of every other input choose among.
const PARTS: &[&[u8]] = &[
    b"topic",
    b"doc",
    b"score",
    b"grade",
    b"rank",
    b"run",
    b"hits",
    b"1",
    b"2",
    b"q1",
    b"d1",
    b"d2",
    b"0.5",
    b"-1",
    b"1e400",
    b"01",
    b"null",
    b"true",
    b"\"",
    b"\"\"",
    b"\\u00e9",
    b"\\ud800",
    b"\\",
    b",",
    b",",
    b"\t",
    b"\n",
    b"\r\n",
    b"\n\n",
    b" ",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\0",
    b"topic,doc,score\n",
    b"topic\tdoc\tgrade\n",
    b"1,d1,0.5\n",
    b"1\td1\t2\n",
    b"{\"topic\": \"1\", \"doc\": \"d1\", \"score\": 2}\n",
    b"{\"1\": {\"d1\": 2, \"d2\": 1}}",
    b"\"hits\": [{\"doc\": \"d1\", \"score\": 2}]",
];

fn text(bytes: &[u8]) -> Vec<u8> {
    match bytes.split_first() {
        Some((kind, text)) if kind % 2 == 0 => text.to_vec(),
        Some((_, choices)) => choices
            .iter()
            .flat_map(|&byte| PARTS[usize::from(byte) % PARTS.len()])
            .copied()
            .collect(),
        None => Vec::new(),
    }
}

/// Topics with their documents and the bits of the scores.
type Seen = Vec<(Vec<u8>, Vec<(Vec<u8>, u64)>)>;

fn seen(run: &Run) -> Seen {
    let line = |lines: &Lines, at| (lines.document(at).to_vec(), lines.score(at).to_bits());
    let topics = run.topics.iter();
    topics
        .map(|(t, lines)| (t.to_vec(), (0..lines.len()).map(|at| line(lines, at)).collect()))
        .collect()
}

/// The topics of all parts, one after another.
fn by_topics(mut table: TextTable) -> Result<Seen> {
    let mut all = Vec::new();
    while let Some(run) = table.next_topics()? {
        all.extend(seen(&run));
    }
    Ok(all)
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let [choices, piece, bytes @ ..] = bytes else { return };
    let text = text(bytes);
    let limits = Limits { line_bytes: 1 << 10, ..Limits::default() };
    let _ = form_of(&text, &[]);
    let form = ["csv", "tsv", "json", "jsonl"][usize::from(choices % 4)];
    let value = if choices & 4 == 0 { Role::Score } else { Role::Grade };
    let table = |piece| {
        let source = source(&text, piece, &limits)?;
        TextTable::new(source, form, &[], value, &limits)
    };
    let Some(mut whole) = table(usize::MAX) else { return };
    let mut pieces = table(usize::from(*piece)).expect("it was opened above");
    if value == Role::Grade {
        match (whole.judgments(None), pieces.judgments(None)) {
            (Ok(whole), Ok(pieces)) => {
                let number = |qrels: Option<_>| qrels.map(|q: Qrels| q.topics().len());
                assert_eq!(number(whole), number(pieces));
            }
            (Err(whole), Err(pieces)) => same_error(&whole, &pieces),
            (whole, pieces) => panic!("{:?} and in pieces {:?}", whole.err(), pieces.err()),
        }
        return;
    }
    match (whole.run(), pieces.run()) {
        (Ok(whole), Ok(pieces)) => {
            assert_eq!(whole.as_ref().map(seen), pieces.as_ref().map(seen));
            let whole = whole.as_ref().map(seen).unwrap_or_default();
            let parts = by_topics(table(usize::MAX).expect("it was opened above"));
            let parts = parts.expect("what is read as a whole is read by topics");
            // A topic that comes back is in two parts, and whoever asks reads the whole then.
            let mut names = HashSet::new();
            if parts.iter().all(|(topic, _)| names.insert(topic)) {
                assert_eq!(whole, parts);
            }
        }
        (Err(whole), Err(pieces)) => same_error(&whole, &pieces),
        (whole, pieces) => panic!("{:?} and in pieces {:?}", whole.err(), pieces.err()),
    }
}
