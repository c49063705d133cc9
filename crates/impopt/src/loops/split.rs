//! Loops with special cases at their ends become loops for the ends and a loop without special cases.
//!
//! Indices that are kept within bounds, and branches on where an index is, are decided the same way for nearly
//! all iterations of a loop: for a middle part of it, whose ends can be computed before it starts. In
//! code for the middle part alone they are gone, and C compilers can make vector code of it:
//!
//! ```text
//! for j < m {                                   lo = 1; hi = m - 1         (both kept within 0 and m)
//!   l = max(j - 1, 0)                           for part < 3 {
//!   r = min(j + 1, m - 1)                 =>      if part == 1 { for k < hi - lo { j = lo + k; l = j - 1; r = j + 1; ... } }
//!   ys[j] = xs[l] + xs[j] + xs[r]                 else         { for j from 0 to lo, then from hi to m, as before }
//! }                                             }
//! ```
//!
//! A comparison of what grows or falls by one in each iteration with what does not change gives one bound of
//! the middle. On which side of it the middle is: minima and maxima give what changes; and comparisons with
//! small constants are about the beginning, others about the end; the other way round for what falls, as a
//! column does along a diagonal. Whatever the guess, the values are the same, for the ends are the code as it
//! was, and the order of iterations stays.
//!
//! Arithmetic wraps, so comparisons are turned around only for numbers that are far from overflow; if an
//! operand is not, at run time, then there is no middle.

use super::plain::{for_each_set, parts, renamed, rewrite, rewrite_code, size, Renaming};
use super::Loops;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::tuning::cpu_loops;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::ops::Operation;
use fehu_imp::parts::flat;
use fehu_imp::syntax::{Code, Expr, Order};
use rustc_hash::{FxHashMap, FxHashSet};

/// Comparisons with constants of at most this size are about the beginning of a loop.
const SMALL: i64 = 64;
/// No overflow is near numbers of at most this size.
const SAFE: i64 = 1 << 61;
/// Expressions that describe a number have at most so many parts.
const PARTS: usize = 24;
/// More bounds than these are not worth computing.
const BOUNDS: usize = 12;

impl Loops<'_> {
    /// A loop without loops inside, split where special cases end and begin, if it has any.
    pub(super) fn split<O: Operation>(&mut self, code: &Code<O>) -> Option<Code<O>> {
        let Code::For { var: j, ty: IntType::I64, bound, order, body } = code else { return None };
        if size(body)? > cpu_loops::SPLIT_NODES
            || constant(bound).is_some_and(|n| n <= cpu_loops::UNROLLED_ITERATIONS)
        {
            return None;
        }
        let mut middle = Middle::new(*j, body);
        let mut decided = vec![];
        middle.code(body, &mut decided);
        if middle.low.is_empty() && middle.high.is_empty() || middle.low.len() + middle.high.len() > BOUNDS {
            return None;
        }
        let names = &mut *self.names;
        let [n, safe, lo, hi, part] = ["n", "safe", "lo", "hi", "part"].map(|s| names.fresh_str(s));
        let mut out = vec![];
        define(&mut out, n, PrimType::I64, bound.clone());
        let within = |e: &Expr| {
            let shifted = add(e.clone(), i64(SAFE));
            Expr::CmpOp(CmpOp::ULt(IntType::I64), Box::new(shifted), Box::new(i64(2 * SAFE)))
        };
        let all_safe = middle.operands.iter().map(within).reduce(and).unwrap_or(bool(true));
        define(&mut out, safe, PrimType::Bool, all_safe);
        let from = middle.low.into_iter().fold(i64(0), max);
        let to = middle.high.into_iter().fold(var(n), min);
        define(&mut out, lo, PrimType::I64, select(var(safe), min(from, max(var(n), i64(0))), i64(0)));
        define(&mut out, hi, PrimType::I64, select(var(safe), max(to, var(lo)), i64(0)));
        let [i, k] = [names.fresh_like(*j), names.fresh_like(*j)];
        let [start, end] = ["start", "end"].map(|s| names.fresh_str(s));
        let is = |p: i64| eq(var(part), i64(p));
        let mut inside = vec![];
        define(&mut inside, start, PrimType::I64, select(is(0), i64(0), select(is(1), var(lo), var(hi))));
        define(&mut inside, end, PrimType::I64, select(is(0), var(lo), select(is(1), var(hi), var(n))));
        let middle = range((k, *order), *j, start, end, Code::Seq(decided));
        let mut renaming = Renaming::default();
        renaming.insert(*j, names.fresh_like(*j));
        let ends = renamed(names, body, &mut renaming);
        let ends = range((i, *order), renaming[j], start, end, ends);
        inside.push(Code::If(is(1), Box::new(middle), Box::new(ends)));
        out.push(count_up(part, i64(3), Code::Seq(inside)));
        Some(Code::Seq(out))
    }
}

