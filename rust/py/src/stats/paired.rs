//! Tests of pairs of systems: tables and pairs in, arrays over pairs out.

use cranfield_core::error::{Kind, Result};
use cranfield_core::stats::bootstrap::{self, Draws};
use cranfield_core::stats::correct::{self, Correction};
use cranfield_core::stats::distribution::Student;
use cranfield_core::stats::flips::{self, Signs};
use cranfield_core::stats::interval::{self, Interval, IntervalMethod};
use cranfield_core::stats::margin::{MarginAsked, MarginTest};
use cranfield_core::stats::paired::{self, Alternative, Pair, SignedRanks, Tested, Zeros};
use cranfield_core::stats::permute;
use cranfield_core::stats::power::{TestDesign, TestSides};
use cranfield_core::stats::range::StudentizedRange;
use cranfield_core::stats::rank_interval;
use cranfield_core::stats::resample::{self, Work};
use cranfield_core::stats::verdict::{
    self, DecidingRule, MarginDecision, MarginVerdict, PairedScores,
};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use super::Table;
use crate::errors::{OrRaise, fail};
use crate::options::{at_least_one, below, choose};
use crate::watch::{in_another_thread, interruptible};

pub(super) type Pairs<'py> = PyReadonlyArray2<'py, i64>;
pub(super) type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Counts<'py> = Bound<'py, PyArray1<i64>>;

/// Statistics, p-values and numbers of topics, one per pair.
type Tests<'py> = (Floats<'py>, Floats<'py>, Counts<'py>);

/// The pairs as the core takes them.
fn checked(values: &Table<'_>, pairs: &Pairs<'_>) -> PyResult<Vec<Pair>> {
    if !values.is_c_contiguous() {
        return Err(fail(Kind::Type, "tables have to be C-contiguous"));
    }
    if values.shape()[1] == 0 {
        return Err(pyo3::exceptions::PyIndexError::new_err("no topic"));
    }
    systems_of(pairs, values.shape()[0])
}

/// Pairs of so many systems.
pub(super) fn systems_of(pairs: &Pairs<'_>, systems: usize) -> PyResult<Vec<Pair>> {
    if !pairs.is_c_contiguous() {
        return Err(fail(Kind::Type, "pairs have to be C-contiguous"));
    }
    let pairs = pairs.as_slice()?;
    if pairs.iter().any(|&system| !(0..systems as i64).contains(&system)) {
        return Err(pyo3::exceptions::PyIndexError::new_err("no such system"));
    }
    Ok(pairs.chunks_exact(2).map(|two| (two[0] as usize, two[1] as usize)).collect())
}

pub(super) fn table<'a>(values: &'a Table<'_>) -> PyResult<paired::ScoreTable<'a>> {
    Ok(paired::ScoreTable::new(values.as_slice()?, values.shape()[1]))
}

fn alternative_of(name: &str) -> PyResult<Alternative> {
    let known = [
        ("two-sided", Alternative::TwoSided),
        ("less", Alternative::Less),
        ("greater", Alternative::Greater),
    ];
    choose("alternative", name, &known)
}

pub(super) fn seed_of(seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    below(seed, "seed", u64::MAX)
}

pub(super) fn replicates_of(resamples: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(at_least_one(Some(resamples), "number of resamples")?.unwrap_or(1) as usize)
}

pub(super) fn work_of(threads: Option<&Bound<'_, PyAny>>) -> PyResult<Work> {
    let threads = at_least_one(threads, "number of threads")?.map(|threads| threads as usize);
    Ok(Work { threads })
}

/// Works in another thread, while this one checks signals.
pub(super) fn watched<T: Send>(
    py: Python<'_>,
    action: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    in_another_thread(py, action, || py.check_signals())?.or_raise()
}

fn arrays<'py>(py: Python<'py>, tested: &[Tested]) -> Tests<'py> {
    let floats = |of: fn(&Tested) -> f64| tested.iter().map(of).collect::<Vec<_>>();
    let n: Vec<i64> = tested.iter().map(|t| t.n as i64).collect();
    (
        floats(|t| t.statistic).into_pyarray(py),
        floats(|t| t.pvalue).into_pyarray(py),
        n.into_pyarray(py),
    )
}

fn ends<'py>(py: Python<'py>, intervals: &[Interval]) -> (Floats<'py>, Floats<'py>) {
    let end = |of: fn(&Interval) -> f64| intervals.iter().map(of).collect::<Vec<_>>();
    (end(|i| i.0).into_pyarray(py), end(|i| i.1).into_pyarray(py))
}

