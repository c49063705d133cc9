//! What is put into an accumulator, as code that can run at another place: given the index of each dimension,
//! it computes one contribution.
//!
//! Code is made for what is needed only. An element of a mapped array is computed as the map does it. What
//! takes long, and would be computed more often than before, is stored by the original code, and read.

use super::scopes::{Is, Kind, ScopeId, Scopes};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::cost::{scalar_instructions, Cost};
use fehu_ir::free::{free_in_body, free_in_exp, Names};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::{rename_exp, Subst};
use fehu_ir::types::slice_shape;
use fehu_ir::{Basic, Body, Builder, DimIndex, Exp, Purpose, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of dimensions of a nest.
pub(super) type Dims = u64;

/// Instructions that may be computed again for each element instead of being stored.
const MOST_AGAIN: usize = 6;

/// Statements that are made for one contribution, at most.
const MOST_STATEMENTS: usize = 400;

/// What is known at a place in the code that is made.
#[derive(Clone, Default)]
pub(super) struct Env {
    /// What stands for names of the original code.
    values: FxHashMap<Name, SubExp>,
    /// The element that each map is at.
    counters: FxHashMap<ScopeId, SubExp>,
}

/// What makes the code of one contribution.
pub(super) struct Values<'v, 'a> {
    pub(super) b: &'v mut Builder<Soacs>,
    pub(super) scopes: &'v Scopes<'a>,
    pub(super) around: &'v Around<'a>,
    /// The dimensions around the update, from the outermost.
    pub(super) path: Vec<ScopeId>,
    /// The place of each dimension in the nest that is made.
    pub(super) order: Vec<usize>,
    /// On which dimensions the names of the code that is made depend.
    deps: FxHashMap<Name, Dims>,
    /// Instructions that a name takes and that are computed more often than before.
    again: FxHashMap<Name, usize>,
    /// What is stored by the original code: the array that it becomes.
    pub(super) stored: FxHashMap<Name, Name>,
    made: usize,
    /// Certificates of what is read now.
    reading: Vec<Name>,
    /// Certificates of the whole nest.
    pub(super) certs: Vec<Name>,
}

/// What is known of the code around an accumulation.
pub(super) struct Around<'a> {
    pub(super) aliases: &'a Aliases,
    /// What the accumulation consumes, and from where its memory may come.
    pub(super) consumed: Names,
    /// Arrays of 0, 1, 2..
    pub(super) iotas: &'a FxHashSet<Name>,
}

impl<'v, 'a> Values<'v, 'a> {
    pub(super) fn new(
        b: &'v mut Builder<Soacs>,
        scopes: &'v Scopes<'a>,
        around: &'v Around<'a>,
        path: Vec<ScopeId>,
    ) -> Values<'v, 'a> {
        let order = (0..path.len()).collect();
        let (deps, again, stored) = Default::default();
        Values {
            b,
            scopes,
            around,
            path,
            order,
            deps,
            again,
            stored,
            made: 0,
            reading: vec![],
            certs: vec![],
        }
    }

    /// The counters of all dimensions, and what is known there.
    pub(super) fn counters(&mut self) -> (Vec<Name>, Env) {
        let (mut names, mut env) = (vec![], Env::default());
        for (k, scope) in self.path.clone().into_iter().enumerate() {
            let name = self.b.fresh("i", Type::I64);
            self.deps.insert(name, 1 << k);
            env.counters.insert(scope, name.into());
            names.push(name);
        }
        (names, env)
    }

    /// On which dimensions an operand depends.
    pub(super) fn deps(&self, e: SubExp) -> Dims {
        e.name().and_then(|n| self.deps.get(&n)).copied().unwrap_or(0)
    }

    /// Leaves out what depends on some dimensions.
    pub(super) fn without(&self, env: &mut Env, dims: Dims) {
        env.values.retain(|_, e| self.deps(*e) & dims == 0);
    }

    /// A scalar of the original code, in the code that is made.
    pub(super) fn scalar(&mut self, e: SubExp, env: &mut Env) -> Option<SubExp> {
        let SubExp::Var(n) = e else { return Some(e) };
        let Some(def) = self.scopes.defs.get(&n).copied() else { return Some(e) };
        if let Some(known) = env.values.get(&n) {
            return Some(*known);
        }
        let value = match def.is {
            Is::Counter => env.counters.get(&def.scope).copied()?,
            Is::Element(array) => {
                let at = DimIndex::Fix(env.counters.get(&def.scope).copied()?);
                self.read(array, vec![at], env)?
            }
            Is::Result(stm, at) => match fehu_ir::visit::deep(|| self.result(stm, at, env)) {
                Some(value) => value,
                None => self.read_stored(n, vec![], env)?,
            },
            Is::Unknown => return None,
        };
        env.values.insert(n, value);
        Some(value)
    }

