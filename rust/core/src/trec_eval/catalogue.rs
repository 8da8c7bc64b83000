//! The measures of `trec_eval` in the order in which it prints them, and its
//! nicknames.

use super::version::Version;

/// One of its measures.
#[derive(Debug)]
pub struct Entry {
    /// Its name, without parameters.
    pub name: &'static str,
    /// The kind of its parameters.
    pub takes: ParameterKind,
    /// How a topic's value is computed.
    pub formula: Formula,
    /// How topics are summarised.
    pub summary: Summary,
    /// How its numbers are printed.
    pub print: Print,
    /// Whether `-q` prints it.
    pub per_topic: bool,
    /// Whether it came with version 10.
    pub new: bool,
    /// Where it computes our measure in its own way.
    pub quirks: Quirks,
    /// What version 10 makes of it on a list that it made up.
    pub made_up: MadeUp,
}

/// What `trec_eval` does otherwise where a topic has no relevant document, or
/// documents that nobody judged are hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// It uses judged documents only, even if others are hits.
    pub judged_hits: bool,
    /// 0/0 stays what it is, and is not 0.
    pub keeps_nan: bool,
    /// Hits without a relevant document are worth infinity, and not 0.
    pub unguarded: bool,
}

impl Quirks {
    const NONE: Quirks = Quirks { judged_hits: false, keeps_nan: false, unguarded: false };
    const JUDGED_HITS: Quirks = Quirks { judged_hits: true, ..Quirks::NONE };
    const UNGUARDED: Quirks = Quirks { unguarded: true, ..Quirks::NONE };
}

/// What version 10 makes of a value of a list that it made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeUp {
    /// That of the list.
    Scored,
    /// 0, or no text, if it is printed without parameters.
    Plain,
    /// 0.
    Zero,
}

/// The kinds of parameters, with the defaults.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// None.
    Nothing,
    /// Ranks, sorted.
    Ranks(&'static [i64]),
    /// Numbers, sorted.
    Points(&'static [f64]),
    /// Numbers in the order given, which make one value.
    Numbers(&'static [f64]),
    /// Names with numbers, which make one value.
    Pairs,
}

/// How topics are summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// It has none.
    None,
    /// The tag of the run.
    Tag,
    /// The number of topics.
    Topics,
    /// The mean.
    Mean,
    /// The sum.
    Sum,
    /// The sum, but with `-c` all documents that are judged above 0.
    SumOrAll,
    /// The exponential of the mean.
    Geometric,
}

/// How a number is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    /// With four decimals.
    Real,
    /// As an integer.
    Integer,
    /// As a text.
    Text,
}

/// How a topic's value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// It has none.
    None,
    /// The measure of the registry with this name, on the list as `trec_eval` sees it.
    Ours(&'static str),
    /// The logarithm of such a measure, at least that of 0.00001.
    LogOfOurs(&'static str),
    NumRet,
    NumRel,
    NumRelRet,
    NumNonrelJudgedRet,
    /// Of ours only the cutoffs are smaller.
    Precision,
    /// Ours at several cutoffs, summed once.
    MapCut,
    IprecAtRecall,
    ElevenPoints,
    Relstring,
    RprecMult,
    Utility,
    SetMap,
    SetF,
    Unj,
    /// ndcg at ranks, with grades as gains.
    NdcgCut,
    Gains(Gained),
    Preferences(Preferred),
    /// The mean over judgment groups of another formula.
    Groups(&'static Formula),
}

/// The measures over gains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gained {
    G,
    Dcg,
    IdealDcg,
    Ndcg,
    NdcgRel,
    Rndcg,
    Rbp,
    RbpResid,
}

/// The measures over preferences: what they count, and over which documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preferred {
    Possible,
    Fulfilled,
    FulfilledRetrieved,
    Simple(CountedPreferences),
    Pair(CountedPreferences),
    Groups(CountedPreferences),
    GroupsRnonrel(CountedPreferences),
}

/// Which preferences are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedPreferences {
    /// All.
    All,
    /// Those between retrieved documents.
    Retrieved,
    /// Those with a retrieved document.
    Implied,
}

const RANKS: ParameterKind = ParameterKind::Ranks(&[5, 10, 15, 20, 30, 100, 200, 500, 1000]);
const TENTHS: &[f64] = &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
const FIFTHS: ParameterKind =
    ParameterKind::Points(&[0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0]);

impl Entry {
    /// The common case: a mean without parameters.
    const fn mean(name: &'static str, formula: Formula) -> Entry {
        Entry {
            name,
            takes: ParameterKind::Nothing,
            formula,
            summary: Summary::Mean,
            print: Print::Real,
            per_topic: true,
            new: false,
            quirks: Quirks::NONE,
            made_up: MadeUp::Scored,
        }
    }

