//! Loops in strips: loops in each other, each of which saves its own parameters only.
//!
//! ```text
//! loop p = x for i < n { f }     =>     s = the root of n, rounded up
//!                                       loop q = x for o < (n + s - 1) / s {
//!                                         loop p = q for j < min(s, n - o * s) { let (i) = o * s + j  f } }
//! ```
//!
//! With n = 1,000 that is 32 + 32 states in place of 1,000, and each step runs once more. How many levels there are
//! is what `#[stripmine(k)]` says, or what a budget asks for (`--tape-memory`, `#[tape_memory(bytes)]`): the fewest
//! with which the states of a loop fit. Where sizes are known only when the program runs, there are [`MOST`] loops, and
//! strips of the levels that are not needed have one step.
//!
//! A strip has at least one step. When its states are saved, its final state has no use, so that its last step does
//! not run ([`RUNS`]): a level that is not needed costs no steps.

use super::prepare::number;
use super::Reverse;
use crate::explain::{Note, Way};
use crate::partials::select;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn};
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_base::{Name, Symbol};
use fehu_ir::seg::{RUNS, STRIP};
use fehu_ir::subst::Subst;
use fehu_ir::{Attr, Basic, Exp, Loop, LoopForm, Param, PatElem, Soacs, SubExp, Type};

/// So many levels at most are made for a budget. With each, the code of the loop's body is there once more.
const MOST: i64 = 3;

const F64: FloatType = FloatType::F64;

/// Into how many nested loops a loop is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Levels {
    Fixed(i64),
    /// As many as so many bytes ask for, which the program finds out.
    ForBytes(i64),
}

