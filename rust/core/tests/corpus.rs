//! The inputs of the fuzzer that are in the repository, and changed ones, keep what has to hold.
//!
//! `rust/fuzz` says what each check is. The fuzzer itself needs a build of its own; this runs in
//! the usual tests, for `CRANFIELD_FUZZED` changed inputs of each kind.

use std::path::Path;
use std::{env, fs};

use crate::checks;
use crate::common::Random;

type Check = fn(&[u8]);

/// The checks, by the names of the fuzzer's targets.
const ALL: &[(&str, Check)] = &[
    ("arrays", checks::arrays::check),
    ("bounds", checks::bounds::check),
    ("grammar", checks::grammar::check),
    ("packed", checks::packed::check),
    ("qrels_lines", checks::qrels_lines::check),
    ("run_lines", checks::run_lines::check),
    ("scan", checks::scan::check),
    ("tables", checks::tables::check),
    ("trec_eval", checks::trec_eval::check),
];

/// The inputs of a target; each stands as hexadecimal digits on a line.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let text = fs::read_to_string(folder.join(target).with_extension("hex"));
    let text = text.expect("the inputs are in the repository");
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok();
        pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).expect("two digits")
    };
    text.lines().map(|line| line.as_bytes().chunks(2).map(byte).collect()).collect()
}

/// An input with a few bytes changed, removed, or taken from another one.
fn changed(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut below = |n: usize| random.below(n as u64) as usize;
    let mut input = inputs[below(inputs.len())].clone();
    for _ in 0..=below(4) {
        let (at, other) = (below(input.len() + 1), &inputs[below(inputs.len())]);
        match below(4) {
            0 => input.truncate(at),
            1 => input.insert(at, below(256) as u8),
            2 => input.extend_from_slice(&other[below(other.len() + 1)..]),
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << below(8);
                }
            }
        }
    }
    input.truncate(1 << 10);
    input
}

#[test]
fn inputs_of_the_fuzzer_keep_what_has_to_hold() {
    let asked = env::var("CRANFIELD_FUZZED").ok();
    let count: usize = asked.map_or(2000, |text| text.parse().expect("a number"));
    for (target, check) in ALL {
        let inputs = inputs(target);
        assert!(!inputs.is_empty(), "{target} has no inputs");
        for input in &inputs {
            check(input);
        }
        // Each of these scores every way to judge a list.
        let count = if *target == "bounds" { count / 10 } else { count };
        let mut random = Random(1);
        for _ in 0..count {
            check(&changed(&inputs, &mut random));
        }
    }
}
