//! Arguments of `trec_eval`: any of them end with a status, and the same twice.

use std::path::PathBuf;
use std::sync::OnceLock;

use arbitrary::{Result, Unstructured};
use cranfield_core::trec_eval::run;

const OPTIONS: &[&str] = &[
    "-q",
    "-c",
    "-n",
    "-l",
    "-l2",
    "-m",
    "-M",
    "-M5",
    "-N",
    "-N100",
    "-J",
    "-D",
    "-R",
    "-T",
    "-Z",
    "-U",
    "-h",
    "-v",
    "-W",
    "-F",
    "-X",
    "--help",
    "--version",
    "--",
    "-",
    "-qc",
    "-mmap",
    "map",
    "all_trec",
    "official",
    "set",
    "all_prefs",
    "qrels",
    "qrels_jg",
    "prefs",
    "qrels_prefs",
    "trec_results",
    "ndcg_cut.5,10",
    "P.1",
    "P.",
    "P.x",
    "relstring.3",
    "utility.1,2,3,4",
    "iprec_at_recall",
    "Rprec_mult.0.5",
    "ndcg.1=3,2=4",
    "success.1,2",
    "0",
    "1",
    "-1",
    "99999999999999999999",
    "1e3",
    "nan",
];

/// Files: judgments, preferences, runs, and what is neither.
const FILES: &[(&str, &str)] = &[
    ("qrels", "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n2 0 d4 1\n"),
    ("odd", "1 0 d1 x\n1 0 d1 1\n1 0 d1 1 5\n"),
    ("prefs", "1 u1 a d1 2\n1 u1 a d2 1\n1 u2 b d3 1\n"),
    ("run", "1 Q0 d1 1 3.5 t\n1 Q0 d2 2 2.5 t\n2 Q0 d4 1 1e3 t\n2 Q0 d9 2 -1 t\n"),
    ("rankless", "1 Q0 d1 x 3.5 t\n# note\n\n1 Q0 d1 1 3.5 t\n"),
    ("zscores", "map 1 0.5 0.1\nmap 2 0.5 0\n"),
    ("empty", ""),
];

fn files() -> &'static [PathBuf] {
    static MADE: OnceLock<Vec<PathBuf>> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("cranfield-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let made = FILES.iter().map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path
        });
        made.collect()
    })
}

fn arguments(u: &mut Unstructured) -> Result<Vec<Vec<u8>>> {
    let mut arguments = Vec::new();
    let mut names: Vec<&PathBuf> = Vec::new();
    while !u.is_empty() && arguments.len() < 8 {
        arguments.push(match u.int_in_range(0..=7u8)? {
            0 => {
                let n = u.int_in_range(0..=12)?;
                u.bytes(n.min(u.len()))?.to_vec()
            }
            _ => u.choose(OPTIONS)?.as_bytes().to_vec(),
        });
    }
    for _ in 0..u.int_in_range(0..=3u8).unwrap_or(2) {
        names.push(u.choose(files()).unwrap_or(&files()[0]));
    }
    // Files of this machine are no business of these inputs.
    arguments.retain(|argument| !argument.contains(&b'/') && argument != b"-");
    arguments.extend(names.iter().map(|path| path.to_str().unwrap().as_bytes().to_vec()));
    Ok(arguments)
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let Ok(arguments) = arguments(&mut Unstructured::new(bytes)) else { return };
    let outcome = || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = run(&arguments, &mut out, &mut err);
        (code, out, err)
    };
    let first = outcome();
    assert!(first.0 == 0 || !first.2.is_empty(), "a failure says why");
    assert_eq!(first, outcome());
}
