//! Indexing into arrays whose making is known.

use super::{Rewrite, Rule, MAX_COPIED};
use crate::simplify::engine::Engine;
use crate::simplify::frame::FrameKind;
use crate::simplify::hoist::is_total;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::free::free_in_body;
use fehu_ir::op::{OpView, RepOp};
use fehu_ir::seg::{KernelReturn, SegKind, SegOp};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::{rename_body, rename_lambda, Subst};
use fehu_ir::{Basic, Body, DimIndex, Exp, Loc, Rep, Shape, Slice, Stm, SubExp, Type};
use std::rc::Rc;

/// Statements of a lambda that may be computed again, at most.
const MAX_TRIVIAL: usize = 3;

/// Joined arrays between which an element is chosen by comparing its place with their sizes, at most.
const MAX_JOINED: usize = 4;

pub(super) fn rules<R: Rep<Dec = ()>>() -> [Rule<R>; 4] {
    [
        Rule { name: "whole slice", apply: whole },
        Rule { name: "index of producer", apply: of_producer },
        Rule { name: "index of map", apply: of_map },
        Rule { name: "index of kernel", apply: of_kernel },
    ]
}

/// The slice of everything is the array.
fn whole<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Index(a, slice)) = &stm.exp else { return None };
    let ty = engine.types.get(a)?;
    let all = slice.len() == ty.rank() && slice.iter().zip(ty.shape()).all(|(d, n)| is_whole(d, *n));
    all.then(|| Rewrite::Operands(vec![(*a).into()]))
}

/// Whether a dimension of a slice is all of a dimension of that size.
pub(crate) fn is_whole(d: &DimIndex, n: SubExp) -> bool {
    match d {
        DimIndex::Fix(_) => false,
        DimIndex::Slice { start, len, stride } => {
            start.as_i64() == Some(0) && *len == n && stride.as_i64() == Some(1)
        }
    }
}

fn of_producer<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Index(a, slice)) = &stm.exp else { return None };
    let def = engine.def(*a)?.clone();
    if def.index != 0 {
        return None;
    }
    let mut emit = Emit { engine, stms: vec![], certs: stm.certs.clone(), loc: &stm.loc };
    let exp = emit.producer(&def.exp, *a, slice)?;
    let Emit { mut stms, mut certs, .. } = emit;
    certs.extend(def.certs.iter().copied());
    stms.push(Stm { certs, exp, ..stm.clone() });
    Some(Rewrite::Stms(stms))
}

/// Statements made on the way to an index.
struct Emit<'e, 'a, R: Rep<Dec = ()>> {
    engine: &'e mut Engine<'a, R>,
    stms: Vec<Stm<R>>,
    certs: Vec<Name>,
    loc: &'e Loc,
}

impl<R: Rep<Dec = ()>> Emit<'_, '_, R> {
    fn bind(&mut self, ty: Type, exp: Exp<R>) -> SubExp {
        let (name, stm) = self.engine.fresh_stm("t", ty, self.loc, exp);
        self.stms.push(stm);
        name.into()
    }

    fn add(&mut self, t: IntType, x: SubExp, y: SubExp) -> SubExp {
        match (x.as_i64(), y.as_i64()) {
            (Some(0), _) => y,
            (_, Some(0)) => x,
            (Some(a), Some(b)) => SubExp::int(t, a.wrapping_add(b)),
            _ => self.bind(Type::Prim(PrimType::Int(t)), Exp::Basic(Basic::BinOp(BinOp::Add(t), x, y))),
        }
    }

    fn mul(&mut self, t: IntType, x: SubExp, y: SubExp) -> SubExp {
        match (x.as_i64(), y.as_i64()) {
            (Some(1), _) => y,
            (_, Some(1)) => x,
            (Some(a), Some(b)) => SubExp::int(t, a.wrapping_mul(b)),
            _ => self.bind(Type::Prim(PrimType::Int(t)), Exp::Basic(Basic::BinOp(BinOp::Mul(t), x, y))),
        }
    }

