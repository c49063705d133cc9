//! Emits core statements, at places of the program and depending on checks.
//!
//! In: operands and data. Out: statements of the core, in the builder. Nothing here knows what is in scope:
//! that is [`Lowerer`](crate::lowerer::Lowerer)'s, which holds this as a part. [`Emit`] is what both can do:
//! run code that is emitted under a certificate, from a place, or into a body of its own. Checks are in
//! `checks`, sizes in `sizes`, slices in `slices`.
//!
//! ```text
//! let cert = code.check(in_bounds, message);
//! code.certified(cert, |code| code.take_slice(&d, &dims))
//! ```

use crate::value::{Data, Ty, Value};
use crate::Options;
use fehu_base::{Diagnostic, FileId, Name, NameSource, Span};
use fehu_ir::build::Suspended;
use fehu_ir::{Attr, Basic, Body, Builder, Exp, Loc, Param, Soacs, SubExp, Type};
use indexmap::IndexSet;
use std::sync::Arc;

/// The result of lowering something: a problem stops it.
pub(crate) type Res<T> = Result<T, Box<Diagnostic>>;

/// The code so far, and where what comes next is from.
pub(crate) struct Code {
    pub(crate) b: Builder<Soacs>,
    /// The call that led to the code being lowered.
    pub(crate) caller: Option<Arc<Loc>>,
    /// The innermost place of the user's own text that the code being lowered comes from.
    pub(crate) user: Span,
    /// How many `#[unsafe]` we are inside of.
    pub(crate) unsafe_depth: usize,
    /// Whether all checks stay, also there.
    pub(crate) safe: bool,
    /// The files of the prelude.
    pub(crate) prelude: Vec<FileId>,
    /// What checks of the body being emitted, and of those around it, say to be sizes.
    pub(crate) checked_sizes: IndexSet<Name>,
}

/// Code that is to be continued.
pub(crate) struct Open {
    builder: Suspended<Soacs>,
    certs: Vec<Name>,
    attrs: Vec<Attr>,
    caller: Option<Arc<Loc>>,
    unsafe_depth: usize,
    checked_sizes: IndexSet<Name>,
}

/// What emits code: [`Code`] itself, and who has more to do around it.
pub(crate) trait Emit: Sized {
    /// The code so far.
    fn code(&mut self) -> &mut Code;

    /// Runs, and forgets what was bound.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T;

    /// Runs with statements coming from a place.
    fn at<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let code = self.code();
        let loc = Loc { span, caller: code.caller.clone() };
        let saved = std::mem::replace(&mut code.b.loc, loc);
        let user = code.user;
        if !code.prelude.contains(&span.file) {
            code.user = span;
        }
        let result = f(self);
        let code = self.code();
        code.user = user;
        code.b.loc = saved;
        result
    }

    /// Runs with statements depending on a certificate.
    fn certified<T>(&mut self, cert: Option<Name>, f: impl FnOnce(&mut Self) -> T) -> T {
        let Some(cert) = cert else { return f(self) };
        self.code().b.certs.push(cert);
        let result = f(self);
        let certs = &mut self.code().b.certs;
        if let Some(i) = certs.iter().rposition(|c| *c == cert) {
            certs.remove(i);
        }
        result
    }

    /// Emits the statements of `f` into a body of their own, with its result beside it. The body's
    /// result is filled in by the caller.
    fn body<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<(Body<Soacs>, T)> {
        self.code().b.begin();
        let certs = self.code().b.certs.clone();
        let checked = self.code().checked_sizes.len();
        let result = self.scoped(f);
        let code = self.code();
        code.checked_sizes.truncate(checked);
        code.b.certs = certs;
        let body = code.b.end(vec![]);
        Ok((body, result?))
    }
}

impl Emit for Code {
    fn code(&mut self) -> &mut Code {
        self
    }

    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        f(self)
    }
}

impl Code {
    /// No code yet.
    pub(crate) fn new(names: NameSource, options: &Options) -> Code {
        let mut b = Builder::new(names);
        b.keep_nans = options.stops;
        Code {
            b,
            caller: None,
            user: Span::NONE,
            unsafe_depth: 0,
            safe: options.safe,
            prelude: options.prelude.clone(),
            checked_sizes: IndexSet::default(),
        }
    }

