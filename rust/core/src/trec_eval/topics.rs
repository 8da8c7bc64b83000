//! The values of a topic.

use std::sync::{Arc, OnceLock};

use super::binary;
use super::catalogue::{Formula, Gained, Summary};
use super::chosen_measures::{Chosen, Parameters};
use super::exit::Exit;
use super::gains::{GainingDocument, Gains, TopicGains};
use super::judgments::{Judgments, JudgmentsContent};
use super::lists::Listed;
use super::preferences::TopicPreferences;
use super::program_options::ProgramOptions;
use super::topic_list::{GradeRules, TopicList};
use crate::qrels::Qrels;
use crate::rank::Ranking;

/// Computes the values of topics under chosen measures.
pub struct TopicScorer {
    /// The judgments.
    pub judgments: Arc<Judgments>,
    options: ProgramOptions,
    /// The measures, in the order of the catalogue.
    pub chosen: Vec<Chosen>,
    /// For each measure over gains, the position of its gains.
    kinds: Vec<Option<usize>>,
    gains: Vec<Gains>,
    /// A slot for each topic and kind of gains, filled on first use.
    tables: Vec<OnceLock<TopicGains>>,
    rules: GradeRules,
    groups: Vec<GradeRules>,
}

/// The values of a topic.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// One for each name; 0 for a text.
    pub numbers: Vec<f64>,
    /// The value of relstring.
    pub text: String,
}

const NOT_QRELS: &str =
    "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n";
const NOT_GROUPS: &str =
    "trec_eval: rel_info format not qrels_jg or results format not trec_results\n";
const NOT_PREFERENCES: &str = "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results format not trec_results\n";

impl TopicScorer {
    /// Prepares what all topics and runs share.
    pub fn new(judgments: &Arc<Judgments>, chosen: Vec<Chosen>, options: &ProgramOptions) -> Self {
        let mut gains: Vec<Gains> = Vec::new();
        let kinds = chosen.iter().map(|chosen| {
            let measure = match chosen.entry.formula {
                Formula::Gains(measure) => measure,
                // By default the gain of a grade is the grade.
                Formula::NdcgCut => Gained::Ndcg,
                _ => return None,
            };
            let own = Gains::new(measure, &chosen.parameters, options.version);
            let known = gains.iter().position(|known| *known == own);
            Some(known.unwrap_or_else(|| {
                gains.push(own);
                gains.len() - 1
            }))
        });
        let kinds = kinds.collect();
        let groups: &[Arc<Qrels>] = match &judgments.kind {
            JudgmentsContent::Groups(groups) => groups,
            _ => &[],
        };
        let mut tables = Vec::new();
        tables.resize_with(gains.len() * judgments.qrels.topics().len(), OnceLock::new);
        TopicScorer {
            kinds,
            gains,
            tables,
            rules: GradeRules::new(&judgments.qrels, options),
            groups: groups.iter().map(|qrels| GradeRules::new(qrels, options)).collect(),
            judgments: Arc::clone(judgments),
            options: options.clone(),
            chosen,
        }
    }

    /// The values of a list for a topic, by position; an error as soon as a
    /// measure cannot be computed, in the order of the measures.
    pub fn score(&self, position: usize, list: Listed, out: &mut Values) -> Result<(), Exit> {
        out.numbers.clear();
        out.text.clear();
        let mut looked = Looked::default();
        for (chosen, &kind) in self.chosen.iter().zip(&self.kinds) {
            if !chosen.entry.needs_topics() {
                // The tag is not a number, and each topic counts once.
                let counts = chosen.entry.summary == Summary::Topics;
                out.numbers.push(f64::from(u8::from(counts)));
                continue;
            }
            let scored = self.values(chosen, kind, position, list, &mut looked, out);
            scored.map_err(|exit| {
                let behind =
                    format!("trec_eval: Can't calculate measure '{}'\n", chosen.entry.name);
                exit.followed_by(&behind)
            })?;
        }
        Ok(())
    }

