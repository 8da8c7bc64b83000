//! The command line, read as GNU's `getopt_long` reads it: options may follow
//! operands, be bundled, be glued to their values, and long ones be cut short.

use std::ops::RangeInclusive;

use super::number::atol;
use super::version::Version;

/// The parsed command line.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct ProgramOptions {
    /// The version to reproduce.
    pub version: Version,
    /// `-q`: print the values of topics.
    pub topics: bool,
    /// `-n`: print no summary.
    pub no_summary: bool,
    /// `-c`: average over all topics of the judgments.
    pub complete: bool,
    /// `-l`: the lowest relevant grade.
    pub min_grade: i64,
    /// `-J`: only judged documents.
    pub judged_only: bool,
    /// `-N`: documents in the collection.
    pub collection: i64,
    /// `-M`: how many documents of a topic are kept.
    pub depth: i64,
    /// `-D`: the only topic to evaluate.
    pub only_topic: Option<Vec<u8>>,
    /// `-R`: the format of the judgments.
    pub rel_format: Vec<u8>,
    /// `-T`: the format of the runs.
    pub results_format: Vec<u8>,
    /// `-Z`: the file of means and standard deviations.
    pub zscores: Option<Vec<u8>>,
    /// `-m`, in order.
    pub measures: Vec<Vec<u8>>,
    /// `-h`.
    pub help: bool,
    /// `--explain`: the page instead of the values.
    pub explain: bool,
    /// `-remove-unjudged` of pyserini: remove documents that are not in the
    /// judgments before anything else.
    pub remove_unjudged: bool,
    /// `--digits`: decimals of a number.
    pub digits: usize,
    /// `--threads`: as many as there are processors if `None`.
    pub threads: Option<usize>,
    /// The judgments and the runs.
    pub files: Vec<Vec<u8>>,
}

/// The result of parsing the command line.
#[derive(Debug)]
pub enum Parsed {
    /// With something to do.
    Run(Box<ProgramOptions>),
    /// With `-v`.
    Version(Version),
    /// With a message of `getopt`, followed by the usage.
    Bad(Vec<u8>),
}

const SHORT_OPTIONS: &[u8] = b"hvqm:cl:nD:JN:M:R:T:oZ:";

/// The long names, the short ones that they stand for, and whether they take
/// a value. The long form of `-o` takes one and does nothing with it.
const LONG_OPTIONS: &[(&str, u8, bool)] = &[
    ("help", b'h', false),
    ("version", b'v', false),
    ("query_eval_wanted", b'q', false),
    ("measure", b'm', true),
    ("complete_rel_info_wanted", b'c', false),
    ("level_for_rel", b'l', true),
    ("nosummary", b'n', false),
    ("Debug_level", b'D', true),
    ("Judged_docs_only", b'J', false),
    ("Number_docs_in_coll", b'N', true),
    ("Max_retrieved_per_topic", b'M', true),
    ("Rel_info_format", b'R', true),
    ("Results_format", b'T', true),
    ("Output_old_results_format", b'o', true),
    ("Zscore", b'Z', true),
];

impl Default for ProgramOptions {
    fn default() -> Self {
        ProgramOptions {
            version: Version::default(),
            topics: false,
            no_summary: false,
            complete: false,
            min_grade: 1,
            judged_only: false,
            collection: 0,
            depth: i64::from(i32::MAX),
            only_topic: None,
            rel_format: b"qrels".to_vec(),
            results_format: b"trec_results".to_vec(),
            zscores: None,
            measures: Vec::new(),
            help: false,
            explain: false,
            remove_unjudged: false,
            digits: 4,
            threads: None,
            files: Vec::new(),
        }
    }
}

/// Reads a command line without the program's name.
pub fn parse(arguments: &[Vec<u8>]) -> Parsed {
    let mut options = ProgramOptions::default();
    let mut rest = arguments.iter();
    let mut show_version = false;
    while let Some(argument) = rest.next() {
        let read = if argument == b"--" {
            options.files.extend(rest.by_ref().cloned());
            Ok(())
        } else if let Some(extension) = Extension::of(argument) {
            extension.set(&mut options, &mut rest)
        } else if let Some(long) = argument.strip_prefix(b"--") {
            options.long(long, &mut rest, &mut show_version)
        } else if argument.len() > 1 && argument[0] == b'-' {
            options.bundle(&argument[1..], &mut rest, &mut show_version)
        } else {
            options.files.push(argument.clone());
            Ok(())
        };
        if let Err(message) = read {
            return Parsed::Bad(message);
        }
        if show_version {
            return Parsed::Version(options.version);
        }
    }
    Parsed::Run(Box::new(options))
}

type Rest<'a> = std::slice::Iter<'a, Vec<u8>>;