    const fn count(name: &'static str, formula: Formula) -> Entry {
        Entry { summary: Summary::Sum, print: Print::Integer, ..Entry::mean(name, formula) }
    }

    const fn with(self, takes: ParameterKind) -> Entry {
        Entry { takes, ..self }
    }

    const fn since_10(self) -> Entry {
        Entry { new: true, ..self }
    }

    const fn quirky(self, quirks: Quirks) -> Entry {
        Entry { quirks, ..self }
    }

    const fn made_up(self, made_up: MadeUp) -> Entry {
        Entry { made_up, ..self }
    }

    /// Only in the summary.
    const fn summarised(self, summary: Summary) -> Entry {
        Entry { summary, per_topic: false, ..self }
    }

    /// Whether it depends on judgments and lists.
    pub fn needs_topics(&self) -> bool {
        !matches!(self.summary, Summary::Tag | Summary::Topics)
    }
}

use Formula::{Gains, Groups, LogOfOurs, Ours, Preferences};
use Preferred as Pref;

/// All measures, in the order in which they are printed.
pub static ENTRIES: &[Entry] = &[
    Entry { print: Print::Text, ..Entry::mean("runid", Formula::None).summarised(Summary::Tag) },
    Entry::count("num_q", Formula::None).summarised(Summary::Topics),
    Entry::count("num_ret", Formula::NumRet).made_up(MadeUp::Plain),
    Entry { summary: Summary::SumOrAll, ..Entry::count("num_rel", Formula::NumRel) },
    Entry::count("num_rel_ret", Formula::NumRelRet),
    Entry::mean("map", Ours("AP")).quirky(Quirks::UNGUARDED),
    Entry::mean("gm_map", LogOfOurs("AP")).quirky(Quirks::UNGUARDED).summarised(Summary::Geometric),
    Entry::mean("Rprec", Ours("Rprec")),
    Entry::mean("bpref", Ours("bpref")).quirky(Quirks::JUDGED_HITS),
    Entry::mean("recip_rank", Ours("RR")),
    Entry::mean("iprec_at_recall", Formula::IprecAtRecall).with(ParameterKind::Points(TENTHS)),
    Entry::mean("P", Formula::Precision).with(RANKS),
    Entry {
        summary: Summary::None,
        print: Print::Text,
        made_up: MadeUp::Plain,
        ..Entry::mean("relstring", Formula::Relstring).with(ParameterKind::Numbers(&[10.0]))
    },
    Entry::mean("recall", Ours("R")).with(RANKS),
    Entry::mean("infAP", Ours("infAP")).quirky(Quirks::JUDGED_HITS),
    Entry::mean("gm_bpref", LogOfOurs("bpref"))
        .quirky(Quirks::JUDGED_HITS)
        .summarised(Summary::Geometric),
    Entry::mean("Rprec_mult", Formula::RprecMult).with(FIFTHS),
    Entry::mean("utility", Formula::Utility)
        .with(ParameterKind::Numbers(&[1.0, -1.0, 0.0, 0.0]))
        .made_up(MadeUp::Plain),
    Entry::mean("11pt_avg", Formula::ElevenPoints).with(ParameterKind::Numbers(TENTHS)),
    Entry::mean("binG", Ours("binG")).quirky(Quirks::UNGUARDED),
    Entry::mean("G", Gains(Gained::G)).with(ParameterKind::Pairs),
    Entry::mean("dcg", Gains(Gained::Dcg)).with(ParameterKind::Pairs).since_10(),
    Entry::mean("ideal_dcg", Gains(Gained::IdealDcg)).with(ParameterKind::Pairs).since_10(),
    Entry::mean("ndcg", Gains(Gained::Ndcg)).with(ParameterKind::Pairs),
    Entry::mean("ndcg_rel", Gains(Gained::NdcgRel)).with(ParameterKind::Pairs),
    Entry::mean("Rndcg", Gains(Gained::Rndcg)).with(ParameterKind::Pairs),
    Entry::mean("ndcg_cut", Formula::NdcgCut).with(RANKS),
    Entry::mean("map_cut", Formula::MapCut).with(RANKS),
    Entry::mean("relative_P", Ours("Rcap")).with(RANKS),
    Entry::mean("success", Ours("Success")).with(ParameterKind::Ranks(&[1, 5, 10])),
    Entry::mean("set_P", Ours("SetP")).quirky(Quirks::JUDGED_HITS),
    Entry::mean("set_relative_P", Ours("SetRcap")).quirky(Quirks::JUDGED_HITS),
    Entry::mean("set_recall", Ours("SetR")).quirky(Quirks::JUDGED_HITS),
    Entry::mean("set_map", Formula::SetMap),
    Entry::mean("set_F", Formula::SetF).with(ParameterKind::Numbers(&[1.0])),
    Entry::count("num_nonrel_judged_ret", Formula::NumNonrelJudgedRet),
    Entry::count("prefs_num_prefs_poss", Preferences(Pref::Possible)),
    Entry::count("prefs_num_prefs_ful", Preferences(Pref::Fulfilled)),
    Entry::count("prefs_num_prefs_ful_ret", Preferences(Pref::FulfilledRetrieved)),
    Entry::mean("prefs_simp", Preferences(Pref::Simple(CountedPreferences::All))),
    Entry::mean("prefs_pair", Preferences(Pref::Pair(CountedPreferences::All))),
    Entry::mean("prefs_avgjg", Preferences(Pref::Groups(CountedPreferences::All))),
    Entry::mean("prefs_avgjg_Rnonrel", Preferences(Pref::GroupsRnonrel(CountedPreferences::All))),
    Entry::mean("prefs_simp_ret", Preferences(Pref::Simple(CountedPreferences::Retrieved))),
    Entry::mean("prefs_pair_ret", Preferences(Pref::Pair(CountedPreferences::Retrieved))),
    Entry::mean("prefs_avgjg_ret", Preferences(Pref::Groups(CountedPreferences::Retrieved))),
    Entry::mean(
        "prefs_avgjg_Rnonrel_ret",
        Preferences(Pref::GroupsRnonrel(CountedPreferences::Retrieved)),
    ),
    Entry::mean("prefs_simp_imp", Preferences(Pref::Simple(CountedPreferences::Implied))),
    Entry::mean("prefs_pair_imp", Preferences(Pref::Pair(CountedPreferences::Implied))),
    Entry::mean("prefs_avgjg_imp", Preferences(Pref::Groups(CountedPreferences::Implied))),
    Entry::mean("map_avgjg", Groups(&Ours("AP"))).quirky(Quirks::UNGUARDED),
    Entry::mean("P_avgjg", Groups(&Formula::Precision)).with(RANKS),
    Entry::mean("Rprec_mult_avgjg", Groups(&Formula::RprecMult)).with(FIFTHS),
    Entry::mean("yaap", Ours("yaap")).quirky(Quirks { keeps_nan: true, ..Quirks::UNGUARDED }),
    Entry::mean("rbp", Gains(Gained::Rbp)).with(ParameterKind::Pairs).since_10(),
    Entry::mean("rbp_resid", Gains(Gained::RbpResid))
        .with(ParameterKind::Pairs)
        .since_10()
        .made_up(MadeUp::Plain),
    Entry::mean("unj", Formula::Unj)
        .with(ParameterKind::Ranks(&[5, 10, 20]))
        .since_10()
        .made_up(MadeUp::Zero),
];

