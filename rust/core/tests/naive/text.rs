//! Measures of text, character by character.
//!
//! A chunk is written out as its characters, and what was read is kept as a set of them.

use std::collections::{BTreeMap, BTreeSet};

/// A piece of evidence: document, start, end, grade, group.
pub type Piece = (u32, u32, u32, f64, u32);

/// A chunk: document, start, end, tokens, call.
pub type Part = (u32, u32, u32, f64, u32);

type Character = (u32, u32);

/// What is cut off a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    None,
    Places(usize),
    Chars(u64, bool),
    Tokens(f64),
    Calls(usize),
}

/// One topic.
#[derive(Clone, Debug)]
pub struct Text {
    pub evidence: Vec<Piece>,
    pub list: Vec<Part>,
}

fn characters(document: u32, start: u32, end: u32) -> impl Iterator<Item = Character> {
    (start..end).map(move |at| (document, at))
}

impl Text {
    /// The grade of each character of the evidence: the highest there.
    fn grades(&self) -> BTreeMap<Character, f64> {
        let mut grades = BTreeMap::new();
        for &(document, start, end, grade, _) in &self.evidence {
            for character in characters(document, start, end) {
                let known = grades.entry(character).or_insert(grade);
                *known = f64::max(*known, grade);
            }
        }
        grades
    }

    /// The places of a list as far as a cut allows, by the number of places and the characters of
    /// the one behind them that still count.
    fn kept(&self, cut: Cut) -> (usize, u32) {
        let mut places = 0;
        match cut {
            Cut::None => places = self.list.len(),
            Cut::Places(most) => places = most.min(self.list.len()),
            Cut::Tokens(most) => {
                let mut sum = 0.0;
                for part in &self.list {
                    sum += part.3;
                    if sum > most {
                        break;
                    }
                    places += 1;
                }
            }
            Cut::Calls(most) => {
                let mut calls = BTreeSet::new();
                for part in &self.list {
                    calls.insert(part.4);
                    if calls.len() > most {
                        break;
                    }
                    places += 1;
                }
            }
            Cut::Chars(most, whole) => {
                let mut left = most;
                for part in &self.list {
                    let length = u64::from(part.2 - part.1);
                    if length > left {
                        return (places, if whole { 0 } else { left as u32 });
                    }
                    left -= length;
                    places += 1;
                }
            }
        }
        (places, 0)
    }

    /// The list as far as a cut allows.
    fn shortened(&self, cut: Cut) -> Text {
        let (places, rest) = self.kept(cut);
        let mut list = self.list[..places].to_vec();
        if rest > 0 {
            let mut last = self.list[places];
            last.2 = last.1 + rest;
            list.push(last);
        }
        Text { evidence: self.evidence.clone(), list }
    }

    /// The characters in the order of reading, each with whether it is new and the place where
    /// it stands.
    fn read(
        &self,
        repeats: &str,
        is_relevant: &dyn Fn(Character) -> bool,
        cut: Cut,
    ) -> Vec<(Character, bool, usize)> {
        let places = match cut {
            Cut::Chars(..) | Cut::None => self.list.len(),
            _ => self.kept(cut).0,
        };
        let (mut seen, mut read) = (BTreeSet::new(), Vec::new());
        for (place, &(document, start, end, ..)) in self.list[..places].iter().enumerate() {
            for character in characters(document, start, end) {
                let new = seen.insert(character);
                let left_out = match repeats {
                    "skip" => !new,
                    "genomics" => !new && is_relevant(character),
                    _ => false,
                };
                if !left_out {
                    read.push((character, new, place + 1));
                }
            }
        }
        if let Cut::Chars(most, whole) = cut {
            let most = most as usize;
            if whole && read.len() > most {
                let broken = read[most].2;
                read.retain(|&(.., place)| place < broken);
            }
            read.truncate(most);
        }
        read
    }

