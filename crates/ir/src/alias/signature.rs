//! What callers must know of functions: which arguments they consume, and which results may be an argument's memory.

use crate::rep::Rep;
use crate::syntax::{FunDef, FunRet, Prog, RetType, Type};
use fehu_base::Name;
use rustc_hash::FxHashMap;

/// What callers must know of functions.
#[derive(Clone, Default, Debug)]
pub struct Signatures {
    funs: FxHashMap<Name, Signature>,
}

/// What callers must know of a function.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Which parameters are consumed.
    pub consumed: Vec<bool>,
    /// Which parameters hold memory: all but primitives.
    pub memory: Vec<bool>,
    /// Which results may alias the arguments of parameters that are not consumed.
    pub aliasing: Vec<bool>,
}

impl Signatures {
    /// Those of all functions of a program.
    pub fn of_prog<R: Rep>(prog: &Prog<R>) -> Signatures {
        Signatures { funs: prog.funs.iter().map(|f| (f.name, Signature::of(f))).collect() }
    }

    /// That of a function. One that is not known consumes nothing and may return any argument.
    pub fn get(&self, fun: Name) -> Option<&Signature> {
        self.funs.get(&fun)
    }

    /// Adds a function.
    pub fn insert(&mut self, fun: Name, signature: Signature) {
        self.funs.insert(fun, signature);
    }
}

impl Signature {
    /// That of a function.
    pub fn of<R: Rep>(fun: &FunDef<R>) -> Signature {
        let aliasing = |r: &FunRet<R>| match &r.ty {
            RetType::Prim(_) => false,
            RetType::Array { unique, .. } => !unique,
            RetType::Mem(_) => true,
        };
        Signature {
            consumed: fun.params.iter().map(|p| p.consumed).collect(),
            memory: fun.params.iter().map(|p| !matches!(p.ty, Type::Prim(_))).collect(),
            aliasing: fun.ret.iter().map(aliasing).collect(),
        }
    }

    /// Whether a parameter is consumed.
    pub fn consumes(&self, param: usize) -> bool {
        self.consumed.get(param).copied().unwrap_or(false)
    }
}
