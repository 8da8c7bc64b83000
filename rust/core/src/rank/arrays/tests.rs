use super::*;
use crate::qrels::Builder;
use crate::rank::Precision;
use proptest::prelude::*;

/// The outcome of a list, as it is and as lines of text.
fn both(
    ranker: &Ranker,
    (ids, scores, padded): (&[i64], &[f64], bool),
    judged: &[i64],
    (check, reach): (Check, u32),
    promise: Promise,
) -> [Result<Ranking, ListFlaw>; 2] {
    let mut builder = Builder::new(&[]);
    builder.topic(b"1");
    for id in judged {
        // A document that is judged twice is judged.
        let _ = builder.add(b"1", id.to_string().as_bytes(), 1.0, &[], 1);
    }
    let qrels = builder.finish(None);
    let topic = &qrels.topics()[0];
    let target = JoinTarget::new(&qrels, topic, reach);
    let list = ListArrays {
        documents: IdColumn::I64(ids),
        scores: ScoreColumn::F64(scores),
        ranks: None,
        padded,
        promise,
    };
    let (mut scratch, mut ranking) = (ArrayScratch::default(), Ranking::default());
    let ranked = list.rank(ranker, (target, check), &mut scratch, &mut ranking);
    let mut lines = Lines::default();
    let mut plain = Ranking::default();
    let kept = (0..ids.len()).filter(|&line| !padded || ids[line] != -1);
    for line in kept {
        lines.push(ids[line].to_string().as_bytes(), scores[line]);
    }
    let expected = ranker.rank(&lines, target, &mut Scratch::default(), &mut plain);
    if let Ok(count) = ranked {
        assert_eq!(count, lines.len());
    }
    // What is below the reach may be missing.
    plain.hits.retain(|hit| hit.rank <= reach);
    ranking.hits.retain(|hit| hit.rank <= reach);
    [ranked.map(|_| ranking), expected.map(|()| plain).map_err(ListFlaw::Unrankable)]
}

/// A list of different documents in the order of its ranking, padded.
fn ranked_rows(rows: Vec<(i64, i32)>, ranker: &Ranker, padding: usize) -> (Vec<i64>, Vec<f64>) {
    let mut seen = std::collections::HashSet::new();
    let mut lines = Lines::default();
    let rows: Vec<(i64, f64)> = rows
        .into_iter()
        .filter(|(id, _)| *id >= 0 && seen.insert(*id))
        .map(|(id, score)| (id, f64::from(score) / 3.0))
        .collect();
    for (id, score) in &rows {
        lines.push(id.to_string().as_bytes(), *score);
    }
    let order = ranker.ordered(&lines, b"1").unwrap();
    let (mut ids, mut scores): (Vec<i64>, Vec<f64>) =
        order.iter().map(|&line| rows[line as usize]).unzip();
    ids.resize(ids.len() + padding, -1);
    scores.resize(ids.len(), f64::NAN);
    (ids, scores)
}

