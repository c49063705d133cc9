//! Rows of joined matrices are read where they came from.
//!
//! Before: any valid program over `Soacs`. After: an array of rows that is joined of others (`concat`, of
//! which rotations consist), and that is only read by combinators that map each row element by element, is no
//! longer needed: their rows are maps that look for the part that an element is in.
//!
//! ```text
//! let c = concat xss yss                     map2 (\i zs -> let row = map (\j -> if i < n then xss[i, j] else yss[i - n, j]) (iota m)
//! in map2 (\row zs -> map2 f row zs) c zss   =>             in map2 f row zs) (iota (n + m)) zss
//! ```
//!
//! Fusion makes one map of the two inside. Rows may be cut and joined themselves before they are read, as
//! where both the rows and the columns of a matrix are rotated:
//!
//! ```text
//! map2 (\row zs -> map2 f (concat row[1:] row[:1]) zs) c zss      the j-th element of that vector is `c[i, if j < m - 1 then j + 1 else j - (m - 1)]`
//! ```
//!
//! Rows that are reduced or scanned stay: a thread that goes along a row reads several elements of it at a
//! time, or a copy in another layout, which it could not do in branches. Vectors have no rows: flattening
//! itself reads their elements from the parts (`gpu/join`).

use crate::gpu::join::element_of_join;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::flattening;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::build::{plain, Builder};
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::types::prog_types;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{mark, Basic, Body, DimIndex, Exp, Lambda, Param, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "joined-rows", need: Need::Optional, run };

fn run(prog: &mut Prog<Soacs>) {
    // Parts that change before the rows are read must be known, also those that lambdas of fusion change.
    mark::mark(prog);
    let signatures = Signatures::of_prog(prog);
    let mut b = Builder::new(std::mem::replace(&mut prog.names, NameSource::new()));
    b.types = prog_types(prog);
    let mut pass = JoinedRows { b, signatures, aliases: Aliases::default() };
    for fun in &mut prog.funs {
        pass.aliases = Aliases::of_fun(&pass.signatures, fun);
        pass.body(&mut fun.body);
    }
    prog.names = pass.b.names;
}

struct JoinedRows {
    b: Builder<Soacs>,
    signatures: Signatures,
    aliases: Aliases,
}

/// An array of rows, as its parts.
struct Join {
    parts: Vec<Name>,
    certs: Vec<Name>,
}

/// A vector in the function of a combinator, whose elements are elements of joined rows.
#[derive(Clone)]
struct Vector {
    form: VectorForm,
    size: SubExp,
    /// What its elements rely on.
    certs: Vec<Name>,
}

#[derive(Clone)]
enum VectorForm {
    /// A row of an array that is joined of these.
    Row(Vec<Name>),
    /// The elements of another from a place on.
    From(Box<Vector>, SubExp),
    /// Others, one after the other.
    Joined(Vec<Vector>),
}

