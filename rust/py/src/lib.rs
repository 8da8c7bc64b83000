//! The boundary between Python and the core: conversion and nothing else.
//!
//! `inputs`, `rows`, `arrays` and `frames` turn Python objects into the core's, `columns`
//! holds those that stay where they are; `measures`, `data` and
//! `evaluator` show the core's objects to Python, `outputs` its scores;
//! `errors` is the one place where a core error becomes a Python one. No
//! arithmetic and no policy is here. The interpreter is released around
//! everything that takes longer than a conversion.

#![allow(clippy::needless_pass_by_value, reason = "arguments arrive owned from Python")]
#![allow(clippy::doc_markdown, reason = "docstrings are not Markdown")]

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A docstring of the stubs: `Class` or `Class.method`.
macro_rules! stub {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

mod errors;
mod dict;
mod names;
mod given;
mod inputs;
mod rows;
mod columns;
mod arrays;
mod frames;
mod measures;
mod data;
mod outputs;
mod pickled;
mod evaluator;
mod collection;
mod stats_correlation;
mod stats_paired;
mod trec_eval;
mod watch;
mod pytrec_eval;

use cranfield_core::read::run::Layout;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The compiled core of cranfield.
#[pymodule]
mod _core {
    use super::{Bound, Layout, PyModule, PyModuleMethods, PyResult, PyTuple};

    #[pymodule_export]
    use super::collection::{
        common_grades, document_ranks, merged, pooled_to_depth, reduced, sampled_collection,
        without_group,
    };
    #[pymodule_export]
    use super::data::{Limits, Qrels, Run};
    #[pymodule_export]
    use super::errors::Error;
    #[pymodule_export]
    use super::evaluator::{Evaluator, Ranked};
    #[pymodule_export]
    use super::inputs::scores_of_dicts;
    #[pymodule_export]
    use super::measures::{Measure, OpaqueMeasure, families, forms, parse_measures, spellings};
    #[pymodule_export]
    use super::outputs::{Notes, Scores, number_texts};
    #[pymodule_export]
    use super::pickled::{
        checksum, unpickled_limits, unpickled_measure, unpickled_notes, unpickled_qrels,
        unpickled_run, unpickled_scores,
    };
    #[pymodule_export]
    use super::stats_correlation::{
        correlation_matrix, fisher_interval, fleiss_kappa, kappa, kendall, krippendorff_alpha,
        max_drop, normal_interval, pearson, rbo, rms_error, spearman, tau_ap,
    };

    #[pymodule_export]
    use super::stats_paired::{
        bootstrap_intervals, correct_pvalues, drawn_topics, paired_bootstrap, paired_moments,
        paired_randomization, paired_randomized_tukey, paired_sign, paired_t, paired_tukey,
        paired_wilcoxon, range_isf, range_sf, rank_intervals, required_differences,
        residual_variance, t_intervals,
    };

    #[pymodule_export]
    use super::pytrec_eval::{RelevanceEvaluator, trec_eval_nicknames};
    #[pymodule_export]
    use super::trec_eval::{captured_trec_eval, run_trec_eval};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module
            .add("RUN_LAYOUTS", PyTuple::new(module.py(), Layout::names().collect::<Vec<_>>())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
