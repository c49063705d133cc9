//! Expressions.

use crate::attributes;
use crate::branch;
use crate::code::{Code, Emit, Res};
use crate::index;
use crate::loops;
use crate::lowerer::Lowerer;
use crate::patterns;
use crate::ranges;
use crate::sums;
use crate::types;
use crate::value::{project, Binding, Data, Dim, Fun, InstArg, Ty, Value};
use fehu_base::ops::{BinOp, UnOp};
use fehu_base::prim::{PrimType, PrimValue, ScalarType};
use fehu_base::{Name, Symbol};
use fehu_check::tast::{self, ExpKind};
use fehu_check::types::Type as SurfaceType;
use fehu_ir::{ArrayData, Basic, ErrorPart, Exp, Purpose, SubExp, Type};
use std::rc::Rc;
use std::sync::Arc;

impl<'a> Lowerer<'a> {
    /// Evaluates an expression.
    pub(crate) fn exp(&mut self, e: &'a tast::Exp) -> Res<Value<'a>> {
        fehu_base::stack::with_room(128 * 1024, 4 * 1024 * 1024, || {
            let v = self.at(e.span, |l| l.exp_kind(e))?;
            self.learn_ext(e, &v);
            Ok(v)
        })
    }

    /// Binds the unknown sizes that an expression's value brings.
    fn learn_ext(&mut self, e: &'a tast::Exp, v: &Value<'a>) {
        if !e.ext.is_empty() {
            types::learn_value(&mut self.env, &e.ext, &e.ty, v);
        }
    }

    fn exp_kind(&mut self, e: &'a tast::Exp) -> Res<Value<'a>> {
        match &*e.kind {
            ExpKind::Literal(v) => {
                let Ty::Scalar(s) = self.ty(&e.ty)? else { fehu_base::bug!("literal of type {:?}", e.ty) };
                Ok(Value::scalar(s, SubExp::Const(*v)))
            }
            ExpKind::String(bytes) => Ok(string(&mut self.code, bytes)),
            ExpKind::Hole => self.hole(e),
            ExpKind::Var(name, inst) => {
                let inst = self.inst_of(*name, inst)?;
                self.var(*name, inst)
            }
            ExpKind::Record(fields) => {
                let mut vs = vec![];
                for (f, e) in fields {
                    vs.push((*f, self.exp(e)?));
                }
                vs.sort_by(|a, b| fehu_check::types::field_order(a.0, b.0));
                Ok(Value::record(vs))
            }
            ExpKind::Array(es) => self.array_literal(e, es),
            ExpKind::Project(r, f) => {
                let v = self.exp(r)?;
                Ok(project(&v, *f))
            }
            ExpKind::Index(a, ixs) => index::index_exp(self, a, ixs),
            ExpKind::Negate(x) => {
                let v = self.exp(x)?;
                negate(&mut self.code, v)
            }
            ExpKind::Not(x) => {
                let v = self.exp(x)?;
                complement(&mut self.code, v)
            }
            ExpKind::And(l, r) => self.short_circuit(l, r, true),
            ExpKind::Or(l, r) => self.short_circuit(l, r, false),
            ExpKind::Assert(c, x, text) => {
                let cond = self.exp(c)?;
                let cond = self.code.scalar(cond)?;
                let message = vec![ErrorPart::Text(format!("Assertion is false: {text}"))];
                let cert = self.code.check_for(cond, message, Purpose::Program);
                let v = self.certified(cert, |l| l.exp(x))?;
                Ok(self.code.depending(cert, v))
            }
            ExpKind::Constr(c, args) => {
                let vs: Res<Vec<_>> = args.iter().map(|a| self.exp(a)).collect();
                let vs = vs?;
                let ty = self.ty(&e.ty)?;
                sums::constr(&mut self.code, ty, *c, vs)
            }
            ExpKind::Apply(f, args) => self.application(f, args),
            ExpKind::Lambda(l) => Ok(Value::Fun(Rc::new(Fun::Closure {
                env: self.env.clone(),
                tparams: &[],
                inst: vec![],
                params: &l.params,
                body: &l.body,
                global: None,
            }))),
            ExpKind::Coerce(x) => {
                let v = self.exp(x)?;
                let Value::Data(d) = v else { return Ok(v) };
                let target = self.ty(&e.ty)?;
                Ok(Value::Data(self.code.coerce(d, &target)))
            }
            ExpKind::Range { start, second, end } => ranges::range(self, start, second.as_ref(), end),
            ExpKind::Update(src, path, value) => index::update(self, src, path, value),
            ExpKind::Let { sizes, pat, value, body } => {
                let mut v = self.exp(value)?;
                if !sizes.is_empty() {
                    types::learn_value(&mut self.env, sizes, &pat.ty, &v);
                }
                if let (Value::Data(d), tast::PatKind::Var(_)) = (&mut v, &pat.kind) {
                    self.hint_names(pat, d);
                }
                patterns::bind_pat(&mut self.env, pat, v);
                self.exp(body)
            }
            ExpKind::LetFun(f, body) => {
                let closure = Value::Fun(Rc::new(Fun::Closure {
                    env: self.env.clone(),
                    tparams: &f.tparams,
                    inst: vec![],
                    params: &f.params,
                    body: &f.body,
                    global: None,
                }));
                self.env.insert(f.name, Binding::Value(closure));
                self.exp(body)
            }
            ExpKind::If(c, t, f) => {
                let cond = self.exp(c)?;
                let cond = self.code.scalar(cond)?;
                branch::branch(self, cond, &e.ty, |l| l.exp(t), |l| l.exp(f))
            }
            ExpKind::Loop(lp) => loops::lower_loop(self, lp),
            ExpKind::Match(x, cases) => {
                let v = self.exp(x)?;
                patterns::match_cases(self, v, cases, &e.ty)
            }
            ExpKind::Attr(attr, x) => attributes::attributed(self, attr, x),
        }
    }

    /// Statement names after the variable the user wrote, so that dumps can be read.
    fn hint_names(&mut self, pat: &'a tast::Pat, d: &mut Data) {
        let tast::PatKind::Var(name) = pat.kind else { return };
        let base = self.program.names.base(name);
        for leaf in &d.leaves {
            if let SubExp::Var(n) = leaf {
                if self.code.b.names.base(*n).as_str() == "t" {
                    self.code.b.names.rebase(*n, base);
                }
            }
        }
    }

    /// The value of a name at an instantiation.
    pub(crate) fn var(&mut self, name: Name, inst: Vec<InstArg<'a>>) -> Res<Value<'a>> {
        if let Some(intrinsic) = self.program.intrinsics.get(&name) {
            return Ok(Value::Fun(Rc::new(Fun::Intrinsic { intrinsic: *intrinsic, inst })));
        }
        match self.env.get(name).cloned() {
            Some(Binding::Value(v)) => Ok(instantiate(v, inst)),
            Some(Binding::Global(g)) => self.global(&g, inst),
            Some(Binding::Alias(a)) => {
                let mut env = a.env.clone();
                crate::types::bind_tparams(&mut env, &a.alias.scheme.tparams, &inst);
                let target = a.alias.target;
                let inst = self.in_env(env, |l| l.inst(&a.alias.inst))?;
                self.in_env(a.env.clone(), |l| l.var(target, inst))
            }
            Some(Binding::UnknownSize) => Err(self.code.unsupported("a size that nothing determines")),
            Some(Binding::Type(_) | Binding::Functor(..)) | None => {
                fehu_base::bug!("{} is not in scope", self.program.names.show(name))
            }
        }
    }

    fn hole(&mut self, e: &'a tast::Exp) -> Res<Value<'a>> {
        let message = vec![ErrorPart::Text("Reached hole of type: ".into())];
        let cert = self.code.b.assert(SubExp::bool(false), message, Purpose::Values);
        self.hole_of(&e.ty, cert)
    }

    /// A value that is never seen, for the assertion fails.
    pub(crate) fn hole_of(&mut self, t: &'a SurfaceType, cert: Option<Name>) -> Res<Value<'a>> {
        let ty = self.ty(t)?.map_dims(&mut |d| Dim::Known(d.operand()));
        if ty.has_function() {
            return match t {
                SurfaceType::Arrow(_) => {
                    Ok(Value::Fun(Rc::new(Fun::Hole { ty: t, env: self.env.clone(), cert })))
                }
                SurfaceType::Record(fields) => {
                    let hole = |(f, t): &'a (Symbol, SurfaceType)| Ok((*f, self.hole_of(t, cert)?));
                    Ok(Value::record(fields.iter().map(hole).collect::<Res<_>>()?))
                }
                SurfaceType::Sum(constrs) if !constrs.is_empty() => {
                    let (c, ts) = &constrs[0];
                    let args: Res<_> = ts.iter().map(|t| self.hole_of(t, cert)).collect();
                    Ok(Value::Constr(*c, Rc::new(args?)))
                }
                SurfaceType::Sum(_)
                | SurfaceType::Var(..)
                | SurfaceType::Scalar(..)
                | SurfaceType::Array(..)
                | SurfaceType::Meta(_)
                | SurfaceType::Error => {
                    Err(self.code.unsupported("a hole of an abstract type with functions in it"))
                }
            };
        }
        self.certified(cert, |l| {
            let leaves: Vec<_> = ty.leaves().iter().map(|t| l.code.blank(t)).collect();
            let leaves = leaves
                .into_iter()
                .map(|x| match x {
                    SubExp::Const(v) => {
                        l.code.b.bind("hole", Type::Prim(v.prim_type()), Exp::Basic(Basic::Opaque(x))).into()
                    }
                    SubExp::Var(_) => x,
                })
                .collect();
            Ok(Value::Data(Data { ty, leaves }))
        })
    }

    fn array_literal(&mut self, e: &'a tast::Exp, es: &'a [tast::Exp]) -> Res<Value<'a>> {
        if es.len() > 3 {
            if let Some((s, values)) = constants(es) {
                return Ok(constant_array(&mut self.code, s, values));
            }
        }
        let mut rows = vec![];
        for x in es {
            let v = self.exp(x)?;
            rows.push(self.code.data(v)?);
        }
        let n = SubExp::i64(es.len() as i64);
        let elem = match rows.first() {
            Some(d) => d.ty.clone(),
            None => {
                let ty = self.ty(&e.ty)?.map_dims(&mut |d| Dim::Known(d.operand()));
                match ty.elem() {
                    Some((_, elem)) => elem.clone(),
                    None => fehu_base::bug!("array literal of type {ty:?}"),
                }
            }
        };
        let leaves = elem
            .leaves()
            .into_iter()
            .enumerate()
            .map(|(i, t)| {
                let parts = rows.iter().map(|r| r.leaves[i]).collect();
                self.code.b.bind("lit", t.array_of(&[n]), Exp::Basic(Basic::ArrayLit(parts, t))).into()
            })
            .collect();
        Ok(Value::Data(Data { ty: elem.array(n), leaves }))
    }

    /// `l && r` is `if l then r else false`; `l || r` is `if l then true else r`.
    fn short_circuit(&mut self, l: &'a tast::Exp, r: &'a tast::Exp, and: bool) -> Res<Value<'a>> {
        let cond = self.exp(l)?;
        let cond = self.code.scalar(cond)?;
        let fixed = Value::scalar(ScalarType::Bool, SubExp::bool(!and));
        let (body, v) = self.body(|lo| lo.exp(r))?;
        let v = self.code.scalar(v)?;
        if body.stms.is_empty() {
            let op = if and { BinOp::LogAnd } else { BinOp::LogOr };
            return Ok(Value::scalar(ScalarType::Bool, self.code.b.bin(op, cond, v)));
        }
        let body = fehu_ir::Body { result: vec![v], ..body };
        let other = fehu_ir::Body { stms: vec![], result: vec![self.code.scalar(fixed)?] };
        let (t, f) = if and { (body, other) } else { (other, body) };
        let r = self.code.b.bind("t", Type::BOOL, Exp::If(cond, Box::new(t), Box::new(f)));
        Ok(Value::scalar(ScalarType::Bool, r.into()))
    }

    /// Whether a size expression mentions a name that nothing has bound yet.
    pub(crate) fn mentions_unknown(&self, e: &tast::Exp) -> bool {
        if let ExpKind::Var(n, _) = &*e.kind {
            return !self.program.intrinsics.contains_key(n)
                && matches!(self.env.get(*n), None | Some(Binding::UnknownSize));
        }
        // What the expression binds itself is not unknown; those forms do not stand in sizes.
        if matches!(
            &*e.kind,
            ExpKind::Lambda(_)
                | ExpKind::Let { .. }
                | ExpKind::LetFun(..)
                | ExpKind::Loop(_)
                | ExpKind::Match(..)
        ) {
            return false;
        }
        let mut unknown = false;
        fehu_check::visit::children(e, &mut |c| unknown = unknown || self.mentions_unknown(c));
        unknown
    }
}

fn string(code: &mut Code, bytes: &[u8]) -> Value<'static> {
    let values = bytes.iter().map(|b| PrimValue::I8(*b as i8)).collect();
    constant_array(code, ScalarType::U8, values)
}

fn constant_array(code: &mut Code, s: ScalarType, values: Vec<PrimValue>) -> Value<'static> {
    let n = SubExp::i64(values.len() as i64);
    let data = ArrayData { elem: s.prim(), values };
    let name =
        code.b.bind("lit", Type::Array(s.prim(), vec![n]), Exp::Basic(Basic::ArrayConst(Arc::new(data))));
    Value::Data(Data { ty: Ty::Scalar(s).array(n), leaves: vec![name.into()] })
}

pub(crate) fn negate<'a>(code: &mut Code, v: Value<'a>) -> Res<Value<'a>> {
    let d = code.data(v)?;
    let Ty::Scalar(s) = d.ty else { fehu_base::bug!("negation of {:?}", d.ty) };
    let op = match s.prim() {
        PrimType::Int(t) => UnOp::Neg(t),
        PrimType::Float(t) => UnOp::FNeg(t),
        PrimType::Bool | PrimType::Unit => UnOp::Not,
    };
    Ok(Value::scalar(s, code.b.un(op, d.leaves[0])))
}

