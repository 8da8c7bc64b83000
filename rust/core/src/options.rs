//! The options of an evaluation as users give them, in one table.
//!
//! Python's keywords, their types and their documentation, the flags of the
//! commands and their help, and `docs/reference/options.md` are made from [`OPTIONS`].
//! To add an option: add a field to [`Options`], read it where it has an effect,
//! add a row here, and run `make docs`.

use crate::error::{Error, Kind, Result, nearest, quote};
use crate::evaluate::{Negative, Options};
use crate::grammar::quoted;
use crate::rank::{Duplicates, Order, Own, Precision};
use crate::read::Strictness;
use crate::read::run::RunLayout;
use crate::scores::{Missing, Undefined};
use crate::ties::TieMode;

/// The measures that are computed when none is named.
pub const DEFAULT_MEASURES: &str = "nDCG@10 AP RR P@10 R@100 bpref Judged@10";

/// The measures that are bounded when none is named: those of them with bounds.
pub const DEFAULT_BOUNDED: &str = "nDCG@10 AP RR P@10 R@100 bpref";

/// The measures that runs are compared in when none is named.
pub const DEFAULT_COMPARED: &str = "nDCG@10 AP P@10";

/// Everything that the table can set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// What the evaluator is compiled with.
    pub options: Options,
    /// How documents of equal score are treated.
    pub ties: TieMode,
}

/// What an option decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// How files are read.
    Reading,
    /// How lists are ranked.
    Ranking,
    /// How rankings become scores.
    Scoring,
    /// How the work is done; the scores do not depend on it.
    Work,
}

impl Stage {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Reading => "reading",
            Stage::Ranking => "ranking",
            Stage::Scoring => "scoring",
            Stage::Work => "work",
        }
    }
}