    /// A scalar result of a statement, computed again.
    fn result(&mut self, stm: &'a Stm<Soacs>, at: usize, env: &mut Env) -> Option<SubExp> {
        match &stm.exp {
            Exp::Basic(op) => self.basic(stm, op, env),
            Exp::If(c, yes, no) => self.branch(stm, at, (*c, yes, no), env),
            Exp::WithAcc(w) if self.is_certain(stm) => {
                let others = at.checked_sub(w.inputs.iter().map(|i| i.arrays.len()).sum())?;
                let result = *w.lambda.body.result.get(w.inputs.len() + others)?;
                self.scalar(result, env)
            }
            Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    fn basic(&mut self, stm: &'a Stm<Soacs>, op: &'a Basic, env: &mut Env) -> Option<SubExp> {
        let certs = self.certs(&stm.certs, env)?;
        match op {
            Basic::SubExp(x) if certs.is_empty() => self.scalar(*x, env),
            Basic::Index(array, slice) => {
                let slice = slice.iter().map(|d| self.dim(d, env)).collect::<Option<_>>()?;
                self.with_certs(certs, |v| v.read(*array, slice, env))
            }
            // The original code, which keeps the check, has run when this does.
            Basic::Assert(_, _, Purpose::Program | Purpose::Sizes { .. }) => {
                Some(SubExp::Const(PrimType::Unit.blank()))
            }
            Basic::SubExp(_)
            | Basic::UnOp(..)
            | Basic::BinOp(..)
            | Basic::CmpOp(..)
            | Basic::Conv(..)
            | Basic::PrimFn(..)
            | Basic::Assert(_, _, Purpose::Values) => {
                let Cost::Instructions(own) = op.cost() else { return None };
                let exp = self.substituted(&stm.exp, env)?;
                let made = self.emit(stm, exp, own, certs)?;
                made.first().map(|n| (*n).into())
            }
            Basic::Opaque(_)
            | Basic::ArrayLit(..)
            | Basic::ArrayConst(_)
            | Basic::Update(..)
            | Basic::FlatIndex(..)
            | Basic::FlatUpdate(..)
            | Basic::Iota { .. }
            | Basic::Replicate(..)
            | Basic::Scratch(..)
            | Basic::Copy(_)
            | Basic::Manifest(..)
            | Basic::Concat { .. }
            | Basic::Rearrange(..)
            | Basic::Reshape(..)
            | Basic::UpdateAcc(..) => None,
        }
    }

    /// Scalars that a branch gives, computed by a branch; the code in it must be of scalars.
    fn branch(
        &mut self,
        stm: &'a Stm<Soacs>,
        at: usize,
        (_, yes, no): (SubExp, &'a Body<Soacs>, &'a Body<Soacs>),
        env: &mut Env,
    ) -> Option<SubExp> {
        if !stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(t) if t != PrimType::Unit)) {
            return None;
        }
        let own = 1 + scalar_instructions(yes)? + scalar_instructions(no)?;
        let certs = self.certs(&stm.certs, env)?;
        let exp = self.substituted(&stm.exp, env)?;
        let exp = rename_exp(&mut self.b.names, &exp);
        let made = self.emit(stm, exp, own, certs)?;
        for (p, n) in stm.pat.iter().zip(&made) {
            env.values.insert(p.name, (*n).into());
        }
        made.get(at).map(|n| (*n).into())
    }

    /// The certificates of a statement, of what is bound inside; others are those of the nest.
    pub(super) fn certs(&mut self, certs: &[Name], env: &mut Env) -> Option<Vec<Name>> {
        let mut own = vec![];
        for c in certs {
            match self.scopes.is_inside((*c).into()) {
                true => own.extend(self.scalar((*c).into(), env)?.name()),
                false if self.certs.contains(c) => {}
                false => self.certs.push(*c),
            }
        }
        Some(own)
    }

