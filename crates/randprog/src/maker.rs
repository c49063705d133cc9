//! Makes expressions of a wanted type from what is in scope.
//!
//! Every method returns text that can stand where an argument can. What is asked for is a type, how deep to go, and, in
//! the maker, what is in scope; what comes out has that type, so programs are right by construction:
//!
//! ```text
//! exp([n]i32)  ->  (map2 (\(x1: i32) (x2: i64) -> ...exp(i32) with x1 and x2 in scope...) xs (iota n))
//! ```
//!
//! This file has what all kinds of expressions share; the others have one kind each: `scalars`, `arrays`,
//! `rearrange`, `inplace`, `control`, `operators`, and `updates` and `points` for programs with a focus.
//! `decs` makes declarations out of them.

use crate::choices::Choices;
use crate::focus;
use crate::focus::Focus;
use crate::types::{is_float, Size, SumDec, Ty, FLOATS, INTS};
use fehu_base::prim::ScalarType;
use std::rc::Rc;

/// A function in scope.
#[derive(Clone, Debug)]
pub(crate) struct Fun {
    pub(crate) name: String,
    pub(crate) sizes: Vec<Size>,
    pub(crate) params: Vec<Ty>,
    pub(crate) ret: Ty,
}

/// The state of the generator.
pub(crate) struct Maker<'c> {
    pub(crate) c: &'c mut Choices,
    /// What every top-level name starts with, so that programs fit into one file.
    pub(crate) prefix: String,
    /// Values in scope, the innermost last.
    pub(crate) env: Vec<(String, Ty)>,
    /// Sizes in scope that are names.
    pub(crate) sizes: Vec<Size>,
    pub(crate) funs: Vec<Fun>,
    pub(crate) sums: Vec<Rc<SumDec>>,
    /// How many more expressions may have parts.
    pub(crate) fuel: i64,
    /// Whether checks may fail.
    pub(crate) reckless: bool,
    pub(crate) focus: Focus,
    names: usize,
}

