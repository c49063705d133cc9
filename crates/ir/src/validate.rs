//! The validator: what every program must satisfy, whatever made it.
//!
//! - Every name is bound once in the whole program, and used only where it is in scope.
//! - Operands, lambdas, patterns, calls and results have the types and numbers that the operation
//!   asks for. Of sizes only certain mistakes are reported: different constants where one size must be. Sizes
//!   may be equal without being the same name.
//! - What was consumed is not used again, nor anything that may share its memory (see [`crate::alias`]).
//! - Certificates are of type unit.
//! - What a representation bans does not occur: memory outside of `Memory`, operations at a level where they
//!   cannot be, sizes of the machine inside of kernels.
//! - The schedule of an operation suits it.
//! - Entry points have as many parameters and results as their types say.
//!
//! `validate.rs` walks and keeps the scope; `exp` checks expressions, `ops` the operations, `schedule` how
//! they run, `consume` consumption, `entry` entry points.

mod consume;
mod entry;
mod exp;
mod ops;
mod schedule;
#[cfg(test)]
mod schedule_tests;
#[cfg(test)]
mod tests;

use crate::mem::MemInfo;
use crate::op::{Dec, RepOp};
use crate::print::{print_operand, print_stm, print_type};
use crate::rep::Rep;
use crate::seg::SegLevel;
use crate::subst::Subst;
use crate::syntax::*;
use crate::types::Types;
use crate::visit::deep;
use fehu_base::prim::PrimType;
use fehu_base::{Name, NameSource};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks a program. Gives every mistake found (up to a limit) as a message that says where it is.
pub fn validate<R: Rep>(prog: &Prog<R>) -> Result<(), Vec<String>> {
    let mut checker = Checker::new(prog);
    checker.prog();
    let mut errors = checker.errors;
    // Consumption is looked at only where everything else is right.
    if errors.is_empty() {
        errors = consume::check(prog);
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// After so many mistakes, the rest would say nothing new.
const MAX_ERRORS: usize = 50;

struct Checker<'a, R: Rep> {
    prog: &'a Prog<R>,
    names: &'a NameSource,
    funs: FxHashMap<Name, &'a FunDef<R>>,
    /// The types of names in scope.
    scope: Types,
    /// Names in scope, in the order they came in.
    entered: Vec<Name>,
    /// All names ever bound.
    bound: FxHashSet<Name>,
    /// The function and statements we are in.
    place: Vec<String>,
    /// The level of the segmented operations we are in.
    level: Option<SegLevel>,
    /// How many mistakes there are, kept or not.
    mistakes: usize,
    errors: Vec<String>,
}

impl<'a, R: Rep> Checker<'a, R> {
    fn new(prog: &'a Prog<R>) -> Checker<'a, R> {
        Checker {
            prog,
            names: &prog.names,
            funs: prog.funs.iter().map(|f| (f.name, f)).collect(),
            scope: Types::default(),
            entered: vec![],
            bound: FxHashSet::default(),
            place: vec![],
            level: None,
            mistakes: 0,
            errors: vec![],
        }
    }

    fn error(&mut self, message: impl Into<String>) {
        self.mistakes += 1;
        if self.errors.len() < MAX_ERRORS {
            let place = self.place.join(": ");
            self.errors.push(format!("{place}: {}", message.into()));
        }
    }

    fn show(&self, name: Name) -> String {
        if (name.0 as usize) < self.names.len() {
            self.names.show(name)
        } else {
            format!("{name:?}")
        }
    }

    fn show_type(&self, ty: &Type) -> String {
        print_type(self.names, ty)
    }

    fn show_operand(&self, e: SubExp) -> String {
        print_operand(self.names, e)
    }

    fn prog(&mut self) {
        let prog = self.prog;
        if let Some(n) = crate::free::first_unknown(prog) {
            // Nothing can even be shown.
            self.errors.push(format!("the name {n:?} was not made by the program's name source"));
            return;
        }
        self.place.push("consts".into());
        self.stms(&prog.consts.stms);
        self.results_in_scope(&prog.consts.result);
        self.place.pop();
        for fun in &prog.funs {
            self.place.push(self.show(fun.name));
            if !self.bound.insert(fun.name) {
                self.error("this name is bound twice");
            }
            self.fun(fun);
            self.place.pop();
        }
    }

    fn fun(&mut self, fun: &FunDef<R>) {
        if let Some(entry) = &fun.entry {
            self.entry(fun, entry);
        }
        self.scoped(|c| {
            c.params(&fun.params);
            for ret in &fun.ret {
                if let RetType::Array { shape, .. } = &ret.ty {
                    for size in shape {
                        match size {
                            ExtSize::Free(e) => c.size(*e),
                            ExtSize::Ext(k) => match fun.ret.get(*k).map(|r| &r.ty) {
                                Some(RetType::Prim(PrimType::I64)) => {}
                                Some(_) | None => c.error(format!("result {k} cannot be a size")),
                            },
                        }
                    }
                }
                if let RetType::Mem(_) = ret.ty {
                    c.memory_allowed();
                }
            }
            c.stms(&fun.body.stms);
            c.results_in_scope(&fun.body.result);
            if fun.body.result.len() != fun.ret.len() {
                c.error(format!("returns {} values for {} results", fun.body.result.len(), fun.ret.len()));
                return;
            }
            for (e, ret) in fun.body.result.iter().zip(&fun.ret) {
                let expected = instantiate(&ret.ty, &fun.body.result);
                c.operand(*e, &expected, "result");
            }
        });
    }

    /// Runs with a scope that is left afterwards.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.entered.len();
        let result = f(self);
        for n in self.entered.split_off(outside) {
            self.scope.remove(&n);
        }
        result
    }

    fn bind(&mut self, name: Name, ty: Type) {
        if !self.bound.insert(name) {
            self.error(format!("{} is bound twice", self.show(name)));
        }
        self.scope.insert(name, ty);
        self.entered.push(name);
    }

    /// Brings parameters in scope, then checks their types, which may mention any of them.
    fn params<'p>(&mut self, params: impl IntoIterator<Item = &'p Param<R>> + Clone) {
        for p in params.clone() {
            self.bind(p.name, p.ty.clone());
        }
        for p in params {
            self.ty(&p.ty);
            self.dec(p.name, &p.ty, &p.dec);
        }
    }

    /// A type that stands in the program.
    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Prim(_) => {}
            Type::Array(_, shape) => {
                if shape.is_empty() {
                    self.error("an array type without dimensions");
                }
                shape.iter().for_each(|e| self.size(*e));
            }
            Type::Acc(token, shape, elems) => {
                self.operand(SubExp::Var(*token), &Type::UNIT, "token of an accumulator");
                shape.iter().for_each(|e| self.size(*e));
                elems.iter().for_each(|t| self.ty(t));
            }
            Type::Mem(_) => self.memory_allowed(),
        }
    }

    fn memory_allowed(&mut self) {
        if R::Dec::from_memory(some_memory()).is_none() {
            self.error(format!("memory in a program over {}", R::Op::NAME));
        }
    }

    fn dec(&mut self, name: Name, ty: &Type, dec: &R::Dec) {
        match dec.memory() {
            None => {}
            Some(MemInfo::None) if ty.is_array() => {
                self.error(format!("{} has no place in memory", self.show(name)));
            }
            Some(MemInfo::None) => {}
            Some(MemInfo::Array { block, lmad }) => {
                match self.type_of(SubExp::Var(*block)) {
                    Some(Type::Mem(_)) | None => {}
                    Some(Type::Prim(_) | Type::Array(..) | Type::Acc(..)) => {
                        self.error(format!("{} is no block of memory", self.show(*block)));
                    }
                }
                for x in lmad.vars() {
                    self.size(SubExp::Var(crate::mem::sym_name(x)));
                }
                if lmad.rank() != ty.rank() {
                    self.error(format!(
                        "{} of rank {} has an index function of rank {}",
                        self.show(name),
                        ty.rank(),
                        lmad.rank()
                    ));
                }
            }
        }
    }

    /// The statements of a body, whose names stay in scope.
    fn stms(&mut self, stms: &[Stm<R>]) {
        deep(|| {
            for stm in stms {
                self.stm(stm);
            }
        })
    }

    fn stm(&mut self, stm: &Stm<R>) {
        let before = self.errors.len();
        self.place.push(String::new());
        for c in &stm.certs {
            self.operand(SubExp::Var(*c), &Type::UNIT, "certificate");
        }
        let types = self.exp(stm);
        for p in &stm.pat {
            self.bind(p.name, p.ty.clone());
        }
        for p in &stm.pat {
            self.ty(&p.ty);
            self.dec(p.name, &p.ty, &p.dec);
        }
        // Constant data comes with the block that it stands in.
        let block = matches!((&stm.exp, stm.pat.as_slice()), (Exp::Basic(Basic::ArrayConst(_)), [p, _]) if matches!(p.ty, Type::Mem(_)));
        let types = types.map(|mut ts| {
            if block {
                ts.insert(0, stm.pat[0].ty.clone());
            }
            ts
        });
        if let Some(types) = types {
            if types.len() != stm.pat.len() {
                self.error(format!("{} values are bound to {} names", types.len(), stm.pat.len()));
            } else {
                for (p, t) in stm.pat.iter().zip(types) {
                    self.same(&p.ty, &t, &format!("the value of {}", self.names.show(p.name)));
                }
            }
        }
        self.place.pop();
        // Mistakes in the statement itself have an empty place; now it is worth printing.
        if self.errors.len() > before {
            let text = print_stm(self.names, stm);
            let line = text.lines().next().unwrap_or_default();
            let place = self.place.join(": ");
            for e in &mut self.errors[before..] {
                if let Some(rest) = e.strip_prefix(&format!("{place}: : ")) {
                    *e = format!("{place}: in `{line}`: {rest}");
                }
            }
        }
    }

    /// A body with its own scope; gives its results to the function.
    fn body<T>(&mut self, body: &Body<R>, f: impl FnOnce(&mut Self, &[SubExp]) -> T) -> T {
        self.scoped(|c| {
            c.stms(&body.stms);
            c.results_in_scope(&body.result);
            f(c, &body.result)
        })
    }

    fn results_in_scope(&mut self, result: &[SubExp]) {
        for e in result {
            self.type_of(*e);
        }
    }

    /// A lambda: its own types, and its body against them.
    fn lambda(&mut self, lambda: &Lambda<R>) {
        for t in &lambda.ret {
            // Its result types mention only names bound outside, but for the tokens of accumulators.
            match t {
                Type::Array(_, shape) | Type::Acc(_, shape, _) => shape.iter().for_each(|e| self.size(*e)),
                Type::Prim(_) | Type::Mem(_) => {}
            }
        }
        self.scoped(|c| {
            c.params(&lambda.params);
            c.stms(&lambda.body.stms);
            c.results_in_scope(&lambda.body.result);
            c.results(&lambda.body.result, &lambda.ret, "result of the lambda");
        });
    }

    /// Operands against types, one by one.
    fn results(&mut self, es: &[SubExp], types: &[Type], what: &str) {
        if es.len() != types.len() {
            self.error(format!("{what}: {} values for {} types", es.len(), types.len()));
            return;
        }
        for (e, t) in es.iter().zip(types) {
            self.operand(*e, t, what);
        }
    }

    /// The type of an operand, which must be in scope.
    fn type_of(&mut self, e: SubExp) -> Option<Type> {
        match e {
            SubExp::Const(v) => Some(Type::Prim(v.prim_type())),
            SubExp::Var(n) => {
                let found = self.scope.get(&n).cloned();
                if found.is_none() {
                    self.error(format!("{} is not in scope", self.show(n)));
                }
                found
            }
        }
    }

    fn operand(&mut self, e: SubExp, expected: &Type, what: &str) {
        if let Some(t) = self.type_of(e) {
            if differ(expected, &t) {
                let (e, t) = (self.show_operand(e), self.show_type(&t));
                self.error(format!("{what}: {e} has type {t}, not {}", self.show_type(expected)));
            }
        }
    }

    fn size(&mut self, e: SubExp) {
        self.operand(e, &Type::I64, "size");
    }

    fn same(&mut self, expected: &Type, actual: &Type, what: &str) {
        if differ(expected, actual) {
            let (expected, actual) = (self.show_type(expected), self.show_type(actual));
            self.error(format!("{what} has type {actual}, not {expected}"));
        }
    }
}

