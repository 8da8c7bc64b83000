//! Collecting judgments and compiling them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use cranfield_scan::Scan;

use super::{Qrels, Topic};
use crate::costs::DocumentCosts;
use crate::error;
use crate::grade_column::{ABSENT, GradeColumn, GradeCount};
use crate::hash::hash;
use crate::intents::Intents;
use crate::memory;
use crate::table::DocTable;

/// A judgment that came twice: the line of the first, and its grade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// The line (or row) of the earlier judgment.
    pub line: u64,
    /// The earlier grade.
    pub grade: f64,
}

/// Collects judgments in any order.
#[derive(Debug)]
pub struct Builder {
    topics: Vec<Draft>,
    index: DocTable,
    /// The distinct grades as they came, findable.
    grades: Vec<f64>,
    grade_indexes: HashMap<u64, u32>,
    /// Where those of one digit are in the list.
    digits: [u32; 10],
    column_names: Vec<String>,
    seed: u64,
    current: usize,
    /// How many there are in all topics.
    judgments: usize,
    /// Memory for hashes and grade indexes of documents that come together.
    hashes: Vec<u64>,
    together: Vec<u32>,
    /// Grades that lenient reading replaced.
    pub repaired: u64,
    /// Lines that were passed over as comments.
    pub comments: u64,
}

#[derive(Debug, Default)]
struct Draft {
    id: Box<[u8]>,
    docs: DocTable,
    /// Positions in the builder's list of grades.
    grade_column: GradeColumn,
    /// Stretches of judgments on neighbouring lines: the first of them, and
    /// its line. Empty if they have no lines.
    lines: Vec<(u32, u64)>,
    columns: Vec<Vec<f64>>,
    intents: Option<Box<Served>>,
}

/// Where a judgment is under no intent.
const NO_INTENT: u32 = u32::MAX;

/// Judgments under the intents of a topic.
#[derive(Debug, Default)]
struct Served {
    names: Vec<Box<[u8]>>,
    /// The grade of a document under an intent and the line that it came from.
    grades: HashMap<(u32, u32), (f64, u64)>,
}

impl Served {
    /// The number of an intent, which is added if it is new.
    fn number(&mut self, intent: &[u8]) -> u32 {
        let known = self.names.iter().position(|known| **known == *intent);
        known.unwrap_or_else(|| {
            self.names.push(intent.into());
            self.names.len() - 1
        }) as u32
    }
}

impl Builder {
    /// An empty set of judgments with columns beside the grade.
    pub fn new(column_names: &[&str]) -> Self {
        Builder::seeded(column_names, RandomState::new().hash_one("cranfield"))
    }

    /// The same with a given seed for the hashes of ids, for counting
    /// instructions; judgments that are not trusted need a random one.
    pub fn seeded(column_names: &[&str], seed: u64) -> Self {
        Builder {
            topics: Vec::new(),
            index: DocTable::default(),
            grades: Vec::new(),
            grade_indexes: HashMap::new(),
            digits: [ABSENT; 10],
            column_names: column_names.iter().map(ToString::to_string).collect(),
            seed,
            current: 0,
            judgments: 0,
            hashes: Vec::new(),
            together: Vec::new(),
            repaired: 0,
            comments: 0,
        }
    }

    /// Makes room for this many topics.
    pub fn reserve_topics(&mut self, topics: usize) {
        self.topics.reserve(topics);
        self.index.reserve(self.seed, topics, 0);
    }

    /// Makes a topic known, even if it has no judgments.
    pub fn topic(&mut self, id: &[u8]) {
        if self.topics.get(self.current).is_some_and(|draft| *draft.id == *id) {
            return;
        }
        match self.index.insert(self.seed, id) {
            Err(known) => self.current = known as usize,
            Ok(new) => {
                self.current = new as usize;
                let columns = vec![Vec::new(); self.column_names.len()];
                self.topics.push(Draft { id: id.into(), columns, ..Draft::default() });
            }
        }
    }

    /// An error if there is no memory for as many further judgments in the topic of the last one,
    /// whose documents have this many bytes in all, or for a further topic.
    #[inline]
    pub fn make_room(&self, judgments: usize, bytes: usize) -> error::Result<()> {
        let Some(draft) = self.topics.get(self.current) else { return Ok(()) };
        memory::room_for(draft.docs.growth(judgments, bytes))?;
        memory::room_for(self.index.growth(1, bytes))?;
        let full = self.topics.len() == self.topics.capacity();
        memory::room_for(if full { 2 * size_of_val(&*self.topics) } else { 0 })
    }

