//! Where the judged documents of lists are: for curves, and for measures that
//! are functions of the caller.

use std::sync::{Arc, Mutex, PoisonError};

use super::evaluator::Evaluator;
use super::input::Input;
use super::kernel::{Cell, Kernel, Workspace};
use super::monitor::Monitor;
use crate::error::Result;
use crate::rank::Ranking;
use crate::trace::Trace;

/// The relevant documents of a topic in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many documents the list has.
    pub retrieved: u32,
    /// R: how many documents are relevant, in the list or not.
    pub num_rel: u32,
    /// The ranks of those in the list, ascending.
    pub ranks: Vec<u32>,
}

/// The judged documents of the lists of a run, one topic of the judgments after
/// the other: what measures that are functions of the caller see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedLists {
    /// Where each topic's documents begin, and where the last one's end.
    pub offsets: Vec<usize>,
    /// The rank of each document in its list, ascending.
    pub ranks: Vec<u32>,
    /// Its grade.
    pub grades: Vec<f64>,
    /// How many documents each list has; `None` for a topic that is left out.
    pub retrieved: Vec<Option<u32>>,
}

impl Evaluator {
    /// Where the relevant documents of a run are, in the sense of the first
    /// measure: for each topic in order what was retrieved, how many are
    /// relevant and the ranks of those in the list. What curves are drawn from.
    pub fn relevant_ranks(&self, input: &Input, monitor: &Arc<Monitor>) -> Result<Vec<Found>> {
        let found = Mutex::new(vec![Found::default(); self.qrels().topics().len()]);
        let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, _: &mut [f64]| {
            self.each_case(cell.topic, ranking, workspace, |case, _, i| {
                if i == 0 {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found[cell.topic] = Found {
                        retrieved: case.retrieved(),
                        num_rel: case.view.num_rel,
                        ranks: case.relevant(u32::MAX).iter().map(|d| d.rank).collect(),
                    };
                }
                Ok(())
            })
        };
        let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
        self.each_run(std::slice::from_ref(input), &kernel, monitor)?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The judged documents of each list, run by run.
    pub fn judged_lists(
        &self,
        inputs: &[Input],
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<JudgedLists>> {
        let topics = self.qrels().topics();
        let kept: Vec<Mutex<Vec<Option<Trace>>>> =
            inputs.iter().map(|_| Mutex::new(vec![None; topics.len()])).collect();
        let fill = |cell: Cell, ranking: &Ranking, _: &mut Workspace, _: &mut [f64]| {
            let mut trace = Trace::default();
            trace.write(ranking, &topics[cell.topic], self.judged_grades(), false);
            let mut kept = kept[cell.run].lock().unwrap_or_else(PoisonError::into_inner);
            kept[cell.topic] = Some(trace);
            Ok(())
        };
        let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
        self.each_run(inputs, &kernel, monitor)?;
        let of_run = |traces: Mutex<Vec<Option<Trace>>>| {
            let traces = traces.into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut lists = JudgedLists { offsets: vec![0], ..JudgedLists::default() };
            for trace in traces {
                let hits = trace.iter().flat_map(|trace| &trace.records);
                for hit in hits.filter(|hit| hit.condensed > 0) {
                    lists.ranks.push(hit.rank);
                    lists.grades.push(self.qrels().grades()[hit.grade_index as usize]);
                }
                lists.offsets.push(lists.ranks.len());
                lists.retrieved.push(trace.map(|trace| trace.retrieved));
            }
            lists
        };
        Ok(kept.into_iter().map(of_run).collect())
    }
}
