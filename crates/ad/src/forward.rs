//! Forward mode: beside each active name its tangent, after each statement that of its tangent.
//!
//! Before: a body without derivatives, which of its names are active, tangents of those that are free. After: the same
//! statements, with others between them; names, sizes, checks and conditions are as they were.
//!
//! ```text
//! let (z) = fmul(x, y)                 let (z) = fmul(x, y)
//! let (ys) = xs with [i] = z     =>    let (a) = fmul(x', y)  let (b) = fmul(y', x)  let (z') = fadd(a, b)
//!                                      let (ys) = xs with [i] = z
//!                                      let (ys') = xs' with [i] = z'
//! ```
//!
//! A statement with bodies becomes one that computes both (`control`, `combinators`). What consumes an array
//! consumes its tangent beside it, so whatever was legal remains so.
//!
//! **Bundles.** For `jmp` each name has `n` tangents: its tangent has one more dimension, the innermost. The
//! partial derivatives of an operation on scalars are computed once, and a map makes `n` sums of products of them. All
//! else works on rows where it worked on scalars.
//!
//! **Lanes.** With `#[unroll]`, and a number of directions that the program's text says, each name has that many
//! tangents instead, each of which is a name of its own: no arrays of tangents, and code for each of them. Where
//! tangents stand in a list, those of one value follow each other.

mod combinators;
mod control;

