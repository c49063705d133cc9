//! A checked file: what is where, and what it means.

use fehu_base::{FileId, Name, SourceMap, Span, Symbol};
use fehu_check::scope::{Env, Module, TermEntry};
use fehu_check::show::Show;
use fehu_check::tast::{Dec, Exp, ExpKind, Pat, PatKind, Program};
use fehu_check::types::Type;
use fehu_check::visit;
use fehu_driver::front::Front;
use std::collections::BTreeMap;

/// A place at which a value is named.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    pub(crate) span: Span,
    pub(crate) name: Name,
    /// Its type there.
    pub(crate) ty: String,
}

/// A program without errors, with the file of the editor as its main file.
pub(crate) struct Analysis {
    pub(crate) program: Program,
    pub(crate) sources: SourceMap,
    pub(crate) main: FileId,
    pub(crate) prelude: Vec<FileId>,
    /// All places of the program's own files, in order.
    pub(crate) occurrences: Vec<Occurrence>,
    /// Names under which module types show values, and the values.
    aliases: BTreeMap<Name, Name>,
}

/// What a word means that names no value: a type, a module or a module type.
pub(crate) struct Meaning {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Analysis {
    /// The analysis of a program without errors.
    pub(crate) fn of(front: Front, main: FileId) -> Option<Analysis> {
        let Front { program, sources, prelude, .. } = front;
        let program = program?;
        let mut walk = Walk { program: &program, prelude: &prelude, found: vec![] };
        walk.decs(&program.decs);
        let mut occurrences = walk.found;
        occurrences.sort_by_key(|o| (o.span.file, o.span.lo, o.span.hi));
        occurrences.dedup_by_key(|o| (o.span, o.name));
        let alias = |d: &Dec| match d {
            Dec::Alias(a) => Some((a.name, a.target)),
            Dec::Val(_) | Dec::TypeDef(..) | Dec::Functor(_) | Dec::Apply(_) => None,
        };
        let aliases = program.decs.iter().filter_map(alias).collect();
        Some(Analysis { program, sources, main, prelude, occurrences, aliases })
    }

    /// The value that is named at a place of the main file: the smallest that covers it.
    pub(crate) fn at(&self, offset: usize) -> Option<&Occurrence> {
        let covers = |s: Span| s.file == self.main && s.lo as usize <= offset && offset <= s.hi as usize;
        self.occurrences.iter().filter(|o| covers(o.span)).min_by_key(|o| o.span.hi - o.span.lo)
    }

    /// Where a value is defined: its name, not the whole definition.
    pub(crate) fn definition(&self, name: Name) -> Option<Span> {
        let target = self.target(name);
        let span = *self.program.def_spans.get(&target)?;
        Some(self.name_in(span, self.program.names.base(target)))
    }

    /// What an ascription calls by another name.
    pub(crate) fn target(&self, name: Name) -> Name {
        let mut name = name;
        // Aliases are of what came before, so this ends.
        while let Some(target) = self.aliases.get(&name) {
            name = *target;
        }
        name
    }

    /// The first token of a definition that is its name.
    fn name_in(&self, span: Span, name: Symbol) -> Span {
        let Some(file) = self.sources.get(span.file) else { return span };
        let words = fehu_syntax::words(span.file, &file.text, span.lo as usize..span.hi as usize);
        let is = |s: Span| file.text.get(s.lo as usize..s.hi as usize) == Some(name.as_str());
        words.into_iter().map(|t| t.span).find(|s| is(*s)).unwrap_or(span)
    }

    /// All places at which a value is named, its definition first.
    pub(crate) fn references(&self, name: Name) -> Vec<Span> {
        let target = self.target(name);
        let mut found: Vec<Span> = self.definition(target).into_iter().collect();
        for o in self.occurrences.iter().filter(|o| self.target(o.name) == target) {
            if !found.contains(&o.span) {
                found.push(o.span);
            }
        }
        found
    }

    /// The values that the main file defines; some several times.
    pub(crate) fn values(&self) -> impl Iterator<Item = Name> + '_ {
        fn declared(decs: &[Dec], found: &mut Vec<Name>) {
            for dec in decs {
                match dec {
                    Dec::Val(b) => found.push(b.name),
                    Dec::Functor(f) => declared(&f.body, found),
                    Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => {}
                }
            }
        }
        let mut found = vec![];
        declared(&self.program.decs, &mut found);
        let own = |n: &Name| self.program.def_spans.get(n).is_some_and(|s| s.file == self.main);
        found.into_iter().chain(self.occurrences.iter().map(|o| o.name)).filter(own)
    }