#[doc = stub!("paired_moments")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /))]
pub fn paired_moments<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
) -> PyResult<(Counts<'py>, Floats<'py>, Floats<'py>, Bound<'py, PyArray1<bool>>)> {
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let moments = interruptible(py, || paired::moments(table, &pairs))?;
    let n: Vec<i64> = moments.iter().map(|m| m.n as i64).collect();
    let mean: Vec<f64> = moments.iter().map(|m| m.mean).collect();
    let deviation: Vec<f64> = moments.iter().map(|m| m.deviation).collect();
    let identical: Vec<bool> = moments.iter().map(|m| m.identical).collect();
    Ok((
        n.into_pyarray(py),
        mean.into_pyarray(py),
        deviation.into_pyarray(py),
        identical.into_pyarray(py),
    ))
}

#[doc = stub!("residual_variance")]
#[pyfunction]
#[pyo3(signature = (values, /))]
pub fn residual_variance(values: Table<'_>) -> PyResult<f64> {
    if !values.is_c_contiguous() {
        return Err(fail(Kind::Type, "tables have to be C-contiguous"));
    }
    Ok(paired::residual_variance(table(&values)?).1)
}

#[doc = stub!("paired_t")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, alternative = "two-sided"))]
pub fn paired_t<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    alternative: &str,
) -> PyResult<(Tests<'py>, Floats<'py>)> {
    let alternative = alternative_of(alternative)?;
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let (tested, means) = interruptible(py, || {
        let moments = paired::moments(table, &pairs);
        let means: Vec<f64> = moments.iter().map(|m| m.mean).collect();
        (paired::t_test(&moments, alternative), means)
    })?;
    Ok((arrays(py, &tested), means.into_pyarray(py)))
}

/// Wilcoxon's signed-rank test.
#[pyfunction]
#[pyo3(signature = (
    values, pairs, /, *, alternative = "two-sided", zeros = "drop", exact = 50, correction = false
))]
pub fn paired_wilcoxon<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    alternative: &str,
    zeros: &str,
    exact: usize,
    correction: bool,
) -> PyResult<Tests<'py>> {
    let alternative = alternative_of(alternative)?;
    let zeros = choose("zeros", zeros, &[("drop", Zeros::Drop), ("pratt", Zeros::Pratt)])?;
    let how = SignedRanks { zeros, exact, correction };
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let tested = interruptible(py, || paired::wilcoxon(table, &pairs, how, alternative))?;
    Ok(arrays(py, &tested))
}

#[doc = stub!("paired_sign")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, alternative = "two-sided"))]
pub fn paired_sign<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    alternative: &str,
) -> PyResult<Tests<'py>> {
    let alternative = alternative_of(alternative)?;
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let tested = interruptible(py, || paired::sign_test(table, &pairs, alternative))?;
    Ok(arrays(py, &tested))
}

/// The randomization test; without a number of resamples, over all patterns of signs.
#[pyfunction]
#[pyo3(signature = (
    values, pairs, /, *, alternative = "two-sided", resamples = None, seed, plus_one = true, threads = None
))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn paired_randomization<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    alternative: &str,
    resamples: Option<&Bound<'py, PyAny>>,
    seed: &Bound<'py, PyAny>,
    plus_one: bool,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Tests<'py>> {
    let alternative = alternative_of(alternative)?;
    let (seed, work) = (seed_of(seed)?, work_of(threads)?);
    let which = match resamples {
        Some(resamples) => Signs::Random { replicates: replicates_of(resamples)?, seed, plus_one },
        None => Signs::All,
    };
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let action = || flips::randomization(table, &pairs, which, alternative, &work);
    Ok(arrays(py, &watched(py, action)?))
}

#[doc = stub!("paired_bootstrap")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, resamples, seed, threads = None))]
pub fn paired_bootstrap<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Tests<'py>> {
    let (replicates, seed, work) = (replicates_of(resamples)?, seed_of(seed)?, work_of(threads)?);
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let action = || {
        let draws = Draws::new(table.topics(), replicates, seed)?;
        bootstrap::bootstrap_test(table, &pairs, &draws, &work)
    };
    Ok(arrays(py, &watched(py, action)?))
}

#[doc = stub!("required_differences")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, level, resamples, seed, threads = None))]
pub fn required_differences<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    level: f64,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Floats<'py>> {
    let (replicates, seed, work) = (replicates_of(resamples)?, seed_of(seed)?, work_of(threads)?);
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let action = || {
        let draws = Draws::new(table.topics(), replicates, seed)?;
        bootstrap::required_differences(table, &pairs, &draws, level, &work)
    };
    Ok(watched(py, action)?.into_pyarray(py))
}

#[doc = stub!("paired_tukey")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /))]
pub fn paired_tukey<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
) -> PyResult<Tests<'py>> {
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    Ok(arrays(py, &interruptible(py, || paired::tukey(table, &pairs))?.or_raise()?))
}

