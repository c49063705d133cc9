//! The builder: the one way to make IR. It owns the name source, knows the
//! type of every name it bound, and keeps the stack of bodies under
//! construction.
//!
//! ```text
//! let x = b.bin(BinOp::Add(I64), n, SubExp::i64(1));       // a statement in the current body
//! b.begin(); ...; let body = b.end(vec![x]);              // a nested body
//! ```

use crate::rep::Rep;
use crate::syntax::*;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimValue};
use fehu_base::{Name, NameSource};
use rustc_hash::FxHashMap;

/// Builds bodies of a representation whose bindings carry nothing but types.
#[derive(Debug)]
pub struct Builder<R: Rep<Dec = ()>> {
    /// Makes the names.
    pub names: NameSource,
    /// The type of each name bound so far.
    pub types: FxHashMap<Name, Type>,
    /// Where new statements come from.
    pub loc: Loc,
    /// Certificates that new statements depend on.
    pub certs: Vec<Name>,
    /// Attributes of new statements.
    pub attrs: Vec<Attr>,
    /// Whether operations that make a NaN of constants stay, for an interpreter that says where NaNs come from.
    pub keep_nans: bool,
    open: Vec<Vec<Stm<R>>>,
}

/// Bodies set aside by [`Builder::suspend`].
#[derive(Debug)]
pub struct Suspended<R: Rep>(Vec<Vec<Stm<R>>>);

impl<R: Rep<Dec = ()>> Builder<R> {
    /// A builder with no open body.
    pub fn new(names: NameSource) -> Builder<R> {
        Builder {
            names,
            types: FxHashMap::default(),
            loc: Loc::none(),
            certs: vec![],
            attrs: vec![],
            keep_nans: false,
            open: vec![],
        }
    }

    /// The constant that an operation on constants is, if it need not be computed when the program runs.
    pub fn folded(&self, result: Option<PrimValue>) -> Option<PrimValue> {
        result.filter(|r| !(self.keep_nans && r.is_nan()))
    }

    /// Opens a nested body.
    pub fn begin(&mut self) {
        self.open.push(vec![]);
    }

    /// Closes the innermost body.
    pub fn end(&mut self, result: Vec<SubExp>) -> Body<R> {
        let Some(stms) = self.open.pop() else { fehu_base::bug!("no open body") };
        Body { stms, result }
    }

    /// Opens a nested body, whose statements have their own certificates and attributes; those around it.
    fn begin_nested(&mut self) -> (Vec<Name>, Vec<Attr>) {
        self.begin();
        (std::mem::take(&mut self.certs), std::mem::take(&mut self.attrs))
    }

    /// Closes it, with what [`Builder::begin_nested`] gave.
    fn end_nested(&mut self, outer: (Vec<Name>, Vec<Attr>), result: Vec<SubExp>) -> Body<R> {
        (self.certs, self.attrs) = outer;
        self.end(result)
    }

    /// Sets all open bodies aside, to build something elsewhere; [`Builder::resume`] goes on.
    pub fn suspend(&mut self) -> Suspended<R> {
        Suspended(std::mem::take(&mut self.open))
    }

    /// Goes on where [`Builder::suspend`] left off.
    pub fn resume(&mut self, open: Suspended<R>) {
        self.open = open.0;
    }

    /// How many bodies are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Appends a finished statement.
    pub fn push(&mut self, stm: Stm<R>) {
        for p in &stm.pat {
            self.types.insert(p.name, p.ty.clone());
        }
        match self.open.last_mut() {
            Some(stms) => stms.push(stm),
            None => fehu_base::bug!("no open body"),
        }
    }

    /// A fresh name of a type, bound by whoever asked.
    pub fn fresh(&mut self, base: &str, ty: Type) -> Name {
        let name = self.names.fresh_str(base);
        self.types.insert(name, ty);
        name
    }

    /// A parameter with a fresh name.
    pub fn param(&mut self, base: &str, ty: Type) -> Param<R> {
        let name = self.fresh(base, ty.clone());
        Param { name, ty, dec: (), consumed: false }
    }

    /// Binds names that were made already.
    pub fn bind_names(&mut self, pat: Vec<(Name, Type)>, exp: Exp<R>) {
        let stm = Stm {
            pat: pat.into_iter().map(|(name, ty)| PatElem { name, ty, dec: () }).collect(),
            certs: self.certs.clone(),
            attrs: self.attrs.clone(),
            loc: self.loc.clone(),
            exp,
        };
        self.push(stm);
    }

    /// Binds the only result of an expression.
    pub fn bind(&mut self, base: &str, ty: Type, exp: Exp<R>) -> Name {
        let name = self.names.fresh_str(base);
        self.bind_names(vec![(name, ty)], exp);
        name
    }

    /// Binds all results of an expression, whose types mention none of each other.
    pub fn bind_all(&mut self, base: &str, types: Vec<Type>, exp: Exp<R>) -> Vec<Name> {
        let pat: Vec<_> = types.into_iter().map(|t| (self.names.fresh_str(base), t)).collect();
        let names = pat.iter().map(|(n, _)| *n).collect();
        self.bind_names(pat, exp);
        names
    }

