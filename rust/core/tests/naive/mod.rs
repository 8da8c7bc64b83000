//! The naive twins: every measure again, straight from its definition.
//!
//! A twin sees a list of document ids and a map of grades, nothing else. It
//! counts from scratch at every rank and keeps no state, so that it can be
//! read next to the paper. Being slow is its purpose: it must not share an
//! idea, and with it a mistake, with the code that it checks.
//!
//! What a definition leaves as 0/0 because the topic has no relevant document
//! comes out as NaN; what such a topic is worth is decided elsewhere.

#![allow(dead_code, reason = "a test file uses only the twins that it asks about")]

use std::collections::BTreeMap;

mod ap;
mod blended;
mod bpref;
mod collection;
mod compat;
mod counts;
mod crp;
mod dcg;
mod diversity;
mod err;
mod forms;
mod g;
mod gap;
mod infap;
mod iprec;
mod mp;
mod precision;
mod pref;
mod q;
mod rbp;
mod rpref;
mod sample;
mod sets;
mod subap;
pub mod text;
mod user;

/// One topic's list and judgments, as a twin sees them.
pub struct List<'a> {
    /// Retrieved documents, best first.
    pub ranking: &'a [String],
    /// Judged documents. A negative grade is pooled but not judged; an absent
    /// document is outside the pool.
    pub grades: &'a BTreeMap<String, f64>,
    /// Highest grade in the whole collection.
    pub top_grade: f64,
    /// Number of documents in the collection, where it is known.
    pub docs_in_collection: Option<u64>,
    /// Further columns: a number for each document of `grades`, by name.
    pub columns: &'a BTreeMap<String, BTreeMap<String, f64>>,
}

/// The value of a parameter, as it was given.
pub enum Value {
    /// A number, as in `p=0.8`.
    Number(f64),
    /// A text, as in `dcg="jk"`.
    Text(String),
    /// A truth value, as in `skip_first=False`.
    Flag(bool),
    /// Pairs of grade and gain, as in `gain={1:1,2:10}`.
    Map(Vec<(f64, f64)>),
}

/// The arguments of a measure. Only values given explicitly are here: each
/// twin holds its own defaults.
pub struct Params {
    /// Lowest grade that is relevant to a binary measure.
    pub rel: f64,
    /// The number after `@`: a rank, or a recall level for `IPrec`
    /// and `PrecAtRecall`.
    pub cutoff: Option<f64>,
    /// Whether the list is condensed to its judged documents first.
    pub prime: bool,
    /// What stands before the name: EC, D, DIN, IA or nothing.
    pub over: &'static str,
    /// How much the recall of intents counts: gamma of a name with #.
    pub sharp: f64,
    /// The family's own parameters, by name.
    pub values: BTreeMap<String, Value>,
}

type Twin = fn(&Params, &List) -> f64;

