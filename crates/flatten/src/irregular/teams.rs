//! The version of an irregular nest in which several threads, a *team*, run each point.
//!
//! With one thread for each point, threads of a warp read arrays of different points, far from each other in
//! memory. Flat code reads in order, but has to compute to which point each element belongs, and writes what
//! it reduces before it does. Where the only irregular operations of a point are reductions to scalars, there
//! is a third way, as hand-written kernels for sparse matrices have it: each member of a team reduces every
//! W-th element, then the team reduces the results.
//!
//! ```text
//! map (\n -> reduce (+) 0 (map f (xs of size n))) ns
//!
//! map (\n -> reduce (+) 0 (map (\t -> reduce (+) 0 (map (\k -> f xs[t + k * W]) (iota (elements of t)))) (iota W))) ns
//! ```
//!
//! This is a regular nest, of points and members, with a loop in it: its kernel is a segmented reduction like
//! any other, of rows of W elements. Members read neighbours, so that accesses are coalesced. Where the
//! operator does not commute, each member takes a contiguous part instead.
//!
//! The size of a team is a power of two that gives its members at least [`TEAM_COMPUTED_ELEMENTS`] or
//! [`TEAM_READ_ELEMENTS`] elements on average; points that are read by teams have at least
//! [`TEAM_READ_POINT_ELEMENTS`]. It is chosen when the program runs, from the sum that the guard of the nest
//! needs too.

