//! What is known of the integers of a function.
//!
//! Three things are collected in one walk over the function:
//!
//! - *definitions* of scalars: `t = add_i64(a, b)` lets every question about `t` become one about `a` and `b`. They say
//!   nothing about other names, so they hold everywhere;
//! - *conditions*: what it means for the index arithmetic that a boolean is true, or false;
//! - the *ranges* of indices of loops and of parallel operations.
//!
//! The facts of a place in the program are then made on the way to it, from the outside in: [`Known::facts`]
//! for the function, [`Known::enter_body`] for what holds in a body all of whose statements run (checks that
//! pass, elements that exist, sizes of arrays), [`Known::enter_loop`], [`Known::enter_space`] and
//! [`Known::enter_branch`] for what is around it. A check may come after the place: if it fails, the program
//! ends, and what was computed before is not used. Only memory outside of a block must not be written even
//! then: that an array fits into a block follows from [`Known::facts`] and from checks that come first.
//!
//! Integers are taken not to wrap around in sums and products with factors that are not excessive: an index computed
//! otherwise is outside of every array. What a program does with large factors (hashes, random numbers) stays opaque.

use crate::Callees;
use fehu_algebra::{Facts, Poly, Sym};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::mem::{poly, sym};
use fehu_ir::op::{OpView, RepOp};
use fehu_ir::seg::SegSpace;
use fehu_ir::visit::{deep, for_each_body, for_each_lambda};
use fehu_ir::{
    Basic, Body, DimIndex, Exp, FunDef, Loop, LoopForm, Param, Purpose, Rep, Slice, Stm, SubExp, Type,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Larger definitions stay opaque: substituted into each other, they would only grow.
const MAX_SIZE: usize = 40;
/// Constants beyond this are no factors of indices.
const MAX_FACTOR: i64 = 1 << 32;
/// Variables from here on are quotients that the program does not name.
const FIRST_QUOTIENT: u32 = u32::MAX / 4 * 3;
/// So deep conditions are looked into.
const MAX_DEPTH: u32 = 24;

/// What is known of the integers of a function.
#[derive(Default, Debug)]
pub struct Known {
    definitions: Facts,
    conditions: FxHashMap<Name, Condition>,
    shapes: FxHashMap<Name, Vec<SubExp>>,
    ranges: FxHashMap<Name, SubExp>,
    sizes: Vec<SubExp>,
    /// Quotients, by dividend and divisor.
    quotients: FxHashMap<(SubExp, SubExp), Name>,
    /// What certificates stand for.
    checks: FxHashMap<Name, SubExp>,
    /// What holds in bodies that were asked for, by a name that stands for each.
    inside: RefCell<FxHashMap<Name, Facts>>,
    /// What other functions do with their arguments.
    pub callees: Rc<Callees>,
}

/// What a boolean stands for.
#[derive(Clone, Copy, Debug)]
enum Condition {
    Less(SubExp, SubExp),
    AtMost(SubExp, SubExp),
    Equal(SubExp, SubExp),
    /// As unsigned numbers.
    Below(SubExp, SubExp),
    And(SubExp, SubExp),
    Or(SubExp, SubExp),
    Not(SubExp),
    Same(SubExp),
}

impl Known {
    /// Looks at a function.
    pub fn of_fun<R: Rep>(fun: &FunDef<R>) -> Known {
        let mut known = Known::default();
        known.params(fun.params.iter());
        known.sizes.extend(fun.checked_sizes());
        known.body(&fun.body);
        known
    }

    /// The same, where what other functions do is known.
    #[must_use]
    pub fn calling(mut self, callees: &Rc<Callees>) -> Known {
        self.callees = Rc::clone(callees);
        self
    }

    /// Looks at a body, with nothing around it.
    pub fn of_body<R: Rep>(body: &Body<R>) -> Known {
        let mut known = Known::default();
        known.body(body);
        known
    }

    /// What holds in the whole function.
    pub fn facts(&self) -> Facts {
        let mut facts = self.definitions.clone();
        for n in &self.sizes {
            size(&mut facts, *n);
        }
        facts
    }

    /// Adds what holds in a body all of whose statements run.
    pub fn enter_body<R: Rep>(&self, facts: &mut Facts, body: &Body<R>) {
        for stm in &body.stms {
            for p in &stm.pat {
                shape(facts, &p.ty);
            }
            for c in &stm.certs {
                self.enter_alternatives(facts, *c);
            }
            match &stm.exp {
                Exp::Basic(Basic::Assert(c, _, purpose)) => {
                    self.assume(facts, *c, true, 0);
                    promised(facts, purpose);
                }
                Exp::Basic(Basic::Index(a, slice) | Basic::Update(a, slice, _)) => {
                    self.in_bounds(facts, *a, slice)
                }
                Exp::Basic(Basic::Reshape(shape, a)) => self.same_size(facts, shape, *a),
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                }
            }
        }
    }

    /// Adds what holds in each iteration of a loop.
    pub fn enter_loop<R: Rep>(&self, facts: &mut Facts, l: &Loop<R>) {
        match &l.form {
            LoopForm::For { var, bound, .. } => index(facts, *var, *bound),
            LoopForm::While(c) => self.assume(facts, (*c).into(), true, 0),
        }
        for (p, _) in &l.params {
            shape(facts, &p.ty);
        }
    }

    /// Adds what a certificate stands for.
    pub fn enter_checked(&self, facts: &mut Facts, certificate: Name) {
        if let Some(c) = self.checks.get(&certificate) {
            self.assume(facts, *c, true, 0);
        }
    }

    /// Adds what a certificate stands for if that is one of two things, of which one is refuted here: a check
    /// that was moved out of a loop holds, or the loop never runs.
    fn enter_alternatives(&self, facts: &mut Facts, certificate: Name) {
        let Some(check) = self.checks.get(&certificate).and_then(|c| c.name()) else { return };
        if let Some(Condition::Or(a, b)) = self.conditions.get(&check) {
            for (refuted, left) in [(*b, *a), (*a, *b)] {
                if self.is_refuted(facts, refuted) {
                    self.assume(facts, left, true, 0);
                }
            }
        }
    }

    /// Whether a comparison is known to be false.
    fn is_refuted(&self, facts: &Facts, c: SubExp) -> bool {
        match c.name().and_then(|n| self.conditions.get(&n)) {
            Some(Condition::Less(a, b)) => facts.le(&poly(*b), &poly(*a)),
            Some(Condition::AtMost(a, b)) => facts.lt(&poly(*b), &poly(*a)),
            Some(
                Condition::Equal(..)
                | Condition::Below(..)
                | Condition::And(..)
                | Condition::Or(..)
                | Condition::Not(_)
                | Condition::Same(_),
            )
            | None => false,
        }
    }

    /// Adds what holds at each point of an index space.
    pub fn enter_space(&self, facts: &mut Facts, space: &SegSpace) {
        for (i, n) in &space.dims {
            index(facts, *i, *n);
        }
    }

    /// Adds what holds in a branch.
    pub fn enter_branch(&self, facts: &mut Facts, condition: SubExp, taken: bool) {
        self.assume(facts, condition, taken, 0);
    }

    /// What holds in the body of a loop, whose surroundings' facts these are. It is worked out once for each
    /// body: a pass asks many questions about the same statements.
    pub fn in_loop<R: Rep>(&self, facts: &Facts, l: &Loop<R>) -> Facts {
        let key = match &l.form {
            LoopForm::For { var, .. } => *var,
            LoopForm::While(c) => *c,
        };
        self.once(Some(key), facts, |facts| {
            self.enter_loop(facts, l);
            self.enter_body(facts, &l.body);
        })
    }

    /// The same at the points of a parallel operation.
    pub fn in_points<R: Rep>(&self, facts: &Facts, space: &SegSpace, body: &Body<R>) -> Facts {
        self.once(Some(space.flat), facts, |facts| {
            self.enter_space(facts, space);
            self.enter_body(facts, body);
        })
    }

    /// The same in a branch.
    pub fn in_branch<R: Rep>(&self, facts: &Facts, condition: SubExp, taken: bool, body: &Body<R>) -> Facts {
        let first = body.stms.first().and_then(|s| s.pat.first()).map(|p| p.name);
        self.once(first, facts, |facts| {
            self.enter_branch(facts, condition, taken);
            self.enter_body(facts, body);
        })
    }

    fn once(&self, key: Option<Name>, facts: &Facts, enter: impl FnOnce(&mut Facts)) -> Facts {
        let found = key.and_then(|key| self.inside.borrow().get(&key).cloned());
        found.unwrap_or_else(|| {
            let mut facts = facts.clone();
            enter(&mut facts);
            if let Some(key) = key {
                self.inside.borrow_mut().insert(key, facts.clone());
            }
            facts
        })
    }

    /// Adds the ranges of the indices on which some expressions depend: where these have a value, so have the indices.
    pub fn enter_scope_of<'a>(&self, facts: &mut Facts, of: impl IntoIterator<Item = &'a Poly>) {
        let mut seen: Vec<Sym> = of.into_iter().flat_map(|p| self.definitions.normalise(p).vars()).collect();
        seen.sort_unstable();
        seen.dedup();
        let mut next = 0;
        while let Some(x) = seen.get(next).copied() {
            next += 1;
            let name = fehu_ir::mem::sym_name(x);
            let Some(bound) = self.ranges.get(&name) else { continue };
            index(facts, name, *bound);
            for y in self.definitions.normalise(&poly(*bound)).vars() {
                if !seen.contains(&y) {
                    seen.push(y);
                }
            }
        }
    }

    /// Whether a number is at most another, wherever it has a value.
    pub fn at_most(&self, number: SubExp, other: SubExp) -> bool {
        let (number, other) = (poly(number), poly(other));
        let mut facts = self.facts();
        self.enter_scope_of(&mut facts, [&number, &other]);
        facts.le(&number, &other)
    }

    /// What an index of a loop or of a parallel operation stays below.
    pub fn bound(&self, index: Name) -> Option<SubExp> {
        self.ranges.get(&index).copied()
    }

    /// Whether the name is an index of a loop or of a parallel operation.
    pub fn is_index(&self, name: Name) -> bool {
        self.ranges.contains_key(&name)
    }

    /// Adds that a boolean is true, or that it is false.
    fn assume(&self, facts: &mut Facts, c: SubExp, truth: bool, depth: u32) {
        let Some(condition) = c.name().and_then(|n| self.conditions.get(&n)) else { return };
        if depth > MAX_DEPTH {
            return;
        }
        match (*condition, truth) {
            (Condition::Less(a, b), true) => facts.assume_lt(&poly(a), &poly(b)),
            (Condition::Less(a, b), false) => facts.assume_le(&poly(b), &poly(a)),
            (Condition::AtMost(a, b), true) => facts.assume_le(&poly(a), &poly(b)),
            (Condition::AtMost(a, b), false) => facts.assume_lt(&poly(b), &poly(a)),
            (Condition::Equal(a, b), true) => facts.assume_eq(&poly(a), &poly(b)),
            (Condition::Below(a, b), true) if facts.nonneg(&poly(b)) => {
                facts.assume_nonneg(&poly(a));
                facts.assume_lt(&poly(a), &poly(b));
            }
            (Condition::And(a, b), true) | (Condition::Or(a, b), false) => {
                self.assume(facts, a, truth, depth + 1);
                self.assume(facts, b, truth, depth + 1);
            }
            (Condition::Not(a), _) => self.assume(facts, a, !truth, depth + 1),
            (Condition::Same(a), _) => self.assume(facts, a, truth, depth + 1),
            (Condition::Equal(..) | Condition::Below(..) | Condition::And(..), false)
            | (Condition::Below(..) | Condition::Or(..), true) => {}
        }
    }

    /// Adds that indices are within the array, and so are the first and the last index of a slice that has elements.
    fn in_bounds(&self, facts: &mut Facts, array: Name, slice: &Slice) {
        let Some(shape) = self.shapes.get(&array) else { return };
        let some = |d: &DimIndex| match d {
            DimIndex::Fix(_) => true,
            DimIndex::Slice { len, .. } => len.as_i64().is_some_and(|n| n > 0),
        };
        let has_elements = slice.iter().all(some);
        for (d, n) in slice.iter().zip(shape) {
            match d {
                DimIndex::Fix(i) => {
                    facts.assume_nonneg(&poly(*i));
                    facts.assume_lt(&poly(*i), &poly(*n));
                }
                DimIndex::Slice { start, len, stride } if has_elements => {
                    for index in [poly(*start), poly(*start) + (poly(*len) - 1) * poly(*stride)] {
                        facts.assume_nonneg(&index);
                        facts.assume_lt(&index, &poly(*n));
                    }
                }
                DimIndex::Slice { .. } => {}
            }
        }
    }

    /// Adds that an array of one dimension under another size has that size. (Of several dimensions, another
    /// may be zero.)
    fn same_size(&self, facts: &mut Facts, shape: &[SubExp], array: Name) {
        if let ([new], Some([old])) = (shape, self.shapes.get(&array).map(Vec::as_slice)) {
            facts.assume_eq(&poly(*new), &poly(*old));
        }
    }

    fn params<'a, R: Rep>(&mut self, params: impl Iterator<Item = &'a Param<R>>) {
        for p in params {
            self.shape(p.name, &p.ty);
        }
    }

    fn shape(&mut self, name: Name, ty: &Type) {
        if ty.is_array() {
            self.shapes.insert(name, ty.shape().to_vec());
        }
    }

    fn body<R: Rep>(&mut self, body: &Body<R>) {
        deep(|| {
            for stm in &body.stms {
                self.stm(stm);
            }
        });
    }

    fn stm<R: Rep>(&mut self, stm: &Stm<R>) {
        for p in &stm.pat {
            self.shape(p.name, &p.ty);
        }
        match &stm.exp {
            Exp::Loop(l) => {
                self.params(l.params.iter().map(|(p, _)| p));
                if let LoopForm::For { var, bound, .. } = &l.form {
                    self.ranges.insert(*var, *bound);
                }
            }
            Exp::Op(op) => match op.view() {
                OpView::Seg(seg) => self.ranges.extend(seg.space.dims.iter().copied()),
                OpView::Soac(_) | OpView::Size(_) | OpView::Alloc(..) => {}
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) => {}
        }
        for_each_lambda(&stm.exp, &mut |l| self.params(l.params.iter()));
        for_each_body(&stm.exp, &mut |b| self.body(b));
        let [p] = stm.pat.as_slice() else { return };
        if let Exp::Basic(Basic::Assert(c, ..)) = &stm.exp {
            self.checks.insert(p.name, *c);
        }
        match p.ty {
            Type::Prim(PrimType::Int(_)) => self.scalar(p.name, &stm.exp),
            Type::Prim(PrimType::Bool) => self.boolean(p.name, &stm.exp),
            Type::Prim(_) | Type::Array(..) | Type::Acc(..) | Type::Mem(_) => {}
        }
    }

    /// Takes note of what an integer stands for.
    fn scalar<R: Rep>(&mut self, name: Name, exp: &Exp<R>) {
        let x = sym(name);
        let define = |known: &mut Known, value: Poly| {
            let value = known.definitions.normalise(&value);
            if value.is_known() && value.size() <= MAX_SIZE {
                known.definitions.define(x, &value);
            }
        };
        match *exp {
            Exp::Basic(Basic::SubExp(e)) => define(self, poly(e)),
            Exp::Basic(Basic::Conv(ConvOp::SExt(from, to), e)) if from.bits() <= to.bits() => {
                define(self, poly(e))
            }
            Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), a, b)) => define(self, poly(a) + poly(b)),
            Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), a, b)) => define(self, poly(a) - poly(b)),
            Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), a, b)) => {
                let excessive = |e: SubExp| e.as_i64().is_some_and(|c| c.unsigned_abs() > MAX_FACTOR as u64);
                if !excessive(a) && !excessive(b) {
                    define(self, poly(a) * poly(b));
                }
            }
            Exp::Basic(Basic::BinOp(BinOp::SMin(IntType::I64), a, b)) => {
                self.definitions.assume_min(x, &poly(a), &poly(b))
            }
            Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), a, b)) => {
                self.definitions.assume_max(x, &poly(a), &poly(b))
            }
            Exp::Basic(Basic::BinOp(BinOp::SDiv(IntType::I64), a, b)) => {
                match self.quotients.get(&(a, b)).copied() {
                    Some(q) => define(self, poly(q.into())),
                    None => {
                        self.quotients.insert((a, b), name);
                        self.definitions.assume_quotient(x, &poly(a), &poly(b));
                    }
                }
            }
            Exp::Basic(Basic::BinOp(BinOp::SMod(IntType::I64), a, b)) => self.remainder(name, a, b),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    }

    /// A remainder is below the divisor. Of names that are not sums themselves, it is also what the quotient leaves.
    fn remainder(&mut self, name: Name, a: SubExp, b: SubExp) {
        let atom = match a {
            SubExp::Var(n) => self.definitions.normalise(&poly(a)).as_var() == Some(sym(n)),
            SubExp::Const(_) => false,
        };
        if !self.definitions.positive(&poly(b)) {
            return;
        }
        if !atom {
            self.definitions.assume_index(sym(name), &Poly::zero(), &poly(b));
            return;
        }
        // The quotient need not be a name of the program.
        let quotient = match self.quotients.get(&(a, b)) {
            Some(q) => sym(*q),
            None => quotient_of(name),
        };
        self.quotients.entry((a, b)).or_insert(Name(quotient.0));
        self.definitions.assume_remainder(sym(name), quotient, &poly(a), &poly(b));
    }

    /// Takes note of what a boolean stands for.
    fn boolean<R: Rep>(&mut self, name: Name, exp: &Exp<R>) {
        let is_false = |e: Option<&SubExp>| e == Some(&SubExp::bool(false));
        let is_true = |e: Option<&SubExp>| e == Some(&SubExp::bool(true));
        let condition = match exp {
            Exp::Basic(Basic::SubExp(e)) => Condition::Same(*e),
            Exp::Basic(Basic::UnOp(UnOp::Not, e)) => Condition::Not(*e),
            Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), a, b)) => Condition::Less(*a, *b),
            Exp::Basic(Basic::CmpOp(CmpOp::SLe(IntType::I64), a, b)) => Condition::AtMost(*a, *b),
            Exp::Basic(Basic::CmpOp(CmpOp::ULt(IntType::I64), a, b)) => Condition::Below(*a, *b),
            Exp::Basic(Basic::CmpOp(CmpOp::Eq(PrimType::Int(IntType::I64)), a, b)) => {
                Condition::Equal(*a, *b)
            }
            Exp::Basic(Basic::BinOp(BinOp::LogAnd, a, b)) => Condition::And(*a, *b),
            Exp::Basic(Basic::BinOp(BinOp::LogOr, a, b)) => Condition::Or(*a, *b),
            Exp::If(c, t, f) if is_false(f.result.first()) => match t.result.first() {
                Some(t) => Condition::And(*c, *t),
                None => return,
            },
            Exp::If(c, t, f) if is_true(t.result.first()) => match f.result.first() {
                Some(f) => Condition::Or(*c, *f),
                None => return,
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return
            }
        };
        self.conditions.insert(name, condition);
    }
}