#[doc = stub!("paired_randomized_tukey")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, resamples, seed, threads = None))]
pub fn paired_randomized_tukey<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Tests<'py>> {
    let (replicates, seed, work) = (replicates_of(resamples)?, seed_of(seed)?, work_of(threads)?);
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let action = || permute::randomized_tukey(table, &pairs, replicates, seed, &work);
    Ok(arrays(py, &watched(py, action)?))
}

#[doc = stub!("range_sf")]
#[pyfunction]
#[pyo3(signature = (q, groups, freedom, /))]
pub fn range_sf(q: f64, groups: usize, freedom: f64) -> f64 {
    StudentizedRange::new(groups, freedom).sf(q)
}

#[doc = stub!("range_isf")]
#[pyfunction]
#[pyo3(signature = (p, groups, freedom, /))]
pub fn range_isf(p: f64, groups: usize, freedom: f64) -> f64 {
    StudentizedRange::new(groups, freedom).isf(p)
}

#[doc = stub!("t_sf")]
#[pyfunction]
#[pyo3(signature = (t, freedom, /))]
pub fn t_sf(t: f64, freedom: f64) -> f64 {
    Student::new(freedom).sf(t)
}

#[doc = stub!("t_isf")]
#[pyfunction]
#[pyo3(signature = (p, freedom, /))]
pub fn t_isf(p: f64, freedom: f64) -> f64 {
    Student::new(freedom).isf(p)
}

#[doc = stub!("correct_pvalues")]
#[pyfunction]
#[pyo3(signature = (pvalues, method, /))]
pub fn correct_pvalues<'py>(
    py: Python<'py>,
    pvalues: PyReadonlyArray1<'py, f64>,
    method: &str,
) -> PyResult<Floats<'py>> {
    let known = [
        ("holm", Correction::Holm),
        ("bh", Correction::BenjaminiHochberg),
        ("bonferroni", Correction::Bonferroni),
    ];
    let correction = choose("method", method, &known)?;
    let pvalues = pvalues.as_slice()?;
    let corrected = interruptible(py, || correct::correct(pvalues, correction))?.or_raise()?;
    Ok(corrected.into_pyarray(py))
}

#[doc = stub!("t_intervals")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, level, alternative = "two-sided"))]
pub fn t_intervals<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    level: f64,
    alternative: &str,
) -> PyResult<(Floats<'py>, Floats<'py>)> {
    let alternative = alternative_of(alternative)?;
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let work = || interval::t_intervals(&paired::moments(table, &pairs), level, alternative);
    let found = interruptible(py, work)?;
    Ok(ends(py, &found))
}

#[doc = stub!("bootstrap_intervals")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, method, level, resamples, seed, threads = None))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn bootstrap_intervals<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    method: &str,
    level: f64,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Floats<'py>, Floats<'py>)> {
    let known = [("percentile", IntervalMethod::Percentile), ("bca", IntervalMethod::Bca)];
    let method = choose("method", method, &known)?;
    let (replicates, seed, work) = (replicates_of(resamples)?, seed_of(seed)?, work_of(threads)?);
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let action = || {
        let sample = |&pair: &Pair| {
            let mut differences = Vec::new();
            table.differences(pair, &mut differences);
            differences
        };
        let samples: Vec<Vec<f64>> = pairs.iter().map(sample).collect();
        interval::bootstrap_intervals(&samples, method, level, replicates, seed, &work)
    };
    Ok(ends(py, &watched(py, action)?))
}

#[doc = stub!("rank_intervals")]
#[pyfunction]
#[pyo3(signature = (values, /, *, level, resamples, seed, threads = None))]
pub fn rank_intervals<'py>(
    py: Python<'py>,
    values: Table<'py>,
    level: f64,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Counts<'py>, Counts<'py>)> {
    let (replicates, seed, work) = (replicates_of(resamples)?, seed_of(seed)?, work_of(threads)?);
    let (cells, topics) = (values.as_slice()?, values.shape()[1]);
    let action = || rank_interval::rank_intervals(cells, topics, level, replicates, seed, &work);
    let found = watched(py, action)?;
    let side = |ranks: Vec<i64>| ranks.into_pyarray(py);
    Ok((
        side(found.iter().map(|&(low, _)| i64::from(low)).collect()),
        side(found.iter().map(|&(_, high)| i64::from(high)).collect()),
    ))
}

#[doc = stub!("drawn_topics")]
#[pyfunction]
#[pyo3(signature = (topics, /, *, resamples, seed))]
pub fn drawn_topics<'py>(
    py: Python<'py>,
    topics: usize,
    resamples: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let (replicates, seed) = (replicates_of(resamples)?, seed_of(seed)?);
    let drawn = interruptible(py, || resample::drawn(topics, replicates, seed))?.or_raise()?;
    PyArray1::from_vec(py, drawn).reshape([replicates, topics])
}

