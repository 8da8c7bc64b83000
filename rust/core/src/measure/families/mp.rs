//! Markov precision.

use crate::measure::declare::*;
use std::borrow::Cow;
use std::sync::LazyLock;

const STEPS: Param =
    Param::new("steps", Range::Words(&["global", "local"]), "to any document, or to a neighbour")
        .or(Default::Text("global"));

const STATES: Param = Param::new(
    "states",
    Range::Words(&["all", "relevant"]),
    "the documents that the user walks over: all of the ranking, or the relevant ones",
)
.or(Default::Text("all"));

const DISTANCE: Param = Param::new(
    "distance",
    Range::Words(&["inverse", "log", "none"]),
    "how a step falls with the distance of two ranks",
)
.or(Default::Text("inverse"));

const LOOPS: Param =
    Param::new("loops", Range::Flag, "whether the user may stay").or(Default::Flag(false));

const RECALL: Param =
    Param::new("recall", Range::Flag, "whether it is multiplied by recall").or(Default::Flag(true));

pub static FAMILY: Family = Family {
    about: About {
        name: "MP",
        aliases: &["Markov_precision"],
        group: "binary ranks",
        summary: "Precision at the relevant documents, weighted by how often a user who moves up and down the ranking is there.",
        prose: "The user is a Markov chain over the documents of the ranking, or over the relevant ones only. From a document the user goes to any other, or to a neighbor, with a probability that falls with the distance: by the inverse of the distance plus 1, or of its logarithm, or not at all. How often the user is at each document in the long run (the stationary distribution) weights the precision there; the weights of the relevant documents are normalized to sum to 1. The chains are symmetric up to normalization, so a weight is the sum of a document's steps. By default the mean is multiplied by recall; with states=\"relevant\" and distance=\"none\" it is then AP. Its cost rises with the square of the relevant documents found where states=\"relevant\".",
        formula: "MP = (found / R) sum over relevant documents i of w(i) P(i) / sum of w(i), w(i) = sum over the documents j != i that can be reached from i of s(d) = 1 / (d + 1), 1 / log(d + 2) or 1 for the distance d of their ranks; with loops j = i too; one document alone has all the weight",
        citation: "Ferrante, Ferro and Maistro (2014), Injecting user models and time into precision via Markov chains, SIGIR; MATTERS, measure markovPrecision",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[STEPS, STATES, DISTANCE, LOOPS, RECALL],
        cutoff: Cutoff::Optional,
        ..Takes::NONE
    },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    score: |measure, case| markov_precision(measure, case),
    peers: &[
        Peer::new("MATTERS", "MP_G_AD_NL_NA_ID_R"),
        Peer::new("MATTERS", "MP_G_AD_NL_NA_ID_NA").is("MP(recall=False)"),
        Peer::new("MATTERS", "MP_G_OR_NL_NA_LID_R").is("MP(states=\"relevant\",distance=\"log\")"),
        Peer::new("MATTERS", "MP_L_OR_SL_NA_ID_R")
            .is("MP(steps=\"local\",states=\"relevant\",loops=True)"),
        Peer::new("MATTERS", "MP_G_AD2OR_NL_NA_ID_R")
            .but("is the same number as MP_G_AD_NL_NA_ID_R"),
    ],
    examples: &[
        Example {
            measure: "MP(states=\"relevant\")",
            judgments: "a=1 b=0 c=1 d=1 e=1",
            list: "a b c d",
            value: (7.0 / 12.0 + 2.0 / 3.0 * (5.0 / 6.0) + 0.75 * 0.75) / (26.0 / 12.0) * 0.75,
            working: "steps a-c 1/3, a-d 1/4, c-d 1/2: weights 7/12, 10/12, 9/12 of 26/12; (7/12 (1/1) + 10/12 (2/3) + 9/12 (3/4)) / (26/12) x 3/4",
        },
        Example {
            measure: "MP(steps=\"local\",recall=False)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 2.0 / 3.0,
            working: "a at the end has one neighbour, c two: (1 (1/1) + 2 (2/4)) / 3",
        },
    ],
};

fn markov_precision(measure: &Measure, case: &Case) -> f64 {
    let k = measure.depth();
    let found = case.relevant(k);
    let recall = found.len() as f64 / case.num_rel();
    let end = case.retrieved().min(k);
    let table = Table::of(measure, end);
    let step = |from: u32, to: u32| table.steps[from.abs_diff(to) as usize];
    let local = measure.is(STEPS, "local");
    let relevant = measure.is(STATES, "relevant");
    let loops = measure.flag(LOOPS);
    let (mut sum, mut weights) = (0.0, 0.0);
    for (i, document) in found.iter().enumerate() {
        let rank = document.rank;
        let mut weight = match (relevant, local) {
            _ if found.len() == 1 => 1.0,
            (false, false) => table.sums[rank as usize - 1] + table.sums[(end - rank) as usize],
            (false, true) => {
                let neighbours = u8::from(rank > 1) + u8::from(rank < end);
                table.steps[1] * f64::from(neighbours)
            }
            (true, false) => {
                let others = found[..i].iter().chain(&found[i + 1..]);
                others.map(|other| step(rank, other.rank)).sum()
            }
            (true, true) => {
                let above = i.checked_sub(1).map(|above| &found[above]);
                let neighbours = above.into_iter().chain(found.get(i + 1));
                neighbours.map(|other| step(rank, other.rank)).sum()
            }
        };
        if loops && found.len() > 1 {
            weight += table.steps[0];
        }
        weights += weight;
        sum += weight * f64::from(document.seen) / f64::from(rank);
    }
    if found.is_empty() {
        // 0, or 0/0 where nothing is relevant.
        return recall;
    }
    let scaled = measure.flag(RECALL);
    sum / weights * if scaled { recall } else { 1.0 }
}

/// How likely steps are, relative to each other, by how far they go.
#[derive(Clone)]
struct Table {
    /// Of a step over this many ranks.
    steps: Vec<f64>,
    /// Of all steps over 1 to this many ranks.
    sums: Vec<f64>,
}

/// The ranks of nearly every run.
const COMMON: u32 = 1000;

impl Table {
    /// For lists of this many ranks.
    fn of(measure: &Measure, ranks: u32) -> Cow<'static, Table> {
        static INVERSE: LazyLock<Table> = LazyLock::new(|| Table::new(inverse, COMMON));
        static LOG: LazyLock<Table> = LazyLock::new(|| Table::new(log, COMMON));
        static NONE: LazyLock<Table> = LazyLock::new(|| Table::new(|_| 1.0, COMMON));
        let (step, common): (fn(u32) -> f64, _) = match measure.word(DISTANCE) {
            "log" => (log, &LOG),
            "none" => (|_| 1.0, &NONE),
            _ => (inverse, &INVERSE),
        };
        if ranks > COMMON { Cow::Owned(Table::new(step, ranks)) } else { Cow::Borrowed(common) }
    }

    fn new(step: fn(u32) -> f64, ranks: u32) -> Self {
        let mut table = Table { steps: vec![step(0)], sums: vec![0.0] };
        let mut sum = 0.0;
        for distance in 1..ranks {
            sum += step(distance);
            table.steps.push(step(distance));
            table.sums.push(sum);
        }
        table
    }
}

fn inverse(distance: u32) -> f64 {
    1.0 / f64::from(distance + 1)
}

fn log(distance: u32) -> f64 {
    1.0 / f64::from(distance + 2).ln()
}
