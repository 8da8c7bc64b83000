//! The file of `-Z`: for a topic and a measure what to subtract and what to
//! divide by.

use std::collections::HashMap;

use super::exit::{Exit, quoted};
use super::lines::{Data, fields};
use super::number::atof;
use super::version::Version;

/// Means and standard deviations.
#[derive(Debug, Default)]
pub struct Zscores {
    known: HashMap<(Vec<u8>, Vec<u8>), (f64, f64)>,
}

/// The result for a value that cannot be standardised.
const NOT_STANDARDIZED: f64 = -1_000_000.0;

impl Zscores {
    /// Reads the file.
    pub fn read(path: &[u8], version: Version) -> Result<Zscores, Exit> {
        let data = Data::read(path).map_err(|why| {
            let reader = version.zscore_reader();
            let path = quoted(path);
            Exit::new(255, format!("trec_eval.{reader}: Cannot read zscores file {path}{why}\n"))
        })?;
        let mut zscores = Zscores::default();
        for (number, line) in (1..).zip(data.lines(false)) {
            let spans = fields(line);
            let &[topic, measure, mean, deviation] = spans.as_slice() else {
                let message = format!("trec_eval.get_zscores: Malformed line {number}\n");
                return Err(Exit::new(255, message));
            };
            let text = |(start, end): (usize, usize)| &line[start..end];
            let key = (text(topic).to_vec(), text(measure).to_vec());
            let value = (atof(text(mean)), atof(text(deviation)));
            zscores.known.entry(key).or_insert(value);
        }
        Ok(zscores)
    }

    /// A value, standardised.
    pub fn of(&self, topic: &[u8], measure: &str, value: f64) -> f64 {
        match self.known.get(&(topic.to_vec(), measure.as_bytes().to_vec())) {
            Some(&(mean, deviation)) if deviation != 0.0 => (value - mean) / deviation,
            Some(&(mean, _)) if value == mean => 0.0,
            _ => NOT_STANDARDIZED,
        }
    }
}
