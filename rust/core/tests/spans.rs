//! Judgments of spans: worked examples in exact fractions, a slow twin that goes character by
//! character, and laws.

use std::sync::Arc;

use cranfield_core::error::Kind;
use cranfield_core::evaluate::{Monitor, Options};
use cranfield_core::grammar::{parse, parse_list};
use cranfield_core::scores::Undefined;
use cranfield_core::spans::{
    Chunk, ChunkOrder, ChunkRun, ChunkRunBuilder, Gold, GoldBuilder, SpanEvaluator,
};

use crate::common::{Random, cases};
use crate::naive::text::{Cut, Part, Piece, Text};

fn gold(topics: &[(&str, &[Piece])]) -> Arc<Gold> {
    let mut builder = GoldBuilder::default();
    for (topic, pieces) in topics {
        builder.topic(topic.as_bytes()).unwrap();
        for &(document, start, end, grade, group) in *pieces {
            let span = (start.into(), end.into());
            let (document, group) = (format!("d{document}"), format!("g{group}"));
            let (document, group) = (document.as_bytes(), Some(group.as_bytes()));
            builder.add(topic.as_bytes(), document, span, grade, group, 0).unwrap();
        }
    }
    Arc::new(builder.finish().unwrap())
}

fn run(topics: &[(&str, &[Part])]) -> Arc<ChunkRun> {
    let mut builder = ChunkRunBuilder::default();
    for (topic, parts) in topics {
        builder.topic(topic.as_bytes()).unwrap();
        for &(document, start, end, tokens, call) in *parts {
            let chunk = Chunk {
                document: 0,
                start: 0,
                end: 0,
                call,
                score: f64::NAN,
                tokens,
                cost: tokens,
            };
            let document = format!("d{document}");
            let span = (start.into(), end.into());
            builder.add(topic.as_bytes(), document.as_bytes(), span, None, chunk).unwrap();
        }
    }
    Arc::new(builder.finish("run", ChunkOrder::Rows).unwrap())
}

/// The values of one topic, NaN where nothing is relevant.
fn values(text: &Text, measures: &str) -> Vec<f64> {
    let options = Options { undefined: Undefined::Skip, hosted: true, ..Options::default() };
    let measures = parse_list(measures).unwrap();
    let evaluator = SpanEvaluator::new(gold(&[("1", &text.evidence)]), &measures, options).unwrap();
    let runs = [run(&[("1", &text.list)])];
    evaluator.evaluate(&runs, &Arc::new(Monitor::default())).unwrap().values
}

fn value(text: &Text, measure: &str) -> f64 {
    values(text, measure)[0]
}

fn example() -> Text {
    Text {
        evidence: vec![(0, 10, 30, 1.0, 1), (0, 60, 70, 2.0, 2), (1, 0, 10, 1.0, 3)],
        list: plain(&[(0, 0, 20), (0, 20, 80), (1, 5, 25), (0, 10, 30)]),
    }
}

fn plain(parts: &[(u32, u32, u32)]) -> Vec<Part> {
    parts.iter().map(|&(document, start, end)| (document, start, end, 1.0, 1)).collect()
}

