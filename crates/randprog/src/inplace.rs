//! Arrays that are changed in place, and so consumed.

use crate::maker::Maker;
use crate::types::{Size, Ty};

impl Maker<'_> {
    /// An array that nobody else has, so that it may be consumed: a copy, or one just made.
    pub(crate) fn fresh(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        match self.c.below(4) {
            0 => format!("(copy {})", self.exp(&Ty::array(s, t.clone()), depth)),
            1 => format!("(replicate {s} {})", self.exp(t, depth)),
            2 => {
                let i = self.new_name("i");
                let elem = self.with(vec![(i.clone(), Ty::I64)], |m| m.exp(t, depth));
                format!("(tabulate {s} (\\({i}: i64) : {t} -> {elem}))")
            }
            _ => self.in_place(s, t, depth),
        }
    }

    /// A fresh array after changes.
    pub(crate) fn in_place(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        if self.fuel <= 0 {
            return format!("(copy {})", self.leaf(&Ty::array(s, t.clone())));
        }
        let xs = self.fresh(s, t, depth);
        let (z, ty) = (self.new_name("z"), Ty::array(s, t.clone()));
        let bound = vec![(z.clone(), ty.clone())];
        let wild = self.reckless && self.c.chance(20);
        match self.c.below(9) {
            0 | 1 => {
                let (i, v) = self.with(bound, |m| (m.exp(&Ty::I64, depth.min(2)), m.exp(t, depth)));
                if wild {
                    return format!("(let ({z}: *{ty}) = {xs} let v = copy {v} in {z} with [{i} % 9] = v)");
                }
                format!(
                    "(let ({z}: *{ty}) = {xs} let (i, v) = ({i}, copy {v}) \
                     in if {s} == 0 then {z} else {z} with [i % i64.max 1 {s}] = v)"
                )
            }
            2 | 3 => {
                // One element after the other, each from another one.
                let (i, old) = (self.new_name("i"), self.new_name("o"));
                let order = *self.c.pick(&["*3 + 1", "+ 1", "* 1"]);
                let more = vec![(old.clone(), t.clone()), (i.clone(), Ty::I64)];
                let v = self.with(more, |m| m.exp(t, depth));
                format!(
                    "(loop ({z}: *{ty}) = {xs} for {i} < {s} do \
                     let ({old}: {t}) = copy {z}[({i} {order}) % {s}] let v = copy {v} in {z} with [{i}] = v)"
                )
            }
            4 => {
                // A part of it from another array.
                let (o, q) = (self.size(), self.new_name("q"));
                let part = self.exp(&Ty::array(&o, t.clone()), depth);
                format!(
                    "(let ({z}: *{ty}) = {xs} let {q} = {part} let k = i64.min {s} {o} \
                     in {z} with [:k] = copy {q}[:k])"
                )
            }
            5 => {
                let (q, step) = (self.new_name("q"), *self.c.pick(&["2", "-1", "-2", "3"]));
                let part = self.exp(&ty, depth);
                format!(
                    "(let ({z}: *{ty}) = {xs} let {q} = {part} in {z} with [::{step}] = copy {q}[::{step}])"
                )
            }
            6 => {
                // A branch in which only one side changes it.
                let (c, i, v) = self
                    .with(bound, |m| (m.exp(&Ty::BOOL, depth.min(2)), m.exp(&Ty::I64, 1), m.exp(t, depth)));
                format!(
                    "(let ({z}: *{ty}) = {xs} let (c, i, v) = ({c}, {i}, copy {v}) \
                     in if c && {s} > 0 then {z} with [i % i64.max 1 {s}] = v else {z})"
                )
            }
            7 => match t {
                Ty::Array(w, e) => {
                    let (i, j) = (self.new_name("i"), self.new_name("j"));
                    let more = vec![(i.clone(), Ty::I64), (j.clone(), Ty::I64)];
                    let v = self.with(more, |m| m.exp(e, depth));
                    format!(
                        "(loop ({z}: *{ty}) = {xs} for {i} < {s} do loop ({z}: *{ty}) = {z} for {j} < {w} do \
                         let v = copy {v} in {z} with [{i}, {j}] = v)"
                    )
                }
                Ty::Scalar(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => {
                    let (i, k) = (self.new_name("i"), self.index(1));
                    let v = self.with(vec![(i.clone(), Ty::I64)], |m| m.exp(t, depth));
                    format!(
                        "(loop ({z}: *{ty}) = {xs} for {i} < i64.min 3 {s} do \
                         let v = copy {v} in {z} with [({k} + {i}) % {s}] = v)"
                    )
                }
            },
            _ => match t {
                // Columns and rows.
                Ty::Array(w, e) => {
                    let column = self.exp(&Ty::array(s, (**e).clone()), depth);
                    format!(
                        "(let ({z}: *{ty}) = {xs} let v = copy {column} in if {w} == 0 then {z} else {z} with [:, {w} - 1] = v)"
                    )
                }
                Ty::Scalar(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => {
                    let v = self.exp(&ty, depth);
                    format!("(let ({z}: *{ty}) = {xs} let v = copy {v} in {z} with [:] = v)")
                }
            },
        }
    }

    /// An expression that uses what was changed in place, and is not an array itself.
    pub(crate) fn updated_rest(&mut self, ty: &Ty, depth: usize) -> String {
        let (s, t, x) = (self.size(), self.some_type(1), self.new_name("u"));
        let changed = self.in_place(&s, &t, depth);
        let elem = Ty::array(&s, t);
        let rest = self.with(vec![(x.clone(), elem.clone())], |m| m.exp(ty, depth));
        format!("(let ({x}: {elem}) = {changed} in {rest})")
    }
}
