//! The spellings of other tools: those that are ours, and those that are refused.

use super::caret::point;
use crate::error::{Advice, Error, Interface, Kind, Result, quote};
use crate::measure::{FAMILIES, Family, Measure, Value, find, same_letters};

/// Whether a text is a number as cutoffs are: `10`, `.5`, `-1`.
pub(super) fn is_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The cutoffs that `trec_eval` prints when none are named.
const RANKS: &str = "5,10,15,20,30,100,200,500,1000";

/// The multiples of R that it prints.
const MULTIPLES: &str = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2";

/// Names of `trec_eval` that end with their cutoffs, and the cutoffs when they have none. What they
/// are here, the families say ([`Peer`](crate::measure::Peer)).
const CUT: &[(&str, &str)] = &[
    ("P", RANKS),
    ("recall", RANKS),
    ("ndcg_cut", RANKS),
    ("map_cut", RANKS),
    ("relative_P", RANKS),
    ("success", "1,5,10"),
];

/// Names that no program prints so, or whose numbers are no cutoffs: ours with a place for each
/// number, and the numbers when none are named.
const WRITTEN: &[(&str, &str, &str)] = &[
    ("judged", "Judged@#", "10"),
    ("Rprec_mult", "Rprec(mult=#)", MULTIPLES),
    ("utility", "Utility(tp=#,fp=#,fn=#,tn=#)", "1,-1,0,0"),
    // trec_eval 8.1 prints it as bpref, which is our own name.
    ("bpref_topRnonrel", "bpref(nonrel=\"pooled\")", ""),
    // NTCIREVAL's name, of which no alias can be, since it has a comma.
    ("NCUgu,BR", "NCU", ""),
    // Yilmaz and Aslam's, and Sakai's names.
    ("indAP", "AP'", ""),
    ("bpref_relative2", "AP'", ""),
];

/// Programs whose names are taken, with the measure that their values are.
const TAKEN: &[&str] = &["trec_eval", "trec_eval 8.1", "NTCIREVAL"];

/// The names of other programs that are no names of ours, and what they are here. Those of
/// `trec_eval` are taken even if some value differs, as its names are here in general.
fn names_of_programs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let peers = FAMILIES.iter().flat_map(|family| family.peers);
    let taken = peers
        .filter(|peer| TAKEN.contains(&peer.tool) && (peer.agrees() || peer.tool == "trec_eval"));
    taken.filter_map(|peer| Some((peer.spelling, peer.here?)))
}

/// What a name is in ours, with a place for each number, and its numbers when it has none.
fn written(name: &str) -> Option<(String, &'static str)> {
    if let Some((_, ours, all)) = WRITTEN.iter().find(|row| row.0.eq_ignore_ascii_case(name)) {
        return Some((ours.to_string(), all));
    }
    let (name, all) = CUT.iter().find(|row| row.0.eq_ignore_ascii_case(name))?;
    let cut = |spelling: &str| {
        spelling
            .strip_prefix(name)
            .is_some_and(|rest| rest.strip_prefix('_').is_some_and(is_number))
    };
    let peers = |family: &&Family| {
        family.peers.iter().any(|peer| peer.tool == "trec_eval" && cut(peer.spelling))
    };
    let family = FAMILIES.iter().copied().find(peers)?;
    Some((format!("{}@#", family.about.name), all))
}

/// Spellings of other tools whose definition is not ours: what they mean
/// there, and what can be written instead; `#` is the number that follows them.
const REFUSED: &[(&str, &str)] = &[
    (
        "iprec_at_recall",
        "trec_eval rounds the number of documents that a recall level needs; the exact measure is IPrec@0.1",
    ),
    ("11pt_avg", ELEVEN),
    ("11pt", ELEVEN),
    ("set_F", "trec_eval takes the parameter of set_F for beta squared; write SetF(beta=...)"),
    (
        "rbp",
        "tools disagree on what follows the name; write RBP(p=0.95), or RBP(p=0.95,max_rel=3) for grades",
    ),
    (
        "rbp_resid",
        "trec_eval leaves out what lies beyond the end of the run; the whole residual is RBP_residual(p=0.9)",
    ),
    (
        "unj",
        "trec_eval divides by the cutoff even when the ranking is shorter; the proportion of the documents that are there is Unjudged@10",
    ),
    ("relstring", "it is not a number but the grades of the first documents"),
    ("prefs_pair", PAIR),
    ("prefs_pair_ret", PAIR),
    ("prefs_pair_imp", PAIR),
    ("prefs_avgjg", JUDGES),
    ("prefs_avgjg_ret", JUDGES),
    ("prefs_avgjg_imp", JUDGES),
    ("prefs_avgjg_Rnonrel", JUDGES),
    ("prefs_avgjg_Rnonrel_ret", JUDGES),
    ("map_avgjg", "it is a mean over several judges; with one it is AP"),
    ("P_avgjg", "it is a mean over several judges; with one it is P@10"),
    ("Rprec_mult_avgjg", "it is a mean over several judges; with one it is Rprec(mult=0.2)"),
    ("prefs", PREFS),
    ("all_prefs", PREFS),
    (
        "qrels_jg",
        "its measures are means over several judges; with one they are AP, P@10 and Rprec(mult=0.2)",
    ),
    (
        "3pt_avg",
        "trec_eval rounds the number of documents that a recall level needs; exact are IPrec@0.2, IPrec@0.5 and IPrec@0.8",
    ),
    ("accuracy", HIT),
    ("acc", HIT),
    ("top_k_accuracy", HIT),
    ("top_k_acc", HIT),
    (
        "hits",
        "ranx counts the relevant documents among the first #, others say whether there is one; write Success@# for that, and num_rel_ret with depth=# for the count",
    ),
    ("hr", RATIO),
    ("hit_ratio", RATIO),
];