fn define<O: Operation>(code: &mut Vec<Code<O>>, x: Name, ty: PrimType, e: Expr) {
    code.push(Code::DeclareScalar(x, ty));
    code.push(Code::SetScalar(x, e));
}

/// A loop from one number to another.
fn range<O: Operation>(
    (count, order): (Name, Order),
    j: Name,
    start: Name,
    end: Name,
    body: Code<O>,
) -> Code<O> {
    let mut inside = vec![];
    define(&mut inside, j, PrimType::I64, add(var(start), var(count)));
    inside.push(body);
    let bound = sub(var(end), var(start));
    Code::For { var: count, ty: IntType::I64, bound, order, body: Box::new(Code::Seq(inside)) }
}

/// A number that grows or falls with the loop, or does not change: `sign * j + base`.
#[derive(Clone)]
struct Linear {
    sign: i64,
    base: Expr,
}

/// The middle part of a loop: iterations from the largest of `low` to the smallest of `high`.
struct Middle {
    j: Name,
    /// Scalars that are assigned in the loop.
    changing: FxHashSet<Name>,
    /// How often.
    sets: FxHashMap<Name, i32>,
    /// Scalars that are declared in the code so far.
    declared: FxHashSet<Name>,
    /// Those that are known in terms of the loop's variable, or to be true or false.
    known: FxHashMap<Name, Linear>,
    truths: FxHashMap<Name, bool>,
    low: Vec<Expr>,
    high: Vec<Expr>,
    /// What must not be near to overflow.
    operands: Vec<Expr>,
}

/// When a comparison holds.
enum Holds {
    /// From here on.
    From(Expr),
    /// Before this.
    Before(Expr),
    /// Only here.
    At(Expr),
}

impl Middle {
    fn new<O: Operation>(j: Name, body: &Code<O>) -> Middle {
        let mut sets = FxHashMap::default();
        for_each_set(body, &mut |x| *sets.entry(x).or_insert(0) += 1);
        let changing = sets.keys().copied().collect();
        Middle {
            j,
            changing,
            sets,
            declared: FxHashSet::default(),
            known: FxHashMap::default(),
            truths: FxHashMap::default(),
            low: vec![],
            high: vec![],
            operands: vec![],
        }
    }

    /// The code of the middle part; collects its bounds.
    fn code<O: Operation>(&mut self, body: &Code<O>, out: &mut Vec<Code<O>>) {
        for code in flat(body) {
            match code {
                Code::If(cond, a, b) => {
                    let cond = self.expr(cond);
                    fehu_ir::visit::deep(|| self.branch(cond, a, b, out));
                }
                Code::DeclareScalar(x, _) => {
                    self.declared.insert(*x);
                    out.push(code.clone());
                }
                Code::SetScalar(x, e) => {
                    let e = self.expr(e);
                    // Declared here and assigned once: a name for a value.
                    if self.sets.get(x) == Some(&1) && self.declared.contains(x) {
                        if let Expr::Const(PrimValue::Bool(v)) = e {
                            self.truths.insert(*x, v);
                        } else if let Some(linear) = self.linear(&e) {
                            self.known.insert(*x, linear);
                        }
                    }
                    out.push(Code::SetScalar(*x, e));
                }
                // A check that holds everywhere in the middle.
                Code::Assert { cond, .. } if self.expr(cond) == bool(true) => {}
                other @ Code::Seq(_)
                | other @ Code::DeclareMem(..)
                | other @ Code::DeclareStatic(..)
                | other @ Code::SetMem(..)
                | other @ Code::Write { .. }
                | other @ Code::Copy { .. }
                | other @ Code::For { .. }
                | other @ Code::While(..)
                | other @ Code::Call { .. }
                | other @ Code::Assert { .. }
                | other @ Code::Op(_) => out.push(rewrite_code(other, &mut |e| self.decided(e))),
            }
        }
    }

