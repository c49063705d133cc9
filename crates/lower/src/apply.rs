//! Applying functions.

use crate::lowerer::{Lowerer, Res};
use crate::types::bind_tparams;
use crate::value::{Data, Dim, Env, Fun, Global, InstArg, Ty, Value};
use fehu_base::ops::CmpOp;
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::{Name, Span, Symbol};
use fehu_check::tast::{self, ExpKind};
use fehu_ir::{Attr, Basic, Body, ErrorPart, Exp, SubExp, Type};
use fehu_syntax::ast;
use std::rc::Rc;
use std::sync::Arc;

impl<'a> Lowerer<'a> {
    /// `f x y`. Arguments are evaluated first when the function is a name, for its instantiation may
    /// mention sizes that they bring.
    pub(crate) fn application(&mut self, f: &'a tast::Exp, args: &'a [tast::Exp]) -> Res<Value<'a>> {
        let early = if matches!(*f.kind, ExpKind::Var(..)) { None } else { Some(self.exp(f)?) };
        let vs: Res<Vec<_>> = args.iter().map(|a| self.exp(a)).collect();
        let vs = vs?;
        let fun = match early {
            Some(v) => v,
            None => self.exp(f)?,
        };
        self.apply(fun, vs)
    }

    /// Applies a function to any number of arguments.
    pub(crate) fn apply(&mut self, f: Value<'a>, mut args: Vec<Value<'a>>) -> Res<Value<'a>> {
        if args.is_empty() {
            return Ok(f);
        }
        let Value::Fun(fun) = f else { fehu_base::bug!("application of {f:?}") };
        if let Fun::Partial { fun, args: first } = &*fun {
            let all = first.iter().cloned().chain(args).collect();
            return self.apply(Value::Fun(fun.clone()), all);
        }
        if let Fun::Checked { fun, cert } = &*fun {
            let cert = *cert;
            let v = self.certified(cert, |l| l.apply(Value::Fun(fun.clone()), args))?;
            return Ok(self.depending(cert, v));
        }
        let arity = match &*fun {
            Fun::Closure { params, .. } => params.len(),
            Fun::Intrinsic { intrinsic, .. } => intrinsic.arity(),
            Fun::Recursive(sig) => sig.arity,
            Fun::Hole { .. } => 1,
            Fun::Partial { .. } | Fun::Checked { .. } => 0,
        };
        if args.len() < arity {
            return Ok(Value::Fun(Rc::new(Fun::Partial { fun, args })));
        }
        let rest = args.split_off(arity);
        let result = match &*fun {
            Fun::Intrinsic { intrinsic, inst } => self.intrinsic(*intrinsic, inst, args)?,
            Fun::Recursive(sig) => self.call(&sig.clone(), args)?,
            Fun::Hole { ty, env, cert } => {
                let fehu_check::types::Type::Arrow(arrow) = ty else {
                    fehu_base::bug!("function of type {ty:?}")
                };
                self.in_env(env.clone(), |l| l.hole_of(&arrow.ret.ty, *cert))?
            }
            Fun::Closure { env, tparams, inst, params, body, global } => {
                let mut env = env.clone();
                bind_tparams(&mut env, tparams, inst);
                match global {
                    Some(g) if self.should_call(g.bind, &args) => self.call_global(&g.clone(), env, args)?,
                    Some(g) => {
                        let bind = g.bind;
                        self.measured(bind, |l| l.enter(env, tparams, params, body, args))?
                    }
                    None => self.enter(env, tparams, params, body, args)?,
                }
            }
            Fun::Partial { .. } | Fun::Checked { .. } => fehu_base::bug!("handled above"),
        };
        self.apply(result, rest)
    }

    /// Evaluates a function's body here.
    fn enter(
        &mut self,
        env: Env<'a>,
        tparams: &'a [fehu_check::types::TParam],
        params: &'a [tast::Pat],
        body: &'a tast::Exp,
        args: Vec<Value<'a>>,
    ) -> Res<Value<'a>> {
        self.count_application()?;
        let caller = Some(Arc::new(self.b.loc.clone()));
        let saved = std::mem::replace(&mut self.caller, caller);
        if self.options.stops {
            self.frames.push(self.env.clone());
        }
        let result = self.in_env(env, |l| {
            l.bind_params(tparams, params, args);
            l.exp(body)
        });
        if self.options.stops {
            self.frames.pop();
        }
        self.caller = saved;
        result
    }

    /// Binds parameters to arguments, and infers sizes and types from them.
    pub(crate) fn bind_params(
        &mut self,
        tparams: &[fehu_check::types::TParam],
        params: &'a [tast::Pat],
        args: Vec<Value<'a>>,
    ) {
        let names: Vec<Name> = tparams.iter().map(|p| p.name()).collect();
        if !names.is_empty() {
            for (p, a) in params.iter().zip(&args) {
                self.learn_value(&names, &p.ty, a);
            }
        }
        for (p, a) in params.iter().zip(args) {
            self.bind_pat(p, a);
        }
    }

    /// [`Lowerer::learn`] from a value that may contain functions.
    pub(crate) fn learn_value(&mut self, names: &[Name], t: &'a fehu_check::types::Type, v: &Value<'a>) {
        match v {
            Value::Data(d) => self.learn(names, t, &d.ty.clone()),
            Value::Record(fields) => {
                if let fehu_check::types::Type::Record(ts) = t {
                    for ((_, t), (_, v)) in ts.iter().zip(fields.iter()) {
                        self.learn_value(names, t, v);
                    }
                }
            }
            Value::Constr(c, args) => {
                if let fehu_check::types::Type::Sum(constrs) = t {
                    let payload = constrs.iter().find(|(n, _)| n == c).into_iter().flat_map(|(_, ts)| ts);
                    payload.zip(args.iter()).for_each(|(t, v)| self.learn_value(names, t, v));
                }
            }
            Value::Fun(_) => {}
        }
    }

    /// The value of a top-level definition.
    pub(crate) fn global(&mut self, g: &Rc<Global<'a>>, inst: Vec<InstArg<'a>>) -> Res<Value<'a>> {
        let bind = g.bind;
        if !bind.params.is_empty() {
            return Ok(Value::Fun(Rc::new(Fun::Closure {
                env: g.env.clone(),
                tparams: &bind.tparams,
                inst,
                params: &bind.params,
                body: &bind.body,
                global: Some(g.clone()),
            })));
        }
        if bind.tparams.is_empty() {
            if let Some(d) = self.consts.get(&g.id) {
                return Ok(Value::Data(d.clone()));
            }
        }
        let mut env = g.env.clone();
        bind_tparams(&mut env, &bind.tparams, &inst);
        if !bind.tparams.is_empty() || self.is_function_constant(bind) {
            return self.measured(bind, |l| l.enter(env, &bind.tparams, &[], &bind.body, vec![]));
        }
        let v = self.in_consts(|l| l.in_env(env, |l| l.exp(&bind.body)))?;
        if let Value::Data(d) = &v {
            self.consts.insert(g.id, d.clone());
        }
        Ok(v)
    }

    /// A constant that is or contains a function is evaluated where it is used: it costs nothing.
    fn is_function_constant(&self, bind: &tast::ValBind) -> bool {
        fn has_arrow(t: &fehu_check::types::Type) -> bool {
            use fehu_check::types::Type;
            match t {
                Type::Arrow(_) => true,
                Type::Record(fs) => fs.iter().any(|(_, t)| has_arrow(t)),
                Type::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(has_arrow)),
                Type::Scalar(_) | Type::Array(..) | Type::Var(..) | Type::Meta(_) | Type::Error => false,
            }
        }
        has_arrow(&bind.ret.ty) || has_arrow(&bind.body.ty)
    }

    /// Emits into the program's constants.
    fn in_consts<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let open = self.b.suspend();
        let certs = std::mem::take(&mut self.b.certs);
        let attrs = std::mem::take(&mut self.b.attrs);
        let (caller, frames) = (self.caller.take(), std::mem::take(&mut self.frames));
        let unsafe_depth = std::mem::take(&mut self.unsafe_depth);
        self.b.begin();
        let result = f(self);
        let body = self.b.end(vec![]);
        self.const_body.stms.extend(body.stms);
        self.unsafe_depth = unsafe_depth;
        (self.caller, self.frames) = (caller, frames);
        self.b.attrs = attrs;
        self.b.certs = certs;
        self.b.resume(open);
        result
    }

    /// `#[attr] e`.
    pub(crate) fn attributed(&mut self, attr: &'a ast::Attr, e: &'a tast::Exp) -> Res<Value<'a>> {
        let core = core_attr(attr);
        match &core {
            Attr::Atom(a) if a.as_str() == "unsafe" => {
                self.unsafe_depth += 1;
                let v = self.exp(e);
                self.unsafe_depth -= 1;
                v
            }
            Attr::Atom(a) if matches!(a.as_str(), "blank" | "scratch") => self.replaced(a.as_str(), e),
            Attr::Atom(a) if a.as_str() == "opaque" => {
                let v = self.exp(e)?;
                self.opaque(v)
            }
            Attr::Atom(a) if a.as_str() == "trace" => {
                let v = self.exp(e)?;
                self.traced(v, None)
            }
            Attr::Comp(a, args) if a.as_str() == "trace" => {
                let v = self.exp(e)?;
                let tag = args.iter().find_map(|a| match a {
                    Attr::Atom(tag) => Some(*tag),
                    Attr::Int(_) | Attr::Comp(..) => None,
                });
                self.traced(v, tag)
            }
            Attr::Atom(a) if a.as_str() == "break" => {
                if self.options.stops {
                    self.stop();
                }
                self.exp(e)
            }
            Attr::Comp(a, args) if a.as_str() == "param" => {
                let v = self.exp(e)?;
                match (args.as_slice(), &v) {
                    ([Attr::Atom(name)], Value::Data(Data { ty: Ty::Scalar(ScalarType::I64), leaves })) => {
                        Ok(self.tuning_param(*name, leaves[0]))
                    }
                    _ => Ok(v),
                }
            }
            Attr::Atom(_) | Attr::Int(_) | Attr::Comp(..) => {
                self.b.attrs.push(core);
                let v = self.exp(e);
                self.b.attrs.pop();
                v
            }
        }
    }

    /// Any value of the type of an expression, which is evaluated only for sizes that its type does not say.
    fn replaced(&mut self, attr: &str, e: &'a tast::Exp) -> Res<Value<'a>> {
        let mut ty = self.ty(&e.ty)?;
        if ty.has_function() || ty.dims().contains(&Dim::Unknown) {
            match self.exp(e)? {
                Value::Data(d) => ty = d.ty,
                other @ (Value::Record(_) | Value::Constr(..) | Value::Fun(_)) => return Ok(other),
            }
        }
        // What the expression would have checked.
        let sizes: Vec<SubExp> = ty.dims().iter().map(|d| d.operand()).collect();
        let conds: Vec<SubExp> = sizes.iter().map(|n| self.is_size(*n)).collect();
        let ok = self.all(&conds);
        let cert =
            self.check(ok, vec![ErrorPart::Text("A size of the array is negative or too large.".into())]);
        self.certified(cert, |l| l.any_value(attr, ty))
    }

    fn any_value(&mut self, attr: &str, ty: Ty) -> Res<Value<'a>> {
        let leaves = ty
            .leaves()
            .into_iter()
            .map(|t| match t {
                Type::Array(p, shape) if attr == "scratch" => {
                    let t = Type::Array(p, shape.clone());
                    self.b.bind("scratch", t, Exp::Basic(Basic::Scratch(p, shape))).into()
                }
                t @ (Type::Prim(_) | Type::Array(..) | Type::Acc(..) | Type::Mem(_)) => self.blank(&t),
            })
            .collect();
        Ok(Value::Data(Data { ty, leaves }))
    }

    /// A number that a tuning parameter replaces if it is set. The parameter is read where constants are
    /// computed, by an opaque statement with the attribute; it is the least number if it is not set.
    fn tuning_param(&mut self, name: Symbol, default: SubExp) -> Value<'a> {
        let unset = SubExp::i64(i64::MIN);
        let param = match self.params.get(&name) {
            Some(p) => *p,
            None => self.in_consts(|l| {
                l.b.attrs.push(Attr::Comp(Symbol::new("param"), vec![Attr::Atom(name)]));
                let p = l.b.bind(name.as_str(), Type::I64, Exp::Basic(Basic::Opaque(unset)));
                l.b.attrs.pop();
                l.params.insert(name, p.into());
                p.into()
            }),
        };
        let is_unset = self.b.cmp(CmpOp::Eq(PrimType::I64), param, unset);
        let body = |e| Box::new(Body { stms: vec![], result: vec![e] });
        let chosen = self.b.bind("t", Type::I64, Exp::If(is_unset, body(default), body(param)));
        Value::i64(chosen.into())
    }

    /// A value that the program prints: each component by an opaque statement with the attribute.
    pub(crate) fn traced(&mut self, v: Value<'a>, tag: Option<Symbol>) -> Res<Value<'a>> {
        let d = match v {
            Value::Data(d) => d,
            Value::Record(fields) => {
                let part = |(f, v): &(Symbol, Value<'a>)| Ok((*f, self.traced(v.clone(), tag)?));
                return Ok(Value::record(fields.iter().map(part).collect::<Res<_>>()?));
            }
            Value::Constr(..) | Value::Fun(_) => return Ok(v),
        };
        // The function `trace` is one of the prelude: what is of interest is who calls it.
        let within = self.options.prelude.contains(&self.b.loc.span.file) && self.user != Span::NONE;
        let place = if within { self.user } else { self.b.loc.span };
        self.at(place, |l| l.traced_data(d, tag))
    }

    fn traced_data(&mut self, d: Data, tag: Option<Symbol>) -> Res<Value<'a>> {
        let mut leaves = vec![];
        for (leaf, scalar) in d.leaves.into_iter().zip(crate::entry::leaf_scalars(&d.ty)) {
            let mut args = vec![Attr::Atom(Symbol::new(scalar.as_str()))];
            args.extend(tag.map(Attr::Atom));
            let t = self.b.type_of(leaf);
            self.b.attrs.push(Attr::Comp(Symbol::new("trace"), args));
            leaves.push(self.b.bind("traced", t, Exp::Basic(Basic::Opaque(leaf))).into());
            self.b.attrs.pop();
        }
        Ok(Value::Data(Data { ty: d.ty, leaves }))
    }

    /// A value about which the optimiser may conclude nothing.
    pub(crate) fn opaque(&mut self, v: Value<'a>) -> Res<Value<'a>> {
        match v {
            Value::Data(d) => {
                let mut leaves = vec![];
                for leaf in d.leaves {
                    let t = self.b.type_of(leaf);
                    leaves.push(self.b.bind("opaque", t, Exp::Basic(Basic::Opaque(leaf))).into());
                }
                Ok(Value::Data(Data { ty: d.ty, leaves }))
            }
            Value::Record(_) | Value::Constr(..) | Value::Fun(_) => Ok(v),
        }
    }
}

/// An attribute as the core has it.
pub(crate) fn core_attr(a: &ast::Attr) -> Attr {
    match a {
        ast::Attr::Atom(i) => Attr::Atom(i.name),
        ast::Attr::Int(n, _) => Attr::Int(*n),
        ast::Attr::Comp(i, args, _) => Attr::Comp(i.name, args.iter().map(core_attr).collect()),
    }
}
