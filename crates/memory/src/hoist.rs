//! Allocations leave loops.
//!
//! Before: a program over `Memory`. After: a block whose size does not change
//! from one iteration to the next, and which no iteration hands on, is
//! allocated once, before the loop.
//!
//! ```text
//! loop (...) for i < n {              let (b : mem) = alloc(max(0, 4*m) * (0 < n))
//!   let (b : mem) = alloc(4*m) ...    loop (...) for i < n { ... }
//! ```
//!
//! A loop that does not run must not fail for the size that one of its
//! iterations would have asked for; hence the guard.
//!
//! Allocations leave branches of an iteration, too, where the condition is the same in all iterations: for
//! versions of code, of which one runs. The size of a block is then also a product with the condition. Where
//! the condition changes, a branch that is never taken could ask for any size, and its allocations stay.

use crate::builder::MemBuilder;
use crate::tables::operand_counts;
use fehu_algebra::horner::Arith;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_ir::mem::MemOp;
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, for_each_operand, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, Exp, Loop, LoopForm, Memory, Param, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Allocations leave loops.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "hoist-allocations", need: Need::Optional, run: hoist };

/// Moves allocations out of loops.
fn hoist(prog: &mut Prog<Memory>) {
    let mut names = std::mem::take(&mut prog.names);
    for fun in &mut prog.funs {
        names = body(names, &mut fun.body);
    }
    prog.names = body(names, &mut prog.consts);
}

fn body(mut names: NameSource, b: &mut Body<Memory>) -> NameSource {
    let mut out = Vec::with_capacity(b.stms.len());
    for mut stm in std::mem::take(&mut b.stms) {
        map_bodies(&mut stm.exp, &mut |inner| {
            let taken = std::mem::take(&mut names);
            names = deep(|| body(taken, inner));
        });
        if let Exp::Loop(l) = &mut stm.exp {
            let mut builder = MemBuilder::new(names, Types::default());
            builder.loc = stm.loc.clone();
            leave_branches(&mut builder, l);
            let moved = invariant(l, &FxHashSet::default());
            if !moved.is_empty() {
                builder.begin();
                guarded(&mut builder, l, moved);
                out.extend(builder.close());
            }
            names = builder.names;
        }
        out.push(stm);
    }
    b.stms = out;
    names
}

/// Takes allocations of fixed size out of the branches of a loop's body, if the condition is the same in all
/// iterations.
fn leave_branches(b: &mut MemBuilder, l: &mut Loop<Memory>) {
    if !has_alloc_in_branch(&l.body) {
        return;
    }
    let passed = operand_counts(&l.body);
    let kept = kept_in(&l.body, &passed);
    let can_move = |block: Name| passed.get(&block) == kept.get(&block);
    out_of_branches(b, &mut l.body, carried(&l.params, &l.form), &can_move);
}

fn has_alloc_in_branch(body: &Body<Memory>) -> bool {
    body.stms.iter().any(|s| match &s.exp {
        Exp::If(_, t, f) => [t, f]
            .into_iter()
            .any(|b| b.stms.iter().any(|s| is_alloc(&s.exp)) || deep(|| has_alloc_in_branch(b))),
        Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    })
}

/// Takes allocations out of the branches of a body, to before the branches. `changing` are names that differ
/// between iterations.
fn out_of_branches(
    b: &mut MemBuilder,
    body: &mut Body<Memory>,
    mut changing: FxHashSet<Name>,
    can_move: &dyn Fn(Name) -> bool,
) {
    changing.extend(body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name));
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        if is_total_arithmetic(&stm.exp) && is_fixed(&stm, &changing) {
            stm.pat.iter().for_each(|p| {
                changing.remove(&p.name);
            });
        }
        if let Exp::If(c, t, f) = &mut stm.exp {
            if c.name().is_none_or(|c| !changing.contains(&c)) {
                b.begin();
                for (branch, taken) in [(t, true), (f, false)] {
                    deep(|| out_of_branches(b, branch, changing.clone(), can_move));
                    let moved = take_fixed(branch, &changing, can_move);
                    if !moved.is_empty() {
                        let runs = if taken { *c } else { not(b, *c) };
                        guarded_by(b, runs, moved);
                    }
                }
                out.extend(b.close());
            }
        }
        out.push(stm);
    }
    body.stms = out;
}

fn not(b: &mut MemBuilder, c: SubExp) -> SubExp {
    let other = b.fresh("other", Type::BOOL);
    b.bind(other, Type::BOOL, Exp::Basic(Basic::UnOp(UnOp::Not, c)));
    other.into()
}

/// Takes allocations of fixed size out of a loop's body, and what computes the sizes. Iterations hand on only
/// blocks of those that are `allowed` to be.
pub(crate) fn invariant(l: &mut Loop<Memory>, allowed: &FxHashSet<Name>) -> Vec<Stm<Memory>> {
    if !l.body.stms.iter().any(|s| is_alloc(&s.exp)) {
        return vec![];
    }
    let passed = operand_counts(&l.body);
    let kept = kept_in(&l.body, &passed);
    let can_move = |block: Name| passed.get(&block) == kept.get(&block) || allowed.contains(&block);
    take_fixed(&mut l.body, &carried(&l.params, &l.form), &can_move)
}

/// The names that a loop itself changes.
fn carried(params: &[(Param<Memory>, SubExp)], form: &LoopForm) -> FxHashSet<Name> {
    let mut changing: FxHashSet<Name> = params.iter().map(|(p, _)| p.name).collect();
    match form {
        LoopForm::For { var, .. } => {
            changing.insert(*var);
        }
        LoopForm::While(_) => {}
    }
    changing
}

