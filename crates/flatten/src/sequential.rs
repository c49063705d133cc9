//! Combinators become loops.
//!
//! Before: a program over `Soacs` without `Ad`. After: the same program
//! without combinators and without accumulators. Results of maps and scans are
//! written into scratch arrays that the loop carries and consumes; reductions
//! are loop parameters; an accumulator is the arrays it stands for. The sum of
//! squares, and the squares themselves:
//!
//! ```text
//! screma n [xs] reduce (+) 0 map \x -> (x*x, x*x)      loop (s = 0, *out = scratch n) for i < n {
//!                                                        x = xs[i]; y = x*x; s' = s+y
//!                                                        out' = out with [i] = y
//!                                                        return (s', out') }
//! ```
//!
//! Here is all that is common to them: bodies, statements, and how bindings of accumulators become bindings
//! of arrays. `screma`, `scattered` and `filter` hold the combinators; `generated` is about updates by some
//! of them.

mod filter;
mod generated;
mod scattered;
mod screma;

use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimValue};
use fehu_base::{bug, Name};
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::Soac;
use fehu_ir::subst::{rename_fun, rename_lambda};
use fehu_ir::types::prog_types;
use fehu_ir::visit::deep;
use fehu_ir::{
    Basic, Body, Builder, DimIndex, Exp, FunDef, FunRet, Kernels, Lambda, Loop, Param, PatElem, Prog, Rep,
    Slice, Soacs, Stm, SubExp, Type, WithAcc,
};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Makes every combinator of a program a loop.
pub fn sequential(prog: Prog<Soacs>) -> Prog<Kernels> {
    let types = prog_types(&prog);
    let Prog { consts, funs, opaques, names } = prog;
    let mut builder = Builder::new(names);
    builder.types = types;
    let mut seq = Seq { stores_always: true, ..Seq::new(builder, Calls::Kept) };
    let consts = seq.body(consts);
    let funs = funs.into_iter().map(|f| seq.fun(f)).collect();
    Prog { consts, funs, opaques, names: seq.b.names }
}

/// A pattern or parameter list, as names and types.
pub(crate) type Bindings = Vec<(Name, Type)>;

/// Whom sequential code calls.
#[derive(Debug)]
pub(crate) enum Calls {
    /// The functions of the program, which are sequential themselves.
    Kept,
    /// Sequential copies of them, under these names; whoever owns the table makes the copies.
    Copies(IndexMap<Name, Name, FxBuildHasher>),
}

/// What becomes of the code inside of a combinator that is made a loop.
pub(crate) trait Goal: Rep<Dec = ()> {
    /// Puts a statement that can stay into the current body; gives back any other.
    fn keep(seq: &mut Seq<Self>, stm: Stm<Soacs>) -> Option<Stm<Soacs>>;
    /// The function to call instead of one of the program.
    fn callee(seq: &mut Seq<Self>, f: Name) -> Name;
}

/// It is made loops as well.
impl Goal for Kernels {
    fn keep(_: &mut Seq, stm: Stm<Soacs>) -> Option<Stm<Soacs>> {
        Some(stm)
    }

    fn callee(seq: &mut Seq, f: Name) -> Name {
        seq.callee(f)
    }
}

/// It stays as it is, but for accumulators that are arrays now.
impl Goal for Soacs {
    fn keep(seq: &mut Seq<Soacs>, stm: Stm<Soacs>) -> Option<Stm<Soacs>> {
        if !seq.accs.is_empty() && free_in_stm(&stm).iter().any(|n| seq.accs.contains_key(n)) {
            return Some(stm);
        }
        seq.b.push(stm);
        None
    }

    fn callee(_: &mut Seq<Soacs>, f: Name) -> Name {
        f
    }
}

/// The state of the translation. Accumulators of a `WithAcc` that is translated here become arrays; those
/// that come from outside stay accumulators.
pub(crate) struct Seq<R: Goal = Kernels> {
    pub(crate) b: Builder<R>,
    pub(crate) calls: Calls,
    /// The arrays that an accumulator stands for.
    accs: FxHashMap<Name, Vec<Name>>,
    /// How the accumulators of a token combine values; `None` where they overwrite.
    operators: FxHashMap<Name, Option<Lambda<Soacs>>>,
    known: generated::Known,
    /// Whether stores cost less than branches, as on CPUs.
    pub(crate) stores_always: bool,
}

impl Seq {
    /// The function to call instead of one of the program.
    pub(crate) fn callee(&mut self, f: Name) -> Name {
        match &mut self.calls {
            Calls::Kept => f,
            Calls::Copies(copies) => *copies.entry(f).or_insert_with(|| self.b.names.fresh_like(f)),
        }
    }

