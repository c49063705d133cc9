//! Types as people read them: what is printed is a type of the language, and means what was printed.
//!
//! The programs are those of this repository, and those of the folder `FEHU_PROGRAMS` if that is set.

use fehu_base::{FileId, Name, NameSource, Span, Symbol};
use fehu_check::context::Context;
use fehu_check::scope::{Env, ModEntry, Module, Scope, TermEntry, TypeEntry, ValEntry, ValKind};
use fehu_check::show::{is_operator, Abbreviations, Show, Texts};
use fehu_check::subst::Subst;
use fehu_check::tast::{Dec, Exp, ExpKind, LoopForm, Pat, PatKind, Program};
use fehu_check::type_exp::{bind_tparams, elaborate};
use fehu_check::types::{RetType, Scheme, Size, TParam, Type, TypeArg, TypeDef, Uniq};
use fehu_check::visit;
use fehu_driver::front::check_file;
use fehu_syntax::ast::{self, Liftedness, ModTypeExp, Spec};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[test]
fn printed_types_are_read_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    match std::env::var_os("FEHU_PROGRAMS") {
        Some(folder) => programs(Path::new(&folder), &mut files),
        None => ["tests", "bench", "examples"].iter().for_each(|f| programs(&root.join(f), &mut files)),
    }
    let (mut seen, mut wrong) = (HashSet::new(), vec![]);
    let mut right = 0;
    for file in files {
        let Some(program) = check_file(&file).program else { continue };
        let mut reader = Reader::new(&program);
        each_type(&program, &mut |scheme| {
            let text = specification(&program.names, scheme);
            // Most programs have the same types; names of a program do not depend on what was printed before.
            if scheme_is_closed(scheme) && !seen.insert(text.clone()) {
                return;
            }
            match reader.reads_back(scheme) {
                Ok(()) => right += 1,
                Err(why) => wrong.push(format!("{}: {text}\n  {why}", file.display())),
            }
        });
    }
    assert!(right > 1000, "{right} types");
    assert!(wrong.is_empty(), "{} of {} types:\n{}", wrong.len(), right + wrong.len(), wrong.join("\n"));
}

fn programs(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder can be read").flatten().map(|e| e.path()).collect();
    entries.sort();
    for e in entries {
        if e.is_dir() {
            programs(&e, out);
        } else if e.extension().is_some_and(|x| x == "fut") {
            out.push(e);
        }
    }
}

fn specification(names: &NameSource, s: &Scheme) -> String {
    Show::plain(names, &Texts::default()).specification("f", s)
}

/// All types of a program: those of definitions, variables and expressions.
fn each_type(program: &Program, f: &mut dyn FnMut(&Scheme)) {
    fn decs(list: &[Dec], f: &mut dyn FnMut(&Scheme)) {
        for dec in list {
            match dec {
                Dec::Val(b) => {
                    let (tparams, overloads) = (b.tparams.clone(), vec![]);
                    f(&Scheme { tparams, overloads, ty: function(&b.params, b.ret.clone()) });
                    b.params.iter().for_each(|p| pat(p, f));
                    exp(&b.body, f);
                }
                Dec::Alias(a) => f(&a.scheme),
                Dec::Functor(functor) => decs(&functor.body, f),
                Dec::TypeDef(..) | Dec::Apply(_) => {}
            }
        }
    }
    fn pat(p: &Pat, f: &mut dyn FnMut(&Scheme)) {
        f(&Scheme::mono(p.ty.clone()));
        match &p.kind {
            PatKind::Record(fs) => fs.iter().for_each(|(_, p)| pat(p, f)),
            PatKind::Constr(_, ps) => ps.iter().for_each(|p| pat(p, f)),
            PatKind::Attr(_, p) => pat(p, f),
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Literal(_) => {}
        }
    }
    fn exp(e: &Exp, f: &mut dyn FnMut(&Scheme)) {
        let mut rest = vec![e];
        while let Some(e) = rest.pop() {
            f(&Scheme::mono(e.ty.clone()));
            visit::irrefutable_patterns(e, &mut |p| pat(p, f));
            visit::children(e, &mut |c| rest.push(c));
        }
    }
    decs(&program.decs, f);
}

