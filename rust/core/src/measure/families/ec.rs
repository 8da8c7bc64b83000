//! Measures over classes of documents.

use crate::measure::declare::*;

pub static FORM: Family = Family {
    about: About {
        name: "EC-",
        aliases: &[],
        group: "forms",
        summary: "A measure for which documents of one class are equivalent, so that only the first one in a list counts.",
        prose: "Examples are answers to a question, copies of a page, and pages of one site: a user who has seen one has seen all. The first relevant document of a class counts with its own grade; the others are judged and not relevant. The topic has as many relevant documents as it has classes with one, and the best list holds the document of each class that gains most. Documents that are not relevant belong to no class. The classes are the column \"class\" of the judgments, as numbers; a document without one is a class of its own. Every measure that reads only grades can follow the prefix.",
        formula: "EC-X = X of the list and the judgments in which only the first relevant document of each class keeps its gain",
        citation: "Sakai (2007), On the reliability of factoid question answering evaluation, TALIP; NTCIREVAL, option -ec",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Classes, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    // The measure behind the prefix has the fold.
    score: |_, _| f64::NAN,
    peers: &[Peer::new("NTCIREVAL", "compute -ec").but(
        "a class that a document of level 0 belongs to is used up by it; with -j it is refused",
    )],
    examples: &[
        Example {
            measure: "EC-Q",
            judgments: "a=3;class=1 b=1;class=1 c=2;class=2 d=0;class=3",
            list: "b a c",
            value: 9.0 / 16.0,
            working: "two classes, best gains 3 and 2; b: (1 + 1) / (3 + 1), a says nothing new, c: (3 + 2) / (5 + 3); the mean of 1/2 and 5/8",
        },
        Example {
            measure: "EC-AP",
            judgments: "a=3;class=1 b=1;class=1 c=2;class=2 d=0;class=3",
            list: "b a c",
            value: 5.0 / 6.0,
            working: "R = 2: (1/1 + 2/3) / 2",
        },
    ],
};