    /// A measure over characters. Without a cut that it needs it has no value.
    pub fn over_characters(
        &self,
        name: &str,
        repeats: &str,
        rel: f64,
        number: f64,
        cut: Cut,
    ) -> f64 {
        let grades = self.grades();
        let graded = matches!(name, "nDCG");
        let gain = |character: Character| {
            let grade = grades.get(&character).copied().unwrap_or(0.0);
            if graded {
                grade.max(0.0)
            } else if grades.contains_key(&character) && grade >= rel {
                1.0
            } else {
                0.0
            }
        };
        let is_relevant = |character| gain(character) > 0.0;
        let all = grades.keys().filter(|&&c| is_relevant(c)).count();
        let read = self.read(repeats, &is_relevant, cut);
        let hit = |&(character, new, _): &(Character, bool, usize)| new && is_relevant(character);
        let hits =
            |read: &[(Character, bool, usize)]| read.iter().filter(|c| hit(c)).count() as f64;
        let (n, c, total) = (read.len() as f64, hits(&read), all as f64);
        if all == 0 {
            return f64::NAN;
        }
        let points: Vec<(f64, f64)> = (0..read.len())
            .filter(|&i| read.get(i + 1).is_none_or(|next| next.2 != read[i].2))
            .map(|i| (hits(&read[..=i]), (i + 1) as f64))
            .collect();
        let level = |x: f64| {
            let reached = points.iter().filter(|(hits, _)| hits / total >= x - 1e-12);
            reached.map(|(hits, read)| hits / read).fold(0.0, f64::max)
        };
        let unit = number as usize;
        let discounted = |gains: &[f64]| -> f64 {
            let worth = |(at, gain): (usize, &f64)| gain / (2.0 + (at / unit) as f64).log2();
            gains.iter().enumerate().map(worth).sum()
        };
        match name {
            "R" | "SetR" => c / total,
            "P" => match cut {
                Cut::Chars(most, _) => c / most as f64,
                _ => f64::NAN,
            },
            "SetP" => {
                if n == 0.0 {
                    0.0
                } else {
                    c / n
                }
            }
            "SetF" => {
                let (precision, recall) = (if n == 0.0 { 0.0 } else { c / n }, c / total);
                let square = number * number;
                if c == 0.0 {
                    0.0
                } else {
                    (1.0 + square) * precision * recall / (square * precision + recall)
                }
            }
            "IoU" => {
                // By sets only where nothing comes twice.
                c / (n + total - c)
            }
            "AP" => {
                let (mut seen, mut sum) = (0.0, 0.0);
                for (at, character) in read.iter().enumerate() {
                    if hit(character) {
                        seen += 1.0;
                        sum += seen / (at + 1) as f64;
                    }
                }
                sum / total
            }
            "IPrec" => level(number),
            "IAP" => {
                let levels = number as usize;
                (0..levels).map(|i| level(i as f64 / (levels - 1) as f64)).sum::<f64>()
                    / levels as f64
            }
            "Rprec" => hits(&read[..all.min(read.len())]) / total,
            "Success" => f64::from(u8::from(c > 0.0)),
            "U" => {
                let worth = |(at, character): (usize, &(Character, bool, usize))| {
                    let weight = (1.0 - (at + 1) as f64 / number).max(0.0);
                    if hit(character) { weight } else { 0.0 }
                };
                read.iter().enumerate().map(worth).sum()
            }
            "nDCG" => {
                let gains: Vec<f64> =
                    read.iter().map(|c| if hit(c) { gain(c.0) } else { 0.0 }).collect();
                let mut best: Vec<f64> = grades.keys().map(|&c| gain(c)).collect();
                best.sort_by(|a, b| b.total_cmp(a));
                if let Cut::Chars(most, _) = cut {
                    best.truncate(most as usize);
                }
                discounted(&gains) / discounted(&best)
            }
            _ => panic!("no twin of char-{name}"),
        }
    }

    /// How much of a piece counts after a place: 1 or 0, or its share.
    fn credit(&self, piece: &Piece, place: usize, cover: f64, one_chunk: bool, share: bool) -> f64 {
        let &(document, start, end, ..) = piece;
        let shared = |parts: &[Part]| {
            let read: BTreeSet<Character> =
                parts.iter().flat_map(|part| characters(part.0, part.1, part.2)).collect();
            let found = characters(document, start, end).filter(|c| read.contains(c)).count();
            found as f64 / f64::from(end - start)
        };
        let part = if one_chunk {
            let parts = self.list[..place].iter();
            parts.map(|part| shared(std::slice::from_ref(part))).fold(0.0, f64::max)
        } else {
            shared(&self.list[..place])
        };
        if share { part } else { f64::from(u8::from(part >= cover - 1e-9 && part > 0.0)) }
    }

