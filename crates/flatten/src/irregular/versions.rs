//! The versions of an irregular nest, and the guards that choose between them.
//!
//! One thread for each point is fast where many points have about the same work: at any time, as many threads
//! are busy as the work of all points is times that of the longest. That number, the sum of the sizes divided
//! by the largest, is compared with a threshold: 10^6 points of 100 elements give 10^6, the same elements
//! with one point of 10^8 give 1. Where the sizes cannot be computed from what is there before the map, it is
//! the number of points, of all regular levels where points store no arrays whose sizes differ
//! ([`super::regular_points`]).
//!
//! What points do on one side of a branch counts as if all took that side, so that a guard in a loop is
//! computed once if sizes stay and conditions change. But few points may take it, and then the flat version
//! has little to do, too, besides its kernels. So one thread for each point is also taken if no point has
//! more than [`flattening::SIDE_ELEMENTS_OF_THREAD`] elements.
//!
//! Where points also store arrays whose sizes are known only in the middle of the computation, threads read
//! and write far from each other, and how much is anybody's guess: as much as the sizes that are known say.
//! If these are [`flattening::UNFORESEEN_ELEMENTS`] or more on average, one thread for each point is not
//! chosen. What a filter keeps is no such size: it is bounded by what it is given.
//!
//! Where points store arrays whose sizes differ, threads of this version have memory for as many elements as
//! the longest point needs, each. If that is more than [`flattening::SCRATCH_SHARE`] times what all points
//! need together, it is not chosen.
//!
//! With a team for each point ([`super::teams`]) it is as many times larger as a team has members. That
//! version comes first if points read elements of arrays, which its threads do in order. Where all is
//! computed, it only has the better balance, and comes second; so it does, by a condition on sizes, where
//! points read the same elements again and again: these come from caches, whose lines neighbouring threads
//! share. Counting, for each element of a row, those that are smaller is such a nest.
//!
//! The choice is an ordinary conditional on a comparison with a usual figure. Its attribute [`VERSIONS`] says
//! what it is: flattening for GPUs compares with a threshold that tuning files set instead. The comparison is
//! opaque, so that no version is simplified for the sizes that the usual figure gives it.

