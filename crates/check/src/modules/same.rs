//! Whether two definitions look the same to others: their types are equal but for the names of what they bind
//! themselves.
//!
//! ```text
//! [n] 'a. (xs: [n]a) -> [n]a    is the same as    [m] 'b. (ys: [m]b) -> [m]b
//! ```
//!
//! An answer of no is always right: then what uses the definition is checked again.

use crate::types::{RetType, Scheme, Size, TParam, Type, TypeArg, TypeDef};
use fehu_base::Name;

/// Whether two abbreviations stand for the same type; `first_own` as for values.
pub(super) fn same_type_def(a: &TypeDef, b: &TypeDef, first_own: usize) -> bool {
    let mut same = Same { bound: vec![], first_own };
    a.lifted == b.lifted && same.tparams(&a.tparams, &b.tparams) && same.ret(&a.def, &b.def)
}

/// Whether two types of one definition are the same. Names from `first_own` on were made while the definition
/// was checked: those that are not bound in the types, such as unknown sizes of constants, are never the
/// same.
pub(super) fn same_scheme(a: &Scheme, b: &Scheme, first_own: usize) -> bool {
    let mut same = Same { bound: vec![], first_own };
    let params = same.tparams(&a.tparams, &b.tparams);
    params && a.overloads.is_empty() && b.overloads.is_empty() && same.ty(&a.ty, &b.ty)
}

struct Same {
    bound: Vec<(Name, Name)>,
    first_own: usize,
}

impl Same {
    fn bind(&mut self, a: Name, b: Name) -> bool {
        self.bound.push((a, b));
        true
    }

    fn tparams(&mut self, a: &[TParam], b: &[TParam]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| match (a, b) {
                (TParam::Size(a), TParam::Size(b)) => self.bind(*a, *b),
                (TParam::Type(k, a), TParam::Type(l, b)) => k == l && self.bind(*a, *b),
                (TParam::Size(_), TParam::Type(..)) | (TParam::Type(..), TParam::Size(_)) => false,
            })
    }

    fn name(&self, a: Name, b: Name) -> bool {
        match self.bound.iter().rev().find(|(x, y)| *x == a || *y == b) {
            Some(pair) => *pair == (a, b),
            None => a == b && (a.0 as usize) < self.first_own,
        }
    }

    fn ty(&mut self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Scalar(s, _), Type::Scalar(t, _)) => s == t,
            (Type::Array(u, n, s), Type::Array(v, m, t)) => u == v && self.size(n, m) && self.ty(s, t),
            (Type::Record(fs), Type::Record(gs)) => {
                fs.len() == gs.len()
                    && fs.iter().zip(gs.iter()).all(|((f, s), (g, t))| f == g && self.ty(s, t))
            }
            (Type::Sum(cs), Type::Sum(ds)) => {
                cs.len() == ds.len()
                    && cs.iter().zip(ds.iter()).all(|((c, ss), (d, ts))| {
                        c == d && ss.len() == ts.len() && ss.iter().zip(ts).all(|(s, t)| self.ty(s, t))
                    })
            }
            (Type::Arrow(f), Type::Arrow(g)) => {
                let params = match (f.param, g.param) {
                    (Some(x), Some(y)) => self.ty(&f.lhs, &g.lhs) && self.bind(x, y),
                    (None, None) => self.ty(&f.lhs, &g.lhs),
                    (Some(_), None) | (None, Some(_)) => false,
                };
                params && self.ret(&f.ret, &g.ret)
            }
            (Type::Var(u, x, args), Type::Var(v, y, brgs)) => {
                u == v
                    && self.name(*x, *y)
                    && args.len() == brgs.len()
                    && args.iter().zip(brgs.iter()).all(|(a, b)| match (a, b) {
                        (TypeArg::Size(n), TypeArg::Size(m)) => self.size(n, m),
                        (TypeArg::Type(s), TypeArg::Type(t)) => self.ty(s, t),
                        (TypeArg::Size(_), TypeArg::Type(_)) | (TypeArg::Type(_), TypeArg::Size(_)) => false,
                    })
            }
            (Type::Error, Type::Error) => true,
            (
                Type::Scalar(..)
                | Type::Array(..)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_)
                | Type::Var(..)
                | Type::Meta(_)
                | Type::Error,
                _,
            ) => false,
        }
    }

    fn ret(&mut self, a: &RetType, b: &RetType) -> bool {
        let dims = a.dims.len() == b.dims.len() && a.dims.iter().zip(&b.dims).all(|(x, y)| self.bind(*x, *y));
        dims && self.ty(&a.ty, &b.ty)
    }

    fn size(&mut self, a: &Size, b: &Size) -> bool {
        match (a, b) {
            (Size::Const(n), Size::Const(m)) => n == m,
            (Size::Var(n), Size::Var(m)) => self.name(*n, *m),
            // Two expressions may be equal, but that is not found out here.
            (Size::Const(_) | Size::Var(_) | Size::Exp(_) | Size::Any, _) => false,
        }
    }
}