use super::point::whole;
use super::versions::Work;
use super::Nests;
use fehu_analysis::operator::is_commutative;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::flattening::{
    LARGEST_TEAM_THREADS, TEAM_COMPUTED_ELEMENTS, TEAM_READ_ELEMENTS, TEAM_READ_POINT_ELEMENTS,
};
use fehu_base::{Name, Symbol};
use fehu_ir::build::nested_body;
use fehu_ir::free::{bound_in_lambda, free_in_stm};
use fehu_ir::soac::{Reduce, Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::types::body_types;
use fehu_ir::visit::{for_each_body, for_each_stm};
use fehu_ir::{Attr, Basic, Body, Builder, DimIndex, Exp, Lambda, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// A team, and what it has to do.
pub(super) struct Team {
    /// How many threads it has.
    pub(super) members: SubExp,
    /// The logarithm of that. Nothing is divided by the number of members: a division of 64 bits takes some
    /// 70 instructions, as long as several elements.
    log2: SubExp,
    /// How many threads of all teams can be expected to be busy at a time, on average.
    pub(super) busy: SubExp,
}

impl Nests {
    /// How large teams should be for some work, and whether it reads elements.
    pub(super) fn team(&mut self, work: &Work, reads: bool) -> Team {
        let least = if reads { TEAM_READ_ELEMENTS } else { TEAM_COMPUTED_ELEMENTS };
        let points = self.i64(BinOp::SMax, work.points, SubExp::i64(1));
        let average = self.i64(BinOp::SQuot, work.sum, points);
        let share = self.i64(BinOp::SQuot, average, SubExp::i64(least));
        let share = self.i64(BinOp::SMax, share, SubExp::i64(1));
        let share = self.i64(BinOp::SMin, share, SubExp::i64(LARGEST_TEAM_THREADS));
        let bits = bits(&mut self.b, share);
        let log2 = self.b.sub64(bits, SubExp::i64(1));
        let members = self.i64(BinOp::Shl, SubExp::i64(1), log2);
        // A team of one is what the other version has.
        let worth = if reads { TEAM_READ_POINT_ELEMENTS } else { 2 * TEAM_COMPUTED_ELEMENTS };
        let several = self.b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(worth), average);
        let threads = self.b.mul64(work.busy, members);
        let [yes, no] = [threads, SubExp::i64(0)].map(|e| Box::new(Body { stms: vec![], result: vec![e] }));
        let busy = self.b.bind("busy", Type::I64, Exp::If(several, yes, no)).into();
        Team { members, log2, busy }
    }

    fn i64(&mut self, op: fn(IntType) -> BinOp, x: SubExp, y: SubExp) -> SubExp {
        self.b.bin(op(IntType::I64), x, y)
    }

    /// The nest run by teams, for which [`for_teams`] holds.
    pub(super) fn by_teams(&mut self, stm: &Stm<Soacs>, s: &Screma<Soacs>, team: &Team) -> Stm<Soacs> {
        let plan = Plan::of(&s.map);
        let members = team.members;
        let numbers = numbers(&mut self.b, members);
        let mut stms = vec![];
        for stm in &s.map.body.stms {
            match &stm.exp {
                Exp::Op(Soac::Screma(inner)) if plan.varies(inner.width) => {
                    let map = self.member(inner, &plan.views_of(stm), team);
                    let arrays = vec![numbers];
                    let reds = inner.reds.clone();
                    let team = Soac::Screma(Screma { width: members, arrays, scans: vec![], reds, map });
                    stms.push(Stm { exp: Exp::Op(team), ..stm.clone() });
                }
                Exp::Basic(_) if plan.is_view(stm) => {}
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    stms.push(stm.clone())
                }
            }
        }
        // The names of this version are its own.
        let body = Body { stms, result: s.map.body.result.clone() };
        let map = Lambda { params: s.map.params.clone(), body, ret: s.map.ret.clone() };
        let mut screma = Screma { map: renamed(&mut self.b, &map), ..s.clone() };
        screma.reds.iter_mut().for_each(|r| r.op = renamed(&mut self.b, &r.op));
        screma.scans.iter_mut().for_each(|s| s.op = renamed(&mut self.b, &s.op));
        let schedules =
            stm.attrs.iter().filter(|a| matches!(a, Attr::Comp(name, _) if name.as_str() == "schedule"));
        let attrs = only_inner().into_iter().chain(schedules.cloned()).collect();
        Stm { exp: Exp::Op(Soac::Screma(screma)), attrs, ..stm.clone() }
    }

    /// What one member does for a reduction of a point.
    fn member(&mut self, inner: &Screma<Soacs>, views: &[Stm<Soacs>], team: &Team) -> Lambda<Soacs> {
        let member = self.b.param("member", Type::I64);
        let commutes = inner.reds.iter().all(|r| is_commutative(r.comm, &r.op));
        let ret = inner.map.ret.clone();
        let body = nested_body(
            self,
            |n| &mut n.b,
            |n| {
                let n64 = SubExp::i64;
                let (t, size) = (SubExp::Var(member.name), inner.width);
                let more = n.b.sub64(team.members, n64(1));
                let (first, step, count) = if commutes {
                    let rest = n.b.sub64(size, t);
                    let rest = n.b.add64(rest, more);
                    (t, team.members, n.i64(BinOp::AShr, rest, team.log2))
                } else {
                    let rounded = n.b.add64(size, more);
                    let part = n.i64(BinOp::AShr, rounded, team.log2);
                    let first = n.b.mul64(t, part);
                    let rest = n.b.sub64(size, first);
                    let rest = n.i64(BinOp::SMax, rest, n64(0));
                    (first, n64(1), n.i64(BinOp::SMin, rest, part))
                };
                views.iter().for_each(|v| n.b.push(v.clone()));
                part(&mut n.b, inner, first, step, count)
            },
        );
        // Several reductions may read the same views.
        renamed(&mut self.b, &Lambda { params: vec![member], body, ret })
    }
}

/// One thread's part of a reduction: `count` elements, from `first` on with this step, one after the other.
pub(super) fn part(
    b: &mut Builder<Soacs>,
    inner: &Screma<Soacs>,
    first: SubExp,
    step: SubExp,
    count: SubExp,
) -> Vec<SubExp> {
    let k = b.param("k", Type::I64);
    let body = nested_body(
        b,
        |b| b,
        |b| {
            let skipped = b.mul64(step, k.name.into());
            let place = b.add64(first, skipped);
            for (p, array) in inner.map.params.iter().zip(&inner.arrays) {
                let mut slice = vec![DimIndex::Fix(place)];
                slice.extend(p.ty.shape().iter().map(|d| whole(*d)));
                b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::Index(*array, slice)));
            }
            inner.map.body.stms.iter().for_each(|s| b.push(s.clone()));
            inner.map.body.result.clone()
        },
    );
    let numbers = numbers(b, count);
    let ret = inner.map.ret.clone();
    let map = Lambda { params: vec![k], body, ret: ret.clone() };
    let reds = inner.reds.iter().map(|r| Reduce { op: renamed(b, &r.op), ..r.clone() }).collect();
    let part = Screma { width: count, arrays: vec![numbers], scans: vec![], reds, map };
    let sequential = vec![Attr::Atom(Symbol::new("sequential"))];
    let outer = std::mem::replace(&mut b.attrs, sequential);
    let parts = b.bind_all("part", ret, Exp::Op(Soac::Screma(part)));
    b.attrs = outer;
    parts.into_iter().map(SubExp::Var).collect()
}

