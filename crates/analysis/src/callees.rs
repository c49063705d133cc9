//! What functions do with the memory of their arguments.
//!
//! A function that is called may write to the memory of arguments that it consumes. It leaves the others as
//! they are, if nothing that it returns is in their memory; any array there can be read after the
//! call.

use fehu_base::Name;
use fehu_ir::mem::MemInfo;
use fehu_ir::{FunDef, Memory, Prog, RetType, Type};
use rustc_hash::FxHashMap;

/// Which parameters of each function are only read, and blocks of which all arrays are.
#[derive(Default, Debug)]
pub struct Callees(FxHashMap<Name, Vec<bool>>);

impl Callees {
    /// Those of all functions of a program.
    pub fn of_prog(prog: &Prog<Memory>) -> Callees {
        Callees(prog.funs.iter().map(|f| (f.name, only_read(f))).collect())
    }

    /// Whether a function only reads what it is given for a parameter.
    pub fn only_reads(&self, fun: Name, param: usize) -> bool {
        self.0.get(&fun).and_then(|params| params.get(param)).copied().unwrap_or(false)
    }
}

fn only_read(fun: &FunDef<Memory>) -> Vec<bool> {
    let fresh = fun.ret.iter().all(|r| match &r.ty {
        RetType::Array { unique, .. } => *unique,
        RetType::Prim(_) | RetType::Mem(_) => true,
    });
    let block = |dec: &MemInfo| match dec {
        MemInfo::Array { block, .. } => Some(*block),
        MemInfo::None => None,
    };
    let is_consumed = |of: Name| fun.params.iter().any(|p| p.consumed && block(&p.dec) == Some(of));
    let only_read = |p: &fehu_ir::Param<Memory>| match p.ty {
        Type::Array(..) => block(&p.dec).is_some_and(|of| !is_consumed(of)),
        Type::Mem(_) => !is_consumed(p.name),
        Type::Prim(_) | Type::Acc(..) => false,
    };
    fun.params.iter().map(|p| fresh && only_read(p)).collect()
}
