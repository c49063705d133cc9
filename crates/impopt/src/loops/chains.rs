//! Reductions with several accumulators.
//!
//! Each addition of a sum waits for the one before, which takes four cycles for floats, while a processor
//! could begin eight or more in each of them. The operator of a reduction is associative by the language, and
//! those below are commutative, so that each of several lanes can have a sum of its own. Then neighbouring
//! iterations are a vector:
//!
//! ```text
//! for reducing i < n { x = x + a[i] }   =>   if 64 <= n {
//!                                              for l < 32 { xs[l] = -0 }
//!                                              for s < n / 32 {
//!                                                for l < 32 { i = s*32 + l;  xs[l] = xs[l] + a[i] } }
//!                                              for l < 16 { xs[l] = xs[l] + xs[l + 16] }     .. 8, 4
//!                                              for l < 4 { x = x + xs[l] }
//!                                              for r < n % 32 { i = n / 32 * 32 + r;  x = x + a[i] }
//!                                            } else { for i < n { x = x + a[i] } }
//! ```
//!
//! A sum of a few elements is as it was: what the lanes cost is more than it takes. Iterations run in the same
//! order as before: only how their values are combined differs. Loops that the
//! program wrote as loops are not touched, nor are integers alone, which C compilers treat like this anyway.

use super::plain::{for_each_expr, for_each_set, for_each_statement, renamed, size, Renaming};
use super::stride::{Stride, Strides};
use super::strip::{has_vector_form, set_new, Array};
use super::Loops;
use fehu_base::ops::BinOp;
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue};
use fehu_base::tuning::cpu_loops;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{Code, Expr, Order, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// A scalar that iterations combine with their values.
struct Chain {
    x: Name,
    op: BinOp,
    ty: PrimType,
    neutral: PrimValue,
}

impl Loops<'_> {
    /// A reduction with several accumulators, if its operators are known and it gains by them.
    pub(super) fn with_accumulators<O: Operation>(&mut self, code: &Code<O>) -> Option<Code<O>> {
        let Code::For { var: i, ty: IntType::I64, bound, order: Order::Reduction, body } = code else {
            return None;
        };
        if size(body)? > cpu_loops::CHAIN_NODES {
            return None;
        }
        let chains = chains(body)?;
        let is_slow = |c: &Chain| matches!(c.ty, PrimType::Float(FloatType::F32 | FloatType::F64));
        if !chains.iter().any(is_slow) {
            return None;
        }
        let lanes = lanes(*i, body)?;
        if constant(bound).is_some_and(|n| n < 2 * lanes) {
            return None;
        }
        Some(self.in_chains(*i, bound, body, &chains, lanes))
    }

    fn in_chains<O: Operation>(
        &mut self,
        i: Name,
        bound: &Expr,
        body: &Code<O>,
        chains: &[Chain],
        lanes: i64,
    ) -> Code<O> {
        let [n, done, steps, step, lane, left] =
            ["n", "done", "steps", "s", "lane", "left"].map(|s| self.names.fresh_str(s));
        let mut out = vec![];
        set_new(&mut out, n, bound.clone());
        let mut inside = vec![];
        let mut arrays = vec![];
        for chain in chains {
            let space = Space::Scalar(chain.ty, vec![lanes]);
            let mem = self.names.fresh_like(chain.x);
            inside.push(Code::DeclareMem(mem, space.clone()));
            arrays.push(Array { mem, ty: chain.ty, space });
        }
        let all = chains.iter().zip(&arrays);
        inside.push(self.over_lanes(lanes, |l| {
            all.clone().map(|(c, a)| a.write(var(l), Expr::Const(c.neutral))).collect()
        }));
        set_new(&mut inside, steps, quot(var(n), i64(lanes)));
        // The steps: what an iteration does to its lane.
        let mut renaming = Renaming::default();
        let own = self.names.fresh_like(i);
        renaming.insert(i, own);
        let mut iteration = vec![];
        set_new(&mut iteration, own, add(mul(var(step), i64(lanes)), var(lane)));
        let mut sums = vec![];
        for (chain, array) in all.clone() {
            let sum = self.names.fresh_like(chain.x);
            renaming.insert(chain.x, sum);
            iteration.push(Code::DeclareScalar(sum, chain.ty));
            iteration.push(Code::SetScalar(sum, array.read(var(lane))));
            sums.push(sum);
        }
        iteration.push(renamed(self.names, body, &mut renaming));
        iteration.extend(all.clone().zip(&sums).map(|((_, array), sum)| array.write(var(lane), var(*sum))));
        let of_step = count_up(lane, i64(lanes), Code::Seq(iteration));
        inside.push(count_up(step, var(steps), of_step));
        // The lanes, by halves as long as these are vectors.
        let mut half = lanes / 2;
        while half >= cpu_loops::CHAIN_REST {
            inside.push(self.over_lanes(half, |l| {
                let combined = |(c, a): (&Chain, &Array)| {
                    let other = a.read(add(var(l), i64(half)));
                    a.write(var(l), binary(c.op, a.read(var(l)), other))
                };
                all.clone().map(combined).collect()
            }));
            half /= 2;
        }
        inside.push(self.over_lanes(2 * half, |l| {
            let combined =
                |(c, a): (&Chain, &Array)| Code::SetScalar(c.x, binary(c.op, var(c.x), a.read(var(l))));
            all.clone().map(combined).collect()
        }));
        set_new(&mut inside, done, mul(var(steps), i64(lanes)));
        let mut renaming = Renaming::default();
        let own = self.names.fresh_like(i);
        renaming.insert(i, own);
        let mut rest = vec![];
        set_new(&mut rest, own, add(var(done), var(left)));
        rest.push(renamed(self.names, body, &mut renaming));
        inside.push(count_up(left, sub(var(n), var(done)), Code::Seq(rest)));
        let few = count_up(i, var(n), body.clone());
        out.push(Code::If(le(i64(2 * lanes), var(n)), Box::new(Code::Seq(inside)), Box::new(few)));
        Code::Seq(out)
    }

    fn over_lanes<O: Operation>(&mut self, count: i64, body: impl FnOnce(Name) -> Vec<Code<O>>) -> Code<O> {
        let lane = self.names.fresh_str("lane");
        count_up(lane, i64(count), Code::Seq(body(lane)))
    }
}