/// Whether no value can have both types.
fn differ(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Prim(p), Type::Prim(q)) => p != q,
        (Type::Array(p, s), Type::Array(q, t)) => p != q || shapes_differ(s, t),
        (Type::Acc(m, s, ts), Type::Acc(n, t, us)) => {
            m != n
                || shapes_differ(s, t)
                || ts.len() != us.len()
                || ts.iter().zip(us).any(|(t, u)| differ(t, u))
        }
        (Type::Mem(s), Type::Mem(t)) => s != t,
        (Type::Prim(_) | Type::Array(..) | Type::Acc(..) | Type::Mem(_), _) => true,
    }
}

/// Whether the shapes cannot be equal.
fn shapes_differ(s: &[SubExp], t: &[SubExp]) -> bool {
    s.len() != t.len() || s.iter().zip(t).any(|(a, b)| sizes_differ(*a, *b))
}

fn sizes_differ(a: SubExp, b: SubExp) -> bool {
    match (a, b) {
        (SubExp::Const(a), SubExp::Const(b)) => a != b,
        (SubExp::Var(_), _) | (_, SubExp::Var(_)) => false,
    }
}

/// A function's result type when its results are these.
fn instantiate(ty: &RetType, results: &[SubExp]) -> Type {
    match ty {
        RetType::Prim(p) => Type::Prim(*p),
        RetType::Mem(space) => Type::Mem(space.clone()),
        RetType::Array { elem, shape, .. } => {
            let size = |s: &ExtSize| match s {
                ExtSize::Free(e) => *e,
                // One that is not there was reported already.
                ExtSize::Ext(k) => results.get(*k).copied().unwrap_or(SubExp::i64(0)),
            };
            Type::Array(*elem, shape.iter().map(size).collect())
        }
    }
}

/// A type with operands put for names.
fn substituted(ty: &Type, subst: &Subst) -> Type {
    let mut ty = ty.clone();
    if let Type::Acc(token, ..) = &ty {
        if matches!(subst.get(*token), Some(SubExp::Const(_))) {
            // No constant is a token; the comparison will tell.
            return ty;
        }
    }
    subst.ty(&mut ty);
    ty
}

fn some_memory() -> MemInfo {
    MemInfo::Array { block: Name(0), lmad: crate::mem::Lmad::point(0) }
}
