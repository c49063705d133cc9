//! A checked file: what is where, and what it means.

use fehu_base::{FileId, Name, SourceMap, Span, Symbol};
use fehu_check::scope::{Env, Module, TermEntry};
use fehu_check::show::Show;
use fehu_check::tast::{Dec, Exp, ExpKind, Pat, PatKind, Program};
use fehu_check::types::{Arrow, RetType, Size, TParam, Type, TypeArg};
use fehu_check::visit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A place at which a value is named.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    pub(crate) span: Span,
    pub(crate) name: Name,
    /// Its type there.
    pub(crate) ty: Type,
}

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
    pub(crate) fn of(
        mut program: Program,
        sources: SourceMap,
        prelude: Vec<FileId>,
        main: FileId,
    ) -> Analysis {
        let Walk { found: mut occurrences, results, declared, same, .. } = {
            let mut walk = Walk::new(&prelude, &program, &sources);
            walk.decs(&program.decs);
            walk
        };
        same.into_iter().for_each(|(name, text)| program.names.rebase(name, text));
        occurrences.sort_by_key(|o| (o.span.file, o.span.lo, o.span.hi));
        occurrences.dedup_by_key(|o| (o.span, o.name));
        let alias = |d: &Dec| match d {
            Dec::Alias(a) => Some((a.name, a.target)),
            Dec::Val(_) | Dec::TypeDef(..) | Dec::Functor(_) | Dec::Apply(_) => None,
        };
        let aliases = program.decs.iter().filter_map(alias).collect();
        Analysis { program, sources, main, prelude, occurrences, results, declared, aliases }
    }

    /// Whether it is the analysis of a text, not of an earlier one.
    pub(crate) fn is_of(&self, text: &str) -> bool {
        self.sources.get(self.main).is_some_and(|f| f.text == text)
    }

    /// A type as text.
    pub(crate) fn show(&self, ty: &Type) -> String {
        Show::plain(&self.program.names).ty(ty)
    }

    /// A result type as text.
    pub(crate) fn show_ret(&self, ret: &RetType) -> String {
        Show::plain(&self.program.names).ret(ret)
    }

    /// A type in which only sizes stand that the program has names for; others are `[]`.
    pub(crate) fn visible(&self, ty: &Type, dims: &[Name]) -> Type {
        let known = |n: Name| {
            written(&self.program, &self.sources, n) || self.declared.contains(&n) || dims.contains(&n)
        };
        without_hidden(ty, &known)
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
        new.map(|p| Show::plain(&self.program.names).tparam(*p)).collect()
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

/// Whether the program's text binds a name. A size that an expression brings is bound at the expression, a variable at its name.
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
        Type::Scalar(_) | Type::Meta(_) | Type::Error => {}
    }
}

/// A type with `[]` for sizes that mention names which are not known.
fn without_hidden(ty: &Type, known: &dyn Fn(Name) -> bool) -> Type {
    let part = |t: &Type| without_hidden(t, known);
    match ty {
        Type::Array(u, size, elem) => Type::Array(*u, visible_size(size, known), Arc::new(part(elem))),
        Type::Record(fields) => Type::Record(Arc::new(fields.iter().map(|(f, t)| (*f, part(t))).collect())),
        Type::Sum(constrs) => {
            let one = |(c, ts): &(Symbol, Vec<Type>)| (*c, ts.iter().map(part).collect());
            Type::Sum(Arc::new(constrs.iter().map(one).collect()))
        }
        Type::Arrow(a) => {
            let bound = |n: Name| known(n) || a.param == Some(n) || a.ret.dims.contains(&n);
            let ret = RetType { dims: a.ret.dims.clone(), ty: without_hidden(&a.ret.ty, &bound) };
            Type::Arrow(Arc::new(Arrow { param: a.param, lhs: part(&a.lhs), ret }))
        }
        Type::Var(u, n, args) => {
            let one = |a: &TypeArg| match a {
                TypeArg::Size(s) => TypeArg::Size(visible_size(s, known)),
                TypeArg::Type(t) => TypeArg::Type(part(t)),
            };
            Type::Var(*u, *n, Arc::new(args.iter().map(one).collect()))
        }
        Type::Scalar(_) | Type::Meta(_) | Type::Error => ty.clone(),
    }
}

fn visible_size(size: &Size, known: &dyn Fn(Name) -> bool) -> Size {
    fn names(e: &Exp, known: &dyn Fn(Name) -> bool) -> bool {
        let mut all = if let ExpKind::Var(n, _) = &*e.kind { known(*n) } else { true };
        visit::children(e, &mut |c| all = all && names(c, known));
        all
    }
    let fine = match size {
        Size::Const(_) | Size::Any => true,
        Size::Var(n) => known(*n),
        Size::Exp(e) => names(e, known),
    };
    if fine {
        size.clone()
    } else {
        Size::Any
    }
}

struct Walk<'a> {
    prelude: &'a [FileId],
    program: &'a Program,
    sources: &'a SourceMap,
    found: Vec<Occurrence>,
    results: Vec<(Name, RetType)>,
    declared: FxHashSet<Name>,
    /// Inferred parameters that are called like another one of the same function, and better names.
    same: Vec<(Name, Symbol)>,
}

impl<'a> Walk<'a> {
    fn new(prelude: &'a [FileId], program: &'a Program, sources: &'a SourceMap) -> Walk<'a> {
        let declared = FxHashSet::default();
        Walk { prelude, program, sources, found: vec![], results: vec![], declared, same: vec![] }
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
                    b.params.iter().for_each(|p| self.pat(p));
                    self.exp(&b.body);
                }
                Dec::Functor(f) => self.decs(&f.body),
                Dec::Val(_) | Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => {}
            }
        }
    }

    fn function(&mut self, name: Name, tparams: &[TParam], ret: &RetType) {
        self.results.push((name, ret.clone()));
        self.declared.insert(name);
        let mut taken: FxHashSet<Symbol> = FxHashSet::default();
        for p in tparams {
            self.declared.insert(p.name());
            let text = self.program.names.base(p.name());
            if !taken.insert(text) && !written(self.program, self.sources, p.name()) {
                let numbered = (1..).map(|i| Symbol::new(&format!("{text}{i}"))).find(|s| taken.insert(*s));
                self.same.extend(numbered.map(|s| (p.name(), s)));
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
