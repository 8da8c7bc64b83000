//! Preferences that the grades imply: the proportion fulfilled, and the two numbers.

use crate::measure::declare::*;

const OVER: Param = Param::new(
    "over",
    Range::Words(&["judged", "implied", "retrieved"]),
    "which pairs are compared: all judged documents, those with at least one retrieved, or with both",
    )
    .or(Default::Text("judged"));

const NONREL: Param = Param::new(
    "nonrel",
    Range::Words(&["all", "R"]),
    "how many documents without gain are compared: all, or as many as relevant ones",
)
.or(Default::Text("all"));

/// The parameters of the family.
const PARAMS: &[Param] = &[OVER, NONREL];

pub static FAMILY: Family = Family {
    about: About {
        name: "Pref",
        aliases: &["prefs_simp", "preference precision"],
        group: "preference",
        summary: "The proportion of the preferences implied by the grades that the ranking satisfies.",
        prose: "A document of higher gain is preferred to each one of lower gain; documents of the same gain, and unjudged ones, are not compared. A preference is satisfied if the better document was retrieved and the other one is ranked below it or was not retrieved; between two documents that were not retrieved it is undecided, and counts as possible but not satisfied. Over all judged pairs this is Carterette and Bennett's recall of preferences; over=\"implied\" leaves out the undecided pairs, which is their precision of preferences, and over=\"retrieved\" requires both documents in the ranking. With a cutoff the first k documents count as retrieved. nonrel=\"R\" compares with the first R documents without gain only, in the order of the ranking and then of those not retrieved, R being the number of relevant documents that are compared; if there are fewer than R, the missing ones are taken to be below all others. With binary gains Pref is bpref_N if a document is judged not relevant, and with nonrel=\"R\" it is bpref_R. Where nothing can be preferred the value is 0. There is one judge here; for one judge the three forms of trec_eval, prefs_simp, prefs_pair and prefs_avgjg, are the same.",
        formula: "Pref = pairs (x, y) with g(x) > g(y), x retrieved and y below x or not retrieved / pairs (x, y) with g(x) > g(y)",
        citation: "Carterette and Bennett (2008), Evaluation measures for preference judgments, SIGIR; trec_eval, measure prefs_simp",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Each, beyond_list: true, ..Sees::GAINS },
    laws: Laws { bounds, falls: |measure, _| falls(measure), ties, ..Laws::UNKNOWN },
    score: |measure, case| {
        let pairs = Pairs::of(measure, case, true);
        match pairs.possible {
            // Gains may all be the same.
            0 if case.view.num_rel > 0 => 0.0,
            possible => pairs.fulfilled as f64 / possible as f64,
        }
    },
    peers: &[
        Peer::new("trec_eval", "prefs_simp")
            .but("among equal scores the document id that comes first ranks first; a negative grade is one more class, below 0"),
        Peer::new("trec_eval", "prefs_simp_ret")
            .is("Pref(over=\"retrieved\")")
            .but("as prefs_simp"),
        Peer::new("trec_eval", "prefs_simp_imp").is("Pref(over=\"implied\")").but("as prefs_simp"),
        Peer::new("trec_eval", "prefs_pair")
            .but("weighs a pair by the judges who agree; with one judge it is prefs_simp"),
        Peer::new("trec_eval", "prefs_avgjg")
            .but("is a mean over judges; with one judge it is prefs_simp"),
        Peer::new("trec_eval", "prefs_avgjg_Rnonrel")
            .but("as Pref(nonrel=\"R\") here if there are no more documents without gain than relevant ones; otherwise it compares the first R of them with each other too"),
    ],
    examples: &[
        Example {
            measure: "Pref",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a b x",
            value: 0.5,
            working: "of six pairs three are fulfilled: b over c and d, a over c; b stands below a, and d was not retrieved: 3/6",
        },
        Example {
            measure: "Pref(over=\"implied\")",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a b x",
            value: 0.6,
            working: "as above without d over c, of which neither was retrieved: 3/5",
        },
        Example {
            measure: "Pref(over=\"retrieved\")",
            judgments: "a=1 b=3 c=0 d=2",
            list: "c b a x",
            value: 1.0 / 3.0,
            working: "of b over a, b over c and a over c the first",
        },
        Example {
            measure: "Pref(nonrel=\"R\")",
            judgments: "a=1 b=0 c=1 d=0 e=0",
            list: "b a d",
            value: 0.25,
            working: "a and c are compared with b and d, and a over d is fulfilled: 1/4",
        },
    ],
};

