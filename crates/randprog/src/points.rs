//! Maps over points whose inner sizes differ from point to point.
//!
//! Each point binds a size of its own, and then arrays of sizes that follow from it, one after the other; what it gives is made of these:
//!
//! ```text
//! map (\(x: i32) -> let k = i64.i32 x % 5             a size of this point
//!                   let (a: [k]i64) = iota k
//!                   let [l] (b: [l]i64) = filter p a  a size that is known later
//!                   in reduce (+) 0 b) xs
//! ```

use crate::maker::Maker;
use crate::types::{Size, Ty};

impl Maker<'_> {
    /// A map over points.
    pub(crate) fn points(&mut self, s: &Size, t: &Ty, depth: usize) -> String {
        let have: Vec<(String, Ty)> = self
            .env
            .iter()
            .filter_map(|(x, ty)| match ty {
                Ty::Array(size, elem) if size == s => Some((x.clone(), (**elem).clone())),
                Ty::Scalar(_) | Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => None,
            })
            .collect();
        let (over, e) = match have.is_empty() || self.c.chance(30) {
            true => (format!("(iota {s})"), Ty::I64),
            false => have[self.c.below(have.len())].clone(),
        };
        let x = self.new_name("x");
        let body = self.with(vec![(x.clone(), e.clone())], |m| m.point(t, depth.saturating_sub(1)));
        let text = format!("(map (\\({x}: {e}) : {t} -> {body}) {over})");
        self.attributed(text)
    }

    /// One point: a size, some arrays, and what is made of them.
    pub(crate) fn point(&mut self, ty: &Ty, depth: usize) -> String {
        let k = self.new_name("k");
        let size = match self.c.below(3) {
            0 => self.nearby_size(),
            _ => self.index(1),
        };
        let cap = *self.c.pick(&["4", "2", "6", "9", "1", "17"]);
        let steps = 1 + self.c.below(4);
        let rest = self.with_size(&k, |m| m.steps(&k.as_str().into(), steps, ty, depth));
        format!("(let {k} = {size} % {cap} in {rest})")
    }

    /// What was bound last, as a number.
    fn nearby_size(&mut self) -> String {
        self.nearby(fehu_base::prim::ScalarType::I64, 0)
    }

    /// Some more arrays, the first of which may be made from one of this size, and then the result.
    fn steps(&mut self, k: &Size, steps: usize, ty: &Ty, depth: usize) -> String {
        if steps == 0 || self.fuel <= 0 {
            return self.exp(ty, depth);
        }
        let e = match self.c.below(8) {
            6 => Ty::Tuple(vec![Ty::Scalar(self.scalar_type()), Ty::I64]),
            7 => {
                let width = self.size();
                Ty::array(&width, Ty::Scalar(self.scalar_type()))
            }
            _ => Ty::Scalar(self.scalar_type()),
        };
        let within = depth.saturating_sub(2);
        let array = Ty::array(k, e.clone());
        let (a, b, l) = (self.new_name("a"), self.new_name("b"), self.new_name("l"));
        let value = match self.known(&array) {
            Some(name) if self.c.chance(60) => name,
            _ => self.exp(&array, within),
        };
        // As many as before: the array itself.
        if self.c.chance(25) {
            let rest = self.with(vec![(a.clone(), array.clone())], |m| m.steps(k, steps - 1, ty, depth));
            return format!("(let ({a}: {array}) = {value} in {rest})");
        }
        let other = self.with(vec![(a.clone(), array.clone())], |m| m.other_size(&a, k, &e, within));
        let size: Size = l.as_str().into();
        let result = Ty::array(&size, e.clone());
        let rest = self.with(vec![(a.clone(), array.clone())], |m| {
            m.with_size(&l, |m| {
                m.with(vec![(b.clone(), result.clone())], |m| m.steps(&size, steps - 1, ty, depth))
            })
        });
        format!("(let ({a}: {array}) = {value} let [{l}] ({b}: {result}) = {other} in {rest})")
    }

    /// An array of another size, made from one.
    fn other_size(&mut self, a: &str, k: &Size, e: &Ty, depth: usize) -> String {
        let (p, i, x) = (self.new_name("p"), self.new_name("i"), self.new_name("y"));
        let keep = |m: &mut Self| {
            let kept = m.with(vec![(p.clone(), e.clone())], |m| m.exp(&Ty::BOOL, depth.min(2)));
            format!("(\\({p}: {e}) -> {kept})")
        };
        match self.c.below(14) {
            0 | 1 => format!("filter {} {a}", keep(self)),
            2 => {
                let size = self.size();
                format!("concat {a} {}", self.exp(&Ty::array(&size, e.clone()), depth))
            }
            3 => format!("{a}[{} % ({k} + 1):]", self.index(1)),
            4 => format!("{a}[:{} % ({k} + 1)]", self.index(1)),
            5 => format!("{a}[{}]", self.c.pick(&["::2", "::-1", "::-2", "::3"])),
            6 => {
                let condition = self.exp(&Ty::BOOL, depth.min(2));
                let (yes, no) = match depth {
                    0 => (a.to_owned(), format!("{a}[:{k} / 2]")),
                    _ => (self.other_size(a, k, e, depth - 1), self.other_size(a, k, e, depth - 1)),
                };
                format!("(if {condition} then {yes} else {no})")
            }
            7 => {
                // A loop with a bound of its own that changes the size.
                let bound = self.index(1);
                let last = self.with(vec![(i.clone(), Ty::I64)], |m| m.exp(e, depth));
                format!(
                    "(loop ({x}: []{e}) = {a} for {i} < {bound} % 4 do \
                     if length {x} < 12 then concat {x} [{last}] else {x}[:length {x} / 2])"
                )
            }
            8 => {
                // Halves, until few are left.
                let (op, _) = self.operator(e, false);
                let least = *self.c.pick(&["1", "2", "3"]);
                format!(
                    "(loop ({x}: []{e}) = {} while length {x} > {least} do \
                     let {i} = length {x} / 2 in map2 {op} {x}[:{i}] ({x}[{i}:2 * {i}] :> [{i}]{e}))",
                    self.tidied(a, e)
                )
            }
            9 => {
                // Neighbours twice as far each time, as divide and conquer does without recursion.
                let (op, _) = self.operator(e, false);
                let w = self.new_name("w");
                format!(
                    "((loop ({x}, {w}) = ({}, 1i64) while {w} < {k} do \
                     (map (\\({i}: i64) -> if ({i} / {w}) % 2 == 0 && {i} + {w} < {k} then {op} {x}[{i}] {x}[{i} + {w}] else {x}[{i}]) \
                     (iota {k}), {w} * 2)).0)",
                    self.tidied(a, e)
                )
            }
            10 => {
                let size = self.index(1);
                let value = self.with(vec![(i.clone(), Ty::I64)], |m| m.exp(e, depth));
                format!("tabulate ({size} % 5) (\\({i}: i64) : {e} -> {value})")
            }
            11 => format!("replicate ({} % 4) {}", self.index(1), self.exp(e, depth)),
            12 => format!("(partition {} {a}).{}", keep(self), self.c.below(2)),
            _ => {
                // A scan of those that are kept.
                let (op, ne) = self.operator(e, false);
                let kept = format!("(filter {} {a})", keep(self));
                format!("scan {op} {ne} {}", self.tidied(&kept, e))
            }
        }
    }
}