fn declared(decs: &[Dec], schemes: &mut BTreeMap<Name, Scheme>) {
    for dec in decs {
        match dec {
            Dec::Val(b) => {
                let ty = function(&b.params, b.ret.clone());
                schemes.insert(b.name, Scheme { tparams: b.tparams.clone(), overloads: vec![], ty });
                b.params.iter().for_each(|p| variables(p, schemes));
                let mut rest = vec![&b.body];
                while let Some(e) = rest.pop() {
                    visit::irrefutable_patterns(e, &mut |p| variables(p, schemes));
                    locals(e, schemes);
                    visit::children(e, &mut |c| rest.push(c));
                }
            }
            Dec::Alias(a) => drop(schemes.insert(a.name, a.scheme.clone())),
            Dec::Functor(functor) => declared(&functor.body, schemes),
            Dec::TypeDef(..) | Dec::Apply(_) => {}
        }
    }
}

/// Local functions, the variables of `match`, and those that loops count with.
fn locals(e: &Exp, schemes: &mut BTreeMap<Name, Scheme>) {
    if let ExpKind::LetFun(f, _) = &*e.kind {
        let ty = function(&f.params, f.ret.clone());
        schemes.insert(f.name, Scheme { tparams: f.tparams.clone(), overloads: vec![], ty });
    } else if let ExpKind::Match(_, cases) = &*e.kind {
        cases.iter().for_each(|c| variables(&c.pat, schemes));
    } else if let ExpKind::Loop(l) = &*e.kind {
        if let LoopForm::For(i, t, _) = &l.form {
            schemes.insert(*i, Scheme::mono(Type::scalar(*t)));
        }
    }
}

fn variables(p: &Pat, schemes: &mut BTreeMap<Name, Scheme>) {
    visit::pat_vars(p, &mut |n, p| drop(schemes.insert(n, Scheme::mono(p.ty.clone()))));
}

fn function(params: &[Pat], ret: RetType) -> Type {
    let mut ret = ret;
    for p in params.iter().rev() {
        let param = if let PatKind::Var(n) = p.kind { Some(n) } else { None };
        let arrow = fehu_check::types::Arrow { param, lhs: p.ty.clone(), ret };
        ret = RetType::simple(Type::Arrow(fehu_check::types::Parts::new(arrow)));
    }
    ret.ty
}

/// The names in a type: what it mentions, and what it binds.
#[derive(Default)]
struct Mentioned {
    values: BTreeMap<Name, Type>,
    types: BTreeSet<Name>,
    abbreviations: BTreeMap<Name, Arc<TypeDef>>,
    bound: Vec<Name>,
    /// The values and types in the order in which they are mentioned.
    order: Vec<Name>,
}

impl Mentioned {
    fn of(s: &Scheme) -> Mentioned {
        let mut m = Mentioned { bound: s.tparams.iter().map(|p| p.name()).collect(), ..Mentioned::default() };
        m.ty(&s.ty);
        m
    }

    fn ty(&mut self, t: &Type) {
        if let Some(a) = t.abbreviation() {
            self.abbreviations.insert(a.name, a.def.clone());
        }
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
            Type::Array(_, s, e) => {
                self.size(s);
                self.ty(e);
            }
            Type::Record(fs) => fs.iter().for_each(|(_, t)| self.ty(t)),
            Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| self.ty(t)),
            Type::Arrow(a) => {
                self.ty(&a.lhs);
                self.bound.extend(a.param.iter().chain(&a.ret.dims));
                self.ty(&a.ret.ty);
            }
            Type::Var(_, n, args) => {
                self.order.push(*n);
                self.types.insert(*n);
                for a in args.iter() {
                    match a {
                        TypeArg::Size(s) => self.size(s),
                        TypeArg::Type(t) => self.ty(t),
                    }
                }
            }
        }
    }

    fn size(&mut self, s: &Size) {
        match s {
            Size::Var(n) => {
                self.order.push(*n);
                self.values.insert(*n, Type::scalar(fehu_base::prim::ScalarType::I64));
            }
            Size::Exp(e) => self.exp(e),
            Size::Const(_) | Size::Any => {}
        }
    }

    fn exp(&mut self, e: &Exp) {
        if let ExpKind::Var(n, _) = &*e.kind {
            self.order.push(*n);
            self.values.insert(*n, e.ty.clone());
        }
        visit::children(e, &mut |c| self.exp(c));
    }
}

/// Whether a type says the same in all programs.
fn scheme_is_closed(s: &Scheme) -> bool {
    let m = Mentioned::of(s);
    let binds = |n: &Name| m.bound.contains(n);
    m.values.keys().all(binds) && m.types.iter().all(binds) && m.abbreviations.is_empty()
}

