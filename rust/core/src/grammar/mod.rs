//! Text to measures, and back.
//!
//! ```text
//! measure := [ over "-" ] name [ "(" key=value {"," key=value} ")" ] [ "'" ] [ "@" cutoff ]
//! cutoff  := number | unit "=" number
//! unit    := "chars" | "tokens" | "cost" | "calls"
//! over    := "char" | "span" | "EC" | "D" | "DIN" | "IA", the last three also with "#"
//! value   := number | "text" | 'text' | True | False | None | { num : num , ... }
//! ```
//!
//! Names match without regard to case. A measure prints in one form, which is
//! its identity: defaults are left out, and reading the printed form gives the
//! same measure again. The spellings of other tools are accepted, never
//! printed, and refused where their definition is another.

mod arguments;
mod caret;
mod foreign;
#[cfg(test)]
mod tests;

use std::fmt;

pub use foreign::{of_ir_measures, refusals};

pub use arguments::{check_prime, expected, quoted, set, set_budget, set_cutoff};

use crate::error::{Error, Kind, Result, nearest, quote};
use crate::measure::{
    Aggregate, COVER, Cutoff, Default, FAMILIES, FIT, Family, Gain, Measure, Needs, Over, Unit,
    Value, find, same_letters,
};
use arguments::ArgumentParser;
use caret::point;
use foreign::is_number;

