//! `--explain`: a run's numbers under cranfield's defaults, and which of
//! `trec_eval`'s rules causes each difference.
//!
//! The rules are removed one after another, and the change of each step is
//! printed. The last step gives the numbers that `cranfield eval` prints.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use super::catalogue::{Formula, Gained};
use super::chosen_measures::{Chosen, Parameters, Requested};
use super::exit::{Exit, quoted};
use super::judgments::{Judgments, JudgmentsContent};
use super::lines::path;
use super::lists::RankedLists;
use super::number::{atol, is_integer};
use super::program_options::ProgramOptions;
use super::session::Session;
use super::version::Version;
use crate::error::Result as CoreResult;
use crate::evaluate::{Evaluator, Input, Monitor, Options, Ranked};
use crate::grade_column::GradeCount;
use crate::grammar;
use crate::measure::{Aggregate, Gain, Measure};
use crate::qrels::Qrels;
use crate::rank::Ranker;
use crate::read::Strictness;
use crate::read::lines::LineReader;
use crate::read::qrels::read_qrels;
use crate::read::{Limits, Source};
use crate::scores::Notes;

/// A value and its change in each step.
struct ExplainedValue {
    name: String,
    /// `trec_eval`'s value.
    start: f64,
    /// The value after each step, if it can be computed.
    steps: [Option<f64>; CHANGES],
    /// The equivalent measure of cranfield, and the rule that it does not have.
    ours: Option<(Measure, &'static str)>,
}

const CHANGES: usize = 4;
const HEADS: [&str; CHANGES] = ["doubles", "all topics", "definition", "grades"];

/// Explains each run. The code is that of the first that cannot be explained.
pub fn each_run(
    options: &ProgramOptions,
    requested: &Requested,
    (path, judgments): (&[u8], &Arc<Judgments>),
    runs: &[Vec<u8>],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, Exit> {
    if !matches!(judgments.kind, JudgmentsContent::Qrels { .. }) || options.zscores.is_some() {
        let message = "trec_eval: --explain takes judgments in the format qrels, and no z-scores\n";
        return Err(Exit::new(1, message.to_string()));
    }
    let mut code = 0;
    for (at, run) in runs.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let page = Page { options, requested, path, judgments, run };
        if let Err(exit) = page.write(out) {
            write!(err, "{}: {}", String::from_utf8_lossy(run), exit.message)?;
            code = if code == 0 { exit.code } else { code };
        }
    }
    Ok(code)
}

struct Page<'a> {
    options: &'a ProgramOptions,
    requested: &'a Requested,
    path: &'a [u8],
    judgments: &'a Arc<Judgments>,
    run: &'a [u8],
}

/// The facts that the page reports in addition to the values.
struct Facts {
    topics: usize,
    missing: Vec<String>,
    moved: Vec<String>,
    altered: Vec<(f64, u64)>,
    refused: Option<String>,
}