    /// Whether a statement relies on no certificate that is bound inside; others are those of the nest.
    fn is_certain(&mut self, stm: &Stm<Soacs>) -> bool {
        let certain = stm.certs.iter().all(|c| !self.scopes.is_inside((*c).into()));
        if certain {
            let more: Vec<Name> = stm.certs.iter().copied().filter(|c| !self.certs.contains(c)).collect();
            self.certs.extend(more);
        }
        certain
    }

    /// An expression with what stands for the names in it.
    fn substituted(&mut self, exp: &Exp<Soacs>, env: &mut Env) -> Option<Exp<Soacs>> {
        let mut subst = Subst::new();
        for n in free_in_exp(exp) {
            if !self.scopes.is_inside(n.into()) {
                continue;
            }
            let value = match self.b.types.get(&n) {
                Some(Type::Prim(_)) => self.scalar(n.into(), env)?,
                Some(Type::Array(..)) => self.whole(n, env)?,
                Some(Type::Acc(..) | Type::Mem(_)) | None => return None,
            };
            subst.insert(n, value);
        }
        let mut exp = exp.clone();
        subst.exp(&mut exp);
        Some(exp)
    }

    /// Emits what a statement becomes, if that does not take too long.
    fn emit(&mut self, stm: &Stm<Soacs>, exp: Exp<Soacs>, own: usize, certs: Vec<Name>) -> Option<Vec<Name>> {
        self.made += 1;
        if self.made > MOST_STATEMENTS {
            return None;
        }
        let (mut deps, mut again) = (0, own);
        for n in free_in_exp(&exp).into_iter().chain(certs.iter().copied()) {
            deps |= self.deps(n.into());
            again += self.again.get(&n).copied().unwrap_or(0);
        }
        let depth = stm.pat.first().and_then(|p| self.scopes.defs.get(&p.name))?.scope;
        if self.prefix(deps) <= self.scopes.depth(depth) {
            again = 0;
        }
        if again > MOST_AGAIN {
            return None;
        }
        self.b.certs = certs;
        let made = self.b.bind_all("t", stm.pat.iter().map(|p| p.ty.clone()).collect(), exp);
        self.b.certs.clear();
        for n in &made {
            self.deps.insert(*n, deps);
            self.again.insert(*n, again);
        }
        Some(made)
    }

    /// Binds the results of code that is made.
    pub(super) fn bind_with_deps(&mut self, types: Vec<Type>, exp: Exp<Soacs>) -> Vec<SubExp> {
        let names = free_in_exp(&exp).into_iter().chain(self.b.certs.clone());
        let deps = names.fold(0, |all, n| all | self.deps(n.into()));
        let made = self.b.bind_all("v", types, exp);
        self.deps.extend(made.iter().map(|n| (*n, deps)));
        made.into_iter().map(SubExp::Var).collect()
    }

    /// How many dimensions of the nest that is made are around code that depends on some.
    fn prefix(&self, deps: Dims) -> usize {
        let around = self.order.iter().enumerate().filter(|(d, _)| deps & (1 << d) != 0);
        around.map(|(_, place)| place + 1).max().unwrap_or(0)
    }

    // Arrays.

    /// All of an array.
    fn whole(&mut self, array: Name, env: &mut Env) -> Option<SubExp> {
        let shape = self.b.types.get(&array)?.shape().to_vec();
        let mut slice = vec![];
        for n in shape {
            slice.push(super::all(self.scalar(n, env)?));
        }
        self.read(array, slice, env)
    }

    fn dim(&mut self, d: &DimIndex, env: &mut Env) -> Option<DimIndex> {
        Some(match d {
            DimIndex::Fix(i) => DimIndex::Fix(self.scalar(*i, env)?),
            DimIndex::Slice { start, len, stride } => DimIndex::Slice {
                start: self.scalar(*start, env)?,
                len: self.scalar(*len, env)?,
                stride: self.scalar(*stride, env)?,
            },
        })
    }

    fn with_certs<T>(&mut self, certs: Vec<Name>, f: impl FnOnce(&mut Self) -> T) -> T {
        if certs.is_empty() {
            return f(self);
        }
        let outer = std::mem::replace(&mut self.reading, certs);
        let result = f(self);
        self.reading = outer;
        result
    }