use super::functions::{is_irregular_inside, Functions};
use super::given_ends::KnownSum;
use super::level::{Lift, MOST_ELEMENTS};
use super::regular_points::regular_widths;
use super::split::{function, width};
use super::teams::{for_teams, reads, stores, Reads};
use super::value::{Known, LevelId, Points, Value};
use super::Nests;
use crate::gpu::parallel::varying_in;
use crate::gpu::steer::Steer;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening;
use fehu_base::{Name, Symbol};
use fehu_ir::build::nested_body;
use fehu_ir::free::free_in_stm;
use fehu_ir::seg::VERSIONS;
use fehu_ir::soac::{Commutativity, Reduce, Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::types::body_types;
use fehu_ir::visit::{for_each_body, for_each_stm};
use fehu_ir::{Attr, Basic, Body, Exp, Lambda, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the points of a nest have to do.
pub(super) struct Work {
    /// How many points there are.
    pub(super) points: SubExp,
    /// How many inner elements all points have together.
    pub(super) sum: SubExp,
    /// How many the point has that has most.
    longest: SubExp,
    /// How many points can be expected to be busy at a time, on average, with one thread for each.
    pub(super) busy: SubExp,
    /// Whether points also have elements whose number is known only in the middle of the computation.
    partly: bool,
}

/// Whether any operation of the host has an irregular nest.
pub(super) fn any_irregular(functions: &Functions, body: &Body<Soacs>) -> bool {
    let mut any = false;
    for stm in &body.stms {
        any |= match &stm.exp {
            Exp::Op(_) => is_irregular(functions, stm),
            Exp::If(..) | Exp::Loop(_) => {
                let mut inside = false;
                for_each_body(&stm.exp, &mut |b| inside |= any_irregular(functions, b));
                inside
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => false,
        };
    }
    any
}

/// Whether a combinator has an operation inside whose width differs from point to point.
fn is_irregular(functions: &Functions, stm: &Stm<Soacs>) -> bool {
    let steer = Steer::of(&stm.attrs);
    if steer.sequential || (steer.no_inner && steer.no_intra) {
        return false;
    }
    let Exp::Op(soac) = &stm.exp else { return false };
    let Some(lambda) = function(soac) else { return false };
    let inside = varying_in(lambda);
    let differs = |e: SubExp| e.name().is_some_and(|n| inside.contains(&n));
    let mut found = false;
    for_each_stm(&lambda.body, &mut |s| found |= is_irregular_inside(functions, s, &differs));
    found
}

impl Nests {
    /// What stands for a statement, if it is an irregular nest that can be flattened.
    pub(super) fn nest(&mut self, stm: &Stm<Soacs>) -> Option<Vec<Stm<Soacs>>> {
        if !is_irregular(&self.functions, stm) {
            return None;
        }
        match self.split(stm) {
            Some((map, rest)) => {
                let mut stms = self.versions(&map)?;
                stms.push(rest);
                Some(stms)
            }
            None => self.versions(stm),
        }
    }

    /// The versions of an irregular map.
    fn versions(&mut self, stm: &Stm<Soacs>) -> Option<Vec<Stm<Soacs>>> {
        let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
        let steer = Steer::of(&stm.attrs);
        let widths = widths(s).filter(|_| !steer.no_outer);
        let sum = widths.as_ref().and_then(Widths::only).map(|width| (width, self.b.fresh("sum", Type::I64)));
        let flat = self.flattened(stm, s, sum)?;
        let outer = (self.b.loc.clone(), std::mem::take(&mut self.b.attrs));
        self.b.loc = stm.loc.clone();
        self.b.begin();
        if steer.no_outer {
            flat.stms.into_iter().for_each(|s| self.b.push(s));
            for (p, e) in stm.pat.iter().zip(flat.result) {
                self.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(e)));
            }
        } else {
            let work = widths.map(|widths| self.work(s, widths, sum.map(|(_, name)| name)));
            self.choices(stm, s, work, flat);
        }
        let both = self.b.end(vec![]).stms;
        (self.b.loc, self.b.attrs) = outer;
        Some(both)
    }

    /// The choice between all versions.
    fn choices(&mut self, stm: &Stm<Soacs>, s: &Screma<Soacs>, work: Option<Work>, flat: Body<Soacs>) {
        let busy = match &work {
            Some(work) if stores(&s.map) => {
                let busy = self.busy_in_memory(work);
                if work.partly {
                    self.busy_if_few(work, busy)
                } else {
                    busy
                }
            }
            Some(work) => work.busy,
            None if stores(&s.map) => s.width,
            None => {
                let inner = regular_widths(&self.functions, s);
                inner.into_iter().fold(s.width, |points, width| self.b.mul64(points, width))
            }
        };
        let own = self.fresh_results(stm.clone());
        let mut choices = vec![(self.enough(busy), own)];
        if let Some(work) = work.filter(|_| for_teams(&s.map)) {
            let reads = reads(&s.map);
            let in_order = !matches!(reads, Reads::Nothing);
            let team = self.team(&work, in_order);
            let busy = match reads {
                Reads::From(arrays) => self.busy_unless_reused(&work, &arrays, team.busy),
                Reads::Nothing | Reads::Made => team.busy,
            };
            let enough = self.enough(busy);
            let shared = nested_body(
                self,
                |n| &mut n.b,
                |n| {
                    let stm = n.by_teams(stm, s, &team);
                    let shared = n.fresh_results(stm);
                    shared.stms.into_iter().for_each(|s| n.b.push(s));
                    shared.result
                },
            );
            let first = if in_order { 0 } else { 1 };
            choices.insert(first, (enough, shared));
        }
        let mut rest = flat;
        for (enough, version) in choices.into_iter().rev() {
            let choice = Exp::If(enough, Box::new(version), Box::new(rest));
            let attrs = vec![Attr::Atom(Symbol::new(VERSIONS))];
            rest = self.fresh_results(Stm { exp: choice, attrs, certs: vec![], ..stm.clone() });
        }
        rest.stms.into_iter().for_each(|s| self.b.push(s));
        for (p, e) in stm.pat.iter().zip(rest.result) {
            self.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(e)));
        }
    }

    /// How many threads of teams are busy: nobody, if all elements are read so often that they come from
    /// caches, and one thread for each point is enough.
    fn busy_unless_reused(&mut self, work: &Work, arrays: &[Name], threads: SubExp) -> SubExp {
        let mut longest = SubExp::i64(1);
        for array in arrays {
            let shape = self.b.type_of((*array).into()).shape().to_vec();
            let elements = self.b.product(&shape);
            longest = self.b.bin(BinOp::SMax(IntType::I64), longest, elements);
        }
        let often = self.b.mul64(longest, SubExp::i64(flattening::REUSED_READS));
        let [reused, enough] =
            [(often, work.sum), (SubExp::i64(flattening::IRREGULAR_BUSY_POINTS), work.busy)]
                .map(|(x, y)| self.b.cmp(CmpOp::SLe(IntType::I64), x, y));
        let alone = self.b.bin(BinOp::LogAnd, reused, enough);
        let [yes, no] = [SubExp::i64(0), threads].map(|e| Box::new(Body { stms: vec![], result: vec![e] }));
        self.b.bind("busy", Type::I64, Exp::If(alone, yes, no)).into()
    }

    /// How many points are busy at a time, where it depends on conditions how many do anything: all, if none
    /// has much to do. Few may be left, but a thread has done the longest before the flat version is done
    /// with its kernels.
    fn busy_on_sides(&mut self, work: &Work) -> SubExp {
        let most = SubExp::i64(flattening::SIDE_ELEMENTS_OF_THREAD);
        let short = self.b.cmp(CmpOp::SLe(IntType::I64), work.longest, most);
        let [yes, no] = [work.points, work.busy].map(|e| Box::new(Body { stms: vec![], result: vec![e] }));
        self.b.bind("busy", Type::I64, Exp::If(short, yes, no)).into()
    }

    /// How many points are busy at a time that store arrays whose sizes are known only in the middle of the
    /// computation: nobody, unless they have few elements of which that is known.
    fn busy_if_few(&mut self, work: &Work, busy: SubExp) -> SubExp {
        let most = self.b.mul64(work.points, SubExp::i64(flattening::UNFORESEEN_ELEMENTS));
        let few = self.b.cmp(CmpOp::SLt(IntType::I64), work.sum, most);
        let [yes, no] = [busy, SubExp::i64(0)].map(|e| Box::new(Body { stms: vec![], result: vec![e] }));
        self.b.bind("busy", Type::I64, Exp::If(few, yes, no)).into()
    }

    /// How many points are busy at a time if there is memory for as many elements at each as the longest has:
    /// nobody, if that is too much beside what is there.
    fn busy_in_memory(&mut self, work: &Work) -> SubExp {
        let points = self.b.bin(BinOp::SMax(IntType::I64), work.points, SubExp::i64(1));
        let there = self.b.mul64(work.sum, SubExp::i64(flattening::SCRATCH_SHARE));
        let most = self.b.bin(BinOp::SMax(IntType::I64), there, SubExp::i64(flattening::SCRATCH_ELEMENTS));
        let each = self.b.bin(BinOp::SQuot(IntType::I64), most, points);
        let fits = self.b.cmp(CmpOp::SLe(IntType::I64), work.longest, each);
        let [yes, no] = [work.busy, SubExp::i64(0)].map(|e| Box::new(Body { stms: vec![], result: vec![e] }));
        self.b.bind("busy", Type::I64, Exp::If(fits, yes, no)).into()
    }

    /// A body of one statement, whose results have names of their own.
    fn fresh_results(&mut self, mut stm: Stm<Soacs>) -> Body<Soacs> {
        for p in &mut stm.pat {
            p.name = self.b.names.fresh_like(p.name);
            self.b.types.insert(p.name, p.ty.clone());
        }
        let result = stm.pat.iter().map(|p| SubExp::Var(p.name)).collect();
        Body { stms: vec![stm], result }
    }

    /// Whether so many busy threads are enough. Nothing may be concluded from it in the versions: another
    /// threshold may decide.
    fn enough(&mut self, busy: SubExp) -> SubExp {
        let usual = SubExp::i64(flattening::IRREGULAR_BUSY_POINTS);
        let enough = self.b.cmp(CmpOp::SLe(IntType::I64), usual, busy);
        self.b.bind("enough", Type::BOOL, Exp::Basic(Basic::Opaque(enough))).into()
    }

    /// The flat version. The sum of one width over all points may be known by a name.
    fn flattened(
        &mut self,
        stm: &Stm<Soacs>,
        s: &Screma<Soacs>,
        sum: Option<(Name, Name)>,
    ) -> Option<Body<Soacs>> {
        if s.map.params.iter().any(|p| matches!(p.ty, Type::Acc(..))) {
            return None;
        }
        let lambda = rename_lambda(&mut self.b.names, &s.map);
        self.b.types.extend(body_types(&lambda.body));
        self.b.types.extend(lambda.params.iter().map(|p| (p.name, p.ty.clone())));
        let functions = self.functions.count();
        let sum = sum.and_then(|(width, sum)| self.known_sum(s, &lambda, width, sum));
        let mut fine = true;
        let (certs, loc) = (stm.certs.clone(), stm.loc.clone());
        let outer = std::mem::replace(&mut self.b.loc, loc);
        let mut body = nested_body(
            self,
            |n| &mut n.b,
            |n| {
                n.b.certs = certs;
                let mut lift = n.lift();
                lift.known_sum = sum;
                lift.outermost(s, lambda).unwrap_or_else(|| {
                    fine = false;
                    vec![]
                })
            },
        );
        match fine {
            true => self.own_results(functions, &stm.pat, &mut body),
            false => self.functions.truncate(functions),
        }
        self.b.loc = outer;
        fine.then_some(body)
    }

    /// The sum of a width, in a copy of the nest's function.
    fn known_sum(&self, s: &Screma<Soacs>, copy: &Lambda<Soacs>, width: Name, sum: Name) -> Option<KnownSum> {
        let size = renamed_of(&s.map, copy, width)?;
        let place = s.map.params.iter().position(|p| p.name == width);
        let sizes = place.and_then(|i| s.arrays.get(i));
        let of_sizes = self.sums.iter().filter(|(of, _)| Some(of) == sizes);
        let end = of_sizes.filter_map(|(_, sums)| s.arrays.iter().position(|a| a == sums)).next();
        let end = end.and_then(|i| copy.params.get(i)).map(|p| p.name);
        let mut known = KnownSum { size, sum, end, starts: vec![] };
        known.find_starts(&copy.body);
        Some(known)
    }

    /// The state of a nest of which nothing is done.
    pub(super) fn lift(&mut self) -> Lift<'_> {
        Lift {
            b: &mut self.b,
            signatures: &self.signatures,
            functions: &mut self.functions,
            stays: &mut self.stays,
            levels: vec![],
            shapes: vec![],
            values: FxHashMap::default(),
            known: Known::default(),
            given_back: None,
            known_sum: None,
        }
    }

    /// What the points of a map have to do. The sum may be asked for by a name.
    fn work(&mut self, s: &Screma<Soacs>, widths: Widths, name: Option<Name>) -> Work {
        let Widths { body, on_sides, partly } = widths;
        self.b.begin();
        body.stms.into_iter().for_each(|s| self.b.push(s));
        let mut sum = SubExp::i64(0);
        for e in body.result {
            // Where the other side is taken, it may be anything.
            let size = match on_sides {
                true => self.b.bin(BinOp::SMax(IntType::I64), e, SubExp::i64(0)),
                false => e,
            };
            sum = self.b.add64(sum, size);
        }
        let body = self.b.end(vec![sum, sum]);
        let lambda = Lambda { params: s.map.params.clone(), body, ret: vec![Type::I64, Type::I64] };
        let lambda = rename_lambda(&mut self.b.names, &lambda);
        self.b.types.extend(body_types(&lambda.body));
        let reds = [BinOp::Add(IntType::I64), BinOp::SMax(IntType::I64)].map(|op| {
            let [x, y] = ["x", "y"].map(|base| self.b.param(base, Type::I64));
            self.b.begin();
            let mut z = self.b.bin(op, x.name.into(), y.name.into());
            if op == BinOp::Add(IntType::I64) {
                z = self.b.bin(BinOp::SMin(IntType::I64), z, SubExp::i64(MOST_ELEMENTS));
            }
            let body = self.b.end(vec![z]);
            let op = Lambda { params: vec![x, y], body, ret: vec![Type::I64] };
            Reduce { comm: Commutativity::Commutative, op, neutral: vec![SubExp::i64(0)] }
        });
        let screma = Screma {
            width: s.width,
            arrays: s.arrays.clone(),
            scans: vec![],
            reds: reds.to_vec(),
            map: lambda,
        };
        let both = self.b.bind_all("work", vec![Type::I64; 2], Exp::Op(Soac::Screma(screma)));
        let longest = self.b.bin(BinOp::SMax(IntType::I64), both[1].into(), SubExp::i64(1));
        let sum = both[0].into();
        let busy = self.b.bin(BinOp::SQuot(IntType::I64), sum, longest);
        let mut work = Work { points: s.width, sum, longest, busy, partly };
        if on_sides {
            work.busy = self.busy_on_sides(&work);
        }
        if let Some(name) = name {
            // Where a size is negative, a check fails in the flat version.
            let none = Basic::BinOp(BinOp::SMax(IntType::I64), sum, SubExp::i64(0));
            self.b.bind_names(vec![(name, Type::I64)], Exp::Basic(none));
        }
        work
    }
}

