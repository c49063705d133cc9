//! The second layer: loops.
//!
//! Each size of what a loop carries is looked at by itself. At first it is a
//! flexible size. After the body it is *invariant*, if the body gives back the
//! same size or the initial one, and then it is the initial size; or *variant*,
//! and then it is bound anew in each iteration, and unknown after the loop.

use super::equal::same_size;
use super::exp::{node, scoped};
use super::hide::Hidden;
use super::pat;
use super::tables::{mentioned_size, mentioned_type, Flex, Origin};
use super::Sizer;
use crate::context::see;
use crate::named::Named;
use crate::subst::{make_nonunique, Subst};
use crate::tast::{Exp, ExpKind, Loop, LoopForm, Pat};
use crate::terms::pre;
use crate::types::{Scheme, Size, Type, TypeArg};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span};
use std::sync::Arc;

/// A loop.
pub(crate) fn loop_exp(sizer: &mut Sizer<'_>, l: &pre::Loop, span: Span) -> Exp {
    let init = sizer.exp(&l.init);
    let bound = match &l.form {
        pre::LoopForm::For(_, e) | pre::LoopForm::ForIn(_, e) => Some(sizer.exp(e)),
        pre::LoopForm::While(_) => None,
    };
    let init_type = make_nonunique(&sizer.settle(&init.ty));
    let level = sizer.level;
    let first_flex = sizer.flex_order.len();
    for n in &l.sizes {
        sizer.levels.insert(*n, level);
        sizer.vars.insert(*n, Arc::new(Scheme::mono(Type::scalar(ScalarType::I64))));
    }
    // Every size by itself.
    let mut places: Vec<(Name, Size)> = vec![];
    let carried = fresh_sizes(sizer, &init_type, &mut places, span);
    sizer.level += 1;
    let pat = pat::checked(sizer, &l.pat, &carried, "Initial loop values do not have expected type.");
    let form = match (&l.form, bound) {
        (pre::LoopForm::For(i, _), Some(e)) => {
            pat::bind_var(sizer, *i, e.ty.clone());
            let scalar = if let Type::Scalar(s, _) = &e.ty { *s } else { ScalarType::I64 };
            LoopForm::For(*i, scalar, e)
        }
        (pre::LoopForm::ForIn(p, _), Some(e)) => {
            let elem = if let Type::Array(_, _, t) = sizer.head(&e.ty) { (*t).clone() } else { Type::Error };
            LoopForm::ForIn(pat::checked(sizer, p, &elem, "Pattern cannot match array element."), e)
        }
        (pre::LoopForm::While(e), _) => {
            sizer.level += 1;
            sizer.depth += 1;
            let e = sizer.exp(e);
            sizer.depth -= 1;
            LoopForm::While(e)
        }
        (pre::LoopForm::For(..) | pre::LoopForm::ForIn(..), None) => {
            return node(ExpKind::Hole, Type::Error, span)
        }
    };
    sizer.level += 1;
    sizer.depth += 1;
    let body = sizer.exp(&l.body);
    sizer.depth -= 1;
    sizer.level = level;
    let body_type = sizer.settle(&body.ty);
    let sizes = settle_loop(sizer, &l.sizes, &places, &body_type, &body, first_flex, span);
    match_body(sizer, &pat, &sizes, &init_type, &body_type, &body, &init);
    let (ty, ext) = loop_type(sizer, &pat, &sizes, span);
    let hidden = Hidden::Deeper { level, depth: sizer.depth };
    let (ty, more) = sizer.leave(&ty, &hidden, span, "going out of scope");
    let l = Loop { sizes, pat, init, form, body };
    let e = scoped(node(ExpKind::Loop(Box::new(l)), ty.clone(), span), ty, ext);
    let ty = e.ty.clone();
    scoped(e, ty, more)
}

