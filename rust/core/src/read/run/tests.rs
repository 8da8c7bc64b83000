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
        read("2 Q0 a 1 3 x\n1 Q0 a 1 2 x\n\n# note\n2  Q0\tb 2 1.5 x y \r\n", Strictness::Strict)
            .unwrap();
    assert_eq!(listing(&run), ["2 a 3", "2 b 1.5", "1 a 2"]);
    assert_eq!(run.tag.as_deref(), Some(&b"x y \r"[..]));
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