    /// A part of an array; indices are those of the code that is made.
    fn read(&mut self, array: Name, slice: Vec<DimIndex>, env: &mut Env) -> Option<SubExp> {
        let Some(def) = self.scopes.defs.get(&array).copied() else {
            return self.index(array, slice);
        };
        match def.is {
            Is::Counter | Is::Unknown => None,
            Is::Element(rows) => {
                let at = DimIndex::Fix(env.counters.get(&def.scope).copied()?);
                self.read(rows, std::iter::once(at).chain(slice).collect(), env)
            }
            Is::Result(stm, k) => {
                let seen = fehu_ir::visit::deep(|| self.read_result(stm, k, &slice, env));
                match seen {
                    Some(e) => Some(e),
                    None => self.read_stored(array, slice, env),
                }
            }
        }
    }

    /// A part of what a statement makes, if that need not be made.
    fn read_result(
        &mut self,
        stm: &'a Stm<Soacs>,
        k: usize,
        slice: &[DimIndex],
        env: &mut Env,
    ) -> Option<SubExp> {
        if !self.is_certain(stm) || !stm.attrs.is_empty() {
            return None;
        }
        match &stm.exp {
            Exp::Basic(op) => self.read_view(op, slice, env),
            Exp::Op(Soac::Screma(s)) => self.read_mapped(stm, s, k, slice, env),
            Exp::WithAcc(w) => {
                let others = k.checked_sub(w.inputs.iter().map(|i| i.arrays.len()).sum())?;
                let result = w.lambda.body.result.get(w.inputs.len() + others)?.name()?;
                self.read(result, slice.to_vec(), env)
            }
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::Op(_) => None,
        }
    }

    /// A part of the results of a map, as the map computes it.
    fn read_mapped(
        &mut self,
        stm: &'a Stm<Soacs>,
        s: &'a Screma<Soacs>,
        k: usize,
        slice: &[DimIndex],
        env: &mut Env,
    ) -> Option<SubExp> {
        let reduced: usize = s.scans.iter().map(|scan| scan.neutral.len()).sum::<usize>()
            + s.reds.iter().map(|red| red.neutral.len()).sum::<usize>();
        let (DimIndex::Fix(at), rest) = slice.split_first()? else { return None };
        if k < reduced {
            return None;
        }
        let scope = self.scopes.of_stm.get(&stm.pat.first()?.name).copied()?;
        let mut inner = env.clone();
        inner.counters.insert(scope, *at);
        let result = *s.map.body.result.get(k)?;
        match (rest.is_empty(), result) {
            (true, e) => self.scalar(e, &mut inner),
            (false, SubExp::Var(row)) => self.read(row, rest.to_vec(), &mut inner),
            (false, SubExp::Const(_)) => None,
        }
    }

    /// A part of another view of an array.
    fn read_view(&mut self, op: &'a Basic, slice: &[DimIndex], env: &mut Env) -> Option<SubExp> {
        match op {
            Basic::SubExp(SubExp::Var(a)) | Basic::Copy(a) => self.read(*a, slice.to_vec(), env),
            Basic::Index(a, of) => {
                let mut dims = slice.iter();
                let mut parts = vec![];
                for d in of {
                    let part = match self.dim(d, env)? {
                        DimIndex::Fix(i) => DimIndex::Fix(i),
                        DimIndex::Slice { start, stride, .. } => self.within(start, stride, dims.next()?),
                    };
                    parts.push(part);
                }
                self.read(*a, parts, env)
            }
            Basic::Rearrange(perm, a) => {
                let kept = slice.iter().filter(|d| matches!(d, DimIndex::Slice { .. })).count();
                if kept > 1 {
                    return None;
                }
                let mut parts = slice.to_vec();
                for (d, of) in perm.iter().zip(slice) {
                    *parts.get_mut(*d)? = *of;
                }
                self.read(*a, parts, env)
            }
            Basic::Reshape(shape, a) => {
                let own = self.b.types.get(a)?.shape().to_vec();
                let parts = reshaped(shape, &own, slice)?;
                self.read(*a, parts, env)
            }
            Basic::Update(a, of, SubExp::Var(part)) => {
                let shape = self.b.types.get(a)?.shape().to_vec();
                let parts = updated(of, &shape, slice)?;
                match parts.is_empty() {
                    true => self.scalar((*part).into(), env),
                    false => self.read(*part, parts, env),
                }
            }
            Basic::ArrayLit(elements, _) => {
                let (DimIndex::Fix(at), rest) = slice.split_first()? else { return None };
                let element = *elements.get(usize::try_from(at.as_i64()?).ok()?)?;
                match (rest.is_empty(), element) {
                    (true, e) => self.scalar(e, env),
                    (false, SubExp::Var(row)) => self.read(row, rest.to_vec(), env),
                    (false, SubExp::Const(_)) => None,
                }
            }
            Basic::Iota { start, step, ty: fehu_base::prim::IntType::I64, .. } => match slice {
                [DimIndex::Fix(i)] => {
                    let (start, step) = (self.scalar(*start, env)?, self.scalar(*step, env)?);
                    Some(self.affine(start, *i, step))
                }
                _ => None,
            },
            Basic::Replicate(shape, x) => {
                let (outer, rest) = slice.split_at_checked(shape.len())?;
                if outer.iter().any(|d| matches!(d, DimIndex::Slice { .. })) {
                    return None;
                }
                match (rest.is_empty(), x) {
                    (true, x) => self.scalar(*x, env),
                    (false, SubExp::Var(a)) => self.read(*a, rest.to_vec(), env),
                    (false, SubExp::Const(_)) => None,
                }
            }
            Basic::SubExp(_)
            | Basic::Opaque(_)
            | Basic::UnOp(..)
            | Basic::BinOp(..)
            | Basic::CmpOp(..)
            | Basic::Conv(..)
            | Basic::PrimFn(..)
            | Basic::Assert(..)
            | Basic::ArrayConst(_)
            | Basic::Update(..)
            | Basic::FlatIndex(..)
            | Basic::FlatUpdate(..)
            | Basic::Iota { .. }
            | Basic::Scratch(..)
            | Basic::Manifest(..)
            | Basic::Concat { .. }
            | Basic::UpdateAcc(..) => None,
        }
    }

