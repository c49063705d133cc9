//! Rule of pieces: a reduction to scalars, at points whose arrays differ in size, is done in pieces of bounded size.
//!
//! A segmented scan of all elements is as balanced as can be, but computes and stores something for each
//! element: the point that it belongs to, a flag, and what is scanned. A reduction needs none of that for all
//! elements, only for as many parts as keep the device busy. So the elements of each point are cut into
//! pieces of [`PIECE_ELEMENTS`], the last possibly with fewer, and the pieces of all points are a level of
//! their own: as many points as there are pieces, none with much more to do than another. Each reduces its
//! elements; then there is one segmented scan of pieces.
//!
//! ```text
//! reduce (+) 0 (map f xs), n elements     pieces = (n + C - 1) / C                                  at each point
//!                                         part = reduce (+) 0 (map f xs[C k : min n (C (k + 1))])   at each piece k
//!                                         reduce (+) 0 part, `pieces` elements                      by a segmented scan
//! ```
//!
//! A thread does a piece from its first element to its last, so that operators need not commute. Where
//! elements are read from memory, threads that stand side by side should read what stands side by side:
//! [`PIECE_TEAM_MEMBERS`] threads share a piece, if the operator commutes, and each takes every
//! [`PIECE_TEAM_MEMBERS`]-th element.
//!
//! The arrays that a reduction reads need not be there: ranges, replicated values and slices that nothing
//! else uses (*views*) are taken into the pieces, where reading one element of them is a few instructions.
//!
//! Which reductions: those whose function is code of scalars that reads single elements. What is parallel
//! inside of the function should stay so, and arrays of its own would need memory for each thread; these are
//! done by the rules of [`super::screma`].

use super::code::is_check;
use super::functions::is_sequential;
use super::level::Lift;
use super::running::Role;
use super::screma::Combined;
use super::shares;
use super::teams::{can_fail, numbers, only_inner, part, renamed};
use super::value::{LevelId, Points, Value};
use fehu_analysis::operator::is_commutative;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening::{PIECE_ELEMENTS, PIECE_TEAM_ELEMENTS, PIECE_TEAM_MEMBERS};
use fehu_base::Name;
use fehu_ir::build::nested_body;
use fehu_ir::free::{free_in_stm, Names};
use fehu_ir::soac::{Reduce, Screma, Soac};
use fehu_ir::visit::{for_each_stm, look, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes of the statements of a body.
pub(super) fn roles(lift: &Lift<'_>, body: &Body<Soacs>) -> Vec<Role> {
    let bound = body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
    let nest = Nest { lift, bound };
    let reduces: Vec<bool> = body.stms.iter().map(|s| nest.reduces(s)).collect();
    let mut roles: Vec<Role> = body.stms.iter().map(|_| Role::Other).collect();
    if !reduces.contains(&true) {
        return roles;
    }
    let mut elsewhere: FxHashSet<Name> = body.result.iter().filter_map(|e| e.name()).collect();
    let mut views: FxHashMap<Name, usize> = FxHashMap::default();
    for (i, stm) in body.stms.iter().enumerate().rev() {
        if reduces[i] {
            continue;
        }
        if nest.is_view(stm) && !elsewhere.contains(&stm.pat[0].name) {
            roles[i] = Role::View;
            views.insert(stm.pat[0].name, i);
            continue;
        }
        elsewhere.extend(free_in_stm(stm));
    }
    for (i, stm) in body.stms.iter().enumerate().filter(|(i, _)| reduces[*i]) {
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        let mut from: Vec<Names> = vec![free_in_stm(stm)];
        while let Some(names) = from.pop() {
            let new = names.iter().filter_map(|n| views.get(n)).filter(|v| needed.insert(**v));
            from.extend(new.map(|v| free_in_stm(&body.stms[*v])));
        }
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        roles[i] = Role::Reduction(needed.into_iter().map(|v| body.stms[v].clone()).collect());
    }
    roles
}

/// The names of a nest, those of a body included that has not been done.
struct Nest<'a, 'b> {
    lift: &'a Lift<'b>,
    bound: FxHashSet<Name>,
}

impl Nest<'_, '_> {
    fn varies(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.bound.contains(&n) || self.lift.values.contains_key(&n))
    }

    fn differs(&self, ty: &Type) -> bool {
        self.flat_rank(ty) > 0
    }

    /// How many of the outer dimensions are flat, as [`Lift::flat_rank`] will say.
    fn flat_rank(&self, ty: &Type) -> usize {
        ty.shape().iter().rposition(|d| self.varies(*d)).map_or(0, |last| last + 1)
    }

    /// Whether a statement can be done in pieces.
    fn reduces(&self, stm: &Stm<Soacs>) -> bool {
        let Exp::Op(Soac::Screma(s)) = &stm.exp else { return false };
        let reduced: usize = s.reds.iter().map(|r| r.neutral.len()).sum();
        let scalars = |types: &[Type]| types.iter().all(|t| matches!(t, Type::Prim(_)));
        self.varies(s.width)
            && !is_sequential(stm)
            && s.scans.is_empty()
            && reduced == s.map.ret.len()
            && scalars(&s.map.ret)
            && !s.map.params.iter().any(|p| matches!(p.ty, Type::Acc(..)) || self.differs(&p.ty))
            && s.reds.iter().map(|r| &r.op).chain([&s.map]).all(|lambda| self.is_scalar_code(lambda))
    }

    /// Whether a function computes scalars, one after the other, and of arrays reads single elements.
    fn is_scalar_code(&self, lambda: &Lambda<Soacs>) -> bool {
        let mut fine = true;
        for_each_stm(&lambda.body, &mut |stm| {
            let scalars = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
            fine &= match &stm.exp {
                Exp::Basic(Basic::Index(..)) => !stm.pat.iter().any(|p| self.differs(&p.ty)),
                Exp::Basic(b) => scalars && (!b.has_effect() || is_check(stm)),
                Exp::If(..) | Exp::Loop(_) => scalars,
                Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
            };
        });
        let mut elements = Elements { nest: self, fine };
        elements.lambda(lambda);
        elements.fine
    }

    /// Whether a statement gives an array that differs in size, and of which an element is as easily computed as read.
    fn is_view(&self, stm: &Stm<Soacs>) -> bool {
        let [p] = stm.pat.as_slice() else { return false };
        let Exp::Basic(b) = &stm.exp else { return false };
        let form = if let Basic::Replicate(_, e) = b {
            !self.differs(&self.lift.b.type_of(*e))
        } else if let Basic::Index(array, slice) = b {
            // One stretch of the flat data.
            let rank = self.flat_rank(&self.lift.b.type_of((*array).into()));
            slice[..rank.saturating_sub(1)].iter().all(|d| matches!(d, DimIndex::Fix(_)))
        } else {
            matches!(b, Basic::Iota { .. })
        };
        form && self.differs(&p.ty)
    }
}