#[test]
fn worked_examples_hold() {
    let log3 = 3.0_f64.log2();
    for (measure, expected) in [
        ("char-R@1", 1.0 / 4.0),
        ("char-R@2", 3.0 / 4.0),
        ("char-R@3", 7.0 / 8.0),
        ("char-R@4", 7.0 / 8.0),
        ("char-R@chars=50", 1.0 / 2.0),
        ("char-R(fit=\"whole\")@chars=50", 1.0 / 4.0),
        ("char-SetP@2", 3.0 / 8.0),
        ("char-SetP@4", 7.0 / 24.0),
        ("char-SetP(repeats=\"skip\")@4", 7.0 / 20.0),
        ("char-P@chars=50", 2.0 / 5.0),
        ("char-P@chars=200", 7.0 / 40.0),
        ("char-IoU@2", 1.0 / 3.0),
        ("char-IoU", 1.0 / 3.0),
        ("char-IoU(repeats=\"count\")", 7.0 / 25.0),
        ("char-SetF@2", 1.0 / 2.0),
        ("char-IPrec@0", 1.0 / 2.0),
        ("char-IPrec@0.25", 1.0 / 2.0),
        ("char-IPrec@0.26", 3.0 / 8.0),
        ("char-IPrec@0.5", 3.0 / 8.0),
        ("char-IPrec@0.8", 7.0 / 20.0),
        ("char-IPrec@0.9", 0.0),
        ("char-IAP(points=101)", 719.0 / 2020.0),
        ("span-R@2", 2.0 / 3.0),
        ("span-R(within=\"chunk\")@3", 1.0 / 3.0),
        ("span-R(within=\"chunk\")@4", 2.0 / 3.0),
        ("span-R(cover=0.5)@1", 1.0 / 3.0),
        ("span-R(cover=0.5)@3", 1.0),
        ("span-RR", 1.0 / 2.0),
        ("span-Success@1", 0.0),
        ("span-R(credit=\"share\")@3", 5.0 / 6.0),
        ("span-nDCG", (3.0 / log3) / (3.0 + 1.0 / log3)),
        ("span-nDCG(credit=\"share\")", (0.5 + 2.5 / log3 + 0.5 / 2.0) / (3.0 + 1.0 / log3)),
        ("gP@1", 51.0 / 131.0),
        ("gP@2", 5593.0 / 17292.0),
        ("AgP", 12325.0 / 34584.0),
    ] {
        let found = value(&example(), measure);
        assert!((found - expected).abs() < 1e-15, "{measure}: {found}, expected {expected}");
    }
    let small = Text { evidence: vec![(0, 1, 3, 1.0, 1)], list: plain(&[(0, 0, 2), (0, 0, 4)]) };
    for (measure, expected) in [
        ("char-AP", 9.0 / 20.0),
        ("char-AP(repeats=\"genomics\")", 1.0 / 2.0),
        ("char-AP(repeats=\"skip\")", 7.0 / 12.0),
    ] {
        assert!((value(&small, measure) - expected).abs() < 1e-15, "{measure}");
    }
    let late = Text {
        evidence: example().evidence[..2].to_vec(),
        list: plain(&[(1, 0, 9), (2, 0, 9), (0, 0, 100)]),
    };
    assert_eq!(value(&late, "span-nDCG"), 0.5);
    let evidence = vec![(0, 500, 520, 1.0, 1)];
    let whole = Text { evidence: evidence.clone(), list: plain(&[(0, 0, 1000)]) };
    let part = Text { evidence, list: plain(&[(0, 450, 550)]) };
    let measures = "char-R@1 char-R@chars=100 char-IoU";
    assert_eq!(values(&whole, measures), [1.0, 0.0, 1.0 / 50.0]);
    assert_eq!(values(&part, measures), [1.0, 1.0, 1.0 / 5.0]);
}

const REPEATS: [&str; 3] = ["count", "skip", "genomics"];

/// A topic with overlaps, repeats, alternatives and grades.
fn random_text(random: &mut Random) -> Text {
    let documents = 1 + random.below(3);
    let mut evidence: Vec<Piece> = Vec::new();
    for number in 0..random.below(6) {
        let (document, start) = (random.below(documents) as u32, random.below(40) as u32);
        let end = start + 1 + random.below(15) as u32;
        let group = if random.below(3) == 0 { random.below(3) as u32 } else { 10 + number as u32 };
        let piece = (document, start, end, random.below(4) as f64, group);
        let same = |known: &Piece| {
            (known.0, known.1, known.2, known.4) == (piece.0, piece.1, piece.2, piece.4)
        };
        if !evidence.iter().any(same) {
            evidence.push(piece);
        }
    }
    let mut list = Vec::new();
    let mut call = 1;
    for _ in 0..random.below(8) {
        let (document, start) = (random.below(documents + 1) as u32, random.below(50) as u32);
        let end = start + 1 + random.below(30) as u32;
        call += u32::from(random.below(3) == 0);
        list.push((document, start, end, random.below(9) as f64, call));
        if random.below(4) == 0 {
            list.push(list[random.below(list.len() as u64) as usize]);
            list.last_mut().unwrap().4 = call;
        }
    }
    Text { evidence, list }
}

