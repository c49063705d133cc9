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

use crate::builder::MemBuilder;
use crate::tables::operand_counts;
use fehu_algebra::horner::Arith;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_ir::mem::MemOp;
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, for_each_operand, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, Exp, Loop, LoopForm, Memory, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Allocations leave loops.
pub const PASS: Pass<Prog<Memory>> = Pass { name: "hoist-allocations", need: Need::Optional, run: hoist };

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
            let moved = invariant(l, &FxHashSet::default());
            if !moved.is_empty() {
                let mut builder = MemBuilder::new(names, Types::default());
                builder.loc = stm.loc.clone();
                builder.begin();
                guarded(&mut builder, l, moved);
                out.extend(builder.close());
                names = builder.names;
            }
        }
        out.push(stm);
    }
    b.stms = out;
    names
}

/// Takes allocations of fixed size out of a loop's body, and what computes the sizes. Iterations hand on only blocks of those
/// that are `allowed` to be.
pub(crate) fn invariant(l: &mut Loop<Memory>, allowed: &FxHashSet<Name>) -> Vec<Stm<Memory>> {
    if !l.body.stms.iter().any(|s| matches!(s.exp, Exp::Op(MemOp::Alloc(..)))) {
        return vec![];
    }
    let passed = operand_counts(&l.body);
    let kept = kept_in(&l.body, &passed);
    let mut changing: FxHashSet<Name> = l.params.iter().map(|(p, _)| p.name).collect();
    match &l.form {
        LoopForm::For { var, .. } => {
            changing.insert(*var);
        }
        LoopForm::While(_) => {}
    }
    changing.extend(l.body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name));
    // Sizes are computed just before their allocation.
    let mut moving = vec![false; l.body.stms.len()];
    let mut moved_names: FxHashSet<Name> = FxHashSet::default();
    for (i, stm) in l.body.stms.iter().enumerate() {
        let mut fixed = stm.certs.is_empty();
        for_each_operand(&stm.exp, &mut |e| {
            fixed &= e.name().is_none_or(|n| !changing.contains(&n) || moved_names.contains(&n));
        });
        let movable = match &stm.exp {
            Exp::Op(MemOp::Alloc(_, Space::Default)) => {
                stm.pat.iter().all(|p| passed.get(&p.name) == kept.get(&p.name) || allowed.contains(&p.name))
            }
            Exp::Basic(Basic::BinOp(op, ..)) => !op.is_partial(),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                false
            }
        };
        if fixed && movable {
            moving[i] = true;
            moved_names.extend(stm.pat.iter().map(|p| p.name));
        }
    }
    // Arithmetic that no moved allocation needs stays.
    let mut needed: FxHashSet<Name> = FxHashSet::default();
    for (stm, moves) in l.body.stms.iter().zip(&mut moving).rev() {
        let wanted = matches!(stm.exp, Exp::Op(_)) || stm.pat.iter().any(|p| needed.contains(&p.name));
        *moves &= wanted;
        if *moves {
            for_each_operand(&stm.exp, &mut |e| needed.extend(e.name()));
        }
    }
    let mut moved = vec![];
    let mut moves = moving.into_iter();
    let stms = std::mem::take(&mut l.body.stms);
    for stm in stms {
        if moves.next() == Some(true) {
            moved.push(stm);
        } else {
            l.body.stms.push(stm);
        }
    }
    moved
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