    /// Begins code that depends on nothing of the current one, which [`Code::resume`] continues.
    pub(crate) fn suspend(&mut self) -> Open {
        Open {
            builder: self.b.suspend(),
            certs: std::mem::take(&mut self.b.certs),
            attrs: std::mem::take(&mut self.b.attrs),
            caller: self.caller.take(),
            unsafe_depth: std::mem::take(&mut self.unsafe_depth),
            checked_sizes: std::mem::take(&mut self.checked_sizes),
        }
    }

    /// Continues code.
    pub(crate) fn resume(&mut self, open: Open) {
        self.unsafe_depth = open.unsafe_depth;
        self.checked_sizes = open.checked_sizes;
        self.caller = open.caller;
        self.b.attrs = open.attrs;
        self.b.certs = open.certs;
        self.b.resume(open.builder);
    }

    /// A mark: names made from now on are not in scope outside of the body about to be lowered.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.b.names.len() as u32)
    }

    /// The data of a value that must be data.
    pub(crate) fn data(&self, v: Value<'_>) -> Res<Data> {
        match v {
            Value::Data(d) => Ok(d),
            Value::Record(_) | Value::Constr(..) | Value::Fun(_) => {
                Err(self.unsupported("a function value where data must stand"))
            }
        }
    }

    /// The only operand of a scalar.
    pub(crate) fn scalar(&self, v: Value<'_>) -> Res<SubExp> {
        let d = self.data(v)?;
        match d.leaves.as_slice() {
            [e] => Ok(*e),
            _ => Err(self.unsupported("a compound value where a scalar must stand")),
        }
    }

    /// The place in the user's own text that the code being lowered comes from.
    pub(crate) fn place(&self) -> Span {
        if self.user == Span::NONE {
            self.b.loc.span
        } else {
            self.user
        }
    }

    /// The error for what cannot be translated yet, at the place in the user's own text that asks for it.
    pub(crate) fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(self.place(), format!("Not supported by the compiler yet: {what}.")))
    }

    /// `if c then a else b` on scalars.
    pub(crate) fn select(&mut self, c: SubExp, a: SubExp, b: SubExp) -> SubExp {
        if c == SubExp::bool(true) || a == b {
            return a;
        }
        if c == SubExp::bool(false) {
            return b;
        }
        let t = self.b.type_of(a);
        let body = |x| Box::new(fehu_ir::Body { stms: vec![], result: vec![x] });
        self.b.bind("t", t, Exp::If(c, body(a), body(b))).into()
    }

    /// Parameters for a value of a type.
    pub(crate) fn params_of(&mut self, ty: &Ty) -> (Vec<Param<Soacs>>, Data) {
        let params: Vec<_> = ty.leaves().into_iter().map(|t| self.b.param("x", t)).collect();
        let leaves = params.iter().map(|p| p.name.into()).collect();
        (params, Data { ty: ty.clone(), leaves })
    }

    /// An array of unspecified content.
    pub(crate) fn scratch(&mut self, ty: &Ty) -> Data {
        let leaves = ty
            .leaves()
            .into_iter()
            .map(|t| {
                let Some(p) = t.elem() else { fehu_base::bug!("scratch of {t:?}") };
                self.b.bind("scratch", t.clone(), Exp::Basic(Basic::Scratch(p, t.shape().to_vec()))).into()
            })
            .collect();
        Data { ty: ty.clone(), leaves }
    }

    /// A value to fill a slot that is never read.
    pub(crate) fn blank(&mut self, t: &Type) -> SubExp {
        match t {
            Type::Prim(p) => SubExp::Const(p.blank()),
            Type::Array(p, shape) => self
                .b
                .bind(
                    "blank",
                    t.clone(),
                    Exp::Basic(Basic::Replicate(shape.clone(), SubExp::Const(p.blank()))),
                )
                .into(),
            Type::Acc(..) | Type::Mem(_) => fehu_base::bug!("no blank of {t:?}"),
        }
    }
}

/// See [`Code::mark`].
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