    /// An error if there is no memory to [finish](Builder::finish).
    pub fn room_to_finish(&self) -> error::Result<()> {
        let counts = size_of::<Vec<GradeCount>>() + size_of::<GradeCount>() * 4;
        let each = size_of::<Topic>() + counts + 2 * size_of::<u32>();
        memory::room_for(self.topics.len() * each)
    }

    /// Adds judgments without lines and columns to a topic: documents and
    /// their grades. The first that clashes comes back with its position.
    pub fn add_list(
        &mut self,
        topic: &[u8],
        documents: &[&[u8]],
        grades: &[f64],
    ) -> Result<(), (usize, Clash)> {
        self.topic(topic);
        let mut hashes = std::mem::take(&mut self.hashes);
        let mut grade_indexes = std::mem::take(&mut self.together);
        // A loop for each step: each id is somewhere else in memory, and a loop
        // that only reads waits for many of them at a time.
        hashes.clear();
        hashes.extend(documents.iter().map(|id| hash(self.seed, id)));
        grade_indexes.clear();
        let mut last = (f64::NAN, 0);
        grade_indexes.extend(grades.iter().map(|&grade| {
            if grade != last.0 {
                last = (grade, self.grade_index(grade + 0.0));
            }
            last.1
        }));
        let draft = &mut self.topics[self.current];
        let before = draft.grade_column.len();
        draft.grade_column.extend(&grade_indexes);
        let added = draft.docs.extend(self.seed, documents, &hashes);
        draft.grade_column.truncate(draft.docs.len());
        self.judgments += draft.grade_column.len() - before;
        (self.hashes, self.together) = (hashes, grade_indexes);
        added.map_err(|(position, earlier)| (position, self.clash(earlier)))
    }

    /// Adds a judgment to a topic; `columns` has one value a named column.
    pub fn add(
        &mut self,
        topic: &[u8],
        document: &[u8],
        grade: f64,
        columns: &[f64],
        line: u64,
    ) -> Result<(), Clash> {
        self.topic(topic);
        self.reserve_expected();
        self.add_next(document, grade, line)?;
        for (column, &value) in self.topics[self.current].columns.iter_mut().zip(columns) {
            column.push(value);
        }
        Ok(())
    }

    /// Adds a judgment under an intent of a topic, or under none. The grade of
    /// a document is its highest under any intent.
    pub fn add_under(
        &mut self,
        topic: &[u8],
        intent: Option<&[u8]>,
        document: &[u8],
        grade: f64,
        line: u64,
    ) -> Result<(), Clash> {
        self.topic(topic);
        let grade_index = self.grade_index(grade);
        let draft = &mut self.topics[self.current];
        let served = draft.intents.get_or_insert_default();
        let intent = intent.map_or(NO_INTENT, |intent| served.number(intent));
        let number = match draft.docs.insert(self.seed, document) {
            Ok(number) => {
                draft.grade_column.push(Some(grade_index));
                self.judgments += 1;
                number
            }
            Err(number) => number,
        };
        match served.grades.entry((number, intent)) {
            Entry::Occupied(entry) => {
                let &(grade, line) = entry.get();
                return Err(Clash { line, grade });
            }
            Entry::Vacant(entry) => drop(entry.insert((grade, line))),
        }
        let highest =
            draft.grade_column.get(number).map(|grade_index| self.grades[grade_index as usize]);
        if highest.is_none_or(|highest| grade > highest) {
            draft.grade_column.set(number, grade_index);
        }
        Ok(())
    }

    /// Names an intent of a topic, under which there may be no judgment.
    pub fn intent(&mut self, topic: &[u8], intent: &[u8]) {
        self.topic(topic);
        self.topics[self.current].intents.get_or_insert_default().number(intent);
    }

    /// Adds a judgment to the current topic, without columns.
    fn add_next(&mut self, document: &[u8], grade: f64, line: u64) -> Result<(), Clash> {
        let grade_index = self.grade_index(grade);
        let draft = &mut self.topics[self.current];
        if let Err(earlier) = draft.docs.insert(self.seed, document) {
            return Err(self.clash(earlier));
        }
        draft.note(line);
        draft.grade_column.push(Some(grade_index));
        self.judgments += 1;
        Ok(())
    }

    /// Adds judgments of neighbouring lines to the topic of the one before,
    /// without columns: documents that stand one after another and end at
    /// these places. Stops at the first that was judged already; returns how
    /// many were added.
    #[inline(always)]
    pub(crate) fn add_lines(
        &mut self,
        scan: impl Scan,
        documents: &[u8],
        ends: &[u32],
        grade_indexes: &[u32],
        line: u64,
    ) -> usize {
        let draft = &mut self.topics[self.current];
        let added = draft.docs.insert_all(scan, self.seed, (documents, ends), &mut self.hashes);
        if added > 0 {
            draft.note(line);
            draft.grade_column.extend(&grade_indexes[..added]);
            self.judgments += added;
        }
        added
    }