impl Page<'_> {
    fn write(&self, out: &mut dyn Write) -> Result<(), Exit> {
        let version = self.options.version;
        // Without `-c` version 10 has no values for a run that lacks a topic.
        let mut requested = self.options.clone();
        requested.complete |= version.loops_over_judgments();
        let doubles = ProgramOptions { version: widened(version), ..requested.clone() };
        let complete = ProgramOptions { complete: true, ..doubles.clone() };
        let session = |options| Session::new(options, self.requested, self.judgments);
        let (first, second, third) = (session(&requested), session(&doubles), session(&complete));
        let single = first.reader().read(self.run)?;
        let double = second.reader().read(self.run)?;
        let (start, topics) = first.values(&single)?;
        let steps = [second.values(&double)?.0, third.values(&double)?.0];
        let mut rows: Vec<ExplainedValue> = Vec::new();
        let chosen = first.chosen()?;
        let named = chosen.iter().flat_map(|one| one.names.iter().zip(0..).map(move |n| (one, n)));
        for (((chosen, (name, i)), start), (doubles, all)) in
            named.zip(start).zip(steps[0].iter().zip(&steps[1]))
        {
            let Some(start) = start else { continue };
            let ours = counterpart(chosen, name, i)
                .map(|(measure, rule)| (under_options(measure, self.options), rule));
            let steps = [*doubles, *all, None, None];
            rows.push(ExplainedValue { name: name.clone(), start, steps, ours });
        }
        let refused = self.ours(&mut rows, double.clone());
        let facts = Facts {
            topics,
            missing: self.topics_where(|position| double.rankings[position].is_none()),
            moved: self.topics_where(|position| differ(&single, &double, position)),
            altered: self.altered_grades(),
            refused,
        };
        self.print(&rows, &facts, out)
    }

    fn topics_where(&self, wanted: impl Fn(usize) -> bool) -> Vec<String> {
        let topics = self.judgments.qrels.topics().iter().enumerate();
        let wanted = topics.filter(|(position, _)| wanted(*position));
        wanted.map(|(_, topic)| String::from_utf8_lossy(topic.id()).into_owned()).collect()
    }

    /// Fills in the last two steps: cranfield's measures on the grades as
    /// `trec_eval` reads them, and on the grades and the run as cranfield reads
    /// them. Returns the error if cranfield refuses the run.
    fn ours(&self, rows: &mut [ExplainedValue], lists: RankedLists) -> Option<String> {
        let measures: Vec<Measure> =
            rows.iter().filter_map(|row| Some(row.ours.as_ref()?.0.clone())).collect();
        let qrels = &self.judgments.qrels;
        let held = Input::Ranked(Arc::new(Ranked {
            name: String::new(),
            tables: qrels.topics().iter().map(|topic| Arc::clone(topic.docs())).collect(),
            rankings: lists.rankings.into_iter().map(|list| list.and_then(Result::ok)).collect(),
            unjudged_depth: 0,
            groups: false,
            notes: Notes::default(),
        }));
        let evaluation = Options { threads: Some(1), ..Options::default() };
        let on_same = means(qrels, held, &measures, evaluation);
        let depth = u32::try_from(self.options.depth).ok().filter(|&depth| depth < i32::MAX as u32);
        let ranker = Ranker { depth, ..Ranker::default() };
        let file = Input::file(String::new(), path(self.run));
        let as_ours = read(self.path).and_then(|qrels| {
            means(&Arc::new(qrels), file, &measures, Options { ranker, ..evaluation })
        });
        let mut fill = |step: usize, values: &[f64]| {
            let with_ours = rows.iter_mut().filter(|row| row.ours.is_some());
            for (row, value) in with_ours.zip(values) {
                row.steps[step] = Some(*value);
            }
        };
        let same = on_same.map(|values| fill(2, &values));
        let own = as_ours.map(|values| fill(3, &values));
        same.and(own).err().map(|error| error.to_string())
    }

    /// The grades that `trec_eval` reads differently, with their counts.
    fn altered_grades(&self) -> Vec<(f64, u64)> {
        let Ok(qrels) = read(self.path) else { return Vec::new() };
        let mut altered: BTreeMap<u64, (f64, u64)> = BTreeMap::new();
        for topic in qrels.topics() {
            for &GradeCount { grade_index, count } in topic.counts() {
                let grade = qrels.grades()[grade_index as usize];
                if grade.fract() != 0.0 {
                    altered.entry(u64::from(grade_index)).or_insert((grade, 0)).1 +=
                        u64::from(count);
                }
            }
        }
        altered.into_values().collect()
    }

    fn print(
        &self,
        rows: &[ExplainedValue],
        facts: &Facts,
        out: &mut dyn Write,
    ) -> Result<(), Exit> {
        let version = format!("trec_eval {}", self.options.version.name());
        let (run, judgments) = (quoted(self.run), quoted(self.path));
        writeln!(out, "{run} under {judgments}: {} topics evaluated\n", facts.topics)?;
        write!(out, "{:<22} {version:>15}", "measure")?;
        for head in HEADS {
            write!(out, " {head:>11}")?;
        }
        writeln!(out, " {:>11}  as", "cranfield")?;
        for row in rows {
            write!(out, "{:<22} {:>15.4}", row.name, row.start)?;
            let mut before = Some(row.start);
            for step in row.steps {
                let change = before.zip(step).map(|(before, after)| after - before);
                let shown = match change {
                    None => "-".to_string(),
                    Some(change) if change.abs() < 5e-10 => ".".to_string(),
                    Some(change) if change.abs() < 5e-5 => format!("{change:+.0e}"),
                    Some(change) => format!("{change:+.4}"),
                };
                write!(out, " {shown:>11}")?;
                before = step;
            }
            let end = row.steps[CHANGES - 1].map_or("-".to_string(), |value| format!("{value:.4}"));
            let ours =
                row.ours.as_ref().map_or("-".to_string(), |(measure, _)| measure.to_string());
            writeln!(out, " {end:>11}  {ours}")?;
        }
        self.print_rules(rows, facts, out)
    }

    fn print_rules(
        &self,
        rows: &[ExplainedValue],
        facts: &Facts,
        out: &mut dyn Write,
    ) -> Result<(), Exit> {
        writeln!(out)?;
        if self.options.version == widened(self.options.version) {
            writeln!(
                out,
                "doubles: this version compares scores in double precision, as cranfield does"
            )?;
        } else {
            let moved = listed(&facts.moved);
            writeln!(
                out,
                "doubles: scores that differ in double precision and are equal in single tie, and ties are in descending order of documents; judged documents change places in {moved}"
            )?;
        }
        let missing = listed(&facts.missing);
        let averaged = match (self.options.complete, self.options.version.loops_over_judgments()) {
            (true, _) => "-c was given: topics that the run lacks count, as in cranfield",
            (_, true) => {
                "this version stops at a topic that the run lacks unless -c is given; the values are with -c"
            }
            _ => {
                "without -c topics that the run lacks are left out of the means; in cranfield they count"
            }
        };
        writeln!(out, "all topics: {averaged}; the run lacks {missing}")?;
        let definition = |row: &&ExplainedValue| match (row.steps[1], row.steps[2]) {
            (Some(theirs), Some(ours)) => (theirs - ours).abs() >= 5e-10,
            _ => false,
        };
        let mut rules: Vec<&str> =
            rows.iter().filter(definition).filter_map(|row| Some(row.ours.as_ref()?.1)).collect();
        rules.dedup();
        for rule in &rules {
            writeln!(out, "definition: {rule}")?;
        }
        if rules.is_empty() {
            writeln!(out, "definition: nothing that changes a value here")?;
        }
        let altered: Vec<String> = facts
            .altered
            .iter()
            .map(|&(grade, count)| format!("{grade} as {} ({count} judgments)", grade.trunc()))
            .collect();
        match altered.as_slice() {
            [] => writeln!(
                out,
                "grades: all are integers, which trec_eval and cranfield read the same way"
            )?,
            some => writeln!(out, "grades: trec_eval reads integers only: {}", some.join(", "))?,
        }
        if let Some(refused) = &facts.refused {
            writeln!(out, "cranfield eval does not score this: {refused}")?;
        }
        Ok(())
    }
}