impl JoinedRows {
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            for stm in &mut body.stms {
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
            }
            let joins = self.joins(body);
            if joins.is_empty() {
                return;
            }
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                if let Exp::Op(Soac::Screma(s)) = &mut stm.exp {
                    if s.arrays.iter().any(|a| joins.contains_key(a)) {
                        out.push(self.read_parts(s, &joins));
                    }
                }
                out.push(stm);
            }
            body.stms = out;
        });
    }

    /// The arrays of a body whose rows can be read from parts, which stay as they are. All are looked for
    /// together: each statement is looked at once for reads, and once for what changes.
    fn joins(&self, body: &Body<Soacs>) -> FxHashMap<Name, Join> {
        let mut found: FxHashMap<Name, (usize, &Vec<Name>, &Vec<Name>)> = FxHashMap::default();
        for (k, stm) in body.stms.iter().enumerate() {
            let (Exp::Basic(Basic::Concat { dim: 0, arrays, .. }), [p]) = (&stm.exp, &stm.pat[..]) else {
                continue;
            };
            if p.ty.rank() >= 2 && arrays.len() <= flattening::JOINED_PARTS {
                found.insert(p.name, (k, arrays, &stm.certs));
            }
        }
        for other in read_otherwise(&found.keys().copied().collect(), &body.stms, &body.result, Readers::Any)
        {
            found.remove(&other);
        }
        if found.is_empty() {
            return FxHashMap::default();
        }
        let taken = self.taken(&body.stms);
        let stays = |array: &Name, k: usize| {
            self.aliases.of(*array).iter().all(|n| taken.get(n).is_none_or(|at| *at <= k))
        };
        found.retain(|_, (k, arrays, _)| arrays.iter().all(|a| stays(a, *k)));
        let join = |(name, (_, parts, certs)): (Name, (usize, &Vec<Name>, &Vec<Name>))| {
            (name, Join { parts: parts.clone(), certs: certs.clone() })
        };
        found.into_iter().map(join).collect()
    }

    /// The last statement that takes over the memory of a name, for each.
    fn taken(&self, stms: &[Stm<Soacs>]) -> FxHashMap<Name, usize> {
        let mut last = FxHashMap::default();
        for (k, stm) in stms.iter().enumerate() {
            last.extend(
                consumed_by_exp(&self.signatures, &self.aliases, &stm.exp).into_iter().map(|n| (n, k)),
            );
        }
        last
    }

    /// Makes a combinator compute the rows of joined arrays from an index. Returns the range of indices.
    fn read_parts(&mut self, s: &mut Screma<Soacs>, joins: &FxHashMap<Name, Join>) -> Stm<Soacs> {
        let index = self.b.fresh("i", Type::I64);
        let range = self.range(s.width);
        let mut params = vec![scalar(index)];
        let mut arrays = vec![range.pat[0].name];
        let mut stms = vec![];
        let mut vectors: FxHashMap<Name, Vector> = FxHashMap::default();
        for (p, a) in std::mem::take(&mut s.map.params).into_iter().zip(std::mem::take(&mut s.arrays)) {
            match (joins.get(&a), p.ty.shape()) {
                (Some(join), [size]) => {
                    let form = VectorForm::Row(join.parts.clone());
                    vectors.insert(p.name, Vector { form, size: *size, certs: join.certs.clone() });
                }
                (Some(join), _) => stms.extend(self.row(p.name, &p.ty, join, &[index])),
                (None, _) => {
                    params.push(p);
                    arrays.push(a);
                }
            }
        }
        for mut stm in std::mem::take(&mut s.map.body.stms) {
            if let Some((name, vector)) = made_of(&stm, &vectors) {
                vectors.insert(name, vector);
                continue;
            }
            if let Exp::Op(Soac::Screma(inner)) = &mut stm.exp {
                for a in &mut inner.arrays {
                    if let Some(vector) = vectors.get(a) {
                        let name = self.b.fresh("row", self.b.type_of((*a).into()));
                        stms.extend(self.elements(name, vector, index));
                        *a = name;
                    }
                }
            }
            stms.push(stm);
        }
        s.map.body.stms = stms;
        s.map.params = params;
        s.arrays = arrays;
        range
    }

    /// Binds a vector as the map that reads its elements.
    fn elements(&mut self, name: Name, vector: &Vector, row: Name) -> Vec<Stm<Soacs>> {
        let Some(elem) = self.b.type_of(name.into()).elem().map(Type::Prim) else { return vec![] };
        let index = self.b.fresh("j", Type::I64);
        let body = self.element(vector, row, index, &elem);
        let range = self.range(vector.size);
        let map = Lambda { params: vec![scalar(index)], body, ret: vec![elem.clone()] };
        let arrays = vec![range.pat[0].name];
        let screma = Screma { width: vector.size, arrays, scans: vec![], reds: vec![], map };
        let ty = elem.array_of(&[vector.size]);
        let elements = plain(name, ty, Exp::Op(Soac::Screma(screma)));
        vec![range, Stm { certs: vector.certs.clone(), ..elements }]
    }

    /// The element of a vector at an index, in the row of this index.
    fn element(&mut self, vector: &Vector, row: Name, index: Name, elem: &Type) -> Body<Soacs> {
        deep(|| match &vector.form {
            VectorForm::Row(parts) => element_of_join(&mut self.b, parts, 0, vec![row, index], elem),
            VectorForm::From(whole, start) => {
                let at = self.b.fresh("j", Type::I64);
                let add = Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), index.into(), *start));
                let mut body = self.element(whole, row, at, elem);
                body.stms.insert(0, plain(at, Type::I64, add));
                body
            }
            VectorForm::Joined(vectors) => self.element_of_joined(vectors, row, index, elem),
        })
    }

    fn element_of_joined(&mut self, vectors: &[Vector], row: Name, index: Name, elem: &Type) -> Body<Soacs> {
        let [first, rest @ ..] = vectors else { fehu_base::bug!("nothing to join") };
        let yes = self.element(first, row, index, elem);
        if rest.is_empty() {
            return yes;
        }
        let here = self.b.fresh("here", Type::BOOL);
        let less = Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), index.into(), first.size));
        let after = self.b.fresh("j", Type::I64);
        let minus = Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), index.into(), first.size));
        let mut no = deep(|| self.element_of_joined(rest, row, after, elem));
        no.stms.insert(0, plain(after, Type::I64, minus));
        let x = self.b.fresh("x", elem.clone());
        let choice = Exp::If(here.into(), Box::new(yes), Box::new(no));
        let stms = vec![plain(here, Type::BOOL, less), plain(x, elem.clone(), choice)];
        Body { stms, result: vec![x.into()] }
    }

    /// Binds the part of a joined array at the outer indices.
    fn row(&mut self, name: Name, ty: &Type, join: &Join, outer: &[Name]) -> Vec<Stm<Soacs>> {
        let (size, elem) = (ty.shape()[0], ty.peel(1));
        let index = self.b.fresh("j", Type::I64);
        let indices = [outer, &[index]].concat();
        let body = if matches!(elem, Type::Prim(_)) {
            element_of_join(&mut self.b, &join.parts, 0, indices, &elem)
        } else {
            let x = self.b.fresh("row", elem.clone());
            let stms = deep(|| self.row(x, &elem, join, &indices));
            Body { stms, result: vec![x.into()] }
        };
        let range = self.range(size);
        let map = Lambda { params: vec![scalar(index)], body, ret: vec![elem] };
        let arrays = vec![range.pat[0].name];
        let screma = Screma { width: size, arrays, scans: vec![], reds: vec![], map };
        let rows = plain(name, ty.clone(), Exp::Op(Soac::Screma(screma)));
        vec![range, Stm { certs: join.certs.clone(), ..rows }]
    }

    fn range(&mut self, n: SubExp) -> Stm<Soacs> {
        let ty = Type::Array(PrimType::Int(IntType::I64), vec![n]);
        let range = self.b.fresh("iota", ty.clone());
        let iota = Basic::Iota { n, start: SubExp::i64(0), step: SubExp::i64(1), ty: IntType::I64 };
        plain(range, ty, Exp::Basic(iota))
    }
}