    /// A part of a slice.
    fn within(&mut self, start: SubExp, stride: SubExp, part: &DimIndex) -> DimIndex {
        match *part {
            DimIndex::Fix(i) => DimIndex::Fix(self.affine(start, i, stride)),
            DimIndex::Slice { start: inner, len, stride: by } => {
                let start = self.affine(start, inner, stride);
                let none = SubExp::i64(0);
                DimIndex::Slice { start, len, stride: self.affine(none, by, stride) }
            }
        }
    }

    /// `start + i * step`
    fn affine(&mut self, start: SubExp, i: SubExp, step: SubExp) -> SubExp {
        let far = self.b.mul64(i, step);
        self.depends(far, &[i, step]);
        let sum = self.b.add64(start, far);
        self.depends(sum, &[start, far]);
        sum
    }

    fn depends(&mut self, e: SubExp, on: &[SubExp]) {
        if let SubExp::Var(n) = e {
            let deps = on.iter().fold(0, |all, e| all | self.deps(*e));
            *self.deps.entry(n).or_insert(0) |= deps;
        }
    }

    /// A part of an array that the code that is made can name.
    fn index(&mut self, array: Name, slice: Vec<DimIndex>) -> Option<SubExp> {
        if let ([DimIndex::Fix(i)], true) = (slice.as_slice(), self.around.iotas.contains(&array)) {
            return Some(*i);
        }
        let ty = self.b.types.get(&array)?.clone();
        let whole = slice.iter().zip(ty.shape()).all(|(d, n)| *d == super::all(*n));
        if whole && self.reading.is_empty() {
            return Some(array.into());
        }
        let part = Type::Prim(ty.elem()?).array_of(&slice_shape(&slice));
        let exp = Exp::Basic(Basic::Index(array, slice));
        let mut deps = 0;
        for n in free_in_exp(&exp).into_iter().chain(self.reading.clone()) {
            deps |= self.deps(n.into());
        }
        self.b.certs = self.reading.clone();
        let name = self.b.bind("x", part, exp);
        self.b.certs.clear();
        self.deps.insert(name, deps);
        self.again.insert(name, 1);
        Some(name.into())
    }

    // What is stored.

    /// A part of what the original code computes, stored by it.
    fn read_stored(&mut self, n: Name, slice: Vec<DimIndex>, env: &Env) -> Option<SubExp> {
        let array = self.store(n)?;
        let def = self.scopes.defs.get(&n)?;
        let mut at = vec![];
        for scope in self.scopes.chain(def.scope) {
            if self.scopes.is_dim(scope) {
                at.push(DimIndex::Fix(env.counters.get(&scope).copied()?));
            }
        }
        at.extend(slice);
        match at.is_empty() {
            true => Some(array.into()),
            false => self.index(array, at),
        }
    }

