//! Points inside of a space need no tests for its edges.
//!
//! Before: maps over `Memory` with their schedules. After: those of stencils have their body twice.
//!
//! ```text
//! segmap (i < n) { up = max(i - 1, 0); down = min(i + 1, n - 1); ... xs[up] .. xs[down] ... }
//!   ==>
//! segmap (i < n) { if 1 <= i && i < n - 1 then { ... xs[i - 1] .. xs[i + 1] ... } else { as it was } }
//! ```
//!
//! Where there are no neighbours beyond an edge, programs take others: by comparing indices with bounds, by
//! minima and maxima, by remainders. Nearly all points are far from all edges, and pay for the few that are
//! not; and since it is not known *which* elements a point reads, neither compilers nor
//! [`columns`](fehu_ir::schedule::Column) can keep in registers what the point below needs as well. So the
//! body is simplified once more, under the assumption that the point is at least as far from all edges as the
//! largest constant by which the body changes an index. All that is decided by this assumption goes, with the
//! branches and checks that depend on it. Which it is, a point finds out by two comparisons for each
//! dimension; the points of a column find out together (`impgen/translate/kernel/map`).
//!
//! **What is known of an index** is a sum of indices, sizes of the space and constants, which cannot wrap
//! around: sizes have at most 2^48 elements. Indices that a program keeps in 32 bits are known if sizes are
//! at most 2^30, which points ask for as well. Nothing is known of anything else.
//!
//! Where points divide by numbers of their own, it is the divisions that take the time, and those of several
//! points side by side take longer: bodies with more than one such division or function are left alone.
//! Divisions by what is the same for all points are multiplications (`impopt/divisors`). Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.

mod assume;

use crate::sums::{as_host_sum, Sums, MOST_NARROW_SIZE};
use assume::Assume;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::MAX_STATEMENTS_OF_STENCIL;
use fehu_base::{Name, NameSource, Symbol};
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::schedule::Plan;
use fehu_ir::seg::{KernelReturn, SegKind, SegLevel, SegOp, INSIDE};
use fehu_ir::subst::rename_body;
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{Attr, Basic, Body, Exp, Loc, Memory, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Points inside of a space have a body without tests for its edges.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "inside", need: Need::Optional, run: inside };

/// The farthest from an edge that a point may have to be: of constants beyond, nothing is assumed.
const MOST_MARGIN: i64 = 16;

/// The most divisions and functions of floats that a point may have: see above.
const MOST_LONG_OPERATIONS: usize = 1;

fn inside(prog: &mut Prog<Memory>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut pass = Inside { names, sums: FxHashMap::default() };
    pass.host(&mut prog.consts);
    prog.funs.iter_mut().for_each(|fun| pass.host(&mut fun.body));
    prog.names = pass.names;
}

struct Inside {
    names: NameSource,
    /// Those that the host computes.
    sums: Sums,
}

