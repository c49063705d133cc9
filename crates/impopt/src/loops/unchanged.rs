//! Blocks of iterations that change nothing are skipped.
//!
//! The index of the largest element changes seldom: the i-th element of an array in random order is larger
//! than all before it once in i times. Whether an iteration would change anything is asked of a block of
//! iterations at a time, with what is known before the block, which is vector code. Only if one of them
//! would, the block is run:
//!
//! ```text
//! for i < n {                 =>   for s < n / 256 {
//!   v = a[i]                         any = 0
//!   if x < v { x = v; k = i }        for l < 256 { i = s*256 + l;  any = any | (x < a[i]) }
//! }                                  if any != 0 { for l < 256 { i = s*256 + l;  v = a[i];  if x < v { .. } } }
//!                                  }
//!                                  for r < n % 256 { .. }
//! ```
//!
//! If no iteration of a block would change what was there before it, none does. So values stay as they were,
//! bit by bit, and this is done to loops that are no reductions, too.
//!
//! It is for iterations that replace a value by another only if that is larger (or, always, smaller): what is
//! there makes later changes less likely. That the other is as large, and its index less, is such a
//! condition, too. The bounds of the indices in a block then stand for the indices.

use super::plain::{for_each_statement, parts, renamed, size, Renaming};
use super::strip::set_new;
use super::vectors::innermost;
use super::Loops;
use crate::instead::Instead;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::tuning::cpu_loops;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{Code, Expr, Order, Vectors};
use fehu_imp::visit::Mutator;
use rustc_hash::{FxHashMap, FxHashSet};

impl Loops<'_> {
    /// A loop that skips blocks of its iterations, if few of them change anything.
    pub(super) fn skipping_blocks<O: Operation>(&mut self, code: &Code<O>) -> Option<Code<O>> {
        let Code::For { var: i, ty: IntType::I64, bound, body, .. } = code else { return None };
        let block = cpu_loops::SKIPPED_BLOCK;
        if size(body)? > cpu_loops::CHAIN_NODES || constant(bound).is_some_and(|n| n < 2 * block) {
            return None;
        }
        let carried = carried(body)?;
        let paths = paths(body, &carried)?;
        let changes: Vec<&Path> = paths.iter().filter(|p| p.changes(&carried)).collect();
        if changes.is_empty() || !carried.iter().any(|x| is_record(*x, &changes)) {
            return None;
        }
        let [n, blocks, s, l, first] = ["n", "blocks", "s", "l", "first"].map(|x| self.names.fresh_str(x));
        let any = any_change(*i, first, block, &changes)?;
        let mut ahead = vec![];
        let question = self.names.fresh_str("any");
        let (own, at) = (self.names.fresh_like(*i), self.names.fresh_str("ahead"));
        set_new(&mut ahead, own, add(var(first), var(at)));
        let any = with(&any, *i, &var(own));
        ahead.push(Code::SetScalar(question, binary(BinOp::Or(IntType::I32), var(question), any)));
        let ahead: Code<O> = Code::Seq(ahead);
        if innermost(at, &i64(block), &ahead) == Vectors::Basic {
            return None;
        }
        let mut out = vec![];
        set_new(&mut out, n, bound.clone());
        let mut step = vec![];
        set_new(&mut step, first, mul(var(s), i64(block)));
        step.push(Code::DeclareScalar(question, PrimType::Int(IntType::I32)));
        step.push(Code::SetScalar(question, i32(0)));
        step.push(Code::For {
            var: at,
            ty: IntType::I64,
            bound: i64(block),
            order: Order::Reduction,
            body: Box::new(ahead),
        });
        let run = count_up(l, i64(block), self.at(*i, add(var(first), var(l)), body));
        let some = not(equal(PrimType::Int(IntType::I32), var(question), i32(0)));
        step.push(Code::If(some, Box::new(run), Box::new(Code::Seq(vec![]))));
        set_new(&mut out, blocks, quot(var(n), i64(block)));
        out.push(count_up(s, var(blocks), Code::Seq(step)));
        let (done, left) = (self.names.fresh_str("done"), self.names.fresh_str("left"));
        set_new(&mut out, done, mul(var(blocks), i64(block)));
        let rest = self.at(*i, add(var(done), var(left)), body);
        out.push(count_up(left, sub(var(n), var(done)), rest));
        Some(Code::Seq(out))
    }

    /// A copy of the body of a loop, where its counter has a value.
    fn at<O: Operation>(&mut self, i: Name, value: Expr, body: &Code<O>) -> Code<O> {
        let own = self.names.fresh_like(i);
        let mut renaming = Renaming::default();
        renaming.insert(i, own);
        let mut code = vec![];
        set_new(&mut code, own, value);
        code.push(renamed(self.names, body, &mut renaming));
        Code::Seq(code)
    }
}