use crate::activity::{is_active, Activation, Activity};
use crate::partials::{operands, partials, select, Partial};
use fehu_base::ops::{BinOp, CmpOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::build::nested_body;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::deep;
use fehu_ir::{
    Attr, Basic, Body, Builder, DimIndex, Exp, FunDef, Lambda, Param, PatElem, Slice, Soacs, Stm, SubExp,
    Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function's derivative: which function, whose tangents come in, whether by bundles, and in how many lanes.
pub(crate) type Derived = (Activation, bool, usize);

/// Names that a statement binds, with their types.
type Bound = Vec<(Name, Type)>;

/// The state of forward mode: what it has made, and what it knows of the body that it is in.
pub(crate) struct Forward<'a> {
    pub(crate) b: Builder<Soacs>,
    pub(crate) activity: Activity<'a>,
    /// How many tangents each name has, if not one.
    pub(crate) bundle: Option<SubExp>,
    /// How many lanes there are, and in which we are.
    pub(crate) lanes: usize,
    pub(crate) lane: usize,
    pub(crate) active: FxHashSet<Name>,
    /// The tangents of active names in each lane. Those of accumulators are accumulators, if their operator allows,
    /// which hold the tangents of all lanes.
    pub(crate) tangents: FxHashMap<(Name, usize), SubExp>,
    /// The tokens of such accumulators, by those of the accumulators that they belong to.
    tokens: FxHashMap<Name, Name>,
    /// The tokens of other accumulators, which hold tangents beside their values.
    paired: FxHashSet<Name>,
    /// Whether a minimum or maximum is an operator of a combinator: then a NaN never wins.
    nan_loses: bool,
    /// The names of derived functions, and of which there is none yet.
    pub(crate) derived: FxHashMap<Derived, Name>,
    pub(crate) wanted: Vec<Derived>,
}

impl<'a> Forward<'a> {
    /// Nothing is made yet.
    pub(crate) fn new(b: Builder<Soacs>, funs: &'a FxHashMap<Name, FunDef<Soacs>>) -> Forward<'a> {
        Forward {
            b,
            activity: Activity { funs, calls: FxHashMap::default() },
            bundle: None,
            lanes: 1,
            lane: 0,
            active: FxHashSet::default(),
            tangents: FxHashMap::default(),
            tokens: FxHashMap::default(),
            paired: FxHashSet::default(),
            nan_loses: false,
            derived: FxHashMap::default(),
            wanted: vec![],
        }
    }

    /// The statements of a body, with those of tangents.
    pub(crate) fn stms(&mut self, stms: Vec<Stm<Soacs>>) {
        for stm in stms {
            self.stm(stm);
        }
        self.b.certs.clear();
    }

    fn stm(&mut self, stm: Stm<Soacs>) {
        if !stm.pat.iter().any(|p| is_active(&self.b.types, &self.active, p.name.into())) {
            self.b.push(stm);
            return;
        }
        let Stm { pat, certs, attrs, loc, exp } = stm;
        self.b.certs = certs;
        self.b.loc = loc;
        deep(|| match exp {
            Exp::Basic(op) => self.basic(attrs, pat, op),
            Exp::Call(f, args) => self.call(attrs, pat, f, args),
            Exp::If(c, yes, no) => self.branch(attrs, pat, c, *yes, *no),
            Exp::Loop(l) => self.loop_(attrs, pat, *l),
            Exp::WithAcc(w) => self.with_acc(attrs, pat, *w),
            Exp::Op(Soac::Screma(s)) => self.screma(attrs, pat, s),
            Exp::Op(Soac::Hist(h)) => self.hist(attrs, pat, h),
            Exp::Op(Soac::Scatter(s)) => self.scatter(attrs, pat, s),
            Exp::Op(Soac::Filter(f)) => self.filter(attrs, pat, f),
            Exp::Op(Soac::Ad(_)) => fehu_base::bug!("a derivative is taken before those around it"),
        });
    }

    /// Binds names, with the attributes of the statement that this one replaces.
    fn bind(&mut self, attrs: Vec<Attr>, pat: Vec<(Name, Type)>, exp: Exp<Soacs>) {
        self.b.attrs = attrs;
        self.b.bind_names(pat, exp);
        self.b.attrs.clear();
    }

    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Vec<SubExp>) -> Body<Soacs> {
        nested_body(self, |forward| &mut forward.b, f)
    }

    // Tangents of names and operands.

    /// Whether a name has a tangent of its own.
    pub(crate) fn has_tangent(&self, n: Name) -> bool {
        match self.b.types.get(&n) {
            Some(Type::Acc(token, ..)) => self.tokens.contains_key(token),
            Some(Type::Prim(_) | Type::Array(..) | Type::Mem(_)) | None => self.active.contains(&n),
        }
    }

    /// The tangent of an operand; none if it is 0.
    fn tangent(&self, e: SubExp) -> Option<SubExp> {
        let n = e.name().filter(|n| self.has_tangent(*n))?;
        let lane = if self.is_accumulator(n) { 0 } else { self.lane };
        match self.tangents.get(&(n, lane)) {
            Some(t) => Some(*t),
            None => fehu_base::bug!("no tangent of {}", self.b.names.show(n)),
        }
    }

    pub(crate) fn tangent_or_zero(&mut self, e: SubExp) -> SubExp {
        match self.tangent(e) {
            Some(t) => t,
            None => {
                let ty = self.b.type_of(e);
                self.zero(&ty)
            }
        }
    }

    /// The tangent of an array.
    fn array_tangent(&mut self, a: Name) -> Name {
        array(self.tangent_or_zero(a.into()))
    }

    fn is_accumulator(&self, n: Name) -> bool {
        matches!(self.b.types.get(&n), Some(Type::Acc(..)))
    }

    /// What a function gives in each lane in which values of a type have tangents.
    fn in_lanes<T>(&mut self, ty: &Type, mut f: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let lanes = if matches!(ty, Type::Acc(..)) { 1 } else { self.lanes };
        let all = (0..lanes).map(|lane| {
            self.lane = lane;
            f(self)
        });
        let all = all.collect();
        self.lane = 0;
        all
    }

    /// The tangents of an operand.
    pub(crate) fn all_tangents(&mut self, e: SubExp) -> Vec<SubExp> {
        let ty = self.b.type_of(e);
        self.in_lanes(&ty, |forward| forward.tangent_or_zero(e))
    }

    /// The same for an array.
    fn array_tangents(&mut self, a: Name) -> Vec<Name> {
        self.all_tangents(a.into()).into_iter().map(array).collect()
    }

    /// Tangents of some of the results of a body.
    fn tangents_of(&mut self, es: &[SubExp], wanted: &[bool]) -> Vec<SubExp> {
        let wanted = es.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(e, _)| *e);
        wanted.collect::<Vec<_>>().into_iter().flat_map(|e| self.all_tangents(e)).collect()
    }

    /// A name for the tangent of a name, to be bound by the caller.
    fn new_tangent(&mut self, n: Name, ty: &Type) -> (Name, Type) {
        let ty = self.tangent_type(ty);
        let base = format!("{}'", self.b.names.base(n));
        let name = self.b.fresh(&base, ty.clone());
        self.tangents.insert((n, self.lane), name.into());
        (name, ty)
    }

    /// Names for the tangents of a name.
    fn new_tangents(&mut self, n: Name, ty: &Type) -> Bound {
        self.in_lanes(ty, |forward| forward.new_tangent(n, ty))
    }

    /// Parameters for the tangents of those of some parameters that have one, and which have.
    pub(crate) fn tangent_params(&mut self, params: &[Param<Soacs>]) -> (Vec<Param<Soacs>>, Vec<bool>) {
        let active: Vec<bool> = params.iter().map(|p| self.has_tangent(p.name)).collect();
        let mut made = vec![];
        for (p, _) in params.iter().zip(&active).filter(|(_, active)| **active) {
            let new = self.new_tangents(p.name, &p.ty).into_iter();
            made.extend(new.map(|(name, ty)| Param { name, ty, dec: (), consumed: p.consumed }));
        }
        (made, active)
    }

    /// A pattern as it was, names for the tangents of those in it that have one, and which have.
    fn pattern(&mut self, pat: &[PatElem<Soacs>]) -> (Bound, Bound, Vec<bool>) {
        let own = pat.iter().map(|p| (p.name, self.ty(&p.ty))).collect();
        let active: Vec<bool> = pat.iter().map(|p| self.has_tangent(p.name)).collect();
        let with = pat.iter().zip(&active).filter(|(_, active)| **active);
        let tangents = with.flat_map(|(p, _)| self.new_tangents(p.name, &p.ty)).collect();
        (own, tangents, active)
    }

    // Types.

    /// A type as it is now: accumulators of pairs have tangents among their elements.
    fn ty(&self, ty: &Type) -> Type {
        match ty {
            Type::Acc(token, shape, elems) if self.paired.contains(token) => {
                let tangents = self.tangent_types(elems);
                Type::Acc(*token, shape.clone(), elems.iter().cloned().chain(tangents).collect())
            }
            Type::Prim(_) | Type::Array(..) | Type::Acc(..) | Type::Mem(_) => ty.clone(),
        }
    }

    /// The type of a tangent.
    pub(crate) fn tangent_type(&self, ty: &Type) -> Type {
        match ty {
            Type::Prim(p) => Type::Prim(*p).array_of(&self.inner()),
            Type::Array(p, shape) => Type::Prim(*p).array_of(&self.with_inner(shape)),
            Type::Acc(token, shape, elems) => {
                let Some(token) = self.tokens.get(token) else {
                    fehu_base::bug!("no accumulator of tangents")
                };
                Type::Acc(*token, shape.clone(), self.tangent_types(elems))
            }
            Type::Mem(_) => ty.clone(),
        }
    }

    /// The types of the tangents of all lanes.
    fn tangent_types(&self, types: &[Type]) -> Vec<Type> {
        types.iter().flat_map(|t| vec![self.tangent_type(t); self.lanes]).collect()
    }

    /// The dimension that bundles add.
    fn inner(&self) -> Vec<SubExp> {
        self.bundle.into_iter().collect()
    }

    fn with_inner(&self, shape: &[SubExp]) -> Vec<SubExp> {
        shape.iter().copied().chain(self.bundle).collect()
    }

    /// A slice of a tangent: all of the dimension that bundles add.
    fn slice(&self, slice: &[DimIndex]) -> Slice {
        let all = |len| DimIndex::Slice { start: SubExp::i64(0), len, stride: SubExp::i64(1) };
        slice.iter().copied().chain(self.bundle.map(all)).collect()
    }

    /// A permutation of dimensions of a tangent, the innermost of which stays.
    fn perm(&self, perm: &[usize]) -> Vec<usize> {
        perm.iter().copied().chain(self.bundle.map(|_| perm.len())).collect()
    }

    /// The tangent of what does not change, always in memory of its own.
    pub(crate) fn zero(&mut self, ty: &Type) -> SubExp {
        let Some(p) = ty.elem() else { fehu_base::bug!("no zero of {ty:?}") };
        let (zero, ty) = (SubExp::Const(p.blank()), self.tangent_type(ty));
        match ty.is_array() {
            true => {
                let exp = Basic::Replicate(ty.shape().to_vec(), zero);
                self.b.bind("zero", ty, Exp::Basic(exp)).into()
            }
            false => zero,
        }
    }

    // Operations without bodies.

    fn basic(&mut self, attrs: Vec<Attr>, pat: Vec<PatElem<Soacs>>, op: Basic) {
        let [p] = pat.as_slice() else { fehu_base::bug!("{op:?} has one result") };
        if let Basic::UpdateAcc(acc, index, values) = op {
            return self.update_acc(attrs, p, acc, index, values);
        }
        self.bind(attrs, vec![(p.name, self.ty(&p.ty))], Exp::Basic(op.clone()));
        self.in_lanes(&p.ty, |forward| {
            if let Some(new) = forward.tangent_of(p, &op) {
                let tangent = forward.new_tangent(p.name, &p.ty);
                forward.b.bind_names(vec![tangent], Exp::Basic(new));
            }
        });
    }

    /// The operation that gives the tangent of another's result; none where that is found without one.
    fn tangent_of(&mut self, p: &PatElem<Soacs>, op: &Basic) -> Option<Basic> {
        if !self.has_tangent(p.name) {
            return None;
        }
        Some(match op {
            Basic::SubExp(x) => Basic::SubExp(self.tangent_or_zero(*x)),
            Basic::Opaque(x) => Basic::Opaque(self.tangent_or_zero(*x)),
            Basic::UnOp(..) | Basic::BinOp(..) | Basic::Conv(..) | Basic::PrimFn(..) => {
                let sum = self.scalar(p, op);
                self.tangents.insert((p.name, self.lane), sum);
                return None;
            }
            Basic::ArrayLit(xs, ty) => {
                let xs = xs.iter().map(|x| self.tangent_or_zero(*x)).collect();
                Basic::ArrayLit(xs, self.tangent_type(ty))
            }
            Basic::Index(a, slice) => Basic::Index(self.array_tangent(*a), self.slice(slice)),
            Basic::Update(a, slice, x) => {
                let (a, x) = (self.array_tangent(*a), self.tangent_or_zero(*x));
                Basic::Update(a, self.slice(slice), x)
            }
            Basic::FlatIndex(a, offset, dims) => {
                let (flat, offset, dims) = self.flat(*a, *offset, dims);
                Basic::FlatIndex(flat, offset, dims)
            }
            Basic::FlatUpdate(a, offset, dims, x) => {
                let x = self.array_tangent(*x);
                let (flat, offset, dims) = self.flat(*a, *offset, dims);
                let shape = self.with_inner(p.ty.shape());
                let ty = self.b.type_of(flat.into());
                let updated = Basic::FlatUpdate(flat, offset, dims, x);
                Basic::Reshape(shape, self.b.bind("flat", ty, Exp::Basic(updated)))
            }
            Basic::Iota { n, start, step, ty } => {
                let prim = Type::Prim(PrimType::Int(*ty));
                let start = match self.tangent(*n).filter(|_| *ty == IntType::I64) {
                    // The numbers move with how many there are; see docs/derivatives.md.
                    Some(more) => {
                        let start = self.tangent_or_zero(*start);
                        match self.bundle {
                            None => self.b.add64(start, more),
                            Some(k) => self.for_each(k, prim, &[start, more], |b, xs| b.add64(xs[0], xs[1])),
                        }
                    }
                    None => self.tangent_or_zero(*start),
                };
                let step = self.tangent_or_zero(*step);
                match self.bundle {
                    None => Basic::Iota { n: *n, start, step, ty: *ty },
                    Some(_) => Basic::SubExp(self.range(*n, start, step, *ty)),
                }
            }
            Basic::Replicate(shape, x) => Basic::Replicate(shape.clone(), self.tangent_or_zero(*x)),
            Basic::Copy(a) => Basic::Copy(self.array_tangent(*a)),
            Basic::Manifest(perm, a) => Basic::Manifest(self.perm(perm), self.array_tangent(*a)),
            Basic::Concat { dim, arrays, size } => {
                let arrays = arrays.iter().map(|a| self.array_tangent(*a)).collect();
                Basic::Concat { dim: *dim, arrays, size: *size }
            }
            Basic::Rearrange(perm, a) => Basic::Rearrange(self.perm(perm), self.array_tangent(*a)),
            Basic::Reshape(shape, a) => Basic::Reshape(self.with_inner(shape), self.array_tangent(*a)),
            Basic::CmpOp(..)
            | Basic::Assert(..)
            | Basic::ArrayConst(_)
            | Basic::Scratch(..)
            | Basic::UpdateAcc(..) => fehu_base::bug!("{op:?} is not active"),
        })
    }

    /// The tangent of an operation on scalars: the sum of its partial derivatives times tangents.
    fn scalar(&mut self, p: &PatElem<Soacs>, op: &Basic) -> SubExp {
        let Some(prim) = p.ty.elem() else { fehu_base::bug!("{op:?} gives no scalar") };
        let tangents: Vec<Option<SubExp>> = operands(op).iter().map(|x| self.tangent(*x)).collect();
        let wanted: Vec<bool> = tangents.iter().map(Option::is_some).collect();
        let partials = match self.of_winner(op, !wanted.contains(&false)) {
            Some(partials) => partials,
            None => partials(&mut self.b, op, p.name.into(), &wanted),
        };
        let terms: Vec<Term> = partials
            .into_iter()
            .zip(tangents)
            .enumerate()
            .filter(|(_, (partial, _))| *partial != Partial::Zero)
            .filter_map(|(nth, (partial, tangent))| Some(Term { nth, partial, tangent: tangent? }))
            .collect();
        let Some(n) = self.bundle else {
            return match terms.is_empty() {
                true => self.zero(&p.ty),
                false => sum(&mut self.b, op, prim, &terms),
            };
        };
        match terms.as_slice() {
            [] => self.zero(&p.ty),
            [Term { partial: Partial::One, tangent, .. }] => *tangent,
            terms => {
                let tangents: Vec<SubExp> = terms.iter().map(|t| t.tangent).collect();
                self.for_each(n, p.ty.clone(), &tangents, |b, xs| {
                    let own = |(t, x): (&Term, &SubExp)| Term { tangent: *x, ..*t };
                    sum(b, op, prim, &terms.iter().zip(xs).map(own).collect::<Vec<_>>())
                })
            }
        }
    }

    /// The partial derivatives of a minimum or maximum that is an operator: of numbers and NaNs, the numbers win.
    fn of_winner(&mut self, op: &Basic, both: bool) -> Option<Vec<Partial>> {
        let Basic::BinOp(BinOp::FMin(t) | BinOp::FMax(t), x, y) = op else { return None };
        if !self.nan_loses {
            return None;
        }
        let ordered = match matches!(op, Basic::BinOp(BinOp::FMin(_), ..)) {
            true => self.b.cmp(CmpOp::FLe(*t), *x, *y),
            false => self.b.cmp(CmpOp::FLe(*t), *y, *x),
        };
        let is_nan = PrimFn { op: MathFn::IsNan, at: PrimType::Float(*t) };
        let alone = self.b.bind("nan", Type::BOOL, Exp::Basic(Basic::PrimFn(is_nan, vec![*y])));
        let first = self.b.bin(BinOp::LogOr, ordered, alone.into());
        let second = match both {
            true => SubExp::bool(true),
            false => self.b.un(UnOp::Not, first),
        };
        Some(vec![Partial::When(first), Partial::When(second)])
    }

    /// A map over bundles.
    fn for_each(
        &mut self,
        n: SubExp,
        ty: Type,
        bundles: &[SubExp],
        f: impl FnOnce(&mut Builder<Soacs>, &[SubExp]) -> SubExp,
    ) -> SubExp {
        let row = |e: &SubExp| self.b.type_of(*e).peel(1);
        let rows: Vec<Type> = bundles.iter().map(row).collect();
        let params: Vec<Param<Soacs>> = rows.into_iter().map(|t| self.b.param("t", t)).collect();
        let xs: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        let body = self.nested(|forward| vec![f(&mut forward.b, &xs)]);
        let map = Lambda { params, body, ret: vec![ty.clone()] };
        let arrays = bundles.iter().map(|e| array(*e)).collect();
        let map = Screma { width: n, arrays, scans: vec![], reds: vec![], map };
        self.b.bind("ts", ty.array_of(&[n]), Exp::Op(Soac::Screma(map))).into()
    }

    /// The bundles of `start + i * step`.
    fn range(&mut self, n: SubExp, start: SubExp, step: SubExp, ty: IntType) -> SubExp {
        let Some(k) = self.bundle else { fehu_base::bug!("a range of bundles") };
        let prim = Type::Prim(PrimType::Int(ty));
        let numbers = Basic::Iota { n, start: SubExp::int(ty, 0), step: SubExp::int(ty, 1), ty };
        let numbers = self.b.bind("is", prim.array_of(&[n]), Exp::Basic(numbers));
        let row = prim.array_of(&[k]);
        let i = self.b.param("i", prim.clone());
        let at: SubExp = i.name.into();
        let body = self.nested(|forward| {
            vec![forward.for_each(k, prim, &[start, step], |b, xs| {
                let far = b.bin(BinOp::Mul(ty), at, xs[1]);
                b.bin(BinOp::Add(ty), xs[0], far)
            })]
        });
        let map = Lambda { params: vec![i], body, ret: vec![row.clone()] };
        let map = Screma { width: n, arrays: vec![numbers], scans: vec![], reds: vec![], map };
        self.b.bind("range", row.array_of(&[n]), Exp::Op(Soac::Screma(map))).into()
    }

    /// A flat slice of an array's tangent. Bundles are the innermost dimension of the slice, too.
    fn flat(
        &mut self,
        a: Name,
        offset: SubExp,
        dims: &[(SubExp, SubExp)],
    ) -> (Name, SubExp, Vec<(SubExp, SubExp)>) {
        let tangent = self.array_tangent(a);
        let Some(n) = self.bundle else { return (tangent, offset, dims.to_vec()) };
        let ty = self.b.type_of(tangent.into());
        let size = self.b.product(ty.shape());
        let Some(p) = ty.elem() else { fehu_base::bug!("a slice of {ty:?}") };
        let flat = Basic::Reshape(vec![size], tangent);
        let flat = self.b.bind("flat", Type::Array(p, vec![size]), Exp::Basic(flat));
        let offset = self.b.mul64(offset, n);
        let dims: Vec<_> = dims.iter().map(|(len, stride)| (*len, self.b.mul64(*stride, n))).collect();
        (flat, offset, dims.into_iter().chain([(n, SubExp::i64(1))]).collect())
    }
}