fn cuts(random: &mut Random) -> Vec<(Cut, String, String)> {
    let (k, chars) = (1 + random.below(6), 1 + random.below(120));
    let (tokens, calls) = (1 + random.below(30), 1 + random.below(3));
    vec![
        (Cut::Places(k as usize), String::new(), format!("@{k}")),
        (Cut::Chars(chars, false), String::new(), format!("@chars={chars}")),
        (Cut::Chars(chars, true), "fit=\"whole\"".into(), format!("@chars={chars}")),
        (Cut::Tokens(tokens as f64), String::new(), format!("@tokens={tokens}")),
        (Cut::Tokens(tokens as f64), String::new(), format!("@cost={tokens}")),
        (Cut::Calls(calls as usize), String::new(), format!("@calls={calls}")),
    ]
}

fn arguments(of: &[String]) -> String {
    let of: Vec<&str> = of.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if of.is_empty() { String::new() } else { format!("({})", of.join(",")) }
}

/// A text, a measure, and the value of the twin.
fn check(text: &Text, measure: &str, expected: f64) {
    let Ok(parsed) = parse(measure) else { panic!("{measure}: {}", parse(measure).unwrap_err()) };
    assert_eq!(parse(&parsed.to_string()).unwrap(), parsed, "{measure}");
    let found = value(text, measure);
    let same = (found.is_nan() && expected.is_nan()) || (found - expected).abs() < 1e-12;
    assert!(same, "{measure}: {found}, the twin says {expected}: {text:?}");
}

