//! Definitions of the prelude that are taken at their word.
//!
//! Nothing can refer to a definition without writing its name. So where a
//! module of the prelude is parsed as a whole ([`crate::prelude::needed`] says
//! when), a definition whose name is mentioned nowhere is not looked at: its
//! declared type is believed.

use fehu_base::Symbol;
use fehu_syntax::ast;
use rustc_hash::FxHashSet;

/// What is needed.
#[derive(Clone, Debug)]
pub enum Needed {
    /// Everything.
    All,
    /// What has one of these names.
    Names(FxHashSet<Symbol>),
}

impl Needed {
    /// Whether definitions of this name are needed.
    pub fn contains(&self, name: Symbol) -> bool {
        match self {
            Needed::All => true,
            Needed::Names(names) => names.contains(&name),
        }
    }
}

/// The type that a definition promises, if it says all of it: what a module type would say.
pub(crate) fn promised(b: &ast::ValBind) -> Option<ast::TypeExp> {
    let mut ty = b.ret.clone().filter(is_complete)?;
    for p in b.params.iter().rev() {
        let (id, lhs) = declared(p)?;
        let span = b.span;
        ty = ast::TypeExp::Arrow { param: Some(id), lhs: Box::new(lhs), rhs: Box::new(ty), span };
    }
    Some(ty)
}

fn declared(p: &ast::Pat) -> Option<(ast::Ident, ast::TypeExp)> {
    match p {
        ast::Pat::Parens(p, _) => declared(p),
        ast::Pat::Ascript(p, te, _) => match &**p {
            ast::Pat::Var(id) if is_complete(te) => Some((*id, (**te).clone())),
            ast::Pat::Var(_)
            | ast::Pat::Wildcard(_)
            | ast::Pat::Parens(..)
            | ast::Pat::Tuple(..)
            | ast::Pat::Record(..)
            | ast::Pat::Literal { .. }
            | ast::Pat::Constr(..)
            | ast::Pat::Ascript(..)
            | ast::Pat::Attr(..) => None,
        },
        ast::Pat::Var(_)
        | ast::Pat::Wildcard(_)
        | ast::Pat::Tuple(..)
        | ast::Pat::Record(..)
        | ast::Pat::Literal { .. }
        | ast::Pat::Constr(..)
        | ast::Pat::Attr(..) => None,
    }
}

/// Whether a type leaves no size to be found out.
fn is_complete(te: &ast::TypeExp) -> bool {
    let size = |s: &ast::SizeExp| matches!(s, ast::SizeExp::Exp(..));
    match te {
        ast::TypeExp::Var(_) => true,
        ast::TypeExp::Parens(t, _) | ast::TypeExp::Unique(t, _) => is_complete(t),
        ast::TypeExp::Array(s, t, _) => size(s) && is_complete(t),
        ast::TypeExp::Tuple(ts, _) => ts.iter().all(is_complete),
        ast::TypeExp::Record(fs, _) => fs.iter().all(|(_, t)| is_complete(t)),
        ast::TypeExp::Sum(cs, _) => cs.iter().all(|(_, ts)| ts.iter().all(is_complete)),
        ast::TypeExp::Apply(t, arg, _) => {
            is_complete(t)
                && match arg {
                    ast::TypeArg::Size(s) => size(s),
                    ast::TypeArg::Type(t) => is_complete(t),
                }
        }
        ast::TypeExp::Arrow { lhs, rhs, .. } => is_complete(lhs) && is_complete(rhs),
        ast::TypeExp::Exists(..) => false,
    }
}
