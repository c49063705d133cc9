//! Functions: top-level ones, local ones and lambdas. Their parameters, what
//! they hold on to, and what they may return.

use super::alias::{leaf_uniq, overlay_arrow, with_uniq, AliasSet, Tree};
use super::apply::misfit_in;
use super::errors;
use super::state::{Frame, Owner, State, What};
use crate::tast::{Exp, Lambda, LocalFun, Pat, PatKind, ValBind};
use crate::types::{Arrow, Parts, RetType, Size, Type, Uniq};
use crate::visit;
use fehu_base::{Name, Span};

impl State<'_> {
    /// Walks a declaration; gives its result type with inferred uniqueness.
    pub(super) fn val_bind(&mut self, bind: &mut ValBind) {
        let declared = self.ctx.declared.contains(&bind.name);
        if bind.params.is_empty() {
            return self.constant(bind, declared);
        }
        let (ret, _) = self.deeper(|st| {
            bind.params.iter().for_each(|p| st.param(p));
            let tree = st.exp(&mut bind.body);
            st.check_result(&bind.ret.ty, &tree, bind.body.span, declared);
            st.infer_result(&bind.ret.ty, &tree)
        });
        if !declared {
            bind.ret.ty = ret;
        }
    }

    fn constant(&mut self, bind: &mut ValBind, declared: bool) {
        let tree = self.exp(&mut bind.body);
        if declared {
            if is_starred(&bind.ret.ty) {
                let d = errors::unique_constant(bind.span);
                self.ctx.report(d);
            }
            self.check_result_functions(&bind.ret.ty, &tree, bind.body.span);
        } else {
            // A constant has no owner.
            let ty = with_uniq(&bind.ret.ty, &mut || Uniq::Nonunique);
            bind.ret.ty = refine_functions(&ty, &tree);
        }
    }

    /// `\params -> body`.
    pub(super) fn lambda(&mut self, lambda: &mut Lambda) -> Tree {
        self.closure(&lambda.params, &mut lambda.ret, &mut lambda.body, true)
    }

    /// `let f params = body`.
    pub(super) fn local_fun(&mut self, fun: &mut LocalFun) -> Tree {
        let declared = self.ctx.declared.contains(&fun.name);
        self.closure(&fun.params, &mut fun.ret, &mut fun.body, declared)
    }

    fn closure(&mut self, params: &[Pat], ret: &mut RetType, body: &mut Exp, declared: bool) -> Tree {
        let mark = self.log_mark();
        let (ret_ty, frame) = self.deeper(|st| {
            params.iter().for_each(|p| st.param(p));
            let tree = st.exp(body);
            st.check_result(&ret.ty, &tree, body.span, declared);
            st.infer_result(&ret.ty, &tree)
        });
        // Nothing has run yet.
        self.rewind(mark);
        ret.ty = ret_ty;
        match fun_type(params, ret.clone()) {
            Type::Arrow(arrow) => Tree::Fun(captured(&frame), arrow),
            other @ (Type::Scalar(..)
            | Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error) => Tree::of_type(&other, &mut |_| captured(&frame)),
        }
    }

    /// Binds a parameter. Its unique parts are ours, the others the caller's.
    fn param(&mut self, pat: &Pat) {
        self.sizes_in(&pat.ty);
        self.param_pat(pat);
    }

    fn param_pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Var(name) => self.param_var(*name, pat),
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Record(fields) => fields.iter().for_each(|(_, p)| self.param_pat(p)),
            PatKind::Constr(_, args) => args.iter().for_each(|p| self.param_pat(p)),
            PatKind::Attr(_, p) => self.param_pat(p),
        }
    }

    fn param_var(&mut self, name: Name, pat: &Pat) {
        let what = What::Variable(self.ctx.names.base(name));
        let (mut unique, mut all) = (0, 0);
        let shape = Tree::of_type(&pat.ty, &mut |t| {
            all += 1;
            unique += u32::from(leaf_uniq(t) == Uniq::Unique);
            AliasSet::one(name)
        });
        if all == 0 {
            return self.bind_as_is(name, Tree::Nothing);
        }
        if unique == all && all > 1 {
            // The caller promises that the parts share nothing.
            let parts = shape.map(&mut |_| self.fresh(what, Owner::Us, pat.span));
            return self.bind_as_is(name, parts);
        }
        let owner = if unique > 0 { Owner::Us } else { Owner::Caller };
        self.make(name, what, owner, pat.span);
        self.bind_as_is(name, shape);
    }

    /// Size expressions may look at things, not consume them.
    fn sizes_in(&mut self, ty: &Type) {
        visit::sizes(ty, &mut |size| match size {
            Size::Exp(e) => drop(self.deeper(|st| st.exp(&mut (**e).clone()))),
            Size::Const(_) | Size::Var(_) | Size::Any => {}
        });
    }

    /// A result must not share memory with a global, and its unique parts must
    /// share nothing that is not ours, nor anything with other parts.
    fn check_result(&mut self, ty: &Type, tree: &Tree, span: Span, declared: bool) {
        if let Some(n) = tree.all().iter().find(|n| self.identity(*n).owner == Owner::Program) {
            let d = errors::aliases_free_variable(self, span, n);
            self.report_once(n, d);
            return;
        }
        if !declared {
            return;
        }
        let leaves = tree.leaves();
        let mut uniqs = vec![];
        Tree::of_type(ty, &mut |t| {
            uniqs.push(leaf_uniq(t));
            AliasSet::default()
        });
        for (i, _) in uniqs.iter().enumerate().filter(|(_, u)| **u == Uniq::Unique) {
            let Some(leaf) = leaves.get(i) else { continue };
            if let Some(n) = leaf.iter().find(|n| !self.consumable(*n)) {
                let d = errors::return_aliased(self, span, n);
                self.report_once(n, d);
            } else if let Some(n) =
                leaves.iter().enumerate().filter(|(j, _)| *j != i).find_map(|(_, l)| leaf.common(l))
            {
                let d = errors::unique_return_aliased(span);
                self.report_once(n, d);
            }
        }
        self.check_result_functions(ty, tree, span);
    }

    fn check_result_functions(&mut self, ty: &Type, tree: &Tree, span: Span) {
        if let Some((_, want, got)) = misfit_in(ty, tree) {
            let d = errors::function_mismatch(self, span, &Type::Arrow(want), &Type::Arrow(got));
            self.ctx.report(d);
        }
    }

    /// The result type with those parts unique that are ours and share nothing
    /// with other parts.
    fn infer_result(&self, ty: &Type, tree: &Tree) -> Type {
        let leaves = tree.leaves();
        let mut i = 0;
        let ty = with_uniq(ty, &mut || {
            let at = i;
            i += 1;
            let Some(leaf) = leaves.get(at) else { return Uniq::Unique };
            let ours = leaf.iter().all(|n| self.consumable(n));
            let alone = leaves.iter().enumerate().all(|(j, l)| j == at || leaf.common(l).is_none());
            if ours && alone {
                Uniq::Unique
            } else {
                Uniq::Nonunique
            }
        });
        refine_functions(&ty, tree)
    }
}

