//! The second layer: functions.

use super::exp::{node, scoped};
use super::hide::Hidden;
use super::pat;
use super::tables::{collect_metas, mentioned_type, Flex, Origin, Slot};
use super::Sizer;
use crate::context::see;
use crate::named::Named;
use crate::subst::{make_nonunique, Subst};
use crate::tast::{Exp, ExpKind, Lambda, LocalFun, Pat, PatKind};
use crate::terms::pre;
use crate::type_exp::uses::constructive;
use crate::types::{Arrow, Parts, RetType, Scheme, Size, TParam, Type, TypeArg, Uniq};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A declaration, done.
pub(crate) struct Top {
    pub(crate) tparams: Vec<TParam>,
    pub(crate) params: Vec<Pat>,
    pub(crate) ret: RetType,
    pub(crate) body: Exp,
    pub(crate) ty: Type,
}

impl Sizer<'_> {
    /// `\p q : t -> e`.
    pub(crate) fn lambda(&mut self, l: &pre::Lambda, span: Span) -> Exp {
        let level = self.level;
        let (params, body, _) = self.inside(&l.params, l.ret.as_ref(), &l.body, None);
        self.level = level;
        let (ret, ty) = self.close(&[], &params, &body.1);
        self.raise(&ty, level);
        let lambda = Lambda { params, ret, body: body.0 };
        node(ExpKind::Lambda(lambda), ty, span)
    }

    /// The parameters and the body of a function, with the type of its result.
    /// The level is left inside.
    fn inside(
        &mut self,
        params: &[pre::Pat],
        ret: Option<&pre::Written>,
        body: &pre::Exp,
        own: Option<(Name, &[TParam])>,
    ) -> (Vec<Pat>, (Exp, Type), Option<Type>) {
        let mut out: Vec<Pat> = vec![];
        for p in params {
            self.level += 1;
            let shape = self.shape(&p.ty);
            let t = self.of_shape(&shape, Liftedness::Lifted, Origin::Parameter, p.span);
            let p = pat::checked(self, p, &t, "Parameter does not have the type of its pattern.");
            out.push(p);
        }
        self.level += 1;
        self.depth += 1;
        let written = ret.map(|w| {
            let t = self.written(w, Origin::Result);
            self.check_result_names(&out, &t, w.span);
            t
        });
        if let Some((name, tparams)) = own {
            let ty = self.own_type(&out, ret, body);
            let sizes = tparams.iter().filter(|p| matches!(p, TParam::Size(_))).copied().collect();
            self.vars.insert(name, Arc::new(Scheme { tparams: sizes, overloads: vec![], ty }));
        }
        self.level += 1;
        let body = self.exp(body);
        self.depth -= 1;
        let result = match &written {
            Some(t) => {
                self.expect(body.span, "Function body does not have expected type.", t, &body.ty.clone());
                t.clone()
            }
            // What is unique in it is found out by `consume`.
            None => make_nonunique(&body.ty),
        };
        (out, (body, result), written)
    }

    /// A written result may not mention parts of parameters.
    fn check_result_names(&mut self, params: &[Pat], t: &Type, span: Span) {
        let mut hidden: FxHashSet<Name> = FxHashSet::default();
        for p in params.iter().filter(|p| param_name(p).is_none()) {
            bound_names(p, &mut hidden);
        }
        if hidden.is_empty() {
            return;
        }
        let mut names: Vec<Name> = mentioned_type(t).into_iter().filter(|n| hidden.contains(n)).collect();
        names.sort();
        if let Some(n) = names.first() {
            let base = self.ctx.show().name(*n);
            let shown = self.show(t);
            let at = self.ctx.def_spans.get(n).copied().unwrap_or(span);
            self.ctx.report(
                Diagnostic::error(
                    span,
                    format!("The return type annotation \"{shown}\" refers to the name \"{base}\", which is bound to an inner component of a function parameter."),
                )
                .related(at, format!("\"{base}\" is only a part of the parameter"))
                .help(format!("make \"{base}\" a parameter of its own, or write an anonymous size []")),
            );
        }
    }

    /// What a function knows of its own type: anonymous sizes of its result are existential.
    fn own_type(&mut self, params: &[Pat], ret: Option<&pre::Written>, body: &pre::Exp) -> Type {
        let ret = match ret {
            Some(w) => {
                let t = self.written(w, Origin::Result);
                let t = self.zonk(&t);
                let mut shown = FxHashSet::default();
                constructive(&t, &mut shown);
                let mut mine: Vec<Name> =
                    mentioned_type(&t).into_iter().filter(|n| self.is_free_flex(*n)).collect();
                mine.sort();
                let mut subst = Subst::default();
                let mut dims = vec![];
                for n in mine {
                    let d = self.ctx.names.fresh_like(n);
                    subst.rename_value(n, d);
                    // It stands for nothing any more.
                    self.flexes.insert(n, Flex::Is(Size::Const(0)));
                    dims.push(d);
                }
                RetType { dims, ty: subst.ty(&mut self.ctx.names, &mut vec![], &t) }
            }
            None => {
                let shape = self.shape(&body.ty);
                RetType::simple(self.of_shape(&shape, Liftedness::Lifted, Origin::Result, body.span))
            }
        };
        arrows(params, ret)
    }

    /// The result type of a function and its own type, seen from outside.
    pub(crate) fn close(&mut self, tparams: &[TParam], params: &[Pat], result: &Type) -> (RetType, Type) {
        let mut dims = vec![];
        let ty = self.zonk_into(result, &mut dims);
        let mut hidden: FxHashSet<Name> = FxHashSet::default();
        let mut visible: FxHashSet<Name> = tparams.iter().map(|p| p.name()).collect();
        for p in params {
            match param_name(p) {
                Some(n) => {
                    visible.insert(n);
                }
                None => bound_names(p, &mut hidden),
            }
        }
        for n in mentioned_type(&ty) {
            let deep = self.is_hidden(n, &Hidden::Deeper { level: self.level, depth: self.depth });
            if deep && !visible.contains(&n) {
                hidden.insert(n);
            }
        }
        let ret = self.hide_ret(&RetType { dims, ty }, &Hidden::Names(hidden));
        let ty = arrows(params, ret.clone());
        (ret, ty)
    }

    /// `let f [n] 'a p q : t = e in body`.
    pub(crate) fn let_fun(&mut self, f: &pre::Fun, body: &pre::Exp, span: Span) -> Exp {
        let level = self.level;
        self.level += 1;
        self.bind_tparams(&f.tparams);
        let (params, (fbody, result), _) = self.inside(&f.params, f.ret.as_ref(), &f.body, None);
        self.level = level;
        let (ret, ty) = self.close(&f.tparams, &params, &result);
        let mut tparams = f.tparams.clone();
        let ty = self.generalise(&ty, level, &mut tparams);
        for n in self.own_flexes(&ty, level) {
            self.levels.insert(n, level + 1);
            self.flexes.remove(&n);
            tparams.push(TParam::Size(n));
        }
        self.check_size_params(&f.tparams, &ty, f.name, span);
        let scheme = Scheme { tparams: tparams.clone(), overloads: vec![], ty };
        self.level += 1;
        self.levels.insert(f.name, self.level);
        self.vars.insert(f.name, Arc::new(scheme));
        self.level += 1;
        let body = self.exp(body);
        self.level = level;
        let hidden = Hidden::Deeper { level, depth: self.depth };
        let (ty, ext) = self.leave(&body.ty.clone(), &hidden, span, "going out of scope");
        let fun = LocalFun { name: f.name, tparams, params, ret, body: fbody };
        scoped(node(ExpKind::LetFun(Box::new(fun), body), ty.clone(), span), ty, ext)
    }

    pub(crate) fn bind_tparams(&mut self, tparams: &[TParam]) {
        for p in tparams {
            self.levels.insert(p.name(), self.level);
            if let TParam::Size(n) = p {
                self.vars.insert(*n, Arc::new(Scheme::mono(Type::scalar(ScalarType::I64))));
            }
        }
    }

    /// Types whose structure was not asked for become type parameters of the function: each use may
    /// give them sizes of its own, also such as the function's type binds.
    ///
    /// ```text
    /// let sum _ _ = () in sum : (k: i64) -> [k]i32 -> ()
    /// ```
    fn generalise(&mut self, t: &Type, level: u32, tparams: &mut Vec<TParam>) -> Type {
        let t = self.zonk(t);
        let mut metas = vec![];
        collect_metas(&t, &mut metas);
        for m in metas {
            let root = self.root(m) as usize;
            let Slot::Free { shape, lifted, level: own, span, .. } = self.slots[root].clone() else {
                continue;
            };
            if own > level {
                let n = self.ctx.bind(Symbol::new("t"), span);
                self.levels.insert(n, level + 1);
                self.implicit.insert(n, shape);
                self.slots[root] = Slot::Is(RetType::simple(Type::Var(Uniq::Nonunique, n, Arc::new(vec![]))));
                tparams.push(TParam::Type(lifted, n));
            }
        }
        self.settle(&t)
    }

    /// The flexible sizes in a function type that belong to the function, in order.
    fn own_flexes(&mut self, t: &Type, level: u32) -> Vec<Name> {
        let mut out = vec![];
        let mut names = vec![];
        size_names(t, &mut names);
        for n in names {
            if let Some(Flex::Free { level: l, .. }) = self.flexes.get(&n) {
                if *l > level && !out.contains(&n) {
                    out.push(n);
                }
            }
        }
        out
    }

    /// That every size parameter can be found out by callers.
    fn check_size_params(&mut self, tparams: &[TParam], t: &Type, f: Name, span: Span) {
        let used = mentioned_type(t);
        for p in tparams {
            let TParam::Size(n) = *p else { continue };
            if !used.contains(&n) {
                let base = self.ctx.show().name(n);
                let fun = self.ctx.show().name(f);
                let at = self.ctx.def_spans.get(&n).copied().unwrap_or(span);
                self.ctx.report(
                    Diagnostic::error(
                        at,
                        format!("Size parameter [{base}] unused in the type of \"{fun}\"."),
                    )
                    .label(format!("Size [{base}] unused"))
                    .note(see(Named::UnusedSize))
                    .help("use it as the size of a parameter, or make it an ordinary parameter"),
                );
            }
        }
    }

    /// A whole declaration.
    pub(crate) fn top(&mut self, f: &pre::Fun, type_params: &[TParam], recursive: bool, span: Span) -> Top {
        self.level = 1;
        self.bind_tparams(&f.tparams);
        let own = recursive.then_some((f.name, f.tparams.as_slice()));
        let (params, (body, result), _) = self.inside(&f.params, f.ret.as_ref(), &f.body, own);
        self.level = 0;
        let (ret, ty) = self.close(&f.tparams, &params, &result);
        let mut tparams = f.tparams.clone();
        tparams.extend(type_params);
        // Constants with function bodies also have parameters.
        let ty = self.settle(&ty);
        let mut names = vec![];
        size_names(&ty, &mut names);
        for n in names {
            if self.is_free_flex(n) && !tparams.contains(&TParam::Size(n)) {
                self.flexes.remove(&n);
                tparams.push(TParam::Size(n));
            }
        }
        self.check_size_params(&f.tparams, &ty, f.name, span);
        self.check_params_visible(&params, f.name);
        self.check_unknown_params(&ty, f.name, span);
        self.check_constant(&tparams, &params, &ret, f.name, span);
        let (params, body) = self.finish(params, body);
        let ret = self.zonk_ret(&ret);
        let ret = RetType { dims: ret.dims, ty: self.settle(&ret.ty) };
        Top { tparams, params, ret, body, ty }
    }

    fn check_constant(&mut self, tparams: &[TParam], params: &[Pat], ret: &RetType, name: Name, span: Span) {
        let sized = tparams.iter().any(|p| matches!(p, TParam::Size(_)));
        if params.is_empty() && sized && !ret.dims.is_empty() {
            let base = self.ctx.show().name(name);
            self.ctx.report(Diagnostic::error(
                span,
                format!("A size-polymorphic value binding may not have a type with an existential size, but \"{base}\" has."),
            ));
        }
    }

    /// Sizes of parameters must mean something to callers: a part of another parameter does not.
    fn check_params_visible(&mut self, params: &[Pat], f: Name) {
        let mut hidden: FxHashSet<Name> = FxHashSet::default();
        for p in params {
            let t = self.zonk(&p.ty);
            let mut names: Vec<Name> =
                mentioned_type(&t).into_iter().filter(|n| hidden.contains(n)).collect();
            names.sort();
            if let Some(n) = names.first() {
                let (x, fun) = (self.ctx.show().name(*n), self.ctx.show().name(f));
                let shown = self.ctx.show().pat(p);
                self.ctx.report(
                    Diagnostic::error(
                        p.span,
                        format!("Parameter \"{shown}\" of \"{fun}\" refers to size \"{x}\", which will not be accessible to the caller."),
                    )
                    .note(see(Named::InaccessibleSize))
                    .help(format!("make \"{x}\" a parameter of its own")),
                );
            }
            if param_name(p).is_none() {
                bound_names(p, &mut hidden);
            }
        }
    }

    /// No caller can have an array of a size that only the function knows.
    fn check_unknown_params(&mut self, ty: &Type, f: Name, span: Span) {
        let mut names: Vec<Name> =
            mentioned_type(ty).into_iter().filter(|n| self.unknowns.contains_key(n)).collect();
        names.sort();
        let Some(n) = names.first() else { return };
        let (base, fun) = (self.ctx.show().name(*n), self.ctx.show().name(f));
        let shown = self.ctx.show().ty(ty);
        let why = self.unknowns.get(n).map(|u| u.why.clone()).unwrap_or_default();
        self.ctx.report(
            Diagnostic::error(
                span,
                format!(
                    "Cannot generalise type of \"{fun}\".\nUnknown size \"{base}\" in parameter of \"{fun}\", \
                     which is inferred as:\n  {shown}"
                ),
            )
            .note(format!("\"{base}\" is {why}"))
            .note(see(Named::UnknownParamDef)),
        );
    }
}

