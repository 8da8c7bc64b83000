use super::super::{Limits, Strictness};
use std::fmt::Write as _;

use proptest::prelude::*;

use super::super::source;
use super::*;

fn read(text: &str, strictness: Strictness) -> Result<Run> {
    let reader = LineReader::new(source(text), &Limits::default());
    let gathered = gather(
        reader,
        RunOptions { strictness, ranks: Ranks::Kept, ..RunOptions::default() },
        "test".into(),
    );
    Ok(gathered?.run)
}

fn listing(run: &Run) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    run.topics
        .iter()
        .flat_map(|(topic, lines)| {
            (0..lines.len()).map(move |i| {
                format!("{} {} {}", text(topic), text(lines.document(i)), lines.score(i))
            })
        })
        .collect()
}

#[test]
fn topics_may_come_in_pieces() {
    let run =
        read("2 Q0 a 1 3 x\n1 Q0 a 1 2 x\n\n# note\n2  Q0\tb 2 1.5 y \r\n", Strictness::Strict)
            .unwrap();
    assert_eq!(listing(&run), ["2 a 3", "2 b 1.5", "1 a 2"]);
    assert_eq!(run.tag.as_deref(), Some(&b"y"[..]));
    assert_eq!(run.topics[0].1.ranks(), [1.0, 2.0]);
}

#[test]
fn a_topic_that_begins_as_another_is_another() {
    let run = read("1 Q0 a 1 2 x\n11 Q0 a 1 2 x\n1 Q0 b 1 2 x\n", Strictness::Strict).unwrap();
    assert_eq!(listing(&run), ["1 a 2", "1 b 2", "11 a 2"]);
}

#[test]
fn ms_marco_scores_are_minus_the_rank() {
    let run = read("7 d1 1\n7 d2 2\n", Strictness::Strict).unwrap();
    assert_eq!(listing(&run), ["7 d1 -1", "7 d2 -2"]);
}

#[test]
fn lenient_numbers_are_those_of_atof() {
    let text = "1 Q0 a 1 3x t\n1 Q0 b 2 abc t\n1 Q0 c 3 nan t\n";
    let run = read(text, Strictness::Lenient).unwrap();
    assert_eq!(listing(&run), ["1 a 3", "1 b 0", &format!("1 c {}", f64::MIN)]);
    assert_eq!(run.repaired, 3);
    assert_eq!(read(text, Strictness::Strict).unwrap_err().place().column, Some(10));
}

/// The fields of a line are TREC's six or an error that shows it: on the first line, on one that
/// is like the one above, and on any other.
#[test]
fn a_document_with_a_space_is_an_error() {
    let odd = "1 Q0 New York 1 22.5 t\n";
    for (before, line) in [("", 1), ("1 Q0 a 1 30 t\n", 2), ("1 Q0 a 1 30 t\n2 Q0 b 1 3 t\n", 3)] {
        let error = read(&format!("{before}{odd}"), Strictness::Lenient).unwrap_err();
        assert_eq!((error.kind(), error.place().line), (Kind::Fields, Some(line)));
        assert!(error.message().contains("found 7 fields: `1 Q0 New York 1 22.5 t`"), "{error}");
    }
}

#[test]
fn comments_are_no_topics_and_topics_no_comments() {
    let text = "#a 1 note\n# Q0 d 1 1 t\n#b Q0 d 1 2 t\n#b Q0 e 2 1 t\n#b Q0 f x 1 t\n#b Q0 g 2 y t\n\
                #b Q0 New York 2 1 t\n1 Q0 d 1 2 t\n#\n";
    let run = read(text, Strictness::Strict).unwrap();
    assert_eq!(listing(&run), ["#b d 2", "#b e 1", "1 d 2"]);
    assert_eq!(run.comments, 6);
    let ranks =
        read("#b 9 note\n#b d 2\n#b d 1\n#b e 2\n#b f 0.5\n1 a 1\n", Strictness::Strict).unwrap();
    assert_eq!(
        (listing(&ranks), ranks.comments),
        (["#b d -1", "#b e -2", "1 a -1"].map(String::from).to_vec(), 3)
    );
}

/// Only spaces and tabs separate fields.
#[test]
fn other_white_space_is_of_an_id() {
    let run = read("1 Q0 a\u{b}b 1 2 t\n1 Q0 a\u{c}b 2 1 t\r\n", Strictness::Strict).unwrap();
    assert_eq!(listing(&run), ["1 a\u{b}b 2", "1 a\u{c}b 1"]);
    for text in ["1 Q0 a 1 2 t\r1 Q0 b 2 1 t\r", "1 a 1\r1 b 2\r", "# x\r1 a 1\n"] {
        let error = read(text, Strictness::Strict).unwrap_err();
        assert!(error.message().contains("found a carriage return within a line"), "{error}");
    }
}

proptest! {
    /// Lines in the usual shape and the same lines spaced otherwise, with
    /// comments and blank lines between, are the same run; and a document
    /// that comes twice is found on the lines where it stands.
    #[test]
    fn spacing_does_not_matter(
        lines in prop::collection::vec(
            ("[12]", "d[0-9]{1,20}", "-?[0-9]{1,9}(\\.[0-9]{1,9})?(e[0-9])?", "[ \t]{1,2}", "(\n# note|\n \t|\r)?"),
            1..40,
        )
    ) {
        let (mut usual, mut odd) = (String::new(), String::new());
        for (topic, document, score, space, end) in &lines {
            writeln!(usual, "{topic} Q0 {document} 1 {score} tag").unwrap();
            writeln!(odd, "{topic}{space}Q0 {document}{space}1 {score}{space}tag{end}").unwrap();
        }
        let (usual, odd) = (gathered(&usual), gathered(&odd));
        prop_assert_eq!(listing(&usual.run), listing(&odd.run));
        for (topic, (_, list)) in odd.run.topics.iter().enumerate() {
            for line in 0..list.len() {
                prop_assert!(odd.places[topic].of(line).0 >= usual.places[topic].of(line).0);
            }
        }
    }
}

fn gathered(text: &str) -> Gathered {
    let reader = LineReader::new(source(text), &Limits::default());
    gather(reader, RunOptions::default(), "test".into()).unwrap()
}

#[test]
fn places_are_those_of_the_file() {
    let text = "# note\n1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n\n1 Q0 c 3 7 t\n1  Q0 d 4 6 t\n1 Q0 e 5 5 t\n";
    let places = &gathered(text).places[0];
    let found: Vec<(u64, u64)> = (0..5).map(|line| places.of(line)).collect();
    assert_eq!(found, [(2, 6), (3, 6), (5, 6), (6, 7), (7, 6)]);
}
