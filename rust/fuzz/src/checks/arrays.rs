//! Runs in arrays: scored where they lie and as lines, with the same bits.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::grammar::parse_list;
use cranfield_core::qrels::Builder;
use cranfield_core::rank::arrays::{Arrays, Check, IdColumn, ListArrays, Promise, ScoreColumn};
use cranfield_core::rank::{Duplicates, Order, Precision, Ranker};

const IDS: &[i64] = &[i64::MIN, i64::MAX, 1 << 31, (1 << 32) - 1, -2, 1_000_000_007];
const SCORES: &[f64] =
    &[0.0, -0.0, 1.0, 16_777_217.0, 1e300, -1e300, 5e-324, f64::NAN, f64::INFINITY];

fn id(u: &mut Unstructured) -> Result<i64> {
    Ok(if u.int_in_range(0..=9u8)? == 0 { *u.choose(IDS)? } else { u.int_in_range(-2..=60)? })
}

fn checked(u: &mut Unstructured) -> Result<()> {
    let measures = ["AP", "nDCG@3 RR@5", "AP nDCG num_ret", "AP' bpref", "P@1"];
    let ranker = Ranker {
        order: *u.choose(&[Order::DocnoDesc, Order::DocnoAsc, Order::Input])?,
        precision: *u.choose(&[Precision::F32, Precision::F64])?,
        duplicates: *u.choose(&[
            Duplicates::First,
            Duplicates::Best,
            Duplicates::Place,
            Duplicates::Error,
        ])?,
        depth: *u.choose(&[None, None, Some(1), Some(7)])?,
        ..Ranker::default()
    };
    let measures = parse_list(u.choose(&measures)?).unwrap();
    let mut builder = Builder::new(&[]);
    for topic in [b"1", b"2"] {
        builder.topic(topic);
        for _ in 0..u.int_in_range(1..=if *topic == *b"1" { 3 } else { 40 })? {
            let grade = f64::from(u.int_in_range(-1..=2i8)?);
            // A document that is judged twice is judged.
            let _ = builder.add(topic, id(u)?.to_string().as_bytes(), grade, &[], 1);
        }
    }
    let options = Options { ranker, threads: Some(1), hosted: true, ..Options::default() };
    let evaluator = Evaluator::new(Arc::new(builder.finish(None)), &measures, options);
    let Ok(evaluator) = evaluator else { return Ok(()) };
    let padded = u.arbitrary()?;
    let (single, unsigned): (bool, bool) = (u.arbitrary()?, u.arbitrary()?);
    let sorted: bool = u.arbitrary()?;
    let mut lists = Vec::new();
    for _ in 0..2 {
        let (mut ids, mut scores) = (Vec::new(), Vec::new());
        for line in 0..u.int_in_range(0..=300usize)?.min(u.len()) {
            ids.push(id(u)?);
            scores.push(match u.int_in_range(0..=19u8)? {
                0 => *u.choose(SCORES)?,
                1..=5 => f64::from(u.arbitrary::<i8>()?) / 3.0,
                _ if sorted => -(line as f64),
                _ => f64::from(u.arbitrary::<i16>()?) / 7.0,
            });
        }
        lists.push((ids, scores));
    }
    let singles: Vec<Vec<f32>> =
        lists.iter().map(|(_, s)| s.iter().map(|&score| score as f32).collect()).collect();
    let positive: Vec<Vec<u64>> =
        lists.iter().map(|(ids, _)| ids.iter().map(|id| id.cast_unsigned()).collect()).collect();
    let list = |topic: usize| ListArrays {
        documents: if unsigned {
            IdColumn::U64(&positive[topic])
        } else {
            IdColumn::I64(&lists[topic].0)
        },
        scores: if single {
            ScoreColumn::F32(&singles[topic])
        } else {
            ScoreColumn::F64(&lists[topic].1)
        },
        ranks: None,
        padded,
        promise: Promise::default(),
    };
    let arrays = Arrays {
        name: "x",
        lists: vec![(&b"1"[..], list(0)), (&b"2"[..], list(1))],
        check: Check::Full,
    };
    let outcome = |input: Input| {
        let scores = evaluator.evaluate(&[input], &Arc::new(Monitor::default())).ok()?;
        Some(scores.values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>())
    };
    let lines = arrays.to_run().ok().and_then(|run| outcome(Input::Run(Arc::new(run))));
    // A score that is not finite is an error of both.
    assert_eq!(outcome(Input::Arrays(arrays)), lines);
    Ok(())
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let _ = checked(&mut Unstructured::new(bytes));
}