/// What a name of a function is called in a copy of it with other names, if it is a parameter or bound
/// outside of branches and loops.
fn renamed_of(lambda: &Lambda<Soacs>, copy: &Lambda<Soacs>, name: Name) -> Option<Name> {
    let params = lambda.params.iter().map(|p| p.name).zip(copy.params.iter().map(|p| p.name));
    let bound = |lambda: &Lambda<Soacs>| -> Vec<Name> {
        lambda.body.stms.iter().flat_map(|stm| &stm.pat).map(|p| p.name).collect()
    };
    params.chain(bound(lambda).into_iter().zip(bound(copy))).find(|(n, _)| *n == name).map(|(_, new)| new)
}

/// The widths of the irregular operations of a map.
struct Widths {
    /// Computes them.
    body: Body<Soacs>,
    /// Whether some are of operations that only points on a side of a branch do.
    on_sides: bool,
    /// Whether there are others, which are known only in the middle of the computation.
    partly: bool,
}

impl Widths {
    /// The width of all irregular operations, if there is one.
    fn only(&self) -> Option<Name> {
        match self.body.result.as_slice() {
            [width] if !self.on_sides => width.name(),
            _ => None,
        }
    }
}

/// The widths of irregular operations of a map's body that can be computed by themselves from what the map is
/// given: scalars, from scalars and elements of arrays. Those on the sides of branches are computed for all
/// points, by code that cannot fail: they bound what a point does, and do not change from step to step of a
/// loop whose conditions do.
fn widths(s: &Screma<Soacs>) -> Option<Widths> {
    let mut found = Found {
        computed: vec![],
        bound: FxHashMap::default(),
        result: vec![],
        on_sides: false,
        partly: false,
        at_most: FxHashSet::default(),
    };
    found.body(s, &s.map.body, Where::Always);
    let Found { computed, result, on_sides, partly, .. } = found;
    if result.is_empty() {
        return None;
    }
    let mut needed: FxHashSet<Name> = result.iter().filter_map(|e| e.name()).collect();
    let mut slice = vec![];
    for stm in computed.into_iter().rev() {
        if stm.stays() || stm.pat.iter().any(|p| needed.contains(&p.name)) {
            needed.extend(free_in_stm(stm));
            slice.push(stm.clone());
        }
    }
    slice.reverse();
    Some(Widths { body: Body { stms: slice, result }, on_sides, partly })
}