/// A function type from parameters and result.
fn arrows(params: &[Pat], ret: RetType) -> Type {
    let mut ret = ret;
    for p in params.iter().rev() {
        let param = param_name(p);
        ret = RetType::simple(Type::Arrow(Parts::new(Arrow { param, lhs: p.ty.clone(), ret })));
    }
    ret.ty
}

/// The name of a parameter that is just a name.
pub(crate) fn param_name(p: &Pat) -> Option<Name> {
    match &p.kind {
        PatKind::Var(n) => Some(*n),
        PatKind::Attr(_, p) => param_name(p),
        PatKind::Wildcard | PatKind::Record(_) | PatKind::Literal(_) | PatKind::Constr(..) => None,
    }
}

/// All names that a pattern binds.
pub(crate) fn bound_names(p: &Pat, out: &mut FxHashSet<Name>) {
    match &p.kind {
        PatKind::Var(n) => {
            out.insert(*n);
        }
        PatKind::Wildcard | PatKind::Literal(_) => {}
        PatKind::Record(fs) => fs.iter().for_each(|(_, p)| bound_names(p, out)),
        PatKind::Constr(_, ps) => ps.iter().for_each(|p| bound_names(p, out)),
        PatKind::Attr(_, p) => bound_names(p, out),
    }
}

/// The names that stand as sizes or in sizes, in the order of the text.
fn size_names(t: &Type, out: &mut Vec<Name>) {
    let size = |s: &Size, out: &mut Vec<Name>| {
        let mut names: Vec<Name> = super::tables::mentioned_size(s).into_iter().collect();
        names.sort();
        out.extend(names);
    };
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
        Type::Array(_, s, e) => {
            size(s, out);
            size_names(e, out);
        }
        Type::Record(fs) => fs.iter().for_each(|(_, t)| size_names(t, out)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| size_names(t, out)),
        Type::Arrow(a) => {
            size_names(&a.lhs, out);
            size_names(&a.ret.ty, out);
        }
        Type::Var(_, _, args) => {
            for a in args.iter() {
                match a {
                    TypeArg::Size(s) => size(s, out),
                    TypeArg::Type(t) => size_names(t, out),
                }
            }
        }
    }
}