pub static NUM_PREFS: Family = Family {
    about: About {
        name: "num_prefs",
        aliases: &["prefs_num_prefs_poss"],
        group: "preference",
        summary: "The number of preferences that the grades imply: the divisor of Pref.",
        prose: "Pairs of judged documents with different gains, counted as Pref counts them, with the same parameters. The summary is the sum over topics.",
        formula: "num_prefs = pairs (x, y) with g(x) > g(y)",
        citation: "trec_eval, measure prefs_num_prefs_poss",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Each, beyond_list: true, ..Sees::GAINS },
    laws: Laws { aggregate: Aggregation::Sum, bounds, ties, ..Laws::UNKNOWN },
    score: |measure, case| Pairs::of(measure, case, false).possible as f64,
    peers: &[Peer::new("trec_eval", "prefs_num_prefs_poss")
        .but("a negative grade is one more class, below 0")],
    examples: &[
        Example {
            measure: "num_prefs",
            judgments: "a=1 b=3 c=0 d=0",
            list: "c a x b",
            value: 5.0,
            working: "b over a, c and d; a over c and d",
        },
        Example {
            measure: "num_prefs(over=\"implied\")",
            judgments: "a=1 b=3 c=0 d=0",
            list: "b x",
            value: 3.0,
            working: "b over a, c and d; of a over c and d nothing was retrieved",
        },
    ],
};

pub static NUM_PREFS_FUL: Family = Family {
    about: About {
        name: "num_prefs_ful",
        aliases: &["prefs_num_prefs_ful"],
        group: "preference",
        summary: "The number of preferences implied by the grades that the ranking satisfies: the numerator of Pref.",
        prose: "Counted as Pref counts them, with the same parameters. The summary is the sum over topics; divided by that of num_prefs it is a mean of Pref in which every preference has the same weight.",
        formula: "num_prefs_ful = pairs (x, y) with g(x) > g(y), x retrieved and y below x or not retrieved",
        citation: "trec_eval, measure prefs_num_prefs_ful",
        range: "0, 1, 2 ...",
        // Pairs within the list are more in a longer one.
        better: |measure| {
            if measure.is(OVER, "retrieved") { Better::Neither } else { Better::Higher }
        },
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Each, beyond_list: true, ..Sees::GAINS },
    laws: Laws { aggregate: Aggregation::Sum, bounds, ties, ..Laws::UNKNOWN },
    score: |measure, case| Pairs::of(measure, case, true).fulfilled as f64,
    peers: &[
        Peer::new("trec_eval", "prefs_num_prefs_ful")
            .but("among equal scores the document id that comes first ranks first; a negative grade is one more class, below 0"),
        Peer::new("trec_eval", "prefs_num_prefs_ful_ret")
            .is("num_prefs_ful(over=\"retrieved\")")
            .but("as prefs_num_prefs_ful"),
    ],
    examples: &[
        Example {
            measure: "num_prefs_ful",
            judgments: "a=1 b=3 c=0 d=0",
            list: "c a x b",
            value: 2.0,
            working: "a and b over d, which was not retrieved",
        },
        Example {
            measure: "num_prefs_ful(over=\"retrieved\")",
            judgments: "a=1 b=3 c=0 d=0",
            list: "a c x b",
            value: 1.0,
            working: "a over c",
        },
    ],
};

/// What `bpref_N` and `bpref_R` do, which it is with one gain.
fn falls(measure: &Measure) -> Option<Falls> {
    let of_r = measure.is(NONREL, "R");
    let law = if of_r { Falls::Power(1) } else { Falls::Compared { listed: false } };
    (measure.is(OVER, "judged") && measure.cutoff.is_none()).then_some(law)
}

/// With the same new grades the best first fulfil the most. Where a cutoff or
/// the number R limits what is compared, they also decide on the pairs.
pub(super) fn bounds(measure: &Measure) -> Bounds {
    if measure.cutoff.is_some() && !measure.is(OVER, "judged") {
        return Bounds::Refused("which pairs are compared depends on what is among the first k");
    }
    if measure.is(NONREL, "R") { Bounds::SortedIfBinary } else { Bounds::Sorted }
}

