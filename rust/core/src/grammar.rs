//! Text to measures, and back.
//!
//! ```text
//! measure := [ over "-" ] name [ "(" key=value {"," key=value} ")" ] [ "'" ] [ "@" cutoff ]
//! over    := "EC" | "D" | "DIN" | "IA", all but the first also with "#"
//! value   := number | "text" | 'text' | True | False | None | { num : num , ... }
//! ```
//!
//! Names match without regard to case. A measure prints in one form, which is
//! its identity: defaults are left out, and reading the printed form gives the
//! same measure again. The spellings of other tools are accepted, never
//! printed, and refused where their definition is another.

use std::fmt;

use crate::error::{Error, Kind, Result, nearest, quote};
use crate::measure::{
    Aggregate, Cutoff, Default, FAMILIES, Family, Gain, Measure, Needs, Over, Param, Range, Value,
};

/// The cutoffs that `trec_eval` prints when none are named.
const RANKS: &str = "5,10,15,20,30,100,200,500,1000";

/// The multiples of R that it prints.
const MULTIPLES: &str = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2";

/// `trec_eval`'s measures that are ours with arguments: the name, ours with a
/// place for each number, and the numbers when none are named.
const TREC_SPELLINGS: &[(&str, &str, &str)] = &[
    ("P", "P@#", RANKS),
    ("recall", "R@#", RANKS),
    ("ndcg_cut", "nDCG@#", RANKS),
    ("map_cut", "AP@#", RANKS),
    ("relative_P", "Rcap@#", RANKS),
    ("success", "Success@#", "1,5,10"),
    ("judged", "Judged@#", "10"),
    ("Rprec_mult", "Rprec(mult=#)", MULTIPLES),
    ("utility", "Utility(tp=#,fp=#,fn=#,tn=#)", "1,-1,0,0"),
    ("prefs_simp_ret", "Pref(over=\"retrieved\")", ""),
    ("prefs_simp_imp", "Pref(over=\"implied\")", ""),
    ("prefs_num_prefs_ful_ret", "num_prefs_ful(over=\"retrieved\")", ""),
    ("bpref_retnonrel", "bpref(top=\"all\",nonrel=\"retrieved\")", ""),
    ("bpref_retall", "bpref(top=\"all\",nonrel=\"retrieved\",divisor=\"retrieved\")", ""),
    ("bpref_topnonrel", "bpref(top=100,nonrel=\"pooled\")", ""),
    ("bpref_top5Rnonrel", "bpref(top=\"5R\",nonrel=\"pooled\")", ""),
    ("bpref_top10Rnonrel", "bpref(top=\"10R\",nonrel=\"pooled\")", ""),
    ("bpref_top10pRnonrel", "bpref(top=\"10+R\",nonrel=\"pooled\")", ""),
    ("bpref_top25pRnonrel", "bpref(top=\"25+R\",nonrel=\"pooled\")", ""),
    ("bpref_top50pRnonrel", "bpref(top=\"50+R\",nonrel=\"pooled\")", ""),
    ("bpref_top25p2Rnonrel", "bpref(top=\"25+2R\",nonrel=\"pooled\")", ""),
    ("bpref_topRnonrel", "bpref(nonrel=\"pooled\")", ""),
    ("bpref_5", "bpref(nonrel=\"pooled\",first=5)", ""),
    ("old_bpref_top10pRnonrel", "bpref(top=\"10+R\",nonrel=\"retrieved\")", ""),
    // Yilmaz and Aslam's, Sakai's and NTCIREVAL's names.
    ("indAP", "AP'", ""),
    ("bpref_relative2", "AP'", ""),
    ("NCUgu,BR", "NCU", ""),
    ("NCUgu,P", "NCU(x=\"P\")", ""),
    ("NCUrb,BR", "NCU(stop=\"rb\")", ""),
    ("NCUrb,P", "NCU(stop=\"rb\",x=\"P\")", ""),
];

/// Spellings of other tools whose definition is not ours: what they mean
/// there, and what can be written instead.
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
        "trec_eval leaves out what lies beyond the list; the whole residual is RBP_residual(p=0.9)",
    ),
    (
        "unj",
        "trec_eval divides by the cutoff even when the list is shorter; the share of the list is Unjudged@10",
    ),
    ("runid", "it is no number but the tag of a run, in Python run.tag"),
    ("num_q", TOPICS),
    ("NumQ", TOPICS),
    ("relstring", "it is no number but the grades of the first documents"),
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
    ("RPP", TWO_RUNS),
    ("lexirecall", TWO_RUNS),
    ("lexiprecision", TWO_RUNS),
    ("RBO", "it compares two lists without judgments: in Python cranfield.stats.rbo"),
    ("AWRF", "it reads groups of documents: in Python cranfield.fairness.awrf"),
    ("EE_L", EXPOSURE),
    ("EE_D", EXPOSURE),
    ("EE_R", EXPOSURE),
    (
        "p_MRR",
        "it compares a run with another under an instruction: in Python cranfield.instructions.p_mrr",
    ),
    ("nAUC", "it is about all topics of a run together: in Python cranfield.abstention.nauc"),
    ("nugget_recall", "it reads nuggets of answers: in Python cranfield.answers.nugget_recall"),
    (
        "citation_support",
        "it reads sentences of answers: in Python cranfield.answers.citation_support",
    ),
    (SESSION_DCG, SESSION),
    ("nsDCG", SESSION),
];

const ELEVEN: &str =
    "trec_eval rounds the number of documents that a recall level needs; the exact measure is IAP";
const TOPICS: &str = "it is the number of topics, in Python len(scores.topics)";

/// Unlike SDCG, which is another measure, but for case.
const SESSION_DCG: &str = "sDCG";

