//! What an inner map computes of elements that are the same all around it is computed once.
//!
//! Before: any valid program. After: a map inside of a loop or of another operation's function, of which a
//! part depends on nothing that is bound there, is two maps. The first has that part. It depends on nothing
//! around it, so the simplifier puts it outside, if it can run there; if not, fusion makes one map of both
//! again.
//!
//! ```text
//! map (\x -> map (\c -> dot x c - norm c) cs) xs
//!
//! map (\x -> let ns = map norm cs in map2 (\c n -> dot x c - n) cs ns) xs       this pass
//! let ns = map norm cs in map (\x -> map2 (\c n -> dot x c - n) cs ns) xs       the simplifier
//! ```
//!
//! The part is computed once for each element, not once for each element and point around it, and read
//! instead. That pays if it takes more than a few instructions. It needs memory of the order of what it
//! reads, which is there anyhow: so a part stays that depends on the number of an element alone, since an
//! `iota` has no memory.

use crate::simplify::{is_total, may_move};
use fehu_base::{Name, NameSource};
use fehu_ir::cost::{self, scalar_instructions, FUNCTION_INSTRUCTIONS};
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::visit::{deep, for_each_lambda, map_bodies};
use fehu_ir::{Basic, Body, Exp, Lambda, LoopForm, Param, PatElem, Prog, Soacs, Stm, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The splitting of maps as a pass.
pub static PASS: Pass<Prog<Soacs>> =
    Pass { name: "invariant-parts", need: Need::Optional, run: invariant_parts };

/// Numbers that are stored for each element, at most.
const MAX_STORED: usize = 4;

/// Bytes that are stored for each one that is read, at most.
const MAX_STORED_FOR_READ: usize = 2;

/// What a part must cost, in instructions, to be stored and read: a mathematical function. A read is one, but
/// may have to wait.
const MIN_INSTRUCTIONS: usize = FUNCTION_INSTRUCTIONS;

/// Code whose time depends on sizes, and rows, whose length may be anything.
const MANY_INSTRUCTIONS: usize = 1 << 20;
const MANY_BYTES: usize = 64;

/// Statements of a part that are counted, at most: this many take more instructions than it must cost.
const MAX_STATEMENTS: usize = 64;

/// Splits maps with parts that are the same all around them.
pub fn invariant_parts(prog: &mut Prog<Soacs>) {
    let Prog { consts, funs, names, .. } = prog;
    let mut walk = Walk { names, levels: FxHashMap::default(), generated: FxHashSet::default() };
    walk.body(consts, 0, false);
    for fun in funs {
        walk.levels.extend(fun.params.iter().map(|p| (p.name, 0)));
        walk.body(&mut fun.body, 0, false);
    }
}

struct Walk<'a> {
    names: &'a mut NameSource,
    /// In how many bodies the one is that binds a name.
    levels: FxHashMap<Name, usize>,
    /// Arrays that need no memory.
    generated: FxHashSet<Name>,
}