impl<'c> Maker<'c> {
    pub(crate) fn new(focus: Focus, c: &'c mut Choices, prefix: &str) -> Maker<'c> {
        Maker {
            c,
            prefix: prefix.to_owned(),
            env: vec![],
            sizes: vec![],
            funs: vec![],
            sums: vec![],
            fuel: 0,
            reckless: false,
            focus,
            names: 0,
        }
    }

    /// A new name.
    pub(crate) fn new_name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}_{}", self.names)
    }

    /// Does something with more values in scope.
    pub(crate) fn with<T>(&mut self, more: Vec<(String, Ty)>, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.env.len();
        self.env.extend(more);
        let result = f(self);
        self.env.truncate(before);
        result
    }

    /// Does something with one more size in scope.
    pub(crate) fn with_size<T>(&mut self, name: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        self.sizes.push(name.into());
        let result = self.with(vec![(name.to_owned(), Ty::I64)], f);
        self.sizes.pop();
        result
    }

    /// A size: mostly one that has a name.
    pub(crate) fn size(&mut self) -> Size {
        if self.sizes.is_empty() {
            return (*self.c.pick(&["3", "1", "5"])).into();
        }
        let some = |m: &mut Self| {
            let k = m.sizes.len();
            // The innermost sizes are the interesting ones.
            let i = m.c.below(k);
            m.sizes[if m.c.chance(30) { k - 1 } else { i }].clone()
        };
        match self.c.below(40) {
            36 => (*self.c.pick(&["3", "1", "0", "7"])).into(),
            37 => format!("({} + {})", some(self), some(self)).into(),
            38 => format!("({} + 1)", some(self)).into(),
            39 => format!("({} * 2)", some(self)).into(),
            _ => some(self),
        }
    }

    pub(crate) fn scalar_type(&mut self) -> ScalarType {
        match self.c.below(18) {
            0..=3 => ScalarType::I32,
            4..=6 => ScalarType::I64,
            7 => ScalarType::Bool,
            8..=10 => *self.c.pick(&FLOATS),
            _ => *self.c.pick(&INTS),
        }
    }

    /// A type whose sizes are in scope.
    pub(crate) fn some_type(&mut self, depth: usize) -> Ty {
        let kind = if depth == 0 { 0 } else { self.c.below(20) };
        match kind {
            0..=8 => Ty::Scalar(self.scalar_type()),
            9..=15 => {
                let size = self.size();
                Ty::array(&size, self.some_type(depth - 1))
            }
            16 | 17 => {
                let k = *self.c.pick(&[2, 2, 3]);
                Ty::Tuple((0..k).map(|_| self.some_type(depth - 1)).collect())
            }
            18 => {
                let k = *self.c.pick(&[2, 1, 3]);
                Ty::Record(["p", "q", "r"].iter().take(k).map(|f| (*f, self.some_type(depth - 1))).collect())
            }
            _ => match self.sums.is_empty() {
                true => Ty::Scalar(ScalarType::I32),
                false => {
                    let i = self.c.below(self.sums.len());
                    let dec = self.sums[i].clone();
                    let size = dec.sized.then(|| self.size());
                    Ty::Sum(dec, size)
                }
            },
        }
    }

    /// An expression of a type.
    pub(crate) fn exp(&mut self, ty: &Ty, depth: usize) -> String {
        self.fuel -= 1;
        let how = self.c.below(100);
        if how == 0 || depth == 0 || self.fuel <= 0 {
            return match ty {
                Ty::Scalar(t) if how > 30 => self.nearby(*t, 0),
                Ty::Scalar(_) | Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => self.leaf(ty),
            };
        }
        if let Some(focused) = focus::focused(self, ty, depth - 1) {
            return focused;
        }
        match how {
            1..=12 => match self.known(ty) {
                Some(name) => name,
                None => self.own(ty, depth - 1),
            },
            13..=22 => match self.call(ty, depth - 1) {
                Some(call) => call,
                None => self.own(ty, depth - 1),
            },
            23..=45 => self.control(ty, depth - 1),
            _ => self.own(ty, depth - 1),
        }
    }

    /// An expression that is particular to the type.
    fn own(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Scalar(t) => self.scalar(*t, depth),
            Ty::Array(s, t) => self.array(s, t, depth),
            Ty::Tuple(ts) => {
                if self.c.chance(25) && !ty.has_arrays() {
                    return self.reduction(ty, depth);
                }
                let parts: Vec<String> = ts.iter().map(|t| self.exp(t, depth)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(fs) => {
                if self.c.chance(25) && !ty.has_arrays() {
                    return self.reduction(ty, depth);
                }
                if let (true, Some(r)) = (self.c.chance(25), self.known(ty)) {
                    let (f, t) = &fs[self.c.below(fs.len())];
                    return format!("({r} with {f} = {})", self.exp(t, depth));
                }
                let parts: Vec<String> =
                    fs.iter().map(|(f, t)| format!("{f} = {}", self.exp(t, depth))).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Sum(dec, size) => {
                let all = dec.constructors(size.as_ref());
                let (name, payload) = &all[self.c.below(all.len())];
                let parts: Vec<String> = payload.iter().map(|t| self.exp(t, depth)).collect();
                format!("(#{name} {} : {ty})", parts.join(" "))
            }
        }
    }

    /// A value in scope that has the type, most likely one that was bound not long ago.
    pub(crate) fn known(&mut self, ty: &Ty) -> Option<String> {
        let have: Vec<&String> = self.env.iter().rev().filter(|(_, t)| t == ty).map(|(x, _)| x).collect();
        if have.is_empty() {
            return None;
        }
        let near = have.len().min(if self.c.chance(70) { 4 } else { usize::MAX });
        Some(have[self.c.below(near)].clone())
    }

    /// The simplest expression of a type.
    pub(crate) fn leaf(&mut self, ty: &Ty) -> String {
        if let Some(name) = self.known(ty) {
            return name;
        }
        match ty {
            Ty::Scalar(t) => self.literal(*t),
            Ty::Array(s, t) => match self.c.below(3) {
                1 if **t == Ty::I64 => format!("(iota {s})"),
                2 => {
                    let i = self.new_name("i");
                    let elem = self.with(vec![(i.clone(), Ty::I64)], |m| match &**t {
                        Ty::Scalar(t) => m.nearby(*t, 0),
                        t @ (Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..)) => m.leaf(t),
                    });
                    format!("(tabulate {s} (\\({i}: i64) -> {elem}))")
                }
                _ => format!("(replicate {s} {})", self.leaf(t)),
            },
            Ty::Tuple(ts) => {
                let parts: Vec<String> = ts.iter().map(|t| self.leaf(t)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(fs) => {
                let parts: Vec<String> = fs.iter().map(|(f, t)| format!("{f} = {}", self.leaf(t))).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::Sum(dec, size) => {
                let all = dec.constructors(size.as_ref());
                let (name, payload) = &all[self.c.below(all.len())];
                let parts: Vec<String> = payload.iter().map(|t| self.leaf(t)).collect();
                format!("(#{name} {} : {ty})", parts.join(" "))
            }
        }
    }

    /// A literal of a scalar type, sometimes one at an edge of the type.
    pub(crate) fn literal(&mut self, t: ScalarType) -> String {
        if t == ScalarType::Bool {
            return self.c.pick(&["false", "true"]).to_string();
        }
        if is_float(t) {
            let least = match t {
                ScalarType::F16 => "0.00000006",
                ScalarType::F32 => "1e-45",
                ScalarType::I8
                | ScalarType::I16
                | ScalarType::I32
                | ScalarType::I64
                | ScalarType::U8
                | ScalarType::U16
                | ScalarType::U32
                | ScalarType::U64
                | ScalarType::F64
                | ScalarType::Bool => "5e-324",
            };
            return match self.c.below(24) {
                0..=11 => format!("{}{t}", self.c.pick(&["0", "1", "2.5", "3", "7"])),
                12 => format!("{t}.nan"),
                13 => format!("{t}.inf"),
                14 => format!("(-{t}.inf)"),
                15 => format!("(-0{t})"),
                16 => format!("{least}{t}"),
                17 => format!("{t}.highest"),
                18 => format!("{t}.epsilon"),
                19 => format!("0.1{t}"),
                _ => format!("(-4{t})"),
            };
        }
        match self.c.below(16) {
            13 => format!("{t}.highest"),
            14 => format!("{t}.lowest"),
            15 => format!("({t}.i32 (-1))"),
            k => format!("{}{t}", [0, 1, 2, 3, 5, 7, 13, 31, 64, 100, 6, 4, 10][k]),
        }
    }
}