    fn producer(&mut self, exp: &Rc<Exp<R>>, array: Name, slice: &Slice) -> Option<Exp<R>> {
        let fixed: Option<Vec<SubExp>> = slice.iter().map(fix).collect();
        match &**exp {
            Exp::Basic(Basic::Iota { n: _, start, step, ty }) => self.of_iota(*start, *step, *ty, slice),
            Exp::Basic(Basic::Replicate(shape, e)) => self.of_replicate(shape, *e, slice),
            Exp::Basic(Basic::ArrayLit(es, _)) => self.of_literal(es, slice),
            Exp::Basic(Basic::ArrayConst(data)) => {
                let i = usize::try_from(fixed?.first()?.as_i64()?).ok()?;
                Some(Exp::Basic(Basic::SubExp(SubExp::Const(*data.values.get(i)?))))
            }
            Exp::Basic(Basic::Copy(b) | Basic::Manifest(_, b)) => {
                let unread = self.engine.classes.is_consumed(*b);
                let written = fixed.is_none() && self.engine.classes.is_consumed(array);
                (!unread && !written).then(|| Exp::Basic(Basic::Index(*b, slice.clone())))
            }
            Exp::Basic(Basic::Rearrange(perm, b)) => of_rearrange(perm, *b, slice),
            Exp::Basic(Basic::Reshape(_, b)) => self.of_reshape(*b, array, slice),
            Exp::Basic(Basic::Index(b, outer)) => {
                let part = fixed.and_then(|_| self.updated_part(*b, outer));
                let exp = match part {
                    Some(value) => Basic::Index(value, slice.clone()),
                    None => Basic::Index(*b, self.compose(outer, slice)?),
                };
                Some(Exp::Basic(exp))
            }
            Exp::Basic(Basic::Update(_, outer, e)) => {
                let same = fixed.is_some() && outer == slice;
                same.then_some(Exp::Basic(Basic::SubExp(*e)))
            }
            Exp::Basic(Basic::Concat { dim: 0, arrays, .. }) => self.of_concat(arrays, array, slice),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    fn of_iota(&mut self, start: SubExp, step: SubExp, ty: IntType, slice: &Slice) -> Option<Exp<R>> {
        let at = |s: &mut Self, i: SubExp| {
            let i = match (ty, i.as_i64()) {
                (IntType::I64, _) => i,
                (_, Some(v)) => SubExp::int(ty, v),
                (_, None) => s.bind(
                    Type::Prim(PrimType::Int(ty)),
                    Exp::Basic(Basic::Conv(ConvOp::SExt(IntType::I64, ty), i)),
                ),
            };
            let offset = s.mul(ty, i, step);
            s.add(ty, offset, start)
        };
        match slice.as_slice() {
            [DimIndex::Fix(i)] => Some(Exp::Basic(Basic::SubExp(at(self, *i)))),
            [DimIndex::Slice { start: from, len, stride }] if ty == IntType::I64 => {
                let first = at(self, *from);
                let step = self.mul(ty, step, *stride);
                Some(Exp::Basic(Basic::Iota { n: *len, start: first, step, ty }))
            }
            _ => None,
        }
    }

    fn of_replicate(&mut self, shape: &Shape, e: SubExp, slice: &Slice) -> Option<Exp<R>> {
        let (outer, inner) = slice.split_at_checked(shape.len())?;
        let kept: Shape = outer
            .iter()
            .filter_map(|d| match d {
                DimIndex::Fix(_) => None,
                DimIndex::Slice { len, .. } => Some(*len),
            })
            .collect();
        let row = match e {
            SubExp::Var(n) if !inner.is_empty() => {
                if self.engine.classes.is_consumed(n) {
                    return None;
                }
                let whole = {
                    let ty = self.engine.types.get(&n)?;
                    inner.iter().zip(ty.shape()).all(|(d, n)| is_whole(d, *n))
                };
                if whole {
                    e
                } else if kept.is_empty() {
                    return Some(Exp::Basic(Basic::Index(n, inner.to_vec())));
                } else {
                    let ty = fehu_ir::types::exp_types(
                        &self.engine.types,
                        &Exp::<R>::Basic(Basic::Index(n, inner.to_vec())),
                    )?;
                    let ty = ty.into_iter().next()?;
                    self.bind(ty, Exp::Basic(Basic::Index(n, inner.to_vec())))
                }
            }
            SubExp::Var(_) | SubExp::Const(_) => e,
        };
        if kept.is_empty() {
            // The result of an array would alias what was replicated: copy where someone may write to it.
            match row {
                SubExp::Var(n) if !inner.is_empty() => Some(Exp::Basic(Basic::Copy(n))),
                SubExp::Var(_) | SubExp::Const(_) => Some(Exp::Basic(Basic::SubExp(row))),
            }
        } else {
            Some(Exp::Basic(Basic::Replicate(kept, row)))
        }
    }

    fn of_literal(&mut self, es: &[SubExp], slice: &Slice) -> Option<Exp<R>> {
        let (first, rest) = slice.split_first()?;
        let first = fix(first)?;
        // There is no other place in an array of one element.
        let i = if es.len() == 1 { 0 } else { usize::try_from(first.as_i64()?).ok()? };
        let e = *es.get(i)?;
        match e {
            SubExp::Var(n) if !rest.is_empty() => {
                let views = rest.iter().any(|d| matches!(d, DimIndex::Slice { .. }));
                (!views && !self.engine.classes.is_consumed(n))
                    .then(|| Exp::Basic(Basic::Index(n, rest.to_vec())))
            }
            SubExp::Var(_) | SubExp::Const(_) => Some(Exp::Basic(Basic::SubExp(e))),
        }
    }

    /// The array that was put where a slice is, if nothing has been put into it or the array around since.
    ///
    /// ```text
    /// let (b : [n][n]f32) = a with [i :+ m, j] = v
    /// let (c : [m]f32) = b[i :+ m, j]                    c[k] is v[k]
    /// ```
    fn updated_part(&self, array: Name, slice: &Slice) -> Option<Name> {
        let def = self.engine.def(array)?;
        let Exp::Basic(Basic::Update(_, at, SubExp::Var(value))) = &*def.exp else { return None };
        let whole = self.engine.types.get(value)?.is_array() && at == slice;
        (whole && !self.engine.classes.is_consumed(*value)).then_some(*value)
    }

    /// Whether shapes are the same, whatever their sizes are called.
    fn same_sizes(&self, old: &[SubExp], new: &[SubExp]) -> bool {
        let equal = CmpOp::Eq(PrimType::Int(IntType::I64));
        let same = |(a, b): (&SubExp, &SubExp)| a == b || self.engine.decide(equal, *a, *b) == Some(true);
        old.len() == new.len() && old.iter().zip(new).all(same)
    }

    /// An element of a reshaped array: of the same array where only sizes have other names, or dimensions of size one
    /// came or went, of a one-dimensional one by its flat index, of any where all sizes and indices are constants, and
    /// of any of which the reshaped array would be a copy.
    fn of_reshape(&mut self, b: Name, array: Name, slice: &Slice) -> Option<Exp<R>> {
        let old = self.engine.types.get(&b)?.shape().to_vec();
        let new = self.engine.types.get(&array)?.shape().to_vec();
        if self.same_sizes(&old, &new) {
            return Some(Exp::Basic(Basic::Index(b, slice.clone())));
        }
        let indices: Vec<SubExp> = slice.iter().map(fix).collect::<Option<_>>()?;
        if old.len() == 1 {
            let flat = self.flat_index(&indices, &new);
            return Some(Exp::Basic(Basic::Index(b, vec![DimIndex::Fix(flat)])));
        }
        if let Some(at) = same_element(&indices, &new, &old) {
            return Some(Exp::Basic(Basic::Index(b, at)));
        }
        if let Some(at) = unit_dims(&indices, &new, &old) {
            return Some(Exp::Basic(Basic::Index(b, at)));
        }
        self.has_gaps(b).then(|| Exp::Basic(Basic::Index(b, self.place_of(&indices, &new, &old))))
    }

    /// The place of an element in the order of all elements.
    fn flat_index(&mut self, indices: &[SubExp], shape: &[SubExp]) -> SubExp {
        let mut flat = SubExp::i64(0);
        for (i, n) in indices.iter().zip(shape) {
            let scaled = if flat.as_i64() == Some(0) { flat } else { self.mul(IntType::I64, flat, *n) };
            flat = self.add(IntType::I64, scaled, *i);
        }
        flat
    }

    /// Where an element of one shape is in another: dimensions that both have at their ends keep their indices, those
    /// in between are found by division.
    fn place_of(&mut self, indices: &[SubExp], from: &[SubExp], to: &[SubExp]) -> Slice {
        let most = from.len().min(to.len()) - 1;
        let outer = from.iter().zip(to).take(most).take_while(|(n, m)| n == m).count();
        let ends = from.iter().rev().zip(to.iter().rev()).take(most - outer);
        let inner = ends.take_while(|(n, m)| n == m).count();
        let middle = outer..from.len() - inner;
        let mut flat = self.flat_index(&indices[middle.clone()], &from[middle]);
        let mut found = vec![];
        for n in to[outer + 1..to.len() - inner].iter().rev() {
            let divided = |op| Exp::Basic(Basic::BinOp(op, flat, *n));
            let (rest, count) = (divided(BinOp::SRem(IntType::I64)), divided(BinOp::SQuot(IntType::I64)));
            found.push(self.bind(Type::I64, rest));
            flat = self.bind(Type::I64, count);
        }
        let between = [flat].into_iter().chain(found.into_iter().rev());
        let (first, last) = (&indices[..outer], &indices[indices.len() - inner..]);
        first.iter().copied().chain(between).chain(last.iter().copied()).map(DimIndex::Fix).collect()
    }

    /// Whether an array is a part of rows: a reshaped one is then a copy. Rows that were turned are left to be copied:
    /// a copy turns them, and is read in order.
    fn has_gaps(&self, array: Name) -> bool {
        match self.engine.def(array).map(|def| &*def.exp) {
            Some(Exp::Basic(Basic::Index(b, slice))) => {
                let Some(ty) = self.engine.types.get(b) else { return false };
                let whole = |(d, n): &(&DimIndex, &SubExp)| is_whole(d, **n);
                let mut outer = slice.iter().zip(ty.shape()).rev().skip_while(whole).skip(1);
                !self.is_turned(*b) && outer.any(|(d, _)| matches!(d, DimIndex::Slice { .. }))
            }
            Some(Exp::Basic(Basic::Reshape(_, b) | Basic::SubExp(SubExp::Var(b)))) => self.has_gaps(*b),
            Some(
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_),
            )
            | None => false,
        }
    }

    fn is_turned(&self, array: Name) -> bool {
        let exp = self.engine.def(array).map(|def| &*def.exp);
        matches!(exp, Some(Exp::Basic(Basic::Rearrange(..))))
    }

    /// A slice of a slice.
    fn compose(&mut self, outer: &Slice, inner: &Slice) -> Option<Slice> {
        let mut inner = inner.iter();
        let mut result = vec![];
        for d in outer {
            result.push(match d {
                DimIndex::Fix(_) => *d,
                DimIndex::Slice { start, len: _, stride } => match inner.next()? {
                    DimIndex::Fix(i) => {
                        let offset = self.mul(IntType::I64, *i, *stride);
                        DimIndex::Fix(self.add(IntType::I64, offset, *start))
                    }
                    DimIndex::Slice { start: from, len, stride: step } => {
                        let offset = self.mul(IntType::I64, *from, *stride);
                        let start = self.add(IntType::I64, offset, *start);
                        DimIndex::Slice { start, len: *len, stride: self.mul(IntType::I64, *stride, *step) }
                    }
                },
            });
        }
        Some(result)
    }

    /// An element of joined arrays: of the one that it is known to be in, else of the one that its place says.
    fn of_concat(&mut self, arrays: &[Name], joined: Name, slice: &Slice) -> Option<Exp<R>> {
        let (first, rest) = slice.split_first()?;
        let mut i = fix(first)?;
        let views = rest.iter().any(|d| matches!(d, DimIndex::Slice { .. }));
        if views || arrays.iter().any(|a| self.engine.classes.is_consumed(*a)) {
            return None;
        }
        for (k, a) in arrays.iter().enumerate() {
            let n = *self.engine.types.get(a)?.shape().first()?;
            let inside = match (i.as_i64(), n.as_i64()) {
                (Some(i), Some(n)) => Some(i < n),
                _ => self.engine.decide(CmpOp::SLt(IntType::I64), i, n),
            };
            match inside {
                Some(true) => return Some(Exp::Basic(Basic::Index(*a, at(i, rest)))),
                None => return self.chosen_by_place(&arrays[k..], joined, i, rest),
                Some(false) => {}
            }
            i = match (i.as_i64(), n.as_i64()) {
                (Some(i), Some(n)) => SubExp::i64(i - n),
                // The difference is not known to the facts yet: only the second array can follow.
                _ if k == 0 && arrays.len() == 2 => {
                    let j = self.bind(Type::I64, Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), i, n)));
                    return Some(Exp::Basic(Basic::Index(arrays[1], at(j, rest))));
                }
                _ => return None,
            };
        }
        None
    }

    /// An element of joined arrays, whichever it is in: comparing costs less than joining them, if they are
    /// joined anew for each that reads them.
    ///
    /// ```text
    /// map (\i -> (starts ++ [end])[i + 1]) is      if i + 1 < n then starts[i + 1] else end
    /// ```
    fn chosen_by_place(
        &mut self,
        arrays: &[Name],
        joined: Name,
        i: SubExp,
        rest: &[DimIndex],
    ) -> Option<Exp<R>> {
        let made = self.engine.level(joined);
        let inner = self.engine.frames.get(made.checked_add(1)?..)?;
        if arrays.len() > MAX_JOINED || inner.iter().any(|f| f.kind == FrameKind::Repeated) {
            return None;
        }
        self.choice(arrays, i, rest)
    }

    fn choice(&mut self, arrays: &[Name], i: SubExp, rest: &[DimIndex]) -> Option<Exp<R>> {
        let (first, others) = arrays.split_first()?;
        let element = Exp::Basic(Basic::Index(*first, at(i, rest)));
        if others.is_empty() {
            return Some(element);
        }
        let ty = fehu_ir::types::exp_types(&self.engine.types, &element)?.into_iter().next()?;
        let n = *self.engine.types.get(first)?.shape().first()?;
        let inside = self.bind(Type::BOOL, Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), i, n)));
        let outer = std::mem::take(&mut self.stms);
        let j = self.bind(Type::I64, Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), i, n)));
        let other = self.choice(others, j, rest);
        let before = std::mem::replace(&mut self.stms, outer);
        let other = self.body(before, ty.clone(), other?);
        let element = self.body(vec![], ty, element);
        Some(Exp::If(inside, Box::new(element), Box::new(other)))
    }

    /// A body of these statements, whose result is the value of the expression.
    fn body(&mut self, mut stms: Vec<Stm<R>>, ty: Type, exp: Exp<R>) -> Body<R> {
        let (name, stm) = self.engine.fresh_stm("t", ty, self.loc, exp);
        // The element is inside of the joined arrays only if what was checked holds.
        stms.push(Stm { certs: self.certs.clone(), ..stm });
        Body { stms, result: vec![name.into()] }
    }
}