/// How many bits a number has.
pub(super) fn bits(b: &mut Builder<Soacs>, n: SubExp) -> SubExp {
    let clz = Basic::PrimFn(PrimFn { op: MathFn::Clz, at: PrimType::I64 }, vec![n]);
    let zeros = b.bind("zeros", Type::Prim(PrimType::I32), Exp::Basic(clz));
    let zeros = b.conv(ConvOp::SExt(IntType::I32, IntType::I64), zeros.into());
    b.sub64(SubExp::i64(64), zeros)
}

/// The numbers from 0.
pub(super) fn numbers(b: &mut Builder<Soacs>, n: SubExp) -> Name {
    let iota = Basic::Iota { n, start: SubExp::i64(0), step: SubExp::i64(1), ty: IntType::I64 };
    b.bind("numbers", Type::Array(PrimType::I64, vec![n]), Exp::Basic(iota))
}

/// A copy of a lambda with names of its own.
pub(super) fn renamed(b: &mut Builder<Soacs>, lambda: &Lambda<Soacs>) -> Lambda<Soacs> {
    let copy = rename_lambda(&mut b.names, lambda);
    b.types.extend(body_types(&copy.body));
    b.types.extend(copy.params.iter().map(|p| (p.name, p.ty.clone())));
    copy
}

/// The attribute of regular nests whose inner operations alone are parallel.
pub(super) fn only_inner() -> Vec<Attr> {
    let only_inner = vec![Attr::Atom(Symbol::new("only_inner"))];
    vec![Attr::Comp(Symbol::new("incremental_flattening"), only_inner)]
}

/// What of the code of a point differs in size from point to point.
struct Plan<'a> {
    stms: &'a [Stm<Soacs>],
    /// All names of the nest, and so all sizes that may differ.
    inside: FxHashSet<Name>,
}

/// Whether teams can run the points of a nest.
pub(super) fn for_teams(map: &Lambda<Soacs>) -> bool {
    let plan = Plan::of(map);
    let irregular: FxHashSet<Name> =
        plan.stms.iter().flat_map(|s| &s.pat).filter(|p| plan.differs(&p.ty)).map(|p| p.name).collect();
    let mut reductions = 0;
    let others = plan.stms.iter().all(|stm| match &stm.exp {
        Exp::Op(Soac::Screma(inner)) if plan.varies(inner.width) => {
            let reduced: usize = inner.reds.iter().map(|r| r.neutral.len()).sum();
            let scalars = inner.map.ret.iter().all(|t| matches!(t, Type::Prim(_)));
            reductions += 1;
            inner.scans.is_empty()
                && reduced == inner.map.ret.len()
                && scalars
                && !inner.reds.iter().any(|r| can_fail(&r.op))
                && !plan.has_irregular(&inner.map.body)
        }
        Exp::Basic(_) if plan.is_view(stm) => true,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            let mut regular = !stm.pat.iter().any(|p| plan.differs(&p.ty));
            for_each_body(&stm.exp, &mut |b| regular &= !plan.has_irregular(b));
            regular && !free_in_stm(stm).iter().any(|n| irregular.contains(n))
        }
    });
    others
        && reductions > 0
        && !map.body.result.iter().any(|e| e.name().is_some_and(|n| irregular.contains(&n)))
}

/// Whether points of a nest store arrays whose sizes differ.
pub(super) fn stores(map: &Lambda<Soacs>) -> bool {
    let plan = Plan::of(map);
    let mut any = false;
    for_each_stm(&map.body, &mut |stm| {
        any |= !plan.is_view(stm) && stm.pat.iter().any(|p| plan.differs(&p.ty))
    });
    any
}

