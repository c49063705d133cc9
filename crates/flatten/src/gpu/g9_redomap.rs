//! G9: a reduction (or scan) of a map becomes one kernel, or a map and a reduction.
//!
//! In the paper: with `Σ' = Σ, ⟨x ∈ xs⟩`, `redomap ⊕ f v xs` under `Σ` is
//!
//! ```text
//! if Par(Σ') ≥ t then segred Σ' ⊕ v (f x)
//! else let y = map f xs in reduce ⊕ v y     -- flattened further
//! ```
//!
//! Without parallelism in `f` it is the one kernel. The default is a map and a reduction where points share
//! rows that each would read (`shared_rows`). Where all that is reduced is also a result, it is always a map
//! and a reduction: the one kernel would write the elements, too, and saves no more than to read them again,
//! while a map's points can share what they read (tiles of a matrix product) and those of a reduction cannot.
//! Attributes that forbid the version with a sequential `f` (`only_inner`, ...) leave the other one: fusion
//! hands them on from the map to the reduction. An operator that depends on the nest cannot leave it: then
//! the combinator is sequential code.

use super::block::widest;
use super::filter;
use super::g1_manifest::Point;
use super::g4_tree;
use super::g4_vector::{self, bare, hands_on, identity};
use super::guard::{never_enough, Version};
use super::join;
use super::lift;
use super::nest::{Lifted, Nest, Owner};
use super::parallel::{exploitable, widths_inside_map};
use super::ran::Ran;
use super::scattered;
use super::shared_rows::SharedRows;
use super::state::{Flat, Machine};
use super::steer::{self, Steer};
use crate::scan_and_reduce;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::seg::{KernelBody, KernelReturn, SegBinOp, SegKind};
use fehu_ir::soac::{Commutativity, Reduce, Scan, Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Attr, Body, Exp, Kernels, Lambda, Soacs, Stm, SubExp, Type};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

impl Flat {
    /// A combinator under a nest; `None` if it must be sequential there.
    pub(super) fn soac(
        &mut self,
        nest: &mut Nest,
        stm: &Stm<Soacs>,
        soac: &Soac<Soacs>,
        later: &FxHashSet<Name>,
    ) -> Option<Lifted> {
        let own: Vec<Attr> = stm.attrs.iter().filter(|a| steer::is_schedule(a)).cloned().collect();
        let inner = own.len();
        self.schedules.splice(0..0, own);
        let results = match soac {
            Soac::Screma(s) => self.screma(nest, stm, s),
            Soac::Hist(h) => scattered::map_hist(self, nest, stm, h, later),
            Soac::Scatter(s) => scattered::map_scatter(self, nest, stm, s, later),
            Soac::Filter(f) => filter::filter(self, nest, stm, f),
            Soac::Ad(_) => fehu_base::bug!("a derivative was left for flattening"),
        };
        self.schedules.drain(..inner);
        results
    }

