//! Subcollection average precision: the documents outside the pool are kept
//! at the rate at which those of the pool were judged.

use super::ap::ap;
use super::{List, Params};

/// The tests' only topic.
const TOPIC: &[u8] = b"1";

/// 2^64 over the golden ratio, the customary start of a hash.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of `SplitMix64`.
fn mix(mut z: u64) -> u64 {
    z ^= z >> 30;
    z = z.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^= z >> 27;
    z = z.wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The length and then every 8 bytes, the last ones filled up with zeros, go
/// through `mix` in turn.
fn hash(start: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(start ^ bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash ^ u64::from_le_bytes(word));
    }
    hash
}

/// A number in [0, 1) that only the seed, the topic and the document decide:
/// the draw stands for a subcollection, so it is the same for all runs.
fn draw(seed: f64, topic: &[u8], doc: &str) -> f64 {
    let (topic, document) = (hash(GOLDEN, topic), hash(GOLDEN, doc.as_bytes()));
    let document = mix(topic ^ document.rotate_left(32));
    let tossed = mix(document ^ mix((seed as u64).wrapping_add(GOLDEN)));
    (tossed >> 11) as f64 / 2.0_f64.powi(53)
}

/// p: given, or the judged share of the documents listed in the judgments; 1
/// if none is listed.
fn rate(params: &Params, list: &List) -> f64 {
    if let Some(p) = params.number("p") {
        return p;
    }
    if list.grades.is_empty() {
        return 1.0;
    }
    let judged = list.grades.keys().filter(|doc| list.is_judged(doc)).count();
    judged as f64 / list.grades.len() as f64
}

/// subAP = AP of the list without the pooled but unjudged documents, and with
/// each document outside the pool kept if its draw is below p.
///
/// Source: Yilmaz & Aslam 2006 section 2.4.
pub fn subap(params: &Params, list: &List) -> f64 {
    let p = rate(params, list);
    let seed = params.number("seed").unwrap_or(0.0);
    let mut kept = Vec::new();
    for doc in list.ranking {
        let listed = list.grades.contains_key(doc);
        if list.is_judged(doc) || (!listed && draw(seed, TOPIC, doc) < p) {
            kept.push(doc.clone());
        }
    }
    ap(params, &List { ranking: &kept, ..*list })
}

/// The number of ways to choose b of m.
fn choose(m: usize, b: usize) -> f64 {
    let mut ways = 1.0;
    for i in 0..b {
        ways = ways * (m - i) as f64 / (i + 1) as f64;
    }
    ways
}

/// `subAP_expected` = the mean of subAP over all outcomes of independent draws:
/// (1/R) sum over retrieved relevant documents of the sum over b = 0..m of
/// C(m, b) p^b (1-p)^(m-b) c / (c + n + b).
///
/// c and n are the relevant and the judged non-relevant documents down to
/// this one, m the documents outside the pool above it, of which b are kept.
/// Source: Yilmaz & Aslam 2006 section 2.4.
pub fn subap_expected(params: &Params, list: &List) -> f64 {
    let p = rate(params, list);
    let mut sum = 0.0;
    for (index, doc) in list.ranking.iter().enumerate() {
        if !list.is_relevant(doc, params.rel) {
            continue;
        }
        let down_to = &list.ranking[..=index];
        let c = list.relevant_among(down_to, params.rel) as f64;
        let n = list.nonrelevant_among(down_to, params.rel) as f64;
        let m = down_to.iter().filter(|other| !list.grades.contains_key(*other)).count();
        for b in 0..=m {
            let probability = choose(m, b) * p.powf(b as f64) * (1.0 - p).powf((m - b) as f64);
            sum += probability * c / (c + n + b as f64);
        }
    }
    sum / list.num_relevant(params.rel) as f64
}