/// Takes allocations out of a body, and what computes their sizes, which must not depend on what is `changing`.
fn take_fixed(
    body: &mut Body<Memory>,
    changing: &FxHashSet<Name>,
    can_move: &dyn Fn(Name) -> bool,
) -> Vec<Stm<Memory>> {
    let mut changing = changing.clone();
    changing.extend(body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name));
    // Sizes are computed just before their allocation.
    let mut moving = vec![false; body.stms.len()];
    for (i, stm) in body.stms.iter().enumerate() {
        let movable = if let Exp::Op(MemOp::Alloc(_, Space::Default)) = &stm.exp {
            stm.pat.iter().all(|p| can_move(p.name))
        } else {
            is_total_arithmetic(&stm.exp)
        };
        if movable && is_fixed(stm, &changing) {
            moving[i] = true;
            stm.pat.iter().for_each(|p| {
                changing.remove(&p.name);
            });
        }
    }
    // Arithmetic that no moved allocation needs stays.
    let mut needed: FxHashSet<Name> = FxHashSet::default();
    for (stm, moves) in body.stms.iter().zip(&mut moving).rev() {
        let wanted = is_alloc(&stm.exp) || stm.pat.iter().any(|p| needed.contains(&p.name));
        *moves &= wanted;
        if *moves {
            for_each_operand(&stm.exp, &mut |e| needed.extend(e.name()));
        }
    }
    let mut moved = vec![];
    let mut moves = moving.into_iter();
    for stm in std::mem::take(&mut body.stms) {
        if moves.next() == Some(true) {
            moved.push(stm);
        } else {
            body.stms.push(stm);
        }
    }
    moved
}

/// Whether a statement does not depend on anything that is `changing`.
fn is_fixed(stm: &Stm<Memory>, changing: &FxHashSet<Name>) -> bool {
    let mut fixed = stm.certs.is_empty();
    for_each_operand(&stm.exp, &mut |e| fixed &= e.name().is_none_or(|n| !changing.contains(&n)));
    fixed
}

/// Whether an expression is arithmetic that never fails, as sizes are computed by: also of what left an inner
/// loop, which is nothing if that loop does not run.
fn is_total_arithmetic(exp: &Exp<Memory>) -> bool {
    match exp {
        Exp::Basic(Basic::BinOp(op, ..)) => !op.is_partial(),
        Exp::Basic(Basic::UnOp(..) | Basic::CmpOp(..) | Basic::Conv(..)) => true,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

fn is_alloc(exp: &Exp<Memory>) -> bool {
    matches!(exp, Exp::Op(MemOp::Alloc(_, Space::Default)))
}

/// How often blocks are passed to loops that keep them: none of the blocks that such a loop returns is passed on.
fn kept_in(body: &Body<Memory>, passed: &FxHashMap<Name, usize>) -> FxHashMap<Name, usize> {
    let mut kept = FxHashMap::default();
    for_each_stm(body, &mut |stm| {
        let Exp::Loop(l) = &stm.exp else { return };
        let is_block = |ty: &Type| matches!(ty, Type::Mem(_));
        if stm.pat.iter().any(|p| is_block(&p.ty) && passed.contains_key(&p.name)) {
            return;
        }
        for (_, init) in l.params.iter().filter(|(p, _)| is_block(&p.ty)) {
            if let SubExp::Var(n) = init {
                *kept.entry(*n).or_default() += 1;
            }
        }
    });
    kept
}

/// Emits what was moved before a loop, with sizes of nothing where the loop does not run.
pub(crate) fn guarded(b: &mut MemBuilder, l: &Loop<Memory>, moved: Vec<Stm<Memory>>) {
    let runs = match &l.form {
        LoopForm::For { bound: SubExp::Const(v), .. } => SubExp::bool(v.as_i64().is_some_and(|n| n > 0)),
        LoopForm::For { bound, ty, .. } => {
            let runs = b.fresh("runs", Type::BOOL);
            b.bind(runs, Type::BOOL, Exp::Basic(Basic::CmpOp(CmpOp::SLt(*ty), SubExp::int(*ty, 0), *bound)));
            runs.into()
        }
        LoopForm::While(cond) => {
            let init = l.params.iter().find(|(p, _)| p.name == *cond);
            init.map_or(SubExp::bool(true), |(_, init)| *init)
        }
    };
    guarded_by(b, runs, moved);
}

/// Emits what was moved, with sizes of nothing where the condition does not hold.
fn guarded_by(b: &mut MemBuilder, runs: SubExp, moved: Vec<Stm<Memory>>) {
    for stm in moved {
        let Stm { pat, certs, attrs, loc, exp } = stm;
        let exp = match exp {
            Exp::Op(MemOp::Alloc(bytes, space)) => Exp::Op(MemOp::Alloc(guard(b, runs, bytes), space)),
            other @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => other,
        };
        b.push_stm(Stm { pat, certs, attrs, loc, exp });
    }
}

fn guard(b: &mut MemBuilder, runs: SubExp, bytes: SubExp) -> SubExp {
    if bytes.as_i64().is_some_and(|n| n >= 0) {
        return bytes;
    }
    let some = b.fresh("bytes", Type::I64);
    b.bind(some, Type::I64, Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), SubExp::i64(0), bytes)));
    if runs == SubExp::Const(PrimValue::Bool(true)) {
        return some.into();
    }
    // A product, as all sizes of allocations are: whoever prints them keeps products from wrapping around.
    let times = b.fresh("runs", Type::I64);
    b.bind(times, Type::I64, Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), runs)));
    b.mul(some.into(), times.into())
}
