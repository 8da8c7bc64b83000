//! A topic's list as `trec_eval` sees it, from which all its measures over
//! grades are computed.
//!
//! It differs from cranfield's view if the lowest relevant grade is negative:
//! then unjudged documents are hits, although none of them is among the
//! relevant documents R.

use std::sync::{Arc, OnceLock};

use super::catalogue::Quirks;
use super::program_options::ProgramOptions;
use crate::ideal::{Discount, Discounting};
use crate::measure::{Case, Measure};
use crate::qrels::{Qrels, Topic};
use crate::rank::Ranking;
use crate::trace::{Lens, Relevant, Trace, View};

/// `trec_eval`'s value of a document outside the pool.
pub const OUTSIDE: i64 = -1;
/// `trec_eval`'s value of a pooled document without a judgment.
pub const POOLED: i64 = -2;

/// What grades mean under the options, the same for all topics.
pub struct GradeRules {
    qrels: Arc<Qrels>,
    /// `-l`.
    pub min_grade: i64,
    /// `-N`.
    pub collection: i64,
    judged_only: bool,
    is_judged: Vec<bool>,
    lens: Lens,
    discount: Discount,
}

/// A topic's list.
pub struct TopicList<'a> {
    /// The rules for all topics.
    pub rules: &'a GradeRules,
    /// The topic.
    pub topic: &'a Topic,
    /// Its listed documents, best first.
    pub trace: Trace,
    /// The hits: documents whose value is at least `min_grade`.
    pub hits: View,
    /// The judged hits, if they differ.
    judged_hits: Option<View>,
}

/// A measure of the registry, and `trec_eval`'s exceptions for it.
#[derive(Clone, Debug)]
pub struct Ours {
    /// The measure.
    pub measure: Measure,
    /// Where `trec_eval` computes it in its own way.
    pub quirks: Quirks,
}

impl GradeRules {
    /// The rules of the options for these judgments.
    pub fn new(qrels: &Arc<Qrels>, options: &ProgramOptions) -> Self {
        let is_judged: Vec<bool> = qrels.grades().iter().map(|&grade| grade >= 0.0).collect();
        let is_hit = |&grade: &f64| grade >= 0.0 && grade >= options.min_grade as f64;
        let relevant = qrels.grades().iter().map(is_hit).collect();
        GradeRules {
            qrels: Arc::clone(qrels),
            min_grade: options.min_grade,
            collection: options.collection,
            judged_only: options.judged_only,
            is_judged,
            lens: Lens { condensed: false, relevant },
            discount: Discount::new(Discounting::Log2),
        }
    }

    /// A topic by its position.
    pub fn topic(&self, position: usize) -> &Topic {
        &self.qrels.topics()[position]
    }

    /// The grade at an index.
    pub fn grade(&self, grade_index: u32) -> i64 {
        self.qrels.grades()[grade_index as usize] as i64
    }

    /// The divisor of a gain at a rank.
    pub fn discount(&self, rank: u32) -> f64 {
        self.discount.divisor(rank)
    }

    /// The logarithm to base 2.
    pub fn log2(&self, value: f64) -> f64 {
        self.discount.log2(value)
    }

    /// Whether a grade counts as judged.
    pub fn is_judged(&self, grade_index: u32) -> bool {
        self.is_judged[grade_index as usize]
    }

    /// Looks at a list.
    pub fn look<'a>(&'a self, topic: &'a Topic, ranking: &Ranking) -> TopicList<'a> {
        let mut trace =
            Trace { records: Vec::with_capacity(ranking.hits.len()), ..Trace::default() };
        trace.write(ranking, topic, &self.is_judged, false);
        if self.judged_only {
            trace.records.retain(|hit| hit.condensed > 0);
            trace.records.iter_mut().for_each(|hit| hit.rank = hit.condensed);
            trace.retrieved = trace.judged;
        }
        let mut hits = View::default();
        hits.write(&trace, topic, &self.is_judged, &self.lens);
        let mut seen = TopicList { rules: self, topic, trace, hits, judged_hits: None };
        if self.min_grade <= OUTSIDE {
            seen.take_in_unjudged();
        }
        seen
    }
}

impl TopicList<'_> {
    /// Adds unjudged documents to the hits.
    fn take_in_unjudged(&mut self) {
        let judged_hits = self.hits.clone();
        self.hits.relevant.clear();
        for (rank, value, grade_index) in self.values() {
            if value >= self.rules.min_grade {
                let seen = self.hits.relevant.len() as u32 + 1;
                let (nonrelevant, pooled) = (0, 0);
                self.hits.relevant.push(Relevant { rank, seen, nonrelevant, pooled, grade_index });
            }
        }
        self.judged_hits = Some(judged_hits);
    }

    /// Every document of the list: rank, value and grade index.
    pub fn values(&self) -> Vec<(u32, i64, u32)> {
        let mut listed = self.trace.records.iter().peekable();
        let value = |rank| match listed.next_if(|hit| hit.rank == rank) {
            Some(hit) => (rank, self.value(hit.grade_index), hit.grade_index),
            None => (rank, OUTSIDE, 0),
        };
        (1..=self.trace.retrieved).map(value).collect()
    }

    /// `trec_eval`'s value of the documents with a grade.
    pub fn value(&self, grade_index: u32) -> i64 {
        if self.rules.is_judged(grade_index) { self.rules.grade(grade_index) } else { POOLED }
    }

    /// The hits that are judged.
    fn judged_hits(&self) -> &View {
        self.judged_hits.as_ref().unwrap_or(&self.hits)
    }

    /// `num_ret`.
    pub fn num_ret(&self) -> f64 {
        f64::from(self.trace.retrieved)
    }

    /// `num_rel`: R.
    pub fn num_rel(&self) -> f64 {
        f64::from(self.hits.num_rel)
    }

    /// `num_rel_ret`.
    pub fn num_rel_ret(&self) -> u32 {
        self.judged_hits().relevant.len() as u32
    }

    /// `num_nonrel_judged_ret`. Without `-J` unjudged documents are subtracted;
    /// with it there are none.
    pub fn num_nonrel_judged_ret(&self) -> f64 {
        f64::from(self.trace.judged) - f64::from(self.num_rel_ret())
    }

    /// Unjudged documents among the first `cutoff`.
    pub fn unjudged(&self, cutoff: i64) -> f64 {
        let cutoff = u32::try_from(cutoff).unwrap_or(u32::MAX).min(self.trace.retrieved);
        let judged =
            self.trace.records.iter().filter(|hit| hit.condensed > 0 && hit.rank <= cutoff);
        f64::from(cutoff) - judged.count() as f64
    }

    /// Hits among the first `cutoff`.
    pub fn hits_above(&self, cutoff: i64) -> f64 {
        let within = |hit: &Relevant| i64::from(hit.rank) <= cutoff;
        self.hits.relevant.partition_point(within) as f64
    }

    /// The value of a measure of the registry on this list.
    pub fn ours(&self, Ours { measure, quirks }: &Ours) -> f64 {
        let (ideal, served) = (OnceLock::new(), OnceLock::new());
        let case = Case::new(
            self.topic,
            &self.trace,
            if quirks.judged_hits { self.judged_hits() } else { &self.hits },
            &self.rules.lens.relevant,
            &self.rules.discount,
            &ideal,
            &served,
        );
        let value = measure.score(&case);
        let zero =
            (value.is_nan() && !quirks.keeps_nan) || (value.is_infinite() && !quirks.unguarded);
        // Adding zero turns minus zero, the sum of nothing, into zero.
        if zero { 0.0 } else { value + 0.0 }
    }
}
