//! The versions of `trec_eval`, and all differences between them.

use crate::rank::Precision;

/// A version that can be selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// 9.0.4 to the tag v9.0.8 of 2020: scores in single precision. The version
    /// that `pytrec_eval` builds and most people use.
    #[default]
    V9,
    /// The tag trec_eval-9.0.8 of 2023: scores in double precision.
    V908,
    /// 10.0 of 2026.
    V10,
}

impl Version {
    /// The version that `--compat` names.
    pub fn named(name: &[u8]) -> Option<Version> {
        match name {
            b"9" => Some(Version::V9),
            b"9.0.8" => Some(Version::V908),
            b"10" => Some(Version::V10),
            _ => None,
        }
    }

    /// The name that `--compat` takes.
    pub fn name(self) -> &'static str {
        match self {
            Version::V9 => "9",
            Version::V908 => "9.0.8",
            Version::V10 => "10",
        }
    }

    /// What `-v` prints.
    pub fn id(self) -> &'static str {
        match self {
            Version::V9 => "9.0.7",
            Version::V908 => "9.0.8",
            Version::V10 => "10.0-rc3",
        }
    }

    /// The precision of scores.
    pub fn precision(self) -> Precision {
        if self == Version::V9 { Precision::F32 } else { Precision::F64 }
    }

    /// Whether it has the measures that came with 10: dcg, `ideal_dcg`, rbp,
    /// `rbp_resid` and unj.
    pub fn has_new_measures(self) -> bool {
        self == Version::V10
    }

    /// Whether lines that begin with `#` are comments.
    pub fn has_comments(self) -> bool {
        self == Version::V10
    }

    /// Whether a run whose path begins with `-` is read from standard input.
    pub fn reads_standard_input(self) -> bool {
        self == Version::V10
    }

    /// Whether every topic of the judgments is evaluated: one that the run
    /// lacks is then an error or, with `-c`, gets a list of one document that
    /// does not exist. Earlier versions skip topics that the run lacks.
    pub fn loops_over_judgments(self) -> bool {
        self == Version::V10
    }

    /// How many of `num_rel` relevant documents reach a recall point of
    /// `iprec_at_recall` and `11pt_avg`.
    pub fn needed_for_recall(self, point: f64, num_rel: f64) -> i64 {
        match self {
            Version::V10 => (point * num_rel).round() as i64,
            _ => (point * num_rel + 0.9) as i64,
        }
    }

    /// Whether the name of a gain parameter that is not an integer is read as
    /// its numeric prefix, and as grade 0 without one.
    pub fn reads_any_level_name(self) -> bool {
        self != Version::V10
    }

    /// The prefix of the messages about a file of z-scores that cannot be read.
    pub fn zscore_reader(self) -> &'static str {
        if self == Version::V10 { "get_zscores" } else { "get_prefs" }
    }
}