    /// Makes the copies of functions that sequential code calls, and those that these call.
    pub(crate) fn copied_functions(&mut self, prog: &Prog<Soacs>, funs: &mut Vec<FunDef<Kernels>>) {
        let mut done = 0;
        loop {
            let next = match &self.calls {
                Calls::Kept => None,
                Calls::Copies(copies) => copies.get_index(done).map(|(f, copy)| (*f, *copy)),
            };
            let Some((original, copy)) = next else { return };
            done += 1;
            let Some(fun) = prog.funs.iter().find(|f| f.name == original) else { continue };
            let mut fun = rename_fun(&mut self.b.names, fun);
            fun.name = copy;
            fun.entry = None;
            self.b.types.extend(fehu_ir::types::fun_types(&fun));
            let fun = self.fun(fun);
            funs.push(fun);
        }
    }

    /// A lambda whose body is sequential.
    pub(crate) fn lambda(&mut self, lambda: Lambda<Soacs>) -> Lambda<Kernels> {
        let params = lambda.params.into_iter().flat_map(|p| self.param(p)).collect();
        let body = self.undecorated(|seq| seq.body(lambda.body));
        Lambda { params, body, ret: lambda.ret }
    }

    pub(crate) fn fun(&mut self, fun: FunDef<Soacs>) -> FunDef<Kernels> {
        let FunDef { name, entry, attrs, params, ret, body, loc } = fun;
        let params = params.into_iter().flat_map(|p| self.param(p)).collect();
        let ret = ret.into_iter().map(|r| FunRet { ty: r.ty, dec: () }).collect();
        FunDef { name, entry, attrs, params, ret, body: self.body(body), loc }
    }
}

impl<R: Goal> Seq<R> {
    pub(crate) fn new(b: Builder<R>, calls: Calls) -> Seq<R> {
        let known = generated::Known::default();
        Seq {
            b,
            calls,
            accs: FxHashMap::default(),
            operators: FxHashMap::default(),
            known,
            stores_always: false,
        }
    }

    pub(crate) fn body(&mut self, body: Body<Soacs>) -> Body<R> {
        self.b.begin();
        let result = self.inline(body);
        self.b.end(result)
    }

    /// Puts the statements of a body into the current one, and returns its results.
    pub(crate) fn inline(&mut self, body: Body<Soacs>) -> Vec<SubExp> {
        deep(|| {
            for stm in body.stms {
                self.stm(stm);
            }
        });
        self.operands(&body.result)
    }

    pub(crate) fn stm(&mut self, stm: Stm<Soacs>) {
        let Some(stm) = R::keep(self, stm) else { return };
        self.change(stm);
    }

    /// Puts a statement into the current body, in simpler terms.
    pub(crate) fn change(&mut self, stm: Stm<Soacs>) {
        let outer = (self.b.loc.clone(), self.b.certs.len(), std::mem::take(&mut self.b.attrs));
        let Stm { pat, certs, attrs, loc, exp } = stm;
        self.b.loc = loc;
        self.b.certs.extend(certs);
        self.b.attrs = attrs;
        self.bind(pat, exp);
        let (loc, certs, attrs) = outer;
        self.b.loc = loc;
        self.b.certs.truncate(certs);
        self.b.attrs = attrs;
    }

    fn bind(&mut self, pat: Vec<PatElem<Soacs>>, exp: Exp<Soacs>) {
        let pat: Bindings = pat.into_iter().map(|p| (p.name, p.ty)).collect();
        self.learn_generated(&pat, &exp);
        match exp {
            Exp::Basic(Basic::Update(array, slice, source)) => self.put(pat, array, slice, source),
            Exp::Basic(Basic::SubExp(e) | Basic::Opaque(e)) if self.is_acc(e) => self.bind_results(pat, &[e]),
            Exp::Basic(Basic::UpdateAcc(acc, index, values)) if self.accs.contains_key(&acc) => {
                self.update_acc(pat, acc, &index, &values);
            }
            Exp::Basic(Basic::UpdateAcc(acc, index, values)) => {
                self.b.bind_names(pat, Exp::Basic(Basic::UpdateAcc(acc, index, values)));
            }
            Exp::Call(f, args) => {
                let f = R::callee(self, f);
                self.b.bind_names(pat, Exp::Call(f, args));
            }
            Exp::WithAcc(w) => self.with_acc(pat, *w),
            Exp::Op(Soac::Screma(s)) => self.screma(pat, s),
            Exp::Op(Soac::Hist(h)) => self.hist(pat, h),
            Exp::Op(Soac::Scatter(s)) => self.scatter(pat, s),
            Exp::Op(Soac::Filter(f)) => self.filter(pat, f),
            Exp::Op(Soac::Ad(_)) => bug!("a derivative was left for sequential code"),
            Exp::If(c, t, f) => {
                // What is bound inside does not depend on what the statement depends on, for it is only
                // reached after it.
                let (t, f) = self.undecorated(|seq| (seq.body(*t), seq.body(*f)));
                let pat = self.expand(pat);
                self.b.bind_names(pat, Exp::If(c, Box::new(t), Box::new(f)));
            }
            Exp::Loop(l) => {
                let l = self.undecorated(|seq| seq.loop_(*l));
                let pat = self.expand(pat);
                self.b.bind_names(pat, Exp::Loop(Box::new(l)));
            }
            other @ Exp::Basic(_) => self.b.bind_names(pat, simple(other)),
        }
    }