    fn table(&self, kind: usize, position: usize, seen: &TopicList) -> &TopicGains {
        let slot = &self.tables[position * self.gains.len() + kind];
        slot.get_or_init(|| self.gains[kind].table(&self.rules, seen.topic))
    }

    fn values<'a>(
        &'a self,
        chosen: &'a Chosen,
        kind: Option<usize>,
        position: usize,
        list: Listed,
        looked: &mut Looked<'a>,
        out: &mut Values,
    ) -> Result<(), Exit> {
        let numbers = &mut out.numbers;
        match (chosen.entry.formula, kind) {
            (Formula::Preferences(measure), _) => {
                let preferences = looked.preferences(self, position, list)?;
                numbers.push(preferences.value(measure));
            }
            (Formula::Groups(formula), _) => {
                let groups = looked.groups(self, position, list)?;
                let mut sums = vec![0.0; chosen.names.len()];
                let mut values = Vec::new();
                for group in groups {
                    values.clear();
                    formula_values(*formula, chosen, group, &mut values)?;
                    sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
                }
                let count = groups.len() as f64;
                numbers.extend(sums.iter().map(|&sum| if count > 1.0 { sum / count } else { sum }));
            }
            (formula, Some(kind)) => {
                looked.seen(self, position, list)?;
                let Looked { seen: Some(seen), gained, gained_of, .. } = looked else {
                    return Ok(());
                };
                let table = self.table(kind, position, seen);
                if *gained_of != Some(kind) {
                    table.gained(seen, gained);
                    *gained_of = Some(kind);
                }
                if let Formula::Gains(measure) = formula {
                    numbers.push(table.value(measure, seen, gained, &chosen.parameters));
                } else {
                    let ranks = ranks_of(&chosen.parameters);
                    table.ndcg_cut(gained, ranks, numbers);
                }
            }
            (Formula::IprecAtRecall, None) => {
                let points = numbers_of(&chosen.parameters);
                numbers.extend(looked.interpolated(self, position, list, points)?);
            }
            (Formula::ElevenPoints, None) => {
                let points = numbers_of(&chosen.parameters);
                let values = looked.interpolated(self, position, list, points)?;
                numbers.push(binary::mean_from_last(values));
            }
            (Formula::Relstring, _) => {
                let seen = looked.seen(self, position, list)?;
                let length = numbers_of(&chosen.parameters).first().copied().unwrap_or(0.0);
                out.text = binary::relstring(seen, length);
                numbers.push(0.0);
            }
            (formula, None) => {
                let seen = looked.seen(self, position, list)?;
                formula_values(formula, chosen, seen, numbers)?;
            }
        }
        Ok(())
    }

    fn ranking<'b>(list: Listed<'b>, from: &str, end: &str) -> Result<&'b Ranking, Exit> {
        list.map_err(|document| {
            let document = String::from_utf8_lossy(document);
            Exit::new(4, format!("trec_eval.{from}: duplicate docs {document}{end}"))
        })
    }
}

/// The views that a topic's measures share, each computed on first use.
#[derive(Default)]
struct Looked<'a> {
    seen: Option<TopicList<'a>>,
    /// The documents with a gain, and the kind of the gains.
    gained: Vec<GainingDocument>,
    gained_of: Option<usize>,
    /// Recall points, and the interpolated precisions there.
    interpolated: (&'a [f64], Vec<f64>),
    preferences: Option<TopicPreferences>,
    groups: Option<Vec<TopicList<'a>>>,
}