    /// A branch; if it is decided, the other side is gone, with its assignments.
    fn branch<O: Operation>(&mut self, cond: Expr, a: &Code<O>, b: &Code<O>, out: &mut Vec<Code<O>>) {
        if let Expr::Const(PrimValue::Bool(v)) = cond {
            let (taken, gone) = if v { (a, b) } else { (b, a) };
            for_each_set(gone, &mut |x| {
                self.sets.entry(x).and_modify(|n| *n -= 1);
            });
            return self.code(taken, out);
        }
        let [a, b] = [a, b].map(|c| {
            let mut inside = vec![];
            self.code(c, &mut inside);
            Box::new(Code::Seq(inside))
        });
        out.push(Code::If(cond, a, b));
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        rewrite(e, &mut |e| self.decided(e))
    }

    /// What an expression is in the middle, if that is simpler.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn decided(&mut self, e: &Expr) -> Option<Expr> {
        match e {
            Expr::Var(x) => self.truths.get(x).map(|v| bool(*v)),
            Expr::BinOp(op @ (BinOp::SMin(IntType::I64) | BinOp::SMax(IntType::I64)), a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let (x, y) = (self.linear(&a)?, self.linear(&b)?);
                let (moving, x, y) = if x.sign == 0 { (b, y, x) } else { (a, x, y) };
                let holds = match op {
                    BinOp::SMax(_) => self.less(&y, &x, 1),
                    _ => self.less(&x, &y, 1),
                };
                match holds? {
                    Holds::From(t) => push_new(&mut self.low, t),
                    Holds::Before(t) => push_new(&mut self.high, t),
                    Holds::At(_) => return None,
                }
                Some(moving)
            }
            Expr::BinOp(op @ (BinOp::LogAnd | BinOp::LogOr), a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let absorbing = *op == BinOp::LogOr;
                match (&a, &b) {
                    (Expr::Const(PrimValue::Bool(v)), _) => Some(if *v == absorbing { a } else { b }),
                    (_, Expr::Const(PrimValue::Bool(v))) => Some(if *v == absorbing { b } else { a }),
                    _ => None,
                }
            }
            Expr::CmpOp(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let (x, y) = (self.linear(&a)?, self.linear(&b)?);
                let holds = match op {
                    CmpOp::SLt(IntType::I64) => self.less(&x, &y, 0),
                    CmpOp::SLe(IntType::I64) => self.less(&x, &y, 1),
                    CmpOp::Eq(PrimType::Int(IntType::I64)) => self.equal(&x, &y),
                    CmpOp::ULt(IntType::I64) => return self.within(&x, &y),
                    CmpOp::Eq(_)
                    | CmpOp::SLt(_)
                    | CmpOp::SLe(_)
                    | CmpOp::ULt(_)
                    | CmpOp::ULe(_)
                    | CmpOp::FLt(_)
                    | CmpOp::FLe(_)
                    | CmpOp::BLt
                    | CmpOp::BLe => None,
                }?;
                let (moving, fixed) = if x.sign == 0 { (&y, &x) } else { (&x, &y) };
                let is_small = constant(&fixed.base).is_some_and(|c| c.abs() <= SMALL);
                // What falls begins with its last values.
                let about_start = is_small == (moving.sign == 1);
                let bounds = if about_start { &mut self.low } else { &mut self.high };
                Some(bool(match holds {
                    Holds::From(t) => {
                        push_new(bounds, t);
                        about_start
                    }
                    Holds::Before(t) => {
                        push_new(bounds, t);
                        !about_start
                    }
                    Holds::At(t) => {
                        push_new(bounds, add(t, i64(about_start as i64)));
                        false
                    }
                }))
            }
            _ => None,
        }
    }

    /// When `x < y + more` holds, where one of them changes and the other does not.
    fn less(&mut self, x: &Linear, y: &Linear, more: i64) -> Option<Holds> {
        let difference = |a: &Linear, b: &Linear, c: i64| add(sub(a.base.clone(), b.base.clone()), i64(c));
        let holds = match (x.sign, y.sign) {
            (1, 0) => Holds::Before(difference(y, x, more)),
            (-1, 0) => Holds::From(difference(x, y, 1 - more)),
            (0, 1) => Holds::From(difference(x, y, 1 - more)),
            (0, -1) => Holds::Before(difference(y, x, more)),
            _ => return None,
        };
        self.far_from_overflow([x, y])?;
        Some(holds)
    }

    /// When `x == y` holds.
    fn equal(&mut self, x: &Linear, y: &Linear) -> Option<Holds> {
        let (moving, fixed) = if x.sign == 0 { (y, x) } else { (x, y) };
        let (a, e) = (moving.base.clone(), fixed.base.clone());
        let holds = match (moving.sign, fixed.sign) {
            (1, 0) => Holds::At(sub(e, a)),
            (-1, 0) => Holds::At(sub(a, e)),
            _ => return None,
        };
        self.far_from_overflow([x, y])?;
        Some(holds)
    }

    /// The check of an index, which is one comparison of numbers without a sign, holds in the middle.
    fn within(&mut self, x: &Linear, y: &Linear) -> Option<Expr> {
        let zero = Linear { sign: 0, base: i64(0) };
        let (Holds::From(low) | Holds::Before(low)) = self.less(&zero, x, 1)? else { return None };
        let (Holds::From(high) | Holds::Before(high)) = self.less(x, y, 0)? else { return None };
        if x.sign == 1 {
            push_new(&mut self.low, low);
            push_new(&mut self.high, high);
        } else {
            push_new(&mut self.low, high);
            push_new(&mut self.high, low);
        }
        Some(bool(true))
    }

    /// Makes sure that comparisons can be turned around: at compile time for constants, else at run time.
    fn far_from_overflow(&mut self, operands: [&Linear; 2]) -> Option<()> {
        for x in operands {
            match constant(&x.base) {
                Some(c) if c.unsigned_abs() < SAFE as u64 => {}
                Some(_) => return None,
                None => push_new(&mut self.operands, x.base.clone()),
            }
        }
        Some(())
    }

    /// A number in terms of the loop's variable.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn linear(&self, e: &Expr) -> Option<Linear> {
        match e {
            Expr::Var(x) if *x == self.j => Some(Linear { sign: 1, base: i64(0) }),
            Expr::Var(x) if self.changing.contains(x) => self.known.get(x).cloned(),
            Expr::BinOp(op @ (BinOp::Add(IntType::I64) | BinOp::Sub(IntType::I64)), a, b) => {
                let (x, y) = (self.linear(a)?, self.linear(b)?);
                let (sign, base) = match op {
                    BinOp::Add(_) => (x.sign + y.sign, add(x.base, y.base)),
                    _ => (x.sign - y.sign, sub(x.base, y.base)),
                };
                (sign.abs() <= 1 && parts(&base) <= PARTS).then_some(Linear { sign, base })
            }
            Expr::Const(_) | Expr::Var(_) => Some(Linear { sign: 0, base: e.clone() }),
            Expr::BinOp(op, a, b) if !op.is_partial() => {
                let (x, y) = (self.linear(a)?, self.linear(b)?);
                let base = binary(*op, x.base, y.base);
                (x.sign == 0 && y.sign == 0 && parts(&base) <= PARTS).then_some(Linear { sign: 0, base })
            }
            _ => None,
        }
    }
}

fn push_new(exprs: &mut Vec<Expr>, e: Expr) {
    if !exprs.contains(&e) {
        exprs.push(e);
    }
}
