//! The arguments of a measure: what stands in its brackets and behind them.

use super::caret::{SHOWN, point};
use crate::error::{Error, Kind, Result, nearest, quote};
use crate::measure::{
    Budget, Budgets, Cutoff, Default, FAMILIES, Gain, Measure, Over, Param, Range, Unit, Value,
};

/// Reads what follows a name.
pub(super) struct ArgumentParser<'a> {
    pub(super) text: &'a str,
    /// Where in the text it is.
    pub(super) at: usize,
    pub(super) measure: Measure,
    /// The keys that were given.
    pub(super) given: Vec<&'static str>,
}

impl<'a> ArgumentParser<'a> {
    /// Reads arguments, prime and cutoff, to the end of the text.
    pub(super) fn rest(&mut self) -> Result<()> {
        if self.take('(') {
            self.arguments()?;
        }
        if self.take('\'') || self.take_word(".prime") {
            self.measure.prime = true;
        }
        if self.take('@') {
            self.cutoff()?;
        }
        if self.at < self.text.len() {
            let several = self.peek(',') || self.peek(';');
            let hint = if several { "; spaces or commas separate measures" } else { "" };
            return Err(self.error(self.at, &format!("expected the end of the measure{hint}")));
        }
        check_prime(&self.measure).map_err(|e| self.error(0, &e))
    }

    /// Reads what follows the sign: a number, or a unit and its amount.
    fn cutoff(&mut self) -> Result<()> {
        let start = self.at;
        if let Some(end) = self.text[start..].find('=') {
            let name = self.text[start..start + end].trim();
            let Some(unit) = Unit::named(name) else {
                let hint = nearest(name, Unit::ALL.map(Unit::name).into_iter());
                let hint = hint.map(|near| format!("; did you mean {near}?"));
                let names = Unit::ALL.map(Unit::name).join(", ");
                let sentence =
                    format!("expected one of {names} before `=` as the unit of a cutoff");
                return Err(self.error(start, &(sentence + &hint.unwrap_or_default())));
            };
            self.at += end + 1;
            let from = self.at;
            let amount = self.number(&format!("a number of {name}, as in @{name}=4000"))?;
            return set_budget(&mut self.measure, Budget { unit, amount })
                .map_err(|e| self.error(from, &e));
        }
        let cutoff = self.number("a cutoff such as @10")?;
        set_cutoff(&mut self.measure, cutoff).map_err(|e| self.error(start, &e))
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
            // Which parameters take infinity is theirs to say.
            _ => Ok(Value::Number(
                self.any_number("a number, a quoted word, True, False, None or {grade: gain}")?,
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
        let start = self.at;
        let value = self.any_number(what)?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(start, &format!("expected {what}")))
        }
    }

    /// A number, or infinity where it is spelled out: `1e999` is none.
    fn any_number(&mut self, what: &str) -> Result<f64> {
        self.spaces();
        let rest = &self.text[self.at..];
        let numeric = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        let length = rest.find(|c| !numeric(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() || matches!(word, "inf" | "infinity") => {
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
            Value::Number(rel) if rel >= 0.0 && rel.is_finite() => {
                (measure.rel, measure.rel_given) = (rel, true);
            }
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
            let Some((position, param)) =
                measure.params().enumerate().find(|(_, param)| param.key == key)
            else {
                return Err((true, no_parameter(measure, key)));
            };
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
    !own && !matches!(measure.over, Over::Documents | Over::Classes) && !measure.over.is_of_text()
}

fn no_parameter(measure: &Measure, key: &str) -> String {
    let family = measure.family;
    let mut keys: Vec<&str> = measure.params().map(|param| param.key).collect();
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
        Cutoff::Elsewhere(other) => {
            return Err(format!(
                "{name} takes no cutoff; {name}@{cutoff} elsewhere is {other}@{cutoff} here"
            ));
        }
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
        _ => (measure.cutoff, measure.budget) = (Some(cutoff), None),
    }
    Ok(())
}

/// Makes a budget the cutoff; an error is a sentence.
pub fn set_budget(measure: &mut Measure, budget: Budget) -> std::result::Result<(), String> {
    let (name, Budget { unit, amount }) = (measure.family.about.name, budget);
    let text = match (measure.over, name, unit) {
        (Over::Characters, "IPrec" | "IAP" | "Rprec", _) => Some(false),
        (Over::Characters, "P" | "nDCG", unit) => Some(unit == Unit::Chars),
        (over, ..) => over.is_of_text().then_some(true),
    };
    match measure.family.takes.budget {
        _ if text == Some(true) => {}
        Budgets::Taken => {}
        Budgets::Instead(other) => {
            return Err(format!(
                "the divisor of {name} depends on the rank of its cutoff, and {budget} is another rank in each list; use {other}@{budget}"
            ));
        }
        Budgets::Refused => {
            let taken = FAMILIES.iter().filter(|family| family.takes.budget == Budgets::Taken);
            let names: Vec<&str> = taken.map(|family| family.about.name).collect();
            let names = names.join(", ");
            return Err(format!("{name} takes no budget as cutoff; those that do are {names}"));
        }
    }
    let whole = unit != Unit::Cost;
    if !(amount > 0.0 && amount.is_finite()) || (whole && amount.fract() != 0.0) {
        let kind = if whole { "a whole number of at least 1" } else { "a number above 0" };
        return Err(format!("expected {kind} as {}, found {amount}", unit.name()));
    }
    (measure.cutoff, measure.budget) = (None, Some(budget));
    Ok(())
}

/// Whether the condensed list makes sense for a measure that asks for it.
pub fn check_prime(measure: &Measure) -> std::result::Result<(), String> {
    if let (true, Some(budget)) = (measure.prime, measure.budget) {
        let plain = Measure { prime: false, budget: None, ..measure.clone() };
        return Err(format!(
            "{plain}'@{budget} is refused: a condensed list leaves out documents that were paid for; use {plain}@{budget}, and Judged@{budget} says how much of it is judged"
        ));
    }
    if measure.prime && measure.over.is_of_text() {
        let plain = Measure { prime: false, ..measure.clone() };
        return Err(format!(
            "{plain}' is refused: all text that is not evidence counts as not relevant, so no list of it can be condensed; use {plain}"
        ));
    }
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
        (Range::UpToInfinity, Value::Number(n)) => *n >= 0.0,
        (_, Value::Number(n)) if !n.is_finite() => false,
        (Range::Inside01, Value::Number(n)) => *n > 0.0 && *n < 1.0,
        (Range::Below1, Value::Number(n)) => (0.0..1.0).contains(n),
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
        Range::Below1 => "a number of at least 0 and below 1".into(),
        Range::Unit => "a number from 0 to 1".into(),
        Range::Positive => "a number above 0".into(),
        Range::Number => "a number".into(),
        Range::NonNegative => "a number of at least 0".into(),
        Range::UpToInfinity => "a number of at least 0 or inf".into(),
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
