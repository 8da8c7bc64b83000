//! The values of a topic.

use super::Exit;
use super::binary;
use super::catalogue::{Formula, Gained};
use super::chosen::{Chosen, Parameters};
use super::gains::{Gains, ndcg_cut};
use super::judgments::{Judgments, Kind};
use super::lists::List;
use super::options::Options;
use super::preferences::Preferences;
use super::seen::{Levels, Seen};
use crate::measure::Measure;
use crate::qrels::Qrels;
use crate::run::Ranking;

/// Computes the values of topics under chosen measures.
pub struct Scorer<'a> {
    judgments: &'a Judgments,
    options: &'a Options,
    /// The measures, in the order of the catalogue.
    pub chosen: &'a [Chosen],
    gains: Vec<Option<Gains>>,
    levels: Levels<'a>,
    groups: Vec<Levels<'a>>,
}

/// A value of a topic.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

const NOT_QRELS: &str =
    "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n";
const NOT_GROUPS: &str =
    "trec_eval: rel_info format not qrels_jg or results format not trec_results\n";
const NOT_PREFERENCES: &str = "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results format not trec_results\n";

impl<'a> Scorer<'a> {
    /// Prepares what all topics share.
    pub fn new(judgments: &'a Judgments, chosen: &'a [Chosen], options: &'a Options) -> Self {
        let gains = chosen.iter().map(|chosen| match chosen.entry.formula {
            Formula::Gains(measure) => {
                Some(Gains::new(measure, &chosen.parameters, options.version))
            }
            _ => None,
        });
        let groups: &'a [Qrels] = match &judgments.kind {
            Kind::Groups(groups) => groups,
            _ => &[],
        };
        Scorer {
            judgments,
            options,
            chosen,
            gains: gains.collect(),
            levels: Levels::new(&judgments.qrels, options),
            groups: groups.iter().map(|qrels| Levels::new(qrels, options)).collect(),
        }
    }

    /// The values of a list for a topic, by position; an error as soon as a
    /// measure cannot be computed, in the order of the measures.
    pub fn score(&self, position: usize, list: &List, out: &mut Vec<Value>) -> Result<(), Exit> {
        out.clear();
        let mut looked = Looked { seen: None, preferences: None, groups: None };
        for (chosen, gains) in self.chosen.iter().zip(&self.gains) {
            if !chosen.entry.needs_topics() {
                // The tag and the number of topics are no topic's.
                out.push(Value::Number(0.0));
                continue;
            }
            let scored = self.values(chosen, gains.as_ref(), position, list, &mut looked, out);
            scored.map_err(|exit| {
                let behind =
                    format!("trec_eval: Can't calculate measure '{}'\n", chosen.entry.name);
                exit.followed_by(&behind)
            })?;
        }
        Ok(())
    }

    fn values(
        &'a self,
        chosen: &Chosen,
        gains: Option<&Gains>,
        position: usize,
        list: &List,
        looked: &mut Looked<'a>,
        out: &mut Vec<Value>,
    ) -> Result<(), Exit> {
        let mut numbers = Vec::new();
        match chosen.entry.formula {
            Formula::Preferences(measure) => {
                let preferences = looked.preferences(self, position, list)?;
                numbers.push(preferences.value(measure));
            }
            Formula::Groups(formula) => {
                let groups = looked.groups(self, position, list)?;
                let mut sums = vec![0.0; chosen.names.len()];
                for group in groups {
                    numbers.clear();
                    formula_values(*formula, chosen, None, group, self.options, &mut numbers)?;
                    sums.iter_mut().zip(&numbers).for_each(|(sum, value)| *sum += value);
                }
                numbers.clear();
                let count = groups.len() as f64;
                numbers.extend(sums.iter().map(|&sum| if count > 1.0 { sum / count } else { sum }));
            }
            Formula::Relstring => {
                let seen = looked.seen(self, position, list)?;
                let length = numbers_of(&chosen.parameters).first().copied().unwrap_or(0.0);
                out.push(Value::Text(binary::relstring(seen, length)));
            }
            formula => {
                let seen = looked.seen(self, position, list)?;
                formula_values(formula, chosen, gains, seen, self.options, &mut numbers)?;
            }
        }
        out.extend(numbers.into_iter().map(Value::Number));
        Ok(())
    }

    fn ranking<'b>(list: &'b List, from: &str, end: &str) -> Result<&'b Ranking, Exit> {
        list.as_ref().map_err(|document| {
            let document = String::from_utf8_lossy(document);
            Exit::new(4, format!("trec_eval.{from}: duplicate docs {document}{end}"))
        })
    }
}

/// What a topic's measures look at, made by the first that asks.
struct Looked<'a> {
    seen: Option<Seen<'a>>,
    preferences: Option<Preferences>,
    groups: Option<Vec<Seen<'a>>>,
}

