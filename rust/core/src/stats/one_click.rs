//! The measures of NTCIR's 1CLICK tasks: of a text in place of a list.

/// What a good text says: how important it is, and the length of its vital string.
pub type TextNugget = (f64, u64);

/// A text, and who reads it.
#[derive(Clone, Copy, Debug)]
pub struct ReadText<'a> {
    /// The nuggets of the topic.
    pub nuggets: &'a [TextNugget],
    /// Those in the text, each with the characters down to where it has been read.
    pub found: &'a [(TextNugget, u64)],
    /// The characters of the text.
    pub length: u64,
    /// After how many characters the reader stops.
    pub patience: u64,
    /// How much more S counts than T.
    pub beta: f64,
}

impl ReadText<'_> {
    /// Recall, weighted recall, S, S at most 1, T, T at most 1, and the F-measure of the latter
    /// two; `None` if not even the pseudo minimal output gains anything.
    pub fn measures(&self) -> Option<[f64; 7]> {
        let gain = |weight: f64, offset: u64| weight * self.patience.saturating_sub(offset) as f64;
        let (mut weight, mut gained, mut vital) = (0.0, 0.0, 0_u128);
        for ((own, length), offset) in self.found {
            weight += own;
            gained += gain(*own, *offset);
            vital += u128::from(*length);
        }
        // The heaviest first, of equal ones the shortest.
        let mut minimal = self.nuggets.to_vec();
        minimal.sort_by(|(a, short), (b, long)| b.total_cmp(a).then(short.cmp(long)));
        let (mut best, mut end) = (0.0, 0_u64);
        for (own, length) in minimal {
            end = end.saturating_add(length);
            best += gain(own, end);
        }
        if best == 0.0 {
            return None;
        }
        let all: f64 = self.nuggets.iter().map(|(weight, _)| weight).sum();
        let s = gained / best;
        let t = if self.length > 0 { vital as f64 / self.length as f64 } else { 0.0 };
        let (s_flat, t_flat) = (s.min(1.0), t.min(1.0));
        let recall = self.found.len() as f64 / self.nuggets.len() as f64;
        Some([recall, weight / all, s, s_flat, t, t_flat, self.combined(t_flat, s_flat)])
    }

    /// F of T and S; S itself where beta is infinite, if T is not 0.
    fn combined(&self, t: f64, s: f64) -> f64 {
        let square = self.beta * self.beta;
        if t == 0.0 {
            0.0
        } else if square.is_infinite() {
            s
        } else {
            (1.0 + square) * t * s / (square * t + s)
        }
    }
}
