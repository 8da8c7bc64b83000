//! The levels of a topic's documents: for each the position of its grade in
//! the collection's list of grades. One byte is enough where the list is
//! short, which it nearly always is, and the columns of all topics together are
//! to stay near the processor.

/// Levels by the number of the document; a document of the table that these
/// judgments do not list, for they were made from others which do, is absent.
#[derive(Clone, Debug)]
pub enum LevelColumn {
    /// Each below 255, which stands for an absent one.
    Narrow(Vec<u8>),
    /// Each below the highest number, which stands for an absent one.
    Wide(Vec<u32>),
}

impl Default for LevelColumn {
    fn default() -> Self {
        LevelColumn::Narrow(Vec::new())
    }
}

impl LevelColumn {
    /// The number of documents.
    pub fn len(&self) -> usize {
        match self {
            LevelColumn::Narrow(levels) => levels.len(),
            LevelColumn::Wide(levels) => levels.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The level of a document, unless it is absent.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<u32> {
        match self {
            LevelColumn::Narrow(levels) => widened(levels[number as usize]),
            LevelColumn::Wide(levels) => {
                Some(levels[number as usize]).filter(|&level| level != ABSENT)
            }
        }
    }

    /// The documents that are not absent, with their levels.
    pub fn listed(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.len() as u32).filter_map(|number| Some((number, self.get(number)?)))
    }

    /// Sets the level of a document.
    pub fn set(&mut self, number: u32, level: u32) {
        match (&mut *self, narrowed(level)) {
            (LevelColumn::Narrow(levels), Some(level)) => levels[number as usize] = level,
            (LevelColumn::Narrow(_), None) => self.wide()[number as usize] = level,
            (LevelColumn::Wide(levels), _) => levels[number as usize] = level,
        }
    }

    /// Adds a document.
    #[inline]
    pub fn push(&mut self, level: Option<u32>) {
        let narrow = level.map_or(Some(NARROW_ABSENT), narrowed);
        match (&mut *self, narrow) {
            (LevelColumn::Narrow(levels), Some(level)) => levels.push(level),
            _ => self.wide().push(level.unwrap_or(ABSENT)),
        }
    }

    /// Adds documents, none of them absent.
    #[inline]
    pub fn extend(&mut self, more: &[u32]) {
        let highest = more.iter().fold(0, |highest, &level| level.max(highest));
        match &mut *self {
            LevelColumn::Narrow(levels) if narrowed(highest).is_some() => {
                levels.extend(more.iter().map(|&level| level as u8));
            }
            _ => self.wide().extend_from_slice(more),
        }
    }

    /// Makes room for so many further documents.
    pub fn reserve(&mut self, more: usize) {
        match self {
            LevelColumn::Narrow(levels) => levels.reserve(more),
            LevelColumn::Wide(levels) => levels.reserve(more),
        }
    }

    /// Keeps the first documents only.
    pub fn truncate(&mut self, documents: usize) {
        match self {
            LevelColumn::Narrow(levels) => levels.truncate(documents),
            LevelColumn::Wide(levels) => levels.truncate(documents),
        }
    }

    /// The same documents, of which those of each level have another one.
    #[must_use]
    pub fn moved(&self, places: &[u32]) -> LevelColumn {
        if let LevelColumn::Narrow(levels) = self
            && places.iter().all(|&place| narrowed(place).is_some())
        {
            let mut table = [NARROW_ABSENT; 256];
            for (place, &moved) in table.iter_mut().zip(places).take(255) {
                *place = moved as u8;
            }
            return LevelColumn::Narrow(
                levels.iter().map(|&level| table[usize::from(level)]).collect(),
            );
        }
        (0..self.len() as u32).map(|number| Some(places[self.get(number)? as usize])).collect()
    }

    /// How many documents have each level that occurs, ascending; the highest
    /// is below `all`.
    pub fn counts(&self, all: usize) -> Vec<(u32, u32)> {
        match self {
            LevelColumn::Narrow(levels) if all <= FEW => {
                // A pass for each, without a branch for what comes next. A byte
                // counts up to 255.
                let in_part = |part: &[u8], level| -> u8 {
                    part.iter().map(|&other| u8::from(other == level)).sum()
                };
                let count = |level: u8| -> u32 {
                    levels.chunks(255).map(|part| u32::from(in_part(part, level))).sum()
                };
                let counts = (0..all as u8).map(|level| (level.into(), count(level)));
                counts.filter(|&(_, count)| count > 0).collect()
            }
            _ => {
                let mut sorted: Vec<u32> = self.listed().map(|(_, level)| level).collect();
                sorted.sort_unstable();
                let same = sorted.chunk_by(|a, b| a == b);
                same.map(|same| (same[0], same.len() as u32)).collect()
            }
        }
    }

    /// The levels in four bytes each.
    #[cold]
    fn wide(&mut self) -> &mut Vec<u32> {
        if let LevelColumn::Narrow(levels) = self {
            let wide = levels.iter().map(|&level| widened(level).unwrap_or(ABSENT));
            *self = LevelColumn::Wide(wide.collect());
        }
        match self {
            LevelColumn::Wide(levels) => levels,
            LevelColumn::Narrow(_) => unreachable!("these were made wide above"),
        }
    }
}

impl FromIterator<Option<u32>> for LevelColumn {
    fn from_iter<I: IntoIterator<Item = Option<u32>>>(levels: I) -> Self {
        let levels = levels.into_iter();
        let mut column = LevelColumn::default();
        column.reserve(levels.size_hint().0);
        levels.for_each(|level| column.push(level));
        column
    }
}

/// Stands for the level of an absent document where there is no room to say so.
pub(crate) const ABSENT: u32 = u32::MAX;
const NARROW_ABSENT: u8 = u8::MAX;

/// Up to so many levels are counted each by itself.
const FEW: usize = 8;

/// A level in one byte, if it fits.
#[inline(always)]
fn narrowed(level: u32) -> Option<u8> {
    u8::try_from(level).ok().filter(|&level| level != NARROW_ABSENT)
}

/// A level of one byte, unless it stands for an absent one.
#[inline(always)]
pub(crate) fn widened(level: u8) -> Option<u32> {
    (level != NARROW_ABSENT).then_some(level.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn level() -> impl Strategy<Value = Option<u32>> {
        prop_oneof![
            6 => (0u32..4).prop_map(Some),
            1 => Just(None),
            1 => (250u32..260).prop_map(Some),
            1 => (65_534u32..65_600).prop_map(Some),
        ]
    }

    proptest! {
        /// However levels come, they are a plain column of them.
        #[test]
        fn levels_are_a_column(
            first in prop::collection::vec(level(), 0..20),
            more in prop::collection::vec(0u32..300, 0..20),
            sets in prop::collection::vec((any::<prop::sample::Index>(), 0u32..300), 0..4),
            few: bool,
            kept in 0usize..50,
        ) {
            let few = |level: u32| if few { level % 7 } else { level };
            let mut plain: Vec<Option<u32>> = first.iter().map(|level| level.map(few)).collect();
            let mut levels: LevelColumn = plain.iter().copied().collect();
            let more: Vec<u32> = more.into_iter().map(few).collect();
            levels.extend(&more);
            plain.extend(more.into_iter().map(Some));
            for (index, level) in sets {
                if !plain.is_empty() {
                    let number = index.index(plain.len());
                    plain[number] = Some(few(level));
                    levels.set(number as u32, few(level));
                }
            }
            levels.truncate(kept);
            plain.truncate(kept);
            let column = |levels: &LevelColumn| -> Vec<Option<u32>> {
                (0..levels.len() as u32).map(|number| levels.get(number)).collect()
            };
            prop_assert_eq!(column(&levels), plain.clone());
            let listed: Vec<u32> = plain.iter().copied().flatten().collect();
            prop_assert!(levels.listed().map(|(_, level)| level).eq(listed.iter().copied()));
            let all = listed.iter().max().map_or(0, |&highest| highest as usize + 1);
            let mut counts = vec![0; all];
            for &level in &listed {
                counts[level as usize] += 1;
            }
            let occurring = (0..).zip(counts).filter(|&(_, count)| count > 0);
            prop_assert_eq!(levels.counts(all), occurring.collect::<Vec<(u32, u32)>>());
            for offset in [0, 3, 1000] {
                let places: Vec<u32> = (0..all as u32).rev().map(|place| place + offset).collect();
                let moved = plain.iter().map(|level| Some(places[(*level)? as usize]));
                prop_assert_eq!(column(&levels.moved(&places)), moved.collect::<Vec<_>>());
            }
        }
    }
}