const TWINS: &[(&str, Twin)] = &[
    ("P", precision::p),
    ("R", precision::r),
    ("AllRecall", precision::all_recall),
    ("Success", precision::success),
    ("RR", precision::rr),
    ("Rprec", precision::rprec),
    ("Rcap", precision::rcap),
    ("AP", ap::ap),
    ("aAP", ap::aap),
    ("GMAP", ap::ap),
    ("micro_AP", ap::ap),
    ("yaap", ap::yaap),
    ("RecallAtFallout", precision::recall_at_fallout),
    ("avg_relative_prec", precision::avg_relative_prec),
    ("map_at_R", precision::map_at_r),
    ("int_map_at_R", precision::int_map_at_r),
    ("MP", mp::mp),
    ("binG", g::bin_g),
    ("IPrec", iprec::iprec),
    ("IAP", iprec::iap),
    ("PrecAtRecall", iprec::prec_at_recall),
    ("SetP", sets::set_p),
    ("micro_P", sets::set_p),
    ("SetR", sets::set_r),
    ("micro_R", sets::set_r),
    ("SetF", sets::set_f),
    ("IoU", sets::iou),
    ("gP", precision::p),
    ("AgP", ap::ap),
    ("SetAP", sets::set_ap),
    ("SetRcap", sets::set_rcap),
    ("Utility", sets::utility),
    ("E", sets::e),
    ("MaxF", sets::max_f),
    ("Accuracy", collection::accuracy),
    ("Specificity", collection::specificity),
    ("Fallout", collection::fallout),
    ("AUC", collection::auc),
    ("num_ret", counts::num_ret),
    ("num_rel", counts::num_rel),
    ("num_rel_ret", counts::num_rel_ret),
    ("num_nonrel_judged_ret", counts::num_nonrel_judged_ret),
    ("Judged", counts::judged),
    ("Unjudged", counts::unjudged),
    ("Hole", counts::hole),
    ("bpref", bpref::bpref),
    ("gm_bpref", bpref::bpref),
    ("micro_bpref", bpref::micro),
    ("bpref_R", bpref::bpref_r),
    ("bpref_N", bpref::bpref_n),
    ("old_bpref", bpref::old_bpref),
    ("bpref_10", bpref::bpref_10),
    ("bpref_relative", bpref::bpref_relative),
    ("bpref_num_all", bpref::num_all),
    ("bpref_num_ret", bpref::num_ret),
    ("bpref_num_correct", bpref::num_correct),
    ("bpref_num_possible", bpref::num_possible),
    ("rpref_N", rpref::rpref_n),
    ("rpref_relative", rpref::rpref_relative),
    ("rpref_relative2", rpref::rpref_relative2),
    ("Pref", pref::pref),
    ("num_prefs", pref::num_prefs),
    ("num_prefs_ful", pref::num_prefs_ful),
    ("Compat", compat::compat),
    ("infAP", infap::infap),
    ("xinfAP", sample::xinfap),
    ("infNDCG", sample::infndcg),
    ("infP", sample::inf_p),
    ("infIPrec", sample::inf_iprec),
    ("inf_num_rel", sample::inf_num_rel),
    ("inf_num_rel_ret", sample::inf_num_rel_ret),
    ("varAP", sample::var_ap),
    ("statAP", sample::stat_ap),
    ("statRprec", sample::stat_rprec),
    ("statP", sample::stat_p),
    ("statDCG", sample::stat_dcg),
    ("ERR_IA", diversity::err_ia),
    ("nERR_IA", diversity::nerr_ia),
    ("alpha_DCG", diversity::alpha_dcg),
    ("alpha_nDCG", diversity::alpha_ndcg),
    ("NRBP", diversity::nrbp),
    ("nNRBP", diversity::nnrbp),
    ("AP_IA", diversity::ap_ia),
    ("P_IA", diversity::p_ia),
    ("StRecall", diversity::st_recall),
    ("RBU", diversity::rbu),
    ("P+Q", forms::p_q),
    ("subAP", subap::subap),
    ("subAP_expected", subap::subap_expected),
    ("CG", dcg::cg),
    ("DCG", dcg::dcg),
    ("nDCG", dcg::ndcg),
    ("enDCG", dcg::endcg),
    ("iDCG", dcg::idcg),
    ("nDCG_rel", dcg::ndcg_rel),
    ("RnDCG", dcg::rndcg),
    ("G", g::g),
    ("CRP", crp::crp),
    ("Twist", crp::twist),
    ("RBP", rbp::rbp),
    ("RBP_residual", rbp::rbp_residual),
    ("nRBP", rbp::nrbp),
    ("ERR", err::err),
    ("nERR", err::nerr),
    ("INST", user::inst),
    ("INSQ", user::insq),
    ("BPM", user::bpm),
    ("IFT", user::ift),
    ("SDCG", user::sdcg),
    ("NPV", user::npv),
    ("NERR8", user::nerr8),
    ("NERR9", user::nerr9),
    ("NERR10", user::nerr10),
    ("NERR11", user::nerr11),
    ("TBG", user::tbg),
    ("U", user::u),
    ("ESL", user::esl),
    ("EBR", blended::ebr),
    ("iRBU", blended::irbu),
    ("Q", q::q),
    ("O", blended::o),
    ("PMeasure", blended::p_measure),
    ("PPlus", blended::p_plus),
    ("NCU", blended::ncu),
    ("GAP", gap::gap),
];

/// Every canonical family name that has a twin.
pub const FAMILIES: &[&str] = &names();

const fn names() -> [&'static str; TWINS.len()] {
    let mut names = [""; TWINS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = TWINS[i].0;
        i += 1;
    }
    names
}

/// The value of a measure for one topic, from its definition.
///
/// NaN where the definition is 0/0 because the topic has no relevant
/// document; panics on an unknown family. The prime is applied here, for all
/// families alike: drop every document without a grade of 0 or more, re-rank
/// what is left, and only then cut.
pub fn score(family: &str, params: &Params, list: &List) -> f64 {
    if !params.over.is_empty() {
        return forms::score(family, params, list);
    }
    let Some((_, twin)) = TWINS.iter().find(|(name, _)| *name == family) else {
        panic!("no naive twin for the family {family:?}");
    };
    if !params.prime {
        return twin(params, list);
    }
    let condensed = list.condensed();
    twin(params, &List { ranking: &condensed, ..*list })
}

