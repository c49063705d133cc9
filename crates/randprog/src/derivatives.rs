//! Random functions of numbers, and derivatives of them that must agree.
//!
//! ```text
//! def f [n] [m] (xs: [n]i64, ys: [m]i64, a: i64) : ([n]i64, i64) = (scan (*) 1 xs, loop c = a for i < 3 do c * 2)
//! entry main xs ys a = first_i64 f (xs, ys, a)                            w (J v) = (w J) v
//! ```
//!
//! Integers wrap, so forward and reverse mode give the same bits for them, as do all mixtures for second derivatives.
//! Functions of floats are compared with differences, too. The functions that compare are in
//! `derivatives/library.fut`; the first result of a program is what they say. No program fails.

mod arrays;
mod scalars;

use crate::choices::{Choices, Random};
use crate::program::Program;
use fehu_base::prim::ScalarType;
use fehu_data::{Data, Value};

/// What programs share.
pub(crate) const LIBRARY: &str = include_str!("derivatives/library.fut");

/// A name in scope.
#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Number,
    /// An integer that derivatives do not look at.
    Index,
    /// Of this size.
    Array(String),
}

/// The state of the generator.
struct Writer<'c> {
    c: &'c mut Choices,
    /// The type of numbers.
    t: &'static str,
    env: Vec<(String, Kind)>,
    /// How many more expressions may have parts.
    fuel: i64,
    /// How many derivatives are around.
    orders: usize,
    names: usize,
    prefix: String,
    /// Functions that are called.
    declarations: String,
}

/// Makes a program.
pub(crate) fn generate(mut choices: Choices, prefix: &str) -> Program {
    let c = &mut choices;
    let t = if c.chance(40) { "f64" } else { "i64" };
    let how = match t {
        "i64" => *c.pick(&["first", "first", "first", "several", "second"]),
        _ => "first",
    };
    let inputs = (0..=c.below(2)).map(|_| input(c, t)).collect();
    let fuel = *c.pick(&[5, 12, 25, 40, 60]);
    let depth = *c.pick(&[2, 3, 4, 5]);
    let env = vec![
        ("xs".to_owned(), Kind::Array("n".into())),
        ("ys".to_owned(), Kind::Array("m".into())),
        ("a".to_owned(), Kind::Number),
    ];
    let (orders, prefix) = (if how == "second" { 1 } else { 0 }, prefix.to_owned());
    let declarations = String::new();
    let mut m = Writer { c, t, env, fuel, orders, names: 0, prefix, declarations };
    let row = m.array("n", depth);
    m.fuel += fuel / 2;
    let one = m.number(depth);
    let Writer { prefix, declarations, .. } = m;
    let entry = format!("{prefix}main");
    let args = format!("xs: [n]{t}, ys: [m]{t}, a: {t}");
    let text = format!(
        "{declarations}def {prefix}f [n] [m] ({args}) : ([n]{t}, {t}) =\n  ({row},\n   {one})\n\
         entry {entry} [n] [m] (xs: [n]{t}) (ys: [m]{t}) (a: {t}) = {how}_{t} {prefix}f (xs, ys, a)\n"
    );
    let results = match t {
        "f64" => vec![ScalarType::Bool; 2],
        _ => [ScalarType::Bool].into_iter().chain(vec![ScalarType::I64; 5]).collect(),
    };
    Program { text, entry, results, inputs, choices: choices.taken(), claims: true }
}

/// One list of arguments.
fn input(c: &mut Choices, t: &str) -> Vec<Value> {
    let sizes = [0, 1].map(|_| *c.pick(&[3usize, 2, 1, 0, 4, 5, 7]));
    let mut random = Random::new(c.below(1 << 20) as u64);
    let mut numbers = |count: usize| match t {
        "f64" => Data::F64((0..count).map(|_| 0.5 + random.below(1500) as f64 / 1000.0).collect()),
        _ => Data::I64((0..count).map(|_| random.below(21) as i64 - 8).collect()),
    };
    let shapes = [vec![sizes[0]], vec![sizes[1]], vec![]];
    shapes
        .into_iter()
        .filter_map(|shape| {
            let data = numbers(shape.iter().product());
            Value::new(shape, data)
        })
        .collect()
}

impl Writer<'_> {
    fn new_name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}_{}", self.names)
    }

    /// Does something with more names in scope.
    fn with<T>(&mut self, more: &[(&str, Kind)], f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.env.len();
        self.env.extend(more.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())));
        let result = f(self);
        self.env.truncate(before);
        result
    }

    /// A name of this kind, likely one that was bound not long ago.
    fn known(&mut self, kind: &Kind) -> Option<String> {
        let all: Vec<&String> =
            self.env.iter().rev().filter(|(_, k)| k == kind).map(|(name, _)| name).collect();
        let count = all.len().checked_sub(1)? + 1;
        let near = all[0].clone();
        let any = all[count - 1 - self.c.below(count)].clone();
        Some(if self.c.chance(40) { near } else { any })
    }

    /// A size in scope.
    fn size(&mut self) -> &'static str {
        self.c.pick::<&str>(&["n", "m", "3"])
    }

    /// An index, not of anything: any integer.
    fn index(&mut self) -> String {
        let (by, more) = (self.c.below(4), self.c.below(5));
        match self.known(&Kind::Index) {
            Some(i) => format!("({i} * {by} + {more})"),
            None => format!("{more}"),
        }
    }

    /// An operator on numbers, and its neutral element.
    fn operator(&mut self) -> (String, String) {
        let t = self.t;
        let (least, most) = match t {
            "f64" => ("(-f64.inf)", "f64.inf"),
            _ => ("i64.lowest", "i64.highest"),
        };
        match self.c.below(7) {
            0 | 1 => ("(+)".into(), format!("0{t}")),
            2 => ("(*)".into(), format!("1{t}")),
            3 => (format!("{t}.max"), least.into()),
            4 => (format!("{t}.min"), most.into()),
            _ => {
                let (p, q) = (self.new_name("p"), self.new_name("q"));
                let free = self.leaf();
                (format!("(\\{p} {q} -> {p} + {q} + {free} * {p} * {q})"), format!("0{t}"))
            }
        }
    }

    /// A condition on numbers.
    fn condition(&mut self) -> String {
        let (a, b) = (self.leaf(), self.leaf());
        match self.c.below(4) {
            0 => format!("({a} < {b})"),
            1 => format!("({a} <= 1)"),
            2 => format!("({} % 2 == 0)", self.index()),
            _ => "true".into(),
        }
    }
}