/// Spellings of what is no measure of one list, with the place where it is computed.
const ELSEWHERE: &[(&str, &str, Advice)] = &[
    ("runid", "it is not a number but the tag of a run", Advice::Tag),
    ("num_q", "it is the number of topics", Advice::Topics),
    ("NumQ", "it is the number of topics", Advice::Topics),
    ("RPP", "it compares two runs", Advice::Preferences),
    ("lexirecall", "it compares two runs", Advice::Preferences),
    ("lexiprecision", "it compares two runs", Advice::Preferences),
    ("RBO", "it compares two rankings without judgments", Advice::Overlap),
    ("AWRF", "it reads groups of documents", Advice::GroupsOfDocuments),
    ("EE_L", "it reads groups of documents and several lists", Advice::Exposure),
    ("EE_D", "it reads groups of documents and several lists", Advice::Exposure),
    ("EE_R", "it reads groups of documents and several lists", Advice::Exposure),
    ("p_MRR", "it compares a run with another under an instruction", Advice::Instructions),
    ("nAUC", "it is about all topics of a run together", Advice::Abstention),
    ("nugget_recall", "it reads nuggets of answers", Advice::Nuggets),
    ("citation_support", "it reads sentences of answers", Advice::Citations),
    (SESSION_DCG, SDCG, Advice::Sessions),
    ("nsDCG", SDCG, Advice::Sessions),
];

const SDCG: &str = "it is over the queries of a session; SDCG@10 is scaled DCG";

const HIT: &str =
    "whether a relevant document is among the first # is Success@#; of the set it is Accuracy";
const RATIO: &str = "whether a relevant document is among the first # is Success@#; the proportion of them that are is R@#";
const ELEVEN: &str =
    "trec_eval rounds the number of documents that a recall level needs; the exact measure is IAP";

/// Unlike SDCG, which is another measure, but for case.
pub(super) const SESSION_DCG: &str = "sDCG";

const PAIR: &str = "it weighs each pair by the judges who agree; with one judge it is Pref";
const JUDGES: &str = "it is a mean over several judges; with one it is Pref";
const PREFS: &str = "some of its measures are means over several judges; those of one are num_prefs num_prefs_ful Pref";

/// Names for lists of measures.
const NICKNAMES: &[(&str, &str)] = &[
    ("official", "num_ret num_rel num_rel_ret AP GMAP Rprec bpref RR P:all"),
    ("set", "num_ret num_rel num_rel_ret Utility SetP SetRcap SetR SetAP SetF"),
    (
        "all_trec",
        "num_ret num_rel num_rel_ret AP GMAP Rprec bpref RR P:all recall:all infAP gm_bpref Rprec_mult:all Utility \
         binG G nDCG nDCG_rel RnDCG ndcg_cut:all map_cut:all relative_P:all success:all SetP SetRcap SetR SetAP SetF \
         num_nonrel_judged_ret",
    ),
];

/// Whether a comma at a place belongs to the name that a text begins with, such
/// as NCUgu,BR.
pub(super) fn is_in_a_name(text: &str, comma: usize) -> bool {
    let names = WRITTEN.iter().map(|row| row.0).chain(names_of_programs().map(|row| row.0));
    let mut names = names.filter(|name| name.contains(','));
    names.any(|name| {
        let same = text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        same && comma < name.len()
    })
}

/// The members of a nickname, in our spelling; `name:all` has all default
/// cutoffs.
pub(super) fn members(nickname: &str) -> Option<Vec<String>> {
    let (_, members) = NICKNAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(nickname))?;
    let spelled = |member: &str| match member.split_once(':') {
        None => vec![member.to_string()],
        Some((name, _)) => at_default(name).and_then(Result::ok).unwrap_or_default(),
    };
    Some(members.split_whitespace().flat_map(spelled).collect())
}

/// What a name of `trec_eval` stands for with all numbers that it has by
/// default, in our spelling.
pub(super) fn at_default(name: &str) -> Option<Result<Vec<String>>> {
    let same = |known: &str| known == name;
    let known = CUT.iter().any(|row| same(row.0)) || WRITTEN.iter().any(|row| same(row.0));
    let (ours, numbers) = written(name).filter(|_| known)?;
    Some(filled(&ours, numbers, name))
}