proptest! {
    #[test]
    fn a_promise_that_holds_changes_nothing(
        rows in prop::collection::vec((-3i64..60, -5i32..5), 0..80),
        judged in prop::collection::vec(-3i64..60, 0..30),
        padding in 0usize..3,
        swapped in prop::option::of((0usize..80, 0usize..80)),
        unique: bool,
        reach in prop::sample::select(vec![1, 3, 20, u32::MAX]),
        order in prop::sample::select(vec![Order::DocnoDesc, Order::DocnoAsc]),
        duplicates in prop::sample::select(vec![Duplicates::Error, Duplicates::First, Duplicates::Place]),
        precision in prop::sample::select(vec![Precision::F32, Precision::F64]),
        depth in prop::option::of(1u32..20),
        unjudged_depth in prop::sample::select(vec![0, 5]),
        check in prop::sample::select(vec![Check::Judged, Check::Full]),
    ) {
        let ranker = Ranker { order, precision, duplicates, depth, unjudged_depth, ..Ranker::default() };
        let (mut ids, mut scores) = ranked_rows(rows, &ranker, padding);
        let reach = if unjudged_depth > 0 { u32::MAX } else { reach };
        let promise = Promise { sorted: true, unique };
        let [promised, expected] = both(&ranker, (&ids, &scores, true), &judged, (check, reach), promise);
        let all = |ranking: Result<Ranking, ListFlaw>| {
            ranking.map(|r| (r.retrieved, r.hits, r.unjudged_docs, r.duplicates))
        };
        prop_assert_eq!(all(promised), all(expected));
        // One that does not hold is found on request.
        if let Some((a, b)) = swapped && a.max(b) < ids.len() && a != b && ids[a] != ids[b] {
            ids.swap(a, b);
            scores.swap(a, b);
            let [found, _] = both(&ranker, (&ids, &scores, true), &judged, (Check::Full, reach), promise);
            prop_assert!(matches!(found, Err(ListFlaw::Unsorted(_) | ListFlaw::Score(_))), "{:?}", found);
        }
    }

    #[test]
    fn lists_are_ranked_as_lines_are(
        rows in prop::collection::vec((-3i64..60, -5i32..5), 0..80),
        judged in prop::collection::vec(-3i64..60, 0..30),
        fewer: bool,
        reach in prop::sample::select(vec![1, 3, u32::MAX]),
        order in prop::sample::select(vec![Order::DocnoDesc, Order::DocnoAsc, Order::Input]),
        duplicates in prop::sample::select(vec![Duplicates::First, Duplicates::Best, Duplicates::Place]),
        precision in prop::sample::select(vec![Precision::F32, Precision::F64]),
        depth in prop::option::of(1u32..20),
        unjudged in prop::sample::select(vec![0, 5, u32::MAX]),
        padded: bool,
    ) {
        let judged = &judged[..if fewer { judged.len().min(2) } else { judged.len() }];
        let (mut ids, mut scores): (Vec<i64>, Vec<f64>) =
            rows.into_iter().map(|(id, score)| (id, f64::from(score) / 3.0)).unzip();
        let ranker = Ranker { order, precision, duplicates, depth, unjudged_depth: unjudged, ..Ranker::default() };
        let reach = if unjudged > 0 { u32::MAX } else { reach };
        let outcome = |ranker: &Ranker, ids: &[i64], scores: &[f64], check| {
            let [found, expected] = both(ranker, (ids, scores, padded), judged, (check, reach), Promise::default());
            let all = |ranking: Result<Ranking, ListFlaw>| {
                ranking.map(|r| (r.retrieved, r.hits, r.unjudged_docs, r.ties, r.duplicates))
            };
            (all(found), all(expected))
        };
        let (found, expected) = outcome(&ranker, &ids, &scores, Check::Judged);
        prop_assert_eq!(found, expected);
        // Each document once.
        let strict = Ranker { duplicates: Duplicates::Error, ..ranker };
        let mut seen = std::collections::HashSet::new();
        let once: Vec<bool> =
            ids.iter().map(|&id| (padded && id == -1) || seen.insert(id)).collect();
        let (found, expected) = outcome(&strict, &ids, &scores, Check::Full);
        prop_assert_eq!(found.is_ok(), expected.is_ok());
        let mut kept = once.iter();
        ids.retain(|_| *kept.next().unwrap());
        let mut kept = once.iter();
        scores.retain(|_| *kept.next().unwrap());
        for check in [Check::Judged, Check::Full] {
            let (found, expected) = outcome(&strict, &ids, &scores, check);
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn the_first_repeated_document_is_named_by_its_lines() {
    let ranker = Ranker::default();
    let twice =
        |first, second| Err(ListFlaw::Unrankable(Unrankable::Repeated(Repeated { first, second })));
    let scores = [5.0, 4.0, 3.0, 2.0, 1.0];
    let outcome = |ids: &[i64], padded, check| {
        let [found, _] =
            both(&ranker, (ids, &scores, padded), &[7], (check, u32::MAX), Promise::default());
        found.map(|ranking| ranking.retrieved)
    };
    assert_eq!(outcome(&[1, 7, 1, 7, 2], false, Check::Judged), twice(1, 3));
    assert_eq!(outcome(&[1, 7, 1, 7, 2], false, Check::Full), twice(0, 2));
    assert_eq!(outcome(&[1, 7, 1, 3, 2], false, Check::Judged), Ok(5));
    assert_eq!(outcome(&[-1, 7, -1, 7, 2], true, Check::Judged), twice(1, 3));
    assert_eq!(outcome(&[-1, 7, -1, 8, -1], true, Check::Full), Ok(2));
}

#[test]
fn digits_are_those_of_the_number() {
    for id in [0, 1, -1, 10, i64::MIN, i64::MAX] {
        with_text(id, |text| assert_eq!(text, id.to_string().as_bytes()));
    }
    with_text(u64::MAX, |text| assert_eq!(text, u64::MAX.to_string().as_bytes()));
    with_text(i32::MIN, |text| assert_eq!(text, i32::MIN.to_string().as_bytes()));
}
