//! Spellings of measures: what is parsed is printed, and parsed again, as the same.

use arbitrary::{Result, Unstructured};
use cranfield_core::grammar::{parse, parse_list};
use cranfield_core::measure::FAMILIES;

const PARTS: &[&str] = &[
    "@",
    "@10",
    "@0.5",
    "@1",
    "@1000",
    "@tokens=",
    "@cost=0.5",
    "@calls",
    "(",
    ")",
    ",",
    "=",
    "'",
    "\"",
    "{",
    "}",
    ":",
    " ",
    "rel",
    "gain",
    "dcg",
    "p",
    "beta",
    "cost",
    "max_rel",
    "points",
    "mult",
    "top",
    "nonrel",
    "over",
    "first",
    "divisor",
    "stop",
    "alpha",
    "epsilon",
    "partitions",
    "thresholds",
    "intents",
    "\"binary\"",
    "\"exp-log2\"",
    "\"jk\"",
    "{1:5,2:1}",
    "0",
    "1",
    "2",
    "0.8",
    "-1",
    "1e308",
    "nan",
    "True",
    "False",
    "None",
    "EC-",
    "DIN-",
    "map",
    "ndcg_cut_10",
    "ndcg_cut.5,10",
    "P_5",
    "-IA",
    "I-",
    "D#-",
    ".",
    "_",
    "+",
    "*",
    "#",
    "\n",
    "é",
    "\0",
];

fn made(u: &mut Unstructured) -> Result<String> {
    let mut text = String::new();
    while !u.is_empty() && text.len() < 1 << 10 {
        match u.int_in_range(0..=3u8)? {
            0 => text += u.choose(FAMILIES)?.about.name,
            1 | 2 => text += u.choose(PARTS)?,
            _ => text.push(char::from(u.arbitrary::<u8>()?)),
        }
    }
    Ok(text)
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let text = match bytes.split_first() {
        Some((kind, text)) if kind % 2 == 0 => String::from_utf8_lossy(text).into_owned(),
        Some((_, choices)) => made(&mut Unstructured::new(choices)).unwrap_or_default(),
        None => String::new(),
    };
    match parse_list(&text) {
        Ok(measures) => {
            for measure in measures {
                let printed = measure.to_string();
                let again = parse(&printed).unwrap_or_else(|e| panic!("{printed}: {e}"));
                assert_eq!(measure, again, "{printed}");
                assert_eq!(printed, again.to_string());
            }
        }
        Err(error) => assert!(!error.message().is_empty()),
    }
}
