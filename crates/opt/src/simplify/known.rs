//! What the engine knows about integers: sizes are not negative, indices are
//! below their bounds, sums are sums.
//!
//! The algebra computes with mathematical integers, the program with integers that wrap around. A sum or
//! product is recorded in the algebra only if it cannot wrap, judged by how many bits its operands can have.
//! Sizes of arrays have at most 48: this is checked when an array is created (`lower/sizes.rs`), and these
//! checks remain when the array is dead. So have indices: no loop gets further. The product of sizes of one
//! argument of an entry point, or of indices into it, has at most 60 (`rts/c/values.h` checks that); other
//! products may wrap around. Identities that hold also when wrapping (`a + b - b = a`) need no such care;
//! they use polynomials of their own (`ring`).
//!
//! A sum that may wrap is exact where it turns out to be small: if `t = n + 1` is the size of an array, then
//! `n` is `t - 1`, which does not wrap, whatever `n` was to begin with. So a size makes its summands known.

use super::engine::Engine;
use super::frame::Promise;
use fehu_algebra::{Poly, Sym};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::mem::{poly, sym};
use fehu_ir::op::RepOp;
use fehu_ir::soac::Soac;
use fehu_ir::{Basic, Body, Exp, Purpose, Rep, Stm, SubExp, Type};

/// Bits of a size.
const SIZE_BITS: u32 = 48;
/// Bits of a product of sizes of one array.
const PRODUCT_BITS: u32 = 60;
/// Terms and factors of a polynomial of `ring`, at most. A name whose polynomial would be larger stands for itself:
/// otherwise a sum of n names would cost n polynomials of up to n terms.
const RING_SIZE: usize = 64;

/// Sums of more terms than this are left as they were computed.
const SHORT_SUM: usize = 3;

/// Promises that wait for the same number, at most: the latest.
const MAX_PROMISES: usize = 16;

