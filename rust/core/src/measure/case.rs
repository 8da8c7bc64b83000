//! What a fold sees of a topic.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::hash::SeededHasher;
use crate::ideal::{Discount, Ideal};
use crate::intents::Intents;
use crate::qrels::Topic;
use crate::rank::Hit;
use crate::sample::{self, Sample, whole};
use crate::trace::{Record, Relevant, Trace, View};

/// What the best possible list of a family is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Best {
    /// The judged documents.
    Judged,
    /// As many documents as the sample lets expect of each grade.
    Sampled,
    /// What a greedy choice makes of the documents, for the intents that are
    /// left: alpha, and the lowest grade that serves one.
    Greedy {
        /// The probability that a relevant document has served an intent.
        alpha: f64,
        /// The lowest grade of a relevant document.
        rel: f64,
    },
}

/// What a fold sees: one topic's list through the measure's lens, and what
/// the judgments say of the topic.
pub struct Case<'a> {
    /// The list and its relevant documents.
    pub view: &'a View,
    /// All documents of the list that the judgments know.
    pub trace: &'a Trace,
    /// Whether the list is condensed.
    pub condensed: bool,
    /// The gain of each grade.
    pub gains: &'a [f64],
    /// The highest gain of the collection, before the family's own rule.
    pub top_gain: f64,
    /// Which grades are relevant.
    pub relevant_grades: &'a [bool],
    /// The topic's judgments.
    pub topic: &'a Topic,
    /// The documents of the list that the judgments know.
    pub listed: &'a [Hit],
    /// The lasting hashes of all documents that the judgments of any topic name,
    /// if a measure asks for them.
    pub named: Option<&'a HashSet<u64, SeededHasher>>,
    /// What the sample says of the pool, if the family needs one.
    pub sample: &'a Sample,
    /// What the best possible list is made of.
    pub best: &'a Best,
    /// Which grades count as judged.
    pub is_judged: &'a [bool],
    /// The topic's best possible list, once it was asked for.
    pub kept_ideal: &'a OnceLock<Ideal>,
    /// How many documents serve each intent, once it was asked for.
    pub kept_served: &'a OnceLock<Box<[u32]>>,
    /// The discount of the ranks.
    pub discount: &'a Discount,
    /// How many documents the collection has.
    pub docs_in_collection: Option<u64>,
    /// What documents cost to read, if the judgments say so; NaN where they
    /// do not.
    pub costs: Option<&'a [f64]>,
    /// Whether the list is scored for an intent that wants one document.
    pub navigational: bool,
}

impl<'a> Case<'a> {
    /// A topic's list by its grades alone: without gains, columns of the
    /// judgments or other topics.
    pub fn new(
        topic: &'a Topic,
        trace: &'a Trace,
        view: &'a View,
        relevant_grades: &'a [bool],
        discount: &'a Discount,
        kept_ideal: &'a OnceLock<Ideal>,
        kept_served: &'a OnceLock<Box<[u32]>>,
    ) -> Case<'a> {
        Case {
            view,
            trace,
            condensed: false,
            gains: &[],
            top_gain: 0.0,
            relevant_grades,
            topic,
            listed: &[],
            named: None,
            sample: &sample::NONE,
            best: &Best::Judged,
            is_judged: &[],
            kept_ideal,
            kept_served,
            discount,
            docs_in_collection: None,
            costs: None,
            navigational: false,
        }
    }
}

