//! A body is done statement by statement.
//!
//! Statements for which code of single points will do ([`super::point`]) are collected, and run in one map
//! when another statement, or the end, needs what they compute. A statement that neither needs them nor is
//! needed by them does not split the map.
//!
//! A body stops where all that is left needs the results of calls, which are then made together
//! ([`super::together`]), and goes on after them.

use super::forms::Form;
use super::functions::{is_irregular_inside, is_sequential};
use super::level::Lift;
use super::pieces::{in_pieces, roles};
use super::running::{Open, Role, Running};
use super::together::{go_on_with, make_calls, Late};
use super::value::{LevelId, Value};

use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::class::Class;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::{bound_in_exp, bound_in_stm, Names};
use fehu_ir::soac::Soac;
use fehu_ir::visit::{for_each_body, for_each_stm, look, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// When so many statements wait, all of them are run: looking through them again and again would cost too much.
const WAITING_STATEMENTS: usize = 64;

impl Lift<'_> {
    /// Runs a body at the points of a level. Afterwards there are values for its results.
    pub(super) fn code(&mut self, level: LevelId, body: Body<Soacs>) -> Option<Vec<SubExp>> {
        let mut at = self.begin(level, body)?;
        while !at.is_done() {
            make_calls(self, &at)?;
            self.go_on(&mut at)?;
        }
        Some(at.result)
    }

    /// Runs a body at the points of a level, up to its calls.
    pub(super) fn begin(&mut self, level: LevelId, body: Body<Soacs>) -> Option<Running> {
        let waits = self.functions.any_calls_itself();
        let aliases = if waits { Aliases::of_body(self.signatures, &body) } else { Aliases::default() };
        let roles = roles(self, &body);
        let used: Vec<Names> = body.stms.iter().zip(&roles).map(|(stm, role)| role.used(stm)).collect();
        let result: Names = body.result.iter().filter_map(|e| e.name()).collect();
        let mut uses: FxHashMap<Name, usize> = FxHashMap::default();
        for n in used.iter().chain([&result]).flatten() {
            *uses.entry(*n).or_default() += 1;
        }
        let all = body.stms.into_iter().zip(used).zip(roles);
        let rest = all.filter(|(_, role)| !matches!(role, Role::View)).map(|((s, used), r)| (s, used, r));
        let mut at = Running {
            level,
            rest: rest.collect(),
            open: vec![],
            waiting: vec![],
            to_come: FxHashSet::default(),
            uses,
            aliases,
            result: body.result,
        };
        self.go_on(&mut at)?;
        Some(at)
    }

    /// Goes on with a body after calls were made, up to the next ones.
    pub(super) fn go_on(&mut self, at: &mut Running) -> Option<()> {
        let mut late = Late::default();
        for mut open in std::mem::take(&mut at.open) {
            if !go_on_with(self, &mut open)? {
                late.add(&open.names, &open.used);
                at.open.push(open);
            }
        }
        for (stm, used, role) in std::mem::take(&mut at.rest) {
            let names: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
            let consumed = || consumed_by_exp(self.signatures, &at.aliases, &stm.exp);
            if late.concerns(&at.aliases, &used, consumed) {
                late.add(&names, &used);
                at.rest.push((stm, used, role));
                continue;
            }
            if self.is_pointwise(&stm, &at.to_come) {
                at.to_come.extend(names);
                at.waiting.push((stm, used));
                continue;
            }
            if let Some(open) = self.do_or_begin(at, stm, &used, role)? {
                late.add(&open.names, &open.used);
                at.open.push(open);
            }
        }
        if at.is_done() {
            self.run(at, None)?;
        }
        Some(())
    }

    /// Does a statement that is not for `point`, or begins it.
    fn do_or_begin(
        &mut self,
        at: &mut Running,
        stm: Stm<Soacs>,
        used: &Names,
        role: Role,
    ) -> Option<Option<Open>> {
        let consumes =
            |stm: &Stm<Soacs>| !consumed_by_exp(self.signatures, &Aliases::default(), &stm.exp).is_empty();
        let all = at.waiting.len() > WAITING_STATEMENTS
            || consumes(&stm)
            || at.waiting.iter().any(|(s, _)| consumes(s));
        let wanted = if all { None } else { Some(used) };
        self.run(at, wanted)?;
        done(at, used);
        let stays = (Form::of(&stm), stm.loc.clone());
        let names: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
        let begun = match role {
            Role::Reduction(views) => in_pieces(self, at.level, stm, views).map(|()| None),
            Role::Other | Role::View => self.statement(at.level, stm),
        };
        if begun.is_none() {
            self.stays.get_or_insert_with(|| stays.clone());
        }
        Some(begun?.map(|(state, certs)| Open { names, used: used.clone(), certs, stays, state }))
    }

    /// Runs the statements that wait and are needed for some names; all, if none are given.
    fn run(&mut self, at: &mut Running, wanted: Option<&Names>) -> Option<()> {
        let waiting = std::mem::take(&mut at.waiting);
        let mut group = vec![];
        match wanted {
            None => group = waiting,
            Some(wanted) => {
                let mut needed: FxHashSet<Name> = wanted.iter().copied().collect();
                for (stm, used) in waiting.into_iter().rev() {
                    if stm.stays() || stm.pat.iter().any(|p| needed.contains(&p.name)) {
                        needed.extend(&used);
                        group.push((stm, used));
                    } else {
                        at.waiting.push((stm, used));
                    }
                }
                group.reverse();
                at.waiting.reverse();
            }
        }
        if group.is_empty() {
            return Some(());
        }
        for (stm, used) in &group {
            done(at, used);
            stm.pat.iter().for_each(|p| {
                at.to_come.remove(&p.name);
            });
        }
        let is_used = |n: Name| at.uses.get(&n).is_some_and(|u| *u > 0);
        // A check that is needed later is made again; so what it checks is needed.
        let mut again: FxHashSet<Name> = FxHashSet::default();
        for (stm, used) in group.iter().rev() {
            if is_check(stm) && stm.pat.iter().any(|p| is_used(p.name) || again.contains(&p.name)) {
                again.extend(used);
                again.extend(stm.pat.iter().map(|p| p.name));
            }
        }
        let mut results = vec![];
        for (stm, _) in &group {
            for p in &stm.pat {
                if !is_used(p.name) && !again.contains(&p.name) {
                    continue;
                }
                if is_check(stm) {
                    self.values.insert(p.name, Value::Check(Box::new(stm.clone())));
                } else if p.ty == Type::UNIT || matches!(p.ty, Type::Acc(..) | Type::Mem(_)) {
                    self.stays.get_or_insert((Form::Accumulator, stm.loc.clone()));
                    return None;
                } else {
                    results.push((p.name, p.ty.clone()));
                }
            }
        }
        let stms: Vec<Stm<Soacs>> = group.into_iter().map(|(stm, _)| stm).collect();
        let (names, types): (Vec<Name>, Vec<Type>) = results.into_iter().unzip();
        let result = names.iter().map(|n| SubExp::Var(*n)).collect();
        // Until the map is emitted, the checks are statements of it.
        let checks: Vec<(Name, Value)> = stms
            .iter()
            .filter(|s| is_check(s))
            .filter_map(|s| self.values.remove_entry(&s.pat[0].name))
            .collect();
        if names.is_empty() && !stms.iter().any(has_effect) {
            return Some(());
        }
        let arrays = self.map(at.level, Body { stms, result }, &types)?;
        self.values.extend(checks);
        for (n, array) in names.into_iter().zip(arrays) {
            self.values.insert(n, Value::Each(at.level, array));
        }
        Some(())
    }

    /// Whether code of single points can do a statement: its results have the same sizes everywhere, it reads single
    /// elements of flat arrays, and no operation in it differs in width.
    fn is_pointwise(&self, stm: &Stm<Soacs>, to_come: &FxHashSet<Name>) -> bool {
        // Names that neither wait nor have values are of the host.
        let inside = |n: Name| {
            self.values.contains_key(&n) || to_come.contains(&n) || stm.pat.iter().any(|p| p.name == n)
        };
        let differs = |e: &SubExp| e.name().is_some_and(inside);
        if stm.pat.iter().any(|p| matches!(p.ty, Type::Acc(..)) || p.ty.shape().iter().any(differs)) {
            return false;
        }
        let own = bound_in_stm(stm).into_iter().collect();
        let mut elements = Elements { lift: self, own, fine: true };
        elements.stm(stm);
        elements.fine && !self.irregular_inside(stm, &differs)
    }

    /// The same for a body, in which these names are bound.
    pub(super) fn are_pointwise(&self, body: &Body<Soacs>, bound: &FxHashSet<Name>) -> bool {
        body.stms.iter().all(|stm| self.is_pointwise(stm, bound))
    }

    /// Whether a statement has, in it or in its bodies, an operation on arrays whose size differs.
    fn irregular_inside(&self, stm: &Stm<Soacs>, differs: &impl Fn(&SubExp) -> bool) -> bool {
        let inside: FxHashSet<Name> = bound_in_exp(&stm.exp).into_iter().collect();
        let differs = |e: &SubExp| differs(e) || e.name().is_some_and(|n| inside.contains(&n));
        let mut found = self.allocates_or_works(stm, &differs);
        for_each_body(&stm.exp, &mut |b| {
            for_each_stm(b, &mut |s| found |= self.allocates_or_works(s, &differs));
        });
        found
    }

    /// Whether a statement by itself is an operation on an array whose size differs.
    fn allocates_or_works(&self, stm: &Stm<Soacs>, differs: &impl Fn(&SubExp) -> bool) -> bool {
        let sizes = || stm.pat.iter().any(|p| p.ty.shape().iter().any(differs));
        match &stm.exp {
            _ if is_sequential(stm) => false,
            Exp::Basic(b) => matches!(b.class(), Class::Generate | Class::Gather) && sizes(),
            Exp::Op(Soac::Filter(_)) if sizes() => true,
            Exp::Op(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => {
                is_irregular_inside(self.functions, stm, &|e| differs(&e))
            }
        }
    }
}

/// Whether flat arrays are only read element by element.
struct Elements<'a, 'b> {
    lift: &'a Lift<'b>,
    /// Names bound in the code.
    own: FxHashSet<Name>,
    fine: bool,
}

impl Visitor<Soacs> for Elements<'_, '_> {
    fn name(&mut self, n: &Name) {
        if matches!(self.lift.values.get(n), Some(Value::Flat(..))) {
            self.fine = false;
        }
        if matches!(self.lift.b.types.get(n), Some(Type::Acc(..))) && !self.own.contains(n) {
            self.fine = false;
        }
    }

    fn exp(&mut self, e: &Exp<Soacs>) {
        if let Exp::Basic(Basic::Index(array, slice)) = e {
            if matches!(self.lift.values.get(array), Some(Value::Flat(..))) {
                let ty = self.lift.b.type_of((*array).into());
                let rank = self.lift.flat_rank(&ty);
                let fixed = slice[..rank].iter().all(|d| matches!(d, DimIndex::Fix(_)));
                let here = slice[rank..].iter().all(|d| match d {
                    DimIndex::Fix(_) => true,
                    DimIndex::Slice { len, .. } => !self.lift.varies(*len),
                });
                self.fine &= fixed && here;
                return;
            }
        }
        look::exp(self, e);
    }
}

fn done(at: &mut Running, used: &Names) {
    for n in used {
        if let Some(count) = at.uses.get_mut(n) {
            *count -= 1;
        }
    }
}

pub(super) fn is_check(stm: &Stm<Soacs>) -> bool {
    matches!(stm.exp, Exp::Basic(Basic::Assert(..)))
}

fn has_effect(stm: &Stm<Soacs>) -> bool {
    let by_itself = |s: &Stm<Soacs>| match &s.exp {
        Exp::Basic(b) => b.has_effect(),
        Exp::Call(..) => true,
        Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    };
    let mut found = by_itself(stm);
    for_each_body(&stm.exp, &mut |b| for_each_stm(b, &mut |s| found |= by_itself(s)));
    found
}