const TWO_RUNS: &str =
    "it compares two runs: in Python cranfield.preferences(qrels, runs, \"RPP\")";
const EXPOSURE: &str = "it reads groups of documents and several lists: in Python cranfield.fairness.expected_exposure";
const SESSION: &str =
    "it is over the queries of a session: in Python cranfield.sessions; SDCG@10 is scaled DCG";
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

/// All measures that a text names; white space and commas outside brackets part
/// them, but for commas before numbers, and nicknames stand for several. Every
/// one is complete.
pub fn parse_list(text: &str) -> Result<Vec<Measure>> {
    let mut measures = Vec::new();
    for piece in pieces(text) {
        let bare = || TREC_SPELLINGS.iter().find(|(trec, ..)| *trec == piece);
        let found = parse_piece(piece)?;
        // A name of `trec_eval` that is nothing without a cutoff here has all
        // of its own; a name of ours is left as it is.
        measures.extend(match found.as_slice() {
            [one] if complete(one).is_err() && one.family.about.name != piece => match bare() {
                Some((_, ours, numbers)) => filled(ours, numbers, piece)?,
                None => found,
            },
            _ => found,
        });
    }
    if measures.is_empty() {
        return Err(Error::new(
            Kind::Measure,
            format!("expected a measure such as nDCG@10, found {}", quote(text)),
        ));
    }
    for measure in &measures {
        complete(measure)?;
    }
    Ok(measures)
}

/// Reads one measure, which may still lack a cutoff.
pub fn parse(text: &str) -> Result<Measure> {
    let several = |found: usize| {
        let message = format!("expected one measure, found {found} in {}", quote(text));
        Err(Error::new(Kind::Measure, message))
    };
    let by_commas = split(text.trim(), |_| false).filter(|piece| !piece.trim().is_empty()).count();
    if by_commas > 1 {
        return several(by_commas);
    }
    match parse_piece(text.trim())?.as_slice() {
        [one] => Ok(one.clone()),
        found => several(found.len()),
    }
}

/// Whether a measure has all that it needs to be computed.
pub fn complete(measure: &Measure) -> Result<()> {
    let name = measure.family.about.name;
    let message = match (measure.family.takes.cutoff, measure.cutoff) {
        _ if !matches!(measure.over, Over::Documents)
            && measure.over != measure.family.sees.over
            && measure.family.sees.needs != Needs::Nothing =>
        {
            let prefix = prefix(measure.over);
            format!("is refused: {name} reads more than grades, so it has no form with {prefix}-")
        }
        _ if measure.over != Over::Documents && measure.aggregate() == Aggregate::Pooled => {
            format!("is refused: {name} weighs topics by their documents, so it has no other form")
        }
        (Cutoff::Required, None) => format!("needs a cutoff, as in {name}@10"),
        (Cutoff::Recall, None) => format!("needs a recall level, as in {name}@0.1"),
        _ => match (measure.family.takes.check)(measure) {
            Ok(()) => return Ok(()),
            Err(message) => message,
        },
    };
    Err(Error::new(Kind::Parameter, format!("{measure} {message}")))
}

/// The measures of a text: splits at white space and commas outside brackets.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    split(text, char::is_whitespace).filter(|piece| !piece.is_empty())
}

/// Splits outside brackets at certain letters, and at commas that no number
/// follows: `P.5,10` is one piece, and so is `P@5,10`.
fn split(text: &str, parts: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    let mut rest = text.char_indices();
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let start = from?;
        for (at, c) in rest.by_ref() {
            depth +=
                i32::from(matches!(c, '(' | '{' | '[')) - i32::from(matches!(c, ')' | '}' | ']'));
            let comma = || {
                c == ','
                    && !begins_with_number(&text[at + 1..])
                    && !is_in_a_name(&text[start..], at - start)
            };
            if depth <= 0 && (parts(c) || comma()) {
                from = Some(at + c.len_utf8());
                return Some(&text[start..at]);
            }
        }
        from = None;
        Some(&text[start..])
    })
}

/// Whether a comma at a place belongs to the name that a text begins with, such
/// as NCUgu,BR.
fn is_in_a_name(text: &str, comma: usize) -> bool {
    let mut names = TREC_SPELLINGS.iter().map(|row| row.0).filter(|name| name.contains(','));
    names.any(|name| {
        let same = text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        same && comma < name.len()
    })
}

/// Whether a number stands before the next comma or blank.
fn begins_with_number(text: &str) -> bool {
    let end = text.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(text.len());
    is_number(&text[..end])
}

/// Whether a text is a number as cutoffs are: `10`, `.5`, `-1`.
fn is_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The measures of one piece: `P@5,10` has one for each cutoff.
fn parse_piece(text: &str) -> Result<Vec<Measure>> {
    if let Some((measure, cutoffs)) = text.rsplit_once('@')
        && cutoffs.contains(',')
        && cutoffs.split(',').all(|cutoff| is_number(cutoff.trim()))
    {
        let mut found = Vec::new();
        for cutoff in cutoffs.split(',') {
            found.extend(parse_single(&format!("{measure}@{}", cutoff.trim()))?);
        }
        return Ok(found);
    }
    parse_single(text)
}