/// The type with each size outside of functions replaced by a flexible one.
fn fresh_sizes(sizer: &mut Sizer<'_>, t: &Type, places: &mut Vec<(Name, Size)>, span: Span) -> Type {
    let place = |me: &mut Sizer<'_>, s: &Size, places: &mut Vec<(Name, Size)>| {
        let n = me.flex("d", Origin::Loop, span);
        places.push((n, me.size(s)));
        Size::Var(n)
    };
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error | Type::Arrow(_) => t.clone(),
        Type::Array(u, s, e) => {
            let s = place(sizer, s, places);
            Type::Array(*u, s, e.with(fresh_sizes(sizer, e, places, span)))
        }
        Type::Record(fs) => {
            Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, fresh_sizes(sizer, t, places, span))).collect()))
        }
        Type::Sum(cs) => Type::Sum(
            cs.with(
                cs.iter()
                    .map(|(c, ts)| (*c, ts.iter().map(|t| fresh_sizes(sizer, t, places, span)).collect()))
                    .collect(),
            ),
        ),
        Type::Var(u, n, args) => {
            let args = args
                .iter()
                .map(|a| match a {
                    TypeArg::Size(s) => TypeArg::Size(place(sizer, s, places)),
                    TypeArg::Type(t) => TypeArg::Type(fresh_sizes(sizer, t, places, span)),
                })
                .collect();
            Type::Var(*u, *n, Arc::new(args))
        }
    }
}

/// Decides which sizes vary, and returns their names.
fn settle_loop(
    sizer: &mut Sizer<'_>,
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
        let s = sizer.size(&Size::Var(*n));
        if !matches!(&s, Size::Var(root) if places.iter().any(|(p, _)| p == root)) {
            let _ = sizer.unify_sizes(&s, first, &[]);
        }
    }
    settle_initial(sizer, places, &given);
    let mut variant: Vec<Name> = written.to_vec();
    let mut roots: Vec<(Name, Vec<usize>)> = vec![];
    for (i, (n, _)) in places.iter().enumerate() {
        if let Size::Var(root) = sizer.size(&Size::Var(*n)) {
            if sizer.is_free_flex(root) && places.iter().any(|(p, _)| *p == root) {
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
                let g = sizer.size(g);
                let first = sizer.size(&places[*i].1);
                let known = &sizer.ctx.synonyms;
                !same_size(known, &g, &Size::Var(*root)) && !same_size(known, &g, &first)
            }
            None => false,
        });
        if varies {
            sizer.flexes.remove(root);
            sizer.levels.insert(*root, sizer.level + 1);
            variant.push(*root);
            check_escape(sizer, *root, first_flex, span);
        } else if let Some(i) = at.first() {
            let first = places[*i].1.clone();
            let _ = sizer.unify_sizes(&Size::Var(*root), &first, &[]);
        }
    }
    for (n, _) in places {
        let s = sizer.size(&Size::Var(*n));
        let inner = mentioned_size(&s)
            .into_iter()
            .find(|n| sizer.unknowns.get(n).is_some_and(|u| u.depth > sizer.depth));
        if let Some(k) = inner {
            let base = sizer.ctx.show().name(k);
            let why = sizer.unknowns.get(&k).map(|u| (u.span, u.why.clone()));
            let mut d = Diagnostic::error(
                body.span,
                format!("Loop body does not have expected type.\nThe size \"{base}\" of a loop parameter is computed inside the loop body."),
            );
            if let Some((at, why)) = why {
                d = d.related(at, format!("\"{base}\" is {why}"));
            }
            sizer.ctx.report(d);
            sizer.flexes.insert(*n, Flex::Is(Size::Any));
        }
    }
    variant
}