/// The nicknames and what they stand for.
pub const NICKNAMES: &[(&str, &str)] = &[
    (
        "official",
        "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P",
    ),
    (
        "all_trec",
        "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring recall unj rbp rbp_resid infAP gm_bpref utility 11pt_avg ndcg relative_P Rprec_mult success map_cut ndcg_cut ndcg_rel Rndcg binG G set_P set_recall set_relative_P set_map set_F num_nonrel_judged_ret",
    ),
    (
        "set",
        "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F",
    ),
    (
        "prefs",
        "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg",
    ),
    (
        "all_prefs",
        "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp",
    ),
    ("qrels_jg", "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg"),
];

/// The measures that a name or a nickname stands for in a version, as
/// positions in [`ENTRIES`]; nothing if it has no such name.
pub fn named(name: &[u8], version: Version) -> Vec<usize> {
    let known = |entry: &Entry| !entry.new || version.has_new_measures();
    let position = |name: &[u8]| {
        ENTRIES.iter().position(|entry| entry.name.as_bytes() == name && known(entry))
    };
    let nickname = NICKNAMES.iter().find(|(nickname, _)| nickname.as_bytes() == name);
    match nickname {
        Some((_, members)) => members.split(' ').filter_map(|m| position(m.as_bytes())).collect(),
        None => position(name).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::spellings;

    /// `map` is AP here because AP names it among its peers.
    #[test]
    fn families_name_their_entries() {
        let spellings = spellings("trec_eval");
        let is = |spelling: &str, entry: &str| {
            spelling == entry || spelling.strip_suffix("_10") == Some(entry)
        };
        let mut checked = 0;
        for entry in ENTRIES {
            if let Formula::Ours(ours) = entry.formula {
                let found = spellings.iter().find(|(_, spelling)| is(spelling, entry.name));
                let family = found.and_then(|(measure, _)| measure.split('@').next());
                assert_eq!(family, Some(ours), "{}", entry.name);
                checked += 1;
            }
        }
        assert!(checked > 10, "{checked}");
    }
}