fn margin_test_of(name: &str) -> PyResult<MarginTest> {
    let known = [
        ("t", MarginTest::Student),
        ("studentized", MarginTest::Studentized),
        ("randomization", MarginTest::Flips),
        ("bounded", MarginTest::Bounded),
    ];
    choose("test", name, &known)
}

/// Scores of both runs, the sign of what is better, the margin, whether that is a proportion, and
/// the width of the range.
type WithMargin<'py> = (Scored<'py>, Scored<'py>, f64, f64, bool, f64);
type Scored<'py> = PyReadonlyArray1<'py, f64>;

/// The decision, the margin, the ends of the interval, p-values of a pass and a failure, what these
/// topics show and pass, how many would pass, and how many there are and changed.
type Verdict = (&'static str, f64, f64, f64, f64, f64, f64, f64, Option<u64>, usize, usize);

#[doc = stub!("margin_verdicts")]
#[pyfunction]
#[pyo3(signature = (rows, /, *, test, alpha, resamples, seed, equal, power))]
#[expect(clippy::too_many_arguments, reason = "options by keyword")]
pub fn margin_verdicts(
    py: Python<'_>,
    rows: Vec<WithMargin<'_>>,
    test: &str,
    alpha: f64,
    resamples: &Bound<'_, PyAny>,
    seed: &Bound<'_, PyAny>,
    equal: bool,
    power: f64,
) -> PyResult<Vec<Verdict>> {
    let (replicates, seed) = (replicates_of(resamples)?, seed_of(seed)?);
    let asked = MarginAsked { test: margin_test_of(test)?, alpha, replicates, seed };
    let pair = |row: &'_ WithMargin<'_>| -> PyResult<(Vec<f64>, Vec<f64>)> {
        Ok((row.0.as_slice()?.to_vec(), row.1.as_slice()?.to_vec()))
    };
    let scores = rows.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
    let pairs: Vec<PairedScores<'_>> = rows
        .iter()
        .zip(&scores)
        .map(|(&(_, _, sign, amount, relative, span), (now, baseline))| PairedScores {
            now,
            baseline,
            sign,
            amount,
            relative,
            span,
        })
        .collect();
    let rule = DecidingRule { asked, equal, power };
    let found = watched(py, || verdict::verdicts(&pairs, &rule, &Work::default()))?;
    let cells = |f: MarginVerdict| {
        let word = match f.decision {
            MarginDecision::Pass => "pass",
            MarginDecision::Fail => "fail",
            MarginDecision::Open => "not known",
        };
        let ((low, high), (topics, changed)) = (f.ends, f.topics);
        let (detectable, least) = (f.detectable, f.least_margin);
        (
            word, f.margin, low, high, f.p_pass, f.p_fail, detectable, least, f.needed, topics,
            changed,
        )
    };
    Ok(found.into_iter().map(cells).collect())
}

pub(super) fn design(alpha: f64, two_sided: bool) -> TestDesign {
    TestDesign { alpha, sides: if two_sided { TestSides::Two } else { TestSides::One } }
}

#[doc = stub!("t_power")]
#[pyfunction]
#[pyo3(signature = (topics, effect, /, *, alpha, two_sided))]
pub fn t_power(topics: f64, effect: f64, alpha: f64, two_sided: bool) -> f64 {
    design(alpha, two_sided).power(topics, effect)
}

#[doc = stub!("t_detectable")]
#[pyfunction]
#[pyo3(signature = (topics, power, /, *, alpha, two_sided))]
pub fn t_detectable(topics: f64, power: f64, alpha: f64, two_sided: bool) -> f64 {
    design(alpha, two_sided).detectable(topics, power)
}

#[doc = stub!("t_topics")]
#[pyfunction]
#[pyo3(signature = (effect, power, /, *, alpha, two_sided))]
pub fn t_topics(effect: f64, power: f64, alpha: f64, two_sided: bool) -> f64 {
    design(alpha, two_sided).topics(effect, power)
}

#[doc = stub!("paired_max_t")]
#[pyfunction]
#[pyo3(signature = (values, pairs, /, *, alternative = "two-sided", resamples = None, seed, threads = None))]
pub fn paired_max_t<'py>(
    py: Python<'py>,
    values: Table<'py>,
    pairs: Pairs<'py>,
    alternative: &str,
    resamples: Option<&Bound<'py, PyAny>>,
    seed: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Floats<'py>> {
    let alternative = alternative_of(alternative)?;
    let (seed, work) = (seed_of(seed)?, work_of(threads)?);
    let which = match resamples {
        Some(resamples) => {
            Signs::Random { replicates: replicates_of(resamples)?, seed, plus_one: true }
        }
        None => Signs::All,
    };
    let (pairs, table) = (checked(&values, &pairs)?, table(&values)?);
    let action = || flips::max_t(table, &pairs, which, alternative, &work);
    Ok(watched(py, action)?.into_pyarray(py))
}