    fn screma(&mut self, nest: &mut Nest, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Option<Lifted> {
        if !nest.invariant(s.width) || s.map.ret.iter().any(|t| !nest.regular(t)) {
            return None;
        }
        if s.scans.is_empty() && s.reds.is_empty() {
            return self.map(nest, stm, s);
        }
        let scans = s.scans.iter().map(|x| (&x.op, &x.neutral));
        let reds = s.reds.iter().map(|x| (&x.op, &x.neutral));
        if !scans.chain(reds).all(|(op, neutral)| nest.invariant_operator(op, neutral)) {
            return None;
        }
        let steer = Steer::of(&stm.attrs);
        let only_inside =
            self.machine == Machine::Grid && steer.no_outer && !(steer.no_inner && steer.no_intra);
        let worth = exploitable(&s.map.body) && (only_inside || self.may_version() && !steer.no_inner);
        if !s.scans.is_empty() && !s.reds.is_empty() {
            let scalars = s.scans.iter().all(|x| !x.op.ret.iter().any(Type::is_array));
            return Some(match scalars && !worth {
                true => self.separate(nest, stm, s),
                false => self.split(nest, stm, s),
            });
        }
        if operators(s).any(|op| op.ret.iter().any(Type::is_array)) {
            return Some(self.of_rows(nest, stm, s));
        }
        if !worth {
            return Some(self.segmented(nest, stm, s));
        }
        if self.machine == Machine::Grid && keeps_all(s) {
            return Some(self.split(nest, stm, s));
        }
        let first = self.guards.count();
        let widths: Vec<SubExp> = nest.widths.iter().copied().chain([s.width]).collect();
        let outer = !only_inside && !never_enough(&widths);
        let name = outer.then(|| self.guards.name(Version::Outer));
        let mut under = nest.clone();
        let (split, checked) = self.unless(name, |f| {
            f.nested_checking(|f| f.split(&mut under, stm, s).into_iter().map(|(e, _)| e).collect())
        });
        if widest(&split) <= nest.depth() + 1 {
            self.guards.back_to(first);
            return Some(self.segmented(nest, stm, s));
        }
        let Some(name) = name else {
            self.ran.extend(checked);
            let results = self.inline_kernels(split);
            return Some(results.into_iter().map(|e| (e, Owner::Nest)).collect());
        };
        let mut par = self.seq.b.product(&widths);
        if let Some(rows) = SharedRows::of(nest, s) {
            par = rows.limit(&mut self.seq.b, nest, par, flattening::ENOUGH_PARALLELISM - 1);
        }
        let inside = self.seq.b.product(&widths_inside_map(nest, &s.map));
        let cond = self.enough(name, Version::Outer, par, Some(inside));
        let mut under = nest.clone();
        let (whole, otherwise) =
            self.nested_checking(|f| f.segmented(&mut under, stm, s).into_iter().map(|(e, _)| e).collect());
        self.ran.extend(Ran::in_both(&checked, &otherwise));
        let results = stm.pat.iter().map(|p| array_of_rows(&p.ty, &nest.widths)).collect();
        let results = self.choose(cond, whole, split, results);
        Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
    }

    /// Operators on arrays, one at a time.
    fn of_rows(&mut self, nest: &mut Nest, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Lifted {
        if let Some(results) = g4_vector::interchange(self, nest, stm, s) {
            return results;
        }
        if hands_on(s) {
            if let Some(results) = g4_tree::tree(self, nest, stm, s) {
                return results;
            }
        }
        self.split(nest, stm, s)
    }

    /// One segmented operation, with the map inside of it.
    pub(super) fn segmented(&mut self, nest: &mut Nest, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Lifted {
        let needed = nest.needed(stm);
        lift::materialise(self, nest, &needed);
        let mut inner = nest.clone();
        join::level(self, &mut inner, s.width, &s.map.params, &s.arrays);
        let types = s.map.ret.clone();
        let point =
            Point { nest: &inner, depth: inner.depth(), body: s.map.body.clone(), types: types.clone() };
        let opened = self.open(point);
        let body = self.seq_body(opened.body);
        let returns = types.iter().map(|_| KernelReturn::Elem).collect();
        let (kind, combined, outer) = if s.reds.is_empty() {
            let ops: Vec<_> = s
                .scans
                .iter()
                .map(|Scan { op, neutral }| self.seg_bin_op(Commutativity::Noncommutative, op, neutral))
                .collect();
            let combined: usize = s.scans.iter().map(|x| x.neutral.len()).sum();
            (SegKind::Scan(ops, None), combined, inner.depth())
        } else {
            let ops: Vec<_> = s
                .reds
                .iter()
                .map(|Reduce { comm, op, neutral }| self.seg_bin_op(*comm, op, neutral))
                .collect();
            let combined: usize = s.reds.iter().map(|x| x.neutral.len()).sum();
            (SegKind::Red(ops), combined, nest.depth())
        };
        let result = |(i, t): (usize, &Type)| {
            let dims = if i < combined { outer } else { inner.depth() };
            array_of_rows(t, &inner.widths[..dims])
        };
        let results = types.iter().enumerate().map(result).collect();
        let names = self.seg_op(opened.space, types, KernelBody { body, returns }, kind, results);
        names.into_iter().map(|n| (n.into(), Owner::Nest)).collect()
    }

    fn seg_bin_op(
        &mut self,
        comm: Commutativity,
        op: &Lambda<Soacs>,
        neutral: &[SubExp],
    ) -> SegBinOp<Kernels> {
        SegBinOp { comm, op: self.operator(op), neutral: neutral.to_vec() }
    }

    /// A sequential copy of an operator.
    pub(super) fn operator(&mut self, op: &Lambda<Soacs>) -> Lambda<Kernels> {
        let op = rename_lambda(&mut self.seq.b.names, op);
        self.seq.learn_types(&op);
        self.seq.lambda(op)
    }

    /// Scans and reductions, each with the map.
    fn separate(&mut self, nest: &mut Nest, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Lifted {
        let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
        let pat = self.pattern("combined", types.clone());
        let result = pat.iter().map(|p| SubExp::Var(p.name)).collect();
        let stms = scan_and_reduce::separate(&mut self.seq, &bare(stm), &pat, s).into();
        let results = self.under(nest, Body { stms, result }, &types);
        results.into_iter().map(|e| (e, Owner::Nest)).collect()
    }

    /// The map, then the scans and the reductions of its results, all flattened further.
    pub(super) fn split(&mut self, nest: &mut Nest, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Lifted {
        let mut stms = vec![];
        let mut names = s.arrays.clone();
        if !hands_on(s) {
            // What is reduced and a result is one array.
            let mut map = s.map.clone();
            let all: IndexSet<SubExp> = s.map.body.result.iter().copied().collect();
            let first = |e: &SubExp| s.map.body.result.iter().position(|x| x == e);
            map.ret = all.iter().filter_map(|e| Some(s.map.ret[first(e)?].clone())).collect();
            map.body.result = all.iter().copied().collect();
            let types = map.ret.iter().map(|t| array_of_rows(t, &[s.width])).collect();
            let mapped = self.pattern("mapped", types);
            let made = |e: &SubExp| all.get_index_of(e).map(|i| mapped[i].name);
            names = s.map.body.result.iter().filter_map(made).collect();
            let arrays = s.arrays.clone();
            let map = Screma { width: s.width, arrays, scans: vec![], reds: vec![], map };
            stms.push(Stm { pat: mapped, exp: Exp::Op(Soac::Screma(map)), ..bare(stm) });
        }
        let mut result: Vec<SubExp> = vec![];
        let mut used = 0;
        let scans = s.scans.iter().map(|x| (vec![x.clone()], vec![], &x.op));
        let reds = s.reds.iter().map(|x| (vec![], vec![x.clone()], &x.op));
        let scans: Vec<_> = scans.chain(reds).collect();
        for (scans, reds, op) in scans {
            let arrays = names[used..used + op.ret.len()].to_vec();
            let results = stm.pat[used..used + op.ret.len()].iter().map(|p| p.ty.clone()).collect();
            used += op.ret.len();
            let params = op.ret.iter().map(|t| self.soac_param("x", t.clone())).collect();
            let map = identity(params, &op.ret);
            let pat = self.pattern("combined", results);
            result.extend(pat.iter().map(|p| SubExp::Var(p.name)));
            let exp = Exp::Op(Soac::Screma(Screma { width: s.width, arrays, scans, reds, map }));
            stms.push(Stm { pat, exp, ..bare(stm) });
        }
        result.extend(names[used..].iter().map(|n| SubExp::Var(*n)));
        let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
        let results = self.under(nest, Body { stms, result }, &types);
        results.into_iter().map(|e| (e, Owner::Nest)).collect()
    }
}

/// Whether all that is scanned or reduced is also a result as it is.
fn keeps_all(s: &Screma<Soacs>) -> bool {
    let combined = operators(s).map(|op| op.ret.len()).sum();
    let (used, kept) = s.map.body.result.split_at(combined);
    used.iter().all(|e| kept.contains(e))
}

/// The operators of a combinator.
fn operators(s: &Screma<Soacs>) -> impl Iterator<Item = &Lambda<Soacs>> {
    s.scans.iter().map(|x| &x.op).chain(s.reds.iter().map(|x| &x.op))
}