/// Which points run code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Always,
    OnSide,
}

/// What is found of the widths in a body and the sides of its branches.
struct Found<'s> {
    /// Statements that can be computed, in their order.
    computed: Vec<&'s Stm<Soacs>>,
    /// Names of the map, and whether they can be computed.
    bound: FxHashMap<Name, bool>,
    result: Vec<SubExp>,
    on_sides: bool,
    partly: bool,
    /// How many elements filters keep, of those that are no more than can be computed.
    at_most: FxHashSet<Name>,
}

impl<'s> Found<'s> {
    fn body(&mut self, s: &Screma<Soacs>, body: &'s Body<Soacs>, at: Where) {
        for stm in &body.stms {
            let known = |n: &Name| self.bound.get(n).is_none_or(|can| *can);
            let can = can_compute(stm, at) && free_in_stm(stm).iter().all(known);
            self.bound.extend(stm.pat.iter().map(|p| (p.name, can)));
            if can {
                self.computed.push(stm);
                continue;
            }
            match &stm.exp {
                Exp::Op(inner) => {
                    let Some(width) = width(inner).filter(|w| w.name().is_some()) else { continue };
                    let known = |n: &Name| self.bound.get(n).is_none_or(|can| *can);
                    let differs =
                        |n: &Name| self.bound.contains_key(n) || s.map.params.iter().any(|p| p.name == *n);
                    let fits = width.name().is_some_and(|n| known(&n) && differs(&n));
                    let bounded = width.name().is_some_and(|n| known(&n) || self.at_most.contains(&n));
                    self.partly |= !bounded;
                    if let (Soac::Filter(f), true) = (inner, bounded) {
                        self.at_most.extend(stm.pat.iter().take(f.kept.len()).map(|p| p.name));
                    }
                    if fits && !self.result.contains(&width) {
                        self.result.push(width);
                        self.on_sides |= at == Where::OnSide;
                    }
                }
                Exp::If(_, yes, no) => [yes, no].into_iter().for_each(|b| self.body(s, b, Where::OnSide)),
                Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) => {}
            }
        }
    }
}