/// The name of an array.
fn array(e: SubExp) -> Name {
    match e {
        SubExp::Var(n) => n,
        SubExp::Const(v) => fehu_base::bug!("{v} is no array"),
    }
}

/// A summand of a tangent: by which operand, how much, and the operand's tangent.
#[derive(Clone, Copy)]
struct Term {
    nth: usize,
    partial: Partial,
    tangent: SubExp,
}

/// The sum of partial derivatives times tangents, of scalars. There is a term.
fn sum(b: &mut Builder<Soacs>, op: &Basic, prim: PrimType, terms: &[Term]) -> SubExp {
    let mut total = None;
    // Of terms with conditions, the first that holds counts.
    for term in terms.iter().rev() {
        if let Partial::When(cond) = term.partial {
            let rest = total.unwrap_or(SubExp::Const(prim.blank()));
            total = Some(select(b, cond, term.tangent, rest));
        }
    }
    let (add, sub, mul) = match prim {
        PrimType::Int(t) => (BinOp::Add(t), BinOp::Sub(t), BinOp::Mul(t)),
        PrimType::Float(t) => (BinOp::FAdd(t), BinOp::FSub(t), BinOp::FMul(t)),
        // Truth values only come from conversions, which have one operand.
        PrimType::Bool | PrimType::Unit => (BinOp::LogOr, BinOp::LogOr, BinOp::LogAnd),
    };
    for term in terms {
        let t = term.tangent;
        total = Some(match (term.partial, total) {
            (Partial::Zero | Partial::When(_), _) => continue,
            (Partial::One, None) => t,
            (Partial::One, Some(so_far)) => b.bin(add, so_far, t),
            (Partial::Minus, None) => negative(b, prim, t),
            (Partial::Minus, Some(so_far)) => b.bin(sub, so_far, t),
            (Partial::Times(by), None) => b.bin(mul, t, by),
            (Partial::Times(by), Some(so_far)) => {
                let part = b.bin(mul, t, by);
                b.bin(add, so_far, part)
            }
            (Partial::Same, _) => same(b, op, term.nth, t),
        });
    }
    total.unwrap_or(SubExp::Const(prim.blank()))
}

fn negative(b: &mut Builder<Soacs>, prim: PrimType, x: SubExp) -> SubExp {
    match prim {
        PrimType::Int(t) => b.un(UnOp::Neg(t), x),
        PrimType::Float(t) => b.un(UnOp::FNeg(t), x),
        PrimType::Bool | PrimType::Unit => x,
    }
}

/// An operation that is linear in an operand, of the operand's tangent.
fn same(b: &mut Builder<Soacs>, op: &Basic, nth: usize, tangent: SubExp) -> SubExp {
    if let Basic::Conv(op, _) = op {
        return b.conv(*op, tangent);
    }
    let Basic::PrimFn(f, xs) = op else { fehu_base::bug!("{op:?} is not linear") };
    let mut xs = xs.clone();
    xs[nth] = tangent;
    b.bind("t", Type::Prim(f.signature().1), Exp::Basic(Basic::PrimFn(*f, xs))).into()
}
