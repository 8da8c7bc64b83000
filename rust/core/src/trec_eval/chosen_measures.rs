//! The measures that a command line chooses, with their parameters read.

use super::catalogue::{ENTRIES, Entry, Formula, ParameterKind, Quirks, named};
use super::exit::{Exit, quoted};
use super::number::{atof, atol};
use super::program_options::ProgramOptions;
use super::topic_list::Ours;
use crate::grammar;

/// The measure of pyserini that `trec_eval` does not have.
const JUDGED: &[u8] = b"judged";

/// Whether a value of `-m` names it.
fn is_judged(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'.').next() == Some(JUDGED)
}

/// The measures that `-m` names, before parameters are read.
#[derive(Debug, Default)]
pub struct Requested {
    /// Positions in the catalogue, ascending, with the parameter text.
    measures: Vec<(usize, Option<Vec<u8>>)>,
    /// The cutoffs of pyserini's `judged`.
    pub judged: Vec<u64>,
}

/// A chosen measure.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What it is.
    pub entry: &'static Entry,
    /// Its parameters.
    pub parameters: Parameters,
    /// The names of its values as they are printed.
    pub names: Vec<String>,
    /// The measures of the registry that compute its values, one for each name.
    pub ours: Vec<Ours>,
}

/// The parameters of a measure.
#[derive(Clone, Debug)]
pub enum Parameters {
    /// None.
    Nothing,
    /// Ranks, ascending.
    Ranks(Vec<i64>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Names with numbers.
    Pairs(Vec<(Vec<u8>, f64)>),
}

impl Requested {
    /// Looks up the names of `-m`.
    pub fn read(options: &ProgramOptions) -> Result<Requested, Exit> {
        let mut requested = Requested::default();
        let official = b"official".to_vec();
        // pyserini removes its measure from the command line, and `trec_eval` sees the rest.
        let default = options.measures.iter().all(|text| is_judged(text)).then_some(&official);
        for text in default.into_iter().chain(&options.measures) {
            let point = text.iter().position(|&byte| byte == b'.');
            let (name, parameters) = match point {
                Some(point) => (&text[..point], Some(&text[point + 1..])),
                None => (&text[..], None),
            };
            if is_judged(text) {
                requested.ask_judged(parameters, text)?;
                continue;
            }
            let illegal = || format!("trec_eval: illegal measure {}\n", quoted(name));
            if parameters == Some(b"") {
                let improper = "trec_eval: improper measure in parameter ";
                return Err(Exit::new(1, format!("{improper}{}\n{}", quoted(name), illegal())));
            }
            let positions = named(name, options.version);
            if positions.is_empty() {
                return Err(Exit::new(1, illegal()));
            }
            // A nickname's parameters are not its members'.
            let parameters = parameters.filter(|_| ENTRIES[positions[0]].name.as_bytes() == name);
            for position in positions {
                requested.ask(position, parameters);
            }
        }
        requested.measures.sort_by_key(|(position, _)| *position);
        Ok(requested)
    }

    /// The first parameter text of a measure wins.
    fn ask(&mut self, position: usize, parameters: Option<&[u8]>) {
        match self.measures.iter_mut().find(|(known, _)| *known == position) {
            Some((_, known)) if known.is_none() => *known = parameters.map(<[u8]>::to_vec),
            Some(_) => {}
            None => self.measures.push((position, parameters.map(<[u8]>::to_vec))),
        }
    }

    fn ask_judged(&mut self, parameters: Option<&[u8]>, text: &[u8]) -> Result<(), Exit> {
        let pieces = parameters.unwrap_or(b"10").split(|&byte| byte == b',');
        let cutoffs = pieces.map(|piece| u64::try_from(atol(piece)).ok().filter(|&k| k > 0));
        let cutoffs: Option<Vec<u64>> = cutoffs.collect();
        let wrong = || format!("trec_eval: expected judged.K[,K...], found {}\n", quoted(text));
        self.judged.extend(cutoffs.ok_or_else(|| Exit::new(1, wrong()))?);
        Ok(())
    }