/// A word that an option takes, and what it sets.
pub type Word = (&'static str, fn(&mut Choices));

/// Which values an option takes, and what each of them sets.
#[derive(Clone, Copy, Debug)]
pub enum OptionValues {
    /// One of these words.
    Word(&'static [Word]),
    /// The name of a layout of runs.
    RunLayout,
    /// A whole number of at least 1, called this in errors.
    Count(&'static str, fn(&mut Choices, u64)),
    /// Columns of tables by name, which are read outside of the core.
    Columns,
    /// On or off; off is the default.
    Flag(fn(&mut Choices, bool)),
}

/// An option of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatingOption {
    /// Its keyword. Its flag is the same, with dashes.
    pub name: &'static str,
    /// What it decides.
    pub stage: Stage,
    /// Its values.
    pub takes: OptionValues,
    /// What holds when it is not given; if empty, the first word does.
    pub otherwise: &'static str,
    /// Whether scores made with different values of it do not fit together.
    pub separates: bool,
    /// What it does, for the help of the flag.
    pub summary: &'static str,
    /// What it does, for the documentation of `evaluate` in Python.
    pub about: &'static str,
    /// What corresponds to it in `trec_eval`, for the guide.
    pub trec_eval: &'static str,
}

/// Every option of an evaluation.
pub const OPTIONS: &[EvaluatingOption] = &[
    EvaluatingOption {
        name: "missing",
        stage: Stage::Scoring,
        takes: OptionValues::Word(&[
            ("zero", |set| set.options.missing = Missing::Zero),
            ("skip", |set| set.options.missing = Missing::Skip),
            ("error", |set| set.options.missing = Missing::Error),
        ]),
        otherwise: "zero, with a warning",
        separates: true,
        summary: "topics that a run did not answer: score zero, leave out of its means, or error",
        about: "A topic of the qrels that a run did not answer counts as \"zero\" (like \
                ``trec_eval -c``), is left out of the run's means (\"skip\"), or is an \"error\". \
                Default: \"zero\", with a warning. A run that answers none of the topics is an \
                error except under \"skip\".",
        trec_eval: "`zero` is `-c`; `skip` is version 9 without `-c`",
    },
    EvaluatingOption {
        name: "undefined",
        stage: Stage::Scoring,
        takes: OptionValues::Word(&[
            ("zero", |set| set.options.undefined = Undefined::Zero),
            ("skip", |set| set.options.undefined = Undefined::Skip),
            ("error", |set| set.options.undefined = Undefined::Error),
            ("one", |set| set.options.undefined = Undefined::One),
        ]),
        otherwise: "zero, with a warning",
        separates: true,
        summary: "undefined scores (0/0): zero, leave out of means, error, or one (for measures \
                  whose best value is 1)",
        about: "An undefined score (0/0) becomes \"zero\", NaN (\"skip\"), an \"error\", or \"one\", \
                for measures whose best value is 1. Default: \"zero\", with a warning.",
        trec_eval: "`zero` is what it does",
    },
    EvaluatingOption {
        name: "order",
        stage: Stage::Ranking,
        takes: OptionValues::Word(&[
            ("docno_desc", |set| set.options.ranker.order = Order::DocnoDesc),
            ("docno_asc", |set| set.options.ranker.order = Order::DocnoAsc),
            ("input", |set| set.options.ranker.order = Order::Input),
            ("rank", |set| set.options.ranker.order = Order::Rank),
        ]),
        otherwise: "",
        separates: true,
        summary: "order of each ranking: by score, ties by descending or ascending document id; as \
                  in the file; or by the rank column",
        about: "How to order each ranking: by score, with ties broken by document id \
                (\"docno_desc\" or \"docno_asc\"), in the order of the file (\"input\"), or by the \
                rank column (\"rank\").",
        trec_eval: "`docno_desc` is what it does",
    },
    EvaluatingOption {
        name: "scores",
        stage: Stage::Ranking,
        takes: OptionValues::Word(&[
            ("f64", |set| set.options.ranker.precision = Precision::F64),
            ("f32", |set| set.options.ranker.precision = Precision::F32),
        ]),
        otherwise: "",
        separates: true,
        summary: "floating-point precision for comparing scores",
        about: "Precision for comparing scores: \"f64\", or \"f32\" like trec_eval 9.",
        trec_eval: "`f64` is version 10, `f32` is `pytrec_eval`",
    },
    EvaluatingOption {
        name: "duplicates",
        stage: Stage::Ranking,
        takes: OptionValues::Word(&[
            ("error", |set| set.options.ranker.duplicates = Duplicates::Error),
            ("first", |set| set.options.ranker.duplicates = Duplicates::First),
            ("best", |set| set.options.ranker.duplicates = Duplicates::Best),
            ("place", |set| set.options.ranker.duplicates = Duplicates::Place),
        ]),
        otherwise: "",
        separates: true,
        summary: "a document listed twice: error, keep the first or the best-scored line, or place: \
                  keep the best, and the others keep their ranks but gain nothing",
        about: "A document listed twice for a topic is an \"error\", or its \"first\" or \"best\" \
                line is kept, or the best line is kept and the others keep their ranks but gain \
                nothing (\"place\").",
        trec_eval: "`error` is what it does",
    },
    EvaluatingOption {
        name: "own",
        stage: Stage::Ranking,
        takes: OptionValues::Word(&[
            ("keep", |set| set.options.ranker.own = Own::Keep),
            ("drop", |set| set.options.ranker.own = Own::Drop),
        ]),
        otherwise: "",
        separates: true,
        summary: "a document whose id is that of the topic: a document like others, or taken \
                  out before ranks are counted",
        about: "A document whose id is that of the topic: \"keep\" it, or \"drop\" it before ranks \
                are counted, as BEIR does where queries are documents.",
        trec_eval: "`keep` is what it does",
    },
    EvaluatingOption {
        name: "negative",
        stage: Stage::Scoring,
        takes: OptionValues::Word(&[
            ("unjudged", |set| set.options.negative = Negative::Unjudged),
            ("nonrelevant", |set| set.options.negative = Negative::Nonrelevant),
        ]),
        otherwise: "",
        separates: true,
        summary: "how to treat a negative grade",
        about: "A negative grade means \"unjudged\" or \"nonrelevant\".",
        trec_eval: "`unjudged` is what it does",
    },
    EvaluatingOption {
        name: "ties",
        stage: Stage::Scoring,
        takes: OptionValues::Word(&[
            ("order", |set| set.ties = TieMode::Order),
            ("average", |set| set.ties = TieMode::Average),
            ("bounds", |set| set.ties = TieMode::Bounds),
        ]),
        otherwise: "",
        separates: true,
        summary: "tied scores: break ties as --order says, or report the average, or the lowest \
                  and highest value, over all orders of the ties",
        about: "Ties are broken in \"order\", or the value is the \"average\" over all orders of \
                the ties. The average is exact; a measure without a known exact method is an error \
                that names those with one, and so is a ``depth``. ``tie_bounds`` returns the \
                lowest and highest values over all orders.",
        trec_eval: "`order` is what it does",
    },
    EvaluatingOption {
        name: "depth",
        stage: Stage::Ranking,
        // No list is longer than that.
        takes: OptionValues::Count("depth", |set, depth| {
            set.options.ranker.depth = Some(depth.min(u64::from(u32::MAX)) as u32);
        }),
        otherwise: "all",
        separates: true,
        summary: "use only the first N documents of each ranking",
        about: "Use only this many documents of each ranking. Default: all.",
        trec_eval: "`-M`",
    },
    EvaluatingOption {
        name: "threads",
        stage: Stage::Work,
        takes: OptionValues::Count("number of threads", |set, threads| {
            set.options.threads = Some(threads as usize);
        }),
        otherwise: "as many as processors",
        separates: false,
        summary: "how many threads to use",
        about: "Number of threads. Default: one per processor. The scores do not depend on it.",
        trec_eval: "",
    },
    EvaluatingOption {
        name: "lenient",
        stage: Stage::Reading,
        takes: OptionValues::Flag(|set, lenient| {
            set.options.strictness = if lenient { Strictness::Lenient } else { Strictness::Strict };
        }),
        otherwise: "off",
        separates: true,
        summary: "parse numbers as C's atof does instead of rejecting bad ones",
        about: "Parse numbers in files as C's ``atof`` does instead of raising. Headers, commas in \
                numbers, and quotation marks remain errors.",
        trec_eval: "on is what it does",
    },
    EvaluatingOption {
        name: "run_layout",
        stage: Stage::Reading,
        takes: OptionValues::RunLayout,
        otherwise: "by the first line",
        separates: false,
        summary: "format of run files: trec (topic Q0 document rank score tag), msmarco (topic \
                  document rank), scores (topic document score), or a table (default: detected; \
                  three columns without a header are read as ranks only if they cannot be scores)",
        about: "The format of run files: \"trec\" (topic Q0 document rank score tag), \"msmarco\" \
                (topic document rank), \"scores\" (topic document score), or a table: \"csv\" and \
                \"tsv\" with a header, \"json\", \"jsonl\", \"parquet\", \"arrow\". Default: \
                detected from the beginning of the file. Three columns without a header are read \
                as ranks only if they are certainly ranks (integers that start at 1 for each topic \
                and increase); anything else is an error (kind \"layout\") until you name the \
                layout.",
        trec_eval: "`trec` is what it takes",
    },
    EvaluatingOption {
        name: "columns",
        stage: Stage::Reading,
        takes: OptionValues::Columns,
        otherwise: "by their usual names",
        separates: false,
        summary: "names of nonstandard columns in tables, such as topic=query,score=bm25; also \
                  doc, rank, run, grade, tokens, chars, cost, call",
        about: "Names of nonstandard columns in tables, such as {\"topic\": \"query\", \"score\": \
                \"bm25\"}; also \"doc\", \"rank\", \"run\", \"tokens\", \"chars\", \"cost\", \"call\" \
                and, for judgments, \"grade\". Judgments without a column of that name are read by the standard names.",
        trec_eval: "",
    },
];

impl EvaluatingOption {
    /// The option of a keyword.
    pub fn named(name: &str) -> Option<&'static EvaluatingOption> {
        OPTIONS.iter().find(|option| option.name == name)
    }

    /// The words that it takes, if it takes words.
    pub fn words(&self) -> Vec<&'static str> {
        match self.takes {
            OptionValues::Word(words) => words.iter().map(|(word, _)| *word).collect(),
            OptionValues::RunLayout => RunLayout::names().collect(),
            OptionValues::Count(..) | OptionValues::Columns | OptionValues::Flag(_) => Vec::new(),
        }
    }

    /// Sets what a word stands for; an error if it is none of the option's.
    pub fn set_word(&self, choices: &mut Choices, word: &str) -> Result<()> {
        match self.takes {
            OptionValues::Word(words) => {
                if let Some((_, set)) = words.iter().find(|(known, _)| *known == word) {
                    set(choices);
                    return Ok(());
                }
            }
            OptionValues::RunLayout => {
                if let Some(layout) = RunLayout::named(word) {
                    choices.options.run_layout = layout;
                    return Ok(());
                }
            }
            OptionValues::Count(..) | OptionValues::Columns | OptionValues::Flag(_) => {}
        }
        Err(unknown_word(self.name, word, &self.words()))
    }
}

/// The error for a word that an option does not take.
#[cold]
pub fn unknown_word(option: &str, found: &str, known: &[&str]) -> Error {
    let near = nearest(found, known.iter().copied());
    let near = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    let message =
        format!("expected one of {} as {option}, found {}{near}", quoted(known), quote(found));
    Error::new(Kind::Option, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_the_default() {
        for option in OPTIONS {
            let Some(first) = option.words().first().copied() else { continue };
            if matches!(option.takes, OptionValues::RunLayout) {
                continue;
            }
            let mut choices = Choices::default();
            option.set_word(&mut choices, first).unwrap();
            assert_eq!(format!("{choices:?}"), format!("{:?}", Choices::default()), "{first}");
        }
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_nearest() {
        let option = EvaluatingOption::named("missing").unwrap();
        let error = option.set_word(&mut Choices::default(), "zerooo").unwrap_err();
        assert!(error.to_string().contains("did you mean \"zero\"?"), "{error}");
    }
}