impl<R: Rep<Dec = ()>> Engine<'_, R> {
    /// What a statement that stays says of sizes, from this level on.
    pub(super) fn learn_sizes(&mut self, stm: &Stm<R>, level: usize) {
        match &stm.exp {
            Exp::Basic(Basic::Assert(_, _, Purpose::Sizes { sizes, runs })) => {
                self.promise(Promise { sizes: sizes[..].into(), runs: runs[..].into(), level });
            }
            Exp::Op(op) => match op.as_soac() {
                // How many elements are kept.
                Some(Soac::Filter(f)) => {
                    stm.pat.iter().take(f.kept.len()).for_each(|p| self.learn_size(p.name.into(), level));
                }
                Some(Soac::Screma(_) | Soac::Hist(_) | Soac::Scatter(_) | Soac::Ad(_)) | None => {}
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => {}
        }
    }

    /// Keeps a promise in all frames where it is due; those that are not open yet will ask for it.
    fn promise(&mut self, promise: Promise) {
        if let Some(level) = (promise.level..self.frames.len()).find(|level| self.is_due(&promise, *level)) {
            promise.sizes.iter().for_each(|n| self.learn_size(*n, level));
        }
        if self.is_due(&promise, promise.level) {
            return;
        }
        for n in promise.runs.iter().filter_map(|n| n.name()) {
            let made = self.promises.entry(n).or_default();
            if made.len() == MAX_PROMISES {
                made.remove(0);
            }
            made.push(promise.clone());
            self.frames[promise.level].promised.push(n);
        }
    }

    fn is_due(&self, promise: &Promise, level: usize) -> bool {
        promise.runs.iter().all(|n| self.frames[level].facts.positive(&poly(*n)))
    }

    /// Where the number is positive, in the innermost frame, promises may be due.
    pub(super) fn keep_promises(&mut self, positive: SubExp) {
        let here = self.here();
        let made = positive.name().and_then(|n| self.promises.get(&n)).cloned().unwrap_or_default();
        for promise in made {
            if self.is_due(&promise, here) {
                promise.sizes.iter().for_each(|n| self.learn_size(*n, here));
            }
        }
    }

    /// Whether the operand is known to be a size.
    pub(super) fn is_size(&self, e: SubExp) -> bool {
        match e {
            SubExp::Const(_) => true,
            SubExp::Var(n) => self.sizes.contains(&n),
        }
    }

    /// The operand is a size from this level on.
    pub(super) fn learn_size(&mut self, e: SubExp, level: usize) {
        let SubExp::Var(n) = e else { return };
        if !self.sizes.insert(n) {
            return;
        }
        self.learn_bits(n, SIZE_BITS, level);
        self.tell(level, |f| f.assume_size(sym(n)));
    }

    /// The name has so few bits from this level on. If it is a sum of which one operand is unknown, then that
    /// one is the difference of two integers with few bits, which does not wrap.
    fn learn_bits(&mut self, mut n: Name, mut bits: u32, level: usize) {
        loop {
            self.bits.insert(n, bits);
            self.frames[level].scoped.push(n);
            let Some(exp) = self.pure_def(n.into()) else { return };
            let Exp::Basic(Basic::BinOp(op @ (BinOp::Add(IntType::I64) | BinOp::Sub(IntType::I64)), x, y)) =
                *exp
            else {
                return;
            };
            let (other, unknown) = match (self.unbounded(x), self.unbounded(y)) {
                (Some(x), None) => (y, x),
                (None, Some(y)) => (x, y),
                (None, None) | (Some(_), Some(_)) => return,
            };
            bits = bits.max(self.bits_of(other)) + 1;
            if bits >= IntType::I64.bits() {
                return;
            }
            self.define(n, &ring_op(op, &poly(x), &poly(y)), level);
            n = unknown;
        }
    }

    /// The name of an operand of which nothing is known but its type.
    fn unbounded(&self, e: SubExp) -> Option<Name> {
        e.name().filter(|n| !self.bits.contains_key(n))
    }

    /// The name is an index below the bound, in the innermost frame.
    pub(super) fn learn_index(&mut self, i: Name, bound: SubExp) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.facts.assume_index(sym(i), &Poly::zero(), &poly(bound));
        frame.scoped.push(i);
        frame.bounds.push(bound);
        if self.types.get(&i) == Some(&Type::I64) {
            self.bits.insert(i, SIZE_BITS);
            self.sizes.insert(i);
            self.factors.insert(i, self.factors_of(bound));
        }
    }

    /// The name is an element of the array, in the innermost frame.
    pub(super) fn learn_element(&mut self, p: Name, array: Name) {
        let Some(def) = self.def(array) else { return };
        let Exp::Basic(Basic::Iota { n, start, step, ty }) = *def.exp else { return };
        if ty != IntType::I64 {
            return;
        }
        match (start.as_i64(), step.as_i64()) {
            (Some(0), Some(1)) => self.learn_index(p, n),
            _ if self.fits(start) && self.fits(step) => {
                let k = self.names.fresh_str("k");
                self.types.insert(k, Type::I64);
                self.learn_index(k, n);
                if let Some(frame) = self.frames.last_mut() {
                    frame.facts.define(sym(p), &(poly(start) + poly(step) * poly(k.into())));
                    frame.scoped.push(p);
                    self.bits.insert(p, PRODUCT_BITS);
                }
            }
            (_, _) => {}
        }
    }

    fn fits(&self, e: SubExp) -> bool {
        self.bits_of(e) <= SIZE_BITS
    }

    /// A condition holds (or not), in the innermost frame.
    pub(super) fn assume(&mut self, cond: SubExp, value: bool) {
        if let Some(exp) = self.pure_def(cond) {
            self.assume_exp(&exp, value);
        }
    }

    fn assume_exp(&mut self, exp: &Exp<R>, value: bool) {
        match (exp, value) {
            // `c || d` and `c && d`, where `d` is only computed if it is asked for.
            (Exp::If(c, t, f), false) if t.result.first() == Some(&SubExp::bool(true)) => {
                self.assume(*c, false);
                self.assume_result(f, false);
            }
            (Exp::If(c, t, f), true) if f.result.first() == Some(&SubExp::bool(false)) => {
                self.assume(*c, true);
                self.assume_result(t, true);
            }
            (Exp::Basic(Basic::UnOp(UnOp::Not, x)), _) => self.assume(*x, !value),
            (Exp::Basic(Basic::BinOp(BinOp::LogAnd, x, y)), true)
            | (Exp::Basic(Basic::BinOp(BinOp::LogOr, x, y)), false) => {
                self.assume(*x, value);
                self.assume(*y, value);
            }
            (Exp::Basic(Basic::CmpOp(op, x, y)), _) => {
                let Some(frame) = self.frames.last_mut() else { return };
                let (a, b) = (poly(*x), poly(*y));
                match (op, value) {
                    (CmpOp::Eq(PrimType::Int(_)), true) => frame.facts.assume_eq(&a, &b),
                    (CmpOp::Eq(PrimType::Int(_)), false) if frame.facts.le(&b, &a) => {
                        frame.facts.assume_lt(&b, &a);
                    }
                    (CmpOp::Eq(PrimType::Int(_)), false) if frame.facts.le(&a, &b) => {
                        frame.facts.assume_lt(&a, &b);
                    }
                    (CmpOp::SLt(_), true) => frame.facts.assume_lt(&a, &b),
                    (CmpOp::SLt(_), false) => frame.facts.assume_le(&b, &a),
                    (CmpOp::SLe(_), true) => frame.facts.assume_le(&a, &b),
                    (CmpOp::SLe(_), false) => frame.facts.assume_lt(&b, &a),
                    (
                        CmpOp::Eq(_)
                        | CmpOp::ULt(_)
                        | CmpOp::ULe(_)
                        | CmpOp::FLt(_)
                        | CmpOp::FLe(_)
                        | CmpOp::BLt
                        | CmpOp::BLe,
                        _,
                    ) => {}
                }
            }
            (_, _) => {}
        }
    }

    /// The first result of a branch that is taken, in the innermost frame.
    fn assume_result(&mut self, body: &Body<R>, value: bool) {
        let Some(result) = body.result.first() else { return };
        let level = self.here();
        for stm in body.stms.iter().filter(|stm| stm.certs.is_empty()) {
            match stm.pat.as_slice() {
                [p] if result.name() == Some(p.name) => self.assume_exp(&stm.exp, value),
                [p] => self.learn_definition(p.name, &stm.exp, level),
                _ => {}
            }
        }
        if !body.stms.iter().any(|stm| stm.pat.iter().any(|p| result.name() == Some(p.name))) {
            self.assume(*result, value);
        }
    }

    /// What a statement binds has the values that it computes, from the given level on.
    pub(super) fn learn_definitions(&mut self, stm: &Stm<R>, level: usize) {
        if let Exp::If(cond, yes, no) = &stm.exp {
            self.learn_choices(&stm.pat, *cond, [yes, no], level);
        } else if let [p] = stm.pat.as_slice() {
            self.learn_definition(p.name, &stm.exp, level);
        }
    }

    /// The name is the value of the expression, from the given level on.
    pub(super) fn learn_definition(&mut self, n: Name, exp: &Exp<R>, level: usize) {
        match exp {
            Exp::Basic(Basic::BinOp(op, x, y)) => self.learn_operation(n, *op, *x, *y, level),
            // Another name, which depends on a check.
            Exp::Basic(Basic::SubExp(x)) if self.types.get(&n) == Some(&Type::I64) => {
                self.bits.insert(n, self.bits_of(*x));
                self.ring.insert(n, self.ring_of(*x));
                self.factors.insert(n, self.factors_of(*x));
                self.define(n, &poly(*x), level);
            }
            Exp::Basic(Basic::Conv(ConvOp::SExt(from, to), x)) if to.bits() >= from.bits() => {
                self.bits.insert(n, self.bits_of(*x));
                self.define(n, &poly(*x), level);
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn learn_operation(&mut self, n: Name, op: BinOp, x: SubExp, y: SubExp, level: usize) {
        let (a, b) = (poly(x), poly(y));
        match op {
            BinOp::Add(t) | BinOp::Sub(t) | BinOp::Mul(t) => {
                if t == IntType::I64 {
                    let (p, q) = (self.ring_of(x), self.ring_of(y));
                    let r = ring_op(op, &p, &q);
                    if r.is_known() && r.size() <= RING_SIZE {
                        self.ring.insert(n, r);
                    }
                }
                let (bx, by) = (self.bits_of(x), self.bits_of(y));
                let bits = match op {
                    BinOp::Mul(_) => match self.product_of(x, y) {
                        Some(factors) => {
                            self.sizes.insert(n);
                            self.factors.insert(n, factors);
                            (bx + by).min(PRODUCT_BITS)
                        }
                        None => bx + by,
                    },
                    _ => bx.max(by) + 1,
                };
                if bits < t.bits() {
                    self.bits.insert(n, bits);
                    self.define(n, &ring_op(op, &a, &b), level);
                }
            }
            BinOp::SMin(_) => {
                self.bits.insert(n, self.bits_of(x).max(self.bits_of(y)));
                self.tell(level, |f| f.assume_min(sym(n), &a, &b));
            }
            BinOp::SMax(_) => {
                self.bits.insert(n, self.bits_of(x).max(self.bits_of(y)));
                self.tell(level, |f| f.assume_max(sym(n), &a, &b));
            }
            BinOp::SDiv(_) => {
                self.bits.insert(n, self.bits_of(x));
                self.tell(level, |f| f.assume_quotient(sym(n), &a, &b));
            }
            BinOp::SQuot(_) if self.frames[level].facts.nonneg(&a) => {
                self.bits.insert(n, self.bits_of(x));
                self.tell(level, |f| f.assume_quotient(sym(n), &a, &b));
            }
            BinOp::SMod(_) => {
                self.bits.insert(n, self.bits_of(y));
                self.tell(level, |f| {
                    if f.positive(&b) {
                        f.assume_index(sym(n), &Poly::zero(), &b);
                    }
                });
            }
            BinOp::SRem(_) if self.frames[level].facts.nonneg(&a) => {
                self.bits.insert(n, self.bits_of(y));
                self.tell(level, |f| {
                    if f.positive(&b) {
                        f.assume_index(sym(n), &Poly::zero(), &b);
                    }
                });
            }
            _ => {}
        }
    }

    fn define(&mut self, n: Name, p: &Poly, level: usize) {
        self.tell(level, |f| f.define(sym(n), p));
    }

    pub(super) fn tell(&mut self, level: usize, f: impl Fn(&mut fehu_algebra::Facts)) {
        for frame in &mut self.frames[level..] {
            f(&mut frame.facts);
        }
    }

    /// Tells what arguments of an entry point are: their shapes have been checked.
    pub(crate) fn know_arguments(&mut self, params: &[fehu_ir::Param<R>]) {
        let names = |p: &fehu_ir::Param<R>| p.ty.shape().iter().filter_map(|n| n.name()).collect();
        self.shapes = params.iter().filter(|p| p.ty.rank() > 1).map(names).collect();
        self.given = params.iter().flat_map(|p| p.ty.shape()).copied().collect();
    }

    /// The sizes that a size is the product of, or that an index and its factors are below; nothing if it is neither.
    fn factors_of(&self, e: SubExp) -> Vec<Name> {
        let SubExp::Var(n) = e else { return vec![] };
        match self.factors.get(&n) {
            Some(factors) => factors.clone(),
            None if self.sizes.contains(&n) => vec![n],
            None => vec![],
        }
    }

    /// The factors of a product of sizes and indices of one argument.
    fn product_of(&self, x: SubExp, y: SubExp) -> Option<Vec<Name>> {
        let (a, b) = (self.factors_of(x), self.factors_of(y));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let all: Vec<Name> = a.into_iter().chain(b).collect();
        let count = |names: &[Name], n: &Name| names.iter().filter(|m| *m == n).count();
        let fits = |shape: &Vec<Name>| all.iter().all(|n| count(&all, n) <= count(shape, n));
        self.shapes.iter().any(fits).then_some(all)
    }

    /// An upper bound of the bits of the magnitude of an integer.
    pub(super) fn bits_of(&self, e: SubExp) -> u32 {
        match e {
            SubExp::Const(v) => v.as_i64().map_or(64, |v| 64 - v.unsigned_abs().leading_zeros()),
            SubExp::Var(n) => match (self.bits.get(&n), self.types.get(&n)) {
                (Some(b), _) => *b,
                (None, Some(Type::Prim(PrimType::Int(t)))) => t.bits() - 1,
                (None, _) => 64,
            },
        }
    }

    /// The operand as a polynomial modulo 2^64.
    pub(crate) fn ring_of(&self, e: SubExp) -> Poly {
        e.name().and_then(|n| self.ring.get(&n)).cloned().unwrap_or_else(|| poly(e))
    }

    /// The operand that an operation on `i64` is equal to, whatever wraps: a constant, or a name in scope.
    pub(crate) fn ring_value(&self, op: BinOp, x: SubExp, y: SubExp) -> Option<SubExp> {
        let (p, q) = (self.ring_of(x), self.ring_of(y));
        let r = ring_op(op, &p, &q);
        if let Some(c) = r.as_constant() {
            return Some(SubExp::i64(c));
        }
        let n = fehu_ir::mem::sym_name(r.as_var()?);
        (self.types.get(&n) == Some(&Type::I64)).then_some(n.into())
    }

    /// What an operation on `i64` is equal to, if names of its operands cancel in it and a short sum is left.
    pub(crate) fn cancelled(&self, op: BinOp, x: SubExp, y: SubExp) -> Option<Poly> {
        let (p, q) = (self.ring_of(x), self.ring_of(y));
        let r = ring_op(op, &p, &q);
        let gone = |x: Sym| !r.mentions(x);
        let fewer = p.vars().into_iter().any(gone) || q.vars().into_iter().any(gone);
        let i64s = |x: Sym| self.types.get(&fehu_ir::mem::sym_name(x)) == Some(&Type::I64);
        let short = r.is_known() && !r.is_zero() && r.terms().len() <= SHORT_SUM;
        (fewer && short && r.vars().into_iter().all(i64s)).then_some(r)
    }

    /// Whether the comparison is proven to hold, or not to hold, here.
    pub(crate) fn decide(&self, op: CmpOp, x: SubExp, y: SubExp) -> Option<bool> {
        if let (CmpOp::SLt(_), Some(c)) = (op, y.as_i64()) {
            // So few bits that it is smaller, whatever its sign.
            if x.name().is_some() && c > 0 && self.bits_of(x) < 64 - c.leading_zeros() {
                return Some(true);
            }
        }
        let facts = &self.frames.last()?.facts;
        let known = |e: SubExp| e.name().is_none_or(|n| facts.knows(sym(n)));
        if !known(x) && !known(y) {
            return None;
        }
        let (a, b) = (poly(x), poly(y));
        match op {
            CmpOp::Eq(PrimType::Int(_)) => {
                if facts.eq(&a, &b) {
                    Some(true)
                } else {
                    facts.ne(&a, &b).then_some(false)
                }
            }
            CmpOp::SLt(_) => {
                if facts.lt(&a, &b) {
                    Some(true)
                } else {
                    facts.le(&b, &a).then_some(false)
                }
            }
            CmpOp::SLe(_) => {
                if facts.le(&a, &b) {
                    Some(true)
                } else {
                    facts.lt(&b, &a).then_some(false)
                }
            }
            CmpOp::Eq(_)
            | CmpOp::ULt(_)
            | CmpOp::ULe(_)
            | CmpOp::FLt(_)
            | CmpOp::FLe(_)
            | CmpOp::BLt
            | CmpOp::BLe => None,
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn ring_op(op: BinOp, p: &Poly, q: &Poly) -> Poly {
    match op {
        BinOp::Add(_) => p + q,
        BinOp::Sub(_) => p - q,
        BinOp::Mul(_) => p * q,
        _ => Poly::unknown(),
    }
}