/// The slice at this place of the first dimension, and as given in the others.
fn at(i: SubExp, rest: &[DimIndex]) -> Slice {
    let mut slice = vec![DimIndex::Fix(i)];
    slice.extend(rest);
    slice
}

fn fix(d: &DimIndex) -> Option<SubExp> {
    match d {
        DimIndex::Fix(e) => Some(*e),
        DimIndex::Slice { .. } => None,
    }
}

/// A slice of a rearranged array, if what remains keeps its order.
fn of_rearrange<R: Rep>(perm: &[usize], b: Name, slice: &Slice) -> Option<Exp<R>> {
    let mut back = vec![None; perm.len()];
    for (d, p) in slice.iter().zip(perm) {
        *back.get_mut(*p)? = Some(*d);
    }
    let kept: Vec<usize> = slice
        .iter()
        .zip(perm)
        .filter(|(d, _)| matches!(d, DimIndex::Slice { .. }))
        .map(|(_, p)| *p)
        .collect();
    if !kept.is_sorted() {
        return None;
    }
    Some(Exp::Basic(Basic::Index(b, back.into_iter().collect::<Option<Slice>>()?)))
}

/// Whether a body is so cheap that computing it again costs less than reading its result from memory.
pub(crate) fn is_trivial<R: Rep>(body: &Body<R>) -> bool {
    body.stms.len() <= MAX_TRIVIAL && body.stms.iter().all(is_cheap)
}