impl Walk<'_> {
    /// A body at a level, which may be that of something that runs many times.
    fn body(&mut self, body: &mut Body<Soacs>, level: usize, repeated: bool) {
        deep(|| {
            let mut stms = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                if repeated {
                    stms.extend(self.split(&mut stm, level));
                }
                if matches!(stm.exp, Exp::Basic(Basic::Iota { .. } | Basic::Replicate(..))) {
                    self.generated.extend(stm.pat.iter().map(|p| p.name));
                }
                self.levels.extend(stm.pat.iter().map(|p| (p.name, level)));
                self.inside(&mut stm.exp, level + 1);
                stms.push(stm);
            }
            body.stms = stms;
        });
    }

    fn inside(&mut self, exp: &mut Exp<Soacs>, level: usize) {
        for_each_lambda(exp, &mut |l: &Lambda<Soacs>| {
            self.levels.extend(l.params.iter().map(|p| (p.name, level)));
        });
        if let Exp::Loop(l) = &*exp {
            self.levels.extend(l.params.iter().map(|(p, _)| (p.name, level)));
            if let LoopForm::For { var, .. } = l.form {
                self.levels.insert(var, level);
            }
        }
        let repeated = matches!(exp, Exp::Loop(_) | Exp::Op(_));
        map_bodies(exp, &mut |b| self.body(b, level, repeated));
    }

    /// The first of two maps, if the statement is one that is worth splitting; it becomes the second.
    fn split(&mut self, stm: &mut Stm<Soacs>, level: usize) -> Option<Stm<Soacs>> {
        let Exp::Op(Soac::Screma(map)) = &mut stm.exp else { return None };
        let outside = |name: Name| self.levels.get(&name).is_some_and(|l| *l < level);
        let plain = stm.attrs.is_empty() && map.map.params.iter().all(|p| !p.consumed);
        if !plain || !map.width.name().is_none_or(outside) || !stm.certs.iter().all(|c| outside(*c)) {
            return None;
        }
        let cut = Parts::of(map, &self.generated, outside).cut()?;
        let first = self.first_map(map, &cut);
        let pat: Vec<PatElem<Soacs>> = (cut.stored.iter())
            .map(|(name, ty)| PatElem {
                name: self.names.fresh_like(*name),
                ty: ty.array_of(&[map.width]),
                dec: (),
            })
            .collect();
        map.arrays.extend(pat.iter().map(|p| p.name));
        let read =
            |(name, ty): &(Name, Type)| Param { name: *name, ty: ty.clone(), dec: (), consumed: false };
        map.map.params.extend(cut.stored.iter().map(read));
        let mut kept = cut.kept.iter();
        map.map.body.stms.retain(|_| kept.next() == Some(&true));
        let exp = Exp::Op(Soac::Screma(first));
        Some(Stm { pat, certs: stm.certs.clone(), attrs: vec![], loc: stm.loc.clone(), exp })
    }

    /// The map that computes what is stored.
    fn first_map(&mut self, map: &Screma<Soacs>, cut: &Cut) -> Screma<Soacs> {
        let mut stms: Vec<Stm<Soacs>> = vec![];
        let mut needed: FxHashSet<Name> = cut.stored.iter().map(|(name, _)| *name).collect();
        for stm in map.map.body.stms.iter().rev() {
            if stm.pat.iter().any(|p| needed.contains(&p.name)) {
                needed.extend(free_in_stm(stm));
                stms.push(stm.clone());
            }
        }
        stms.reverse();
        let used = |p: &Param<Soacs>| needed.contains(&p.name);
        let (params, arrays) = (map.map.params.iter().zip(&map.arrays))
            .filter(|(p, _)| used(p))
            .map(|(p, a)| (p.clone(), *a))
            .unzip();
        let result = cut.stored.iter().map(|(name, _)| (*name).into()).collect();
        let ret = cut.stored.iter().map(|(_, ty)| ty.clone()).collect();
        let lambda = Lambda { params, body: Body { stms, result }, ret };
        Screma {
            width: map.width,
            arrays,
            scans: vec![],
            reds: vec![],
            map: rename_lambda(self.names, &lambda),
        }
    }
}

/// What is known of a map's function.
struct Parts<'a> {
    lambda: &'a Lambda<Soacs>,
    /// For each statement, whether it depends on nothing around the map, and may run elsewhere.
    same: Vec<bool>,
    /// Which statement binds a name.
    bound_by: FxHashMap<Name, usize>,
    /// The bytes of the elements that parameters are.
    params: FxHashMap<Name, usize>,
}

/// Which statements stay in the second map, and the numbers that it reads.
struct Cut {
    kept: Vec<bool>,
    stored: Vec<(Name, Type)>,
}

/// What a number costs with all that it needs.
#[derive(Default)]
struct Cost {
    instructions: usize,
    bytes_read: usize,
}

