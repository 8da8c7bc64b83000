//! What the answers of a system are worth: by their nuggets, their citations, and a rubric.

/// A proportion, 0 of nothing; a sum of nothing has a sign.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole + 0.0 }
}

/// A nugget: what it weighs, how much of it the answer holds, and whether it is vital.
pub type HeldNugget = (f64, f64, bool);

/// The proportions of nuggets that an answer holds in full, of vital ones and of all, then where
/// a part counts as much as it is; at last both where nuggets weigh what they do.
pub fn nugget_recall(nuggets: &[HeldNugget]) -> [f64; 6] {
    let mean = |value: fn(&HeldNugget) -> f64, weight: fn(&HeldNugget) -> f64| {
        let part = nuggets.iter().map(|one| value(one) * weight(one)).sum();
        ratio(part, nuggets.iter().map(weight).sum())
    };
    let full: fn(&HeldNugget) -> f64 = |(_, held, _)| f64::from(*held == 1.0);
    let held: fn(&HeldNugget) -> f64 = |(_, held, _)| *held;
    let vital: fn(&HeldNugget) -> f64 = |(_, _, is_vital)| f64::from(*is_vital);
    let weight: fn(&HeldNugget) -> f64 = |(weight, _, _)| *weight;
    let equal: fn(&HeldNugget) -> f64 = |_| 1.0;
    [
        mean(full, vital),
        mean(full, equal),
        mean(held, vital),
        mean(held, equal),
        mean(full, weight),
        mean(held, weight),
    ]
}

/// How far the citations of sentences support these: 2 is full, 1 partial and 0 no support, and
/// what is below was not judged.
///
/// Weighted and hard precision and recall by the first citations of sentences; precision and
/// recall by the means of all; pooled precision; and recall by the best.
pub fn citation_support(sentences: &[Vec<i32>]) -> [f64; 8] {
    let weight = |support: &i32| f64::from(*support) / 2.0;
    let first: Vec<i32> = sentences.iter().filter_map(|cited| cited.first()).copied().collect();
    let first_judged: Vec<f64> = first.iter().filter(|one| **one >= 0).map(weight).collect();
    let first_counted = (sentences.len() - (first.len() - first_judged.len())) as f64;
    let hard = first_judged.iter().filter(|weight| **weight == 1.0).count() as f64;
    let cited = sentences.iter().filter(|cited| !cited.is_empty());
    let mut judged: Vec<Vec<f64>> =
        cited.map(|own| own.iter().filter(|one| **one >= 0).map(weight).collect()).collect();
    let cited = judged.len();
    judged.retain(|weights| !weights.is_empty());
    let all_counted = (sentences.len() - (cited - judged.len())) as f64;
    let mean = |weights: &Vec<f64>| weights.iter().sum::<f64>() / weights.len() as f64;
    let means = judged.iter().map(mean).fold(0.0, |sum, mean| sum + mean);
    let pooled = judged.concat();
    let best = |weights: &Vec<f64>| weights.iter().copied().fold(0.0, f64::max);
    let (sum, first_size) = (first_judged.iter().sum(), first_judged.len() as f64);
    [
        ratio(sum, first_size),
        ratio(sum, first_counted),
        ratio(hard, first_size),
        ratio(hard, first_counted),
        ratio(means, judged.len() as f64),
        ratio(means, all_counted),
        ratio(pooled.iter().sum(), pooled.len() as f64),
        ratio(judged.iter().map(best).sum(), all_counted),
    ]
}

/// A criterion: its weight, how far the answer satisfies it, and whether it has to.
pub type JudgedCriterion = (f64, f64, bool);

/// The weights of what is satisfied over all weights above 0, in part or only in full; NaN without
/// such a weight. Then how many criteria are not satisfied that have to be.
pub fn rubric_score(criteria: &[JudgedCriterion]) -> (f64, f64, u64) {
    let (mut total, mut strict, mut positive, mut failed) = (0.0, 0.0, 0.0, 0);
    for (weight, held, is_mandatory) in criteria {
        total += weight * held;
        strict += weight * f64::from(*held == 1.0);
        positive += if *weight > 0.0 { *weight } else { 0.0 };
        failed += u64::from(*is_mandatory && *held < 1.0);
    }
    if positive == 0.0 {
        return (f64::NAN, f64::NAN, failed);
    }
    (total / positive, strict / positive, failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nugget_weighs_what_it_is_worth() {
        // Full and half of two vital ones, nothing of an okay one: (1 + .5) / (1 + 1 + .5).
        let found = nugget_recall(&[(1.0, 1.0, true), (1.0, 0.5, true), (0.5, 0.0, false)]);
        assert_eq!(found, [0.5, 1.0 / 3.0, 0.75, 0.5, 0.4, 0.6]);
        assert_eq!(nugget_recall(&[]), [0.0; 6]);
    }

    #[test]
    fn citations_that_were_not_judged_are_left_out() {
        // The third sentence has no citation, the fourth none that was judged.
        let sentences = [vec![2, 0], vec![1], vec![], vec![-1]];
        let found = citation_support(&sentences);
        assert_eq!(found, [0.75, 0.5, 0.5, 1.0 / 3.0, 0.5, 1.0 / 3.0, 0.5, 0.5]);
        assert_eq!(citation_support(&[]), [0.0; 8]);
    }

    #[test]
    fn a_rubric_without_a_weight_above_0_is_undefined() {
        let criteria = [(4.0, 1.0, false), (2.0, 0.5, true), (-3.0, 1.0, false)];
        assert_eq!(rubric_score(&criteria), (2.0 / 6.0, 1.0 / 6.0, 1));
        assert!(rubric_score(&[(-1.0, 1.0, false)]).0.is_nan());
    }
}
