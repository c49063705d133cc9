//! A checked file: what is where, and what it means.

use crate::state::Document;
use fehu_base::{FileId, Name, SourceMap, Span, Symbol};
use fehu_check::scope::{Env, Module, TermEntry};
use fehu_check::show::{show_type, sizes_in, without_hidden, Show, Texts};
use fehu_check::tast::{Dec, Exp, ExpKind, Occurrence, Pat, PatKind, Program, ValBind};
use fehu_check::types::{Arrow, Parts, RetType, Scheme, Size, TParam, Type, TypeArg};
use fehu_check::visit;
use fehu_driver::load::{import_path, normalise};
use fehu_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A program without errors, or what is right of one, with the file of the editor as its main file.
pub(crate) struct Analysis {
    pub(crate) program: Program,
    pub(crate) sources: SourceMap,
    pub(crate) main: FileId,
    pub(crate) prelude: Vec<FileId>,
    /// All places of the program's own files, in order.
    pub(crate) occurrences: Vec<Occurrence>,
    /// The result types of functions and the types of constants, local ones too.
    results: Vec<(Name, RetType)>,
    /// What is declared, and the sizes and types that functions are polymorphic in, written or inferred.
    declared: FxHashSet<Name>,
    /// The types of what is declared.
    schemes: BTreeMap<Name, Scheme>,
    /// Names under which module types show values, and the values.
    aliases: BTreeMap<Name, Name>,
}

/// What a word means that names no value: a type, a module or a module type.
pub(crate) struct Meaning {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Analysis {
    /// The analysis of a program, or of what is right of one.
    pub(crate) fn of(program: Program, sources: SourceMap, prelude: Vec<FileId>, main: FileId) -> Analysis {
        let Walk { found: mut occurrences, results, declared, schemes, .. } = {
            let mut walk = Walk::new(&prelude, &program);
            walk.decs(&program.decs);
            program.unfinished.iter().for_each(|o| walk.add(o.span, o.name, &o.ty));
            walk
        };
        occurrences.sort_by_key(|o| (o.span.file, o.span.lo, o.span.hi));
        occurrences.dedup_by_key(|o| (o.span, o.name));
        let alias = |d: &Dec| match d {
            Dec::Alias(a) => Some((a.name, a.target)),
            Dec::Val(_) | Dec::TypeDef(..) | Dec::Functor(_) | Dec::Apply(_) => None,
        };
        let aliases = program.decs.iter().filter_map(alias).collect();
        Analysis { program, sources, main, prelude, occurrences, results, declared, schemes, aliases }
    }

    /// Whether it is the analysis of a text, not of an earlier one.
    pub(crate) fn is_of(&self, text: &str) -> bool {
        self.sources.get(self.main).is_some_and(|f| f.text == text)
    }

    /// A type as text.
    pub(crate) fn show(&self, ty: &Type) -> String {
        show_type(&self.program.names, ty)
    }

    /// A value as it is at a place: where it is declared, with all that it is polymorphic in.
    pub(crate) fn show_value(&self, o: &Occurrence) -> String {
        let texts = Texts::default();
        let show = Show::plain(&self.program.names, &texts);
        let name = self.program.names.base(o.name);
        let declared =
            self.schemes.get(&o.name).filter(|_| self.program.def_spans.get(&o.name) == Some(&o.span));
        let text = match declared {
            Some(scheme) => show.specification(name.as_str(), scheme),
            None => {
                let unnamed = sizes_in(&o.ty).into_iter().filter(|n| !self.is_named(*n));
                let unnamed: Vec<TParam> = unnamed.map(TParam::Size).collect();
                show.learn(&unnamed, &o.ty);
                format!("{name} : {}", show.ty(&o.ty))
            }
        };
        let meanings = show.abbreviations_in(declared.map_or(&o.ty, |s| &s.ty));
        meanings.into_iter().fold(text, |text, meaning| format!("{text}\n{meaning}"))
    }

    /// A result type as text.
    pub(crate) fn show_ret(&self, ret: &RetType) -> String {
        Show::plain(&self.program.names, &Texts::default()).ret(ret)
    }

    /// A type in which only sizes stand that the program has names for; others are `[]`.
    pub(crate) fn visible(&self, ty: &Type, dims: &[Name]) -> Type {
        without_hidden(ty, &|n| self.is_named(n) || dims.contains(&n), dims)
    }

    /// Whether the program has a name for a size.
    fn is_named(&self, n: Name) -> bool {
        written(&self.program, &self.sources, n) || self.declared.contains(&n)
    }

