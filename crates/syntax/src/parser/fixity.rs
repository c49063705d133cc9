//! How tightly operators bind.
//!
//! The reference's table puts `|>` and `<|` above the arithmetic operators;
//! in real programs (and the reference implementation) they bind looser than
//! all others but backquoted names, which is what users rely on.

/// To which side operators of equal precedence group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Assoc {
    Left,
    Right,
}

/// The precedence of a backquoted name: the loosest. `with` is between these and all others.
pub(crate) const BACKQUOTED: u8 = 1;

/// Built-in operators; an operator binds like the longest one it starts with.
const TABLE: &[(&str, u8, Assoc)] = &[
    ("|>", 2, Assoc::Left),
    ("<|", 3, Assoc::Right),
    ("||", 4, Assoc::Left),
    ("&&", 5, Assoc::Left),
    ("<=", 6, Assoc::Left),
    (">=", 6, Assoc::Left),
    ("==", 6, Assoc::Left),
    ("!=", 6, Assoc::Left),
    ("<", 6, Assoc::Left),
    (">", 6, Assoc::Left),
    ("=", 6, Assoc::Left),
    ("!", 6, Assoc::Left),
    ("&", 7, Assoc::Left),
    ("^", 7, Assoc::Left),
    ("|", 7, Assoc::Left),
    ("<<", 8, Assoc::Left),
    (">>", 8, Assoc::Left),
    ("+", 9, Assoc::Left),
    ("-", 9, Assoc::Left),
    ("*", 10, Assoc::Left),
    ("/", 10, Assoc::Left),
    ("%", 10, Assoc::Left),
    ("//", 10, Assoc::Left),
    ("%%", 10, Assoc::Left),
    ("**", 11, Assoc::Left),
];

/// The precedence and associativity of an operator without its qualifiers.
pub(crate) fn fixity(op: &str) -> (u8, Assoc) {
    TABLE
        .iter()
        .filter(|(builtin, ..)| op.starts_with(builtin))
        .max_by_key(|(builtin, ..)| builtin.len())
        .map_or((BACKQUOTED, Assoc::Left), |&(_, prec, assoc)| (prec, assoc))
}