fn scalar(name: Name) -> Param<Soacs> {
    Param { name, ty: Type::I64, dec: (), consumed: false }
}

/// How many statements may read an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// Each of them reads the parts.
    Any,
    /// A map that computes a row is fused with the map that reads it.
    OneMap,
    /// The same of each vector that a row is cut or joined to.
    OneMapOfEach,
}

/// The vector that a statement makes of others, by cutting or joining them, and its name.
fn made_of(stm: &Stm<Soacs>, vectors: &FxHashMap<Name, Vector>) -> Option<(Name, Vector)> {
    let [p] = &stm.pat[..] else { return None };
    let [size] = p.ty.shape() else { return None };
    let (form, mut certs) = match &stm.exp {
        Exp::Basic(Basic::Index(a, slice)) => {
            let whole = vectors.get(a)?;
            (VectorForm::From(Box::new(whole.clone()), part_from(slice)?), whole.certs.clone())
        }
        Exp::Basic(Basic::Concat { dim: 0, arrays, .. }) => {
            let joined: Vec<Vector> =
                arrays.iter().map(|a| vectors.get(a).cloned()).collect::<Option<_>>()?;
            let certs = joined.iter().flat_map(|v| v.certs.iter().copied()).collect();
            (VectorForm::Joined(joined), certs)
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    certs.extend(&stm.certs);
    certs.sort_unstable();
    certs.dedup();
    Some((p.name, Vector { form, size: *size, certs }))
}

/// Where a part of a vector begins that leaves nothing out.
fn part_from(slice: &[DimIndex]) -> Option<SubExp> {
    match slice {
        [DimIndex::Slice { start, stride, .. }] if stride.as_i64() == Some(1) => Some(*start),
        _ => None,
    }
}

/// Those of some arrays that are not only inputs of combinators whose rows are, too.
fn read_otherwise(
    arrays: &FxHashSet<Name>,
    stms: &[Stm<Soacs>],
    result: &[SubExp],
    readers: Readers,
) -> FxHashSet<Name> {
    // The arrays, and vectors that are made of them, with the arrays that these are made of.
    let mut made: FxHashMap<Name, Vec<Name>> = arrays.iter().map(|a| (*a, vec![*a])).collect();
    let mut refused: FxHashSet<Name> = FxHashSet::default();
    let mut seen: FxHashSet<Name> = FxHashSet::default();
    let refuse = |refused: &mut FxHashSet<Name>, made: &FxHashMap<Name, Vec<Name>>, n: &Name| {
        refused.extend(made.get(n).into_iter().flatten().copied());
    };
    for stm in stms {
        if refused.len() == arrays.len() {
            break;
        }
        let used: FxHashSet<Name> = free_in_stm(stm).into_iter().filter(|n| made.contains_key(n)).collect();
        if used.is_empty() {
            continue;
        }
        if readers == Readers::OneMapOfEach {
            if let Some((name, of)) = vector_of(stm, &made) {
                made.insert(name, of);
                continue;
            }
        }
        if readers != Readers::Any {
            for n in used.iter().filter(|n| !seen.insert(**n)) {
                refuse(&mut refused, &made, n);
            }
        }
        match &stm.exp {
            Exp::Op(Soac::Screma(s))
                if readers == Readers::Any || s.scans.is_empty() && s.reds.is_empty() =>
            {
                let nested = match readers {
                    Readers::Any => Readers::OneMapOfEach,
                    Readers::OneMap | Readers::OneMapOfEach => Readers::OneMap,
                };
                for n in read_otherwise_by(&used, s, nested) {
                    refuse(&mut refused, &made, &n);
                }
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                used.iter().for_each(|n| refuse(&mut refused, &made, n));
            }
        }
    }
    for n in result.iter().filter_map(|e| e.name()) {
        refuse(&mut refused, &made, &n);
    }
    refused
}

/// The vector that a statement makes of others, and the arrays that it is made of.
fn vector_of(stm: &Stm<Soacs>, made: &FxHashMap<Name, Vec<Name>>) -> Option<(Name, Vec<Name>)> {
    let ([p], [_]) = (&stm.pat[..], stm.pat.first()?.ty.shape()) else { return None };
    let of = match &stm.exp {
        Exp::Basic(Basic::Index(a, slice)) => part_from(slice).and_then(|_| made.get(a).cloned())?,
        Exp::Basic(Basic::Concat { dim: 0, arrays, .. }) => {
            arrays.iter().map(|a| made.get(a).cloned()).collect::<Option<Vec<_>>>()?.concat()
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    Some((p.name, of))
}

/// Those of some arrays that a combinator does not only read element by element.
fn read_otherwise_by(arrays: &FxHashSet<Name>, s: &Screma<Soacs>, readers: Readers) -> FxHashSet<Name> {
    let lambdas = s.scans.iter().map(|x| &x.op).chain(s.reds.iter().map(|x| &x.op)).chain([&s.map]);
    let neutral = s.scans.iter().flat_map(|x| &x.neutral).chain(s.reds.iter().flat_map(|x| &x.neutral));
    let mut refused: FxHashSet<Name> = neutral.filter_map(|e| e.name()).collect();
    refused.extend(lambdas.flat_map(free_in_lambda));
    refused.retain(|n| arrays.contains(n));
    let inputs = s.map.params.iter().zip(&s.arrays).filter(|(_, a)| arrays.contains(*a));
    let mut rows: FxHashMap<Name, Name> = FxHashMap::default();
    for (p, a) in inputs {
        if p.consumed {
            refused.insert(*a);
        } else if p.ty.rank() > 0 {
            rows.insert(p.name, *a);
        }
    }
    if !rows.is_empty() {
        let (names, body) = (rows.keys().copied().collect(), &s.map.body);
        let others = deep(|| read_otherwise(&names, &body.stms, &body.result, readers));
        refused.extend(others.iter().map(|row| rows[row]));
    }
    refused
}
