//! Updates of accumulators that are reductions, histograms, or elements of an array.
//!
//! Before: any valid program. After: an update of an accumulator, in maps, is computed by a nest of its own
//! where it has one of these forms, and combined with the array as a whole; it updates nothing in memory
//! then.
//!
//! ```text
//! for all i, j, k: acc[j, k] (+)= v   map j (map k (redomap i (+) v))   the index does not depend on `i`
//! for all i: acc[i] (+)= v            map i v                           it is that of the elements in turn
//! for all i: acc[is[i]] (+)= v        hist i (+) is[i] v                it is data
//! ```
//!
//! The adjoint of a matrix product is thus two of them. What is not of these forms remains an update. The
//! operator is commutative, as that of all accumulators, so what comes first does not matter.
//!
//! The nest computes its values itself, where that takes a few instructions, from what is there; what takes
//! more is stored by the code that computes it now, if that takes less room than the nest has iterations
//! (`value`). An update under a condition contributes the neutral element, or has an index out of bounds,
//! where that does not hold. Reverse mode is not all that makes accumulators, and fusion stops at them: so
//! this is a pass of the optimiser, which follows differentiation and comes before fusion, while producers of
//! values are maps still.

mod combine;
mod nest;
mod rebuild;
mod scopes;
mod value;

use crate::{cse, simplify};
use fehu_base::Name;
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::consume::consumed_directly;
use fehu_ir::free::{free_in_lambda, free_in_stms, Names};
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, Builder, DimIndex, Exp, Loc, Prog, Soacs, Stm, SubExp, WithAcc};
use fehu_pass::{Need, Pass};
use nest::{Gives, Made};
use rebuild::Edits;
use rustc_hash::{FxHashMap, FxHashSet};
use scopes::Scopes;
use value::Around;

/// Accumulators as a pass.
pub fn pass(bins: Bins) -> Pass<Prog<Soacs>> {
    let run = match bins {
        Bins::Histograms => as_histograms,
        Bins::Updates => |prog: &mut Prog<Soacs>| accumulators(prog, Bins::Updates),
    };
    Pass { name: "accumulations", need: Need::Optional, run }
}

/// What becomes of updates whose index is data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bins {
    /// A histogram.
    Histograms,
    /// They remain: in sequential code a histogram is nothing but updates, and several in one loop are better.
    Updates,
}

/// The same before derivatives are taken: histograms have rules for all operators.
pub fn as_histograms(prog: &mut Prog<Soacs>) {
    accumulators(prog, Bins::Histograms);
}

/// What became of an update of an accumulator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Became {
    /// Elements of an array, each computed as a whole: by a map, or by a reduction over the other dimensions.
    Elements,
    /// A histogram.
    Bins,
    /// An update in memory, which is atomic on GPUs.
    Update,
}

/// What becomes of the updates of a program, and where they are.
pub fn explained(prog: &Prog<Soacs>, bins: Bins) -> Vec<(Loc, Became)> {
    let (mut prog, mut said) = (prog.clone(), vec![]);
    let mut rounds = 0;
    while rounds < MOST_ROUNDS && round(&mut prog, bins, &mut said) {
        rounds += 1;
        simplified(&mut prog);
    }
    for fun in &prog.funs {
        for_each_stm(&fun.body, &mut |s| {
            if let Exp::Basic(Basic::UpdateAcc(..)) = &s.exp {
                said.push((s.loc.clone(), Became::Update));
            }
        });
    }
    said
}

/// How often code that was made here may be looked at again.
const MOST_ROUNDS: usize = 20;

fn accumulators(prog: &mut Prog<Soacs>, bins: Bins) {
    for _ in 0..MOST_ROUNDS {
        if !round(prog, bins, &mut vec![]) {
            return;
        }
        simplified(prog);
    }
}

fn simplified(prog: &mut Prog<Soacs>) {
    (simplify::SOACS.run)(prog);
    (cse::SOACS.run)(prog);
    (simplify::SOACS.run)(prog);
}

/// All of a dimension.
fn all(len: SubExp) -> DimIndex {
    DimIndex::Slice { start: SubExp::i64(0), len, stride: SubExp::i64(1) }
}

/// Rewrites what can be, once. Whether there was anything.
fn round(prog: &mut Prog<Soacs>, bins: Bins, said: &mut Vec<(Loc, Became)>) -> bool {
    let mut any = false;
    for fun in &prog.funs {
        for_each_stm(&fun.body, &mut |s| any |= matches!(s.exp, Exp::WithAcc(_)));
    }
    if !any {
        return false;
    }
    let types = prog_types(prog);
    let signatures = Signatures::of_prog(prog);
    let mut b = Builder::new(std::mem::take(&mut prog.names));
    b.types.clone_from(&types);
    let mut changed = false;
    for fun in &mut prog.funs {
        let aliases = Aliases::of_fun(&signatures, fun);
        let mut walk = Walk {
            b,
            types: &types,
            signatures: &signatures,
            aliases: &aliases,
            iotas: FxHashSet::default(),
            fills: FxHashMap::default(),
            bins,
            changed: false,
            said: vec![],
        };
        walk.body(&mut fun.body);
        said.append(&mut walk.said);
        changed |= walk.changed;
        b = walk.b;
    }
    prog.names = b.names;
    changed
}

struct Walk<'a> {
    b: Builder<Soacs>,
    /// The types of all names that were there when the round began.
    types: &'a Types,
    signatures: &'a Signatures,
    aliases: &'a Aliases,
    /// Arrays of 0, 1, 2..
    iotas: FxHashSet<Name>,
    /// Arrays whose elements are all the same constant.
    fills: FxHashMap<Name, SubExp>,
    bins: Bins,
    changed: bool,
    /// What became of updates.
    said: Vec<(Loc, Became)>,
}