/// Whether arrays that differ in size are only read element by element.
struct Elements<'a, 'b, 'c> {
    nest: &'a Nest<'b, 'c>,
    fine: bool,
}

impl Visitor<Soacs> for Elements<'_, '_, '_> {
    fn name(&mut self, n: &Name) {
        let ty = self.nest.lift.b.types.get(n);
        self.fine &= !ty.is_some_and(|t| matches!(t, Type::Acc(..)) || self.nest.differs(t));
    }

    fn exp(&mut self, e: &Exp<Soacs>) {
        let Exp::Basic(Basic::Index(array, slice)) = e else { return look::exp(self, e) };
        let rank = self.nest.flat_rank(&self.nest.lift.b.type_of((*array).into()));
        self.fine &= slice[..rank].iter().all(|d| matches!(d, DimIndex::Fix(_)));
        self.fine &= slice[rank..].iter().all(|d| match d {
            DimIndex::Fix(_) => true,
            DimIndex::Slice { len, .. } => !self.nest.varies(*len),
        });
    }
}

/// Whether a reduction reads elements, rather than compute all from their numbers.
fn reads(s: &Screma<Soacs>, views: &[Stm<Soacs>]) -> bool {
    let made = |array: &Name| {
        let view = views.iter().find(|v| v.pat[0].name == *array);
        view.is_some_and(|v| matches!(v.exp, Exp::Basic(Basic::Iota { .. } | Basic::Replicate(..))))
    };
    let mut any = !s.arrays.iter().all(made);
    for_each_stm(&s.map.body, &mut |stm| any |= matches!(stm.exp, Exp::Basic(Basic::Index(..))));
    any
}

