//! Which code is worth flattening, and what it costs to compute again.

use super::nest::{Cost, Nest};
use super::steer::Steer;
use fehu_base::prim::PrimType;
use fehu_base::tuning::{flattening, scan_epilogue};
use fehu_base::Name;
use fehu_ir::class::Class;
use fehu_ir::cost::scalar_instructions;
use fehu_ir::free::{bound_in_body, free_in_type};
use fehu_ir::soac::{Filter, Screma, Soac};
use fehu_ir::visit::{deep, for_each_body, look, Visitor};
use fehu_ir::{Basic, Body, Exp, Lambda, LoopForm, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a body has parallelism whose amount is known outside of it.
pub(crate) fn exploitable(body: &Body<Soacs>) -> bool {
    exploitable_stms(&body.stms, &varying(body))
}

/// The names bound in a body, nested ones included, that may differ from point to point of the nest around
/// it. Others are computed from what is outside by code that [`super::invariant`] moves out of the nest, or
/// count the steps of a loop with the same bound at all points, which has the nest in it once it is
/// interchanged.
fn varying(body: &Body<Soacs>) -> FxHashSet<Name> {
    varying_with(body, FxHashSet::default())
}

/// The names bound in the function of a map, its parameters included, that may differ from point to point of the map.
pub(crate) fn varying_in(lambda: &Lambda<Soacs>) -> FxHashSet<Name> {
    varying_with(&lambda.body, lambda.params.iter().map(|p| p.name).collect())
}

/// The same for a body in which these other names differ too.
pub(crate) fn varying_with(body: &Body<Soacs>, mut inside: FxHashSet<Name>) -> FxHashSet<Name> {
    let places = inside.iter().map(|n| (*n, 0)).collect();
    inside.extend(bound_in_body(body));
    let mut walk = Varying { inside, places, next: 1, earliest: usize::MAX, whole: true };
    walk.body(body);
    walk.inside
}

/// One walk over a body, from the inside out. Names are numbered in the order in which they are bound, so
/// that those that are free in a statement are those with lower numbers than all that it binds: of what it
/// uses, the lowest number of a name that differs says whether a free one does.
struct Varying {
    inside: FxHashSet<Name>,
    places: FxHashMap<Name, usize>,
    next: usize,
    /// The lowest number of a name that differs, of those used so far in the statement.
    earliest: usize,
    /// Whether the bodies of the statement, as far as they were walked over, only compute integers and truth values.
    whole: bool,
}

impl Visitor<Soacs> for Varying {
    fn name(&mut self, n: &Name) {
        if self.inside.contains(n) {
            self.earliest = self.earliest.min(self.places.get(n).copied().unwrap_or(usize::MAX));
        }
    }

    fn bound(&mut self, n: &Name) {
        self.places.insert(*n, self.next);
        self.next += 1;
    }

    fn stm(&mut self, stm: &Stm<Soacs>) {
        let around =
            (std::mem::replace(&mut self.earliest, usize::MAX), std::mem::replace(&mut self.whole, true));
        let first = self.next;
        if let Exp::Loop(l) = &stm.exp {
            if let LoopForm::For { var, bound, .. } = &l.form {
                if bound.name().is_none_or(|n| !self.inside.contains(&n)) {
                    self.inside.remove(var);
                }
            }
        }
        look::stm(self, stm);
        let whole = stm.pat.iter().all(|p| is_whole(&p.ty)) && whole_exp(&stm.exp, self.whole);
        let numbers = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        if numbers && (harmless(&stm.exp) || whole) && self.earliest >= first {
            stm.pat.iter().for_each(|p| {
                self.inside.remove(&p.name);
            });
        }
        self.earliest = self.earliest.min(around.0);
        self.whole = around.1 && whole;
    }
}

fn is_whole(ty: &Type) -> bool {
    matches!(ty, Type::Prim(PrimType::Int(_) | PrimType::Bool | PrimType::Unit))
}

/// Whether an expression computes integers and truth values from such, without reading arrays, given whether
/// its bodies do.
fn whole_exp(exp: &Exp<Soacs>, bodies: bool) -> bool {
    match exp {
        Exp::Basic(b) => matches!(b.class(), Class::Arithmetic | Class::Function | Class::Check),
        Exp::If(..) => bodies,
        Exp::Loop(l) => bodies && l.params.iter().all(|(p, _)| is_whole(&p.ty)),
        Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

/// Whether a statement computes integers and truth values from such, without reading arrays.
pub(super) fn scalar_code(stm: &Stm<Soacs>) -> bool {
    let mut bodies = true;
    deep(|| for_each_body(&stm.exp, &mut |b| bodies = bodies && b.stms.iter().all(scalar_code)));
    stm.pat.iter().all(|p| is_whole(&p.ty)) && whole_exp(&stm.exp, bodies)
}

/// Whether a body only moves elements: each array in it is a part of others, or others put in another order
/// or together, or made of numbers. Then each element of the results is worth a thread.
pub(super) fn rearranging(nest: &Nest, body: &Body<Soacs>, types: &[Type]) -> bool {
    let inside: FxHashSet<Name> = bound_in_body(body).into_iter().collect();
    let regular = |ty: &Type| free_in_type(ty).into_iter().all(|n| !inside.contains(&n) && !nest.binds(n));
    let many = |ty: &Type| {
        let sizes = ty.shape().iter().map(|n| n.as_i64());
        ty.is_array() && sizes.product::<Option<i64>>().is_none_or(|n| n > 1)
    };
    let moves = |stm: &Stm<Soacs>| {
        let arrays = stm.pat.iter().any(|p| !matches!(p.ty, Type::Prim(_)));
        !arrays || stm.exp.basic().is_some_and(moves_elements)
    };
    types.iter().any(many)
        && types.iter().all(|t| matches!(t, Type::Prim(_) | Type::Array(..)) && regular(t))
        && body.stms.iter().all(|stm| moves(stm) && stm.pat.iter().all(|p| regular(&p.ty)))
}

/// Whether an operation on arrays does nothing to the elements.
fn moves_elements(b: &Basic) -> bool {
    match b.class() {
        Class::Read | Class::View | Class::Reshape | Class::Gather => true,
        Class::Generate => !matches!(b, Basic::Scratch(..)),
        Class::Arithmetic => matches!(b, Basic::SubExp(_)),
        Class::Update => matches!(b, Basic::Update(..)),
        Class::Opaque | Class::Function | Class::Check => false,
    }
}

/// Whether a statement, or a body in it, has parallelism whose amount does not depend on these names.
fn exploitable_stms(stms: &[Stm<Soacs>], inside: &FxHashSet<Name>) -> bool {
    deep(|| {
        stms.iter().any(|stm| {
            if Steer::of(&stm.attrs).sequential {
                return false;
            }
            let wide = |width: SubExp| match width {
                SubExp::Var(n) => !inside.contains(&n),
                SubExp::Const(v) => v.as_i64().is_some_and(|n| n >= flattening::LEAST_ELEMENTS),
            };
            let here = match &stm.exp {
                Exp::Op(Soac::Screma(s)) => wide(s.width),
                Exp::Op(Soac::Hist(h)) => wide(h.width),
                Exp::Op(Soac::Scatter(s)) => wide(s.width),
                Exp::Op(Soac::Filter(f)) => wide(f.width) && worth_splitting(f),
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    false
                }
            };
            let mut deeper = false;
            for_each_body(&stm.exp, &mut |b| deeper = deeper || exploitable_stms(&b.stms, inside));
            here || deeper
        })
    })
}

/// The widths of the deepest parallelism in a body under a nest, as far as they are known outside of both.
///
/// ```text
/// map (\xs -> reduce (+) 0 (map (\x -> f x) xs)) xss        the columns of `xss`
/// ```
pub(super) fn widths_inside(nest: &Nest, body: &Body<Soacs>) -> Vec<SubExp> {
    widths_without(nest, body, bound_in_body(body).into_iter().collect())
}

/// The same for the function of a map, whose parameters differ from point to point.
pub(super) fn widths_inside_map(nest: &Nest, map: &Lambda<Soacs>) -> Vec<SubExp> {
    let params = map.params.iter().map(|p| p.name);
    widths_without(nest, &map.body, bound_in_body(&map.body).into_iter().chain(params).collect())
}

fn widths_without(nest: &Nest, body: &Body<Soacs>, inside: FxHashSet<Name>) -> Vec<SubExp> {
    deepest(&body.stms, &|e: SubExp| nest.invariant(e) && e.name().is_none_or(|n| !inside.contains(&n)))
}

fn deepest(stms: &[Stm<Soacs>], is_known: &dyn Fn(SubExp) -> bool) -> Vec<SubExp> {
    deep(|| {
        let mut widths: Vec<SubExp> = vec![];
        for stm in stms {
            let width = match &stm.exp {
                Exp::Op(Soac::Screma(s)) => Some(s.width),
                Exp::Op(Soac::Hist(h)) => Some(h.width),
                Exp::Op(Soac::Scatter(s)) => Some(s.width),
                Exp::Op(Soac::Filter(f)) => Some(f.width),
                Exp::Op(Soac::Ad(_))
                | Exp::Basic(_)
                | Exp::Call(..)
                | Exp::If(..)
                | Exp::Loop(_)
                | Exp::WithAcc(_) => None,
            };
            let mut within = vec![];
            for_each_body(&stm.exp, &mut |b| {
                let found = deepest(&b.stms, is_known);
                if found.len() > within.len() {
                    within = found;
                }
            });
            let found: Vec<SubExp> = width.filter(|w| is_known(*w)).into_iter().chain(within).collect();
            if found.len() > widths.len() {
                widths = found;
            }
        }
        widths
    })
}

/// Whether, where there is to be one version only, the body is to be flattened further: it has parallelism
/// other than reductions of maps, which are better run by one thread each.
pub(super) fn flatten_moderately(body: &Body<Soacs>) -> bool {
    let inside = varying(body);
    let alone = body.stms.iter().filter(|s| !is_scalar(s)).count() == 1;
    body.stms.iter().any(|stm| {
        if !exploitable_stms(std::slice::from_ref(stm), &inside) {
            return false;
        }
        match &stm.exp {
            Exp::Op(Soac::Screma(s)) => s.reds.is_empty() || !s.scans.is_empty() || (alone && is_reduce(s)),
            Exp::Op(_) => true,
            Exp::Loop(l) => flatten_moderately(&l.body),
            Exp::If(_, t, f) => flatten_moderately(t) || flatten_moderately(f),
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => false,
        }
    })
}

/// Whether a body is nothing but a map with parallelism whose size is known outside: then there is no
/// reason to stop before it. What is mapped may be put in another order before, and what results after it:
///
/// ```text
/// map (\row -> flatten (map f (unflatten (copy row)))) rows
/// ```
pub(super) fn perfect(body: &Body<Soacs>) -> bool {
    let moves = |stm: &Stm<Soacs>| stm.exp.basic().is_some_and(moves_elements);
    let computes = |stm: &Stm<Soacs>| cost(&stm.exp) == Cost::Expensive && !moves(stm);
    let Some(at) = body.stms.iter().position(computes) else { return false };
    let Exp::Op(Soac::Screma(s)) = &body.stms[at].exp else { return false };
    let after = &body.stms[at + 1..];
    let own = |e: &SubExp| body.stms[at..].iter().flat_map(|s| &s.pat).any(|p| SubExp::Var(p.name) == *e);
    s.scans.is_empty()
        && s.reds.is_empty()
        && after
            .iter()
            .all(|stm| matches!(stm.exp.basic().map(Basic::class), Some(Class::View | Class::Reshape)))
        && body.result.iter().all(own)
        && exploitable(body)
}

/// Whether a body is nothing but one reduction or scan, of scalars, over rows of arrays that have one for each point of
/// the nest: no point shares data with another, so there is nothing that one thread per point could do better than the
/// segmented operation, whose neighbouring threads read neighbouring elements.
pub(super) fn segmented(nest: &Nest, body: &Body<Soacs>) -> bool {
    let expensive: Vec<&Stm<Soacs>> = body.stms.iter().filter(|s| cost(&s.exp) == Cost::Expensive).collect();
    let [stm] = expensive[..] else { return false };
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return false };
    let own = |e: &SubExp| stm.pat.iter().any(|p| SubExp::Var(p.name) == *e);
    let scalar = |op: &Lambda<Soacs>| op.ret.iter().all(|t| t.rank() == 0);
    let combines = !s.scans.is_empty() || !s.reds.is_empty();
    combines
        && s.scans.iter().all(|scan| scalar(&scan.op))
        && s.reds.iter().all(|red| scalar(&red.op))
        && !s.arrays.is_empty()
        && s.arrays.iter().all(|a| nest.whole(*a).is_some())
        && body.result.iter().all(own)
        && operations(body) == 1
        && exploitable(body)
}

/// How many operations with parallelism a body has, loops counted twice: with one only, threads of a
/// block have nothing to hand to each other.
pub(super) fn operations(body: &Body<Soacs>) -> usize {
    let inside = varying(body);
    let count = |stm: &Stm<Soacs>| {
        if !exploitable_stms(std::slice::from_ref(stm), &inside) {
            return 0;
        }
        let mut deeper = 0;
        for_each_body(&stm.exp, &mut |b| deeper += operations(b));
        match &stm.exp {
            Exp::Op(_) => 1 + deeper,
            Exp::Loop(_) => 2 * deeper,
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) => deeper,
        }
    };
    body.stms.iter().map(count).sum()
}