impl Walk<'_> {
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            for mut stm in std::mem::take(&mut body.stms) {
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                self.learn(&stm);
                match self.rewritten(&stm) {
                    Some(stms) => {
                        self.changed = true;
                        body.stms.extend(stms);
                    }
                    None => body.stms.push(stm),
                }
            }
        });
    }

    fn learn(&mut self, stm: &Stm<Soacs>) {
        let Some(p) = stm.pat.first() else { return };
        let counts = |start: &SubExp, step: &SubExp| start.as_i64() == Some(0) && step.as_i64() == Some(1);
        match &stm.exp {
            Exp::Basic(Basic::Iota { start, step, ty: fehu_base::prim::IntType::I64, .. })
                if counts(start, step) =>
            {
                self.iotas.insert(p.name);
            }
            Exp::Basic(Basic::Replicate(_, e @ SubExp::Const(_))) => {
                self.fills.insert(p.name, *e);
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
    }

    /// What an accumulation becomes.
    fn rewritten(&mut self, stm: &Stm<Soacs>) -> Option<Vec<Stm<Soacs>>> {
        let Exp::WithAcc(with) = &stm.exp else { return None };
        // What was made in this round is not in the tables.
        if !stm.attrs.is_empty()
            || !fehu_ir::free::bound_in_stm(stm).iter().all(|n| self.types.contains_key(n))
        {
            return None;
        }
        let around = Around { aliases: self.aliases, consumed: self.consumed(stm), iotas: &self.iotas };
        let scopes = Scopes::of(self.types, with);
        let mut edits = Edits::default();
        let mut made: Vec<(usize, Made)> = vec![];
        for update in &scopes.updates {
            let one = nest::made(&mut self.b, &scopes, &around, update, &with.inputs[update.input]);
            let wanted = |one: &Made| match one.gives {
                Gives::Elements { .. } => true,
                Gives::Bins { .. } => self.bins == Bins::Histograms,
            };
            let Some(one) = one.filter(|one| wanted(one) && self.may_run_after(one, &around)) else {
                continue;
            };
            let became = match &one.gives {
                Gives::Elements { .. } => Became::Elements,
                Gives::Bins { .. } => Became::Bins,
            };
            self.said.push((update.stm.loc.clone(), became));
            edits.remove(update.stm.pat[0].name);
            for (inner, outer) in &one.stored {
                edits.store(&mut self.b, &scopes, *inner, *outer);
            }
            made.push((update.input, one));
        }
        if made.is_empty() {
            return None;
        }
        Some(self.replaced(stm, with, edits, made))
    }

    /// Everything that a statement takes over, and from where its memory may come.
    fn consumed(&self, stm: &Stm<Soacs>) -> Names {
        let mut consumed = Names::default();
        let mut add = |exp: &Exp<Soacs>| {
            for n in consumed_directly(self.signatures, exp) {
                consumed.extend(self.aliases.of(n));
            }
        };
        add(&stm.exp);
        if let Exp::WithAcc(with) = &stm.exp {
            for_each_stm(&with.lambda.body, &mut |s| add(&s.exp));
        }
        consumed
    }

    /// Whether arrays that code reads are as they were, after the accumulation.
    fn may_run_after(&self, made: &Made, around: &Around<'_>) -> bool {
        let mut read = free_in_stms(&made.stms);
        match &made.gives {
            Gives::Elements { at, values } => {
                read.extend(values.iter().chain(at.iter().flatten()).filter_map(|e| e.name()));
            }
            Gives::Bins { arrays, lambda, .. } => {
                read.extend(free_in_lambda(lambda));
                read.extend(arrays.iter().copied());
            }
        }
        let own: FxHashSet<Name> = made.stms.iter().flat_map(|s| &s.pat).map(|p| p.name).collect();
        let stored: FxHashSet<Name> = made.stored.iter().map(|(_, outer)| *outer).collect();
        read.into_iter().filter(|n| !own.contains(n) && !stored.contains(n)).all(|n| {
            match self.types.get(&n) {
                Some(ty) if ty.is_array() => !self.aliases.of(n).iter().any(|a| around.consumed.contains(a)),
                Some(_) => true,
                None => false,
            }
        })
    }

    /// The accumulation without updates that have nests, and those.
    fn replaced(
        &mut self,
        stm: &Stm<Soacs>,
        with: &WithAcc<Soacs>,
        mut edits: Edits,
        made: Vec<(usize, Made)>,
    ) -> Vec<Stm<Soacs>> {
        self.b.begin();
        self.b.loc = stm.loc.clone();
        let mut arrays = edits.accumulation(&mut self.b, stm, with);
        for (input, one) in made {
            for mut s in one.stms {
                s.certs.extend(one.certs.iter().copied());
                self.b.push(s);
            }
            self.b.certs = one.certs;
            let to = &with.inputs[input];
            arrays[input] = combine::combined(&mut self.b, to, &self.fills, &arrays[input], one.gives);
            self.b.certs.clear();
        }
        for (p, a) in stm.pat.iter().zip(arrays.into_iter().flatten()) {
            let exp = Exp::Basic(Basic::SubExp(a.into()));
            self.b.bind_names(vec![(p.name, p.ty.clone())], exp);
        }
        let mut stms = self.b.end(vec![]).stms;
        for s in &mut stms {
            let more: Vec<Name> = stm.certs.iter().copied().filter(|c| !s.certs.contains(c)).collect();
            s.certs.extend(more);
        }
        stms
    }
}