/// A reduction at the points of a level, in pieces.
pub(super) fn in_pieces(
    lift: &mut Lift<'_>,
    level: LevelId,
    stm: Stm<Soacs>,
    views: Vec<Stm<Soacs>>,
) -> Option<()> {
    let Exp::Op(Soac::Screma(s)) = stm.exp else { return None };
    lift.b.loc = stm.loc.clone();
    if reads(&s, &views) && shares::can_share(lift, &s) {
        return shares::in_shares(lift, level, &s, &stm.pat, &stm.certs, views);
    }
    let by_teams =
        reads(&s, &views) && s.reds.iter().all(|r| is_commutative(r.comm, &r.op) && !can_fail(&r.op));
    let most = if by_teams { PIECE_TEAM_ELEMENTS } else { PIECE_ELEMENTS };
    let count = piece_count(lift, level, s.width, most)?;
    let pieces = lift.inner(level, &[count.into()], &stm.certs)?;
    search_apart(lift, pieces)?;
    let to_make =
        |f: &Lift<'_>, certs: &[Name]| if f.are_made(certs, pieces) { vec![] } else { certs.to_vec() };
    let certs = to_make(lift, &stm.certs);
    let team = by_teams.then(|| numbers(lift.b, SubExp::i64(PIECE_TEAM_MEMBERS)));
    let body = lift.nested(|f| {
        let k = f.place(pieces);
        let first = f.b.mul64(k, SubExp::i64(most));
        let rest = f.b.sub64(s.width, first);
        let size = f.b.bin(BinOp::SMin(IntType::I64), rest, SubExp::i64(most));
        f.b.certs = certs;
        for mut view in views {
            view.certs = to_make(f, &view.certs);
            f.b.push(view);
        }
        Some(match team {
            Some(numbers) => by_team(f, &s, numbers, first, size),
            None => part(f.b, &s, first, SubExp::i64(1), size),
        })
    })?;
    // Several reductions may have the same views.
    let body = renamed(lift.b, &Lambda { params: vec![], body, ret: s.map.ret.clone() }).body;
    let attrs = if by_teams { only_inner() } else { vec![] };
    let parts = lift.map_as(pieces, body, &s.map.ret, attrs)?;
    let mut parts = parts.into_iter().zip(&s.map.ret).map(|(data, ty)| {
        // Pieces are a kernel of their own: in that of the scan, few threads would have many elements each.
        let kept = lift.stored(data);
        let part = lift.b.fresh("part", ty.clone());
        lift.values.insert(part, Value::Each(pieces, kept));
        SubExp::Var(part)
    });
    let mut combined = vec![];
    for Reduce { op, neutral, .. } in s.reds {
        let inputs = parts.by_ref().take(neutral.len()).collect();
        combined.push(Combined { op, neutral, inputs });
    }
    drop(parts);
    let mut values = vec![];
    for c in combined {
        values.append(&mut lift.reduced(level, pieces, count.into(), c)?);
    }
    lift.values.extend(stm.pat.iter().map(|p| p.name).zip(values));
    Some(())
}

/// The points of all pieces are found by a kernel of its own: in that of pieces, each thread of a team would
/// search, and the scan of pieces needs them, too.
fn search_apart(lift: &mut Lift<'_>, pieces: LevelId) -> Option<()> {
    let Points::Elements(shape) = lift.levels[pieces.0].points else { return None };
    if !lift.known.owners.contains_key(&shape) {
        let owners = lift.owners(shape)?;
        let stored = lift.stored(owners);
        lift.known.owners.insert(shape, stored);
    }
    Some(())
}

/// How many pieces the array of each point has.
fn piece_count(lift: &mut Lift<'_>, level: LevelId, width: SubExp, most: i64) -> Option<Name> {
    if let Some(count) = lift.known.pieces.get(&(level, width, most)) {
        return Some(*count);
    }
    let body = lift.nested(|f| {
        let rounded = f.b.add64(width, SubExp::i64(most - 1));
        Some(vec![f.b.bin(BinOp::SQuot(IntType::I64), rounded, SubExp::i64(most))])
    })?;
    let counts = lift.map(level, body, &[Type::I64])?[0];
    let count = lift.b.fresh("pieces", Type::I64);
    lift.values.insert(count, Value::Each(level, counts));
    lift.known.pieces.insert((level, width, most), count);
    Some(count)
}

/// A piece of so many elements, from the first on, reduced by a team.
fn by_team(
    lift: &mut Lift<'_>,
    s: &Screma<Soacs>,
    numbers: Name,
    first: SubExp,
    size: SubExp,
) -> Vec<SubExp> {
    let members = SubExp::i64(PIECE_TEAM_MEMBERS);
    let member = lift.b.param("member", Type::I64);
    let ret = s.map.ret.clone();
    let body = nested_body(
        lift.b,
        |b| b,
        |b| {
            let rest = b.sub64(size, member.name.into());
            let rest = b.add64(rest, SubExp::i64(PIECE_TEAM_MEMBERS - 1));
            let count = b.bin(BinOp::SQuot(IntType::I64), rest, members);
            let first = b.add64(first, member.name.into());
            part(b, s, first, members, count)
        },
    );
    let map = Lambda { params: vec![member], body, ret: ret.clone() };
    let mut reds = s.reds.clone();
    reds.iter_mut().for_each(|r| r.op = renamed(lift.b, &r.op));
    let team = Screma { width: members, arrays: vec![numbers], scans: vec![], reds, map };
    let parts = lift.b.bind_all("piece", ret, Exp::Op(Soac::Screma(team)));
    parts.into_iter().map(SubExp::Var).collect()
}
