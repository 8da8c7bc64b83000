use proptest::prelude::*;

use super::super::Limits;
use super::super::lines::LineReader;
use super::super::run::{Gathered, Ranks, RunOptions, gather, gather_plainly};
use super::super::source;
use crate::error::Error;
use crate::qrels::{Builder, Qrels};
use crate::rank::{Duplicates, Hit, JoinTarget, Lines, Order, Precision, Ranker, Ranking, Scratch};

/// Reads by this many bytes at a time.
fn read(text: &str, chunk: usize, block: usize, ranks: Ranks) -> Result<Gathered, Error> {
    let reader = LineReader::by(chunk, block, source(text), &Limits::default());
    gather(reader, RunOptions { ranks, ..RunOptions::default() }, String::new())
}

/// Reads line by line.
fn read_plainly(text: &str, ranks: Ranks) -> Result<Gathered, Error> {
    let reader = LineReader::new(source(text), &Limits::default());
    gather_plainly(reader, RunOptions { ranks, ..RunOptions::default() })
}

fn document() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[ab]{1,3}",
        2 => "FBIS[34]-[0-9]{4,5}",
        2 => prop::sample::select(vec![7, 8, 16, 17, 32, 57, 58, 62, 63, 64, 65, 119, 120, 122, 127, 128, 200])
            .prop_flat_map(|length| (Just(length), "[xyé]"))
            .prop_map(|(length, last)| format!("{}{last}", "d".repeat(length - last.len()))),
    ]
}

fn score() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[0-9]\\.[0-9]{2}",
        3 => "-?[0-9]{1,3}(\\.[0-9]{0,3})?",
        2 => "0\\.12345(67)?8[0-9]{0,12}",
        1 => "[0-9]{14,20}",
        1 => "[+-]?[0-9]{1,2}(\\.[0-9])?e[+-]?[0-9]{1,2}",
        1 => "-0|-0\\.00|0|\\.5|5\\.|00\\.10|1e400|nan|x|\\.|1\\.2\\.3|-|--1|1,5",
    ]
}

fn rank() -> impl Strategy<Value = String> {
    prop_oneof![
        16 => "[0-9]{1,4}",
        2 => "[0-9]{7,10}",
        1 => "-1|\\+2|3\\.5|1e3|x|nan|1,5|\\.",
    ]
}

/// One line: its fields and, seldom, what is odd about it.
fn line() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        30 => Just(""),
        1 => prop::sample::select(vec!["\t", "  ", "\r", "\n", "\n# note", " ", "\u{b}", "\u{c}b", "\0", "\r x", "é", "York ", "#"]),
    ];
    let topic = prop_oneof![8 => Just("401"), 1 => Just("40"), 1 => Just("4010"), 2 => Just("#401"), 1 => Just("#")];
    let tag = prop_oneof![
        8 => Just("tag"),
        1 => Just("a tag of several words that is longer than a register"),
        1 => Just("t"),
    ];
    (topic, document(), rank(), score(), tag, odd, 0usize..7).prop_map(
        |(topic, document, rank, score, tag, odd, place)| {
            let fields = [topic, "Q0", &document, &rank, &score, tag];
            let mut line = String::new();
            for (i, field) in fields.iter().enumerate() {
                if i == place {
                    line.push_str(odd);
                }
                line.push_str(field);
                line.push(if i < 5 { ' ' } else { '\n' });
            }
            if place == 6 { line.replace('\n', &format!("{odd}\n")) } else { line }
        },
    )
}

fn judged(lines: &Lines) -> Qrels {
    let mut builder = Builder::new(&[]);
    for i in (0..lines.len()).step_by(3) {
        // A document that stands twice is judged once.
        let _ = builder.add(b"1", lines.document(i), 1.0, &[], 1);
    }
    builder.finish(None)
}