    /// A measure over pieces of evidence.
    pub fn over_spans(
        &self,
        name: &str,
        (cover, one_chunk, share): (f64, bool, bool),
        rel: f64,
        cut: Cut,
    ) -> f64 {
        let cut_list = self.shortened(cut);
        let graded = matches!(name, "CG" | "DCG" | "nDCG");
        let gain = |piece: &Piece| {
            if graded { piece.3.max(0.0) } else { f64::from(u8::from(piece.3 >= rel)) }
        };
        let pieces: Vec<&Piece> = self.evidence.iter().filter(|piece| gain(piece) > 0.0).collect();
        let groups: BTreeSet<u32> = pieces.iter().map(|piece| piece.4).collect();
        // What a group is worth after each place.
        let worth = |group: u32, place: usize| {
            let members = pieces.iter().filter(|piece| piece.4 == group);
            members
                .map(|piece| gain(piece) * cut_list.credit(piece, place, cover, one_chunk, share))
                .fold(0.0, f64::max)
        };
        let last = cut_list.list.len();
        let sum = |place: usize| groups.iter().map(|&group| worth(group, place)).sum::<f64>();
        let gains: Vec<f64> = (1..=last).map(|place| sum(place) - sum(place - 1)).collect();
        let first = (1..=last).find(|&place| sum(place) > 0.0);
        let dcg = |gains: &[f64]| -> f64 {
            gains.iter().enumerate().map(|(i, gain)| gain / (i as f64 + 2.0).log2()).sum()
        };
        let total = groups.len() as f64;
        if groups.is_empty() {
            return f64::NAN;
        }
        match name {
            "R" => sum(last) / total,
            "AllRecall" => f64::from(u8::from(sum(last) == total)),
            "Success" => f64::from(u8::from(first.is_some())),
            "RR" => first.map_or(0.0, |place| 1.0 / place as f64),
            "CG" => sum(last),
            "DCG" => dcg(&gains),
            "nDCG" => {
                let highest = |within: &dyn Fn(&Piece) -> bool| -> f64 {
                    let of_group = |&group: &u32| {
                        let members = pieces.iter().filter(|p| p.4 == group && within(p));
                        members.map(|piece| gain(piece)).fold(0.0, f64::max)
                    };
                    groups.iter().map(of_group).sum()
                };
                let documents: BTreeSet<u32> = pieces.iter().map(|piece| piece.0).collect();
                let mut best: Vec<f64> =
                    documents.iter().map(|&d| highest(&|piece: &Piece| piece.0 == d)).collect();
                best.sort_by(|a, b| b.total_cmp(a));
                let mut left = highest(&|_: &Piece| true);
                for gain in &mut best {
                    *gain = gain.min(left);
                    left -= *gain;
                }
                if let Cut::Places(most) = cut {
                    best.truncate(most);
                }
                dcg(&gains) / dcg(&best)
            }
            _ => panic!("no twin of span-{name}"),
        }
    }

    /// The F of each document in the order of their first chunks, and which have evidence.
    fn documents(&self, rel: f64, beta: f64) -> (Vec<(f64, bool)>, f64) {
        let grades = self.grades();
        let relevant: BTreeSet<Character> =
            grades.iter().filter(|(_, grade)| **grade >= rel).map(|(c, _)| *c).collect();
        let mut order: Vec<u32> = Vec::new();
        for part in &self.list {
            if !order.contains(&part.0) {
                order.push(part.0);
            }
        }
        let score = |&document: &u32| {
            let parts = self.list.iter().filter(|part| part.0 == document);
            let read: BTreeSet<Character> =
                parts.flat_map(|part| characters(part.0, part.1, part.2)).collect();
            let wanted = relevant.iter().filter(|c| c.0 == document).count() as f64;
            let hits = read.intersection(&relevant).count() as f64;
            let (precision, recall) = (hits / read.len() as f64, hits / wanted);
            let square = beta * beta;
            let f = (1.0 + square) * precision * recall / (square * precision + recall);
            (if hits == 0.0 { 0.0 } else { f }, wanted > 0.0)
        };
        let all: BTreeSet<u32> = relevant.iter().map(|c| c.0).collect();
        (order.iter().map(score).collect(), all.len() as f64)
    }

    /// `gP` and `AgP`.
    pub fn over_documents(&self, name: &str, rel: f64, depth: usize, cut: Cut) -> f64 {
        let (scores, all) = self.shortened(cut).documents(rel, 0.25);
        let precision =
            |r: usize| scores.iter().take(r).map(|score| score.0).sum::<f64>() / r as f64;
        if all == 0.0 {
            return f64::NAN;
        }
        if name == "gP" {
            return precision(depth);
        }
        let ranks = (1..=scores.len()).filter(|&r| scores[r - 1].1);
        ranks.map(precision).sum::<f64>() / all
    }
}
