use super::super::Limits;
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
        let documents: Vec<_> = topic.judgments().map(|(_, id, grade)| (id, grade)).collect();
        format!("{:?} {documents:?}", topic.id())
    });
    Ok(format!("{:?} {:?} {}", qrels.grades(), topics.collect::<Vec<_>>(), qrels.comments))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Lines that are like those above are the same judgments as lines that
    /// are not, and wrong ones are the same errors.
    #[test]
    fn the_fast_path_reads_what_the_general_path_reads(
        lines in prop::collection::vec(
            (
                prop_oneof![8 => "[12]", 2 => Just("#1".to_string()), 1 => Just("#".to_string())],
                document(),
                prop_oneof![20 => "-?[0-3](\\.5)?", 1 => "x|nan|1e999|1e1|-|"],
                prop_oneof![20 => Just(String::new()), 1 => "\r| |\t|\n|\n# note|\u{1}|\u{b}| 1|\0|\rx"],
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
    let stratified = read("1 0 a 2 -1\n1 0 b 1 0\n").unwrap();
    assert_eq!(stratified.column_names(), [STRATUM]);
    assert_eq!(stratified.topics()[0].column(0), Some(&[2.0, 1.0][..]));
}

#[test]
fn strata_and_probabilities_are_told_apart() {
    for (text, name, value) in [
        ("1 0 55 1 -1\n", STRATUM, 1.0),
        ("1 Q0 55 2 1\n1 Q0 7 1 -1\n", STRATUM, 2.0),
        ("1 0 a 2 0.5\n1 0 b 1 -1\n1 0 c 0 1\n", STRATUM, 2.0),
        ("1 a 1 1 0.5\n", INCLUSION, 0.5),
        ("1 a 0 1 1\n", INCLUSION, 1.0),
        ("1 55 1 1 0.25\n", INCLUSION, 0.25),
        ("1 a 1 2 0.25\n", INCLUSION, 1.0),
        ("1 a 1 4 0.25\n", INCLUSION, 0.25),
    ] {
        let qrels = read(text).unwrap();
        assert_eq!(qrels.column_names(), [name], "{text}");
        assert_eq!(qrels.topics()[0].column(0).map(|column| column[0]), Some(value), "{text}");
    }
    let error = read("1 a 1 1 0.5\n1 b 1 1 0\n").unwrap_err();
    assert_eq!((error.place().line, error.place().column), (Some(2), Some(9)));
    assert!(error.message().contains("above 0 and up to 1 as inclusion, found 0"), "{error}");
}

/// Five fields are TREC's four with a space in the document, unless strata are named or beyond
/// doubt: whole numbers from 0 or 1 without a gap, and documents that were not drawn.
#[test]
fn five_fields_in_doubt_are_an_error() {
    for (text, line, kind) in [
        ("1 0 New York 1\n", 1, Kind::Fields),
        ("1 0 a 1 -1\n1 0 New York 1\n", 2, Kind::Fields),
        ("1 0 a 1.5 -1\n", 1, Kind::Fields),
        ("1 0 Route 66 1\n", 1, Kind::Layout),
        ("1 0 Route 66 -1\n", 1, Kind::Layout),
        ("1 0 Apollo 1 -1\n1 0 Saturn 3 0\n", 1, Kind::Layout),
        ("1 0 a 1 1\n1 0 b 2 0\n", 1, Kind::Layout),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!((error.kind(), error.place().line), (kind, Some(line)), "{text}");
        let shown = text.lines().nth(line as usize - 1).unwrap();
        assert!(error.message().contains(&format!("found 5 fields: `{shown}`")), "{error}");
        assert!(error.message().contains("layout=\"stratified\""), "{error}");
    }
    assert_eq!(read_named("stratified", "1 0 Route 66 1\n").unwrap().column_names(), [STRATUM]);
    let error = read("1 0 a 1\n1 0 New York 1\n").unwrap_err();
    assert_eq!((error.kind(), error.place().column), (Kind::Fields, Some(14)));
    assert!(error.message().contains("found 5 fields: `1 0 New York 1`"), "{error}");
}

#[test]
fn comments_are_no_topics_and_topics_no_comments() {
    for (layout, text, topics, comments) in [
        ("", "# 0 a 1\n#c 0 a 1\n#c 0 b x\n#c b\n1 0 a 1\n#\n#\tx\n##\n", 2, 6),
        ("", "#c said a 1\n1 0 a 1\n#c 0 a b 1\n", 1, 2),
        ("beir", "#c a 1\n#c a\n#c b x\n1 a 1\n", 2, 2),
        ("stratified", "#c 0 a 1 1\n#c 0 a x 1\n1 0 a 1 1\n", 2, 1),
        ("inclusion", "#c a 1 1 0.5\n#c a 1 1 x\n1 a 1 1 0.5\n", 2, 1),
        ("intents", "#c x a 1\n#c x a L1\n#c x a y\n1 x a 1\n", 2, 2),
        ("ntcir", "#c a L1\n#c a 1\n1 a L1\n", 2, 1),
    ] {
        let read = if layout.is_empty() { read(text) } else { read_named(layout, text) };
        if layout == "intents" {
            // A level decides the form of all lines.
            assert!(read.is_err() || read.unwrap().comments > 0);
            continue;
        }
        let qrels = read.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((qrels.topics().len(), qrels.comments), (topics, comments), "{text}");
    }
}

#[test]
fn judgments_by_intent_keep_the_highest_grade() {
    let read = |text: &str| {
        let reader = LineReader::new(source(text), &Limits::default());
        read_as(Layout::named("intents").unwrap(), reader, Strictness::Strict, None)
    };
    let qrels = read("1 x a 0\n1 y a 2\n1 x b 1\n2 z a -1\n").unwrap();
    assert!(qrels.has_intents());
    assert_eq!(qrels.grades(), [-1.0, 1.0, 2.0]);
    let first = &qrels.topics()[0];
    assert_eq!(first.intents().names(), [b"x"[..].into(), b"y"[..].into()]);
    assert_eq!(first.intents().grades(0), [(0, 0.0), (1, 2.0)]);
    let none = read("1 0 a 0\n1 x b 1\n1 0 c 0\n").unwrap();
    assert_eq!(none.topics()[0].intents().names(), [b"x"[..].into()]);
    assert_eq!((none.topics()[0].docs().len(), none.grades()), (3, &[0.0, 1.0][..]));
    assert_eq!(read("1 0 a 0\n1 0 a 0\n").unwrap_err().kind(), Kind::Duplicate);
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

fn read_named(name: &str, text: &str) -> Result<Qrels> {
    let reader = LineReader::new(source(text), &Limits::default());
    read_as(Layout::named(name).unwrap(), reader, Strictness::Strict, None)
}

#[test]
fn a_format_can_be_named() {
    // What looks like a stratum is a probability to who says so.
    let drawn = read_named("inclusion", "1 55 0 1 1\n1 56 1 1 0.5\n").unwrap();
    assert_eq!(drawn.column_names(), [INCLUSION]);
    assert_eq!(drawn.grades(), [0.0, 1.0]);
    let stratified = read_named("stratified", "1 a 1 1 0.5\n").unwrap();
    assert_eq!(
        (stratified.column_names(), stratified.grades()),
        (&[STRATUM.into()][..], &[0.5][..])
    );
    for text in ["query-id corpus-id score\n1 a 2\n", "1 a 2\n"] {
        assert_eq!(read_named("beir", text).unwrap().grades(), [2.0]);
    }
    let error = read_named("trec", "1 a 1 1 0.5\n").unwrap_err();
    assert!(error.message().contains("expected 4 fields (topic iteration"), "{error}");
    assert!(Layout::named("TREC").unwrap_err().contains("trec, stratified, inclusion"));
}

#[test]
fn names_of_ntcir_are_grades() {
    let qrels = read("1 a L0\n1 b L10\n2 a L3\n").unwrap();
    assert_eq!(qrels.grades(), [0.0, 3.0, 10.0]);
    assert_eq!(read_named("ntcir", "1 a L2\n").unwrap().grades(), [2.0]);
    let error = read("1 a L1\n1 b 2\n").unwrap_err();
    assert_eq!((error.place().line, error.place().column), (Some(2), Some(5)));
    let by_intent = read_named("intents", "1 x a L1\n1 y a L2\n").unwrap();
    assert!(by_intent.has_intents());
    assert_eq!(by_intent.grades(), [2.0]);
    assert!(read("1 x a L1\n").unwrap_err().message().contains("layout=\"intents\""));
    assert!(read("a L1\n").unwrap_err().message().contains("of one topic"));
}

#[test]
fn grades_can_have_other_names() {
    let names = |pairs: &[(&str, f64)]| {
        pairs.iter().map(|&(name, grade)| (name.as_bytes().into(), grade)).collect()
    };
    let old = names(&[("S", 3.0), ("A", 2.0), ("B", 1.0), ("C", 0.0)]);
    let read = |layout: Layout, text: &str| {
        let reader = LineReader::new(source(text), &Limits::default());
        let layout = layout.with_grade_names(Vec::clone(&old)).unwrap();
        read_as(layout, reader, Strictness::Strict, None)
    };
    let ntcir = || Layout::named("ntcir").unwrap();
    for layout in [ntcir(), Layout::default()] {
        let qrels = read(layout, "1 a S\n1 b B\n2 c C\n2 d L5\n").unwrap();
        assert_eq!(qrels.grades(), [0.0, 1.0, 3.0, 5.0]);
    }
    let by_intent = read(Layout::named("intents").unwrap(), "1 x a S\n1 y a A\n").unwrap();
    assert_eq!((by_intent.has_intents(), by_intent.grades()), (true, &[3.0][..]));
    let trec = read(Layout::named("trec").unwrap(), "1 0 a S\n1 0 b 1\n1 0 c 2\n").unwrap();
    assert_eq!(trec.grades(), [1.0, 2.0, 3.0]);
    let hints = |error: &Error| {
        error.message().ends_with("levels={\"S\": 3, \"A\": 2, \"B\": 1}")
            && error.command_line().ends_with("--levels S=3,A=2,B=1")
    };
    for (name, text) in [("ntcir", "1 a S\n"), ("ntcir", "1 a L1\n1 b A\n"), ("trec", "1 0 a B\n")]
    {
        assert!(hints(&read_named(name, text).unwrap_err()), "{text}");
    }
    assert!(hints(&super::tests::read("1 a S\n").unwrap_err()));
    let error = read(ntcir(), "1 a S\n1 b D\n").unwrap_err();
    assert_eq!((error.place().line, error.place().column), (Some(2), Some(5)));
    for wrong in ["", "1", "L2", "a b", "#", "nan"] {
        assert!(ntcir().with_grade_names(names(&[(wrong, 1.0)])).is_err(), "{wrong}");
    }
    assert!(ntcir().with_grade_names(names(&[("S", f64::NAN)])).is_err());
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