    fn loop_(&mut self, l: Loop<Soacs>) -> Loop<R> {
        let mut params = vec![];
        for (param, init) in l.params {
            let inits = self.operands(&[init]);
            params.extend(self.param(param).into_iter().zip(inits));
        }
        Loop { params, form: l.form, body: self.body(l.body) }
    }

    /// A parameter; several for an accumulator.
    fn param(&mut self, param: Param<Soacs>) -> Vec<Param<R>> {
        let Param { name, ty, dec: (), consumed } = param;
        let consumed = consumed || matches!(ty, Type::Acc(..));
        let bound = self.expand(vec![(name, ty)]);
        bound.into_iter().map(|(name, ty)| Param { name, ty, dec: (), consumed }).collect()
    }

    fn update_acc(&mut self, pat: Bindings, acc: Name, index: &[SubExp], values: &[SubExp]) {
        let Type::Acc(token, shape, elems) = self.b.type_of(acc.into()) else {
            bug!("update of {}, which is no accumulator", self.b.names.show(acc))
        };
        let arrays = self.operands(&[acc.into()]);
        let op = match self.operators.get(&token).cloned() {
            Some(op) => op.map(|op| rename_lambda(&mut self.b.names, &op)),
            None => bug!("no operator for {}", self.b.names.show(token)),
        };
        if let Some(op) = &op {
            self.learn_types(op);
        }
        let results = self.expand(pat);
        let types = results.iter().map(|(_, t)| t.clone()).collect::<Vec<_>>();
        let target = scattered::Target { shape: &shape, elems: &elems, arrays: &arrays, types: &types };
        let updated = self.guarded_update(target, index, values, op);
        for ((name, ty), e) in results.into_iter().zip(updated) {
            self.b.bind_names(vec![(name, ty)], Exp::Basic(Basic::SubExp(e)));
        }
    }

    fn with_acc(&mut self, pat: Bindings, w: WithAcc<Soacs>) {
        let WithAcc { inputs, lambda } = w;
        let (tokens, accs) = lambda.params.split_at(inputs.len());
        let mut arrays = 0;
        for ((token, acc), input) in tokens.iter().zip(accs).zip(inputs) {
            self.b.bind_names(
                vec![(token.name, Type::UNIT)],
                Exp::Basic(Basic::SubExp(SubExp::Const(PrimValue::Unit))),
            );
            arrays += input.arrays.len();
            self.operators.insert(token.name, input.op.map(|(op, _)| op));
            self.accs.insert(acc.name, input.arrays);
        }
        let results = self.inline(lambda.body);
        debug_assert!(results.len() == pat.len() && arrays <= pat.len());
        for ((name, ty), e) in pat.into_iter().zip(results) {
            self.b.bind_names(vec![(name, ty)], Exp::Basic(Basic::SubExp(e)));
        }
    }