impl List<'_> {
    /// The judged documents of the list, in its order.
    fn condensed(&self) -> Vec<String> {
        self.ranking.iter().filter(|doc| self.is_judged(doc)).cloned().collect()
    }

    /// Whether the document carries a grade of 0 or more.
    fn is_judged(&self, doc: &String) -> bool {
        self.grades.get(doc).is_some_and(|&grade| grade >= 0.0)
    }

    /// Whether the document was judged relevant.
    fn is_relevant(&self, doc: &String, rel: f64) -> bool {
        self.is_judged(doc) && self.grades[doc] >= rel
    }

    /// Whether the document was judged not relevant.
    fn is_nonrelevant(&self, doc: &String, rel: f64) -> bool {
        self.is_judged(doc) && self.grades[doc] < rel
    }

    /// The first `k` retrieved documents; fewer when fewer were retrieved,
    /// all of them without a cutoff.
    fn first(&self, k: Option<usize>) -> &[String] {
        match k {
            Some(k) if k < self.ranking.len() => &self.ranking[..k],
            _ => self.ranking,
        }
    }

    /// How many of these documents are relevant.
    fn relevant_among(&self, docs: &[String], rel: f64) -> usize {
        docs.iter().filter(|doc| self.is_relevant(doc, rel)).count()
    }

    /// How many of these documents are judged and not relevant.
    fn nonrelevant_among(&self, docs: &[String], rel: f64) -> usize {
        docs.iter().filter(|doc| self.is_nonrelevant(doc, rel)).count()
    }

    /// R: how many documents of the topic are judged relevant.
    fn num_relevant(&self, rel: f64) -> usize {
        self.grades.keys().filter(|doc| self.is_relevant(doc, rel)).count()
    }

    /// N: how many documents of the topic are judged not relevant.
    fn num_nonrelevant(&self, rel: f64) -> usize {
        self.grades.keys().filter(|doc| self.is_nonrelevant(doc, rel)).count()
    }

    /// The gain of a document; nothing for one without a grade.
    fn gain(&self, doc: &String, params: &Params) -> f64 {
        self.grades.get(doc).map_or(0.0, |&grade| params.gain(grade))
    }

    /// The gains of all documents of the topic that gain anything, highest
    /// first: the ideal list.
    fn ideal_gains(&self, params: &Params) -> Vec<f64> {
        let mut gains: Vec<f64> = self.grades.values().map(|&grade| params.gain(grade)).collect();
        gains.retain(|&gain| gain > 0.0);
        gains.sort_by(|a, b| b.total_cmp(a));
        gains
    }
}

impl Params {
    /// The cutoff as a rank.
    #[allow(clippy::cast_sign_loss, reason = "a rank is never below 0")]
    fn k(&self) -> Option<usize> {
        self.cutoff.map(|k| k as usize)
    }

    /// The cutoff of a measure that is nothing without one.
    fn k_required(&self) -> usize {
        self.k().expect("this measure needs a cutoff")
    }

    fn number(&self, name: &str) -> Option<f64> {
        match self.values.get(name)? {
            Value::Number(number) => Some(*number),
            _ => panic!("{name} must be a number"),
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name)? {
            Value::Text(text) => Some(text),
            _ => panic!("{name} must be a text"),
        }
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match self.values.get(name)? {
            Value::Flag(flag) => Some(*flag),
            _ => panic!("{name} must be True or False"),
        }
    }

    /// The gain of a grade under the parameter `gain`: what the map says of
    /// it; 1 for every grade of `rel` or more under `"binary"`; otherwise the
    /// grade itself, and 0 for a grade of 0 or below.
    fn gain(&self, grade: f64) -> f64 {
        let itself = if grade > 0.0 { grade } else { 0.0 };
        match self.values.get("gain") {
            None => itself,
            Some(Value::Map(map)) => {
                map.iter().find(|(listed, _)| *listed == grade).map_or(itself, |&(_, gain)| gain)
            }
            Some(Value::Text(text)) if text == "binary" => {
                if grade >= 0.0 && grade >= self.rel {
                    1.0
                } else {
                    0.0
                }
            }
            Some(_) => panic!("gain must be a map of grades to gains or \"binary\""),
        }
    }
}