/// Pairs of equal scores stand either way in half of the orders. A cutoff or the
/// number R makes more than pairs of them.
pub(super) fn ties(measure: &Measure) -> Ties {
    if measure.cutoff.is_some() || measure.is(NONREL, "R") {
        return Ties::UNKNOWN;
    }
    Ties::sorted(Mean::Reversal)
}

/// How many preferences there are, and how many the list fulfils.
struct Pairs {
    pub possible: u64,
    pub fulfilled: u64,
}

/// The documents of one gain.
#[derive(Clone, Copy, std::default::Default)]
struct Class {
    /// Those that are compared.
    compared: u64,
    /// Those of them in the list.
    listed: u64,
}

impl Pairs {
    /// Counts by class: a pass over the relevant documents of the list for the
    /// pairs in it, the numbers of documents for all others. What is fulfilled is right only if
    /// it is asked for.
    pub(super) fn of(measure: &Measure, case: &Case, ordered: bool) -> Self {
        let found = case.relevant(measure.depth());
        let listed_only = measure.is(OVER, "retrieved");
        let (class_of, mut classes) = classes(case);
        let mut others = Class {
            compared: u64::from(case.view.num_nonrel),
            listed: match measure.cutoff {
                None => u64::from(case.view.nonrelevant),
                Some(_) => (case.judged(measure.depth()).count() - found.len()) as u64,
            },
        };
        if listed_only {
            others.compared = others.listed;
        }
        if measure.is(NONREL, "R") {
            let relevant = if listed_only { found.len() as u64 } else { case.view.num_rel.into() };
            others = Class { compared: relevant, listed: others.listed.min(relevant) };
        }
        let mut pairs = Pairs { possible: 0, fulfilled: 0 };
        if ordered {
            // Those without gain that stand below, of the ones compared.
            let below = found.iter().map(|d| others.listed.saturating_sub(d.nonrelevant.into()));
            pairs.fulfilled = below.sum();
        }
        if let [class] = &mut classes[..] {
            class.listed = found.len() as u64;
        } else {
            let mut above = Above::new(classes.len());
            for document in found {
                let class = class_of[document.grade_index as usize];
                pairs.fulfilled += above.better(class);
                above.add(class);
                classes[class].listed += 1;
            }
        }
        let implied = measure.is(OVER, "implied");
        if listed_only {
            for class in &mut classes {
                class.compared = class.listed;
            }
        }
        let mut better = Class::default();
        for class in classes.into_iter().chain([others]) {
            let missing = class.compared - class.listed;
            pairs.possible += better.compared * class.compared;
            if implied {
                pairs.possible -= (better.compared - better.listed) * missing;
            }
            pairs.fulfilled += better.listed * missing;
            better.compared += class.compared;
            better.listed += class.listed;
        }
        pairs
    }
}

/// The class of each relevant grade, and the classes from the highest gain on.
fn classes(case: &Case) -> (Vec<usize>, Vec<Class>) {
    let counts =
        case.topic.counts().iter().filter(|of| case.relevant_grades[of.grade_index as usize]);
    let mut gains: Vec<(f64, u32, u32)> =
        counts.map(|of| (case.gains[of.grade_index as usize], of.grade_index, of.count)).collect();
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut classes: Vec<Class> = Vec::with_capacity(gains.len());
    let mut class_of = vec![0; case.gains.len()];
    let mut lowest = f64::INFINITY;
    for (gain, grade_index, count) in gains {
        if gain < lowest {
            lowest = gain;
            classes.push(Class::default());
        }
        class_of[grade_index as usize] = classes.len() - 1;
        if let Some(class) = classes.last_mut() {
            class.compared += u64::from(count);
        }
    }
    (class_of, classes)
}

/// The numbers of documents so far by class, summed up in a Fenwick tree: with
/// fractional grades there can be as many classes as documents.
struct Above {
    sums: Vec<u64>,
}

impl Above {
    fn new(classes: usize) -> Self {
        Above { sums: vec![0; classes + 1] }
    }

    fn add(&mut self, class: usize) {
        let mut i = class + 1;
        while i < self.sums.len() {
            self.sums[i] += 1;
            i += i & i.wrapping_neg();
        }
    }

    /// How many are of a better class.
    fn better(&self, class: usize) -> u64 {
        let (mut i, mut sum) = (class, 0);
        while i > 0 {
            sum += self.sums[i];
            i &= i - 1;
        }
        sum
    }
}