/// As `parse_piece`, where one cutoff follows the sign.
fn parse_single(text: &str) -> Result<Vec<Measure>> {
    let end = text.find(['(', '\'', '@']).unwrap_or(text.len());
    let (head, rest) = (text[..end].trim_end(), &text[end..]);
    if head.is_empty() {
        return Err(point(Kind::Measure, text, 0, 1, "expected the name of a measure", ""));
    }
    if rest.is_empty() {
        let nickname_of = |(name, _): &&(&str, &str)| name.eq_ignore_ascii_case(head);
        if let Some((_, members)) = NICKNAMES.iter().find(nickname_of) {
            return nickname(members);
        }
    }
    let (name, prime) = match head.strip_suffix(".prime") {
        Some(name) => (name, true),
        None => (head, false),
    };
    if rest.is_empty()
        && !prime
        && let Some(measures) = foreign(head, text)?
    {
        return Ok(measures);
    }
    if name == SESSION_DCG {
        return Err(unknown(name, text));
    }
    // ir_measures counts relevant documents so.
    let name =
        if same_letters(name, "NumRet") && rest.starts_with('(') { "num_rel_ret" } else { name };
    let measure = named(name).ok_or_else(|| unknown(name, text))?;
    let mut parser = Parser { text, at: end, measure, given: Vec::new() };
    parser.measure.prime = prime;
    parser.rest()?;
    Ok(vec![parser.measure])
}

/// What stands before the name of a measure over something else.
const PREFIXES: &[(&str, Over)] =
    &[("EC", Over::Classes), ("D", Over::Global), ("DIN", Over::Typed), ("IA", Over::Intents)];

/// How much the recall of intents counts where a `#` is all that says so.
const SHARP: f64 = 0.5;

/// What stands before a name; nothing for documents.
pub fn prefix(over: Over) -> &'static str {
    PREFIXES.iter().find(|(_, other)| *other == over).map_or("", |(prefix, _)| prefix)
}

/// What a prefix says: over what, and how much the recall of intents counts.
fn form(prefix: &str) -> Option<(Over, f64)> {
    let (bare, sharp) = prefix.strip_suffix('#').map_or((prefix, 0.0), |bare| (bare, SHARP));
    let (_, over) = PREFIXES.iter().find(|(known, _)| known.eq_ignore_ascii_case(bare))?;
    (*over != Over::Classes || sharp == 0.0).then_some((*over, sharp))
}

/// The same measure over what a prefix such as `D#` says; an error is a
/// sentence.
pub fn over(measure: &Measure, prefix: &str) -> std::result::Result<Measure, String> {
    let name = measure.family.about.name;
    if measure.over != Over::Documents {
        return Err(format!("{measure} is not over documents"));
    }
    if measure.family.sees.needs != Needs::Nothing {
        return Err(format!("{name} reads more than grades, so it has no form with {prefix}-"));
    }
    if measure.aggregate() == Aggregate::Pooled {
        return Err(format!(
            "{name} weighs topics by their documents, so it has no form with {prefix}-"
        ));
    }
    match form(prefix) {
        Some((over, sharp)) => Ok(Measure { over, sharp, ..measure.clone() }),
        None => Err(format!(
            "expected one of EC, D, D#, DIN, DIN#, IA and IA# before {name}, found {}",
            quote(prefix)
        )),
    }
}

/// The measure of a name: of a family, or of one over something else.
fn named(name: &str) -> Option<Measure> {
    if let Some(family) = find(name) {
        return Some(Measure::of(family));
    }
    // P+Q# has the sign at its end, as its family is over intents by itself.
    if let Some(bare) = name.strip_suffix('#') {
        let family = find(bare).filter(|family| family.sees.over == Over::Intents)?;
        return Some(Measure { sharp: SHARP, ..Measure::of(family) });
    }
    let of = |prefix: &str, name: &str| {
        let (over, sharp) = form(prefix)?;
        let family = find(name).filter(|family| family.sees.over == Over::Documents)?;
        Some(Measure { over, sharp, ..Measure::of(family) })
    };
    let before = name.split_once(['-', '_']).and_then(|(prefix, name)| of(prefix, name));
    // NTCIREVAL prints IA-nDCG, the literature writes nDCG-IA too.
    before.or_else(|| {
        let (name, suffix) = name.rsplit_once(['-', '_'])?;
        of(suffix, name).filter(|measure| measure.over == Over::Intents)
    })
}

/// The members of a nickname; `name:all` has all default cutoffs.
fn nickname(members: &str) -> Result<Vec<Measure>> {
    let mut measures = Vec::new();
    for member in members.split_whitespace() {
        match member.split_once(':') {
            None => measures.push(parse(member)?),
            Some((name, "all")) => {
                let row = TREC_SPELLINGS.iter().find(|(trec, ..)| *trec == name);
                measures.extend(
                    row.map_or(Ok(Vec::new()), |(_, ours, numbers)| filled(ours, numbers, name))?,
                );
            }
            Some(_) => {}
        }
    }
    Ok(measures)
}

/// Our spelling with numbers in its places, `#`, as often as they go round.
fn filled(ours: &str, numbers: &str, text: &str) -> Result<Vec<Measure>> {
    let places = ours.matches('#').count();
    let numbers: Vec<&str> =
        if numbers.is_empty() { Vec::new() } else { numbers.split(',').collect() };
    if numbers.is_empty() && places == 0 {
        return Ok(vec![parse(ours)?]);
    }
    if places == 0 || !numbers.len().is_multiple_of(places) {
        let sentence = match places {
            0 => "expected no number".to_string(),
            places => format!("expected {places} numbers, as in {ours}"),
        };
        return Err(point(Kind::Parameter, text, 0, text.len(), &sentence, ""));
    }
    let of_one = |numbers: &[&str]| {
        let spelling =
            numbers.iter().fold(ours.to_string(), |s, number| s.replacen('#', number, 1));
        parse(&spelling).map_err(|e| caret(&e, text))
    };
    numbers.chunks(places).map(of_one).collect()
}

fn caret(error: &Error, text: &str) -> Error {
    let (sentence, picture) = error.message().split_once('\n').unwrap_or((error.message(), ""));
    let picture = if picture.is_empty() { String::new() } else { format!("\n{picture}") };
    Error::new(error.kind(), format!("{sentence} in {}{picture}", quote(text)))
}

