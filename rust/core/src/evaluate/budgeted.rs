//! Measures cut by a budget: the same measures of the part of each list that the budget affords.

use std::sync::Arc;

use super::compile::{CompiledMeasures, Workspace, with_rel};
use super::options::Options;
use super::prefixed::PrefixedMeasures;
use crate::costs::{Budget, Unit};
use crate::error::Result;
use crate::measure::{Measure, Over};
use crate::qrels::Qrels;
use crate::rank::Ranking;

/// Measures with one budget.
pub(super) struct BudgetedMeasures {
    budget: Budget,
    options: Options,
    /// Those over documents.
    compiled: CompiledMeasures,
    /// The others.
    prefixed: Vec<PrefixedMeasures>,
}

impl BudgetedMeasures {
    /// Those of the measures that have a budget.
    pub(super) fn of_all(
        qrels: &Arc<Qrels>,
        options: Options,
        measures: &[Measure],
    ) -> Result<Vec<BudgetedMeasures>> {
        let mut budgets: Vec<Budget> = Vec::new();
        for budget in measures.iter().filter_map(|measure| measure.budget) {
            if !budgets.contains(&budget) {
                budgets.push(budget);
            }
        }
        let of = |budget| BudgetedMeasures::new(qrels, options, measures, budget);
        budgets.into_iter().map(of).collect()
    }

    fn new(
        qrels: &Arc<Qrels>,
        options: Options,
        measures: &[Measure],
        budget: Budget,
    ) -> Result<BudgetedMeasures> {
        let mut compiled = CompiledMeasures::new(Arc::clone(qrels), options.negative, None);
        let own = || measures.iter().enumerate().filter(|(_, m)| m.budget == Some(budget));
        for (place, measure) in own().filter(|(_, measure)| measure.over == Over::Documents) {
            compiled.add(&with_rel(measure, options.rel), place)?;
        }
        compiled.finish()?;
        let prefixed = PrefixedMeasures::of_all(qrels, options, own())?;
        Ok(BudgetedMeasures { budget, options, compiled, prefixed })
    }

    /// What is counted.
    pub(super) fn unit(&self) -> Unit {
        self.budget.unit
    }

    /// The topics in which a measure finds nothing relevant.
    pub(super) fn without_relevant(&self) -> Vec<Box<[u8]>> {
        let prefixed = self.prefixed.iter().flat_map(PrefixedMeasures::without_relevant);
        self.compiled.without_relevant().into_iter().chain(prefixed).collect()
    }

    /// The values of a ranked topic.
    pub(super) fn score(
        &self,
        position: usize,
        ranking: &Ranking,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Result<()> {
        let id = self.compiled.qrels.topics()[position].id();
        let affordable = ranking.affordable(self.budget, id)?;
        let mut first = std::mem::take(&mut workspace.first);
        first.copy_first(ranking, affordable);
        let undefined = self.options.undefined;
        self.compiled.each_case(position, &first, workspace, |case, measure, i| {
            let defined = case.view.num_rel > 0;
            out[i] = undefined.settle(measure.score(case), defined, measure, id)?;
            Ok(())
        })?;
        let mut prefixed = self.prefixed.iter();
        prefixed.try_for_each(|prefixed| prefixed.score(position, &first, workspace, out))?;
        workspace.first = first;
        Ok(())
    }
}