/// How many lanes there are: several vectors, where iterations can be vectors. Others are at least no chain.
fn lanes<O: Operation>(i: Name, body: &Code<O>) -> Option<i64> {
    let strides = Strides::of(i, body);
    let mut vectors = flat(body)
        .iter()
        .all(|c| matches!(c, Code::DeclareScalar(..) | Code::SetScalar(..) | Code::Write { .. }));
    let mut calls = false;
    for_each_expr(body, &mut |e| {
        vectors &= strides.expr(e) == Stride::Zero || has_vector_form(e) || is_offset(&strides, e);
        for_each_part(e, &mut |part| match part {
            Expr::Index { offset, .. } => {
                vectors &= matches!(strides.expr(offset), Stride::Zero | Stride::One);
            }
            Expr::PrimFn(..) => calls |= !has_vector_form(part),
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::UnOp(..)
            | Expr::BinOp(..)
            | Expr::CmpOp(..)
            | Expr::Conv(..)
            | Expr::Select(..)
            | Expr::Param(_)
            | Expr::Gpu(_) => {}
        });
    });
    match (vectors, calls) {
        (true, _) => Some(cpu_loops::VECTOR_CHAINS),
        (false, false) => Some(cpu_loops::SCALAR_CHAINS),
        // What a function takes hides the chain.
        (false, true) => None,
    }
}

/// Whether an expression only says where something is.
fn is_offset(strides: &Strides, e: &Expr) -> bool {
    let mut reads = false;
    for_each_part(e, &mut |part| reads |= matches!(part, Expr::Index { .. }));
    !reads && strides.expr(e) == Stride::One
}

/// The scalars that go from one iteration to the next, if each is combined by one operator with what does not
/// depend on any of them, and is used for nothing else.
fn chains<O: Operation>(body: &Code<O>) -> Option<Vec<Chain>> {
    let codes = flat(body);
    let mut declared = FxHashSet::default();
    for_each_statement(body, &mut |code| {
        if let Code::DeclareScalar(x, _) = code {
            declared.insert(*x);
        }
    });
    let mut sets: FxHashMap<Name, usize> = FxHashMap::default();
    for_each_set(body, &mut |x| *sets.entry(x).or_default() += 1);
    let mut uses: FxHashMap<Name, usize> = FxHashMap::default();
    for_each_expr(body, &mut |e| {
        for_each_part(e, &mut |part| {
            if let Expr::Var(x) = part {
                *uses.entry(*x).or_default() += 1;
            }
        });
    });
    let once = |counts: &FxHashMap<Name, usize>, x: &Name| counts.get(x) == Some(&1);
    let mut values: FxHashMap<Name, &Expr> = FxHashMap::default();
    let mut chains = vec![];
    for code in codes {
        let Code::SetScalar(x, e) = code else { continue };
        if declared.contains(x) {
            values.insert(*x, e);
            continue;
        }
        let value = if let Expr::Var(t) = e { values.get(t).copied()? } else { e };
        if matches!(e, Expr::Var(t) if !once(&sets, t) || !once(&uses, t)) {
            return None;
        }
        let Expr::BinOp(op, a, b) = value else { return None };
        let of_x = [a, b].into_iter().any(|operand| matches!(&**operand, Expr::Var(y) if y == x));
        let neutral = op.neutral().filter(|_| op.is_commutative())?;
        if !of_x || !once(&sets, x) || !once(&uses, x) {
            return None;
        }
        chains.push(Chain { x: *x, op: *op, ty: neutral.prim_type(), neutral });
    }
    let carried = sets.keys().filter(|x| !declared.contains(x)).count();
    (carried == chains.len() && carried > 0).then_some(chains)
}