    /// The name of what is computed at a place for each index of the dimensions around it, if it may be
    /// stored.
    fn store(&mut self, n: Name) -> Option<Name> {
        if let Some(known) = self.stored.get(&n) {
            return Some(*known);
        }
        let ty = self.b.types.get(&n)?.clone();
        let def = self.scopes.defs.get(&n)?;
        let is_value = matches!(ty, Type::Prim(_) | Type::Array(..)) && ty.elem() != Some(PrimType::Unit);
        let is_free = ty.shape().iter().all(|n| !self.scopes.is_inside(*n));
        let shared = self.around.aliases.of(n).iter().any(|a| self.around.consumed.contains(a));
        if !is_value || !is_free || (ty.is_array() && shared) {
            return None;
        }
        let mut widths = vec![];
        for scope in self.scopes.chain(def.scope) {
            match self.scopes.scopes[scope].kind {
                Kind::Once => {}
                Kind::Map(width) if !self.scopes.is_inside(width) => {
                    widths.push(width);
                }
                Kind::Map(_) | Kind::Count(_) | Kind::Branch(..) | Kind::Other => return None,
            }
        }
        let in_order = self.order.iter().copied().eq(0..self.path.len());
        let rank = widths.len() + ty.rank();
        let is_small = rank < self.path.len() || rank <= 1 || in_order || takes_long(def.is);
        if rank > self.path.len() || !is_small {
            return None;
        }
        let name = self.b.fresh("kept", ty.array_of(&widths));
        self.stored.insert(n, name);
        Some(name)
    }
}

/// Whether what a name is takes longer than a few instructions for each number.
fn takes_long(is: Is<'_>) -> bool {
    let Is::Result(stm, k) = is else { return false };
    match &stm.exp {
        Exp::Op(Soac::Screma(s)) => {
            let is_reduced = s.scans.is_empty() && k < s.reds.iter().map(|red| red.neutral.len()).sum();
            is_reduced || scalar_instructions(&s.map.body).is_none()
        }
        Exp::Call(..) | Exp::Loop(_) => true,
        Exp::Basic(_) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

/// A part of an updated array, as a part of the new value, if it lies within that by its form: an index that
/// is the same constant, or a dimension that is updated as a whole.
fn updated(of: &[DimIndex], shape: &[SubExp], slice: &[DimIndex]) -> Option<Vec<DimIndex>> {
    let mut parts = vec![];
    for ((written, read), n) in of.iter().zip(slice).zip(shape) {
        match (written, read) {
            (DimIndex::Fix(i @ SubExp::Const(_)), DimIndex::Fix(j)) if i == j => {}
            (DimIndex::Slice { .. }, part) if *written == super::all(*n) => parts.push(*part),
            _ => return None,
        }
    }
    Some(parts)
}

/// A part of a reshaped array, as a part of the array, if the shapes differ in dimensions of one element
/// only.
fn reshaped(shape: &[SubExp], own: &[SubExp], slice: &[DimIndex]) -> Option<Vec<DimIndex>> {
    let is_one = |n: &SubExp| n.as_i64() == Some(1);
    let (mut parts, mut long) = (vec![], vec![]);
    for (n, d) in shape.iter().zip(slice) {
        match (is_one(n), d) {
            (true, DimIndex::Fix(_)) => {}
            (true, DimIndex::Slice { .. }) => return None,
            (false, d) => long.push((*n, *d)),
        }
    }
    let mut long = long.into_iter();
    let mut differ = 0;
    for n in own {
        if is_one(n) {
            parts.push(DimIndex::Fix(SubExp::i64(0)));
            continue;
        }
        let (of, d) = long.next()?;
        differ += usize::from(of != *n);
        parts.push(d);
    }
    (long.next().is_none() && differ <= 1).then_some(parts)
}

/// Statements without those that nothing needs.
pub(super) fn needed(stms: Vec<Stm<Soacs>>, wanted: &[SubExp]) -> Vec<Stm<Soacs>> {
    let mut names: FxHashSet<Name> = wanted.iter().filter_map(|e| e.name()).collect();
    let mut kept = vec![];
    for mut stm in stms.into_iter().rev() {
        if stm.pat.iter().any(|p| names.contains(&p.name)) {
            if let Exp::If(_, yes, no) = &mut stm.exp {
                for body in [yes, no] {
                    body.stms = needed(std::mem::take(&mut body.stms), &body.result);
                    names.extend(free_in_body(body));
                }
            }
            names.extend(free_in_exp(&stm.exp));
            names.extend(stm.certs.iter().copied());
            kept.push(stm);
        }
    }
    kept.reverse();
    kept
}