    /// The documentation of a value.
    pub(crate) fn doc(&self, name: Name) -> Option<&str> {
        let target = self.target(name);
        fn find(decs: &[Dec], target: Name) -> Option<&str> {
            decs.iter().find_map(|d| match d {
                Dec::Val(b) if b.name == target => b.doc.as_ref().map(|d| d.text.as_str()),
                Dec::Functor(f) => find(&f.body, target),
                Dec::Val(_) | Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => None,
            })
        }
        find(&self.program.decs, target)
    }

    /// What a qualified name means if it is no value.
    pub(crate) fn meaning(&self, words: &[&str]) -> Option<Meaning> {
        let (last, modules) = words.split_last()?;
        let envs = [&self.program.env, &self.program.prelude_env];
        envs.into_iter().find_map(|env| {
            let env = module(env, modules)?;
            let show = Show::plain(&self.program.names);
            let symbol = Symbol::new(last);
            if let Some(t) = env.types.get(&symbol) {
                let text = match &t.def.def.ty {
                    Type::Var(_, n, _) if *n == t.name => format!("type {last}"),
                    Type::Scalar(_)
                    | Type::Array(..)
                    | Type::Record(_)
                    | Type::Sum(_)
                    | Type::Arrow(_)
                    | Type::Var(..)
                    | Type::Meta(_)
                    | Type::Error => format!("type {last} = {}", show.ret(&t.def.def)),
                };
                return Some(Meaning { text, span: t.span });
            }
            if let Some(TermEntry::Mod(m)) = env.terms.get(&symbol) {
                return Some(Meaning { text: format!("module {last}"), span: m.span });
            }
            let m = env.mod_types.get(&symbol)?;
            Some(Meaning { text: format!("module type {last}"), span: m.span })
        })
    }
}

/// The module at a path below another one.
pub(crate) fn module<'a>(env: &'a Env, path: &[&str]) -> Option<&'a Env> {
    path.iter().try_fold(env, |env, m| submodule(env, m))
}

fn submodule<'a>(env: &'a Env, name: &str) -> Option<&'a Env> {
    match env.terms.get(&Symbol::new(name))? {
        TermEntry::Mod(m) => match &m.module {
            Module::Struct(env) => Some(env),
            Module::Functor(_) => None,
        },
        TermEntry::Val(_) => None,
    }
}

struct Walk<'a> {
    program: &'a Program,
    prelude: &'a [FileId],
    found: Vec<Occurrence>,
}

impl<'a> Walk<'a> {
    fn add(&mut self, span: Span, name: Name, ty: &Type) {
        if span != Span::NONE && !self.prelude.contains(&span.file) {
            let ty = Show::plain(&self.program.names).ty(ty);
            self.found.push(Occurrence { span, name, ty });
        }
    }

    fn decs(&mut self, decs: &'a [Dec]) {
        for dec in decs {
            match dec {
                Dec::Val(b) if !self.prelude.contains(&b.span.file) => {
                    b.params.iter().for_each(|p| self.pat(p));
                    self.exp(&b.body);
                }
                Dec::Functor(f) => self.decs(&f.body),
                Dec::Val(_) | Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => {}
            }
        }
    }

    fn pat(&mut self, p: &'a Pat) {
        match &p.kind {
            PatKind::Var(name) => self.add(p.span, *name, &p.ty),
            PatKind::Record(fs) => fs.iter().for_each(|(_, p)| self.pat(p)),
            PatKind::Constr(_, ps) => ps.iter().for_each(|p| self.pat(p)),
            PatKind::Attr(_, p) => self.pat(p),
            PatKind::Wildcard | PatKind::Literal(_) => {}
        }
    }

    fn exp(&mut self, e: &'a Exp) {
        if let ExpKind::Var(name, _) = &*e.kind {
            self.add(e.span, *name, &e.ty);
        }
        visit::irrefutable_patterns(e, &mut |p| self.pat(p));
        if let ExpKind::Match(_, cases) = &*e.kind {
            cases.iter().for_each(|c| self.pat(&c.pat));
        }
        let mut inner = vec![];
        visit::children(e, &mut |c| inner.push(c));
        inner.into_iter().for_each(|c| self.exp(c));
    }
}