/// The version that differs from the given one only in the precision of scores.
fn widened(version: Version) -> Version {
    if version == Version::V9 { Version::V908 } else { version }
}

/// Whether the judged documents of a topic have different ranks in two lists.
fn differ(one: &RankedLists, other: &RankedLists, position: usize) -> bool {
    match (&one.rankings[position], &other.rankings[position]) {
        (Some(Ok(one)), Some(Ok(other))) => one.hits != other.hits,
        _ => false,
    }
}

fn listed(topics: &[String]) -> String {
    const SHOWN_TOPICS: usize = 5;
    let more = if topics.len() > SHOWN_TOPICS { ", ..." } else { "" };
    match topics {
        [] => "no topic".to_string(),
        [one] => format!("1 topic ({one})"),
        some => {
            let shown = some[..some.len().min(SHOWN_TOPICS)].join(", ");
            format!("{} topics ({shown}{more})", some.len())
        }
    }
}

fn read(argument: &[u8]) -> CoreResult<Qrels> {
    let limits = Limits::default();
    let source = Source::open(&path(argument), &limits)?;
    read_qrels(LineReader::new(source, &limits), Strictness::Strict, None)
}

/// The summaries of a run by cranfield's measures: the mean, the sum of a count,
/// or the geometric mean.
fn means(
    qrels: &Arc<Qrels>,
    run: Input,
    measures: &[Measure],
    evaluation: Options,
) -> CoreResult<Vec<f64>> {
    let evaluator = Evaluator::new(Arc::clone(qrels), measures, evaluation)?;
    let scores = evaluator.evaluate(&[run], &Arc::new(Monitor::default()))?;
    let known: Vec<&Measure> = evaluator.measures().collect();
    let summary = |measure: &Measure| {
        let column = known.iter().position(|known| *known == measure).unwrap_or(0);
        let values = scores.values.iter().skip(column).step_by(known.len());
        let count = qrels.topics().len() as f64;
        match measure.aggregate() {
            Aggregate::Sum => values.sum(),
            Aggregate::Mean => values.sum::<f64>() / count,
            Aggregate::Pooled => scores.summary(0, column),
            Aggregate::Geometric => {
                (values.map(|value| value.max(1e-5).ln()).sum::<f64>() / count).exp()
            }
        }
    };
    Ok(measures.iter().map(summary).collect())
}

