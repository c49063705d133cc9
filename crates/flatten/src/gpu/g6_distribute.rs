//! G6: a map of several statements becomes several maps.
//!
//! In the paper: `Σ ⊢ let a = e1 in e2 ⇒ let as = e1' in e2'`, where `e1'` is
//! `e1` under `Σ`, and `e2'` is `e2` under `Σ` in which `a` is an element of
//! `as`; if the size of `a` is the same at all points of `Σ`.
//!
//! Only statements with parallelism are split off. Scalar code joins the nest
//! and is computed wherever it is needed, unless that is expensive: then a kernel of
//! its own computes it once. Statements that mean the same at all points leave
//! the nest, so that sizes are known outside.
//!

use super::checks::Checks;
use super::g1_manifest::Point;
use super::join::only_input;
use super::nest::{Cost, Nest, Owner, Source};
use super::parallel::cost;
use super::Flat;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::{free_in_stm, free_in_type, Names};
use fehu_ir::types::array_of_rows;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Exp, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Results of code under a nest: for each, the array over the nest.
pub(super) type Lifted = Vec<(SubExp, Owner)>;

impl Flat<'_> {
    /// The arrays of the results of a body under a nest, in memory of their own.
    pub(super) fn distribute(&mut self, nest: Nest, body: Body<Soacs>, types: &[Type]) -> Vec<SubExp> {
        let wanted = vec![Owner::Nest; types.len()];
        self.distribute_for(nest, body, types, &wanted)
    }

    /// The arrays of the results of a body under a nest; those wanted as shared may be those of others.
    pub(super) fn distribute_for(
        &mut self,
        mut nest: Nest,
        body: Body<Soacs>,
        types: &[Type],
        wanted: &[Owner],
    ) -> Vec<SubExp> {
        let body = self.split_filters(body);
        let taken = self.taken_over(&body);
        let mut checks = Checks::new(self.ran.len());
        let mut later = Later::of(&body);
        let mut rest = body.stms.into_iter();
        while let Some(stm) = rest.next() {
            later.past_next();
            if let Some(stm) = self.hoisted(&nest, stm, &taken) {
                let outer = self.seq.b.loc.clone();
                self.seq.b.loc = stm.loc.clone();
                let certs = self.seq.b.certs.len();
                self.seq.b.certs.extend(stm.certs.iter().filter(|c| !nest.binds(**c)));
                let inside = nest.certs.len();
                nest.certs.extend(stm.certs.iter().filter(|c| nest.binds(**c)).collect::<Vec<_>>());
                let lifted =
                    deep(|| self.parallel_stm(&mut nest, &stm, (rest.as_slice(), &body.result), &later.used));
                nest.certs.truncate(inside);
                self.seq.b.certs.truncate(certs);
                self.seq.b.loc = outer;
                match lifted {
                    Some(results) => {
                        for (p, (e, owner)) in stm.pat.into_iter().zip(results) {
                            self.bind_lifted(&mut nest, p.name, p.ty, e, owner);
                        }
                    }
                    None => {
                        if matches!(stm.exp, Exp::Basic(Basic::Assert(..))) {
                            checks.names.extend(stm.pat.iter().map(|p| p.name));
                        }
                        let joined = stm.pat.iter().any(|p| self.joins.contains_key(&p.name));
                        let cost = if joined { Cost::Cheap } else { cost(&stm.exp) };
                        nest.bind_stm(stm, cost);
                    }
                }
            }
        }
        self.results(nest, (&body.result, types, wanted), checks)
    }

    fn bind_lifted(&mut self, nest: &mut Nest, name: Name, ty: Type, e: SubExp, owner: Owner) {
        match e {
            SubExp::Var(array) => nest.bind_whole(name, ty, array, owner),
            SubExp::Const(_) => {
                let stm = fehu_ir::build::plain(name, ty, Exp::Basic(Basic::SubExp(e)));
                nest.bind_stm(stm, Cost::Cheap);
            }
        }
    }

    /// The names whose memory a body takes over. Each point of a nest needs such an array for itself.
    pub(super) fn taken_over(&self, body: &Body<Soacs>) -> FxHashSet<Name> {
        let aliases = Aliases::of_body(&self.signatures, body);
        let taken = |stm: &Stm<Soacs>| consumed_by_exp(&self.signatures, &aliases, &stm.exp);
        body.stms.iter().flat_map(taken).collect()
    }

    /// Splits a statement off, if it has parallelism that a nest can be put around.
    fn parallel_stm(
        &mut self,
        nest: &mut Nest,
        stm: &Stm<Soacs>,
        (rest, result): (&[Stm<Soacs>], &[SubExp]),
        later: &FxHashSet<Name>,
    ) -> Option<Lifted> {
        if super::steer::Steer::of(&stm.attrs).sequential || stm.pat.iter().any(|p| !nest.regular(&p.ty)) {
            return None;
        }
        match &stm.exp {
            Exp::Op(soac) => self.soac(nest, stm, soac, later),
            Exp::Loop(l) => self.map_loop(nest, stm, l, later),
            Exp::If(c, t, f) => self.map_branch(nest, stm, *c, t, f, later),
            Exp::Basic(Basic::Update(array, slice, value)) => {
                self.map_update(nest, stm, *array, slice, *value, later)
            }
            // Its elements are computed wherever they are needed.
            Exp::Basic(Basic::Iota { .. }) => None,
            Exp::Basic(Basic::Reshape(..)) if self.note_cast(stm) => None,
            Exp::Basic(Basic::Replicate(..)) if only_input(stm, rest, result) => None,
            Exp::Basic(Basic::Concat { arrays, .. })
                if arrays.iter().all(|a| nest.regular(&self.seq.b.type_of((*a).into())))
                    && self.note_join(stm, rest, result) =>
            {
                None
            }
            Exp::Basic(
                Basic::Rearrange(..)
                | Basic::Reshape(..)
                | Basic::Copy(_)
                | Basic::Manifest(..)
                | Basic::Replicate(..)
                | Basic::Scratch(..)
                | Basic::Concat { .. },
            ) => self.map_rearrange(nest, stm),
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => None,
        }
    }

    /// Makes sure that what is expensive to compute, and needed for these names, is in arrays.
    pub(super) fn materialise(&mut self, nest: &mut Nest, names: &[Name]) {
        let mut needed: FxHashSet<Name> = names.iter().copied().collect();
        let mut expensive: Vec<(Name, usize)> = vec![];
        let mut cheap = vec![];
        for binding in nest.bindings.iter().rev() {
            let Some((name, _)) = binding.names.iter().find(|(n, _)| needed.contains(n)) else { continue };
            let Source::Stm(c) = &binding.source else {
                needed.extend(Nest::needs(binding));
                continue;
            };
            let storable = binding.names.iter().all(|(_, t)| nest.regular(t) && *t != Type::UNIT);
            match c.cost {
                Cost::Expensive if storable => expensive.push((*name, binding.depth)),
                Cost::Expensive | Cost::Cheap => {
                    if storable && binding.names.iter().all(|(_, t)| matches!(t, Type::Prim(_))) {
                        cheap.push((*name, binding.depth));
                    }
                    needed.extend(Nest::needs(binding));
                }
            }
        }
        if cheap.len() > flattening::REPEATED_STATEMENTS {
            // Those that are asked for themselves are the ones that save most.
            expensive.extend(cheap.into_iter().filter(|(n, _)| names.contains(n)));
        }
        while let Some((_, depth)) = expensive.last().copied() {
            let (here, others): (Vec<_>, Vec<_>) = expensive.into_iter().partition(|d| d.1 == depth);
            expensive = others;
            self.materialise_at(nest, &here.into_iter().rev().map(|d| d.0).collect::<Vec<_>>(), depth);
        }
    }

    /// Computes statements of one depth in a kernel.
    fn materialise_at(&mut self, nest: &mut Nest, names: &[Name], depth: usize) {
        let mut result = vec![];
        let mut types = vec![];
        let mut counts = vec![];
        for name in names {
            let Some(binding) = nest.find(*name) else { continue };
            result.extend(binding.names.iter().map(|(n, _)| SubExp::Var(*n)));
            types.extend(binding.names.iter().map(|(_, t)| t.clone()));
            counts.push((*name, binding.names.len()));
        }
        let body = Body { stms: vec![], result };
        let mut arrays = self.seg_map(Point { nest, depth, body, types }).into_iter();
        for (name, count) in counts {
            nest.replace(name, arrays.by_ref().take(count).collect());
        }
    }

    /// Before an array of the nest is consumed: computes what needs it and is needed later.
    pub(super) fn protect(&mut self, nest: &mut Nest, consumed: &[Name], later: &FxHashSet<Name>) {
        let mut tainted: FxHashSet<Name> = self.same_memory(nest, consumed);
        let mut found: Vec<(Name, usize)> = vec![];
        for binding in &nest.bindings {
            let Source::Stm(_) = &binding.source else { continue };
            if !Nest::needs(binding).iter().any(|n| tainted.contains(n)) {
                continue;
            }
            tainted.extend(binding.names.iter().map(|(n, _)| *n));
        }
        // Of these, what later statements need, themselves or through others, and checks that are still to be made.
        let is_check = |source: &Source| matches!(source, Source::Stm(c) if matches!(c.stm.exp, Exp::Basic(Basic::Assert(..))));
        let mut needed = later.clone();
        for binding in nest.bindings.iter().rev() {
            if is_check(&binding.source) || binding.names.iter().any(|(n, _)| needed.contains(n)) {
                needed.extend(Nest::needs(binding));
            }
        }
        for binding in &nest.bindings {
            let Source::Stm(_) = &binding.source else { continue };
            for (n, t) in &binding.names {
                let storable = nest.regular(t) && *t != Type::UNIT;
                if tainted.contains(n) && needed.contains(n) && storable && !consumed.contains(n) {
                    found.push((*n, binding.depth));
                    break;
                }
            }
        }
        for (name, depth) in found {
            self.materialise_at(nest, &[name], depth);
        }
    }

    /// The arrays of the results of a body.
    fn results(
        &mut self,
        nest: Nest,
        (results, types, wanted): (&[SubExp], &[Type], &[Owner]),
        checks: Checks,
    ) -> Vec<SubExp> {
        let depth = nest.depth();
        let mut returned = FxHashSet::default();
        let mut all: Vec<Option<SubExp>> = vec![];
        // Expensive results are computed together, with the checks that are left.
        let mut together: Vec<(SubExp, Type)> = vec![];
        for ((e, ty), wanted) in results.iter().zip(types).zip(wanted) {
            let whole = e.name().and_then(|n| nest.whole(n));
            let known = match whole {
                Some((array, owner))
                    if returned.insert(self.root(array))
                        && (owner == Owner::Nest || *wanted == Owner::Shared) =>
                {
                    Some(array.into())
                }
                Some(_) => Some(self.lift_copy(&nest, *e, ty)),
                None => match e {
                    _ if matches!(ty, Type::Acc(..)) => match e.name() {
                        Some(n) if !nest.binds(n) => Some(*e),
                        Some(_) | None => Flat::acc_of(&nest, *e),
                    },
                    SubExp::Var(n) if nest.binds(*n) => {
                        if self.is_view(&nest, *n) && ty.is_array() {
                            Some(self.elementwise(&nest, *n, ty).into())
                        } else {
                            None
                        }
                    }
                    SubExp::Var(_) | SubExp::Const(_) => {
                        let all = ty.array_of(&nest.widths);
                        Some(
                            self.seq
                                .b
                                .bind("rep", all, Exp::Basic(Basic::Replicate(nest.widths.clone(), *e)))
                                .into(),
                        )
                    }
                },
            };
            if known.is_none() {
                together.push((*e, ty.clone()));
            }
            all.push(known);
        }
        let mut computed = vec![].into_iter();
        if together.is_empty() {
            self.run_checks(&nest, checks);
        } else {
            let (result, types): (Vec<SubExp>, Vec<Type>) = together.into_iter().unzip();
            let left = self.unchecked(checks);
            let body = Body { stms: self.naming(left), result };
            let arrays = self.seg_map(Point { nest: &nest, depth, body, types });
            computed = arrays.into_iter();
        }
        let fill = |e: Option<SubExp>| match e {
            Some(e) => Some(e),
            None => computed.next().map(SubExp::Var),
        };
        all.into_iter().filter_map(fill).collect()
    }

    fn lift_copy(&mut self, nest: &Nest, e: SubExp, ty: &Type) -> SubExp {
        match e.name().and_then(|n| nest.whole(n)) {
            Some((array, _)) => {
                let all = array_of_rows(ty, &nest.widths);
                self.seq.b.bind("copy", all, Exp::Basic(Basic::Copy(array))).into()
            }
            None => e,
        }
    }

    /// Whether a name is an array, or a part of one, that is there already.
    fn is_view(&self, nest: &Nest, name: Name) -> bool {
        match nest.find(name).map(|b| &b.source) {
            Some(Source::Elem { .. }) => true,
            Some(Source::Stm(c)) => {
                c.cost == Cost::Cheap
                    && free_in_stm(&c.stm).into_iter().all(|n| {
                        let array = self.seq.b.types.get(&n).is_some_and(Type::is_array);
                        !array || !nest.binds(n) || self.is_view(nest, n)
                    })
            }
            Some(Source::Acc(_) | Source::Index(_)) | None => false,
        }
    }

    /// The names that a statement needs from the nest, its types and certificates included.
    pub(super) fn needed(nest: &Nest, stm: &Stm<Soacs>) -> Vec<Name> {
        let types = stm.pat.iter().flat_map(|p| free_in_type(&p.ty));
        free_in_stm(stm).into_iter().chain(types).filter(|n| nest.binds(*n)).collect()
    }
}

/// What the statements of a body that are still to come use, and its results. Each statement is looked at once.
struct Later {
    used: FxHashSet<Name>,
    /// How many of the statements to come use a name; the result counts as one.
    counts: FxHashMap<Name, usize>,
    /// What the statements to come use, the last first.
    stms: Vec<Names>,
}

impl Later {
    fn of(body: &Body<Soacs>) -> Later {
        let stms: Vec<Names> = body.stms.iter().rev().map(free_in_stm).collect();
        let mut counts: FxHashMap<Name, usize> = FxHashMap::default();
        let result: Names = body.result.iter().filter_map(|e| e.name()).collect();
        for n in stms.iter().chain([&result]).flatten() {
            *counts.entry(*n).or_default() += 1;
        }
        Later { used: counts.keys().copied().collect(), counts, stms }
    }

    /// The next statement is no longer to come.
    fn past_next(&mut self) {
        for n in self.stms.pop().unwrap_or_default() {
            let count = self.counts.entry(n).or_insert(1);
            *count -= 1;
            if *count == 0 {
                self.used.remove(&n);
            }
        }
    }
}
