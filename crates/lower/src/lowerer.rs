//! The state of lowering.

use crate::call_table::CallTable;
use crate::value::{Data, Env, Value};
use crate::Options;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_check::tast::Program;
use fehu_ir::{Body, Builder, FunDef, Loc, Soacs, SubExp};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The result of lowering something: a problem stops it.
pub(crate) type Res<T> = Result<T, Box<Diagnostic>>;

/// Walks the typed tree and emits core statements.
pub(crate) struct Lowerer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) b: Builder<Soacs>,
    /// What is in scope.
    pub(crate) env: Env<'a>,
    /// The call that led to the code being lowered.
    pub(crate) caller: Option<Arc<Loc>>,
    /// What was in scope at each call that led there, the last one at the end; only where an interpreter stops.
    pub(crate) frames: Vec<Env<'a>>,
    /// The innermost place of the user's own text that the code being lowered comes from.
    pub(crate) user: Span,
    /// How many `#[unsafe]` we are inside of.
    pub(crate) unsafe_depth: usize,
    /// Finished core functions.
    pub(crate) funs: Vec<FunDef<Soacs>>,
    /// Which functions became core functions, at which types.
    pub(crate) calls: CallTable,
    /// The constants, and the statements that compute them.
    pub(crate) consts: FxHashMap<usize, Data>,
    pub(crate) const_body: Body<Soacs>,
    /// The tuning parameters that the program declares.
    pub(crate) params: FxHashMap<Symbol, SubExp>,
    /// How many globals were made.
    pub(crate) global_count: usize,
    /// The opaque types of entry points.
    pub(crate) opaques: fehu_ir::OpaqueTypes,
}

impl<'a> Lowerer<'a> {
    pub(crate) fn new(program: &'a Program, options: &'a Options) -> Lowerer<'a> {
        let mut b = Builder::new(program.names.clone());
        b.keep_nans = options.stops;
        Lowerer {
            program,
            options,
            b,
            env: Env::default(),
            caller: None,
            frames: vec![],
            user: Span::NONE,
            unsafe_depth: 0,
            funs: vec![],
            calls: CallTable::default(),
            consts: FxHashMap::default(),
            const_body: Body { stms: vec![], result: vec![] },
            params: FxHashMap::default(),
            global_count: 0,
            opaques: Default::default(),
        }
    }

    /// Runs with statements coming from a place.
    pub(crate) fn at<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let loc = Loc { span, caller: self.caller.clone() };
        let saved = std::mem::replace(&mut self.b.loc, loc);
        let user = self.user;
        if !self.options.prelude.contains(&span.file) {
            self.user = span;
        }
        let result = f(self);
        self.user = user;
        self.b.loc = saved;
        result
    }

    /// Runs in another environment.
    pub(crate) fn in_env<T>(&mut self, env: Env<'a>, f: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.env, env);
        let result = f(self);
        self.env = saved;
        result
    }

    /// Runs, and forgets what was bound.
    pub(crate) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.env.clone();
        let result = f(self);
        self.env = saved;
        result
    }

    /// Emits the statements of `f` into a body of their own, with its result beside it. The body's
    /// result is filled in by the caller.
    pub(crate) fn body<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<(Body<Soacs>, T)> {
        self.b.begin();
        let certs = self.b.certs.clone();
        let result = self.scoped(f);
        self.b.certs = certs;
        let body = self.b.end(vec![]);
        Ok((body, result?))
    }

    /// A mark: names made from now on are not in scope outside of the body about to be lowered.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.b.names.len() as u32)
    }

    /// The data of a value that must be data.
    pub(crate) fn data(&self, v: Value<'a>) -> Res<Data> {
        match v {
            Value::Data(d) => Ok(d),
            Value::Record(_) | Value::Constr(..) | Value::Fun(_) => {
                Err(self.unsupported("a function value where data must stand"))
            }
        }
    }

    /// The only operand of a scalar.
    pub(crate) fn scalar(&self, v: Value<'a>) -> Res<SubExp> {
        let d = self.data(v)?;
        match d.leaves.as_slice() {
            [e] => Ok(*e),
            _ => Err(self.unsupported("a compound value where a scalar must stand")),
        }
    }

    /// The error for what cannot be translated yet, at the place in the user's own text that asks for it.
    pub(crate) fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        let span = if self.user == Span::NONE { self.b.loc.span } else { self.user };
        Box::new(Diagnostic::error(span, format!("Not supported by the compiler yet: {what}.")))
    }
}

/// See [`Lowerer::mark`].
#[derive(Clone, Copy)]
pub(crate) struct Mark(u32);

impl Mark {
    /// Whether a name was made before the mark.
    pub(crate) fn outside(self, e: SubExp) -> bool {
        match e {
            SubExp::Const(_) => true,
            SubExp::Var(Name(n)) => n < self.0,
        }
    }
}
