//! The values of arguments.

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Not given, and no default.
    None,
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// True or False.
    Flag(bool),
    /// Numbers for numbers: a gain map.
    Map(Vec<(f64, f64)>),
    /// A number of documents that may grow with R: a constant and how many
    /// times R comes on top; infinity is all.
    Documents(f64, f64),
}

/// How grades become gains before a family's own rule.
#[derive(Clone, Debug, std::default::Default, PartialEq)]
pub enum Gain {
    /// The grade itself.
    #[default]
    Grade,
    /// 1 for every grade above 0.
    Binary,
    /// A map; grades that it does not list keep their own value.
    Map(Vec<(f64, f64)>),
}
