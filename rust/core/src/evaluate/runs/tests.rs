use super::*;
use crate::evaluate::{Evaluator, Options};
use crate::grammar::parse_list;
use crate::qrels::Builder;
use proptest::prelude::*;
use std::path::Path;

/// What comes of runs that are scored in one call with this many threads.
fn outcome(folder: &Path, texts: &[String], threads: usize) -> Result<Vec<String>> {
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
        let path = folder.join(i.to_string());
        std::fs::write(&path, text).unwrap();
        Input::file(i.to_string(), path)
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
        static FOLDERS: AtomicUsize = AtomicUsize::new(0);
        let folder = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = format!("cranfield-runs-{}-{folder}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir(&folder).unwrap();
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
        std::fs::remove_dir_all(&folder).unwrap();
        prop_assert_eq!(together, alone);
    }
}
