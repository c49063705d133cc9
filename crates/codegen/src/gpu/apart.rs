//! Which blocks a kernel shares with none of its others.
//!
//! A kernel that reads one block and writes another can have many reads under way at a time only if the compiler knows
//! that they are different memory. In: a program. Out: for each kernel, its parameters that are in a class of their own
//! (see [`Aliases`]) where the kernel is launched, and that the kernel itself does not mix with others.

use super::facts::for_each_statement;
use crate::c::alias::Aliases;
use fehu_base::Name;
use fehu_imp::syntax::{Arg, Code, Kernel, Launch, Op, Param, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parameters of each kernel that are apart from its others.
pub(crate) fn apart(program: &Program) -> FxHashMap<Name, FxHashSet<Name>> {
    let kernels: FxHashMap<Name, &Kernel> = program.kernels.iter().map(|k| (k.name, k)).collect();
    let mut found: FxHashMap<Name, FxHashSet<Name>> = FxHashMap::default();
    for body in program.functions.iter().map(|f| &f.body).chain([&program.init]) {
        let mut launches: Vec<&Launch> = vec![];
        for_each_statement(body, &mut |code| {
            if let Code::Op(Op::Launch(launch)) = code {
                launches.push(launch);
            }
        });
        if launches.is_empty() {
            continue;
        }
        let mut outside = Aliases::of(body);
        for launch in launches {
            let Some(kernel) = kernels.get(&launch.kernel) else { continue };
            let here = apart_here(kernel, launch, &mut outside);
            match found.get_mut(&launch.kernel) {
                Some(known) => known.retain(|p| here.contains(p)),
                None => {
                    found.insert(launch.kernel, here);
                }
            }
        }
    }
    found
}

fn apart_here(kernel: &Kernel, launch: &Launch, outside: &mut Aliases) -> FxHashSet<Name> {
    let mut inside = Aliases::of(&kernel.body);
    let pairs: Vec<(Name, Name)> = (kernel.params.iter().zip(&launch.args))
        .filter_map(|(p, a)| match (p, a) {
            (Param::Mem(p, _), Arg::Mem(a)) => Some((*p, *a)),
            (Param::Mem(..) | Param::Scalar(..), _) => None,
        })
        .collect();
    let mixed = mixed_inside(&kernel.body);
    let mut apart = FxHashSet::default();
    for (i, (p, a)) in pairs.iter().enumerate() {
        let shared = pairs
            .iter()
            .enumerate()
            .any(|(j, (q, b))| i != j && (outside.may_alias(*a, *b) || inside.may_alias(*p, *q)));
        if !shared && !mixed.contains(p) {
            apart.insert(*p);
        }
    }
    apart
}

/// Blocks that a kernel gives other names.
fn mixed_inside(code: &Code) -> FxHashSet<Name> {
    let mut mixed = FxHashSet::default();
    for_each_statement(code, &mut |code| {
        if let Code::SetMem(a, b, _) = code {
            mixed.extend([*a, *b]);
        }
    });
    mixed
}