/// Whether a `*` stands in the type as written; one that came in through a type
/// parameter does no harm.
fn is_starred(ty: &Type) -> bool {
    match ty {
        Type::Array(u, ..) | Type::Var(u, ..) => *u == Uniq::Unique,
        Type::Record(fs) => fs.iter().any(|(_, t)| is_starred(t)),
        Type::Scalar(..) | Type::Sum(_) | Type::Arrow(_) | Type::Meta(_) | Type::Error => false,
    }
}

/// The type with the functions in it consuming what the tree knows that they consume.
fn refine_functions(ty: &Type, tree: &Tree) -> Type {
    match (ty, tree) {
        (Type::Arrow(own), Tree::Fun(_, arrow)) => Type::Arrow(overlay_arrow(arrow, own)),
        (Type::Record(fs), Tree::Record(ts)) if fs.len() == ts.len() => Type::Record(fs.with(
            fs.iter().zip(ts.iter()).map(|((f, t), (_, tree))| (*f, refine_functions(t, tree))).collect(),
        )),
        (_, Tree::Nothing | Tree::Leaf(_) | Tree::Fun(..) | Tree::Record(_) | Tree::Sum(_)) => ty.clone(),
    }
}

/// What a closure that used these variables holds on to.
fn captured(frame: &Frame) -> AliasSet {
    frame.values().fold(AliasSet::default(), |all, (_, set)| all.union(set))
}

/// The type of a function with these parameters and this result.
fn fun_type(params: &[Pat], ret: RetType) -> Type {
    let mut ret = ret;
    for p in params.iter().rev() {
        let param = match p.kind {
            PatKind::Var(n) => Some(n),
            PatKind::Wildcard
            | PatKind::Record(_)
            | PatKind::Literal(_)
            | PatKind::Constr(..)
            | PatKind::Attr(..) => None,
        };
        ret = RetType::simple(Type::Arrow(Parts::new(Arrow { param, lhs: p.ty.clone(), ret })));
    }
    ret.ty
}