/// Whether a statement is an instruction that cannot fail.
fn is_cheap<R: Rep>(s: &Stm<R>) -> bool {
    matches!(s.exp, Exp::Basic(Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..)))
        && is_total(&s.exp)
}

/// Whether a map computes its elements from their numbers, in so few instructions that none of them is worth
/// being stored: what reads all of them is fused with the map, and elements that are read one by one would
/// keep the array.
fn is_of_numbers<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, s: &Screma<R>) -> bool {
    let is_range =
        |a: &Name| engine.def(*a).is_some_and(|def| matches!(&*def.exp, Exp::Basic(Basic::Iota { .. })));
    s.map.body.stms.len() <= MAX_COPIED
        && s.map.body.stms.iter().all(is_cheap)
        && s.arrays.iter().all(is_range)
}

/// An element of a map that nobody else looks at, or of one that costs little, is the function applied to elements.
fn of_map<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Index(a, slice)) = &stm.exp else { return None };
    let (DimIndex::Fix(i), rest) = slice.split_first()? else { return None };
    let def = engine.def(*a)?.clone();
    let Exp::Op(op) = &*def.exp else { return None };
    let Some(Soac::Screma(s)) = op.as_soac() else { return None };
    let mapped = s.scans.is_empty() && s.reds.is_empty();
    if def.steered {
        return None;
    }
    // In a loop, the function may be applied more often than the map did.
    let again = engine.level(*a) != engine.here() && !is_trivial(&s.map.body);
    if !mapped || again || !engine.used_at_most(*a, 1) && !is_of_numbers(engine, s) {
        return None;
    }
    if s.arrays.iter().any(|b| engine.classes.is_consumed(*b)) || s.map.params.iter().any(|p| p.consumed) {
        return None;
    }
    if s.map.ret.iter().any(|t| matches!(t, Type::Acc(..))) {
        return None;
    }
    let lambda = rename_lambda(engine.names, &s.map);
    let mut certs = stm.certs.clone();
    certs.extend(def.certs.iter().copied());
    let mut stms = vec![];
    let mut subst = Subst::new();
    for (p, b) in lambda.params.iter().zip(&s.arrays) {
        let mut index = vec![DimIndex::Fix(*i)];
        index.extend(p.ty.shape().iter().map(|n| DimIndex::Slice {
            start: SubExp::i64(0),
            len: *n,
            stride: SubExp::i64(1),
        }));
        let (name, mut read) =
            engine.fresh_stm("x", p.ty.clone(), &stm.loc, Exp::Basic(Basic::Index(*b, index)));
        read.certs = certs.clone();
        stms.push(read);
        subst.insert(p.name, name);
    }
    let mut body = lambda.body;
    subst.body(&mut body);
    for mut s in body.stms {
        s.certs.extend(certs.iter().copied());
        stms.push(s);
    }
    let result = *body.result.get(def.index)?;
    let exp = match (result, rest.is_empty()) {
        (_, true) => Exp::Basic(Basic::SubExp(result)),
        (SubExp::Var(n), false) => Exp::Basic(Basic::Index(n, rest.to_vec())),
        (SubExp::Const(_), false) => return None,
    };
    stms.push(Stm { certs, exp, ..stm.clone() });
    Some(Rewrite::Stms(stms))
}

