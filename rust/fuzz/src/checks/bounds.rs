//! Bounds under missing judgments against brute force.

use std::sync::OnceLock;

use crate::brute::{Judgments, brute_force, measures};
use crate::common;
use arbitrary::{Result, Unstructured};
use cranfield_core::bounds::Question;
use cranfield_core::measure::{Bounds, Gain, Measure};

fn checked(u: &mut Unstructured) -> Result<()> {
    static ALL: OnceLock<Vec<Measure>> = OnceLock::new();
    let all = ALL.get_or_init(measures);
    let top = f64::from(u.int_in_range(1..=2u8)?);
    let grades: Vec<f64> = (0..=top as u8).map(f64::from).collect();
    let mut judgments = Judgments::new();
    let mut ranking = Vec::new();
    for document in 0..u.int_in_range(0..=6u8)? {
        let id = format!("d{document}");
        judgments.insert(id.clone(), *u.choose(&grades)?);
        if u.ratio(3, 4)? {
            ranking.insert(u.int_in_range(0..=ranking.len())?, id);
        }
    }
    for document in 0..u.int_in_range(0..=3u8)? {
        let id = format!("u{document}");
        if u.ratio(1, 3)? {
            judgments.insert(id.clone(), -1.0);
        }
        ranking.insert(u.int_in_range(0..=ranking.len())?, id);
    }
    // The scale is known: somewhere a document has the highest grade.
    judgments.insert("top".into(), top);
    let asked: Vec<Measure> = (0..3)
        .map(|_| u.choose(all).cloned())
        .collect::<Result<Vec<Measure>>>()?
        .into_iter()
        .filter(|m| !(m.bounds() == Bounds::SortedIfBinary && top > 1.0 && m.gain == Gain::Grade))
        .collect();
    let question = Question { max_grade: Some(top), ..Question::default() };
    let found = common::bounded(&asked, &judgments, &ranking, Some(50), &question).unwrap();
    let asked = common::known(&found.low);
    let expected = brute_force(&asked, &judgments, &ranking, &grades, 0);
    for (i, measure) in asked.iter().enumerate() {
        let (low, high) = (found.low.values[i], found.high.values[i]);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0);
        assert!(
            close(low, expected[i].0) && close(high, expected[i].1),
            "{measure}: [{low}, {high}], by brute force {:?}, for {ranking:?} under {judgments:?}",
            expected[i]
        );
    }
    Ok(())
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let _ = checked(&mut Unstructured::new(bytes));
}