/// A ranking as far as scores tell, computed in the plainest way.
fn plainly(ranker: &Ranker, lines: &Lines, qrels: &Qrels) -> Option<(u32, Vec<Hit>)> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let key = |i: usize| match ranker.precision {
        Precision::F64 => lines.score(i),
        Precision::F32 => f64::from(lines.score(i) as f32),
    };
    let again = |i: usize| (0..i).any(|j| lines.document(j) == lines.document(i));
    if (0..lines.len()).any(again) {
        if ranker.duplicates == Duplicates::Error {
            return None;
        }
        order.retain(|&i| !again(i));
    }
    order.sort_by(|&a, &b| {
        let ids = lines.document(a).cmp(lines.document(b));
        let ids = if ranker.order == Order::DocnoAsc { ids } else { ids.reverse() };
        key(b).partial_cmp(&key(a)).unwrap().then(ids)
    });
    let docs = qrels.topics()[0].docs();
    let number = |i: usize| docs.keys().position(|id| id == lines.document(i));
    let hits =
        (1..).zip(&order).filter_map(|(rank, &i)| Some(Hit { rank, document: number(i)? as u32 }));
    Some((order.len() as u32, hits.collect()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Lines that are read alike, wherever blocks and chunks end, are the
    /// same run, and the same error in the same place.
    #[test]
    fn the_fast_path_reads_what_the_general_path_reads(
        lines in prop::collection::vec(line(), 1..40),
        crlf: bool,
        unfinished: bool,
        chunk in 2usize..300,
        block in 1usize..300,
        ranks in prop::sample::select(vec![Ranks::Ignored, Ranks::Kept, Ranks::Needed]),
    ) {
        let mut text = lines.concat();
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        if unfinished {
            text.pop();
        }
        let fast = read(&text, chunk, block, ranks);
        let slow = read_plainly(&text, ranks);
        match (fast, slow) {
            (Err(fast), Err(slow)) => {
                prop_assert_eq!(fast.to_string(), slow.to_string());
            }
            (Ok(fast), Ok(slow)) => {
                prop_assert_eq!(fast.run.topics.len(), slow.run.topics.len());
                prop_assert_eq!(fast.run.tag, slow.run.tag);
                prop_assert_eq!(fast.run.comments, slow.run.comments);
                for (i, (topic, found)) in fast.run.topics.iter().enumerate() {
                    let (name, expected) = &slow.run.topics[i];
                    prop_assert_eq!((topic, found.len()), (name, expected.len()));
                    prop_assert_eq!(found.ranks(), expected.ranks());
                    for line in 0..found.len() {
                        prop_assert_eq!(found.document(line), expected.document(line));
                        prop_assert_eq!(found.score(line).to_bits(), expected.score(line).to_bits());
                        prop_assert_eq!(fast.places[i].of(line), slow.places[i].of(line));
                    }
                }
            }
            (fast, slow) => prop_assert!(false, "{:?} {:?}", fast.err(), slow.err()),
        }
    }

    /// What is ranked from digits and tags is what sorting and searching
    /// one by one would give.
    #[test]
    fn rankings_are_the_plain_ones(
        lines in prop::collection::vec((document(), "[0-9]\\.[0-9]{2}|0\\.1234567[0-9]{1,2}|-?[0-9]{1,2}"), 1..60),
        few in 1u32..60,
        sorted: bool,
    ) {
        let mut lines = lines;
        let score = |text: &str| text.parse::<f64>().unwrap();
        for (_, text) in &mut lines {
            if few < 20 {
                *text = format!("{:.2}", score(text) as u32 % few);
            }
        }
        if sorted {
            lines.sort_by(|a, b| score(&b.1).total_cmp(&score(&a.1)));
        }
        let text: Vec<String> =
            lines.iter().map(|(id, score)| format!("1 Q0 {id} 1 {score} t")).collect();
        let run = read(&text.join("\n"), 99, 50, Ranks::Ignored).unwrap().run;
        let lines = &run.topics[0].1;
        let qrels = judged(lines);
        let target = JoinTarget::new(&qrels, &qrels.topics()[0], u32::MAX);
        let mut scratch = Scratch::default();
        let mut ranking = Ranking::default();
        for precision in [Precision::F64, Precision::F32] {
            for order in [Order::DocnoDesc, Order::DocnoAsc] {
                for duplicates in [Duplicates::Error, Duplicates::First] {
                    let ranker = Ranker { order, precision, duplicates, ..Ranker::default() };
                    let ranked =
                        ranker.rank(lines, target, &mut scratch, &mut ranking);
                    let expected = plainly(&ranker, lines, &qrels);
                    prop_assert_eq!(ranked.is_ok(), expected.is_some());
                    if let Some((retrieved, hits)) = expected {
                        prop_assert_eq!(&ranking.hits, &hits);
                        prop_assert_eq!(ranking.retrieved, retrieved);
                    }
                }
            }
        }
    }
}
