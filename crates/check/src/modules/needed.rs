//! Which definitions of the prelude a program can come to use.
//!
//! Most programs use little of the prelude, and all of it is checked by our
//! own tests. So a definition whose name stands nowhere in the program's text,
//! nor in the text of a prelude definition that is needed, is taken at its
//! word: its declared type is believed, and its body not looked at. Nothing can
//! refer to a definition without writing its name, so this is safe, if
//! generous: all definitions of one name are needed together.

use super::SourceUnit;
use fehu_base::Symbol;
use fehu_syntax::{ast, Token, TokenKind};
use rustc_hash::{FxHashMap, FxHashSet};

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

    /// What the units after the prelude need; `texts` are those of all units, in order.
    pub fn by(units: &[SourceUnit], texts: &[&str], prelude: usize) -> Needed {
        let mut names = FxHashSet::default();
        let mut work = vec![];
        let mut need = |s: Symbol, work: &mut Vec<Symbol>| {
            if names.insert(s) {
                work.push(s);
            }
        };
        let mut mentions: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
        for (i, (unit, text)) in units.iter().zip(texts).enumerate() {
            let mut binds = vec![];
            if i < prelude {
                value_binds(&unit.prog.decs, &mut binds);
            }
            let mut binds = binds.into_iter().peekable();
            for token in fehu_syntax::tokens(unit.file, text) {
                while binds.peek().is_some_and(|b| b.span.hi <= token.span.lo) {
                    binds.next();
                }
                let own = binds.peek().filter(|b| b.span.lo <= token.span.lo).map(|b| b.name.name);
                for s in mentioned(&token, text) {
                    match own {
                        Some(own) => mentions.entry(own).or_default().push(s),
                        // Outside of definitions the prelude only declares names, in module types.
                        None if i < prelude => {}
                        None => need(s, &mut work),
                    }
                }
            }
        }
        while let Some(s) = work.pop() {
            for t in mentions.remove(&s).unwrap_or_default() {
                need(t, &mut work);
            }
        }
        Needed::Names(names)
    }
}

/// The names in a token; a qualified name is several.
fn mentioned<'t>(token: &Token, text: &'t str) -> impl Iterator<Item = Symbol> + 't {
    let text = match token.kind {
        TokenKind::Comment | TokenKind::DocComment => "",
        _ => text.get(token.span.lo as usize..token.span.hi as usize).unwrap_or(""),
    };
    let word = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let parts: Vec<&str> = if word { text.split('.').collect() } else { vec![text] };
    parts.into_iter().filter(|p| !p.is_empty()).map(Symbol::new)
}

/// All value definitions, also those inside modules, in the order of the text.
fn value_binds<'a>(decs: &'a [ast::Dec], out: &mut Vec<&'a ast::ValBind>) {
    for dec in decs {
        match dec {
            ast::Dec::Val(b) => out.push(b),
            ast::Dec::Mod(b) => module_binds(&b.body, out),
            ast::Dec::Open(m, _) => module_binds(m, out),
            ast::Dec::Local(d, _) => value_binds(std::slice::from_ref(d), out),
            ast::Dec::Type(_) | ast::Dec::ModType(_) | ast::Dec::Import(..) => {}
        }
    }
}

fn module_binds<'a>(m: &'a ast::ModExp, out: &mut Vec<&'a ast::ValBind>) {
    match m {
        ast::ModExp::Decs(decs, _) => value_binds(decs, out),
        ast::ModExp::Parens(m, _) | ast::ModExp::Ascript(m, _, _) | ast::ModExp::Lambda(_, _, m, _) => {
            module_binds(m, out);
        }
        ast::ModExp::Apply(f, a, _) => {
            module_binds(f, out);
            module_binds(a, out);
        }
        ast::ModExp::Var(_) | ast::ModExp::Import(..) => {}
    }
}

/// The type that a definition promises, if it says all of it: what a module type would say.
pub(super) fn promised(b: &ast::ValBind) -> Option<ast::TypeExp> {
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
            _ => None,
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
