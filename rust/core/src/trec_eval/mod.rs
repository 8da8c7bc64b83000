//! `trec_eval`, to the byte.
//!
//! The program from its command line to its exit code, in the versions that are
//! in use. All differences of versions and all quirks are in this folder. A
//! measure that the registry has as well is computed by the registry's fold, on
//! the list as `trec_eval` sees it.
//!
//! ```text
//! arguments --options--> Options --chosen--> measures, parameters
//! judgments --judgments--> Qrels and what a format adds
//! run --lists--> Ranking of each topic --seen--> hits --topics--> values --print--> lines
//! ```

mod binary;
mod catalogue;
mod chosen_measures;
mod exit;
mod explain;
mod gains;
mod help;
mod in_memory;
mod judgments;
mod lines;
mod lists;
mod number;
mod program_options;
mod preferences;
mod print;
mod topic_list;
mod session;
mod sort;
mod topics;
mod version;
mod zscores;

use std::io::Write;

use chosen_measures::Requested;
use exit::Exit;
pub use in_memory::{InMemory, nan_last, nicknames};
use program_options::Parsed;
use session::Session;
pub use topics::Values;

/// Runs the program: arguments without its name, where to print values and
/// where to print everything else. Returns the exit code.
pub fn run(arguments: &[Vec<u8>], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let ended = started(arguments, out, err).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    ended.unwrap_or_else(|exit| {
        // If this fails, there is no way left to report it.
        let _ = out.flush().and_then(|()| err.write_all(exit.message.as_bytes()));
        exit.code
    })
}

fn started(arguments: &[Vec<u8>], out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Exit> {
    let usage =
        |message: &[u8]| Exit::new(1, String::from_utf8_lossy(message).into_owned() + help::USAGE);
    let options = match program_options::parse(arguments) {
        Parsed::Run(options) => options,
        Parsed::Version(version) => {
            writeln!(err, "trec_eval version {}", version.id())?;
            return Ok(0);
        }
        Parsed::Bad(message) => return Err(usage(&message)),
    };
    if options.help {
        out.write_all(help::help(options.version).as_bytes())?;
        return Ok(0);
    }
    let requested = Requested::read(&options)?;
    let (judgments, runs) = match options.files.split_first() {
        Some((judgments, runs)) if !runs.is_empty() => (judgments, runs),
        _ => return Err(usage(b"")),
    };
    let judged = session::judgments(&options, judgments)?;
    if options.explain {
        return explain::each_run(&options, &requested, (judgments, &judged), runs, out, err);
    }
    Session::new(&options, &requested, &judged).each_run(runs, out, err)
}