/// Whether an operator makes checks: members without elements combine neutral elements, which the program
/// would not have done.
pub(super) fn can_fail(op: &Lambda<Soacs>) -> bool {
    let mut any = false;
    for_each_stm(&op.body, &mut |s| any |= matches!(s.exp, Exp::Basic(Basic::Assert(..))));
    any
}

/// What the reductions of a nest read.
pub(super) enum Reads {
    /// No array: they compute all from the numbers of elements.
    Nothing,
    /// Elements of these arrays, which are from outside of the nest.
    From(Vec<Name>),
    /// Elements of arrays that the points make.
    Made,
}

/// What the reductions of a nest for which [`for_teams`] holds read.
pub(super) fn reads(map: &Lambda<Soacs>) -> Reads {
    let plan = Plan::of(map);
    let mut read: Vec<Name> = vec![];
    for stm in plan.stms {
        let Exp::Op(Soac::Screma(inner)) = &stm.exp else { continue };
        if !plan.varies(inner.width) {
            continue;
        }
        read.extend(inner.arrays.iter().filter(|a| !plan.is_computed(**a)));
        for_each_stm(&inner.map.body, &mut |s| {
            if let Exp::Basic(Basic::Index(a, _) | Basic::FlatIndex(a, ..)) = &s.exp {
                read.push(*a);
            }
        });
    }
    if read.is_empty() {
        return Reads::Nothing;
    }
    let from: Option<Vec<Name>> = read.iter().map(|a| plan.source(*a)).collect();
    from.map_or(Reads::Made, Reads::From)
}

impl Plan<'_> {
    fn of(map: &Lambda<Soacs>) -> Plan<'_> {
        Plan { stms: &map.body.stms, inside: bound_in_lambda(map).into_iter().collect() }
    }

    /// The statement that binds a name.
    fn binding(&self, name: Name) -> Option<&Stm<Soacs>> {
        self.stms.iter().find(|s| s.pat.iter().any(|p| p.name == name))
    }

    /// Whether elements of an array are not in memory.
    fn is_computed(&self, array: Name) -> bool {
        let made = self.binding(array);
        made.is_some_and(|s| matches!(s.exp, Exp::Basic(Basic::Iota { .. } | Basic::Replicate(..))))
    }

    /// The array from outside of the nest that an array is part of.
    fn source(&self, array: Name) -> Option<Name> {
        let mut array = array;
        while self.inside.contains(&array) {
            let Exp::Basic(
                Basic::SubExp(SubExp::Var(a))
                | Basic::Index(a, _)
                | Basic::FlatIndex(a, ..)
                | Basic::Rearrange(_, a)
                | Basic::Reshape(_, a),
            ) = &self.binding(array)?.exp
            else {
                return None;
            };
            array = *a;
        }
        Some(array)
    }

    fn varies(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.inside.contains(&n))
    }

    fn differs(&self, ty: &Type) -> bool {
        ty.shape().iter().any(|d| self.varies(*d))
    }

    /// Whether some operation or array inside of a body differs in size.
    fn has_irregular(&self, body: &Body<Soacs>) -> bool {
        let mut any = false;
        for_each_stm(body, &mut |s| any |= s.pat.iter().any(|p| self.differs(&p.ty)));
        any
    }

    /// Whether a statement gives an array that differs in size, and that each member can have for itself:
    /// nothing is stored.
    fn is_view(&self, stm: &Stm<Soacs>) -> bool {
        let form = match &stm.exp {
            Exp::Basic(b) => matches!(
                b,
                Basic::SubExp(_)
                    | Basic::Index(..)
                    | Basic::FlatIndex(..)
                    | Basic::Rearrange(..)
                    | Basic::Iota { .. }
                    | Basic::Replicate(..)
            ),
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
        };
        form && stm.pat.iter().all(|p| self.differs(&p.ty))
    }

    /// Copies of the statements whose arrays a statement reads.
    fn views_of(&self, stm: &Stm<Soacs>) -> Vec<Stm<Soacs>> {
        let mut needed: FxHashSet<Name> = free_in_stm(stm).into_iter().collect();
        let mut views = vec![];
        for view in self.stms.iter().rev().filter(|s| self.is_view(s)) {
            if view.pat.iter().any(|p| needed.contains(&p.name)) {
                needed.extend(free_in_stm(view));
                views.push(view.clone());
            }
        }
        views.reverse();
        views
    }
}