    /// The value that is named at exactly this place.
    pub(crate) fn occurrence(&self, span: Span) -> Option<&Occurrence> {
        let key = |o: &Occurrence| (o.span.file, o.span.lo, o.span.hi);
        let i = self.occurrences.binary_search_by_key(&(span.file, span.lo, span.hi), key).ok()?;
        self.occurrences.get(i)
    }

    /// A local value of the declaration around a place.
    pub(crate) fn local(&self, name: Symbol, offset: usize) -> Option<&Occurrence> {
        let around = self.around(offset)?;
        let inside = |s: &Span| s.file == around.file && around.lo < s.lo && s.hi <= around.hi;
        let local = |o: &&Occurrence| {
            inside(&o.span)
                && self.program.names.base(o.name) == name
                && self.program.def_spans.get(&o.name).is_some_and(inside)
        };
        let before = |o: &&Occurrence| o.span.lo as usize <= offset;
        let all = || self.occurrences.iter().filter(local);
        all().rfind(before).or_else(|| all().next())
    }

    /// The declaration around a place, or just before it.
    pub(crate) fn around(&self, offset: usize) -> Option<Span> {
        fn find(decs: &[Dec], main: FileId, offset: usize) -> Option<Span> {
            decs.iter().find_map(|d| match d {
                Dec::Val(b) => {
                    let (lo, hi) = (b.span.lo as usize, b.span.hi as usize);
                    (b.span.file == main && lo <= offset && offset <= hi + 1).then_some(b.span)
                }
                Dec::Functor(f) => find(&f.body, main, offset),
                Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => None,
            })
        }
        find(&self.program.decs, self.main, offset)
    }

    /// Sizes and types in a type that a declaration is polymorphic in without saying so, as they would be declared.
    pub(crate) fn inferred(&self, declaration: Span, ty: &Type) -> Vec<String> {
        fn find(decs: &[Dec], span: Span) -> Option<&[TParam]> {
            decs.iter().find_map(|d| match d {
                Dec::Val(b) => (b.span == span).then_some(&*b.tparams),
                Dec::Functor(f) => find(&f.body, span),
                Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => None,
            })
        }
        let mut mentioned = FxHashSet::default();
        names_in(ty, &mut mentioned);
        let tparams = find(&self.program.decs, declaration).unwrap_or(&[]);
        let new = tparams
            .iter()
            .filter(|p| mentioned.contains(&p.name()) && !written(&self.program, &self.sources, p.name()));
        let texts = Texts::default();
        new.map(|p| Show::plain(&self.program.names, &texts).tparam(*p)).collect()
    }

