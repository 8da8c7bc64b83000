//! The grade indices of a topic's documents: for each the position of its grade in
//! the collection's list of grades. One byte is enough where the list is
//! short, which it nearly always is, and the columns of all topics together are
//! to stay near the processor.

/// Grade indices by the number of the document; a document of the table that these
/// judgments do not list, for they were made from others which do, is absent.
#[derive(Clone, Debug)]
pub enum GradeColumn {
    /// Each below 255, which stands for an absent one.
    Narrow(Vec<u8>),
    /// Each below the highest number, which stands for an absent one.
    Wide(Vec<u32>),
}

impl Default for GradeColumn {
    fn default() -> Self {
        GradeColumn::Narrow(Vec::new())
    }
}

impl GradeColumn {
    /// The number of documents.
    pub fn len(&self) -> usize {
        match self {
            GradeColumn::Narrow(grade_indices) => grade_indices.len(),
            GradeColumn::Wide(grade_indices) => grade_indices.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The grade index of a document, unless it is absent.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<u32> {
        match self {
            GradeColumn::Narrow(grade_indices) => widened(grade_indices[number as usize]),
            GradeColumn::Wide(grade_indices) => {
                Some(grade_indices[number as usize]).filter(|&grade_index| grade_index != ABSENT)
            }
        }
    }

    /// The documents that are not absent, with their grade indices.
    pub fn listed(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.len() as u32).filter_map(|number| Some((number, self.get(number)?)))
    }

    /// Sets the grade index of a document.
    pub fn set(&mut self, number: u32, grade_index: u32) {
        match (&mut *self, narrowed(grade_index)) {
            (GradeColumn::Narrow(grade_indices), Some(grade_index)) => {
                grade_indices[number as usize] = grade_index;
            }
            (GradeColumn::Narrow(_), None) => self.wide()[number as usize] = grade_index,
            (GradeColumn::Wide(grade_indices), _) => grade_indices[number as usize] = grade_index,
        }
    }

    /// Adds a document.
    #[inline]
    pub fn push(&mut self, grade_index: Option<u32>) {
        let narrow = grade_index.map_or(Some(NARROW_ABSENT), narrowed);
        match (&mut *self, narrow) {
            (GradeColumn::Narrow(grade_indices), Some(grade_index)) => {
                grade_indices.push(grade_index);
            }
            _ => self.wide().push(grade_index.unwrap_or(ABSENT)),
        }
    }

    /// Adds documents, none of them absent.
    #[inline]
    pub fn extend(&mut self, more: &[u32]) {
        let highest = more.iter().fold(0, |highest, &grade_index| grade_index.max(highest));
        match &mut *self {
            GradeColumn::Narrow(grade_indices) if narrowed(highest).is_some() => {
                grade_indices.extend(more.iter().map(|&grade_index| grade_index as u8));
            }
            _ => self.wide().extend_from_slice(more),
        }
    }

    /// Makes room for this many further documents.
    pub fn reserve(&mut self, more: usize) {
        match self {
            GradeColumn::Narrow(grade_indices) => grade_indices.reserve(more),
            GradeColumn::Wide(grade_indices) => grade_indices.reserve(more),
        }
    }

    /// Keeps the first documents only.
    pub fn truncate(&mut self, documents: usize) {
        match self {
            GradeColumn::Narrow(grade_indices) => grade_indices.truncate(documents),
            GradeColumn::Wide(grade_indices) => grade_indices.truncate(documents),
        }
    }

    /// The same documents, of which those of each grade get another index.
    #[must_use]
    pub fn moved(&self, places: &[u32]) -> GradeColumn {
        if let GradeColumn::Narrow(grade_indices) = self
            && places.iter().all(|&place| narrowed(place).is_some())
        {
            let mut table = [NARROW_ABSENT; 256];
            for (place, &moved) in table.iter_mut().zip(places).take(255) {
                *place = moved as u8;
            }
            return GradeColumn::Narrow(
                grade_indices.iter().map(|&grade_index| table[usize::from(grade_index)]).collect(),
            );
        }
        (0..self.len() as u32).map(|number| Some(places[self.get(number)? as usize])).collect()
    }

    /// How many documents have each grade index that occurs, ascending; the highest
    /// is below `all`.
    pub fn counts(&self, all: usize) -> Vec<GradeCount> {
        match self {
            GradeColumn::Narrow(grade_indices) if all <= COUNTED_EACH => {
                // A pass for each, without a branch for what comes next. A byte
                // counts up to 255.
                let in_part = |part: &[u8], grade_index| -> u8 {
                    part.iter().map(|&other| u8::from(other == grade_index)).sum()
                };
                let count = |grade_index: u8| -> u32 {
                    grade_indices
                        .chunks(255)
                        .map(|part| u32::from(in_part(part, grade_index)))
                        .sum()
                };
                let counts = (0..all as u8)
                    .map(|index| GradeCount { grade_index: index.into(), count: count(index) });
                counts.filter(|of| of.count > 0).collect()
            }
            _ => {
                let mut sorted: Vec<u32> =
                    self.listed().map(|(_, grade_index)| grade_index).collect();
                sorted.sort_unstable();
                let same = sorted.chunk_by(|a, b| a == b);
                same.map(|same| GradeCount { grade_index: same[0], count: same.len() as u32 })
                    .collect()
            }
        }
    }

    /// The grade indices in four bytes each.
    #[cold]
    fn wide(&mut self) -> &mut Vec<u32> {
        if let GradeColumn::Narrow(grade_indices) = self {
            let wide =
                grade_indices.iter().map(|&grade_index| widened(grade_index).unwrap_or(ABSENT));
            *self = GradeColumn::Wide(wide.collect());
        }
        match self {
            GradeColumn::Wide(grade_indices) => grade_indices,
            GradeColumn::Narrow(_) => unreachable!("these were made wide above"),
        }
    }
}

impl FromIterator<Option<u32>> for GradeColumn {
    fn from_iter<I: IntoIterator<Item = Option<u32>>>(grade_indices: I) -> Self {
        let grade_indices = grade_indices.into_iter();
        let mut column = GradeColumn::default();
        column.reserve(grade_indices.size_hint().0);
        grade_indices.for_each(|grade_index| column.push(grade_index));
        column
    }
}

/// Stands for the grade index of an absent document where there is no room to say so.
pub(crate) const ABSENT: u32 = u32::MAX;
const NARROW_ABSENT: u8 = u8::MAX;

/// How many documents have a grade index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GradeCount {
    /// The index of the grade.
    pub grade_index: u32,
    /// The number of its documents.
    pub count: u32,
}

