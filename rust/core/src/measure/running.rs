//! Values that are sums down the list, term by term.

use crate::trace::Relevant;

/// A value that is a sum of what the relevant documents down to the cutoff add, each by what is
/// above it, divided by a number that does not depend on the list.
pub trait RunningSum {
    /// What a document adds below those that were passed.
    fn term(&self, document: &Relevant) -> f64;

    /// Passes a document on the way down the list.
    fn pass(&mut self, document: &Relevant);

    /// What the sum is divided by.
    fn divisor(&self) -> f64;
}

/// The value of a list, from its relevant documents down to the cutoff.
#[inline]
pub(super) fn value(mut sum: impl RunningSum, documents: &[Relevant]) -> f64 {
    let terms = documents.iter().map(|document| {
        let term = sum.term(document);
        sum.pass(document);
        term
    });
    terms.fold(0.0, |total, term| total + term) / sum.divisor()
}
