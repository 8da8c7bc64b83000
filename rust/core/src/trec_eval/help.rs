//! The texts of `-h` and of a command line that cannot be read, in cranfield's own words.

use std::fmt::Write;

use super::catalogue::{ENTRIES, NICKNAMES, ParameterKind, named};
use super::version::Version;

/// What is printed under a message about the command line.
pub const USAGE: &str = "\
usage: cranfield trec_eval [-q] [-m MEASURE]... JUDGMENTS RUN [RUN...]
  -q            also print the values of each topic
  -m MEASURE    print this measure (repeatable); default: official
  -h            all options and measures
";

const OPTIONS: &str = "
Computes and prints what trec_eval does. Several runs are printed one after the
other, each under a line with its name.

  -h, --help                        this text
  -v, --version                     the version of trec_eval that is emulated
  -q, --query_eval_wanted           also print the values of each topic
  -n, --nosummary                   no summary
  -m, --measure NAME[.PARAMETERS]   a measure or a nickname; repeatable
  -c, --complete_rel_info_wanted    average over all topics of the judgments
  -l, --level_for_rel N             the lowest relevant grade (1)
  -J, --Judged_docs_only            leave out documents without a judgment
  -M, --Max_retrieved_per_topic N   use only the top N documents of each topic
  -N, --Number_docs_in_coll N       documents in the collection, for utility (0)
  -D, --Debug_level N[.TOPIC]       evaluate only this topic; no traces are printed
  -R, --Rel_info_format FORMAT      qrels (default), qrels_jg, prefs or qrels_prefs
  -T, --Results_format FORMAT       trec_results
  -Z, --Zscore FILE                 print z-scores: lines of topic, measure, mean, deviation
  -o                                accepted, without effect

Beyond trec_eval:
  --compat 9|9.0.8|10               the version to follow (9): 9 is 9.0.4 to the tag of 2020,
                                    with scores in single precision; 9.0.8 the tag of 2023
  --explain                         which of trec_eval's rules make its values differ from
                                    `cranfield eval`, and by how much
  --digits N                        decimals of the numbers (4)
  --threads N                       threads for several runs (as many as processors)
  -remove-unjudged, -m judged.K     as in pyserini; runs in the format of MS MARCO are read
                                    as pyserini converts them

Files may be compressed, and may be pipes.
";

/// The whole help, for a version.
pub fn help(version: Version) -> String {
    // Writing to a text cannot fail.
    let mut text = format!("{USAGE}{OPTIONS}\nNicknames:\n");
    for (name, _) in NICKNAMES {
        let members: Vec<&str> =
            named(name.as_bytes(), version).into_iter().map(|i| ENTRIES[i].name).collect();
        let _ = write!(text, "  {name}\n{}", wrapped(&members));
    }
    text += "\nMeasures, with the parameters that they take:\n";
    for entry in ENTRIES.iter().filter(|entry| !entry.new || version.has_new_measures()) {
        let list = |numbers: Vec<String>| numbers.join(",");
        let parameters = match entry.takes {
            ParameterKind::Nothing => String::new(),
            ParameterKind::Ranks(default) => {
                format!(".RANKS      {}", list(default.iter().map(i64::to_string).collect()))
            }
            ParameterKind::Points(default) | ParameterKind::Numbers(default) => {
                format!(".NUMBERS    {}", list(default.iter().map(f64::to_string).collect()))
            }
            ParameterKind::Pairs => ".LEVEL=GAIN,...".to_string(),
        };
        let _ = writeln!(text, "  {}{parameters}", entry.name);
    }
    text
}

fn wrapped(members: &[&str]) -> String {
    let mut text = String::new();
    let mut line = String::from("   ");
    for member in members {
        if line.len() + 1 + member.len() > 78 {
            text += &line;
            text.push('\n');
            line = String::from("   ");
        }
        line.push(' ');
        line += member;
    }
    text + &line + "\n"
}
