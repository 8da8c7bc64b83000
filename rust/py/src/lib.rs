//! The boundary between Python and the core: conversion and nothing else.
//!
//! `from_dict`, `from_rows`, `from_numpy` and `from_arrow` turn Python objects into the core's,
//! `tables` reads tables of text;
//! `columns` has runs that stay in borrowed arrays, `dict` reads dicts in place. `qrels`, `run`,
//! `measures`, `evaluator` and `scores` are the classes that Python sees, `codec` their pickles.
//! `errors` turns core errors into Python exceptions. No arithmetic and no policy is here. The
//! interpreter is released around everything that takes longer than a conversion.

#![allow(clippy::needless_pass_by_value, reason = "arguments arrive owned from Python")]
#![allow(clippy::doc_markdown, reason = "docstrings are not Markdown")]

/// A docstring of the stubs: `Class` or `Class.method`.
macro_rules! stub {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

mod allocator;
mod errors;
mod values;
mod checks;
mod ids;
mod options;
mod source;
mod arriving;
mod codec;
mod dict;
mod columns;
mod from_dict;
mod from_rows;
mod from_lists;
mod from_numpy;
mod from_arrow;
mod groups;
mod limits;
mod engines;
mod ratings;
mod record_rows;
mod qrels;
mod small_files;
mod run;
mod tables;
mod measures;
mod evaluating;
mod registry;
mod scores;
mod score_files;
mod paired_rows;
mod records;
mod answers;
mod difference;
mod judged_lists;
mod ranked;
mod input;
mod watch;
mod evaluator;
mod span_texts;
mod spans;
mod list;
mod collection;
mod deviations;
mod identify;
mod stats;
mod trec_eval;
mod pytrec_eval;
mod output;
mod headers;
mod parsing;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The compiled core of cranfield.
#[pymodule(gil_used = false)]
mod _core {
    use super::{Bound, PyDict, PyDictMethods, PyModule, PyModuleMethods, PyResult, PyTuple};

    #[pymodule_export]
    use super::answers::{
        AnswerLabels, answered, assigned_nuggets, battle_of, cited_sentences, judge_citation,
        judged_criteria, nuggets_of_bank, support_number, supported_sentences,
    };
    #[pymodule_export]
    use super::arriving::{TextLines, Unpacked, check_interrupt, is_packed};
    #[pymodule_export]
    use super::checks::{flag, hashable, number, shown, text, whole};
    #[pymodule_export]
    use super::codec::checksum;
    #[pymodule_export]
    use super::collection::{
        check_ids, common_grades, document_ranks, folded, in_collection, merged, pooled_to_depth,
        reduced, remarks, sampled_collection, without_group,
    };
    #[pymodule_export]
    use super::deviations::{conventions, deviating, explanations};
    #[pymodule_export]
    use super::dict::cpython::reads_dicts_in_place;
    #[pymodule_export]
    use super::difference::{exact_recall, without_each};
    #[pymodule_export]
    use super::engines::rated;
    #[pymodule_export]
    use super::errors::Error;
    #[pymodule_export]
    use super::evaluating::evaluating_options;
    #[pymodule_export]
    use super::evaluator::Evaluator;
    #[pymodule_export]
    use super::from_dict::scores_of_dicts;
    #[pymodule_export]
    use super::groups::grouped;
    #[pymodule_export]
    use super::headers::{
        DamagedHeaderError, arrow_blocks, arrow_next_batch, arrow_unpacked, parquet_row_groups,
        parquet_rows,
    };
    #[pymodule_export]
    use super::identify::{Search, granularity, single_deviations, tried_options};
    #[pymodule_export]
    use super::judged_lists::{JudgedGrades, JudgedLists, SeenLists};
    #[pymodule_export]
    use super::limits::{Expansion, Limits, unpickled_limits};
    #[pymodule_export]
    use super::list::ListScorer;
    #[pymodule_export]
    use super::measures::{Measure, OpaqueMeasure, parse_measures, unpickled_measure};
    #[pymodule_export]
    use super::output::{table_parts, write_file};
    #[pymodule_export]
    use super::paired_rows::paired_rows;
    #[pymodule_export]
    use super::parsing::{check_json, parse_lines};
    #[pymodule_export]
    use super::pytrec_eval::{
        RelevanceEvaluator, c_int, judged_topics, measure_numbers, trec_eval_nicknames,
    };
    #[pymodule_export]
    use super::qrels::{Qrels, unpickled_qrels};
    #[pymodule_export]
    use super::ranked::Ranked;
    #[pymodule_export]
    use super::record_rows::{check_nested, is_dataset, is_hit, is_row, is_table, row_columns};
    #[pymodule_export]
    use super::records::ScoreCells;
    #[pymodule_export]
    use super::registry::{families, forms, refusals, spellings};
    #[pymodule_export]
    use super::run::{Run, joined_runs, unpickled_run};
    #[pymodule_export]
    use super::scores::{
        Notes, Scores, findings, number_texts, run_findings, unpickled_notes, unpickled_scores,
    };
    #[pymodule_export]
    use super::small_files::{document_values, field_rows, intent_values};
    #[pymodule_export]
    use super::spans::{
        SpanEvaluator, SpanQrels, SpanRun, chunk_lengths, chunk_table, converted_spans, highlights,
        run_of_chunks, splitter, unpickled_span_qrels, unpickled_span_run,
    };
    #[pymodule_export]
    use super::stats::battles::{
        battle_covariance, battle_parts, battle_rates, battle_resamples, battle_strengths,
        count_battles, topic_battle_resamples, topic_battle_sums,
    };
    #[pymodule_export]
    use super::stats::compared::{compared_pairs, judging_plan, system_differences};
    #[pymodule_export]
    use super::stats::correlation::{
        correlation_matrix, fisher_interval, fleiss_kappa, kappa, kendall, krippendorff_alpha,
        max_drop, normal_interval, pearson, rbo, rms_error, spearman, tau_ap, tau_gap,
    };
    #[pymodule_export]
    use super::stats::judges::{
        judged_twice, ordered_twice, taus_of_resamples, tied_ranks, topic_counts,
    };
    #[pymodule_export]
    use super::stats::orders::{
        abstention_areas, borda, citation_support, condorcet_winner, copeland, letter_groups,
        list_confidence, mean_of_strata, nugget_recall, one_click, rubric_score,
    };
    #[pymodule_export]
    use super::stats::paired::{
        bootstrap_intervals, correct_pvalues, drawn_topics, margin_verdicts, paired_bootstrap,
        paired_max_t, paired_moments, paired_randomization, paired_randomized_tukey, paired_sign,
        paired_t, paired_tukey, paired_wilcoxon, range_isf, range_sf, rank_intervals,
        required_differences, residual_variance, t_detectable, t_intervals, t_isf, t_power, t_sf,
        t_topics,
    };
    #[pymodule_export]
    use super::stats::stability::{
        cross_taus, of_fewer_topics, order_swaps, summaries_against_truth,
    };
    #[pymodule_export]
    use super::tables::{
        TextTable, column_place, qrels_columns, run_columns, table_columns, table_form,
    };
    #[pymodule_export]
    use super::trec_eval::{captured_trec_eval, escaped, run_trec_eval};
    #[pymodule_export]
    use super::values::listed;

    #[pymodule_export]
    use super::watch::Stop;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        use cranfield_core::format::{Format, OTHER_SUFFIXES};
        use cranfield_core::{options, read, score_files};

        let words = |words: Vec<&'static str>| PyTuple::new(module.py(), words);
        module.add("RUN_LAYOUTS", words(read::run::RunLayout::names().collect())?)?;
        module.add("QRELS_LAYOUTS", words(read::qrels::Layout::names().collect())?)?;
        module.add("OTHER_SUFFIXES", words(OTHER_SUFFIXES.to_vec())?)?;
        let usual = PyDict::new(module.py());
        for role in read::tables::Role::ALL {
            usual.set_item(role.name(), words(role.usual().to_vec())?)?;
        }
        module.add("COLUMN_NAMES", usual)?;
        module.add("WAY_FOR_LISTS", super::record_rows::WAY_FOR_LISTS)?;
        module.add("RUN_COLUMNS", words(score_files::RUN.to_vec())?)?;
        module.add("RUN_FORMATS", words(Format::of_runs().collect())?)?;
        module.add("QRELS_FORMATS", words(Format::of_qrels().collect())?)?;
        module.add("DEFAULT_MEASURES", options::DEFAULT_MEASURES)?;
        module.add("DEFAULT_BOUNDED", options::DEFAULT_BOUNDED)?;
        module.add("DEFAULT_COMPARED", options::DEFAULT_COMPARED)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