/// Up to this many grade indices are counted each by itself.
const COUNTED_EACH: usize = 8;

/// A grade index in one byte, if it fits.
#[inline(always)]
fn narrowed(grade_index: u32) -> Option<u8> {
    u8::try_from(grade_index).ok().filter(|&grade_index| grade_index != NARROW_ABSENT)
}

/// A grade index of one byte, unless it stands for an absent one.
#[inline(always)]
pub(crate) fn widened(grade_index: u8) -> Option<u32> {
    (grade_index != NARROW_ABSENT).then_some(grade_index.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grade_index() -> impl Strategy<Value = Option<u32>> {
        prop_oneof![
            6 => (0u32..4).prop_map(Some),
            1 => Just(None),
            1 => (250u32..260).prop_map(Some),
            1 => (65_534u32..65_600).prop_map(Some),
        ]
    }

    proptest! {
        /// However grade indices come, they are a plain column of them.
        #[test]
        fn grade_indices_are_a_column(
            first in prop::collection::vec(grade_index(), 0..20),
            more in prop::collection::vec(0u32..300, 0..20),
            sets in prop::collection::vec((any::<prop::sample::Index>(), 0u32..300), 0..4),
            few: bool,
            kept in 0usize..50,
        ) {
            let few = |grade_index: u32| if few { grade_index % 7 } else { grade_index };
            let mut plain: Vec<Option<u32>> = first.iter().map(|grade_index| grade_index.map(few)).collect();
            let mut grade_indices: GradeColumn = plain.iter().copied().collect();
            let more: Vec<u32> = more.into_iter().map(few).collect();
            grade_indices.extend(&more);
            plain.extend(more.into_iter().map(Some));
            for (index, grade_index) in sets {
                if !plain.is_empty() {
                    let number = index.index(plain.len());
                    plain[number] = Some(few(grade_index));
                    grade_indices.set(number as u32, few(grade_index));
                }
            }
            grade_indices.truncate(kept);
            plain.truncate(kept);
            let column = |grade_indices: &GradeColumn| -> Vec<Option<u32>> {
                (0..grade_indices.len() as u32).map(|number| grade_indices.get(number)).collect()
            };
            prop_assert_eq!(column(&grade_indices), plain.clone());
            let listed: Vec<u32> = plain.iter().copied().flatten().collect();
            prop_assert!(grade_indices.listed().map(|(_, grade_index)| grade_index).eq(listed.iter().copied()));
            let all = listed.iter().max().map_or(0, |&highest| highest as usize + 1);
            let mut counts = vec![0; all];
            for &grade_index in &listed {
                counts[grade_index as usize] += 1;
            }
            let occurring = (0..).zip(counts).filter(|&(_, count)| count > 0);
            let counts = grade_indices.counts(all).into_iter().map(|of| (of.grade_index, of.count));
            prop_assert_eq!(counts.collect::<Vec<_>>(), occurring.collect::<Vec<_>>());
            for offset in [0, 3, 1000] {
                let places: Vec<u32> = (0..all as u32).rev().map(|place| place + offset).collect();
                let moved = plain.iter().map(|grade_index| Some(places[(*grade_index)? as usize]));
                prop_assert_eq!(column(&grade_indices.moved(&places)), moved.collect::<Vec<_>>());
            }
        }
    }
}