impl Parts<'_> {
    fn of<'a>(
        map: &'a Screma<Soacs>,
        generated: &FxHashSet<Name>,
        outside: impl Fn(Name) -> bool,
    ) -> Parts<'a> {
        let mut known: FxHashMap<Name, bool> = FxHashMap::default();
        // After a check that stays, what may fail relies on it.
        let mut relies = false;
        let (mut same, mut bound_by, mut params) = (vec![], FxHashMap::default(), FxHashMap::default());
        for (p, a) in map.map.params.iter().zip(&map.arrays) {
            known.insert(p.name, outside(*a));
            params.insert(p.name, if generated.contains(a) { 0 } else { bytes(&p.ty) });
        }
        for (k, stm) in map.map.body.stms.iter().enumerate() {
            let check = matches!(stm.exp, Exp::Basic(Basic::Assert(..)));
            relies |= stm.stays();
            let is_same = |name: &Name| known.get(name).copied().unwrap_or_else(|| outside(*name));
            let all = !check
                && may_move(stm)
                && (!relies || is_total(&stm.exp))
                && free_in_stm(stm).iter().all(is_same);
            known.extend(stm.pat.iter().map(|p| (p.name, all)));
            bound_by.extend(stm.pat.iter().map(|p| (p.name, k)));
            same.push(all);
        }
        Parts { lambda: &map.map, same, bound_by, params }
    }

    /// From the last statement to the first: what is needed is kept, but for numbers that are worth storing.
    fn cut(&self) -> Option<Cut> {
        let body = &self.lambda.body;
        let mut needed: FxHashSet<Name> = body.result.iter().filter_map(|e| e.name()).collect();
        let mut cut = Cut { kept: vec![false; body.stms.len()], stored: vec![] };
        for (k, stm) in body.stms.iter().enumerate().rev() {
            let wanted: Vec<&PatElem<Soacs>> = stm.pat.iter().filter(|p| needed.contains(&p.name)).collect();
            if self.same[k] && wanted.is_empty() {
                continue;
            }
            let numbers = wanted.iter().all(|p| matches!(p.ty, Type::Prim(_)));
            if self.same[k] && numbers && self.is_worth_it(k, wanted.iter().map(|p| bytes(&p.ty)).sum()) {
                cut.stored.extend(wanted.iter().map(|p| (p.name, p.ty.clone())));
            } else {
                cut.kept[k] = true;
                needed.extend(free_in_stm(stm));
            }
        }
        let any_left = cut.kept.iter().any(|kept| *kept);
        (any_left && !cut.stored.is_empty() && cut.stored.len() <= MAX_STORED).then_some(cut)
    }

    /// Whether the numbers that a statement computes are to be stored in so many bytes.
    fn is_worth_it(&self, stm: usize, bytes_stored: usize) -> bool {
        let cost = self.cost(stm);
        cost.instructions >= MIN_INSTRUCTIONS && bytes_stored <= MAX_STORED_FOR_READ * cost.bytes_read
    }

    /// What a statement costs with all statements that it needs, or with so many of them that it is worth storing.
    fn cost(&self, stm: usize) -> Cost {
        let (mut cost, mut todo, mut seen) = (Cost::default(), vec![stm], FxHashSet::default());
        let mut read: FxHashSet<Name> = FxHashSet::default();
        while let Some(k) = todo.pop() {
            if !seen.insert(k) || seen.len() > MAX_STATEMENTS {
                continue;
            }
            let stm = &self.lambda.body.stms[k];
            cost.instructions = cost.instructions.saturating_add(instructions(&stm.exp));
            if let Exp::Basic(Basic::Index(..)) = stm.exp {
                cost.bytes_read += stm.pat.iter().map(|p| bytes(&p.ty)).sum::<usize>();
            }
            for name in free_in_stm(stm) {
                match (self.bound_by.get(&name), self.params.get(&name)) {
                    (Some(k), _) => todo.push(*k),
                    (None, Some(bytes)) if read.insert(name) => cost.bytes_read += bytes,
                    (None, _) => {}
                }
            }
        }
        cost
    }
}

/// The bytes of a number, or of the numbers of a row, which are taken for many.
fn bytes(ty: &Type) -> usize {
    match ty {
        Type::Prim(t) => t.bytes() as usize,
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => MANY_BYTES,
    }
}

fn instructions(exp: &Exp<Soacs>) -> usize {
    match exp {
        Exp::Basic(b) => match b.cost() {
            cost::Cost::Free => 0,
            cost::Cost::Instructions(n) => n,
            cost::Cost::Elements | cost::Cost::Bodies => MANY_INSTRUCTIONS,
        },
        Exp::If(_, yes, no) => {
            let both = scalar_instructions(yes).zip(scalar_instructions(no));
            both.map_or(MANY_INSTRUCTIONS, |(yes, no)| 1 + yes + no)
        }
        Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => MANY_INSTRUCTIONS,
    }
}