    /// Builds nested bodies, whose statements have their own certificates and attributes.
    pub(crate) fn undecorated<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let certs = std::mem::take(&mut self.b.certs);
        let attrs = std::mem::take(&mut self.b.attrs);
        let result = f(self);
        self.b.certs = certs;
        self.b.attrs = attrs;
        result
    }

    /// The bindings with accumulators replaced by fresh names for their arrays.
    fn expand(&mut self, pat: Bindings) -> Bindings {
        let mut out = vec![];
        for (name, ty) in pat {
            match self.acc_arrays(&ty) {
                None => out.push((name, ty)),
                Some(types) => {
                    let arrays: Bindings = types
                        .into_iter()
                        .map(|t| (self.b.names.fresh_like(name), t))
                        .inspect(|(n, t)| {
                            self.b.types.insert(*n, t.clone());
                        })
                        .collect();
                    self.accs.insert(name, arrays.iter().map(|(n, _)| *n).collect());
                    out.extend(arrays);
                }
            }
        }
        out
    }

    /// The operands with accumulators replaced by their arrays.
    fn operands(&self, es: &[SubExp]) -> Vec<SubExp> {
        let arrays = |e: &SubExp| match e.name().and_then(|n| self.accs.get(&n)) {
            Some(arrays) => arrays.iter().map(|a| SubExp::Var(*a)).collect(),
            None => vec![*e],
        };
        es.iter().flat_map(arrays).collect()
    }

    fn is_acc(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.accs.contains_key(&n))
    }

    /// Binds names, accumulators among them, to operands.
    fn bind_results(&mut self, pat: Bindings, results: &[SubExp]) {
        for ((name, ty), e) in pat.into_iter().zip(results) {
            match e.name().and_then(|n| self.accs.get(&n)) {
                Some(arrays) => {
                    self.accs.insert(name, arrays.clone());
                }
                None => self.b.bind_names(vec![(name, ty)], Exp::Basic(Basic::SubExp(*e))),
            }
        }
    }

    /// Registers the types of what a renamed lambda binds.
    pub(crate) fn learn_types(&mut self, lambda: &Lambda<Soacs>) {
        for p in &lambda.params {
            self.b.types.insert(p.name, p.ty.clone());
        }
        self.b.types.extend(fehu_ir::types::body_types(&lambda.body));
    }

    /// Applies a lambda, once: its parameters become names for the arguments.
    fn apply(&mut self, lambda: Lambda<Soacs>, args: &[SubExp]) -> Vec<SubExp> {
        for (param, arg) in lambda.params.iter().zip(args) {
            if let Some(arrays) = arg.name().and_then(|n| self.accs.get(&n)) {
                self.accs.insert(param.name, arrays.clone());
                continue;
            }
            let exp = match arg {
                SubExp::Var(n) if param.consumed && param.ty.is_array() => Exp::Basic(Basic::Copy(*n)),
                SubExp::Var(_) | SubExp::Const(_) => Exp::Basic(Basic::SubExp(*arg)),
            };
            self.b.bind_names(vec![(param.name, param.ty.clone())], exp);
        }
        self.inline(lambda.body)
    }

    /// Binds the parameters of a lambda to the elements of arrays at an index.
    pub(crate) fn bind_elements(&mut self, params: &[Param<Soacs>], arrays: &[Name], i: SubExp) {
        for (param, array) in params.iter().zip(arrays) {
            if let Some(arrays) = self.accs.get(array) {
                self.accs.insert(param.name, arrays.clone());
                continue;
            }
            if let Type::Acc(..) = param.ty {
                self.b.bind_names(
                    vec![(param.name, param.ty.clone())],
                    Exp::Basic(Basic::SubExp((*array).into())),
                );
                continue;
            }
            let slice = row(&[i], &param.ty);
            if param.consumed && param.ty.is_array() {
                let view = self.b.bind("row", param.ty.clone(), Exp::Basic(Basic::Index(*array, slice)));
                self.b.bind_names(vec![(param.name, param.ty.clone())], Exp::Basic(Basic::Copy(view)));
            } else {
                self.b.bind_names(
                    vec![(param.name, param.ty.clone())],
                    Exp::Basic(Basic::Index(*array, slice)),
                );
            }
        }
    }

    /// The types of the arrays that an accumulator stands for; `None` for other types, and for
    /// accumulators from outside.
    fn acc_arrays(&self, ty: &Type) -> Option<Vec<Type>> {
        match ty {
            Type::Acc(token, shape, elems) if self.operators.contains_key(token) => {
                Some(elems.iter().map(|t| t.array_of(shape)).collect())
            }
            Type::Prim(_) | Type::Array(..) | Type::Mem(_) | Type::Acc(..) => None,
        }
    }

    /// Whether an index is within a shape.
    fn in_bounds(&mut self, index: &[SubExp], shape: &[SubExp]) -> SubExp {
        let mut ok = SubExp::bool(true);
        for (i, n) in index.iter().zip(shape) {
            // Sizes are not negative, so as unsigned numbers negative indices are too large.
            let here = self.b.cmp(CmpOp::ULt(IntType::I64), *i, *n);
            ok = match ok {
                SubExp::Const(PrimValue::Bool(true)) => here,
                SubExp::Const(_) | SubExp::Var(_) => self.b.bin(BinOp::LogAnd, ok, here),
            };
        }
        ok
    }
}

/// The slice that selects an element of the given type at an index.
pub(crate) fn row(index: &[SubExp], elem: &Type) -> Slice {
    let fixed = index.iter().map(|i| DimIndex::Fix(*i));
    let whole = |n: &SubExp| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) };
    fixed.chain(elem.shape().iter().map(whole)).collect()
}

/// An expression that holds neither bodies nor operations.
pub(crate) fn simple<R: Rep>(exp: Exp<Soacs>) -> Exp<R> {
    match exp {
        Exp::Basic(b) => Exp::Basic(b),
        Exp::Call(f, args) => Exp::Call(f, args),
        Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            bug!("{exp:?} is not simple")
        }
    }
}

/// The same parameter in the other representation.
pub(crate) fn same_param(p: Param<Soacs>) -> Param<Kernels> {
    Param { name: p.name, ty: p.ty, dec: (), consumed: p.consumed }
}
