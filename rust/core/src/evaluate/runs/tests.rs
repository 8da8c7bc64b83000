use super::*;
use crate::evaluate::{Evaluator, Options};
use crate::grammar::parse_list;
use crate::qrels::Builder;
use crate::temporary_folder::TemporaryFolder;
use proptest::prelude::*;
use std::fmt::Write as _;

/// What comes of runs that are scored in one call with this many threads.
fn outcome(folder: &TemporaryFolder, texts: &[String], threads: usize) -> Result<Vec<String>> {
    let mut builder = Builder::new(&[]);
    for topic in 0..6 {
        for document in 0..4 {
            let (topic, document) = (topic.to_string(), format!("d{document}"));
            builder.add(topic.as_bytes(), document.as_bytes(), 1.0, &[], 1).unwrap();
        }
    }
    let options = Options { threads: Some(threads), ..Options::default() };
    let measures = parse_list("AP num_ret").unwrap();
    let evaluator = Evaluator::new(Arc::new(builder.finish(None)), &measures, options).unwrap();
    let write = |(i, text): (usize, &String)| {
        Input::file(i.to_string(), folder.file(&i.to_string(), text.as_bytes()))
    };
    let inputs: Vec<Input> = texts.iter().enumerate().map(write).collect();
    let monitor = Arc::new(Monitor::default());
    let scores = evaluator.evaluate(&inputs, &monitor)?;
    assert_eq!(monitor.runs.load(Ordering::Relaxed), inputs.len());
    let row = |run: usize| -> String {
        let values: Vec<&[f64]> = (0..6).map(|topic| scores.row(run, topic)).collect();
        format!("{values:?} {:?}", scores.notes[run])
    };
    Ok((0..inputs.len()).map(row).collect())
}

/// The lines of a topic, and seldom a wrong one.
fn stretch() -> impl Strategy<Value = String> {
    let odd = prop_oneof![40 => Just(""), 1 => Just("0 Q0 d9 1 x tag\n"), 1 => Just("0 Q0\n")];
    (0usize..8, 0usize..5, odd).prop_map(|(topic, depth, odd)| {
        let line = |rank| format!("{topic} Q0 d{rank} 1 {}.5 tag\n", 9 - rank);
        (0..=depth).map(line).chain([odd.to_string()]).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Runs in any order of topics, with topics that come back and with
    /// errors, are what they are each by itself; the first that fails
    /// decides the error.
    #[test]
    fn runs_of_one_call_are_runs_one_by_one(
        runs in prop::collection::vec(prop::collection::vec(stretch(), 1..9), 1..12),
        threads in 1usize..4,
    ) {
        let folder = TemporaryFolder::new();
        let texts: Vec<String> = runs.iter().map(|run| run.concat()).collect();
        let alone = texts.iter().enumerate().map(|(i, text)| {
            let alone = outcome(&folder, std::slice::from_ref(text), 1);
            let its_own = |error: Error| {
                let text = error.to_string().replace("/0:", &format!("/{i}:"));
                text.replace("run `0`", &format!("run `{i}`"))
            };
            let alone = alone.map_err(its_own);
            alone.map(|mut rows| rows.remove(0))
        });
        let alone: std::result::Result<Vec<String>, String> = alone.collect();
        let together = outcome(&folder, &texts, threads).map_err(|e| e.to_string());
        prop_assert_eq!(together, alone);
    }
}

/// The same of a text for one thread and for several.
fn agree(text: &str) -> String {
    let folder = TemporaryFolder::new();
    let path = folder.file("run", text.as_bytes());
    assert!(is_large(&RunFile::new(String::new(), path.clone())));
    let mut builder = Builder::new(&[]);
    for topic in 0..40 {
        let document = format!("d{}", topic % 7);
        let topic = topic.to_string();
        builder.add(topic.as_bytes(), document.as_bytes(), 1.0, &[], 1).unwrap();
    }
    let qrels = Arc::new(builder.finish(None));
    let outcome = |threads: usize| {
        let options = Options { threads: Some(threads), ..Options::default() };
        let measures = parse_list("AP num_ret").unwrap();
        let evaluator = Evaluator::new(Arc::clone(&qrels), &measures, options).unwrap();
        let input = [Input::file("run".into(), path.clone())];
        match evaluator.evaluate(&input, &Arc::new(Monitor::default())) {
            Ok(scores) => format!("{:?} {:?}", scores.values, scores.notes),
            Err(error) => error.to_string(),
        }
    };
    let alone = outcome(1);
    for threads in 2..8 {
        assert_eq!(outcome(threads), alone, "{threads}");
    }
    alone
}

fn run(topics: impl Iterator<Item = usize>) -> String {
    let mut text = String::new();
    for topic in topics {
        for rank in 0..=topic % 5 {
            writeln!(text, "{topic} Q0 d{rank} 1 {}.5 tag", 9 - rank / 2).unwrap();
        }
    }
    text
}

#[test]
fn parts_are_the_whole() {
    assert!(agree(&run(0..45)).contains("without_judgments: [[52, 48]"));
    agree(run(0..45).trim_end());
    agree(&format!("# note\n\n{}", run(0..10)));
    agree(&run(0..45).replace("\n7 Q0", "\n#7 Q0").replace("\n21 Q0 d3", "\n#x Q0 d3 y"));
    // All lines of one topic, and a topic that comes back.
    agree(&run([4].into_iter()).replace('d', &"x".repeat(60)));
    agree(&run((0..20).chain([3])).replace("3 Q0 d", "3 Q0 e"));
    agree(&format!("{}{}", run(0..20), run([2].into_iter()).replace(" d", " e")));
    agree(&format!("{}99 Q0 a 1 1 t\n{}99 Q0 b 1 1 t\n", run(0..20), run(20..40)));
}

#[test]
fn errors_are_those_of_the_whole() {
    let odd = format!("{}39 Q0 d1 1 x tag\n", run(0..39));
    assert!(agree(&odd).contains("expected a number as score"));
    let twice = format!("{}39 Q0 d1 1 2 tag\n39 Q0 d1 2 1 tag\n", run(0..39));
    assert!(agree(&twice).contains("again"));
    let spaced = run(0..39).replace("30 Q0 d0", "30 Q0 New York");
    assert!(agree(&spaced).contains("found 7 fields: `30 Q0 New York"));
    // Two layouts, each of which is whole in some parts of the file.
    let ranks = (100..200).map(|topic| format!("{topic} d0 1\n{topic} d1 2\n"));
    let ranks = ranks.collect::<Vec<_>>().concat();
    assert!(agree(&format!("{}{ranks}", run(0..39))).contains("found 3 fields: `100 d0 1`"));
    assert!(agree(&format!("{ranks}{}", run(0..39))).contains("found 6 fields"));
}
