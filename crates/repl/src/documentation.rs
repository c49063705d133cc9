//! `:doc`: what the comment of a declaration says, of the session, of the file that was loaded, or of the prelude.
//!
//! Names are followed through the annotations of modules, and through what module types include. In the prelude, `f64`
//! has no annotation, and the comment of `f64.sum` is that of `sum` in a module type.

use crate::session::{Answer, Problem, Session};
use fehu_base::{FileId, Symbol};
use fehu_check::prelude_sources;
use fehu_check::show::Abbreviations;
use fehu_syntax::ast::{Dec, Doc, ModExp, ModTypeExp, Prog, Spec};

/// A declaration that was found: its comment, and what it is if it is no value.
type Found<'a> = (Option<&'a Doc>, Option<&'static str>);

impl Session {
    /// What is said of a name: its type, and the comment before its declaration.
    pub(crate) fn documentation(&mut self, name: &str) -> Answer {
        if name.is_empty() {
            return Problem::message("of what? Write :doc NAME, as in `:doc map` or `:doc f64.sum`");
        }
        let (own, prelude) = self.texts();
        let path: Vec<&str> = match name.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            true => name.split('.').collect(),
            // An operator, which may have dots.
            false => vec![name],
        };
        let of_prelude = || {
            let scope = Scope(&prelude);
            let (doc, kind) = scope.find(&path)?;
            Some((doc.or_else(|| scope.in_module_types(path.last()?)), kind))
        };
        let Some((doc, kind)) = Scope(&own).find(&path).or_else(of_prelude) else {
            return Problem::message(format!(
                "there is no declaration of `{name}`; :help lists all commands"
            ));
        };
        let operator =
            path.last().is_some_and(|last| !last.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        let exp = if operator { format!("({name})") } else { name.to_owned() };
        let head = match kind {
            Some(kind) => format!("{kind} {name}"),
            None => match self.type_of(&exp, Abbreviations::Given) {
                Answer::Text(ty) => format!("{exp} : {ty}"),
                Answer::Done | Answer::Problem(_) | Answer::Continue | Answer::Quit => exp,
            },
        };
        let text = doc.map_or("It has no documentation.", |doc| doc.text.trim());
        Answer::Text(format!("{head}\n\n{text}"))
    }

    /// The texts of the session and of the file, and those of the prelude, the latest first.
    fn texts(&self) -> (Vec<Prog>, Vec<Prog>) {
        let parse = |text: &str| fehu_syntax::parse(FileId(0), text).prog;
        let declared = self.declared.all().into_iter().rev().map(|piece| parse(&piece.text));
        let loaded = self.loaded.iter().map(|(_, text)| parse(text));
        let prelude = prelude_sources().iter().rev().map(|(_, text)| parse(text));
        (declared.chain(loaded).collect(), prelude.collect())
    }
}

/// Where names are looked for.
struct Scope<'a>(&'a [Prog]);

impl<'a> Scope<'a> {
    fn find(&self, path: &[&str]) -> Option<Found<'a>> {
        self.0.iter().find_map(|prog| self.in_decs(&prog.decs, path))
    }

    /// What the module types of these texts say of a name.
    fn in_module_types(&self, name: &str) -> Option<&'a Doc> {
        self.0.iter().flat_map(|prog| &prog.decs).find_map(|dec| match dec {
            Dec::ModType(b) => self.in_type(&b.def, &[name])?.0,
            Dec::Val(_) | Dec::Type(_) | Dec::Mod(_) | Dec::Open(..) | Dec::Import(..) | Dec::Local(..) => {
                None
            }
        })
    }

    /// A declaration shadows those before it.
    fn in_decs(&self, decs: &'a [Dec], path: &[&str]) -> Option<Found<'a>> {
        let (first, rest) = path.split_first()?;
        let is = |name: Symbol| name.as_str() == *first;
        decs.iter().rev().find_map(|dec| match dec {
            Dec::Val(b) if is(b.name.name) && rest.is_empty() => Some((b.doc.as_ref(), None)),
            Dec::Type(b) if is(b.name.name) && rest.is_empty() => Some((b.doc.as_ref(), Some("type"))),
            Dec::ModType(b) if is(b.name.name) && rest.is_empty() => {
                Some((b.doc.as_ref(), Some("module type")))
            }
            Dec::ModType(b) if is(b.name.name) => self.in_type(&b.def, rest),
            Dec::Mod(b) if is(b.name.name) && rest.is_empty() => Some((b.doc.as_ref(), Some("module"))),
            Dec::Mod(b) if is(b.name.name) => {
                let own = self.in_module(&b.body, rest).filter(|(doc, _)| doc.is_some());
                own.or_else(|| self.in_type(b.sig.as_ref()?, rest)).or_else(|| self.in_module(&b.body, rest))
            }
            Dec::Open(m, _) => self.in_module(m, path),
            Dec::Local(dec, _) => self.in_decs(std::slice::from_ref(dec), path),
            Dec::Val(_) | Dec::Type(_) | Dec::Mod(_) | Dec::ModType(_) | Dec::Import(..) => None,
        })
    }

    fn in_module(&self, module: &'a ModExp, path: &[&str]) -> Option<Found<'a>> {
        match module {
            ModExp::Decs(decs, _) => self.in_decs(decs, path),
            ModExp::Parens(m, _) | ModExp::Lambda(_, _, m, _) => self.in_module(m, path),
            ModExp::Ascript(m, ty, _) => self.in_module(m, path).or_else(|| self.in_type(ty, path)),
            ModExp::Var(_) | ModExp::Import(..) | ModExp::Apply(..) => None,
        }
    }

    fn in_type(&self, ty: &'a ModTypeExp, path: &[&str]) -> Option<Found<'a>> {
        match ty {
            ModTypeExp::Specs(specs, _) => self.in_specs(specs, path),
            ModTypeExp::Parens(ty, _) | ModTypeExp::With { base: ty, .. } => self.in_type(ty, path),
            ModTypeExp::Arrow { rhs, .. } => self.in_type(rhs, path),
            ModTypeExp::Var(name) => {
                let named = self.0.iter().flat_map(|prog| prog.decs.iter().rev()).find_map(|dec| match dec {
                    Dec::ModType(b) if b.name.name == name.name.name => Some(&b.def),
                    Dec::Val(_) | Dec::Type(_) | Dec::Mod(_) | Dec::ModType(_) => None,
                    Dec::Open(..) | Dec::Import(..) | Dec::Local(..) => None,
                });
                self.in_type(named?, path)
            }
        }
    }

    fn in_specs(&self, specs: &'a [Spec], path: &[&str]) -> Option<Found<'a>> {
        let (first, rest) = path.split_first()?;
        let is = |name: Symbol| name.as_str() == *first;
        let last = rest.is_empty();
        specs.iter().find_map(|spec| match spec {
            Spec::Val { doc, name, .. } if is(name.name) && last => Some((doc.as_ref(), None)),
            Spec::TypeAbbrev(b) if is(b.name.name) && last => Some((b.doc.as_ref(), Some("type"))),
            Spec::Type { doc, name, .. } if is(name.name) && last => Some((doc.as_ref(), Some("type"))),
            Spec::Mod { doc, name, .. } if is(name.name) && last => Some((doc.as_ref(), Some("module"))),
            Spec::Mod { name, sig, .. } if is(name.name) => self.in_type(sig, rest),
            Spec::Include(ty, _) => self.in_type(ty, path),
            Spec::Val { .. } | Spec::TypeAbbrev(_) | Spec::Type { .. } | Spec::Mod { .. } => None,
        })
    }
}
