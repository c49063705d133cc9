//! The second layer: loops.
//!
//! Each size of what a loop carries is looked at by itself. At first it is a
//! flexible size. After the body it is *invariant*, if the body gives back the
//! same size or the initial one, and then it is the initial size; or *variant*,
//! and then it is bound anew in each iteration, and unknown after the loop.

use super::equal::same_size;
use super::exp::{node, scoped};
use super::hide::Hidden;
use super::tables::{mentioned_size, mentioned_type, Flex, Origin};
use super::Sizer;
use crate::context::see;
use crate::subst::{make_nonunique, Subst};
use crate::tast::{Exp, ExpKind, Loop, LoopForm, Pat};
use crate::terms::pre;
use crate::types::{Scheme, Size, Type, TypeArg};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span};
use std::sync::Arc;

impl Sizer<'_> {
    /// A loop.
    pub(crate) fn loop_exp(&mut self, l: &pre::Loop, span: Span) -> Exp {
        let init = self.exp(&l.init);
        let bound = match &l.form {
            pre::LoopForm::For(_, e) | pre::LoopForm::ForIn(_, e) => Some(self.exp(e)),
            pre::LoopForm::While(_) => None,
        };
        let init_type = make_nonunique(&self.settle(&init.ty));
        let level = self.level;
        let first_flex = self.flex_order.len();
        for n in &l.sizes {
            self.levels.insert(*n, level);
            self.vars.insert(*n, Arc::new(Scheme::mono(Type::Scalar(ScalarType::I64))));
        }
        // Every size by itself.
        let mut places: Vec<(Name, Size)> = vec![];
        let carried = self.fresh_sizes(&init_type, &mut places, span);
        self.level += 1;
        let pat = self.pat(&l.pat, &carried, "Initial loop values do not have expected type.");
        let form = match (&l.form, bound) {
            (pre::LoopForm::For(i, _), Some(e)) => {
                self.bind_var(*i, e.ty.clone());
                let scalar = if let Type::Scalar(s) = &e.ty { *s } else { ScalarType::I64 };
                LoopForm::For(*i, scalar, e)
            }
            (pre::LoopForm::ForIn(p, _), Some(e)) => {
                let elem =
                    if let Type::Array(_, _, t) = self.head(&e.ty) { (*t).clone() } else { Type::Error };
                LoopForm::ForIn(self.pat(p, &elem, "Pattern cannot match array element."), e)
            }
            (pre::LoopForm::While(e), _) => {
                self.level += 1;
                self.depth += 1;
                let e = self.exp(e);
                self.depth -= 1;
                LoopForm::While(e)
            }
            (pre::LoopForm::For(..) | pre::LoopForm::ForIn(..), None) => {
                return node(ExpKind::Hole, Type::Error, span)
            }
        };
        self.level += 1;
        self.depth += 1;
        let body = self.exp(&l.body);
        self.depth -= 1;
        self.level = level;
        let body_type = self.settle(&body.ty);
        let sizes = self.settle_loop(&l.sizes, &places, &body_type, &body, first_flex, span);
        self.match_body(&pat, &sizes, &init_type, &body_type, &body, &init);
        let (ty, ext) = self.loop_type(&pat, &sizes, span);
        let hidden = Hidden::Deeper { level, depth: self.depth };
        let (ty, more) = self.leave(&ty, &hidden, span, "going out of scope");
        let l = Loop { sizes, pat, init, form, body };
        let e = scoped(node(ExpKind::Loop(Box::new(l)), ty.clone(), span), ty, ext);
        let ty = e.ty.clone();
        scoped(e, ty, more)
    }

    /// The type with each size outside of functions replaced by a flexible one.
    fn fresh_sizes(&mut self, t: &Type, places: &mut Vec<(Name, Size)>, span: Span) -> Type {
        let place = |me: &mut Self, s: &Size, places: &mut Vec<(Name, Size)>| {
            let n = me.flex("loop", Origin::Loop, span);
            places.push((n, me.size(s)));
            Size::Var(n)
        };
        match t {
            Type::Scalar(_) | Type::Meta(_) | Type::Error | Type::Arrow(_) => t.clone(),
            Type::Array(u, s, e) => {
                let s = place(self, s, places);
                Type::Array(*u, s, Arc::new(self.fresh_sizes(e, places, span)))
            }
            Type::Record(fs) => Type::Record(Arc::new(
                fs.iter().map(|(f, t)| (*f, self.fresh_sizes(t, places, span))).collect(),
            )),
            Type::Sum(cs) => Type::Sum(Arc::new(
                cs.iter()
                    .map(|(c, ts)| (*c, ts.iter().map(|t| self.fresh_sizes(t, places, span)).collect()))
                    .collect(),
            )),
            Type::Var(u, n, args) => {
                let args = args
                    .iter()
                    .map(|a| match a {
                        TypeArg::Size(s) => TypeArg::Size(place(self, s, places)),
                        TypeArg::Type(t) => TypeArg::Type(self.fresh_sizes(t, places, span)),
                    })
                    .collect();
                Type::Var(*u, *n, Arc::new(args))
            }
        }
    }

    /// Decides which sizes vary, and returns their names.
    fn settle_loop(
        &mut self,
        written: &[Name],
        places: &[(Name, Size)],
        body_type: &Type,
        body: &Exp,
        first_flex: usize,
        span: Span,
    ) -> Vec<Name> {
        let mut given = vec![];
        sizes_of(body_type, &mut given);
        // Sizes that the body or the pattern has fixed say what the initial ones are.
        for (n, first) in places {
            let s = self.size(&Size::Var(*n));
            if !matches!(&s, Size::Var(root) if places.iter().any(|(p, _)| p == root)) {
                let _ = self.unify_sizes(&s, first, &[]);
            }
        }
        self.settle_initial(places, &given);
        let mut variant: Vec<Name> = written.to_vec();
        let mut roots: Vec<(Name, Vec<usize>)> = vec![];
        for (i, (n, _)) in places.iter().enumerate() {
            if let Size::Var(root) = self.size(&Size::Var(*n)) {
                if self.is_free_flex(root) && places.iter().any(|(p, _)| *p == root) {
                    match roots.iter_mut().find(|(r, _)| *r == root) {
                        Some((_, at)) => at.push(i),
                        None => roots.push((root, vec![i])),
                    }
                }
            }
        }
        // A size varies if the body gives back another one than it was given and than the first.
        for (root, at) in &roots {
            let varies = at.iter().any(|i| match given.get(*i) {
                Some(g) => {
                    let g = self.size(g);
                    let first = self.size(&places[*i].1);
                    !same_size(&g, &Size::Var(*root)) && !same_size(&g, &first)
                }
                None => false,
            });
            if varies {
                self.flexes.remove(root);
                self.levels.insert(*root, self.level + 1);
                variant.push(*root);
                self.check_escape(*root, first_flex, span);
            } else if let Some(i) = at.first() {
                let first = places[*i].1.clone();
                let _ = self.unify_sizes(&Size::Var(*root), &first, &[]);
            }
        }
        for (n, _) in places {
            let s = self.size(&Size::Var(*n));
            let inner = mentioned_size(&s)
                .into_iter()
                .find(|n| self.unknowns.get(n).is_some_and(|u| u.depth > self.depth));
            if let Some(k) = inner {
                let base = self.ctx.names.base(k);
                let why = self.unknowns.get(&k).map(|u| (u.span, u.why.clone()));
                let mut d = Diagnostic::error(
                    body.span,
                    format!("Loop body does not have expected type.\nThe size \"{base}\" of a loop parameter is computed inside the loop body."),
                );
                if let Some((at, why)) = why {
                    d = d.related(at, format!("\"{base}\" is {why}"));
                }
                self.ctx.report(d);
                self.flexes.insert(*n, Flex::Is(Size::Any));
            }
        }
        variant
    }

    /// An initial size that nobody has said anything about, as that of a parameter without a type, is what
    /// the body gives back, if that can be known where the loop starts. Otherwise it varies.
    ///
    /// ```text
    /// map (\a -> loop a = a for i < k do iota n) as     -- a : [n]i64
    /// ```
    fn settle_initial(&mut self, places: &[(Name, Size)], given: &[Size]) {
        for ((place, first), g) in places.iter().zip(given) {
            let (Size::Var(root), Size::Var(f)) = (self.size(&Size::Var(*place)), self.size(first)) else {
                continue;
            };
            let open = match self.flexes.get(&f) {
                Some(Flex::Free { origin, .. }) => !origin.is_written(),
                Some(Flex::Is(_)) | None => false,
            };
            let g = self.size(g);
            let names = mentioned_size(&g);
            let inner = |n: &Name| {
                let made = self.unknowns.get(n).is_some_and(|u| u.depth > self.depth);
                made || *n == f || *n == root || places.iter().any(|(p, _)| p == n)
            };
            if open && !names.iter().any(inner) {
                // A size that is bound inside cannot be it.
                let _ = self.unify_sizes(&Size::Var(f), &g, &[]);
            }
        }
    }

    /// A size that varies may not have become part of a type from outside of the loop.
    fn check_escape(&mut self, root: Name, first_flex: usize, span: Span) {
        let outside: Vec<Name> = self.flex_order[..first_flex].to_vec();
        for n in outside {
            let s = self.size(&Size::Var(n));
            if mentioned_size(&s).contains(&root) {
                self.ctx.report(
                    Diagnostic::error(span, "Loop-variant size has escaped.")
                        .label("a size that differs between iterations became part of a type outside of the loop")
                        .note(see("loop-variant-escape"))
                        .help("annotate the sizes of the arrays that the loop uses"),
                );
                self.flexes.insert(n, Flex::Is(Size::Any));
                return;
            }
        }
    }

    /// The initial values and the body's result must have the parameters' type,
    /// where varying sizes may be anything.
    fn match_body(
        &mut self,
        pat: &Pat,
        sizes: &[Name],
        init_type: &Type,
        body_type: &Type,
        body: &Exp,
        init: &Exp,
    ) {
        let t = self.zonk(&pat.ty);
        let open = |me: &mut Self| {
            let mut subst = Subst::default();
            for n in sizes {
                let base = me.ctx.names.base(*n);
                let f = me.flex(base.as_str(), Origin::Loop, body.span);
                me.private.insert(f);
                subst.rename_value(*n, f);
            }
            subst.ty(&mut me.ctx.names, &mut vec![], &t)
        };
        let expected = open(self);
        if let Err(m) = self.unify(&expected, init_type) {
            let d = self.size_error(
                init.span,
                "Initial loop values do not have expected type.",
                &expected,
                init_type,
                &m,
            );
            self.ctx.report(d.related(pat.span, "the loop parameters"));
            return;
        }
        let expected = open(self);
        if let Err(m) = self.unify(&expected, body_type) {
            let d = self.size_error(
                body.span,
                "Loop body does not have expected type.",
                &expected,
                body_type,
                &m,
            );
            self.ctx.report(d.related(pat.span, "the loop parameters"));
        }
    }

    /// The type of the whole loop, and its unknown sizes.
    fn loop_type(&mut self, pat: &Pat, sizes: &[Name], span: Span) -> (Type, Vec<Name>) {
        let t = make_nonunique(&self.zonk(&pat.ty));
        let mentioned = mentioned_type(&t);
        let mut subst = Subst::default();
        let mut ext = vec![];
        for n in sizes {
            if mentioned.contains(n) {
                let base = self.ctx.names.base(*n);
                let u = self.unknown(base.as_str(), span, "an unknown size of a loop's result".into());
                subst.rename_value(*n, u);
                ext.push(u);
            }
        }
        (subst.ty(&mut self.ctx.names, &mut vec![], &t), ext)
    }
}

/// The sizes outside of functions, in order.
fn sizes_of(t: &Type, out: &mut Vec<Size>) {
    match t {
        Type::Scalar(_) | Type::Meta(_) | Type::Error | Type::Arrow(_) => {}
        Type::Array(_, s, e) => {
            out.push(s.clone());
            sizes_of(e, out);
        }
        Type::Record(fs) => fs.iter().for_each(|(_, t)| sizes_of(t, out)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| sizes_of(t, out)),
        Type::Var(_, _, args) => {
            for a in args.iter() {
                match a {
                    TypeArg::Size(s) => out.push(s.clone()),
                    TypeArg::Type(t) => sizes_of(t, out),
                }
            }
        }
    }
}
