//! Functions that are not inlined, be it because they call themselves: each has one for its return sweep.
//!
//! ```text
//! fun f(x, n) = (y)        fun f_rev(x, n, y') = (x')      the forward sweep of f, then its return sweep
//! ```
//!
//! There is one for each set of parameters that are active and of results that have adjoints. Sizes that are
//! results of the function are parameters of the derived one, since types of adjoints need them. Inner calls
//! run again at each level.

use super::Reverse;
use fehu_base::Name;
use fehu_ir::subst::rename_fun;
use fehu_ir::types::fun_types;
use fehu_ir::{ExtSize, FunDef, FunRet, Param, RetType, Soacs, SubExp, Type};
use rustc_hash::FxHashMap;

/// A derived function: of which, by which parameters, from which results.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Derived {
    pub(crate) callee: Name,
    pub(crate) active: Vec<bool>,
    pub(crate) live: Vec<bool>,
}

impl Reverse<'_> {
    /// The functions that adjoint code calls, and those that they call.
    pub(crate) fn derived_functions(&mut self, funs: &FxHashMap<Name, FunDef<Soacs>>) -> Vec<FunDef<Soacs>> {
        let mut made = vec![];
        while let Some(key) = self.wanted.pop() {
            let (Some(fun), Some(name)) = (funs.get(&key.callee), self.derived.get(&key)) else {
                fehu_base::bug!("a call of no function")
            };
            made.push(self.derived_function(fun, &key, *name));
        }
        made
    }

    fn derived_function(&mut self, fun: &FunDef<Soacs>, key: &Derived, name: Name) -> FunDef<Soacs> {
        let fun = rename_fun(&mut self.b.names, fun);
        self.b.types.extend(fun_types(&fun));
        let with = |b: &&bool| **b;
        let params = fun.params.iter().zip(&key.active).filter(|(_, a)| with(a)).map(|(p, _)| p);
        let params: Vec<Param<Soacs>> = params.cloned().collect();
        self.active.extend(params.iter().map(|p| p.name));
        self.activity.of_body(&self.b.types, &fun.body, &mut self.active);
        let (sizes, seeds) = self.seed_params(&fun, &key.live);
        self.b.loc = fun.loc.clone();
        self.adjoints.clear();
        let body = fun.body.clone();
        let body = self.nested(|r| {
            let given: Vec<Option<SubExp>> =
                seeds.iter().map(|p| p.as_ref().map(|p| p.name.into())).collect();
            r.sweeps(body, &given);
            params
                .iter()
                .map(|p| {
                    let adjoint = r.take(p.name);
                    adjoint.unwrap_or_else(|| r.zero(&p.ty))
                })
                .collect()
        });
        let ret = params.iter().map(|p| FunRet { ty: result_type(&p.ty), dec: () }).collect();
        let own = fun.params.into_iter().map(|p| Param { consumed: false, ..p });
        let params = own.chain(sizes).chain(seeds.into_iter().flatten()).collect();
        FunDef { name, entry: None, attrs: fun.attrs, params, ret, body, loc: fun.loc }
    }

    /// Parameters for the sizes among the results of a function, and for the adjoints of some of them.
    fn seed_params(
        &mut self,
        fun: &FunDef<Soacs>,
        live: &[bool],
    ) -> (Vec<Param<Soacs>>, Vec<Option<Param<Soacs>>>) {
        let mut sizes: Vec<Param<Soacs>> = vec![];
        let mut by_result: FxHashMap<usize, Name> = FxHashMap::default();
        for (i, ret) in fun.ret.iter().enumerate() {
            if let RetType::Prim(fehu_base::prim::PrimType::I64) = ret.ty {
                let p = self.b.param("n", Type::I64);
                by_result.insert(i, p.name);
                sizes.push(p);
            }
        }
        let size = |e: &ExtSize| match e {
            ExtSize::Free(e) => *e,
            ExtSize::Ext(i) => match by_result.get(i) {
                Some(n) => SubExp::Var(*n),
                None => fehu_base::bug!("a size that is no result"),
            },
        };
        let mut seeds = vec![];
        for (ret, live) in fun.ret.iter().zip(live) {
            let ty = match &ret.ty {
                RetType::Prim(p) => Type::Prim(*p),
                RetType::Array { elem, shape, .. } => Type::Array(*elem, shape.iter().map(size).collect()),
                RetType::Mem(_) => fehu_base::bug!("memory has no adjoint"),
            };
            seeds.push(live.then(|| self.b.param("seed", ty)));
        }
        (sizes, seeds)
    }
}

/// The type of a parameter as that of a result.
fn result_type(ty: &Type) -> RetType {
    match ty {
        Type::Prim(p) => RetType::Prim(*p),
        Type::Array(p, shape) => {
            let shape = shape.iter().map(|e| ExtSize::Free(*e)).collect();
            RetType::Array { elem: *p, shape, unique: true }
        }
        Type::Acc(..) | Type::Mem(_) => fehu_base::bug!("{ty:?} has no adjoint"),
    }
}
