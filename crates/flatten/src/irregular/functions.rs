//! The functions of a program: in which of them sizes differ from point to point, and those that were made
//! for all points.
//!
//! ```text
//! #[noinline] def f (n: i64) = i64.sum (map g (iota n))
//! map f ns                    f is irregular where its argument differs: it is called for all points, as `calls` says
//! map (\x -> x + f 10) xs     and is not here
//! ```

use crate::gpu::parallel::varying_with;
use crate::gpu::steer::Steer;
use fehu_base::Name;
use fehu_ir::soac::Soac;
use fehu_ir::visit::{deep, for_each_stm};
use fehu_ir::{Exp, FunDef, Prog, Soacs, Stm, SubExp};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;

/// A function, and which of its arguments differ from point to point.
type Call = (Name, Vec<bool>);

/// A function for all points: which it is made of, which of its arguments differ from point to point, and
/// where its results go.
type Lifted = (Name, Vec<bool>, Results);

/// Where a function for all points has its results.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Results {
    /// It returns those of all points, one after the other.
    Returned,
    /// It writes them at given rows of given arrays.
    Placed,
}

/// The functions of a program, and what is known of them.
pub(super) struct Functions {
    pub(super) source: FxHashMap<Name, FunDef<Soacs>>,
    /// Those that call themselves, possibly through others, and what they call, possibly through others.
    recursive: FxHashMap<Name, IndexSet<Name, FxBuildHasher>>,
    /// Whether sizes differ inside of calls; not known while that is being found out.
    irregular: RefCell<FxHashMap<Call, Option<bool>>>,
    /// Functions for all points, by their names; without a definition while that is being built.
    pub(super) lifted: IndexMap<Lifted, (Name, Option<FunDef<Soacs>>), FxBuildHasher>,
    /// Functions that call themselves, and whether results are written where they end up; not once that was
    /// found not to work.
    pub(super) placed: FxHashMap<Name, bool>,
}

impl Functions {
    pub(super) fn of(prog: &Prog<Soacs>) -> Functions {
        Functions {
            recursive: recursive(prog),
            source: prog.funs.iter().filter(|f| f.entry.is_none()).map(|f| (f.name, f.clone())).collect(),
            irregular: RefCell::default(),
            lifted: IndexMap::default(),
            placed: FxHashMap::default(),
        }
    }

    /// Whether a function, called with these arguments, calls itself or has an operation whose width differs
    /// from point to point.
    pub(super) fn is_irregular(&self, fun: Name, differs: Vec<bool>) -> bool {
        let Some(source) = self.source.get(&fun) else { return false };
        let call = (fun, differs);
        if let Some(known) = self.irregular.borrow().get(&call) {
            // What is not known yet calls itself.
            return known.unwrap_or(true);
        }
        self.irregular.borrow_mut().insert(call.clone(), None);
        let params = source.params.iter().zip(&call.1).filter(|(_, differs)| **differs);
        let inside = varying_with(&source.body, params.map(|(p, _)| p.name).collect());
        let found = deep(|| {
            let mut found = false;
            for_each_stm(&source.body, &mut |s| {
                found |= is_irregular_inside(self, s, &|e| e.name().is_some_and(|n| inside.contains(&n)));
            });
            found
        });
        self.irregular.borrow_mut().insert(call, Some(found));
        found
    }

    /// Whether a function calls itself, possibly through others.
    pub(super) fn calls_itself(&self, fun: Name) -> bool {
        self.recursive.contains_key(&fun)
    }

    /// Whether two functions, or one and itself, call each other, possibly through others.
    pub(super) fn call_each_other(&self, fun: Name, other: Name) -> bool {
        let calls = |f, g| self.recursive.get(&f).is_some_and(|reached| reached.contains(&g));
        calls(fun, other) && calls(other, fun)
    }

    /// What a function that calls itself calls, possibly through others.
    pub(super) fn reached(&self, fun: Name) -> impl Iterator<Item = &FunDef<Soacs>> {
        self.recursive.get(&fun).into_iter().flatten().filter_map(|f| self.source.get(f))
    }

    /// Whether any function calls itself.
    pub(super) fn any_calls_itself(&self) -> bool {
        !self.recursive.is_empty()
    }

    /// How many functions there are for all points.
    pub(super) fn count(&self) -> usize {
        self.lifted.len()
    }

    /// Leaves out all but the first of them.
    pub(super) fn truncate(&mut self, count: usize) {
        self.lifted.truncate(count);
    }

    /// Those functions.
    pub(super) fn lifted(self) -> impl Iterator<Item = FunDef<Soacs>> {
        self.lifted.into_values().filter_map(|(_, fun)| fun)
    }
}

/// The functions that call themselves, possibly through others, and what they reach by calls.
fn recursive(prog: &Prog<Soacs>) -> FxHashMap<Name, IndexSet<Name, FxBuildHasher>> {
    let mut callees: FxHashMap<Name, IndexSet<Name, FxBuildHasher>> = FxHashMap::default();
    for fun in &prog.funs {
        let called = callees.entry(fun.name).or_default();
        for_each_stm(&fun.body, &mut |s| {
            if let Exp::Call(callee, _) = &s.exp {
                called.insert(*callee);
            }
        });
    }
    let reached_by = |fun: &Name| {
        let mut reached: IndexSet<Name, FxBuildHasher> = IndexSet::default();
        let mut next = vec![*fun];
        while let Some(f) = next.pop() {
            next.extend(callees.get(&f).into_iter().flatten().filter(|callee| reached.insert(**callee)));
        }
        reached
    };
    fehu_analysis::recursion::recursive(&prog.funs).iter().map(|fun| (*fun, reached_by(fun))).collect()
}

/// Whether a statement by itself is a combinator whose width differs, or calls a function with such in it.
pub(super) fn is_irregular_inside(
    functions: &Functions,
    stm: &Stm<Soacs>,
    differs: &impl Fn(SubExp) -> bool,
) -> bool {
    let width = match &stm.exp {
        Exp::Op(Soac::Screma(s)) => s.width,
        Exp::Op(Soac::Hist(h)) => h.width,
        Exp::Op(Soac::Scatter(s)) => s.width,
        Exp::Op(Soac::Filter(f)) => f.width,
        Exp::Call(fun, args) => {
            return functions.is_irregular(*fun, args.iter().map(|e| differs(*e)).collect())
        }
        Exp::Op(Soac::Ad(_)) | Exp::Basic(_) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => return false,
    };
    differs(width) && !is_sequential(stm)
}

/// Whether attributes ask for sequential code.
pub(super) fn is_sequential(stm: &Stm<Soacs>) -> bool {
    Steer::of(&stm.attrs).sequential
}