/// What types mean in a program.
struct Reader<'a> {
    program: &'a Program,
    ctx: Context,
    scope: Scope,
    /// The schemes of what is declared or bound anywhere.
    schemes: BTreeMap<Name, Scheme>,
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program) -> Reader<'a> {
        let ctx = Context {
            names: program.names.clone(),
            intrinsics: program.intrinsics.clone(),
            ..Context::default()
        };
        let mut schemes = BTreeMap::new();
        declared(&program.decs, &mut schemes);
        let mut reader = Reader { program, ctx, scope: Scope::default(), schemes };
        fehu_check::intrinsics::base(&mut reader.ctx, &mut reader.scope);
        reader.scope.open(&program.prelude_env);
        reader.scope.open(&program.env);
        reader
    }

    /// Whether a type that is printed and read is the same as before.
    fn reads_back(&mut self, scheme: &Scheme) -> Result<(), String> {
        let names = &self.program.names;
        let texts = Texts::default();
        let printed = Show::plain(names, &texts).specification("f", scheme);
        let source = format!("module type m = {{val {printed}}}");
        let parsed = fehu_syntax::parse(FileId(0), &source);
        if let Some(e) = parsed.errors.first() {
            return Err(e.message.clone());
        }
        let Some(ast::Dec::ModType(m)) = parsed.prog.decs.first() else {
            return Err("no module type".into());
        };
        let ModTypeExp::Specs(specs, _) = &m.def else { return Err("no specifications".into()) };
        let [Spec::Val { tparams, ty, .. }] = &specs[..] else { return Err("no specification".into()) };
        let mark = self.scope.mark();
        self.bind(scheme, &texts);
        let before = self.ctx.diagnostics.len();
        let mut tparams = bind_tparams(&mut self.ctx, &mut self.scope, tparams);
        let read = elaborate(&mut self.ctx, &mut self.scope, ty);
        tparams.extend(read.dims.into_iter().map(TParam::Size));
        self.scope.rollback(mark);
        if let Some(d) = self.ctx.diagnostics.split_off(before).first() {
            return Err(d.message.clone());
        }
        let read = Scheme { tparams, overloads: vec![], ty: read.ty };
        let (a, b) = (canonical(&mut self.ctx.names, scheme), canonical(&mut self.ctx.names, &read));
        if a == b {
            Ok(())
        } else {
            Err(format!("{a}\n  {b}"))
        }
    }

    /// Puts what a type mentions into the scope, by the names that it has been given, unless it is there.
    fn bind(&mut self, scheme: &Scheme, texts: &Texts) {
        let mentioned = Mentioned::of(scheme);
        let text = |n: Name| texts.text(n).filter(|_| !mentioned.bound.contains(&n));
        let span = Span::NONE;
        for n in &mentioned.types {
            let Some(text) = text(*n) else { continue };
            let args = scheme_args(scheme, *n);
            let entry = TypeEntry { name: *n, def: Arc::new(self.abstract_type(*n, &args)), span };
            self.put(&text, |env, last| drop(env.types.insert(last, entry)));
        }
        for (n, def) in &mentioned.abbreviations {
            let Some(text) = text(*n) else { continue };
            let entry = TypeEntry { name: *n, def: def.clone(), span };
            self.put(&text, |env, last| drop(env.types.insert(last, entry)));
        }
        for (n, ty) in &mentioned.values {
            let Some(text) = text(*n) else { continue };
            if self.knows(&text, *n) {
                continue;
            }
            let scheme = match self.schemes.get(n) {
                Some(scheme) => scheme.clone(),
                None => Scheme::mono(ty.clone()),
            };
            let entry = ValEntry { name: *n, scheme: Arc::new(scheme), span, kind: ValKind::Local };
            self.put(&text, |env, last| drop(env.terms.insert(last, TermEntry::Val(entry))));
        }
    }

    /// An abstract type with as many parameters as it has arguments.
    fn abstract_type(&mut self, n: Name, args: &[TypeArg]) -> TypeDef {
        let tparams: Vec<TParam> = args
            .iter()
            .map(|a| match a {
                TypeArg::Size(_) => TParam::Size(self.ctx.names.fresh_str("n")),
                TypeArg::Type(_) => TParam::Type(Liftedness::Lifted, self.ctx.names.fresh_str("a")),
            })
            .collect();
        let own = |p: &TParam| match p {
            TParam::Size(n) => TypeArg::Size(Size::Var(*n)),
            TParam::Type(_, n) => TypeArg::Type(Type::var(*n)),
        };
        let ty = Type::Var(Uniq::Nonunique, n, Arc::new(tparams.iter().map(own).collect()));
        TypeDef { tparams, lifted: Liftedness::Unlifted, def: RetType::simple(ty) }
    }

    fn knows(&self, text: &str, n: Name) -> bool {
        let mut parts = text.split('.');
        let Some(mut entry) = parts.next().and_then(|p| self.scope.term(Symbol::new(p))) else {
            return false;
        };
        for p in parts {
            let TermEntry::Mod(ModEntry { module: Module::Struct(env), .. }) = entry else { return false };
            let Some(inner) = env.terms.get(&Symbol::new(p)) else { return false };
            entry = inner;
        }
        matches!(entry, TermEntry::Val(v) if v.name == n)
    }

    /// Puts something into the scope, inside of the modules of its path.
    fn put(&mut self, path: &str, insert: impl FnOnce(&mut Env, Symbol)) {
        let (first, rest) = match path.split_once('.') {
            Some((first, rest)) => (Symbol::new(first), rest),
            None => {
                let mut env = Env::default();
                insert(&mut env, Symbol::new(path));
                return self.scope.open(&env);
            }
        };
        let module = inside(self.scope.term(first), rest, insert);
        self.scope.bind_term(first, module);
    }
}