/// An element of an array that a kernel computes from indices and scalars alone, in a few instructions, is
/// computed where it is read.
fn of_kernel<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Index(a, slice)) = &stm.exp else { return None };
    let at: Vec<SubExp> = slice.iter().map(fix).collect::<Option<_>>()?;
    let def = engine.def(*a)?.clone();
    let Exp::Op(op) = &*def.exp else { return None };
    let OpView::Seg(seg) = op.view() else { return None };
    if !is_trivial_kernel(seg) || seg.space.dims.len() != at.len() {
        return None;
    }
    let mut body = rename_body(engine.names, &seg.body.body);
    let subst: Subst = seg.space.dims.iter().zip(at).map(|((i, _), e)| (*i, e)).collect();
    subst.body(&mut body);
    let mut certs = stm.certs.clone();
    certs.extend(def.certs.iter().copied());
    let exp = Exp::Basic(Basic::SubExp(*body.result.get(def.index)?));
    let mut stms = body.stms;
    for s in &mut stms {
        s.certs.extend(certs.iter().copied());
    }
    stms.push(Stm { certs, exp, ..stm.clone() });
    Some(Rewrite::Stms(stms))
}

/// Whether the points of a kernel are so cheap that computing one again costs less than reading its result from memory.
pub(crate) fn is_trivial_kernel<R: Rep>(seg: &SegOp<R>) -> bool {
    matches!(seg.kind, SegKind::Map)
        && seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem))
        && is_trivial(&seg.body.body)
        && !free_in_body(&seg.body.body).contains(&seg.space.flat)
}