impl<'a> Looked<'a> {
    fn seen(
        &mut self,
        scorer: &'a Scorer<'a>,
        position: usize,
        list: &List,
    ) -> Result<&Seen<'a>, Exit> {
        if self.seen.is_none() {
            let Kind::Qrels { repeated, .. } = &scorer.judgments.kind else {
                return Err(Exit::new(4, NOT_QRELS.to_string()));
            };
            let topic = &scorer.judgments.qrels.topics()[position];
            let ranking = Scorer::ranking(list, "form_res_qrels", "")?;
            if let Some(document) = repeated.get(topic.id()) {
                Scorer::ranking(&Err(document.clone()), "form_res_rels", "\n")?;
            }
            self.seen = Some(scorer.levels.look(topic, ranking));
        }
        self.seen.as_ref().ok_or_else(|| Exit::new(4, String::new()))
    }

    fn groups(
        &mut self,
        scorer: &'a Scorer<'a>,
        position: usize,
        list: &List,
    ) -> Result<&[Seen<'a>], Exit> {
        if self.groups.is_none() {
            if !matches!(scorer.judgments.kind, Kind::Groups(_)) {
                return Err(Exit::new(4, NOT_GROUPS.to_string()));
            }
            let ranking = Scorer::ranking(list, "form_res_qrels", "")?;
            let groups = scorer.groups.iter().filter_map(|levels| {
                let topic = levels.topic(position);
                (!topic.is_empty()).then(|| levels.look(topic, ranking))
            });
            self.groups = Some(groups.collect());
        }
        Ok(self.groups.as_deref().unwrap_or_default())
    }

    fn preferences(
        &mut self,
        scorer: &Scorer,
        position: usize,
        list: &List,
    ) -> Result<&Preferences, Exit> {
        if self.preferences.is_none() {
            let Kind::Preferences(opinions) = &scorer.judgments.kind else {
                return Err(Exit::new(4, NOT_PREFERENCES.to_string()));
            };
            let topic = &scorer.judgments.qrels.topics()[position];
            let ranking = Scorer::ranking(list, "form_prefs_counts", "")?;
            self.preferences = Some(Preferences::new(topic, &opinions[position], ranking)?);
        }
        self.preferences.as_ref().ok_or_else(|| Exit::new(4, String::new()))
    }
}

fn numbers_of(parameters: &Parameters) -> &[f64] {
    match parameters {
        Parameters::Numbers(numbers) => numbers,
        _ => &[],
    }
}

fn ranks_of(parameters: &Parameters) -> &[i64] {
    match parameters {
        Parameters::Ranks(ranks) => ranks,
        _ => &[],
    }
}

/// The logarithm of a value that is not below 0.00001.
fn floored_log(value: f64) -> f64 {
    const LEAST: f64 = 0.00001;
    // A value that is no number is not below.
    if value < LEAST { LEAST.ln() } else { value.ln() }
}

fn formula_values(
    formula: Formula,
    chosen: &Chosen,
    gains: Option<&Gains>,
    seen: &Seen,
    options: &Options,
    out: &mut Vec<f64>,
) -> Result<(), Exit> {
    let parameters = numbers_of(&chosen.parameters);
    let version = options.version;
    let ours = |measure: &Measure| seen.ours(measure);
    match formula {
        Formula::Ours(_) => out.extend(chosen.ours.iter().map(ours)),
        Formula::LogOfOurs(_) => out.extend(chosen.ours.iter().map(|m| floored_log(ours(m)))),
        Formula::NumRet => out.push(seen.num_ret()),
        Formula::NumRel => out.push(seen.num_rel()),
        Formula::NumRelRet => out.push(f64::from(seen.num_rel_ret())),
        Formula::NumNonrelJudgedRet => out.push(seen.num_nonrel_judged_ret()),
        Formula::IprecAtRecall => binary::interpolated(seen, parameters, version, out),
        Formula::ElevenPoints => out.push(binary::eleven_points(seen, parameters, version)),
        Formula::RprecMult => binary::rprec_mult(seen, parameters, out),
        Formula::Utility => {
            let four = parameters.try_into().map_err(|_| {
                let message = "trec_eval.calc_utility: improper number of coefficients\n";
                Exit::new(4, message.to_string())
            })?;
            out.push(binary::utility(seen, four));
        }
        Formula::SetMap => out.push(binary::set_map(seen)),
        Formula::SetF => out.push(binary::set_f(seen, parameters.first().copied().unwrap_or(1.0))),
        Formula::Unj => {
            let ranks = ranks_of(&chosen.parameters);
            out.extend(ranks.iter().map(|&rank| seen.unjudged(rank) / rank as f64));
        }
        Formula::Gains(Gained::NdcgCut) => ndcg_cut(seen, ranks_of(&chosen.parameters), out),
        Formula::Gains(measure) => out.extend(gains.map(|gains| gains.value(measure, seen))),
        // These are not computed from grades.
        Formula::None | Formula::Relstring | Formula::Preferences(_) | Formula::Groups(_) => {}
    }
    Ok(())
}