/// A module with something more at a path.
fn inside(module: Option<&TermEntry>, path: &str, insert: impl FnOnce(&mut Env, Symbol)) -> TermEntry {
    let mut env = match module {
        Some(TermEntry::Mod(ModEntry { module: Module::Struct(env), .. })) => (**env).clone(),
        Some(TermEntry::Mod(_) | TermEntry::Val(_)) | None => Env::default(),
    };
    match path.split_once('.') {
        Some((first, rest)) => {
            let first = Symbol::new(first);
            let inner = inside(env.terms.get(&first), rest, insert);
            env.terms.insert(first, inner);
        }
        None => insert(&mut env, Symbol::new(path)),
    }
    TermEntry::Mod(ModEntry { module: Module::Struct(Arc::new(env)), span: Span::NONE })
}

/// The arguments of an abstract type, at its first place in a type.
fn scheme_args(s: &Scheme, n: Name) -> Vec<TypeArg> {
    let mut rest = vec![&s.ty];
    while let Some(t) = rest.pop() {
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
            Type::Array(_, _, e) => rest.push(e),
            Type::Record(fs) => rest.extend(fs.iter().map(|(_, t)| t)),
            Type::Sum(cs) => rest.extend(cs.iter().flat_map(|(_, ts)| ts)),
            Type::Arrow(a) => rest.extend([&a.lhs, &a.ret.ty]),
            Type::Var(_, m, args) if *m == n => return args.to_vec(),
            Type::Var(_, _, args) => rest.extend(args.iter().filter_map(|a| match a {
                TypeArg::Type(t) => Some(t),
                TypeArg::Size(_) => None,
            })),
        }
    }
    vec![]
}

/// A type with the numbers of the names that it mentions; those that it binds are counted. What functions in
/// sizes are instantiated at does not count.
fn canonical(names: &mut NameSource, s: &Scheme) -> String {
    // A name may be bound twice.
    let mut s = Subst::default().scheme(names, s);
    // Which comes first of the sizes is not said where abbreviations hide them.
    let order = Mentioned::of(&s).order;
    s.tparams.sort_by_key(|p| order.iter().position(|n| *n == p.name()));
    let s = &s;
    let mentioned = Mentioned::of(s);
    let free =
        mentioned.values.keys().chain(&mentioned.types).map(|n| (*n, format!("{}_{}", names.base(*n), n.0)));
    let free: Vec<(Name, String)> = free.collect();
    // Operators that are parameters have no names in types.
    let bound = mentioned.bound.iter().filter(|n| !is_operator(names.base(**n).as_str()));
    let bound: Vec<(Name, String)> = bound.enumerate().map(|(i, n)| (*n, format!("bound_{i}"))).collect();
    let mut before = vec![];
    for (n, text) in free.into_iter().chain(bound) {
        before.push((n, names.base(n)));
        names.rebase(n, Symbol::new(&text));
    }
    let texts = Texts::default();
    let show = Show { abbreviations: Abbreviations::Expanded, ..Show::plain(names, &texts) };
    let text = show.specification("f", s);
    before.into_iter().rev().for_each(|(n, base)| names.rebase(n, base));
    text
}
