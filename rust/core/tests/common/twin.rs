//! A measure's arguments as its naive twin takes them.

use std::collections::BTreeMap;

use cranfield_core::grammar::prefix;
use cranfield_core::measure::{Gain, Measure, Value};

use crate::naive;

/// The arguments of a measure as its twin sees them.
pub fn params(measure: &Measure) -> naive::Params {
    let mut values = BTreeMap::new();
    for (param, value) in measure.family.takes.params.iter().zip(&measure.values) {
        let value = match value {
            Value::None => continue,
            Value::Number(n) => naive::Value::Number(*n),
            Value::Text(text) => naive::Value::Text(text.clone()),
            Value::Flag(flag) => naive::Value::Flag(*flag),
            Value::Map(pairs) => naive::Value::Map(pairs.clone()),
            documents @ Value::Documents(..) => {
                naive::Value::Text(documents.to_string().trim_matches('"').to_string())
            }
        };
        values.insert(param.key.to_string(), value);
    }
    match &measure.gain {
        Gain::Grade => {}
        Gain::Binary => drop(values.insert("gain".into(), naive::Value::Text("binary".into()))),
        Gain::Map(pairs) => drop(values.insert("gain".into(), naive::Value::Map(pairs.clone()))),
    }
    naive::Params {
        rel: measure.rel,
        cutoff: measure.cutoff,
        prime: measure.prime,
        over: prefix(measure.over),
        sharp: measure.sharp,
        values,
    }
}