/// The spellings of `trec_eval`, BEIR and MTEB that carry their numbers in the name.
fn foreign(head: &str, text: &str) -> Result<Option<Vec<Measure>>> {
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
    let splits =
        |&(at, c): &(usize, char)| c == '.' || c == '_' && head[at + 1..].starts_with(numeric);
    let (name, numbers) = match head.char_indices().find(splits) {
        Some((at, _)) => (&head[..at], &head[at + 1..]),
        None => (head, ""),
    };
    for (refused, reason) in REFUSED {
        let bare = head.eq_ignore_ascii_case(refused);
        if (bare && find(head).is_none())
            || (!numbers.is_empty() && name.eq_ignore_ascii_case(refused))
        {
            return Err(refusal(head, reason));
        }
    }
    let row = |text: &str| TREC_SPELLINGS.iter().find(|row| row.0.eq_ignore_ascii_case(text));
    // bpref_5 has its number in the name.
    if let Some((_, ours, "")) = row(head)
        && !numbers.is_empty()
    {
        return filled(ours, "", text).map(Some);
    }
    if let Some((_, ours, all)) = row(name) {
        return match numbers {
            "" if find(name).is_some() => Ok(None),
            "" => filled(ours, all, text).map(Some),
            numbers => filled(ours, numbers, text).map(Some),
        };
    }
    let measure = name.strip_suffix("_at").filter(|_| !numbers.is_empty());
    match measure.and_then(find) {
        Some(family) => filled(&format!("{}@#", family.about.name), numbers, text).map(Some),
        None => Ok(None),
    }
}

/// The family of a name or another spelling of it, a hyphen as an underscore.
/// Two names may differ in case alone (nRBP and NRBP); then only those very
/// spellings are names.
pub fn find(name: &str) -> Option<&'static Family> {
    let is = |family: &Family, same: &dyn Fn(&str) -> bool| {
        same(family.about.name) || family.about.aliases.iter().any(|alias| same(alias))
    };
    let exact = FAMILIES.iter().find(|family| is(family, &|other| other == name));
    exact.copied().or_else(|| {
        let mut alike =
            FAMILIES.iter().filter(|family| is(family, &|other| same_letters(other, name)));
        alike.next().filter(|_| alike.next().is_none()).copied()
    })
}

/// Whether two names are the same but for case, and for hyphens and underscores.
fn same_letters(one: &str, other: &str) -> bool {
    let letter = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    one.bytes().map(letter).eq(other.bytes().map(letter))
}

#[cold]
fn refusal(text: &str, reason: &str) -> Error {
    Error::new(Kind::Measure, format!("{} is refused: {reason}", quote(text)))
}

#[cold]
fn unknown(name: &str, text: &str) -> Error {
    if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| same_letters(refused, name)) {
        return refusal(text, reason);
    }
    let names = FAMILIES.iter().flat_map(|family| {
        std::iter::once(family.about.name).chain(family.about.aliases.iter().copied())
    });
    let suggestion = match nearest(name, names) {
        Some(near) => format!("did you mean {near}?"),
        None => "`cranfield measures` lists all".to_string(),
    };
    point(Kind::Measure, text, 0, name.len(), "unknown measure", &suggestion)
}

/// An error that shows the text with a caret under the part that is wrong.
#[cold]
fn point(
    kind: Kind,
    text: &str,
    from: usize,
    to: usize,
    sentence: &str,
    suggestion: &str,
) -> Error {
    let width = |text: Option<&str>| text.map_or(0, |t| t.chars().count());
    let indent = " ".repeat(width(text.get(..from)));
    let carets = "^".repeat(width(text.get(from..to)).max(1));
    let hint = if suggestion.is_empty() { String::new() } else { format!("; {suggestion}") };
    let message = format!("{sentence}: {}{hint}", quote(text));
    // Nobody looks for a caret in a text that does not fit on a line.
    if text.chars().count() > SHOWN || text.chars().any(char::is_control) {
        return Error::new(kind, message);
    }
    Error::new(kind, format!("{message}\n  {text}\n  {indent}{carets}"))
}

/// The longest text that an error shows with a caret or as a value.
const SHOWN: usize = 100;

/// Reads what follows a name.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    measure: Measure,
    given: Vec<&'static str>,
}

impl<'a> Parser<'a> {
    fn rest(&mut self) -> Result<()> {
        if self.take('(') {
            self.arguments()?;
        }
        if self.take('\'') || self.take_word(".prime") {
            self.measure.prime = true;
        }
        if self.take('@') {
            let start = self.at;
            let cutoff = self.number("a cutoff such as @10")?;
            set_cutoff(&mut self.measure, cutoff).map_err(|e| self.error(start, &e))?;
        }
        if self.at < self.text.len() {
            let several = self.peek(',') || self.peek(';');
            let hint = if several { "; spaces or commas separate measures" } else { "" };
            return Err(self.error(self.at, &format!("expected the end of the measure{hint}")));
        }
        check_prime(&self.measure).map_err(|e| self.error(0, &e))
    }

