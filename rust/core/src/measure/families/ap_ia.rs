//! Intent-aware average precision and precision.

use super::err_ia;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "AP_IA",
        aliases: &[
            "AP-IA",
            "MAP-IA",
            "MAP_IA",
            "intent-aware average precision",
            "intent-aware mean average precision",
        ],
        group: "diversity",
        summary: "The mean over intents of average precision.",
        prose: "Intents without a relevant document are left out; weights, if there are any, are those of the mean.",
        formula: "AP_IA@k = sum over intents i of w(i) AP@k under i, where the weights w add up to 1",
        citation: "Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: err_ia::SEES,
    laws: err_ia::LAWS,
    score: |measure, case| {
        let intents = case.intents();
        let totals = case.served(measure.rel);
        let mut seen = vec![0u32; totals.len()];
        let mut sum = 0.0;
        for known in case.known(measure.depth()).filter(|known| known.judged) {
            for &(intent, _) in intents.served(known.number as u32, measure.rel) {
                let intent = intent as usize;
                seen[intent] += 1;
                let precision = f64::from(seen[intent]) / f64::from(known.rank);
                sum += intents.weights()[intent] * precision / f64::from(totals[intent]);
            }
        }
        sum / err_ia::weight(measure, case)
    },
    peers: &[
        Peer::new("ndeval", "MAP-IA"),
        Peer::new("ir_measures", "AP_IA")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "AP_IA",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a c b",
        value: 7.0 / 12.0,
        working: "((1/1 + 2/3) / 2 + (1/3) / 1) / 2",
    }],
};

pub static P_IA: Family = Family {
    about: About {
        name: "P_IA",
        aliases: &["P-IA", "intent-aware precision"],
        group: "diversity",
        summary: "The mean over intents of precision at a rank.",
        prose: "Intents without a relevant document are left out; weights, if there are any, are those of the mean.",
        formula: "P_IA@k = sum over intents i of w(i) P@k under i, where the weights w add up to 1",
        citation: "Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM; ndeval, measure P-IA",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, ..Takes::NONE },
    sees: err_ia::SEES,
    laws: Laws { ties: |_| Ties { mean: Some(Mean::Rotations), extremes: None }, ..err_ia::LAWS },
    score: |measure, case| {
        let intents = case.intents();
        let first = case.first_judged(measure.depth());
        let found = intents.counts(first, measure.rel);
        let weighted = intents.weights().iter().zip(found);
        let sum: f64 = weighted.map(|(weight, found)| weight * f64::from(found)).sum();
        sum / f64::from(measure.depth()) / err_ia::weight(measure, case)
    },
    peers: &[
        Peer::new("ndeval", "P-IA@20"),
        Peer::new("ir_measures", "P_IA@20")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "P_IA@2",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "b c a",
        value: 0.5,
        working: "b serves both: (1/2 + 1/2) / 2",
    }],
};