/// Where an element is in an array whose shape differs by dimensions of size one.
fn unit_dims(indices: &[SubExp], from: &[SubExp], to: &[SubExp]) -> Option<Slice> {
    let unit = |n: &SubExp| n.as_i64() == Some(1);
    let wide: Vec<SubExp> = to.iter().filter(|n| !unit(n)).copied().collect();
    if wide != from.iter().filter(|n| !unit(n)).copied().collect::<Vec<_>>() {
        return None;
    }
    let mut used = indices.iter().zip(from).filter(|(_, n)| !unit(n)).map(|(i, _)| *i);
    let at = |n: &SubExp| Some(DimIndex::Fix(if unit(n) { SubExp::i64(0) } else { used.next()? }));
    to.iter().map(at).collect()
}

/// Where an element of one constant shape is in another one.
fn same_element(indices: &[SubExp], from: &[SubExp], to: &[SubExp]) -> Option<Slice> {
    let mut flat = 0i64;
    for (i, n) in indices.iter().zip(from) {
        flat = flat.checked_mul(n.as_i64()?)?.checked_add(i.as_i64()?)?;
    }
    let mut at = vec![];
    for n in to.iter().rev() {
        let n = n.as_i64().filter(|n| *n > 0)?;
        at.push(DimIndex::Fix(SubExp::i64(flat.rem_euclid(n))));
        flat = flat.div_euclid(n);
    }
    at.reverse();
    (flat == 0).then_some(at)
}