    fn arguments(&mut self) -> Result<()> {
        while !self.take(')') {
            let start = self.at;
            let key = self.word();
            if key.is_empty() {
                return Err(self.error(start, "expected a parameter such as p=0.8, or `)`"));
            }
            if !self.take('=') {
                return Err(self.error(self.at, "expected `=` and a value"));
            }
            let from = self.at;
            let value = self.value()?;
            let set = set(&mut self.measure, key, value, &mut self.given);
            set.map_err(|(of_key, sentence)| {
                self.error(if of_key { start } else { from }, &sentence)
            })?;
            if !self.take(',') && !self.peek(')') {
                return Err(self.error(self.at, "expected `,` or `)`"));
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Value> {
        let start = self.at;
        if self.take('{') {
            return self.map();
        }
        if self.peek('[') {
            let sentence = "expected one value, found a list, which no parameter takes; write a measure for each value, separated by spaces, and gains as a map, {1:1,2:3}";
            return Err(self.error(start, sentence));
        }
        for quote in ['"', '\''] {
            if self.take(quote) {
                let rest = &self.text[self.at..];
                let Some(length) = rest.find(quote) else {
                    return Err(self.error(start, "expected the end of the quoted word"));
                };
                self.at += length + 1;
                return Ok(Value::Text(rest[..length].to_string()));
            }
        }
        match self.text[self.at..].split([',', ')', ' ']).next() {
            Some(word @ ("True" | "true")) => Ok(self.flag(word, true)),
            Some(word @ ("False" | "false")) => Ok(self.flag(word, false)),
            Some("None") => {
                self.at += "None".len();
                Ok(Value::None)
            }
            _ => Ok(Value::Number(
                self.number("a number, a quoted word, True, False, None or {grade: gain}")?,
            )),
        }
    }

    fn flag(&mut self, word: &str, value: bool) -> Value {
        self.at += word.len();
        Value::Flag(value)
    }

    fn map(&mut self) -> Result<Value> {
        let mut pairs = Vec::new();
        while !self.take('}') {
            let from = self.number("a grade")?;
            if !self.take(':') {
                return Err(self.error(self.at, "expected `:` and a gain"));
            }
            pairs.push((from, self.number("a gain")?));
            if !self.take(',') && !self.peek('}') {
                return Err(self.error(self.at, "expected `,` or `}`"));
            }
        }
        Ok(Value::Map(pairs))
    }

    fn number(&mut self, what: &str) -> Result<f64> {
        self.spaces();
        let rest = &self.text[self.at..];
        let numeric = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        let length = rest.find(|c| !numeric(c)).unwrap_or(rest.len());
        match rest[..length].parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.at += length;
                Ok(value)
            }
            _ => Err(self.error(self.at, &format!("expected {what}"))),
        }
    }

    fn word(&mut self) -> &'a str {
        self.spaces();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.spaces();
        let found = self.text[self.at..].starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn peek(&mut self, c: char) -> bool {
        self.spaces();
        self.text[self.at..].starts_with(c)
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    #[cold]
    fn error(&self, at: usize, sentence: &str) -> Error {
        point(Kind::Parameter, self.text, at, at + 1, sentence, "")
    }
}

/// Sets an argument by its key; an error says whether the key or the value is
/// wrong. Also the way in which Python's keywords are set.
pub fn set(
    measure: &mut Measure,
    key: &str,
    value: Value,
    given: &mut Vec<&'static str>,
) -> std::result::Result<(), (bool, String)> {
    let family = measure.family;
    let wrong = |sentence: String| Err((false, sentence));
    match (key, &value) {
        ("rel", _) if family.takes_rel() => match value {
            Value::Number(rel) if rel >= 0.0 => (measure.rel, measure.rel_given) = (rel, true),
            _ => return wrong("expected a number of at least 0 as rel".into()),
        },
        ("gain" | "gains", _) if family.takes_gain() => {
            measure.gain = gain(value).map_err(|e| (false, e))?;
        }
        ("gamma", _) if has_gamma(measure) => match value {
            Value::Number(gamma) if (0.0..=1.0).contains(&gamma) => measure.sharp = gamma,
            _ => return wrong("expected a number from 0 to 1 as gamma".into()),
        },
        ("judged_only", Value::Flag(flag)) => measure.prime = *flag,
        ("judged_only", _) => return wrong("expected True or False as judged_only".into()),
        ("cutoff", Value::Number(cutoff)) => {
            set_cutoff(measure, *cutoff).map_err(|e| (false, e))?;
        }
        _ => {
            let Some(position) = family.takes.params.iter().position(|param| param.key == key)
            else {
                return Err((true, no_parameter(measure, key)));
            };
            let param = &family.takes.params[position];
            if given.contains(&param.key) {
                return Err((true, format!("{key} is given twice")));
            }
            if let Some(other) = param.replaces {
                if given.contains(&other) {
                    return Err((
                        true,
                        format!("{} takes {key} or {other}, not both", family.about.name),
                    ));
                }
                if let Some(i) = family.takes.params.iter().position(|param| param.key == other) {
                    measure.values[i] = Value::None;
                }
            }
            if let Some(other) = family
                .takes
                .params
                .iter()
                .find(|p| p.replaces == Some(param.key) && given.contains(&p.key))
            {
                return Err((
                    true,
                    format!("{} takes {key} or {}, not both", family.about.name, other.key),
                ));
            }
            measure.values[position] = admitted(param, value).map_err(|e| (false, e))?;
            given.push(param.key);
        }
    }
    Ok(())
}

/// Whether `gamma` is how much the recall of intents counts: NCU has another
/// one.
fn has_gamma(measure: &Measure) -> bool {
    let own = measure.family.takes.params.iter().any(|param| param.key == "gamma");
    !own && !matches!(measure.over, Over::Documents | Over::Classes)
}

fn no_parameter(measure: &Measure, key: &str) -> String {
    let family = measure.family;
    let mut keys: Vec<&str> = family.takes.params.iter().map(|param| param.key).collect();
    keys.extend(family.takes_rel().then_some("rel"));
    keys.extend(family.takes_gain().then_some("gain"));
    keys.extend(has_gamma(measure).then_some("gamma"));
    let known = if keys.is_empty() { "no parameters".into() } else { keys.join(", ") };
    let near = nearest(key, keys.into_iter()).map(|near| format!("; did you mean {near}?"));
    format!(
        "{} has no parameter {}; it takes {known}{}",
        family.about.name,
        quote(key),
        near.unwrap_or_default()
    )
}

/// Sets the cutoff; an error is a sentence.
pub fn set_cutoff(measure: &mut Measure, cutoff: f64) -> std::result::Result<(), String> {
    let name = measure.family.about.name;
    match measure.family.takes.cutoff {
        Cutoff::None => return Err(format!("{name} takes no cutoff")),
        Cutoff::Recall if !(0.0..=1.0).contains(&cutoff) => {
            return Err(format!("expected a recall level from 0 to 1 after @, found {cutoff}"));
        }
        Cutoff::Optional | Cutoff::Required
            if cutoff.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&cutoff) =>
        {
            let most = u32::MAX;
            return Err(format!(
                "expected a whole number from 1 to {most} as cutoff, found {cutoff}"
            ));
        }
        _ => measure.cutoff = Some(cutoff),
    }
    Ok(())
}

/// Whether the condensed list makes sense for a measure that asks for it.
pub fn check_prime(measure: &Measure) -> std::result::Result<(), String> {
    if measure.prime && !measure.family.takes.prime {
        let name = measure.family.about.name;
        return Err(format!(
            "{name} estimates from unjudged documents, so it has no form on the condensed list"
        ));
    }
    Ok(())
}

fn gain(value: Value) -> std::result::Result<Gain, String> {
    match value {
        Value::Text(word) if word == "binary" => Ok(Gain::Binary),
        Value::None => Ok(Gain::Grade),
        Value::Map(mut pairs) => {
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((grade, gain)) = pairs.iter().find(|pair| pair.1 < 0.0) {
                return Err(format!(
                    "expected gains of at least 0, found {gain} for grade {grade}"
                ));
            }
            match pairs.windows(2).find(|two| two[0].0 == two[1].0) {
                Some(two) => Err(format!("grade {} has two gains", two[0].0)),
                None => Ok(Gain::Map(pairs)),
            }
        }
        _ => Err("expected {grade: gain, ...} or \"binary\" as gain".into()),
    }
}

/// The value of a parameter, if it takes it.
fn admitted(param: &Param, value: Value) -> std::result::Result<Value, String> {
    if value == Value::None && param.default == Default::None {
        return Ok(value);
    }
    let ok = match (param.range, &value) {
        (Range::Inside01, Value::Number(n)) => *n > 0.0 && *n < 1.0,
        (Range::Unit, Value::Number(n)) => (0.0..=1.0).contains(n),
        (Range::Positive | Range::TopGain, Value::Number(n)) => *n > 0.0,
        (Range::NonNegative, Value::Number(n)) => *n >= 0.0,
        (Range::AboveOne, Value::Number(n)) => *n > 1.0,
        (Range::Points, Value::Number(n)) => n.fract() == 0.0 && (2.0..=1e6).contains(n),
        (Range::Count, Value::Number(n)) => n.fract() == 0.0 && (1.0..=1e9).contains(n),
        (Range::Whole, Value::Number(n)) => n.fract() == 0.0 && (0.0..=MOST_WHOLE).contains(n),
        (Range::TopGain, Value::Text(word)) => word == "collection" || word == "topic",
        (Range::Words(words), Value::Text(word)) => words.contains(&word.as_str()),
        (Range::Number, Value::Number(_)) | (Range::Flag, Value::Flag(_)) => true,
        (Range::Documents, Value::Number(n)) if n.fract() == 0.0 && *n >= 1.0 => {
            return Ok(Value::Documents(*n, 0.0));
        }
        (Range::Documents, Value::Text(text)) => match documents(text) {
            Some(documents) => return Ok(documents),
            None => false,
        },
        _ => false,
    };
    if ok {
        return Ok(value);
    }
    let found = match value {
        Value::None => String::new(),
        Value::Text(word) if word.len() > SHOWN => format!(", found {}", quote(word)),
        value => format!(", found {value}"),
    };
    Err(format!("expected {} as {}{found}", expected(param.range), param.key))
}

/// The largest of these: every whole number up to it is a double.
const MOST_WHOLE: f64 = 9_007_199_254_740_991.0;

/// What a parameter takes, in words.
pub fn expected(range: Range) -> String {
    match range {
        Range::Inside01 => "a number above 0 and below 1".into(),
        Range::Unit => "a number from 0 to 1".into(),
        Range::Positive => "a number above 0".into(),
        Range::Number => "a number".into(),
        Range::NonNegative => "a number of at least 0".into(),
        Range::AboveOne => "a number above 1".into(),
        Range::Points => "a whole number from 2 to 1000000".into(),
        Range::Count => "a whole number of at least 1".into(),
        Range::Whole => "a whole number of at least 0".into(),
        Range::Flag => "True or False".into(),
        Range::TopGain => "\"collection\", \"topic\" or a number above 0".into(),
        Range::Documents => {
            "a number of documents such as \"all\", \"R\", \"5R\", \"10+R\" or 100".into()
        }
        Range::Words(words) => format!("one of {}", quoted(words)),
    }
}

/// `"all"`, `"100"`, `"R"`, `"5R"`, `"10+R"`.
fn documents(text: &str) -> Option<Value> {
    if text == "all" {
        return Some(Value::Documents(f64::INFINITY, 0.0));
    }
    let whole = |text: &str| text.trim().parse::<u32>().ok().filter(|&n| n > 0).map(f64::from);
    let times = |text: &str| match text.trim().strip_suffix('R')?.trim() {
        "" => Some(1.0),
        factor => whole(factor),
    };
    match text.split_once('+') {
        Some((constant, rest)) => Some(Value::Documents(whole(constant)?, times(rest)?)),
        None => match times(text) {
            Some(factor) => Some(Value::Documents(0.0, factor)),
            None => Some(Value::Documents(whole(text)?, 0.0)),
        },
    }
}

/// `"a", "b"`: the words that a parameter takes.
pub fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.sharp > 0.0 { "#" } else { "" };
        match prefix(self.over) {
            "" => write!(f, "{}", self.family.about.name)?,
            _ if self.over == self.family.sees.over => {
                write!(f, "{}{sign}", self.family.about.name)?
            }
            prefix => write!(f, "{prefix}{sign}-{}", self.family.about.name)?,
        }
        let mut arguments = Vec::new();
        for (param, value) in self.family.takes.params.iter().zip(&self.values) {
            let printed = matches!(param.default, Default::Printed(_));
            if *value != Value::None && (printed || *value != param.default.value()) {
                arguments.push(format!("{}={value}", param.key));
            }
        }
        match &self.gain {
            Gain::Grade => {}
            Gain::Binary => arguments.push("gain=\"binary\"".into()),
            Gain::Map(pairs) => arguments.push(format!("gain={}", Value::Map(pairs.clone()))),
        }
        if self.sharp > 0.0 && self.sharp != SHARP {
            arguments.push(format!("gamma={}", self.sharp));
        }
        if self.rel != 1.0 || (self.rel_given && f.alternate()) {
            arguments.push(format!("rel={}", self.rel));
        }
        if !arguments.is_empty() {
            write!(f, "({})", arguments.join(","))?;
        }
        if self.prime {
            write!(f, "'")?;
        }
        match self.cutoff {
            Some(cutoff) => write!(f, "@{cutoff}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::None => write!(f, "None"),
            Value::Number(n) => write!(f, "{n}"),
            Value::Text(word) => write!(f, "\"{word}\""),
            Value::Flag(flag) => write!(f, "{}", if *flag { "True" } else { "False" }),
            Value::Documents(constant, times) => {
                let factor = match *times {
                    1.0 => "R".to_string(),
                    times => format!("{times}R"),
                };
                match (*constant, *times) {
                    (f64::INFINITY, _) => write!(f, "\"all\""),
                    (constant, 0.0) => write!(f, "{constant}"),
                    (0.0, _) => write!(f, "\"{factor}\""),
                    (constant, _) => write!(f, "\"{constant}+{factor}\""),
                }
            }
            Value::Map(pairs) => {
                let pairs: Vec<String> =
                    pairs.iter().map(|(from, to)| format!("{from}:{to}")).collect();
                write!(f, "{{{}}}", pairs.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> String {
        parse_list(text).unwrap().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_form_is_printed() {
        for (text, form) in [
            ("ndcg@10", "nDCG@10"),
            (
                "nDCG( dcg = 'exp-log2' , gains={2: 3,1:1} )'@10",
                "nDCG(dcg=\"exp-log2\",gain={1:1,2:3})'@10",
            ),
            ("nDCG(dcg=\"log2\")", "nDCG"),
            ("RBP", "RBP(p=0.8)"),
            ("RBP(residual=0.1)@10", "RBP(residual=0.1)@10"),
            ("AP.prime@10 AP(judged_only=True) AP(rel=2).prime@5", "AP'@10 AP' AP(rel=2)'@5"),
            ("P(rel=2)@5", "P(rel=2)@5"),
            ("IPrec@0.10", "IPrec@0.1"),
            ("map recip_rank MRR@10 f1", "AP RR RR@10 SetF"),
            ("F F@5 AveP avep@10 NumRet(rel=2)", "SetF SetF@5 AP AP@10 num_rel_ret(rel=2)"),
            ("AP,nDCG@10, RR ,P@5", "AP nDCG@10 RR P@5"),
            (",AP,,RR, ,", "AP RR"),
            ("AP,NCUgu,BR,ncurb,P RR", "AP NCU NCU(stop=\"rb\",x=\"P\") RR"),
            ("P.5,10,RR", "P@5 P@10 RR"),
            (
                "P@5,10 nDCG(gain={1:1,2:3})@5,10,AP",
                "P@5 P@10 nDCG(gain={1:1,2:3})@5 nDCG(gain={1:1,2:3})@10 AP",
            ),
            ("IPrec@0.1,.5,1 P(rel=2)'@1,2", "IPrec@0.1 IPrec@0.5 IPrec@1 P(rel=2)'@1 P(rel=2)'@2"),
            ("AP,utility_1,-1,0,0,P+Q@3", "AP Utility P+Q@3"),
            ("P_5 p.5,10 NDCG_cut_10 recall_100 ndcg_at_10", "P@5 P@5 P@10 nDCG@10 R@100 nDCG@10"),
            ("success_1 hit_rate@3 r_cap_at_5 relative_P.5", "Success@1 Success@3 Rcap@5 Rcap@5"),
            ("Utility.prime judged.prime@5 Judged.prime", "Utility' Judged'@5 Judged'"),
            ("Rprec_mult_0.20 Rprec_mult..5,1", "Rprec(mult=0.2) Rprec(mult=0.5) Rprec"),
            (
                "utility utility.1,-1,0,0 utility_-2,0.5,-3,0",
                "Utility Utility Utility(tp=-2,fp=0.5,fn=-3)",
            ),
            ("D_nDCG(gamma=0.5)@10 D-ndcg@5 d#-q", "D#-nDCG@10 D-nDCG@5 D#-Q"),
            ("DIN#-nDCG(gamma=0.25)'@3 ec_AP", "DIN#-nDCG(gamma=0.25)'@3 EC-AP"),
            (
                "IA-nERR(stop='exp',max_rel=3)@5 AP_IA nDCG_IA IA#-P@5",
                "IA-nERR(max_rel=3)@5 AP_IA IA-nDCG IA#-P@5",
            ),
            ("P+Q@10 PplusQ#@5 P+Q(gamma=0.5) P+Q(gamma=0)", "P+Q@10 P+Q#@5 P+Q# P+Q"),
            ("set_relative_P ideal_dcg Rndcg ndcg_rel bing", "SetRcap iDCG RnDCG nDCG_rel binG"),
            (
                "prefs_simp prefs_simp_ret prefs_simp_imp",
                "Pref Pref(over=\"retrieved\") Pref(over=\"implied\")",
            ),
            (
                "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret",
                "num_prefs num_prefs_ful num_prefs_ful(over=\"retrieved\")",
            ),
        ] {
            assert_eq!(printed(text), form, "{text}");
            assert_eq!(printed(form), form, "{text}");
        }
    }

    #[test]
    fn nicknames_stand_for_several() {
        assert_eq!(parse_list("ndcg_cut").unwrap().len(), 9);
        assert_eq!(printed("recall success").split(' ').count(), 12);
        assert!(
            printed("official")
                .starts_with("num_ret num_rel num_rel_ret AP GMAP Rprec bpref RR P@5")
        );
        assert_eq!(parse_list("Rprec_mult").unwrap().len(), 10);
        assert!(parse_list("all_trec").unwrap().len() > 70);
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, kind, part) in [
            ("D-alpha_nDCG@5", Kind::Parameter, "reads more than grades"),
            ("D-infNDCG@5", Kind::Parameter, "reads more than grades"),
            ("D#-Q(gamma=2)@5", Kind::Parameter, "from 0 to 1 as gamma"),
            ("EC#-Q", Kind::Measure, "unknown measure"),
            ("EC-Q(gamma=0.5)", Kind::Parameter, "has no parameter `gamma`"),
            ("DIN-nope", Kind::Measure, "unknown measure"),
            ("nDGC@10", Kind::Measure, "did you mean nDCG?"),
            ("P", Kind::Parameter, "needs a cutoff, as in P@10"),
            ("P@0", Kind::Parameter, "whole number from 1 to"),
            ("P@2.5", Kind::Parameter, "whole number from 1 to"),
            ("bpref@10", Kind::Parameter, "takes no cutoff"),
            ("RBP(p=1)", Kind::Parameter, "above 0 and below 1 as p, found 1"),
            ("RBP(p=0.5,residual=0.1)@3", Kind::Parameter, "not both"),
            ("RBP(residual=0.1)", Kind::Parameter, "needs a cutoff"),
            ("RBP(q=0.5)", Kind::Parameter, "has no parameter `q`"),
            ("nDCG(rel=2)@10", Kind::Parameter, "has no parameter `rel`"),
            ("nDCG(dcg=\"log\")", Kind::Parameter, "\"log2\", \"exp-log2\", \"jk\""),
            ("nDCG(dcg=\"log2\"", Kind::Parameter, "expected `,` or `)`"),
            ("nDCG@", Kind::Parameter, "expected a cutoff"),
            ("RBP(p=[0.5,0.8])", Kind::Parameter, "write a measure for each value"),
            ("D-micro_P", Kind::Parameter, "weighs topics"),
            ("nDCG@10x", Kind::Parameter, "expected a cutoff"),
            ("nDCG'@10)", Kind::Parameter, "expected the end"),
            ("infAP'", Kind::Parameter, "condensed"),
            ("IPrec@2", Kind::Parameter, "from 0 to 1"),
            ("ERR@20", Kind::Parameter, "ERR(max_rel=3)@20"),
            ("iprec_at_recall_0.10", Kind::Measure, "IPrec@0.1"),
            ("set_F.0.5", Kind::Measure, "beta squared"),
            ("11pt_avg", Kind::Measure, "IAP"),
            ("11pt_avg_.25,.5,.75", Kind::Measure, "IAP"),
            ("11pt", Kind::Measure, "IAP"),
            ("AP,11pt", Kind::Measure, "IAP"),
            ("NumQ", Kind::Measure, "len(scores.topics)"),
            ("nRBP(residual=0.1)", Kind::Parameter, "nRBP(residual=0.1)@10"),
            ("P@5,10x", Kind::Measure, "unknown measure"),
            ("AP,10", Kind::Measure, "unknown measure"),
            ("P@5, 10", Kind::Measure, "unknown measure"),
            ("P@5,2.5", Kind::Parameter, "whole number from 1 to"),
            ("P@5;RR", Kind::Parameter, "spaces or commas separate measures"),
            (",", Kind::Measure, "expected a measure"),
            ("rbp.95", Kind::Measure, "RBP(p=0.95)"),
            ("utility.1,-1", Kind::Parameter, "expected 4 numbers"),
            ("prefs_simp_ret.5", Kind::Parameter, "expected no number"),
            ("Rprec_mult_0", Kind::Parameter, "a number above 0 as mult"),
            ("relstring_20", Kind::Measure, "no number but the grades"),
            ("num_q", Kind::Measure, "len(scores.topics)"),
            ("runid", Kind::Measure, "run.tag"),
            ("prefs_pair_imp", Kind::Measure, "with one judge it is Pref"),
            ("prefs_avgjg_Rnonrel", Kind::Measure, "with one it is Pref"),
            ("P_avgjg.5", Kind::Measure, "with one it is P@10"),
            ("all_prefs", Kind::Measure, "num_prefs num_prefs_ful Pref"),
            ("", Kind::Measure, "expected a measure"),
        ] {
            let error = parse_list(text).expect_err(text);
            assert_eq!(error.kind(), kind, "{text}: {error}");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
    }
}