impl Inside {
    /// Code of the host.
    fn host(&mut self, body: &mut Body<Memory>) {
        for stm in &mut body.stms {
            match &mut stm.exp {
                Exp::Op(MemOp::Seg(seg)) => self.map(seg, &stm.loc),
                Exp::Basic(basic) => {
                    let sum = as_host_sum(basic);
                    self.sums.extend(stm.pat.first().and_then(|p| Some((p.name, sum?))));
                }
                exp @ (Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_)) => {
                    map_bodies(exp, &mut |inner| deep(|| self.host(inner)))
                }
            }
        }
    }

    fn map(&mut self, seg: &mut SegOp<Memory>, loc: &Loc) {
        if !is_stencil(seg) {
            return;
        }
        let margin = margin(&seg.body.body);
        let mut assume = Assume::new(&seg.space.dims, margin, &self.sums);
        let fast = assume.body(rename_body(&mut self.names, &seg.body.body));
        let dims = assume.dims(&seg.space.dims);
        let mut long = 0;
        let mut own: FxHashSet<Name> = FxHashSet::default();
        for_each_stm(&fast, &mut |stm| own.extend(stm.pat.iter().map(|p| p.name)));
        for_each_stm(&fast, &mut |stm| {
            long += usize::from(matches!(&stm.exp, Exp::Basic(b) if is_long(b, &own)));
        });
        if long > MOST_LONG_OPERATIONS {
            return;
        }
        // A comparison with each edge takes the place of what is decided.
        if assume.divisions == 0 && assume.decided < 2 * dims.len() || dims.is_empty() {
            return;
        }
        let mut stms = vec![];
        let bind =
            |names: &mut NameSource, stms: &mut Vec<Stm<Memory>>, base: &str, ty: PrimType, exp: Basic| {
                let name = names.fresh_str(base);
                let pat = vec![PatElem { name, ty: Type::Prim(ty), dec: MemInfo::None }];
                stms.push(Stm { pat, certs: vec![], attrs: vec![], loc: loc.clone(), exp: Exp::Basic(exp) });
                SubExp::Var(name)
            };
        let mut all: Option<SubExp> = None;
        for (i, n) in dims {
            let (int, least) = (PrimType::Int(IntType::I64), SubExp::i64(margin));
            let end = bind(
                &mut self.names,
                &mut stms,
                "end",
                int,
                Basic::BinOp(BinOp::Sub(IntType::I64), n, least),
            );
            let from = Basic::CmpOp(CmpOp::SLe(IntType::I64), least, i.into());
            let from = bind(&mut self.names, &mut stms, "from", PrimType::Bool, from);
            let to = Basic::CmpOp(CmpOp::SLt(IntType::I64), i.into(), end);
            let to = bind(&mut self.names, &mut stms, "to", PrimType::Bool, to);
            for c in [from, to] {
                all = Some(match all {
                    None => c,
                    Some(a) => bind(
                        &mut self.names,
                        &mut stms,
                        "inside",
                        PrimType::Bool,
                        Basic::BinOp(BinOp::LogAnd, a, c),
                    ),
                });
            }
        }
        // What was computed in 32 bits is only known of sizes that are far from their end.
        let narrow = if assume.is_narrow() { seg.space.dims.as_slice() } else { &[] };
        for (_, n) in narrow {
            let fits = Basic::CmpOp(CmpOp::SLe(IntType::I64), *n, SubExp::i64(MOST_NARROW_SIZE));
            let fits = bind(&mut self.names, &mut stms, "fits", PrimType::Bool, fits);
            all = all.map(|a| {
                let both = Basic::BinOp(BinOp::LogAnd, a, fits);
                bind(&mut self.names, &mut stms, "inside", PrimType::Bool, both)
            });
        }
        let Some(cond) = all else { return };
        let result =
            |ty: &Type| PatElem { name: self.names.fresh_str("out"), ty: ty.clone(), dec: MemInfo::None };
        let pat: Vec<PatElem<Memory>> = seg.types.iter().map(result).collect();
        let result = pat.iter().map(|p| p.name.into()).collect();
        let slow = std::mem::replace(&mut seg.body.body, Body { stms: vec![], result });
        let exp = Exp::If(cond, Box::new(fast), Box::new(slow));
        let attrs = vec![Attr::Atom(Symbol::new(INSIDE))];
        stms.push(Stm { pat, certs: vec![], attrs, loc: loc.clone(), exp });
        seg.body.body.stms = stms;
    }
}

/// Whether the points of a map are scalars, computed by threads for themselves by a few statements.
fn is_stencil(seg: &SegOp<Memory>) -> bool {
    let plan = seg.schedule.as_ref().map(|s| s.choices.as_slice());
    let points = match plan {
        Some([several, one]) => {
            matches!(several.plan, Plan::Steps(_) | Plan::Line(_)) && matches!(one.plan, Plan::Points(_))
        }
        Some([choice]) => matches!(choice.plan, Plan::Points(_)),
        Some(_) | None => false,
    };
    let map = seg.level == SegLevel::Thread && matches!(seg.kind, SegKind::Map);
    let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
    let (mut count, mut plain) = (0, true);
    for_each_stm(&seg.body.body, &mut |stm| {
        count += 1;
        plain &= match &stm.exp {
            Exp::Basic(_) | Exp::If(..) | Exp::Loop(_) => true,
            Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
        } && stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    });
    points && map && elements && scalars && plain && count <= MAX_STATEMENTS_OF_STENCIL
}

/// Whether an operation of floats takes a call, or nearly as long. Divisions by what is no point's own become
/// multiplications (`impopt/divisors`).
fn is_long(basic: &Basic, own: &FxHashSet<Name>) -> bool {
    let Basic::BinOp(op, _, y) = basic else { return matches!(basic, Basic::PrimFn(..)) };
    let by_own = matches!(op, BinOp::FDiv(_)) && y.name().is_some_and(|y| own.contains(&y));
    by_own || matches!(op, BinOp::FMod(_) | BinOp::FPow(_))
}

/// How far from the edges a point has to be: the largest constant by which an index may be changed.
fn margin(body: &Body<Memory>) -> i64 {
    let mut margin = 1;
    let mut see = |e: SubExp, less: i64| {
        if let Some(c) = e.as_i64() {
            let c = c.saturating_abs() - less;
            margin = if c <= MOST_MARGIN { c.max(margin) } else { margin };
        }
    };
    for_each_stm(body, &mut |stm| {
        if let Exp::Basic(Basic::BinOp(
            BinOp::Add(IntType::I64 | IntType::I32) | BinOp::Sub(IntType::I64 | IntType::I32),
            a,
            b,
        )) = &stm.exp
        {
            see(*a, 0);
            see(*b, 0);
        } else if let Exp::Loop(l) = &stm.exp {
            if let fehu_ir::LoopForm::For { bound, .. } = l.form {
                see(bound, 1);
            }
        }
    });
    margin
}
