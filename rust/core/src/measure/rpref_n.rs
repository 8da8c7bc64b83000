//! Graded preference over all judged documents, and what its relatives share.

use super::{Case, Default, Example, Family, Measure, Param, Range, Value};

/// The parameters of all graded preference measures.
pub(super) const TOP_GAIN: Param = Param::new(
    "top_gain",
    Range::TopGain,
    "the gain that counts as fully relevant; the relative forms do not depend on it",
)
.or(Default::Text("collection"));
/// See `TOP_GAIN`.
pub(super) const UNRETRIEVED: Param =
    Param::new("unretrieved", Range::Words(&["zero", "literal"]), "what relevant documents add that were not retrieved: nothing, or as if below all judged documents retrieved")
        .or(Default::Text("zero"));

pub static FAMILY: Family = Family {
    name: "rpref_N",
    aliases: &[],
    group: "preference",
    summary: "How seldom judged documents of lower gain stand above documents of higher gain.",
    prose: "A document above takes from a better one below it the share of its gain by which it is worse. The sum of these penalties is divided by N', the mass of judged documents that is not relevant when gains are measured by the highest one. That one is the collection's by default; the topic's, or a number, on request. Documents that were not retrieved add nothing, as in Sakai's program; the literal reading of the formula adds them below the list. With binary gains it is bpref_N.",
    formula: "rpref_N = (1/cg*) sum over judged documents retrieved of g (1 - penalty / N'), where penalty = sum over judged documents above with g' < g of (g - g') / g, N' = R + N - cg* / H, cg* the sum of all gains and H the highest",
    citation: "De Beer and Moens (2006), Rpref: a generalization of bpref towards graded relevance judgments, SIGIR, formula 1; Sakai (2007), Alternatives to bpref, SIGIR, equation 16",
    params: &[TOP_GAIN, UNRETRIEVED],
    score: |measure, case| {
        let top = match measure.value("top_gain") {
            Value::Number(top) => *top,
            Value::Text(word) if word == "topic" => {
                case.ideal().gains().first().copied().unwrap_or(0.0)
            }
            _ => case.top_gain,
        };
        let total = case.ideal().cumulated(u32::MAX);
        let nonrelevant = case.num_rel() + case.num_nonrel() - total / top;
        // Without a penalty the share is 0, which covers N' = 0.
        preferences(
            measure,
            case,
            |penalty, _| if penalty == 0.0 { 0.0 } else { penalty / nonrelevant },
        )
    },
    examples: &[Example {
        measure: "rpref_N",
        judgments: "a=1 b=3 c=0 d=2",
        list: "c a b x d",
        value: 0.25,
        working: "H = 3, cg* = 6, N' = 4 - 6/3 = 2; penalties: a below c 1, b below c and a 1 + 2/3, d below c and a 1 + 1/2: (1 (1 - 1/2) + 3 (1 - 5/6) + 2 (1 - 3/4)) / 6",
    }],
    ..Family::GRADED
};

/// (1/cg*) sum of g (1 - share), where the share follows from the penalty and
/// the number of judged documents above.
pub(super) fn preferences(measure: &Measure, case: &Case, share: impl Fn(f64, u32) -> f64) -> f64 {
    // How many documents of each gain stand above: gains are few.
    let mut seen: Vec<(f64, u32)> = Vec::new();
    let mut above = 0;
    let mut sum = 0.0;
    let preference = |gain: f64, seen: &[(f64, u32)], above: u32| {
        let lower = seen.iter().filter(|(other, _)| *other < gain);
        let penalty: f64 =
            lower.map(|&(other, count)| f64::from(count) * (gain - other) / gain).sum();
        gain * (1.0 - share(penalty, above))
    };
    let mut missing: Vec<u32> = Vec::new();
    let literal = measure.is("unretrieved", "literal");
    if literal {
        missing = vec![0; case.gains.len()];
        case.topic.counts().iter().for_each(|&(level, count)| missing[level as usize] = count);
    }
    for (_, hit) in case.judged(u32::MAX) {
        let gain = case.gains[hit.level as usize];
        if gain > 0.0 {
            sum += preference(gain, &seen, above);
        }
        match seen.iter_mut().find(|(other, _)| *other == gain) {
            Some((_, count)) => *count += 1,
            None => seen.push((gain, 1)),
        }
        above += 1;
        if literal {
            missing[hit.level as usize] -= 1;
        }
    }
    for (level, &count) in missing.iter().enumerate() {
        if count > 0 && case.is_relevant(level) {
            sum += f64::from(count) * preference(case.gains[level], &seen, above);
        }
    }
    sum / case.ideal().cumulated(u32::MAX)
}
