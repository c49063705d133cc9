//! What all parts of the checker share while it runs.

use crate::named::Named;
use crate::scope::{Module, TermEntry};
use crate::show::{Show, Texts};
use crate::tast::Occurrence;
use crate::terms::sizes::equal::Synonyms;
use crate::types::Type;
use crate::uses::Uses;
use fehu_base::intrinsic::Intrinsic;
use fehu_base::{Diagnostic, Name, NameSource, Span, Symbol};
use fehu_syntax::ast::{Ident, Liftedness};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names made and problems found so far.
#[derive(Clone, Default, Debug)]
pub struct Context {
    /// Makes the unique names.
    pub names: NameSource,
    /// Errors and warnings, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// Where each name was bound.
    pub def_spans: FxHashMap<Name, Span>,
    /// What each type parameter and abstract type may stand for.
    pub kinds: FxHashMap<Name, Liftedness>,
    /// Those of them that are type parameters.
    pub type_params: FxHashSet<Name>,
    /// The state of the expression checker, while type expressions inside of an expression are resolved.
    pub terms: Option<Box<crate::terms::State>>,
    /// The built-in functions by name.
    pub intrinsics: FxHashMap<Name, Intrinsic>,
    /// Names whose type the user declared: pattern variables that stand under a
    /// type ascription (so that a loop parameter `x: []i32` is not taken for one
    /// that may be consumed), and functions and constants, local ones too, with a
    /// declared result type (for others, `consume` infers which parts of the
    /// result are unique).
    pub declared: FxHashSet<Name>,
    /// Constants and functions that are other ones by definition.
    pub synonyms: Synonyms,
    /// Parameters of definitions whose type is that of a number only because nothing says otherwise: which
    /// ones, and as written.
    pub defaulted: FxHashMap<Name, Vec<(usize, Ident)>>,
    /// The name of the definition or specification that is being checked, behind which type parameters are declared.
    pub definition: Option<Ident>,
    /// How many problems had been found where it began.
    pub before: usize,
    /// Whether it uses something of which the type is not known, because of a mistake elsewhere: what is not
    /// known of its own types and names is no mistake then.
    pub uses_broken: bool,
    /// Local names that a module opened for an expression, `m.(e)`, hides where `e` uses the module's: the place of `m`.
    pub hidden: FxHashMap<Name, Span>,
    /// What is named in definitions that had errors.
    pub unfinished: Vec<Occurrence>,
    /// What words refer to.
    pub uses: Uses,
    /// What the names in the message that is being written are called.
    pub texts: Texts,
}

/// Where to read more about an error that has a name.
pub fn see(entry: Named) -> String {
    format!("`fehu explain {entry}` says more")
}

impl Context {
    /// A fresh name bound at a place.
    pub fn bind(&mut self, base: Symbol, span: Span) -> Name {
        let name = self.names.fresh(base);
        self.def_spans.insert(name, span);
        name
    }

    /// Notes that a module is found under a path.
    pub fn bind_module(&mut self, path: &str, module: &Module) {
        let Module::Struct(env) = module else { return };
        let symbol = Symbol::new(path);
        env.types.values().for_each(|t| self.names.put_into(t.name, symbol));
        for (name, entry) in &env.terms {
            match entry {
                TermEntry::Val(v) => self.names.put_into(v.name, symbol),
                TermEntry::Mod(m) => self.bind_module(&format!("{path}.{name}"), &m.module),
            }
        }
    }

    /// A definition or specification of that name begins.
    pub fn begin(&mut self, name: Ident) {
        self.definition = Some(name);
        self.before = self.diagnostics.len();
        self.uses_broken = false;
    }

    /// Notes that there is nothing of some name: once for each definition, however often that uses it, unless
    /// something else is meant.
    pub fn report_unknown(&mut self, d: Diagnostic) {
        let mut own = self.diagnostics.iter_mut().skip(self.before);
        match own.find(|o| {
            o.message == d.message && o.span.file == d.span.file && (o.help == d.help || d.help.is_none())
        }) {
            Some(first) => first.also(d),
            None => self.report(d),
        }
    }

    /// Notes a problem.
    pub fn report(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
        self.texts.forget();
    }

    /// A message about types, with what their abbreviations stand for.
    pub fn with_abbreviations(&self, d: Diagnostic, types: [&Type; 2]) -> Diagnostic {
        let mut lines: Vec<String> = vec![];
        for line in types.into_iter().flat_map(|t| self.show().abbreviations_in(t)) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines.into_iter().fold(d, |d, line| d.note(line))
    }

    /// The printer for the message that is being written.
    pub fn show(&self) -> Show<'_> {
        Show::plain(&self.names, &self.texts)
    }
}