impl Reverse<'_> {
    /// Into how many loops a `for` loop with these attributes is split; none if it stays as it is.
    pub(super) fn levels(&self, attrs: &[Attr], l: &Loop<Soacs>) -> Option<Levels> {
        if has(attrs, STRIP) {
            return None;
        }
        if let Some(k) = number(attrs, "stripmine") {
            return (k > 1).then_some(Levels::Fixed(k));
        }
        let budget = number(attrs, "tape_memory").or(self.options.tape_bytes)?;
        if !self.saves_rows(attrs, l) {
            return None;
        }
        let LoopForm::For { bound, .. } = l.form else { return None };
        let known = rows(l).flat_map(Type::shape).all(|n| n.as_i64().is_some());
        let Some(n) = bound.as_i64().filter(|_| known) else {
            return Some(Levels::ForBytes(budget));
        };
        let elements =
            |ty: &Type| ty.shape().iter().filter_map(|n| n.as_i64()).map(|n| n as f64).product::<f64>();
        let bytes: f64 = rows(l).map(|ty| elements(ty) * bytes(ty) as f64).sum();
        let fits = |k: &i64| {
            let strips = (n as f64).powf(1.0 / *k as f64).ceil();
            *k as f64 * strips * bytes <= budget as f64
        };
        let k = (1..MOST).find(fits).unwrap_or(MOST);
        (k > 1).then_some(Levels::Fixed(k))
    }

    /// A `for` loop as loops in each other.
    pub(super) fn stripped(&mut self, pat: &[PatElem<Soacs>], l: Loop<Soacs>, levels: Levels) {
        let LoopForm::For { ty, bound, .. } = l.form else { fehu_base::bug!("a loop without a count") };
        let way = match levels {
            Levels::Fixed(k) => Way::Levels(k),
            Levels::ForBytes(budget) => Way::LevelsFor(budget),
        };
        self.notes.push(Note { loc: self.b.loc.clone(), way, arrays: vec![] });
        let n = self.iterations(ty, bound);
        let strips = match levels {
            Levels::Fixed(k) => {
                let root = self.root(n, k);
                let power = |r: &mut Self, k| (1..k).fold(root, |power, _| r.b.mul64(power, root));
                (1..k).rev().map(|k| power(self, k)).collect()
            }
            Levels::ForBytes(budget) => self.strips_for(&l, n, budget),
        };
        self.outer_strip(pat, l, (SubExp::i64(0), n), &strips);
    }

    /// How long the strips of each level are: one step where less will do.
    fn strips_for(&mut self, l: &Loop<Soacs>, n: SubExp, budget: i64) -> Vec<SubExp> {
        let mut each = SubExp::i64(0);
        for ty in rows(l) {
            let row = self.b.product(ty.shape());
            let row = self.b.mul64(row, SubExp::i64(bytes(ty)));
            each = self.b.add64(each, row);
        }
        let each = self.float(each);
        let fits = |r: &mut Self, states: SubExp| {
            // In floats, which do not overflow.
            let states = r.float(states);
            let all = r.b.bin(BinOp::FMul(F64), states, each);
            r.b.cmp(CmpOp::FLe(F64), all, SubExp::float(F64, budget as f64))
        };
        let mut enough = fits(self, n);
        let mut chosen = SubExp::i64(1);
        let mut factors = vec![];
        for k in 2..=MOST {
            let root = self.root(n, k);
            // The root of the level that is the first to do.
            chosen = select(&mut self.b, enough, chosen, root);
            factors.push(enough);
            let states = self.b.mul64(root, SubExp::i64(k));
            let fit = fits(self, states);
            enough = self.b.bin(BinOp::LogOr, enough, fit);
        }
        let mut strip = SubExp::i64(1);
        let mut strips = vec![];
        for enough in factors.into_iter().rev() {
            let factor = select(&mut self.b, enough, SubExp::i64(1), chosen);
            strip = self.b.mul64(strip, factor);
            strips.push(strip);
        }
        strips.reverse();
        strips
    }

    /// Some steps of a loop, from one on, in strips of these lengths, the innermost of which is last.
    fn outer_strip(
        &mut self,
        pat: &[PatElem<Soacs>],
        mut l: Loop<Soacs>,
        (start, n): (SubExp, SubExp),
        strips: &[SubExp],
    ) {
        let names = pat.iter().map(|p| (p.name, p.ty.clone())).collect();
        let marks = [Some(STRIP), (start != SubExp::i64(0)).then_some(RUNS)];
        let marks: Vec<Attr> = marks.into_iter().flatten().map(|m| Attr::Atom(Symbol::new(m))).collect();
        let LoopForm::For { var, ty, .. } = l.form else { fehu_base::bug!("a loop without a count") };
        let Some((strip, others)) = strips.split_first() else {
            let j = self.b.fresh("j", Type::I64);
            self.b.begin();
            let at = self.b.add64(start, j.into());
            let counter = match ty {
                IntType::I64 => Basic::SubExp(at),
                IntType::I8 | IntType::I16 | IntType::I32 => Basic::Conv(ConvOp::SExt(IntType::I64, ty), at),
            };
            self.b.bind_names(vec![(var, Type::Prim(PrimType::Int(ty)))], Exp::Basic(counter));
            let stms = self.b.end(vec![]).stms;
            l.body.stms.splice(0..0, stms);
            l.form = LoopForm::For { var: j, ty: IntType::I64, bound: n };
            return self.marked(marks, names, l);
        };
        let strip = *strip;
        let less = self.b.sub64(strip, SubExp::i64(1));
        let up = self.b.add64(n, less);
        let count = self.b.bin(BinOp::SQuot(IntType::I64), up, strip);
        let outer: Vec<Name> = l.params.iter().map(|(p, _)| self.b.names.fresh_like(p.name)).collect();
        let subst: Subst = l.params.iter().zip(&outer).map(|((p, _), o)| (p.name, SubExp::Var(*o))).collect();
        let mut params = vec![];
        for ((p, init), name) in l.params.iter_mut().zip(&outer) {
            let mut ty = p.ty.clone();
            subst.ty(&mut ty);
            self.b.types.insert(*name, ty.clone());
            params.push((Param { name: *name, ty, ..p.clone() }, std::mem::replace(init, (*name).into())));
        }
        let o = self.b.fresh("o", Type::I64);
        let body = self.nested(|r| {
            let done = r.b.mul64(o.into(), strip);
            let rest = r.b.sub64(n, done);
            let steps = r.b.bin(BinOp::SMin(IntType::I64), strip, rest);
            let from = r.b.add64(start, done);
            let names: Vec<Name> = pat.iter().map(|p| r.b.names.fresh_like(p.name)).collect();
            let subst: Subst = pat.iter().zip(&names).map(|(p, n)| (p.name, SubExp::Var(*n))).collect();
            let inner = pat.iter().zip(&names).map(|(p, n)| {
                let mut ty = p.ty.clone();
                subst.ty(&mut ty);
                PatElem { name: *n, ty, dec: () }
            });
            let inner: Vec<PatElem<Soacs>> = inner.collect();
            r.outer_strip(&inner, l, (from, steps), others);
            names.into_iter().map(SubExp::Var).collect()
        });
        let form = LoopForm::For { var: o, ty: IntType::I64, bound: count };
        self.marked(marks, names, Loop { params, form, body });
    }

    /// A loop with marks.
    fn marked(&mut self, marks: Vec<Attr>, names: Vec<(Name, Type)>, l: Loop<Soacs>) {
        let outer = std::mem::replace(&mut self.b.attrs, marks);
        self.b.bind_names(names, Exp::Loop(Box::new(l)));
        self.b.attrs = outer;
    }

    /// The k-th root of a number, rounded up, at least 1.
    fn root(&mut self, n: SubExp, k: i64) -> SubExp {
        let x = self.float(n);
        let root = self.b.bin(BinOp::FPow(F64), x, SubExp::float(F64, 1.0 / k as f64));
        let ceil = PrimFn { op: MathFn::Ceil, at: PrimType::Float(F64) };
        let root = Exp::Basic(Basic::PrimFn(ceil, vec![root]));
        let root = self.b.bind("root", Type::Prim(PrimType::Float(F64)), root);
        let root = self.b.conv(ConvOp::FPToSI(F64, IntType::I64), root.into());
        self.b.bin(BinOp::SMax(IntType::I64), root, SubExp::i64(1))
    }

    fn float(&mut self, n: SubExp) -> SubExp {
        self.b.conv(ConvOp::SIToFP(IntType::I64, F64), n)
    }
}

/// Whether an attribute without arguments is there.
pub(super) fn has(attrs: &[Attr], mark: &str) -> bool {
    attrs.iter().any(|a| is(a, mark))
}

/// Whether it is an attribute.
pub(super) fn is(attr: &Attr, mark: &str) -> bool {
    matches!(attr, Attr::Atom(name) if name.as_str() == mark)
}

/// The types of what a loop saves in each step.
fn rows(l: &Loop<Soacs>) -> impl Iterator<Item = &Type> {
    l.params.iter().map(|(p, _)| &p.ty).filter(|ty| ty.elem().is_some() && **ty != Type::UNIT)
}

/// The bytes of an element.
fn bytes(ty: &Type) -> i64 {
    ty.elem().map_or(0, |p| p.bytes() as i64)
}