#[test]
fn every_measure_agrees_with_its_twin() {
    let mut random = Random::seeded(46);
    for _ in 0..cases(400, 8) {
        let text = random_text(&mut random);
        let rel = 1.0 + random.below(2) as f64;
        let rel_text = format!("rel={rel}");
        for (cut, fit, at) in cuts(&mut random) {
            let chars = matches!(cut, Cut::Chars(..));
            let places = matches!(cut, Cut::Places(_));
            for repeats in REPEATS {
                let mode = format!("repeats=\"{repeats}\"");
                for name in ["R", "SetR", "SetP", "IoU", "AP", "Success"] {
                    let given = arguments(&[mode.clone(), fit.clone(), rel_text.clone()]);
                    let expected = text.over_characters(name, repeats, rel, 0.0, cut);
                    check(&text, &format!("char-{name}{given}{at}"), expected);
                }
                let beta = 0.5 * (1 + random.below(4)) as f64;
                let given = arguments(&[format!("beta={beta}"), mode.clone(), fit.clone()]);
                let expected = text.over_characters("SetF", repeats, 1.0, beta, cut);
                check(&text, &format!("char-SetF{given}{at}"), expected);
                if chars {
                    let unit = 1 + random.below(20);
                    let given = arguments(&[format!("unit={unit}"), mode.clone(), fit.clone()]);
                    let expected = text.over_characters("nDCG", repeats, 1.0, unit as f64, cut);
                    check(&text, &format!("char-nDCG{given}{at}"), expected);
                    let given = arguments(&[mode.clone(), fit.clone(), rel_text.clone()]);
                    let expected = text.over_characters("P", repeats, rel, 0.0, cut);
                    check(&text, &format!("char-P{given}{at}"), expected);
                }
                if !places {
                    let length = 1 + random.below(150);
                    let words = ["form=\"original\"".to_string(), format!("L={length}")];
                    let given = arguments(&[&words[..], &[mode.clone(), fit.clone()]].concat());
                    let expected = text.over_characters("U", repeats, 1.0, length as f64, cut);
                    check(&text, &format!("char-U{given}{at}"), expected);
                }
            }
            for (one_chunk, share) in [(false, false), (true, false), (false, true), (true, true)] {
                let cover = (1 + random.below(10)) as f64 / 10.0;
                let within = if one_chunk { "within=\"chunk\"" } else { "" };
                let credit = if share { "credit=\"share\"" } else { "" };
                let how = (cover, one_chunk, share);
                let words = [format!("cover={cover}"), within.into(), credit.into(), fit.clone()];
                for name in ["R", "CG", "DCG", "nDCG"] {
                    let (rel, words) = match name {
                        "R" => (rel, [&words[..], std::slice::from_ref(&rel_text)].concat()),
                        _ => (1.0, words.to_vec()),
                    };
                    let expected = text.over_spans(name, how, rel, cut);
                    check(&text, &format!("span-{name}{}{at}", arguments(&words)), expected);
                }
                if !share {
                    for name in ["RR", "Success", "AllRecall"] {
                        if parse(name).is_err() {
                            continue;
                        }
                        let words = [words[0].clone(), words[1].clone(), fit.clone()];
                        let expected = text.over_spans(name, how, 1.0, cut);
                        check(&text, &format!("span-{name}{}{at}", arguments(&words)), expected);
                    }
                }
            }
            if places {
                let Cut::Places(depth) = cut else { unreachable!() };
                let expected = text.over_documents("gP", rel, depth, Cut::None);
                check(&text, &format!("gP(rel={rel}){at}"), expected);
            } else {
                let given = arguments(&[fit, rel_text.clone()]);
                let expected = text.over_documents("AgP", rel, 0, cut);
                check(&text, &format!("AgP{given}{at}"), expected);
            }
        }
        for repeats in REPEATS {
            let level = random.below(21) as f64 / 20.0;
            let expected = text.over_characters("IPrec", repeats, rel, level, Cut::None);
            check(&text, &format!("char-IPrec(repeats=\"{repeats}\",rel={rel})@{level}"), expected);
            for (name, number, given) in [
                ("IAP", 11.0, "points=11,"),
                ("Rprec", 0.0, ""),
                ("SetP", 0.0, ""),
                ("IoU", 0.0, ""),
            ] {
                let expected = text.over_characters(name, repeats, rel, number, Cut::None);
                let measure = format!("char-{name}({given}repeats=\"{repeats}\",rel={rel})");
                check(&text, &measure, expected);
            }
        }
    }
}

