//! Applying functions.

use crate::calls;
use crate::code::{Emit, Res};
use crate::intrinsics;
use crate::lowerer::Lowerer;
use crate::patterns;
use crate::types::{self, bind_tparams};
use crate::value::{Env, Fun, Global, InstArg, Value};
use fehu_base::Name;
use fehu_check::tast::{self, ExpKind};
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
            return Ok(self.code.depending(cert, v));
        }
        let arity = match &*fun {
            Fun::Closure { params, .. } => params.len(),
            Fun::Intrinsic { intrinsic, .. } => intrinsic.arity(),
            Fun::Recursive { sig, .. } => sig.arity,
            Fun::Hole { .. } => 1,
            Fun::Partial { .. } | Fun::Checked { .. } => 0,
        };
        if args.len() < arity {
            return Ok(Value::Fun(Rc::new(Fun::Partial { fun, args })));
        }
        let rest = args.split_off(arity);
        let result = match &*fun {
            Fun::Intrinsic { intrinsic, inst } => intrinsics::intrinsic(self, *intrinsic, inst, args)?,
            Fun::Recursive { sig, inst } => calls::call_recursive(&mut self.code, sig, inst, args)?,
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
                    Some(g) if calls::should_call(self, g.bind, &args) => {
                        calls::call_global(self, &g.clone(), env, args)?
                    }
                    Some(g) => {
                        let bind = g.bind;
                        calls::measured(self, bind, |l| l.enter(env, tparams, params, body, args))?
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
        calls::count_application(self)?;
        let caller = Some(Arc::new(self.code.b.loc.clone()));
        let saved = std::mem::replace(&mut self.code.caller, caller);
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
        self.code.caller = saved;
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
                types::learn_value(&mut self.env, &names, &p.ty, a);
            }
        }
        for (p, a) in params.iter().zip(args) {
            patterns::bind_pat(&mut self.env, p, a);
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
        if !bind.tparams.is_empty() || is_function_constant(bind) {
            return calls::measured(self, bind, |l| l.enter(env, &bind.tparams, &[], &bind.body, vec![]));
        }
        let v = self.in_consts(|l| l.in_env(env, |l| l.exp(&bind.body)))?;
        if let Value::Data(d) = &v {
            self.consts.insert(g.id, d.clone());
        }
        Ok(v)
    }

    /// Emits into the program's constants.
    pub(crate) fn in_consts<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.outside(|l| {
            l.code.b.begin();
            let result = f(l);
            let body = l.code.b.end(vec![]);
            l.const_body.stms.extend(body.stms);
            result
        })
    }
}

/// A constant that is or contains a function is evaluated where it is used: it costs nothing.
fn is_function_constant(bind: &tast::ValBind) -> bool {
    fn has_arrow(t: &fehu_check::types::Type) -> bool {
        use fehu_check::types::Type;
        match t {
            Type::Arrow(_) => true,
            Type::Record(fs) => fs.iter().any(|(_, t)| has_arrow(t)),
            Type::Sum(cs) => cs.iter().any(|(_, ts)| ts.iter().any(has_arrow)),
            Type::Scalar(..) | Type::Array(..) | Type::Var(..) | Type::Meta(_) | Type::Error => false,
        }
    }
    has_arrow(&bind.ret.ty) || has_arrow(&bind.body.ty)
}