/// The measure that corresponds to one of `trec_eval`'s, and how they differ.
fn counterpart(chosen: &Chosen, name: &str, i: usize) -> Option<(Measure, &'static str)> {
    let numbers: &[f64] = match &chosen.parameters {
        Parameters::Numbers(numbers) => numbers,
        _ => &[],
    };
    let number = numbers.get(i).copied();
    let (text, rule) = match chosen.entry.formula {
        Formula::IprecAtRecall => (format!("IPrec@{}", number?), RECALL_POINTS),
        Formula::ElevenPoints if chosen.names[0] == "11pt_avg" => {
            ("IAP".to_string(), RECALL_POINTS)
        }
        Formula::RprecMult => (format!("Rprec(mult={})", number?), MULTIPLES),
        Formula::Utility => {
            let &[a, b, c, d] = numbers else { return None };
            (format!("Utility(tp={a},fp={b},fn={c},tn={d})"), "")
        }
        Formula::SetF => {
            (format!("SetF(beta={})", number?.sqrt()), "the parameter of set_F is beta squared")
        }
        Formula::Unj => {
            let cutoff = name.rsplit('_').next()?;
            (
                format!("Unjudged@{cutoff}"),
                "unj divides by the cutoff even if the ranking is shorter",
            )
        }
        // Other points than the default ones, and measures that scale their gains.
        Formula::ElevenPoints | Formula::Gains(Gained::Rbp | Gained::RbpResid) => return None,
        Formula::Gains(_) if matches!(chosen.parameters, Parameters::Pairs(_)) => {
            return with_gains(chosen);
        }
        _ => (name.to_string(), "unjudged hits, or a gain that is not a grade"),
    };
    Some((grammar::parse(&text).ok()?, rule))
}

const RECALL_POINTS: &str = "iprec_at_recall and 11pt_avg round the number of relevant documents that reach a recall point; cranfield's measures need at least that recall";
const MULTIPLES: &str =
    "Rprec_mult adds 0.9 and truncates where cranfield rounds up, and its cutoff 0 is 0";

/// A measure over gains, with the gains that the parameters name.
fn with_gains(chosen: &Chosen) -> Option<(Measure, &'static str)> {
    let Parameters::Pairs(pairs) = &chosen.parameters else { return None };
    let mut measure = grammar::parse(chosen.entry.name).ok()?;
    let grade_indices = pairs.iter().filter(|(name, _)| is_integer(name));
    let gains: Vec<(f64, f64)> =
        grade_indices.map(|(name, gain)| (atol(name) as f64, *gain)).collect();
    if !gains.is_empty() {
        measure.gain = Gain::Map(gains);
    }
    Some((
        measure,
        "the ideal ranking is ordered by gains as integers, so fractional gains may be out of order",
    ))
}

/// The measure under `-l` and `-J`, if it supports them.
fn under_options(mut measure: Measure, options: &ProgramOptions) -> Measure {
    if measure.family.takes_rel() && options.min_grade != 1 {
        measure.rel = options.min_grade as f64;
    }
    measure.prime |= options.judged_only && measure.family.takes.prime;
    measure
}