/// What does not depend on how a text was split, or how evidence was.
#[test]
fn splitting_changes_nothing() {
    let mut random = Random::seeded(7);
    let measures = "char-R@chars=40 char-P@chars=40 char-SetP@chars=40 char-SetF@chars=40 \
        char-IoU@chars=40 char-AP@chars=40 char-nDCG(unit=7)@chars=40 char-Rprec \
        char-U(L=30,form=\"original\")@chars=40 AgP@chars=40 span-R@chars=40 \
        span-R(credit=\"share\")@chars=40 char-AP(repeats=\"skip\") char-AP(repeats=\"genomics\")";
    let of_characters = measures.split_whitespace().filter(|name| name.starts_with("char-"));
    let of_characters: Vec<&str> = of_characters.collect();
    for _ in 0..cases(400, 40) {
        let text = random_text(&mut random);
        let before = values(&text, measures);
        let levels = "char-IPrec@0.3 char-IAP(points=101)";
        let mut split = text.clone();
        split.list = text
            .list
            .iter()
            .flat_map(|&(document, start, end, tokens, call)| {
                let middle = start + (end - start) / 2;
                let parts =
                    [(document, start, middle, tokens, call), (document, middle, end, 0.0, call)];
                parts.into_iter().filter(|part| part.1 < part.2)
            })
            .collect();
        same(&before, &values(&split, measures), &text);
        for (low, high) in values(&text, levels).iter().zip(values(&split, levels)) {
            assert!(low.is_nan() || high >= low - 1e-12, "{text:?}");
        }
        let mut doubled = text.clone();
        for (piece, group) in text.evidence.iter().zip(100..) {
            let (document, start, end, grade, _) = *piece;
            doubled.evidence.push((document, start, end - (end - start) / 2, grade, group));
        }
        let list = of_characters.join(" ");
        same(&values(&text, &list), &values(&doubled, &list), &text);
        // One chunk once more at the end.
        if let Some(first) = text.list.first() {
            let mut longer = text.clone();
            longer.list.push(*first);
            let stays = "char-SetR char-IoU char-AP(repeats=\"skip\") char-SetP(repeats=\"skip\")";
            same(&values(&text, stays), &values(&longer, stays), &text);
            let (after, before) = (value(&longer, "char-SetP"), value(&text, "char-SetP"));
            assert!(before.is_nan() || after <= before + 1e-15);
        }
        // Recall grows with the budget and with less to cover; nothing leaves its range.
        let grow: Vec<String> = (1..60).map(|chars| format!("char-R@chars={chars}")).collect();
        assert!(values(&text, &grow.join(" ")).is_sorted_by(|a, b| a.is_nan() || a <= b));
        let covers: Vec<String> =
            (1..=10).map(|i| format!("span-R(cover={})@3", f64::from(i) / 10.0)).collect();
        assert!(values(&text, &covers.join(" ")).is_sorted_by(|a, b| a.is_nan() || a >= b));
        let bounded = measures.split_whitespace().filter(|name| !name.contains("-U("));
        let bounded = values(&text, &bounded.collect::<Vec<_>>().join(" "));
        let bounded =
            [bounded, values(&text, "span-nDCG span-nDCG@2 span-nDCG(credit=\"share\")")].concat();
        assert!(bounded.iter().all(|v| v.is_nan() || (0.0..=1.0 + 1e-12).contains(v)), "{text:?}");
    }
}