/// All measures that a text names; white space and commas outside brackets
/// separate them, except commas before numbers, and nicknames stand for several. Every
/// one is complete.
pub fn parse_list(text: &str) -> Result<Vec<Measure>> {
    let mut measures = Vec::new();
    for piece in pieces(text) {
        let found = parse_piece(piece).map_err(|error| in_words(text).unwrap_or(error))?;
        // A name of `trec_eval` that is nothing without a cutoff here has all
        // of its own; a name of ours is left as it is.
        let all = match found.as_slice() {
            [one] if complete(one).is_err() && one.family.about.name != piece => {
                foreign::at_default(piece)
            }
            _ => None,
        };
        measures.extend(match all {
            Some(spellings) => parse_all(&spellings?, piece)?,
            None => found,
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

/// Reads measures in our spelling that another text stands for.
fn parse_all(spellings: &[String], text: &str) -> Result<Vec<Measure>> {
    let one = |spelling: &String| parse(spelling).map_err(|e| caret::of_text(&e, text));
    spellings.iter().map(one).collect()
}

/// Whether a measure has all that it needs to be computed.
pub fn complete(measure: &Measure) -> Result<()> {
    let name = measure.family.about.name;
    let message = match (measure.family.takes.cutoff, measure.cutoff) {
        _ if measure.over.is_of_text() => match of_text(measure) {
            Ok(()) => return Ok(()),
            Err(message) => message,
        },
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
        (Cutoff::Required, None) if measure.budget.is_none() => {
            format!("needs a cutoff, as in {name}@10")
        }
        (Cutoff::Recall, None) => format!("needs a recall level, as in {name}@0.1"),
        _ => match (measure.family.takes.check)(measure) {
            Ok(()) => return Ok(()),
            Err(message) => message,
        },
    };
    Err(Error::new(Kind::Parameter, format!("{measure} {message}")))
}

/// What a measure of text still lacks, or has that it cannot have.
fn of_text(measure: &Measure) -> std::result::Result<(), String> {
    let (name, over) = (measure.family.about.name, measure.over);
    let prefix = prefix(over);
    if !over.families().contains(&name) {
        return Err(format!("is refused: {}", without_form(name, over)));
    }
    let chars = measure.budget.is_some_and(|budget| budget.unit == Unit::Chars);
    match (over, name, measure.cutoff, measure.budget) {
        (Over::Characters, "P", ..) if !chars => {
            let cutoff = measure.cutoff.map_or(String::new(), |cutoff| format!("@{cutoff}"));
            return Err(format!(
                "is refused: it divides by a number of characters, as in char-P@chars=4000; char-SetP{cutoff} divides by what is read"
            ));
        }
        (Over::Characters, "nDCG", Some(_), _) => {
            return Err("is refused: its best list is of characters, not of chunks; cut it as in char-nDCG@chars=4000".into());
        }
        (Over::Characters, "U", ..) if !measure_is_of_paper(measure) => {
            return Err("is refused: over characters it is that of its paper, char-U(L=...,form=\"original\"), which takes no other arguments".into());
        }
        (_, "R", None, None) => {
            return Err(format!("needs a cutoff, as in {prefix}-R@5 or {prefix}-R@chars=4000"));
        }
        (_, "IPrec", None, _) => {
            return Err(format!("needs a recall level, as in {prefix}-IPrec@0.1"));
        }
        _ => {}
    }
    if measure.word(FIT) == "whole" && !chars {
        return Err("is refused: fit= is about cutoffs such as @chars=4000".into());
    }
    if over == Over::Spans && measure.get(COVER) == 0.0 {
        return Err("is refused: expected cover above 0, or everything is found at once".into());
    }
    Ok(())
}

/// Whether all that U has besides its length is that of its paper.
fn measure_is_of_paper(measure: &Measure) -> bool {
    let words = measure.params().zip(&measure.values);
    words.into_iter().all(|(param, value)| match param.key {
        "form" => *value == Value::Text("original".into()),
        "L" | "max_rel" | "repeats" | "fit" => true,
        _ => *value == param.default.value(),
    })
}

/// Why a family has no form over parts of documents.
fn without_form(name: &str, over: Over) -> String {
    let (prefix, names) = (prefix(over), over.families().join(", "));
    let why = if over == Over::Spans {
        "two pieces of evidence can be found at one rank, and it needs a rank for each"
    } else {
        "it is not defined over characters"
    };
    format!("{name} has no form with {prefix}-: {why}; those that do are {names}")
}

/// How a family is written at least: its name, with arguments if it cannot do without, those of
/// its first example. A cutoff may still follow.
pub fn least(family: &'static Family) -> String {
    let name = family.about.name;
    let cutoff = family.takes.cutoff.is_rank().then_some(1.0);
    if (family.takes.check)(&Measure { cutoff, ..Measure::of(family) }).is_ok() {
        return name.to_string();
    }
    let first = family.examples.first().and_then(|example| parse(example.measure).ok());
    first.map_or(name.to_string(), |measure| Measure { cutoff: None, ..measure }.to_string())
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
                    && !foreign::is_in_a_name(&text[start..], at - start)
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

/// Whether a number stands before the next comma or blank.
fn begins_with_number(text: &str) -> bool {
    let end = text.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(text.len());
    is_number(&text[..end])
}

/// The measures of one piece: `P@5,10` and `R@tokens=1000,2000` have one for each cutoff.
fn parse_piece(text: &str) -> Result<Vec<Measure>> {
    if let Some((measure, cutoffs)) = text.rsplit_once('@') {
        let at = cutoffs.find('=').map_or(0, |equals| equals + 1);
        let (unit, cutoffs) = cutoffs.split_at(at);
        if cutoffs.contains(',') && cutoffs.split(',').all(|cutoff| is_number(cutoff.trim())) {
            let mut found = Vec::new();
            for cutoff in cutoffs.split(',') {
                found.extend(parse_single(&format!("{measure}@{unit}{}", cutoff.trim()))?);
            }
            return Ok(found);
        }
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
    if rest.is_empty()
        && let Some(members) = foreign::members(head)
    {
        return parse_all(&members, text);
    }
    let (name, prime) = match head.strip_suffix(".prime") {
        Some(name) => (name, true),
        None => (head, false),
    };
    if rest.is_empty()
        && !prime
        && let Some(spellings) = foreign::ours(head, text)?
    {
        return parse_all(&spellings, text);
    }
    if name == foreign::SESSION_DCG {
        return Err(unknown(name, text));
    }
    // ir_measures counts relevant documents so.
    let name =
        if same_letters(name, "NumRet") && rest.starts_with('(') { "num_rel_ret" } else { name };
    let measure = named(name).ok_or_else(|| unknown(name, text))?;
    let mut parser = ArgumentParser { text, at: end, measure, given: Vec::new() };
    parser.measure.prime = prime;
    parser.rest()?;
    Ok(vec![parser.measure])
}

/// What stands before the name of a measure over something else.
const PREFIXES: &[(&str, Over)] = &[
    ("EC", Over::Classes),
    ("D", Over::Global),
    ("DIN", Over::Typed),
    ("IA", Over::Intents),
    ("char", Over::Characters),
    ("span", Over::Spans),
];

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
    let has_sharp = !(*over == Over::Classes || over.is_of_text());
    (has_sharp || sharp == 0.0).then_some((*over, sharp))
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
        Some((over, _)) if over.is_of_text() && !over.families().contains(&name) => {
            Err(without_form(name, over))
        }
        Some((over, sharp)) => Ok(measure.clone().with_over(over, sharp)),
        None => Err(format!(
            "expected one of char, span, EC, D, D#, DIN, DIN#, IA and IA# before {name}, found {}",
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
        Some(Measure::of(family).with_over(over, sharp))
    };
    let before = name.split_once(['-', '_']).and_then(|(prefix, name)| of(prefix, name));
    // NTCIREVAL prints IA-nDCG, the literature writes nDCG-IA too.
    before.or_else(|| {
        let (name, suffix) = name.rsplit_once(['-', '_'])?;
        of(suffix, name).filter(|measure| measure.over == Over::Intents)
    })
}

#[cold]
fn unknown(name: &str, text: &str) -> Error {
    if let Some(refusal) = foreign::refused(name, text) {
        return refusal;
    }
    let names = FAMILIES.iter().flat_map(|family| {
        let spelled = family.about.aliases.iter().copied().filter(|alias| !alias.contains(' '));
        std::iter::once(family.about.name).chain(spelled)
    });
    let suggestion = match at_a_level(name).or_else(|| nearest(name, names).map(String::from)) {
        Some(near) => {
            let whole = format!("{near}{}", &text[name.len()..]);
            let said = if parse(&whole).is_ok() { whole } else { near };
            format!("did you mean {said}?")
        }
        None => "`cranfield measures` lists all".to_string(),
    };
    point(Kind::Measure, text, 0, name.len(), "unknown measure", &suggestion)
}

/// What a name with the option `-l` of `trec_eval` behind it is here: `map-l2` is `AP(rel=2)`.
fn at_a_level(name: &str) -> Option<String> {
    let (name, level) = name.rsplit_once(['-', '_'])?;
    let rel = level.strip_prefix(['l', 'L'])?.parse::<u32>().ok()?;
    let measure = parse(name).ok().filter(|measure| measure.family.takes_rel())?;
    Some(Measure { rel: f64::from(rel), rel_given: true, ..measure }.to_string())
}

/// What to write for a name in words, such as mean average precision or precision at 5, which no
/// list of measures can have, since white space separates measures.
#[cold]
fn in_words(text: &str) -> Option<Error> {
    let words = text.trim().to_lowercase();
    let cut = words.rsplit_once(" at ").or_else(|| words.rsplit_once('@'));
    let cut = cut.filter(|(_, cutoff)| is_number(cutoff.trim()));
    let (name, cutoff) = cut.unwrap_or((&words, "10"));
    let (name, joined) = (name.trim(), name.trim().replace(' ', "_"));
    let named = |family: &&&Family| {
        let names = std::iter::once(&family.about.name).chain(family.about.aliases);
        names.copied().any(|known| same_letters(known, name) || same_letters(known, &joined))
    };
    let family = words.contains(' ').then(|| FAMILIES.iter().find(named)).flatten()?;
    let bare = cut.is_none() && complete(&Measure::of(family)).is_ok();
    let cutoff = if bare { String::new() } else { format!("@{}", cutoff.trim()) };
    let message = format!("{} is written {}{cutoff}", quote(text.trim()), least(family));
    Some(Error::new(Kind::Measure, message))
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.sharp > 0.0 { "#" } else { "" };
        match prefix(self.over) {
            "" => write!(f, "{}", self.family.about.name)?,
            _ if self.over == self.family.sees.over => {
                write!(f, "{}{sign}", self.family.about.name)?;
            }
            prefix => write!(f, "{prefix}{sign}-{}", self.family.about.name)?,
        }
        let mut arguments = Vec::new();
        for (param, value) in self.params().zip(&self.values) {
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
        match (self.budget, self.cutoff) {
            (Some(budget), _) => write!(f, "@{budget}"),
            (None, Some(cutoff)) => write!(f, "@{cutoff}"),
            (None, None) => Ok(()),
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
