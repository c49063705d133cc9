//! The type of several branches: where their sizes differ, the size is unknown.

use super::equal::same_size;
use super::hide::Hidden;
use super::Sizer;
use crate::tast::Exp;
use crate::types::{Size, Type, TypeArg};
use fehu_base::{Name, Span};
use std::sync::Arc;

struct Differing {
    pairs: Vec<(Size, Size, Name)>,
}

/// The type of an expression with these branches, and its unknown sizes.
pub(crate) fn join_all(sizer: &mut Sizer<'_>, branches: &[&Exp], span: Span) -> (Type, Vec<Name>) {
    let Some(first) = branches.first() else { return (Type::Error, vec![]) };
    let mut ty = sizer.zonk(&first.ty);
    let mut ext: Vec<Name> = vec![];
    for b in &branches[1..] {
        // Structure that is still to be found is shared, sizes are not.
        let mut differing = Differing { pairs: vec![] };
        share(sizer, &ty, &b.ty.clone());
        let t = sizer.zonk(&ty);
        let u = sizer.zonk(&b.ty);
        ty = join(sizer, &t, &u, &mut differing, span);
        ext.extend(differing.pairs.iter().map(|(_, _, n)| *n));
    }
    let hidden = Hidden::Deeper { level: sizer.level, depth: sizer.depth };
    let (ty, more) = sizer.leave(&ty, &hidden, span, "going out of scope of a branch");
    let names = super::tables::mentioned_type(&ty);
    ext.retain(|n| names.contains(n));
    ext.extend(more);
    (ty, ext)
}

/// Makes types that are still to be found equal to their counterparts.
fn share(sizer: &mut Sizer<'_>, a: &Type, b: &Type) {
    let a = sizer.peek(a);
    let b = sizer.peek(b);
    match (&a, &b) {
        (Type::Meta(_), _) | (_, Type::Meta(_)) => {
            let _ = sizer.unify(&a, &b);
        }
        (Type::Array(_, _, s), Type::Array(_, _, t)) => share(sizer, s, t),
        (Type::Record(fs), Type::Record(gs)) => {
            for ((_, t), (_, u)) in fs.iter().zip(gs.iter()) {
                share(sizer, t, u);
            }
        }
        (Type::Sum(cs), Type::Sum(ds)) => {
            for ((_, ts), (_, us)) in cs.iter().zip(ds.iter()) {
                for (t, u) in ts.iter().zip(us) {
                    share(sizer, t, u);
                }
            }
        }
        (Type::Var(_, _, xs), Type::Var(_, _, ys)) => {
            for (x, y) in xs.iter().zip(ys.iter()) {
                if let (TypeArg::Type(t), TypeArg::Type(u)) = (x, y) {
                    share(sizer, t, u);
                }
            }
        }
        _ => {}
    }
}

fn join(sizer: &mut Sizer<'_>, a: &Type, b: &Type, differing: &mut Differing, span: Span) -> Type {
    match (a, b) {
        (Type::Array(u, m, s), Type::Array(_, n, t)) => {
            let size = join_size(sizer, m, n, differing, span);
            Type::Array(*u, size, s.with(join(sizer, s, t, differing, span)))
        }
        (Type::Record(fs), Type::Record(gs)) if fs.len() == gs.len() => Type::Record(
            fs.with(
                fs.iter()
                    .zip(gs.iter())
                    .map(|((f, t), (_, u))| (*f, join(sizer, t, u, differing, span)))
                    .collect(),
            ),
        ),
        (Type::Sum(cs), Type::Sum(ds)) if cs.len() == ds.len() => Type::Sum(
            cs.with(
                cs.iter()
                    .zip(ds.iter())
                    .map(|((c, ts), (_, us))| {
                        (*c, ts.iter().zip(us).map(|(t, u)| join(sizer, t, u, differing, span)).collect())
                    })
                    .collect(),
            ),
        ),
        (Type::Var(u, x, args), Type::Var(_, y, brgs)) if x == y && args.len() == brgs.len() => {
            let args = args
                .iter()
                .zip(brgs.iter())
                .map(|(a, b)| match (a, b) {
                    (TypeArg::Size(m), TypeArg::Size(n)) => {
                        TypeArg::Size(join_size(sizer, m, n, differing, span))
                    }
                    (TypeArg::Type(t), TypeArg::Type(u)) => TypeArg::Type(join(sizer, t, u, differing, span)),
                    (TypeArg::Size(_), TypeArg::Type(_)) | (TypeArg::Type(_), TypeArg::Size(_)) => a.clone(),
                })
                .collect();
            Type::Var(*u, *x, Arc::new(args))
        }
        (Type::Error, t) => t.clone(),
        _ => a.clone(),
    }
}

fn join_size(sizer: &mut Sizer<'_>, m: &Size, n: &Size, differing: &mut Differing, span: Span) -> Size {
    if same_size(&sizer.ctx.synonyms, m, n) {
        return m.clone();
    }
    let known = &sizer.ctx.synonyms;
    let same = |(x, y, _): &&(Size, Size, Name)| same_size(known, x, m) && same_size(known, y, n);
    if let Some((_, _, d)) = differing.pairs.iter().find(same) {
        return Size::Var(*d);
    }
    let (x, y) = (sizer.show_size(m), sizer.show_size(n));
    let why = format!("unknown, for one branch returns an array of size [{x}] and another one of size [{y}]");
    let d = sizer.unknown("differ", span, why);
    differing.pairs.push((m.clone(), n.clone(), d));
    Size::Var(d)
}
