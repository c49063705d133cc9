//! The constants of a program, as far as a function has to know them: those that it uses, and what these are
//! computed from.
//!
//! A pass that asks for each function goes through the constants once, and not once for each function:
//!
//! ```text
//! consts { let a = ..  let b = .. a ..  let c = .. }
//! fun f(..) = { .. b .. }                              f has to know a and b
//! ```

use fehu_base::Name;
use fehu_ir::free::{free_in_fun, free_in_stm};
use fehu_ir::{Body, FunDef, Rep};
use rustc_hash::{FxHashMap, FxHashSet};

/// The constants of a program, by name.
#[derive(Debug)]
pub struct Constants<'a, R: Rep> {
    consts: &'a Body<R>,
    /// Which statement defines a name.
    defined: FxHashMap<Name, usize>,
    /// The statements whose results a statement uses.
    needed: Vec<Vec<usize>>,
}

impl<'a, R: Rep> Constants<'a, R> {
    /// Those of a program.
    pub fn of(consts: &'a Body<R>) -> Self {
        let mut defined = FxHashMap::default();
        let mut needed = vec![];
        for (at, stm) in consts.stms.iter().enumerate() {
            needed.push(free_in_stm(stm).iter().filter_map(|n| defined.get(n).copied()).collect());
            defined.extend(stm.pat.iter().map(|p| (p.name, at)));
        }
        Constants { consts, defined, needed }
    }

    /// Those that a function has to know.
    pub fn used_by(&self, fun: &FunDef<R>) -> Body<R> {
        let mut used = vec![];
        if !self.defined.is_empty() {
            let mut work: Vec<usize> =
                free_in_fun(fun).iter().filter_map(|n| self.defined.get(n).copied()).collect();
            let mut seen = FxHashSet::default();
            while let Some(at) = work.pop() {
                if seen.insert(at) {
                    used.push(at);
                    work.extend(&self.needed[at]);
                }
            }
            used.sort_unstable();
        }
        Body { stms: used.into_iter().map(|at| self.consts.stms[at].clone()).collect(), result: vec![] }
    }
}
