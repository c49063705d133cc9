//! Where blocks can be freed early.
//!
//! References are counted, so this is about one variable at a time: a block is
//! freed after the last statement, in the body that binds it, that mentions it
//! or an array in it. Other variables that refer to the same memory keep it alive.

use crate::translate::state::Context;
use fehu_base::Name;
use fehu_ir::free::{free_in_body, free_in_stm, Names};
use fehu_ir::{Basic, Body, Exp, Memory, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each statement of a body, the blocks it is the last to use.
pub(super) fn last_uses(t: &Context, body: &Body<Memory>, kept: &[Name]) -> Vec<Vec<Name>> {
    let mut last = vec![vec![]; body.stms.len()];
    let mut mine: FxHashMap<Name, usize> = FxHashMap::default();
    let mut order = vec![];
    for (i, stm) in body.stms.iter().enumerate() {
        // Without a block of this body there is nothing to find, however deep the statement is nested.
        for n in if mine.is_empty() { Names::default() } else { free_in_stm(stm) } {
            if let Some(at) = block_of(t, n).and_then(|b| mine.get_mut(&b)) {
                *at = i;
            }
        }
        if matches!(stm.exp, Exp::Basic(Basic::ArrayConst(_))) {
            continue;
        }
        for p in stm.pat.iter().filter(|p| matches!(p.ty, Type::Mem(_))) {
            mine.insert(p.name, i);
            order.push(p.name);
        }
    }
    let returned: FxHashSet<Name> =
        body.result.iter().filter_map(|e| e.name()).filter_map(|n| block_of(t, n)).collect();
    for block in order {
        let i = mine[&block];
        if !returned.contains(&block) && !t.globals.contains(&block) && !kept.contains(&block) {
            last[i].push(block);
        }
    }
    last
}

/// Of the blocks that a statement is the last to use, those that a loop starts with and then does without:
/// they are freed when its first iteration ends, not when the loop does.
pub(super) fn given(t: &Context, stm: &Stm<Memory>, last: &[Name]) -> Vec<Name> {
    let Exp::Loop(l) = &stm.exp else { return vec![] };
    let initial: FxHashSet<Name> = l.params.iter().filter_map(|(_, init)| init.name()).collect();
    let mut given: Vec<Name> = last.iter().copied().filter(|b| initial.contains(b)).collect();
    if !given.is_empty() {
        let used: FxHashSet<Name> =
            free_in_body(&l.body).into_iter().filter_map(|n| block_of(t, n)).collect();
        // A parameter that has no block of its own stays where it starts.
        let places = l.params.iter().filter_map(|(p, _)| block_of(t, p.name));
        let stays: FxHashSet<Name> = places.chain(used).collect();
        given.retain(|b| !stays.contains(b));
    }
    given
}

/// The block that a name is, or that the array of that name is in.
fn block_of(t: &Context, name: Name) -> Option<Name> {
    match t.types.get(&name)? {
        Type::Mem(_) => Some(name),
        Type::Array(..) => t.places.get(&name).map(|(block, _)| *block),
        Type::Prim(_) | Type::Acc(..) => None,
    }
}