/// An initial size about which nothing is known, as that of a parameter without a type, is what
/// the body gives back, if that can be known where the loop starts. Otherwise it varies.
///
/// ```text
/// map (\a -> loop a = a for i < k do iota n) as     -- a : [n]i64
/// ```
fn settle_initial(sizer: &mut Sizer<'_>, places: &[(Name, Size)], given: &[Size]) {
    for ((place, first), g) in places.iter().zip(given) {
        let (Size::Var(root), Size::Var(f)) = (sizer.size(&Size::Var(*place)), sizer.size(first)) else {
            continue;
        };
        let open = match sizer.flexes.get(&f) {
            Some(Flex::Free { origin, .. }) => !origin.is_written(),
            Some(Flex::Is(_)) | None => false,
        };
        let g = sizer.size(g);
        let names = mentioned_size(&g);
        let inner = |n: &Name| {
            let made = sizer.unknowns.get(n).is_some_and(|u| u.depth > sizer.depth);
            made || *n == f || *n == root || places.iter().any(|(p, _)| p == n)
        };
        if open && !names.iter().any(inner) {
            // A size that is bound inside cannot be it.
            let _ = sizer.unify_sizes(&Size::Var(f), &g, &[]);
        }
    }
}

/// A size that varies may not have become part of a type from outside of the loop.
fn check_escape(sizer: &mut Sizer<'_>, root: Name, first_flex: usize, span: Span) {
    let outside: Vec<Name> = sizer.flex_order[..first_flex].to_vec();
    for n in outside {
        let s = sizer.size(&Size::Var(n));
        if mentioned_size(&s).contains(&root) {
            sizer.ctx.report(
                Diagnostic::error(span, "Loop-variant size has escaped.")
                    .label("a size that differs between iterations became part of a type outside of the loop")
                    .note(see(Named::LoopVariantEscape))
                    .help("annotate the sizes of the arrays that the loop uses"),
            );
            sizer.flexes.insert(n, Flex::Is(Size::Any));
            return;
        }
    }
}

/// The initial values and the body's result must have the parameters' type,
/// where varying sizes may be anything.
fn match_body(
    sizer: &mut Sizer<'_>,
    pat: &Pat,
    sizes: &[Name],
    init_type: &Type,
    body_type: &Type,
    body: &Exp,
    init: &Exp,
) {
    let t = sizer.zonk(&pat.ty);
    let open = |me: &mut Sizer<'_>| {
        let mut subst = Subst::default();
        for n in sizes {
            let base = me.ctx.names.base(*n);
            let f = me.flex(base.as_str(), Origin::Loop, body.span);
            me.private.insert(f);
            subst.rename_value(*n, f);
        }
        subst.ty(&mut me.ctx.names, &mut vec![], &t)
    };
    let expected = open(sizer);
    if let Err(m) = sizer.unify(&expected, init_type) {
        let d = sizer.size_error(
            init.span,
            "Initial loop values do not have expected type.",
            &expected,
            init_type,
            &m,
        );
        sizer.ctx.report(d.related(pat.span, "the loop parameters"));
        return;
    }
    let expected = open(sizer);
    if let Err(m) = sizer.unify(&expected, body_type) {
        let d =
            sizer.size_error(body.span, "Loop body does not have expected type.", &expected, body_type, &m);
        sizer.ctx.report(d.related(pat.span, "the loop parameters"));
    }
}

/// The type of the whole loop, and its unknown sizes.
fn loop_type(sizer: &mut Sizer<'_>, pat: &Pat, sizes: &[Name], span: Span) -> (Type, Vec<Name>) {
    let t = make_nonunique(&sizer.zonk(&pat.ty));
    let mentioned = mentioned_type(&t);
    let mut subst = Subst::default();
    let mut ext = vec![];
    for n in sizes {
        if mentioned.contains(n) {
            let base = sizer.ctx.names.base(*n);
            let u = sizer.unknown(base.as_str(), span, "an unknown size of a loop's result".into());
            subst.rename_value(*n, u);
            ext.push(u);
        }
    }
    (subst.ty(&mut sizer.ctx.names, &mut vec![], &t), ext)
}

/// The sizes outside of functions, in order.
fn sizes_of(t: &Type, out: &mut Vec<Size>) {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error | Type::Arrow(_) => {}
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