fn same(before: &[f64], after: &[f64], text: &Text) {
    for (place, (a, b)) in before.iter().zip(after).enumerate() {
        assert!((a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-12, "{place}: {a} {b} {text:?}");
    }
}

#[test]
fn the_evidence_itself_is_the_best_list() {
    let mut random = Random::seeded(3);
    for _ in 0..cases(200, 50) {
        let mut text = random_text(&mut random);
        text.evidence.retain(|piece| piece.3 > 0.0);
        if text.evidence.is_empty() {
            continue;
        }
        for piece in &mut text.evidence {
            piece.3 = 1.0;
        }
        // Each character once, so that nothing is read twice.
        let mut at = 0;
        for piece in &mut text.evidence {
            let length = piece.2 - piece.1;
            (piece.0, piece.1, piece.2) = (0, at, at + length);
            at += length + 1;
        }
        text.list = plain(&text.evidence.iter().map(|p| (p.0, p.1, p.2)).collect::<Vec<_>>());
        let perfect = "char-SetR char-SetP char-AP char-IAP char-Rprec char-nDCG char-IoU";
        for found in values(&text, perfect) {
            assert!((found - 1.0).abs() < 1e-12, "{text:?}");
        }
        let one = Text { evidence: text.evidence[..1].to_vec(), list: text.list.clone() };
        let [share, characters] = values(&one, "span-R(credit=\"share\")@1 char-R@1")[..] else {
            panic!()
        };
        assert_eq!(share, characters);
    }
}

#[test]
fn tokens_of_one_are_ranks() {
    let mut random = Random::seeded(9);
    for _ in 0..cases(100, 40) {
        let mut text = random_text(&mut random);
        text.list.iter_mut().for_each(|part| part.3 = 1.0);
        for k in 1..6 {
            for name in ["char-R", "char-AP", "char-IoU", "span-R", "span-nDCG"] {
                let [ranks, tokens] = values(&text, &format!("{name}@{k} {name}@tokens={k}"))[..]
                else {
                    panic!()
                };
                // The best list of span-nDCG is cut by no budget.
                let alike =
                    name == "span-nDCG" || (ranks.is_nan() && tokens.is_nan()) || ranks == tokens;
                assert!(alike, "{name}@{k}: {text:?}");
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (measure, kind, part) in [
        ("char-P@5", Kind::Parameter, "char-SetP@5 divides by what is read"),
        ("char-nDCG@5", Kind::Parameter, "char-nDCG@chars=4000"),
        ("char-bpref", Kind::Parameter, "those that do are R, P, SetP"),
        ("span-AP", Kind::Parameter, "two pieces of evidence can be found at one rank"),
        ("span-P@5", Kind::Parameter, "those that do are R, Success"),
        ("char-R", Kind::Parameter, "needs a cutoff, as in char-R@5"),
        ("char-AP'", Kind::Parameter, "refused"),
        ("span-R(fit=\"whole\")@5", Kind::Parameter, "fit= is about"),
        ("span-R(cover=0)@5", Kind::Parameter, "cover above 0"),
        ("span-R(cover=2)@5", Kind::Parameter, "from 0 to 1 as cover"),
        ("span-RR(credit=\"share\")", Kind::Parameter, "has no parameter `credit`"),
        ("char-R(cover=0.5)@5", Kind::Parameter, "has no parameter `cover`"),
        ("char-U(L=10)", Kind::Parameter, "form=\"original\""),
        ("char#-R@5", Kind::Measure, "unknown measure"),
    ] {
        let error = parse_list(measure).expect_err(measure);
        assert_eq!(error.kind(), kind, "{measure}: {error}");
        assert!(error.to_string().contains(part), "{measure}: {error}");
    }
    let refused = |measure: &str| {
        let gold = gold(&[("1", &[(0, 0, 5, 1.0, 1)])]);
        SpanEvaluator::new(gold, &parse_list(measure).unwrap(), Options::default()).err().unwrap()
    };
    let said = refused("R@5").to_string();
    assert!(said.contains("R@5 over passages: span-R@5 (evidence found), or char-R@5 (its characters), or documents: run.documents()"), "{said}");
    assert!(refused("bpref").to_string().contains("over passages: documents"));
}

#[test]
fn spans_that_cannot_be_are_refused() {
    let add = |start, end, grade| {
        GoldBuilder::default().add(b"1", b"a", (start, end), grade, None, 3).unwrap_err()
    };
    assert_eq!(add(5, 5, 1.0).kind(), Kind::Span);
    assert!(add(5, 5, 1.0).message().contains("holds no character; ends are exclusive"));
    assert_eq!(add(5, 1 << 33, 1.0).kind(), Kind::Limit);
    assert_eq!(add(5, 6, f64::NAN).kind(), Kind::Number);
    let mut twice = GoldBuilder::default();
    twice.add(b"1", b"a", (0, 5), 1.0, None, 2).unwrap();
    twice.add(b"1", b"a", (0, 5), 2.0, None, 7).unwrap();
    let error = twice.finish().unwrap_err();
    assert_eq!((error.kind(), error.place().line), (Kind::Duplicate, Some(7)));
    let mut alternatives = GoldBuilder::default();
    alternatives.add(b"1", b"a", (0, 5), 1.0, Some(b"x"), 2).unwrap();
    alternatives.add(b"1", b"a", (0, 5), 2.0, Some(b"y"), 7).unwrap();
    assert!(alternatives.finish().is_ok());
}

#[test]
fn a_run_without_tokens_is_refused() {
    let text = Text { list: vec![(0, 0, 5, f64::NAN, 1), (0, 5, 9, 3.0, 1)], ..example() };
    let evaluator = SpanEvaluator::new(
        gold(&[("1", &text.evidence)]),
        &parse_list("char-R@tokens=5").unwrap(),
        Options::default(),
    );
    let runs = [run(&[("1", &text.list)])];
    let error = evaluator.unwrap().evaluate(&runs, &Arc::new(Monitor::default())).unwrap_err();
    assert_eq!(error.kind(), Kind::Needs);
    assert!(error.message().contains("1 of 2 chunks"), "{error}");
}