pub(crate) fn complement<'a>(code: &mut Code, v: Value<'a>) -> Res<Value<'a>> {
    let d = code.data(v)?;
    let Ty::Scalar(s) = d.ty else { fehu_base::bug!("complement of {:?}", d.ty) };
    let op = match s.prim() {
        PrimType::Int(t) => UnOp::Complement(t),
        PrimType::Bool | PrimType::Unit | PrimType::Float(_) => UnOp::Not,
    };
    Ok(Value::scalar(s, code.b.un(op, d.leaves[0])))
}

/// A polymorphic local function at an instantiation.
fn instantiate<'a>(v: Value<'a>, inst: Vec<InstArg<'a>>) -> Value<'a> {
    let Value::Fun(f) = &v else { return v };
    match &**f {
        Fun::Closure { env, tparams, inst: old, params, body, global }
            if !inst.is_empty() && old.is_empty() && !tparams.is_empty() =>
        {
            Value::Fun(Rc::new(Fun::Closure {
                env: env.clone(),
                tparams,
                inst,
                params,
                body,
                global: global.clone(),
            }))
        }
        Fun::Recursive { sig, .. } => Value::Fun(Rc::new(Fun::Recursive { sig: sig.clone(), inst })),
        Fun::Closure { .. }
        | Fun::Intrinsic { .. }
        | Fun::Partial { .. }
        | Fun::Checked { .. }
        | Fun::Hole { .. } => v,
    }
}

/// The scalar type and values of a list of literals.
fn constants(es: &[tast::Exp]) -> Option<(ScalarType, Vec<PrimValue>)> {
    let fehu_check::types::Type::Scalar(s, _) = es.first()?.ty else { return None };
    let values = es.iter().map(constant).collect::<Option<Vec<_>>>()?;
    Some((s, values))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn constant(e: &tast::Exp) -> Option<PrimValue> {
    match &*e.kind {
        ExpKind::Literal(v) => Some(*v),
        ExpKind::Negate(e) => {
            let v = constant(e)?;
            match v.prim_type() {
                PrimType::Int(t) => UnOp::Neg(t).eval(v),
                PrimType::Float(t) => UnOp::FNeg(t).eval(v),
                PrimType::Bool | PrimType::Unit => None,
            }
        }
        _ => None,
    }
}