/// Whether a statement computes scalars of scalars and elements, and may be run there.
fn can_compute(stm: &Stm<Soacs>, at: Where) -> bool {
    let values = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    let pure = match &stm.exp {
        Exp::Basic(b) if at == Where::OnSide => b.may_move() && b.is_total() && stm.certs.is_empty(),
        Exp::Basic(Basic::Assert(..)) => true,
        Exp::Basic(b) => b.may_move(),
        Exp::If(..) => at == Where::Always && stm.is_plain(),
        Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    };
    values && pure
}

impl Lift<'_> {
    /// The nest itself: its points are the outermost ones.
    fn outermost(&mut self, s: &Screma<Soacs>, lambda: Lambda<Soacs>) -> Option<Vec<SubExp>> {
        let level = self.add_level(s.width, Points::Outermost);
        for (p, array) in lambda.params.iter().zip(&s.arrays) {
            self.values.insert(p.name, Value::Each(level, *array));
        }
        let result = self.code(level, lambda.body)?;
        let arrays = self.all_each(level, &result, &lambda.ret)?;
        let combined: usize = s.scans.iter().map(|s| s.neutral.len()).sum::<usize>()
            + s.reds.iter().map(|r| r.neutral.len()).sum::<usize>();
        if combined == 0 {
            return Some(arrays.into_iter().map(SubExp::Var).collect());
        }
        let params: Vec<_> = lambda.ret.iter().map(|t| self.b.param("x", t.clone())).collect();
        let result = params.iter().map(|p| SubExp::Var(p.name)).collect();
        let map = Lambda { params, body: Body { stms: vec![], result }, ret: lambda.ret.clone() };
        let mut screma = Screma { width: s.width, arrays, scans: s.scans.clone(), reds: s.reds.clone(), map };
        for scan in &mut screma.scans {
            scan.op = rename_lambda(&mut self.b.names, &scan.op);
        }
        for red in &mut screma.reds {
            red.op = rename_lambda(&mut self.b.names, &red.op);
        }
        let types = fehu_ir::types::soac_types(&self.b.types, &Soac::Screma(screma.clone()))?;
        let names = self.b.bind_all("out", types, Exp::Op(Soac::Screma(screma)));
        Some(names.into_iter().map(SubExp::Var).collect())
    }

    /// The results of all points, as arrays of the host.
    pub(super) fn all_each(
        &mut self,
        level: LevelId,
        result: &[SubExp],
        types: &[Type],
    ) -> Option<Vec<Name>> {
        let mut arrays = vec![];
        for (e, ty) in result.iter().zip(types) {
            let Value::Each(_, array) = self.conform(level, *e, ty, &[])? else { return None };
            arrays.push(array);
        }
        Some(arrays)
    }
}