/// Whether only the reduction does anything: its map just hands elements on.
fn is_reduce(s: &Screma<Soacs>) -> bool {
    s.map.body.stms.is_empty()
}

/// Whether a statement is arithmetic on numbers, which cannot fail.
fn is_arithmetic(stm: &Stm<Soacs>) -> bool {
    stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_))) && harmless(&stm.exp)
}

/// Whether a statement binds primitives only.
fn is_scalar(stm: &Stm<Soacs>) -> bool {
    stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)))
        && !matches!(stm.exp, Exp::Op(_) | Exp::Loop(_) | Exp::If(..) | Exp::WithAcc(_))
}

/// What it costs to compute a statement wherever its result is needed.
pub(super) fn cost(exp: &Exp<Soacs>) -> Cost {
    match exp {
        Exp::Basic(Basic::Iota { .. } | Basic::Replicate(..)) => Cost::Cheap,
        Exp::Basic(b) if b.cost().is_scalar() => Cost::Cheap,
        // A choice between numbers that are known.
        Exp::If(_, t, f)
            if t.stms.len() + f.stms.len() <= flattening::REPEATED_BRANCH_STATEMENTS
                && t.stms.iter().chain(&f.stms).all(is_arithmetic) =>
        {
            Cost::Cheap
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            Cost::Expensive
        }
    }
}

/// Whether an expression may be computed where it was not asked for: it cannot fail, and reads nothing.
pub(super) fn harmless(exp: &Exp<Soacs>) -> bool {
    match exp {
        Exp::Basic(Basic::Iota { .. }) => true,
        Exp::Basic(b @ (Basic::ArrayConst(_) | Basic::Rearrange(..))) => b.is_total(),
        Exp::Basic(b) => b.class() == Class::Arithmetic && b.is_total(),
        Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

/// Whether the function of a filter is worth a map of its own: to compute it again costs more than to read
/// what it computed.
pub(super) fn worth_splitting(f: &Filter<Soacs>) -> bool {
    scalar_instructions(&f.lambda.body).is_none_or(|n| n > scan_epilogue::REPEATED_INSTRUCTIONS)
}