    /// The result types of what the main file defines, by the places of the names.
    pub(crate) fn results(&self) -> FxHashMap<Span, &RetType> {
        let own = |n: &Name| self.program.def_spans.get(n).is_some_and(|s| s.file == self.main);
        let mine = self.results.iter().filter(|(n, _)| own(n));
        mine.filter_map(|(n, ret)| Some((self.definition(*n)?, ret))).collect()
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

    /// Where the types are declared that a type names.
    pub(crate) fn type_definitions(&self, ty: &Type) -> Vec<Span> {
        let texts = Texts::default();
        let names = Show::plain(&self.program.names, &texts).names_in(ty);
        names.into_iter().filter_map(|n| self.definition(n)).collect()
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

    /// What the files declare whose names a document has without qualifiers, since it imports them.
    pub(crate) fn imported<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = &'a Arc<Env>> {
        let parsed = fehu_syntax::parse(self.main, &document.text.text);
        fn import(dec: &ast::Dec) -> Option<Symbol> {
            match dec {
                ast::Dec::Import(name, _) => Some(*name),
                ast::Dec::Local(dec, _) => import(dec),
                ast::Dec::Val(_)
                | ast::Dec::Type(_)
                | ast::Dec::Mod(_)
                | ast::Dec::ModType(_)
                | ast::Dec::Open(..) => None,
            }
        }
        let path = |name: Symbol| normalise(&import_path(&document.path, name.as_str()));
        let paths: Vec<PathBuf> = parsed.prog.decs.iter().filter_map(import).map(path).collect();
        let imported =
            move |file: FileId| self.sources.get(file).is_some_and(|f| paths.contains(&normalise(&f.path)));
        self.program.files.iter().filter(move |(file, _)| imported(*file)).map(|(_, env)| env)
    }

    /// The documentation of a value.
    pub(crate) fn doc(&self, name: Name) -> Option<String> {
        self.program.documentation(&self.sources, name)
    }

    /// What a qualified name means if it is no value.
    pub(crate) fn meaning(&self, words: &[&str]) -> Option<Meaning> {
        let (last, modules) = words.split_last()?;
        let envs = [&self.program.env, &self.program.prelude_env];
        envs.into_iter().find_map(|env| {
            let env = module(env, modules)?;
            let texts = Texts::default();
            let show = Show::plain(&self.program.names, &texts);
            let symbol = Symbol::new(last);
            if let Some(t) = env.types.get(&symbol) {
                let text = match &t.def.def.ty {
                    Type::Var(_, n, _) if *n == t.name => format!("type {last}"),
                    Type::Scalar(..)
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

/// Whether the program's text binds a name. A size that an expression brings is bound at the expression, a
/// variable at its name.
fn written(program: &Program, sources: &SourceMap, name: Name) -> bool {
    let base = program.names.base(name);
    program.def_spans.get(&name).is_some_and(|s| sources.snippet(*s) == base.as_str())
}

/// The names of sizes and types in a type.
fn names_in(ty: &Type, found: &mut FxHashSet<Name>) {
    match ty {
        Type::Array(_, size, elem) => {
            if let Size::Var(n) = size {
                found.insert(*n);
            }
            names_in(elem, found);
        }
        Type::Record(fields) => fields.iter().for_each(|(_, t)| names_in(t, found)),
        Type::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| names_in(t, found)),
        Type::Arrow(a) => {
            names_in(&a.lhs, found);
            names_in(&a.ret.ty, found);
        }
        Type::Var(_, n, args) => {
            found.insert(*n);
            for a in args.iter() {
                match a {
                    TypeArg::Type(t) => names_in(t, found),
                    TypeArg::Size(Size::Var(n)) => drop(found.insert(*n)),
                    TypeArg::Size(Size::Const(_) | Size::Exp(_) | Size::Any) => {}
                }
            }
        }
        Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
    }
}

struct Walk<'a> {
    prelude: &'a [FileId],
    found: Vec<Occurrence>,
    results: Vec<(Name, RetType)>,
    declared: FxHashSet<Name>,
    schemes: BTreeMap<Name, Scheme>,
    program: &'a Program,
}

impl<'a> Walk<'a> {
    fn new(prelude: &'a [FileId], program: &'a Program) -> Walk<'a> {
        let declared = FxHashSet::default();
        Walk { prelude, found: vec![], results: vec![], declared, schemes: BTreeMap::new(), program }
    }

    fn add(&mut self, span: Span, name: Name, ty: &Type) {
        if span != Span::NONE && !self.prelude.contains(&span.file) {
            self.found.push(Occurrence { span, name, ty: ty.clone() });
        }
    }

    fn decs(&mut self, decs: &'a [Dec]) {
        for dec in decs {
            match dec {
                Dec::Val(b) if !self.prelude.contains(&b.span.file) => {
                    self.function(b.name, &b.tparams, &b.ret);
                    self.declaration(b);
                    b.params.iter().for_each(|p| self.pat(p));
                    self.exp(&b.body);
                }
                Dec::Functor(f) => self.decs(&f.body),
                Dec::Val(_) | Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => {}
            }
        }
    }

    fn declaration(&mut self, b: &ValBind) {
        let with_param = |ret, p: &Pat| {
            let param = if let PatKind::Var(n) = p.kind { Some(n) } else { None };
            RetType::simple(Type::Arrow(Parts::new(Arrow { param, lhs: p.ty.clone(), ret })))
        };
        let ty = b.params.iter().rev().fold(b.ret.clone(), with_param).ty;
        if let Some(span) = self.program.def_spans.get(&b.name) {
            self.add(*span, b.name, &ty);
        }
        self.schemes.insert(b.name, Scheme { tparams: b.tparams.clone(), overloads: vec![], ty });
    }

    fn function(&mut self, name: Name, tparams: &[TParam], ret: &RetType) {
        self.results.push((name, ret.clone()));
        self.declared.insert(name);
        self.declared.extend(tparams.iter().map(|p| p.name()));
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
        let mut rest = vec![e];
        while let Some(e) = rest.pop() {
            // Others name nothing themselves.
            if let ExpKind::Var(name, _) = &*e.kind {
                self.add(e.span, *name, &e.ty);
            } else if let ExpKind::LetFun(f, _) = &*e.kind {
                self.function(f.name, &f.tparams, &f.ret);
            } else if let ExpKind::Match(_, cases) = &*e.kind {
                cases.iter().for_each(|c| self.pat(&c.pat));
            }
            visit::irrefutable_patterns(e, &mut |p| self.pat(p));
            visit::children(e, &mut |c| rest.push(c));
        }
    }
}