/// What one way through an iteration does.
#[derive(Clone, Default)]
struct Path {
    /// The conditions on the way, and whether they hold.
    conditions: Vec<(Expr, bool)>,
    /// What scalars are at its end, in terms of what they were before the iteration.
    values: FxHashMap<Name, Expr>,
}

impl Path {
    fn changes(&self, carried: &[Name]) -> bool {
        carried.iter().any(|x| self.values.get(x).is_some_and(|e| *e != var(*x)))
    }

    fn value(&self, e: &Expr) -> Expr {
        with_all(e, &self.values)
    }

    /// That a condition holds, or does not: each part of it, where that says so.
    fn assume(&mut self, condition: &Expr, holds: bool) {
        match (condition, holds) {
            (Expr::BinOp(BinOp::LogAnd, a, b), true) | (Expr::BinOp(BinOp::LogOr, a, b), false) => {
                self.assume(a, holds);
                self.assume(b, holds);
            }
            _ => self.conditions.push((condition.clone(), holds)),
        }
    }
}

/// The scalars that iterations hand on, if they do nothing but assign scalars.
fn carried<O: Operation>(body: &Code<O>) -> Option<Vec<Name>> {
    let (mut declared, mut assigned, mut plain) = (FxHashSet::default(), vec![], true);
    for_each_statement(body, &mut |code| match code {
        Code::DeclareScalar(x, _) => {
            declared.insert(*x);
        }
        Code::SetScalar(x, _) => assigned.push(*x),
        Code::If(..) => {}
        Code::Seq(_)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::Assert { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Op(_) => plain = false,
    });
    assigned.retain(|x| !declared.contains(x));
    assigned.sort_unstable();
    assigned.dedup();
    (plain && !assigned.is_empty()).then_some(assigned)
}

/// All ways through an iteration, if they are few.
fn paths<O: Operation>(body: &Code<O>, carried: &[Name]) -> Option<Vec<Path>> {
    let mut paths = vec![Path::default()];
    run(&mut paths, body)?;
    for x in carried {
        let decided = paths.iter().all(|p| !matches!(p.values.get(x), Some(Expr::Select(..))));
        if !decided {
            return None;
        }
    }
    Some(paths)
}

fn run<O: Operation>(paths: &mut Vec<Path>, code: &Code<O>) -> Option<()> {
    for code in flat(code) {
        match code {
            Code::SetScalar(x, Expr::Select(c, a, b)) => {
                let set = |e: &Expr| Code::<O>::SetScalar(*x, e.clone());
                branch(paths, c, &set(a), &set(b))?;
            }
            Code::SetScalar(x, e) => {
                for path in paths.iter_mut() {
                    let value = path.value(e);
                    if parts(&value) > cpu_loops::CHAIN_NODES {
                        return None;
                    }
                    path.values.insert(*x, value);
                }
            }
            Code::If(c, a, b) => branch(paths, c, a, b)?,
            Code::DeclareScalar(..) => {}
            Code::Seq(_)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Assert { .. }
            | Code::For { .. }
            | Code::While(..)
            | Code::Call { .. }
            | Code::Op(_) => return None,
        }
    }
    Some(())
}

fn branch<O: Operation>(paths: &mut Vec<Path>, c: &Expr, a: &Code<O>, b: &Code<O>) -> Option<()> {
    let mut out = vec![];
    for path in std::mem::take(paths) {
        let condition = path.value(c);
        for (holds, code) in [(true, a), (false, b)] {
            let known = if let Expr::Const(v) = &condition {
                Some(*v == PrimValue::Bool(true))
            } else {
                path.conditions.iter().find(|(c, _)| *c == condition).map(|(_, holds)| *holds)
            };
            if known.is_some_and(|k| k != holds) {
                continue;
            }
            let mut way = path.clone();
            if known.is_none() {
                way.assume(&condition, holds);
            }
            let mut ways = vec![way];
            fehu_ir::visit::deep(|| run(&mut ways, code))?;
            out.extend(ways);
        }
    }
    *paths = out;
    (paths.len() <= cpu_loops::SKIPPED_PATHS).then_some(())
}

/// Whether a scalar is replaced only by what is larger, or only by what is smaller; or, with another scalar,
/// by what is as large.
fn is_record(x: Name, changes: &[&Path]) -> bool {
    let news: Vec<&Expr> =
        changes.iter().filter_map(|p| p.values.get(&x)).filter(|e| **e != var(x)).collect();
    // Whether a condition says that the scalar is at most (at least) a new value.
    let says = |(c, holds): &(Expr, bool), up: bool| {
        let Expr::CmpOp(op, a, b) = c else { return false };
        let ordered = match op {
            CmpOp::Eq(_) => {
                return *holds && (is(a, x) && news.contains(&&**b) || is(b, x) && news.contains(&&**a))
            }
            CmpOp::SLt(_) | CmpOp::SLe(_) | CmpOp::ULt(_) | CmpOp::ULe(_) | CmpOp::FLt(_) | CmpOp::FLe(_) => {
                true
            }
            CmpOp::BLt | CmpOp::BLe => false,
        };
        let (low, high) = if *holds == up { (a, b) } else { (b, a) };
        ordered && is(low, x) && news.contains(&&**high)
    };
    !news.is_empty()
        && [true, false].into_iter().any(|up| {
            changes.iter().all(|p| p.conditions.iter().any(|c| says(c, up)))
                && changes.iter().any(|p| p.conditions.iter().any(|c| says(c, up) && !is_equality(&c.0)))
        })
}

fn is(e: &Expr, x: Name) -> bool {
    matches!(e, Expr::Var(y) if *y == x)
}

fn is_equality(e: &Expr) -> bool {
    matches!(e, Expr::CmpOp(CmpOp::Eq(_), ..))
}

/// A word that is not zero if an iteration takes one of these ways, or might: it may say so of others. In a
/// block that begins with iteration `first`.
fn any_change(i: Name, first: Name, block: i64, changes: &[&Path]) -> Option<Expr> {
    let mut all: Option<Expr> = None;
    let mut nodes = 0;
    for path in changes {
        let mut way: Option<Expr> = None;
        for (c, holds) in &path.conditions {
            // That another way is not taken need not be asked.
            let other = |p: &&&Path| matches!(&p.conditions[..], [(d, h)] if d == c && h != holds);
            if changes.iter().any(|p| other(&p)) {
                continue;
            }
            let c = of_block(c, *holds, i, first, block);
            let c = if *holds { c } else { not(c) };
            nodes += parts(&c);
            let word = Expr::Conv(ConvOp::BToI(IntType::I32), Box::new(c));
            way = Some(match way {
                Some(w) => binary(BinOp::And(IntType::I32), w, word),
                None => word,
            });
        }
        all = Some(match all {
            Some(w) => binary(BinOp::Or(IntType::I32), w, way?),
            None => way?,
        });
    }
    all.filter(|_| nodes <= cpu_loops::CHAIN_NODES)
}

/// A condition on an index, as one on the bounds of the indices in a block, which holds (or does not) for the
/// block if it does so for one of them.
fn of_block(c: &Expr, holds: bool, i: Name, first: Name, block: i64) -> Expr {
    let Expr::CmpOp(op @ (CmpOp::SLt(IntType::I64) | CmpOp::SLe(IntType::I64)), a, b) = c else {
        return c.clone();
    };
    let left = depends(a, i);
    let index = if left { a } else { b };
    if left == depends(b, i) || !is_index(index, i) {
        return c.clone();
    }
    let low = with(index, i, &var(first));
    let high = with(index, i, &add(var(first), i64(block - 1)));
    // Less is likelier with the least on the left, and the greatest on the right.
    let bound = if left == holds { low.clone() } else { high.clone() };
    let (a, b) = if left { (bound, (**b).clone()) } else { ((**a).clone(), bound) };
    let compared = Expr::CmpOp(*op, Box::new(a), Box::new(b));
    // An index that overflows in the block has no such bounds.
    match (is(index, i), holds) {
        (true, _) => compared,
        (false, true) => or(compared, lt(high, low)),
        (false, false) => and(compared, le(low, high)),
    }
}

/// Whether an expression is the counter of a loop, or what a loop over a part of a range has for it.
fn is_index(e: &Expr, i: Name) -> bool {
    if let Expr::BinOp(BinOp::Add(IntType::I64), a, b) = e {
        is(a, i) && !depends(b, i) || is(b, i) && !depends(a, i)
    } else {
        is(e, i)
    }
}

fn depends(e: &Expr, i: Name) -> bool {
    let mut any = false;
    for_each_part(e, &mut |part| any |= is(part, i));
    any
}

fn with(e: &Expr, x: Name, value: &Expr) -> Expr {
    with_all(e, &[(x, value.clone())].into_iter().collect())
}

fn with_all(e: &Expr, values: &FxHashMap<Name, Expr>) -> Expr {
    let mut e = e.clone();
    Instead(values).expr(&mut e);
    e
}
