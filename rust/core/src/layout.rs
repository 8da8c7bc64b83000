//! Tables as lines of text. One that is too wide for a terminal goes on below itself: each part
//! has the labels of the rows again and as many columns as fit, so that no cell is broken and none
//! is left out. Texts are shortened in their middle only where they would leave no room for a
//! column.

use std::collections::HashSet;

/// What stands between columns.
const GAP: usize = 2;

/// Texts are not made shorter than this.
const SHORTEST: usize = 9;

const ELLIPSIS: char = '…';

/// Rows of cells, and how they become lines.
#[derive(Clone, Debug)]
pub struct TextRows {
    /// The cells, row after row; all rows have as many.
    pub rows: Vec<Vec<String>>,
    /// How many columns are texts, aligned to the left.
    pub left: usize,
    /// How many of these stand in every part.
    pub labels: usize,
    /// How many characters a line may have.
    pub width: Option<usize>,
    /// Of each column, whether it is about the nearest one before it that is not so: such columns
    /// stay together, or that one stands before them in the next part again.
    pub belongs: Vec<bool>,
}

impl TextRows {
    /// The lines, part by part.
    pub fn parts(mut self) -> Vec<Vec<String>> {
        self.shorten();
        let widths = self.widths();
        let line = |row: &Vec<String>, columns: &[usize]| {
            let cell = |&column: &usize| {
                let (text, width) = (&row[column], widths[column]);
                if column < self.left {
                    format!("{text:<width$}")
                } else {
                    format!("{text:>width$}")
                }
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            cells.join(&" ".repeat(GAP)).trim_end().to_string()
        };
        let parts = self.chosen(&widths);
        parts.iter().map(|part| self.rows.iter().map(|row| line(row, part)).collect()).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| self.rows.iter().map(|row| length(&row[column])).max();
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }

    /// The columns of each part.
    fn chosen(&self, widths: &[usize]) -> Vec<Vec<usize>> {
        let fits = |columns: &[usize]| {
            let taken: usize = columns.iter().map(|column| widths[*column]).sum();
            self.width.is_none_or(|width| taken + GAP * columns.len() <= width + GAP)
        };
        let with = |columns: &[usize], more: &[usize]| [columns, more].concat();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for column in self.labels..widths.len() {
            match groups.last_mut() {
                Some(group) if self.belongs.get(column) == Some(&true) => group.push(column),
                _ => groups.push(vec![column]),
            }
        }
        let repeated: Vec<usize> = (0..self.labels).collect();
        let mut found = Vec::new();
        let mut part = repeated.clone();
        for group in groups {
            let whole = with(&part, &group);
            if fits(&whole) {
                part = whole;
                continue;
            }
            if part.len() > self.labels {
                found.push(std::mem::replace(&mut part, repeated.clone()));
            }
            for column in &group {
                if part.len() > self.labels && !fits(&with(&part, &[*column])) {
                    let head = with(&repeated, &group[..1]);
                    let next = if fits(&with(&head, &[*column])) { head } else { repeated.clone() };
                    found.push(std::mem::replace(&mut part, next));
                }
                part.push(*column);
            }
        }
        found.push(part);
        found
    }

    /// Makes texts leave room for columns, if the rows are too wide. A column stays as it is where
    /// two of its texts would look the same.
    fn shorten(&mut self) {
        let Some(width) = self.width else { return };
        let mut limits = self.widths();
        let (left, labels) = (self.left, self.labels);
        if limits.iter().sum::<usize>() + GAP * limits.len() <= width + GAP {
            return;
        }
        let alone = limits.len() <= labels;
        let widest = limits[left..].iter().copied().max().unwrap_or(0);
        let beside = if alone { 0 } else { widest.max(width / 3) };
        let gaps = GAP * if beside > 0 { labels } else { labels.saturating_sub(1) };
        let room = width.saturating_sub(beside + gaps);
        while limits[..labels].iter().sum::<usize>() > room {
            let widest = limits[..labels].iter().copied().max().unwrap_or(0);
            let Some(place) = limits[..labels].iter().position(|limit| *limit == widest) else {
                break;
            };
            if widest <= SHORTEST {
                break;
            }
            limits[place] -= 1;
        }
        let rest = width.saturating_sub(limits[..labels].iter().sum::<usize>() + GAP * labels);
        limits[labels..left].iter_mut().for_each(|limit| *limit = (*limit).min(rest.max(SHORTEST)));
        for (column, limit) in limits[..left].iter().enumerate() {
            let texts: Vec<String> =
                self.rows.iter().map(|row| shortened(&row[column], *limit)).collect();
            let distinct: HashSet<&String> = texts.iter().collect();
            let before: HashSet<&String> = self.rows.iter().map(|row| &row[column]).collect();
            if distinct.len() == before.len() {
                self.rows.iter_mut().zip(texts).for_each(|(row, text)| row[column] = text);
            }
        }
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A text without its middle: what names differ in is most often at an end.
fn shortened(text: &str, limit: usize) -> String {
    let length = length(text);
    if length <= limit {
        return text.to_string();
    }
    let end = limit.saturating_sub(1) / 2;
    let begin = text.chars().take(limit.saturating_sub(1) - end);
    begin.chain([ELLIPSIS]).chain(text.chars().skip(length - end)).collect()
}
