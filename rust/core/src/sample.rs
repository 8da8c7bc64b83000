//! Judgments of a sample of the pool, and estimates for the whole pool.
//!
//! A stratified sample gives each pooled document a stratum and judges a part
//! of each; other samples record for each judged document the probability with
//! which it was drawn. Either way a judged document stands for a number of pooled
//! ones, its weight: the Horvitz-Thompson estimate of a sum over the pool is
//! the weighted sum over the sample.

use crate::qrels::Topic;

/// How the judged documents were sampled.
#[derive(Clone, Copy, Debug)]
pub enum Design<'a> {
    /// The stratum of each document of the topic.
    Strata(&'a [f64]),
    /// The probability of each document to be judged.
    Inclusion(&'a [f64]),
}

/// The estimates for a topic's pool from its sample.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    strata: Vec<Stratum>,
    stratum_of: Vec<u32>,
    weights: Vec<f64>,
    counts: Vec<(u32, f64)>,
}

/// The sample of a pool that was not sampled.
pub static NONE: Sample =
    Sample { strata: Vec::new(), stratum_of: Vec::new(), weights: Vec::new(), counts: Vec::new() };

/// A stratum: a part of the pool that was sampled at one rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stratum {
    /// How many documents it has.
    pub pooled: u32,
    /// How many of them were judged.
    pub judged: u32,
}

impl Stratum {
    /// The estimated number of pooled documents for a number of judged ones.
    fn estimate(self, judged: u32) -> f64 {
        f64::from(judged) * f64::from(self.pooled) / f64::from(self.judged)
    }
}

/// An estimated number of documents, rounded half up. A sum of quotients that
/// should be exactly a half can be off by a few bits.
pub fn whole(estimate: f64) -> u32 {
    (estimate + 0.5 + 1e-9).floor() as u32
}

impl Sample {
    /// The sample of a topic; `is_judged` says for each grade index whether its
    /// documents count as judged.
    pub fn new(topic: &Topic, design: Design, is_judged: &[bool]) -> Sample {
        match design {
            Design::Strata(strata) => Sample::stratified(topic, strata, is_judged),
            Design::Inclusion(probabilities) => Sample::drawn(topic, probabilities, is_judged),
        }
    }

    fn stratified(topic: &Topic, column: &[f64], is_judged: &[bool]) -> Sample {
        let mut names: Vec<f64> = topic.judgments().map(|(number, ..)| column[number]).collect();
        names.sort_by(f64::total_cmp);
        names.dedup();
        let mut sample = Sample {
            strata: vec![Stratum::default(); names.len()],
            stratum_of: vec![0; column.len()],
            weights: vec![0.0; column.len()],
            counts: Vec::new(),
        };
        // The number of judged documents of each grade and stratum.
        let mut cells: Vec<(u32, u32)> = Vec::new();
        for (number, _, grade_index) in topic.judgments() {
            let stratum = names.partition_point(|name| *name < column[number]);
            sample.stratum_of[number] = stratum as u32;
            sample.strata[stratum].pooled += 1;
            if is_judged[grade_index as usize] {
                sample.strata[stratum].judged += 1;
                cells.push((grade_index, stratum as u32));
            }
        }
        for (number, _, grade_index) in topic.judgments() {
            if is_judged[grade_index as usize] {
                let stratum = sample.strata[sample.stratum_of[number] as usize];
                sample.weights[number] = stratum.estimate(1);
            }
        }
        cells.sort_unstable();
        for same in cells.chunk_by(|a, b| a == b) {
            let (grade_index, stratum) = same[0];
            let estimate = sample.strata[stratum as usize].estimate(same.len() as u32);
            sample.count(grade_index, estimate);
        }
        sample
    }

    fn drawn(topic: &Topic, probabilities: &[f64], is_judged: &[bool]) -> Sample {
        let mut weights = vec![0.0; probabilities.len()];
        let mut judged: Vec<(u32, usize)> = Vec::new();
        for (number, _, grade_index) in topic.judgments() {
            if is_judged[grade_index as usize] {
                weights[number] = 1.0 / probabilities[number];
                judged.push((grade_index, number));
            }
        }
        judged.sort_unstable();
        let mut sample = Sample { weights, ..Sample::default() };
        for (grade_index, number) in judged {
            sample.count(grade_index, sample.weights[number]);
        }
        sample
    }

    fn count(&mut self, grade_index: u32, estimate: f64) {
        match self.counts.last_mut() {
            Some((last, sum)) if *last == grade_index => *sum += estimate,
            _ => self.counts.push((grade_index, estimate)),
        }
    }

    /// The strata, in order of their numbers; none when the sample is not
    /// stratified.
    pub fn strata(&self) -> &[Stratum] {
        &self.strata
    }

    /// The position of a document's stratum.
    #[inline]
    pub fn stratum_of(&self, document: usize) -> usize {
        self.stratum_of[document] as usize
    }

    /// How many documents of the pool a judged document stands for.
    #[inline]
    pub fn weight(&self, document: usize) -> f64 {
        self.weights[document]
    }

    /// Each judged grade index with the estimated number of its documents in the
    /// pool, ascending.
    pub fn counts(&self) -> &[(u32, f64)] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qrels::Builder;

    #[test]
    fn strata_are_extrapolated_and_probabilities_inverted() {
        let mut builder = Builder::new(&["stratum", "inclusion"]);
        for (document, grade, stratum, inclusion) in [
            ("a", 1.0, 7.0, 0.5),
            ("b", 0.0, 7.0, 1.0),
            ("c", 1.0, 9.0, 0.25),
            ("d", -1.0, 9.0, 0.5),
            ("e", -1.0, 9.0, 0.5),
        ] {
            builder.add(b"1", document.as_bytes(), grade, &[stratum, inclusion], 1).unwrap();
        }
        let qrels = builder.finish(None);
        let topic = &qrels.topics()[0];
        let is_judged = [false, true, true];
        let column = |position| topic.column(position).unwrap();
        let stratified = Sample::new(topic, Design::Strata(column(0)), &is_judged);
        let strata = [(2, 2), (3, 1)].map(|(pooled, judged)| Stratum { pooled, judged });
        assert_eq!(stratified.strata(), strata);
        assert_eq!(stratified.counts(), [(1, 1.0), (2, 1.0 + 3.0)]);
        assert_eq!([0, 1, 2, 3].map(|d| stratified.weight(d)), [1.0, 1.0, 3.0, 0.0]);
        let drawn = Sample::new(topic, Design::Inclusion(column(1)), &is_judged);
        assert_eq!(drawn.counts(), [(1, 1.0), (2, 2.0 + 4.0)]);
        assert_eq!(drawn.strata(), []);
    }
}