impl Case<'_> {
    /// R, the number of documents judged relevant.
    #[inline]
    pub fn num_rel(&self) -> f64 {
        f64::from(self.view.num_rel)
    }

    /// N, the number of documents judged and not relevant.
    #[inline]
    pub fn num_nonrel(&self) -> f64 {
        f64::from(self.view.num_nonrel)
    }

    /// The length of the list.
    #[inline]
    pub fn retrieved(&self) -> u32 {
        self.view.retrieved
    }

    /// The relevant documents among the first `k`.
    #[inline]
    pub fn relevant(&self, k: u32) -> &[Relevant] {
        let all = &self.view.relevant;
        if k >= self.view.retrieved {
            return all;
        }
        &all[..all.partition_point(|document| document.rank <= k)]
    }

    /// The number of relevant documents among the first `k`.
    #[inline]
    pub fn hits(&self, k: u32) -> f64 {
        self.relevant(k).len() as f64
    }

    /// The gain of a relevant document.
    #[inline]
    pub fn gain(&self, document: &Relevant) -> f64 {
        self.gains[document.grade_index as usize]
    }

    /// The best possible list, made at the first call for the topic and shared
    /// by all runs and threads.
    pub fn ideal(&self) -> &Ideal {
        self.kept_ideal.get_or_init(|| {
            let gain = |grade_index: u32| self.gains[grade_index as usize];
            match self.best {
                Best::Judged => {
                    let counts = self.topic.counts().iter();
                    Ideal::new(counts.map(|of| (gain(of.grade_index), of.count)), self.discount)
                }
                Best::Sampled => {
                    let counts = self.sample.counts().iter();
                    Ideal::new(
                        counts.map(|&(grade_index, n)| (gain(grade_index), whole(n))),
                        self.discount,
                    )
                }
                Best::Greedy { alpha, rel } => {
                    let docs = self.topic.docs();
                    let documents =
                        self.judged_documents().map(|number| (number, docs.key(number)));
                    Ideal::in_order(self.intents().greedy(documents, *alpha, *rel), self.discount)
                }
            }
        })
    }

    /// The documents among the first `k` that the judgments know, for measures
    /// that look them up in the columns; on a condensed list the judged ones.
    pub fn known(&self, k: u32) -> impl Iterator<Item = KnownDocument> {
        let grade_indices = self.topic.grade_column();
        let numbers = self.listed.iter().map(|hit| hit.document);
        // The trace leaves out what these judgments do not list.
        let numbers = numbers.filter(|&number| grade_indices.get(number).is_some());
        let condensed = self.condensed;
        let known = numbers
            .zip(&self.trace.records)
            .filter(move |(_, hit)| !condensed || hit.condensed > 0);
        known
            .map(move |(number, hit)| KnownDocument {
                rank: if condensed { hit.condensed } else { hit.rank },
                number: number as usize,
                grade_index: hit.grade_index,
                judged: hit.condensed > 0,
            })
            .take_while(move |document| document.rank <= k)
    }

    /// The grades of the documents under each intent.
    pub fn intents(&self) -> &Intents {
        self.topic.intents()
    }

    /// How many judged documents, retrieved or not, are relevant under each
    /// intent by the measure's `rel`: counted at the first call for the topic
    /// and shared by all runs and threads.
    pub fn served(&self, rel: f64) -> &[u32] {
        let count = || self.intents().counts(self.judged_documents(), rel).into();
        self.kept_served.get_or_init(count)
    }

    /// The numbers of the judged documents, retrieved or not.
    pub fn judged_documents(&self) -> impl Iterator<Item = u32> {
        let judged = |grade_index: u32| self.is_judged[grade_index as usize];
        self.topic
            .grade_column()
            .listed()
            .filter(move |&(_, grade_index)| judged(grade_index))
            .map(|(number, _)| number)
    }

    /// The numbers of the judged documents among the first `k`.
    pub fn first_judged(&self, k: u32) -> impl Iterator<Item = u32> {
        self.known(k).filter(|known| known.judged).map(|known| known.number as u32)
    }

    /// Whether the documents of a grade are relevant.
    pub fn is_relevant(&self, grade_index: usize) -> bool {
        self.relevant_grades[grade_index]
    }

    /// The judged documents among the first `k`, with their ranks.
    pub fn judged(&self, k: u32) -> impl Iterator<Item = (u32, &Record)> {
        let judged = self.trace.records.iter().filter(|hit| hit.condensed > 0);
        let condensed = self.condensed;
        judged
            .map(move |hit| (if condensed { hit.condensed } else { hit.rank }, hit))
            .take_while(move |&(rank, _)| rank <= k)
    }
}

/// A document of the list that the judgments know.
#[derive(Clone, Copy, Debug)]
pub struct KnownDocument {
    /// Its rank in the list, from 1.
    pub rank: u32,
    /// Its number in the topic's table.
    pub number: usize,
    /// The index of its grade.
    pub grade_index: u32,
    /// Whether it was judged, and not only pooled.
    pub judged: bool,
}
