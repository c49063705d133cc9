//! Constants, for passes that go through functions.
//!
//! Constants are computed once, before any entry point, and every function may use their names. For a pass
//! they are a function without parameters that returns what others use of it, so that the pass keeps that,
//! and with it the memory that it is in:
//!
//! ```text
//! let (b : mem) = alloc 40                              fun constants() = {
//! let (xs : [10]i32 @ b) = iota 10                        let (b : mem) = alloc 40
//! fun f(i : i64) = { let (x : i32) = xs[i] ... }          let (xs : [10]i32 @ b) = iota 10
//!                                                         return (b, xs)
//!                                                       }
//! ```

use fehu_base::Name;
use fehu_ir::mem::MemInfo;
use fehu_ir::subst::Subst;
use fehu_ir::visit::{look, Visitor};
use fehu_ir::{Body, FunDef, Loc, Memory, Prog, SubExp};
use rustc_hash::FxHashSet;

/// Runs a pass over the functions of a program on its constants as well.
pub(crate) fn with_constants(prog: &mut Prog<Memory>, pass: impl FnOnce(&mut Prog<Memory>)) {
    if prog.consts.stms.is_empty() {
        pass(prog);
        return;
    }
    let used = used_constants(prog);
    let mut body = std::mem::replace(&mut prog.consts, Body { stms: vec![], result: vec![] });
    let own = std::mem::replace(&mut body.result, used.clone());
    let name = prog.names.fresh_str("constants");
    let (entry, attrs, params, ret, loc) = (None, vec![], vec![], vec![], Loc::none());
    prog.funs.push(FunDef { name, entry, attrs, params, ret, body, loc });
    pass(prog);
    let Some(constants) = prog.funs.pop() else { fehu_base::bug!("a pass removed the constants") };
    prog.consts = constants.body;
    // Blocks may have become others.
    let mut renamed = Subst::new();
    for (old, new) in used.into_iter().zip(std::mem::replace(&mut prog.consts.result, own)) {
        if let (SubExp::Var(old), true) = (old, old != new) {
            renamed.insert(old, new);
        }
    }
    prog.funs.iter_mut().for_each(|fun| renamed.fun(fun));
}

/// The constants that functions use, and the blocks of arrays among them.
fn used_constants(prog: &Prog<Memory>) -> Vec<SubExp> {
    let mut used = Used(FxHashSet::default());
    prog.funs.iter().for_each(|fun| look::fun::<Memory>(&mut used, fun));
    used.0.extend(prog.consts.result.iter().filter_map(|e| e.name()));
    let bound = || prog.consts.stms.iter().flat_map(|s| &s.pat);
    let mut blocks = FxHashSet::default();
    for p in bound().filter(|p| used.0.contains(&p.name)) {
        match &p.dec {
            MemInfo::Array { block, .. } => blocks.insert(*block),
            MemInfo::None => false,
        };
    }
    let is_used = |n: &Name| used.0.contains(n) || blocks.contains(n);
    bound().filter(|p| is_used(&p.name)).map(|p| p.name.into()).collect()
}

/// All names in functions, those in types and places included.
struct Used(FxHashSet<Name>);

impl Visitor<Memory> for Used {
    fn name(&mut self, n: &Name) {
        self.0.insert(*n);
    }
    fn dec(&mut self, dec: &MemInfo) {
        if let MemInfo::Array { block, lmad } = dec {
            self.0.insert(*block);
            self.0.extend(lmad.vars().into_iter().map(fehu_ir::mem::sym_name));
        }
    }
}
