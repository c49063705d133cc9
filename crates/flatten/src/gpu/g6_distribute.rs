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

use super::checks;
use super::filter;
use super::g1_manifest::Point;
use super::g5_rearrange;
use super::g7_loop;
use super::g8_branch;
use super::invariant;
use super::join::{self, only_input};
use super::lift;
use super::nest::{Cost, Lifted, Nest, Owner, Source};
use super::parallel::cost;
use super::ran::Checks;
use super::scattered;
use super::state::Flat;
use fehu_base::Name;
use fehu_ir::free::{free_in_stm, Names};
use fehu_ir::types::array_of_rows;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Exp, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

impl Flat {
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
        let body = filter::split_filters(self, body);
        let taken = self.taken_over(&body);
        join::note_changes(self, &body);
        let mut checks = Checks::new(&self.ran);
        let mut later = Later::of(&body);
        let mut rest = body.stms.into_iter();
        while let Some(stm) = rest.next() {
            later.past_next();
            if let Some(stm) = invariant::hoisted(self, &nest, stm, &taken) {
                let outer = self.seq.b.loc.clone();
                self.seq.b.loc = stm.loc.clone();
                let certs = self.seq.b.certs.len();
                self.seq.b.certs.extend(stm.certs.iter().filter(|c| !nest.binds(**c)));
                nest.unmade.retain(|c| !self.ran.everywhere(*c));
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
                        let joined = stm.pat.iter().any(|p| self.arrays.join_of(p.name).is_some());
                        let cost = if joined { Cost::Cheap } else { cost(&stm.exp) };
                        nest.bind_stm(stm, cost);
                    }
                }
                nest.forget_unused(&later.used);
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
            Exp::Loop(l) => g7_loop::map_loop(self, nest, stm, l, later),
            Exp::If(c, t, f) => g8_branch::map_branch(self, nest, stm, *c, t, f, later),
            Exp::Basic(Basic::Update(array, slice, value)) => {
                scattered::map_update(self, nest, stm, *array, slice, *value, later)
            }
            // Its elements are computed wherever they are needed.
            Exp::Basic(Basic::Iota { .. }) => None,
            Exp::Basic(Basic::Reshape(..)) if join::note_cast(&mut self.arrays, stm) => None,
            Exp::Basic(Basic::Replicate(..)) if only_input(stm, rest, result) => None,
            Exp::Basic(Basic::Concat { arrays, .. })
                if arrays.iter().all(|a| nest.regular(&self.seq.b.type_of((*a).into())))
                    && join::note_join(self, stm, rest, result) =>
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
            ) => g5_rearrange::map_rearrange(self, nest, stm),
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => None,
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
                    if returned.insert(self.arrays.root(array))
                        && (owner == Owner::Nest || *wanted == Owner::Shared) =>
                {
                    Some(array.into())
                }
                Some(_) => Some(self.lift_copy(&nest, *e, ty)),
                None => match e {
                    _ if matches!(ty, Type::Acc(..)) => match e.name() {
                        Some(n) if !nest.binds(n) => Some(*e),
                        Some(_) | None => nest.accumulator(*e),
                    },
                    SubExp::Var(n) if nest.binds(*n) => {
                        if self.is_view(&nest, *n) && ty.is_array() {
                            Some(lift::elementwise(self, &nest, *n, ty).into())
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
            checks::run_checks(self, &nest, checks);
        } else {
            let (result, types): (Vec<SubExp>, Vec<Type>) = together.into_iter().unzip();
            let left = self.ran.unchecked(checks);
            let body = Body { stms: checks::naming(&mut self.seq.b, left), result };
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
