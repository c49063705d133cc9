//! Which functions may call themselves, directly or through others.

use crate::usage::params_and_calls;
use fehu_analysis::recursion::components;
use fehu_base::Name;
use fehu_imp::syntax::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions that lie on a cycle of calls.
pub(crate) fn recursive_functions(program: &Program) -> FxHashSet<Name> {
    let number: FxHashMap<Name, usize> =
        program.functions.iter().enumerate().map(|(i, f)| (f.name, i)).collect();
    let calls: Vec<Vec<usize>> = program
        .functions
        .iter()
        .map(|f| {
            let mut called = Vec::new();
            params_and_calls(&f.body, &mut |_| {}, &mut |g| called.extend(number.get(&g)));
            called
        })
        .collect();
    let mut recursive = FxHashSet::default();
    for component in components(&calls) {
        let alone = component.len() == 1;
        for i in component {
            if !alone || calls[i].contains(&i) {
                recursive.insert(program.functions[i].name);
            }
        }
    }
    recursive
}