/// The quotient that leaves a remainder, if no name of the program is that quotient.
fn quotient_of(remainder: Name) -> Sym {
    Sym(u32::MAX - remainder.0)
}

/// The remainder whose quotient a variable is, if it is no name of the program. Such a variable has one value
/// for each value of the remainder: it is bound where the remainder is.
pub fn remainder_of(quotient: Sym) -> Option<Name> {
    (quotient.0 >= FIRST_QUOTIENT).then(|| Name(u32::MAX - quotient.0))
}

/// Records that an array exists: its first size is at least 0 and, where that is positive, so is the next
/// one. Sizes behind one that may be 0 are unchecked: an array without rows has passed no check of its row
/// size.
fn shape(facts: &mut Facts, ty: &Type) {
    for n in ty.shape() {
        size(facts, *n);
        if !facts.positive(&poly(*n)) {
            return;
        }
    }
}

/// Adds what holds after a check for this purpose.
fn promised(facts: &mut Facts, purpose: &Purpose) {
    match purpose {
        Purpose::Values | Purpose::Program => {}
        Purpose::Sizes { sizes, runs } => {
            if runs.iter().all(|n| facts.positive(&poly(*n))) {
                sizes.iter().for_each(|n| size(facts, *n));
            }
        }
    }
}

/// Adds that an operand is the size of an array that exists.
fn size(facts: &mut Facts, n: SubExp) {
    if let SubExp::Var(n) = n {
        facts.assume_size(sym(n));
    }
}

/// Adds the range of an index.
fn index(facts: &mut Facts, i: Name, bound: SubExp) {
    facts.assume_index(sym(i), &Poly::zero(), &poly(bound));
}