    /// A document of the current topic that came again.
    #[cold]
    fn clash(&self, document: u32) -> Clash {
        let draft = &self.topics[self.current];
        let grade = draft
            .grade_column
            .get(document)
            .map_or(f64::NAN, |grade_index| self.grades[grade_index as usize]);
        Clash { line: draft.line(document as usize), grade }
    }

    /// Makes room in a topic that has none for as many judgments as the others
    /// have on average.
    #[inline]
    fn reserve_expected(&mut self) {
        let draft = &mut self.topics[self.current];
        if draft.grade_column.is_empty() {
            let others = self.index.len() - 1;
            let expected = self.judgments.checked_div(others).unwrap_or(0);
            draft.docs.reserve(self.seed, expected, 16 * expected);
            draft.grade_column.reserve(expected);
        }
    }

    /// The positions in the list of all grades of those of one digit; of one that
    /// did not come before it is absent.
    pub(crate) fn grade_indexes_of_digits(&self) -> &[u32; 10] {
        &self.digits
    }

    /// The position of a grade in the list of all.
    #[inline]
    pub(crate) fn grade_index(&mut self, grade: f64) -> u32 {
        // Minus zero is zero: grade indexes are distinguished by their bits.
        let grade = grade + 0.0;
        // Mostly there are few, and going through them is cheapest.
        let first = self.grades.iter().take(8);
        if let Some(known) = first.map(|g| g.to_bits()).position(|g| g == grade.to_bits()) {
            return known as u32;
        }
        let new = self.grades.len() as u32;
        let grade_index = *self.grade_indexes.entry(grade.to_bits()).or_insert(new);
        if grade_index == new {
            self.grades.push(grade);
            if let Some(digit) = (0..10u8).find(|&digit| f64::from(digit) == grade) {
                self.digits[usize::from(digit)] = grade_index;
            }
        }
        grade_index
    }

    /// The compiled judgments.
    pub fn finish(mut self, docs_in_collection: Option<u64>) -> Qrels {
        // A grade without a judgment is that of one that was refused.
        let all = self.grades.len();
        let counted = self.topics.iter().map(|draft| draft.grade_column.counts(all));
        let mut counts: Vec<_> = counted.collect();
        let mut occurs = vec![false; self.grades.len()];
        for GradeCount { grade_index, .. } in counts.iter().flatten() {
            occurs[*grade_index as usize] = true;
        }
        let came = self.grades.iter().zip(&occurs);
        let mut grades: Vec<f64> = came.filter(|(_, occurs)| **occurs).map(|(g, _)| *g).collect();
        grades.sort_by(f64::total_cmp);
        let sorted = |grade: &f64| grades.partition_point(|other| other < grade) as u32;
        let moved: Vec<u32> = self.grades.iter().map(sorted).collect();

        let mut order: Vec<u32> = (0..self.topics.len() as u32).collect();
        order.sort_by(|&a, &b| self.topics[a as usize].id.cmp(&self.topics[b as usize].id));
        let mut positions = vec![0; order.len()];
        for (position, &number) in (0..).zip(&order) {
            positions[number as usize] = position;
        }
        let mut topics = Vec::with_capacity(order.len());
        for number in order {
            let draft = std::mem::take(&mut self.topics[number as usize]);
            let counts = std::mem::take(&mut counts[number as usize]);
            topics.push(draft.compile(counts, &moved, self.seed));
        }
        Qrels {
            topics,
            index: self.index,
            positions,
            grades,
            column_names: self.column_names,
            seed: self.seed,
            docs_in_collection,
            repaired: self.repaired,
            costs: DocumentCosts::default(),
            iterations: None,
            comments: self.comments,
        }
    }
}

impl Draft {
    /// The line of a judgment, 0 if it has none; of the next one, that which
    /// is next in the file.
    #[inline]
    fn line(&self, number: usize) -> u64 {
        let behind = match self.lines.last() {
            Some(&(first, _)) if first as usize <= number => self.lines.len(),
            _ => self.lines.partition_point(|&(first, _)| first as usize <= number),
        };
        let stretch = behind.checked_sub(1).map(|last| self.lines[last]);
        stretch.map_or(0, |(first, line)| line + (number - first as usize) as u64)
    }

    /// Remembers the line of the next judgment, if it has one.
    #[inline]
    fn note(&mut self, line: u64) {
        let number = self.grade_column.len();
        if line > 0 && self.line(number) != line {
            self.lines.push((number as u32, line));
        }
    }

