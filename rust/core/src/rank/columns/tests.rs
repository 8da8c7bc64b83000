use super::*;
use crate::costs::DocumentCosts;
use crate::qrels::Builder;
use crate::rank::{
    Hit, JoinTarget, Lines, ListSource, Order, Precision, Ranker, Ranking, Unrankable,
};
use crate::table::DocTable;
use proptest::prelude::*;

/// Lines as a list of distinct documents.
struct Columns<'a> {
    lines: &'a Lines,
    scores: &'a [f64],
}

impl ListSource for Columns<'_> {
    const DISTINCT: bool = true;

    fn len(&self) -> usize {
        self.scores.len()
    }

    fn scaled_scores(&self) -> &[f64] {
        self.scores
    }

    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T {
        then(self.lines.document(line as usize))
    }
}

/// One score a document, some of them alike, in both precisions or one.
fn scores() -> impl Strategy<Value = Vec<f64>> {
    let few = prop::sample::select(vec![0.0, -0.0, 1.0, 1.0 + 1e-9, 2.5, -3.0, 1e300]);
    let some = (0u32..50).prop_map(|n| f64::from(n) / 4.0);
    let score = prop_oneof![2 => few, 4 => some, 4 => -1.0..1.0];
    (prop::collection::vec(score, 0..400), any::<bool>()).prop_map(|(mut scores, sort)| {
        if sort {
            scores.sort_by(|a, b| b.total_cmp(a));
        }
        scores
    })
}

proptest! {
    #[test]
    fn columns_are_ranked_as_lines(
        scores in scores(),
        judged in prop_oneof![Just(1usize), Just(9), Just(200)],
        step in 1usize..40,
        reach in prop_oneof![0u32..20, Just(u32::MAX)],
        depth in prop::option::of(1u32..60),
        unjudged in prop::sample::select(vec![0, 5, u32::MAX]),
    ) {
        let mut builder = Builder::new(&[]);
        for i in 0..judged {
            builder.add(b"1", format!("d{}", i * step).as_bytes(), 1.0, &[], 0).unwrap();
        }
        let qrels = builder.finish(None);
        let mut lines = Lines::default();
        for (i, &score) in scores.iter().enumerate() {
            lines.push(format!("d{}", i * 7 % 401).as_bytes(), score);
        }
        let columns = Columns { lines: &lines, scores: &scores };
        let mut scratch = Scratch::default();
        for order in [Order::DocnoDesc, Order::DocnoAsc, Order::Input] {
            for precision in [Precision::F64, Precision::F32] {
                let ranker = Ranker { order, precision, depth, unjudged_depth: unjudged, ..Ranker::default() };
                let (mut expected, mut found) = (Ranking::default(), Ranking::default());
                found.hits.push(Hit { rank: 9, document: 9 });
                let topic = &qrels.topics()[0];
                let target = JoinTarget::new(&qrels, topic, reach);
                ranker.rank(&lines, target, &mut scratch, &mut expected).unwrap();
                ranker.rank(&columns, target, &mut scratch, &mut found).unwrap();
                for hits in [&mut expected.hits, &mut found.hits] {
                    hits.retain(|hit| hit.rank <= reach);
                }
                prop_assert_eq!(&expected.hits, &found.hits);
                prop_assert_eq!(expected.retrieved, found.retrieved);
                prop_assert_eq!(expected.ties, found.ties);
                prop_assert_eq!(&expected.unjudged_docs, &found.unjudged_docs);
            }
        }
    }

    #[test]
    fn the_highest_keys(keys in prop::collection::vec((-9i32..9).prop_map(f64::from), 2..60), part in 0.0..1.0) {
        let count = 1 + (part * (keys.len() - 1) as f64) as usize;
        let mut sorted = keys.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        prop_assert_eq!(highest(&keys, count), sorted[count - 1]);
    }

    #[test]
    fn ties_are_counted_in_any_order(keys in prop::collection::vec((-20i32..20).prop_map(f64::from), 0..80)) {
        let alike = |key: &f64| keys.iter().filter(|other| *other == key).count() > 1;
        let expected = keys.iter().filter(|key| alike(key)).count() as u64;
        prop_assert_eq!(Scratch::default().tied(&keys), expected);
    }
}

#[test]
fn zero_and_minus_zero_are_one_score() {
    let mut builder = Builder::new(&[]);
    for i in 10..40 {
        builder.add(b"1", format!("d{i}").as_bytes(), 1.0, &[], 0).unwrap();
    }
    let qrels = builder.finish(None);
    let mut lines = Lines::default();
    // In single precision the small ones are zero and minus zero.
    let zeros = [0.0, -0.0, 1e-50, -1e-50];
    let scores: Vec<f64> = (0..30).map(|i| if i == 0 { -1.0 } else { zeros[i % 4] }).collect();
    for (i, &score) in (10..40).zip(&scores) {
        lines.push(format!("d{i}").as_bytes(), score);
    }
    let columns = Columns { lines: &lines, scores: &scores };
    let (mut scratch, mut ranking) = (Scratch::default(), Ranking::default());
    let ranker = Ranker { precision: Precision::F32, ..Ranker::default() };
    for reach in [2, u32::MAX] {
        let target = JoinTarget::new(&qrels, &qrels.topics()[0], reach);
        ranker.rank(&columns, target, &mut scratch, &mut ranking).unwrap();
        let documents: Vec<&[u8]> =
            (ranking.hits.iter()).map(|hit| qrels.topics()[0].docs().key(hit.document)).collect();
        let expected = (11..40).rev().chain([10]).take(reach.min(30) as usize);
        let expected: Vec<String> = expected.map(|i| format!("d{i}")).collect();
        assert_eq!(documents, expected.iter().map(String::as_bytes).collect::<Vec<_>>());
        assert_eq!(ranking.ties, 29);
    }
}

#[test]
fn columns_have_no_ranks() {
    let (lines, docs) = (Lines::default(), DocTable::default());
    let columns = Columns { lines: &lines, scores: &[1.0] };
    let ranker = Ranker { order: Order::Rank, ..Ranker::default() };
    let (mut scratch, mut ranking) = (Scratch::default(), Ranking::default());
    let target =
        JoinTarget { docs: &docs, seed: 0, topic: b"", reach: 5, costs: &DocumentCosts::default() };
    let ranked = ranker.rank(&columns, target, &mut scratch, &mut ranking);
    assert_eq!(ranked, Err(Unrankable::NoRanks));
}