    /// The type of an operand.
    pub fn type_of(&self, e: SubExp) -> Type {
        match e {
            SubExp::Const(v) => Type::Prim(v.prim_type()),
            SubExp::Var(n) => match self.types.get(&n) {
                Some(t) => t.clone(),
                None => fehu_base::bug!("no type for {}", self.names.show(n)),
            },
        }
    }

    /// A primitive operator of one operand.
    pub fn un(&mut self, op: UnOp, x: SubExp) -> SubExp {
        if let SubExp::Const(v) = x {
            if let Some(r) = self.folded(op.eval(v)) {
                return SubExp::Const(r);
            }
        }
        self.bind("t", Type::Prim(op.result_type()), Exp::Basic(Basic::UnOp(op, x))).into()
    }

    /// A primitive operator of two operands.
    pub fn bin(&mut self, op: BinOp, x: SubExp, y: SubExp) -> SubExp {
        if let (SubExp::Const(a), SubExp::Const(b)) = (x, y) {
            if let Some(r) = self.folded(op.eval(a, b)) {
                return SubExp::Const(r);
            }
        }
        self.bind("t", Type::Prim(op.result_type()), Exp::Basic(Basic::BinOp(op, x, y))).into()
    }

    /// A comparison.
    pub fn cmp(&mut self, op: CmpOp, x: SubExp, y: SubExp) -> SubExp {
        if let (SubExp::Const(a), SubExp::Const(b)) = (x, y) {
            if let Some(r) = op.eval(a, b) {
                return SubExp::bool(r);
            }
        }
        self.bind("c", Type::BOOL, Exp::Basic(Basic::CmpOp(op, x, y))).into()
    }

    /// A conversion.
    pub fn conv(&mut self, op: ConvOp, x: SubExp) -> SubExp {
        if let SubExp::Const(v) = x {
            if let Some(r) = op.eval(v) {
                return SubExp::Const(r);
            }
        }
        self.bind("t", Type::Prim(op.result_type()), Exp::Basic(Basic::Conv(op, x))).into()
    }

    /// `x + y` on sizes, with the trivial cases folded.
    pub fn add64(&mut self, x: SubExp, y: SubExp) -> SubExp {
        match (x.as_i64(), y.as_i64()) {
            (Some(0), _) => y,
            (_, Some(0)) => x,
            _ => self.bin(BinOp::Add(IntType::I64), x, y),
        }
    }

    /// `x - y` on sizes, with the trivial cases folded.
    pub fn sub64(&mut self, x: SubExp, y: SubExp) -> SubExp {
        if y.as_i64() == Some(0) {
            return x;
        }
        if x == y {
            return SubExp::i64(0);
        }
        self.bin(BinOp::Sub(IntType::I64), x, y)
    }

    /// `x * y` on sizes, with the trivial cases folded.
    pub fn mul64(&mut self, x: SubExp, y: SubExp) -> SubExp {
        match (x.as_i64(), y.as_i64()) {
            (Some(1), _) => y,
            (_, Some(1)) => x,
            (Some(0), _) | (_, Some(0)) => SubExp::i64(0),
            _ => self.bin(BinOp::Mul(IntType::I64), x, y),
        }
    }

    /// The product of sizes.
    pub fn product(&mut self, sizes: &[SubExp]) -> SubExp {
        sizes.iter().fold(SubExp::i64(1), |acc, s| self.mul64(acc, *s))
    }

    /// A check; statements made while its certificate is in `certs` depend on it.
    pub fn assert(&mut self, cond: SubExp, message: Vec<ErrorPart>, purpose: Purpose) -> Option<Name> {
        if cond == SubExp::bool(true) {
            return None;
        }
        Some(self.bind("cert", Type::UNIT, Exp::Basic(Basic::Assert(cond, message, purpose))))
    }

    /// A check, and the statements that depend on it.
    pub fn with_cert<T>(&mut self, cert: Option<Name>, f: impl FnOnce(&mut Self) -> T) -> T {
        let Some(cert) = cert else { return f(self) };
        self.certs.push(cert);
        let result = f(self);
        self.certs.pop();
        result
    }
}

/// A nested body, whose statements have their own certificates and attributes, made by one who has a builder.
pub fn nested_body<R: Rep<Dec = ()>, T>(
    maker: &mut T,
    builder: fn(&mut T) -> &mut Builder<R>,
    f: impl FnOnce(&mut T) -> Vec<SubExp>,
) -> Body<R> {
    let outer = builder(maker).begin_nested();
    let result = f(maker);
    builder(maker).end_nested(outer, result)
}

/// A statement that binds one name.
pub fn plain<R: Rep<Dec = ()>>(name: Name, ty: Type, exp: Exp<R>) -> Stm<R> {
    Stm {
        pat: vec![PatElem { name, ty, dec: () }],
        certs: vec![],
        attrs: vec![],
        loc: crate::Loc::none(),
        exp,
    }
}