impl<'a> Looked<'a> {
    fn seen(
        &mut self,
        scorer: &'a TopicScorer,
        position: usize,
        list: Listed,
    ) -> Result<&TopicList<'a>, Exit> {
        if self.seen.is_none() {
            let JudgmentsContent::Qrels { repeated, .. } = &scorer.judgments.kind else {
                return Err(Exit::new(4, NOT_QRELS.to_string()));
            };
            let topic = &scorer.judgments.qrels.topics()[position];
            let ranking = TopicScorer::ranking(list, "form_res_qrels", "")?;
            if let Some(document) = repeated.get(topic.id()) {
                TopicScorer::ranking(Err(document), "form_res_rels", "\n")?;
            }
            self.seen = Some(scorer.rules.look(topic, ranking));
        }
        self.seen.as_ref().ok_or_else(|| Exit::new(4, String::new()))
    }

    fn interpolated(
        &mut self,
        scorer: &'a TopicScorer,
        position: usize,
        list: Listed,
        points: &'a [f64],
    ) -> Result<&[f64], Exit> {
        self.seen(scorer, position, list)?;
        let (of, values) = &mut self.interpolated;
        if let Some(seen) = &self.seen
            && *of != points
        {
            *of = points;
            binary::interpolated(seen, points, scorer.options.version, values);
        }
        Ok(values)
    }

    fn groups(
        &mut self,
        scorer: &'a TopicScorer,
        position: usize,
        list: Listed,
    ) -> Result<&[TopicList<'a>], Exit> {
        if self.groups.is_none() {
            if !matches!(scorer.judgments.kind, JudgmentsContent::Groups(_)) {
                return Err(Exit::new(4, NOT_GROUPS.to_string()));
            }
            let ranking = TopicScorer::ranking(list, "form_res_qrels", "")?;
            let groups = scorer.groups.iter().filter_map(|rules| {
                let topic = rules.topic(position);
                (!topic.is_empty()).then(|| rules.look(topic, ranking))
            });
            self.groups = Some(groups.collect());
        }
        Ok(self.groups.as_deref().unwrap_or_default())
    }

    fn preferences(
        &mut self,
        scorer: &TopicScorer,
        position: usize,
        list: Listed,
    ) -> Result<&TopicPreferences, Exit> {
        if self.preferences.is_none() {
            let JudgmentsContent::Preferences(opinions) = &scorer.judgments.kind else {
                return Err(Exit::new(4, NOT_PREFERENCES.to_string()));
            };
            let topic = &scorer.judgments.qrels.topics()[position];
            let ranking = TopicScorer::ranking(list, "form_prefs_counts", "")?;
            self.preferences = Some(TopicPreferences::new(topic, &opinions[position], ranking)?);
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
    // NaN is not below.
    if value < LEAST { LEAST.ln() } else { value.ln() }
}

fn formula_values(
    formula: Formula,
    chosen: &Chosen,
    seen: &TopicList,
    out: &mut Vec<f64>,
) -> Result<(), Exit> {
    let parameters = numbers_of(&chosen.parameters);
    match formula {
        Formula::Ours(_) => out.extend(chosen.ours.iter().map(|ours| seen.ours(ours))),
        Formula::LogOfOurs(_) => {
            out.extend(chosen.ours.iter().map(|ours| floored_log(seen.ours(ours))));
        }
        Formula::NumRet => out.push(seen.num_ret()),
        Formula::NumRel => out.push(seen.num_rel()),
        Formula::NumRelRet => out.push(f64::from(seen.num_rel_ret())),
        Formula::NumNonrelJudgedRet => out.push(seen.num_nonrel_judged_ret()),
        Formula::Precision => {
            let ranks = ranks_of(&chosen.parameters);
            out.extend(ranks.iter().map(|&rank| seen.hits_above(rank) / rank as f64));
        }
        Formula::MapCut => binary::map_cut(seen, ranks_of(&chosen.parameters), out),
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
        // These need more than hits, or more than one measure.
        Formula::None
        | Formula::Relstring
        | Formula::NdcgCut
        | Formula::Gains(_)
        | Formula::Preferences(_)
        | Formula::Groups(_)
        | Formula::IprecAtRecall
        | Formula::ElevenPoints => {}
    }
    Ok(())
}