/// The options that `trec_eval` does not have. They cannot be abbreviated, so
/// that abbreviations of its own options keep their meaning.
enum Extension<'a> {
    Compat(Option<&'a [u8]>),
    Explain,
    RemoveUnjudged,
    Threads(Option<&'a [u8]>),
    Digits(Option<&'a [u8]>),
}

/// More decimals than any double has significant digits.
const MOST_DIGITS: usize = 60;

impl<'a> Extension<'a> {
    fn of(argument: &'a [u8]) -> Option<Extension<'a>> {
        match argument {
            b"--explain" => Some(Extension::Explain),
            b"-remove-unjudged" | b"--remove-unjudged" => Some(Extension::RemoveUnjudged),
            b"--compat" => Some(Extension::Compat(None)),
            b"--threads" => Some(Extension::Threads(None)),
            b"--digits" => Some(Extension::Digits(None)),
            _ => {
                let given = |name: &[u8]| argument.strip_prefix(name);
                let compat = given(b"--compat=").map(|value| Extension::Compat(Some(value)));
                let threads = || given(b"--threads=").map(|value| Extension::Threads(Some(value)));
                let digits = || given(b"--digits=").map(|value| Extension::Digits(Some(value)));
                compat.or_else(threads).or_else(digits)
            }
        }
    }

    fn set(self, options: &mut ProgramOptions, rest: &mut Rest<'a>) -> Result<(), Vec<u8>> {
        let mut value = |given: Option<&'a [u8]>, name: &str| {
            let given = given.or_else(|| rest.next().map(Vec::as_slice));
            given.ok_or_else(|| complaint(&["option '", name, "' requires an argument"]))
        };
        match self {
            Extension::Explain => options.explain = true,
            Extension::RemoveUnjudged => options.remove_unjudged = true,
            Extension::Compat(given) => {
                let name = value(given, "--compat")?;
                options.version = Version::named(name).ok_or_else(|| {
                    let found = String::from_utf8_lossy(name);
                    complaint(&["--compat: expected 9, 9.0.8 or 10, found '", &found, "'"])
                })?;
            }
            Extension::Threads(given) => {
                let range = 1..=usize::MAX;
                let expected = "--threads: expected a number of at least 1";
                options.threads = Some(whole(value(given, "--threads")?, range, expected)?);
            }
            Extension::Digits(given) => {
                let expected = "--digits: expected a number from 0 to 60";
                options.digits = whole(value(given, "--digits")?, 0..=MOST_DIGITS, expected)?;
            }
        }
        Ok(())
    }
}

/// A whole number in a range.
fn whole(text: &[u8], range: RangeInclusive<usize>, expected: &str) -> Result<usize, Vec<u8>> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| complaint(&[expected, ", found '", &String::from_utf8_lossy(text), "'"]))
}

fn complaint(parts: &[&str]) -> Vec<u8> {
    format!("trec_eval: {}\n", parts.concat()).into_bytes()
}

impl ProgramOptions {
    /// One or more short options after one dash.
    fn bundle(
        &mut self,
        letters: &[u8],
        rest: &mut Rest,
        version: &mut bool,
    ) -> Result<(), Vec<u8>> {
        for (at, &letter) in letters.iter().enumerate() {
            let place = SHORT_OPTIONS.iter().position(|&known| known == letter && letter != b':');
            let Some(place) = place else {
                let letter = String::from_utf8_lossy(&letters[at..=at]);
                return Err(complaint(&["invalid option -- '", &letter, "'"]));
            };
            if SHORT_OPTIONS.get(place + 1) != Some(&b':') {
                self.set(letter, b"", version);
                if *version {
                    return Ok(());
                }
                continue;
            }
            let glued = &letters[at + 1..];
            let value = if glued.is_empty() { rest.next().map(Vec::as_slice) } else { Some(glued) };
            let Some(value) = value else {
                let letter = String::from_utf8_lossy(&letters[at..=at]);
                return Err(complaint(&["option requires an argument -- '", &letter, "'"]));
            };
            self.set(letter, value, version);
            break;
        }
        Ok(())
    }

    /// A long option without its dashes: a name, or an unambiguous prefix.
    fn long(&mut self, text: &[u8], rest: &mut Rest, version: &mut bool) -> Result<(), Vec<u8>> {
        let end = text.iter().position(|&byte| byte == b'=').unwrap_or(text.len());
        let (name, glued) = (&text[..end], text.get(end + 1..));
        let shown = String::from_utf8_lossy(name);
        let exact = LONG_OPTIONS.iter().find(|(long, ..)| long.as_bytes() == name);
        let begun: Vec<_> =
            LONG_OPTIONS.iter().filter(|(long, ..)| long.as_bytes().starts_with(name)).collect();
        let Some(&(long, letter, takes_value)) =
            exact.or_else(|| begun.first().copied().filter(|_| begun.len() == 1))
        else {
            let what = if begun.is_empty() { "unrecognized option '--" } else { "option '--" };
            let tail = if begun.is_empty() { "'" } else { "' is ambiguous" };
            return Err(complaint(&[what, &shown, tail]));
        };
        let value = match (takes_value, glued) {
            (true, Some(glued)) => glued,
            (true, None) => match rest.next() {
                Some(value) => value,
                None => {
                    return Err(complaint(&["option '--", long, "' requires an argument"]));
                }
            },
            (false, None) => b"",
            (false, Some(_)) => {
                return Err(complaint(&["option '--", long, "' doesn't allow an argument"]));
            }
        };
        self.set(letter, value, version);
        Ok(())
    }

    fn set(&mut self, letter: u8, value: &[u8], version: &mut bool) {
        match letter {
            b'h' => self.help = true,
            b'v' => *version = true,
            b'q' => self.topics = true,
            b'm' => self.measures.push(value.to_vec()),
            b'c' => self.complete = true,
            b'l' => self.min_grade = atol(value),
            b'n' => self.no_summary = true,
            b'D' => {
                if let Some(point) = value.iter().position(|&byte| byte == b'.') {
                    self.only_topic = Some(value[point + 1..].to_vec());
                }
            }
            b'J' => self.judged_only = true,
            b'N' => self.collection = atol(value),
            b'M' => self.depth = atol(value),
            b'R' => self.rel_format = value.to_vec(),
            b'T' => self.results_format = value.to_vec(),
            b'Z' => self.zscores = Some(value.to_vec()),
            // `-o` is accepted and does nothing.
            _ => {}
        }
    }
}