/// What a spelling of `trec_eval`, BEIR or MTEB, which carry their numbers in the
/// name, is in ours; nothing for any other text.
pub(super) fn ours(head: &str, text: &str) -> Result<Option<Vec<String>>> {
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
    let splits =
        |&(at, c): &(usize, char)| c == '.' || c == '_' && head[at + 1..].starts_with(numeric);
    let (name, numbers) = match head.char_indices().find(splits) {
        Some((at, _)) => (&head[..at], &head[at + 1..]),
        None => (head, ""),
    };
    for (refused, reason, advice) in all_refused() {
        let bare = head.eq_ignore_ascii_case(refused);
        if (bare && find(head).is_none())
            || (!numbers.is_empty() && name.eq_ignore_ascii_case(refused))
        {
            return Err(refusal(head, reason, advice));
        }
    }
    if let Some((ours, all)) = written(name) {
        return match numbers {
            "" if find(name).is_some() => Ok(None),
            "" => filled(&ours, all, text).map(Some),
            numbers => filled(&ours, numbers, text).map(Some),
        };
    }
    let of_a_program = |name: &str| {
        let mut named = names_of_programs().filter(|_| find(name).is_none());
        named.find(|(theirs, _)| theirs.eq_ignore_ascii_case(name)).map(|(_, ours)| ours)
    };
    // bpref_5 has its number in the name.
    if let Some(ours) = of_a_program(head) {
        return Ok(Some(vec![ours.to_string()]));
    }
    if let Some(ours) = of_a_program(name) {
        return filled(ours, numbers, text).map(Some);
    }
    let measure = name.strip_suffix("_at").filter(|_| !numbers.is_empty());
    match measure.and_then(find) {
        Some(family) => filled(&format!("{}@#", family.about.name), numbers, text).map(Some),
        None => Ok(None),
    }
}

/// Our spelling with numbers in its places, `#`, as often as there are numbers for it.
fn filled(ours: &str, numbers: &str, text: &str) -> Result<Vec<String>> {
    let places = ours.matches('#').count();
    let numbers: Vec<&str> =
        if numbers.is_empty() { Vec::new() } else { numbers.split(',').collect() };
    if numbers.is_empty() && places == 0 {
        return Ok(vec![ours.to_string()]);
    }
    if places == 0 || !numbers.len().is_multiple_of(places) {
        let sentence = match places {
            0 => "expected no number".to_string(),
            places => format!("expected {places} numbers, as in {ours}"),
        };
        return Err(point(Kind::Parameter, text, 0, text.len(), &sentence, ""));
    }
    let of_one = |numbers: &[&str]| {
        numbers.iter().fold(ours.to_string(), |spelling, number| spelling.replacen('#', number, 1))
    };
    Ok(numbers.chunks(places).map(of_one).collect())
}

/// Why a measure that `ir_measures` made is not the one that its text names here, if it is not.
pub fn of_ir_measures(measure: &Measure) -> Option<String> {
    let name = measure.family.about.name;
    match (name, measure.value("beta")) {
        ("Accuracy", _) => Some(
            "is refused: it is the proportion of correctly ordered pairs of retrieved documents, \
             and Accuracy here is that of a set; the closest measure is AUC"
                .to_string(),
        ),
        ("SetF", &Value::Number(square)) if square != 1.0 => {
            let beta = square.sqrt();
            Some(format!("is refused: its beta is beta squared; write SetF(beta={beta})"))
        }
        _ => None,
    }
}

/// The refusal of a name, if it is one whose definition is not ours.
#[cold]
pub(super) fn refused(name: &str, text: &str) -> Option<Error> {
    let letters = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let bare = &name[..letters(name)];
    let bare = bare.strip_suffix('_').map_or(name, |bare| bare.strip_suffix("_at").unwrap_or(bare));
    let (_, reason, advice) = all_refused()
        .find(|(refused, ..)| same_letters(refused, name) || same_letters(refused, bare))?;
    Some(refusal(text, reason, advice))
}

/// The names of other tools that are refused, with what to write instead; k is a number.
pub fn refusals() -> Vec<(&'static str, String)> {
    let reason = |reason: &str, advice| told(&reason.replace('#', "k"), advice, Interface::Python);
    all_refused().map(|(name, text, advice)| (name, reason(text, advice))).collect()
}

fn all_refused() -> impl Iterator<Item = (&'static str, &'static str, Option<Advice>)> {
    let refused = REFUSED.iter().map(|&(name, reason)| (name, reason, None));
    refused.chain(ELSEWHERE.iter().map(|&(name, reason, advice)| (name, reason, Some(advice))))
}

fn told(reason: &str, advice: Option<Advice>, to: Interface) -> String {
    advice.map_or(reason.to_string(), |advice| format!("{reason}; {}", to.advice(advice)))
}

#[cold]
fn refusal(text: &str, reason: &str, advice: Option<Advice>) -> Error {
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = Some(&text[letters..]).filter(|number| !number.is_empty()).unwrap_or("10");
    let reason = reason.replace('#', number);
    Error::for_each(Kind::Measure, |to| {
        format!("{} is refused: {}", quote(text), told(&reason, advice, to))
    })
}