    /// The topic, whose grade indexes move to where the sorted grades are.
    fn compile(mut self, mut counts: Vec<GradeCount>, moved: &[u32], seed: u64) -> Topic {
        if moved.iter().enumerate().any(|(grade_index, &place)| grade_index != place as usize) {
            self.grade_column = self.grade_column.moved(moved);
            for GradeCount { grade_index, .. } in &mut counts {
                *grade_index = moved[*grade_index as usize];
            }
            counts.sort_unstable();
        }
        self.docs.fit(seed);
        let docs = Arc::new(self.docs);
        let documents = self.grade_column.len();
        let intents = self.intents.map(|served| {
            let grades = served.grades.into_iter().filter(|((_, intent), _)| *intent != NO_INTENT);
            let entries = grades.map(|((document, intent), (grade, _))| (document, intent, grade));
            Arc::new(Intents::new(served.names, documents, entries.collect()))
        });
        Topic {
            id: self.id,
            docs,
            grade_column: self.grade_column,
            counts,
            columns: self.columns,
            intents,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_come_in_byte_order_and_grades_in_order() {
        let mut builder = Builder::new(&[]);
        for (topic, doc, grade) in
            [("2", "a", 1.0), ("10", "b", -1.0), ("2", "c", 0.5), ("10", "a", 1.0)]
        {
            builder.add(topic.as_bytes(), doc.as_bytes(), grade, &[], 1).unwrap();
        }
        let qrels = builder.finish(None);
        assert_eq!(qrels.topics().iter().map(Topic::id).collect::<Vec<_>>(), [&b"10"[..], b"2"]);
        assert_eq!(qrels.grades(), [-1.0, 0.5, 1.0]);
        assert!(qrels.topics()[1].grade_column().listed().eq([(0, 2), (1, 1)]));
        assert_eq!(
            qrels.topics()[0].counts(),
            [(0, 1), (2, 1)].map(|(grade_index, count)| GradeCount { grade_index, count })
        );
        assert_eq!(qrels.position(b"2"), Some(1));
    }

    #[test]
    fn a_list_is_its_judgments_one_by_one() {
        let ids: Vec<String> = (0..500).map(|i| format!("d{}", i * i)).collect();
        let documents: Vec<&[u8]> = ids.iter().map(String::as_bytes).collect();
        let grades: Vec<f64> = (0..500).map(|i| f64::from(i % 7 - 1) / 2.0).collect();
        let (mut one_by_one, mut lists) = (Builder::new(&[]), Builder::new(&[]));
        for (topic, count) in [("b", 1), ("a", 500), ("c", 0), ("b", 0)] {
            one_by_one.topic(topic.as_bytes());
            for (document, &grade) in documents.iter().zip(&grades).take(count) {
                one_by_one.add(topic.as_bytes(), document, grade, &[], 0).unwrap();
            }
            lists.add_list(topic.as_bytes(), &documents[..count], &grades[..count]).unwrap();
        }
        lists.add_list(b"b", &documents[1..9], &grades[1..9]).unwrap();
        for (document, &grade) in documents.iter().zip(&grades).take(9).skip(1) {
            one_by_one.add(b"b", document, grade, &[], 0).unwrap();
        }
        let clash = Clash { line: 0, grade: grades[3] };
        assert_eq!(lists.add_list(b"b", &documents[3..4], &[9.0]), Err((0, clash)));
        let (expected, found) = (one_by_one.finish(None), lists.finish(None));
        assert_eq!(expected.topics().len(), 3);
        for (expected, found) in expected.topics().iter().zip(found.topics()) {
            assert_eq!(expected.id(), found.id());
            assert_eq!(expected.counts(), found.counts());
            assert!(expected.judgments().eq(found.judgments()));
        }
    }

    #[test]
    fn a_second_judgment_reports_the_first() {
        let mut builder = Builder::new(&[]);
        builder.add(b"1", b"a", 1.0, &[], 3).unwrap();
        for (line, document) in [(4, b"b"), (7, b"c"), (8, b"d")] {
            builder.add(b"1", document, 2.0, &[], line).unwrap();
        }
        assert_eq!(builder.add(b"1", b"a", 0.0, &[], 9), Err(Clash { line: 3, grade: 1.0 }));
        assert_eq!(builder.add(b"1", b"b", 0.0, &[], 9), Err(Clash { line: 4, grade: 2.0 }));
        assert_eq!(builder.add(b"1", b"d", 0.0, &[], 9), Err(Clash { line: 8, grade: 2.0 }));
    }
}