    /// Reads the parameters.
    pub fn choose(&self) -> Result<Vec<Chosen>, Exit> {
        let chosen = self.measures.iter().map(|(position, text)| {
            let entry = &ENTRIES[*position];
            Chosen::new(entry, text.as_deref()).map_err(|message| {
                let behind = format!("trec_eval: Cannot initialize measure '{}'\n", entry.name);
                Exit::new(2, message + &behind)
            })
        });
        chosen.collect()
    }
}

impl Chosen {
    /// A measure from the text of its parameters; an error is `trec_eval`'s
    /// message about them.
    pub fn new(entry: &'static Entry, text: Option<&[u8]>) -> Result<Chosen, String> {
        let pieces = || text.map(|text| text.split(|&byte| byte == b','));
        let name = entry.name;
        let verbatim = || match text {
            Some(text) => format!("{name}_{}", String::from_utf8_lossy(text)),
            None => name.to_string(),
        };
        let (parameters, names) = match entry.takes {
            ParameterKind::Nothing => (Parameters::Nothing, vec![name.to_string()]),
            ParameterKind::Ranks(default) => {
                let ranks = pieces().map(|pieces| pieces.map(atol).collect());
                let mut ranks: Vec<i64> = ranks.unwrap_or_else(|| default.to_vec());
                ranks.sort_unstable();
                if ranks[0] <= 0 {
                    return Err("trec_eval: Negative cutoff detected\n".to_string());
                }
                all_differ(&ranks)?;
                let names = ranks.iter().map(|rank| format!("{name}_{rank}")).collect();
                (Parameters::Ranks(ranks), names)
            }
            ParameterKind::Points(default) => {
                let points = pieces().map(|pieces| pieces.map(atof).collect());
                let mut points: Vec<f64> = points.unwrap_or_else(|| default.to_vec());
                points.sort_by(f64::total_cmp);
                all_differ(&points)?;
                let names = points.iter().map(|point| {
                    let shown = format!("{point:.2}");
                    format!("{name}_{}", &shown[..shown.len().min(8)])
                });
                let names = names.collect();
                (Parameters::Numbers(points), names)
            }
            ParameterKind::Numbers(default) => {
                let numbers = pieces().map(|pieces| pieces.map(atof).collect());
                let numbers = numbers.unwrap_or_else(|| default.to_vec());
                (Parameters::Numbers(numbers), vec![verbatim()])
            }
            ParameterKind::Pairs => {
                let pairs = pieces().into_iter().flatten().map(pair);
                let pairs: Option<Vec<_>> = pairs.collect();
                let pairs = pairs.ok_or_else(|| {
                    let text = quoted(text.unwrap_or_default());
                    format!("trec_eval: malformed pair parameters in {text}\n")
                })?;
                (Parameters::Pairs(pairs), vec![verbatim()])
            }
        };
        let ours = ours(entry.formula, entry.quirks, &parameters);
        Ok(Chosen { entry, parameters, names, ours })
    }

    /// How far down a list without `-J` it looks.
    pub fn reach(&self) -> u32 {
        match &self.parameters {
            // All measures that take ranks look at the documents above them only.
            Parameters::Ranks(ranks) => {
                ranks.last().map_or(0, |&rank| u32::try_from(rank).unwrap_or(u32::MAX))
            }
            _ => u32::MAX,
        }
    }
}

/// The measures of the registry for a formula, one for each value.
fn ours(formula: Formula, quirks: Quirks, parameters: &Parameters) -> Vec<Ours> {
    let name = match formula {
        Formula::Ours(name) | Formula::LogOfOurs(name) => name,
        Formula::Groups(formula) => return ours(*formula, quirks, parameters),
        _ => return Vec::new(),
    };
    let spelled = |cutoff: &str| {
        let measure = grammar::parse(&format!("{name}{cutoff}")).ok()?;
        Some(Ours { measure, quirks })
    };
    match parameters {
        // A list has less than 2^32 documents.
        Parameters::Ranks(ranks) => {
            let cutoffs = ranks.iter().map(|&rank| rank.min(i64::from(u32::MAX)));
            cutoffs.filter_map(|rank| spelled(&format!("@{rank}"))).collect()
        }
        _ => spelled("").into_iter().collect(),
    }
}

fn all_differ<T: PartialEq>(sorted: &[T]) -> Result<(), String> {
    if sorted.windows(2).any(|two| two[0] == two[1]) {
        return Err("trec_eval: duplicate cutoffs detected\n".to_string());
    }
    Ok(())
}

/// A name and a number on the two sides of the only equals sign.
fn pair(piece: &[u8]) -> Option<(Vec<u8>, f64)> {
    let mut sides = piece.split(|&byte| byte == b'=');
    let (name, number) = (sides.next()?, sides.next()?);
    sides.next().is_none().then(|| (name.to_vec(), atof(number)))
}
