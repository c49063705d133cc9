//! One-dimensional maps as nests.
//!
//! A map over an array that was made as a nest and then flattened can be a nest,
//! too, and be fused; its results are flattened instead.
//!
//! ```text
//! let (yss : [n][m]f32) = screma n ...                    let (yss : [n][m]f32) = screma n ...
//! let (ys : [k]f32) = reshape [k] yss                =>   let (zss : [n][m]f32) = screma n [yss] map \row ->
//! let (zs : [k]f32) = screma k [ys] map f                   screma m [row] map f
//!                                                         let (zs : [k]f32) = reshape [k] zss
//! ```

use super::merge::{is_map, mapped_results};
use super::push::{count, map_of, param, stm, Out, Pusher, Range, Ranges, Uses};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Classes;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::{Basic, Body, Exp, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Turns maps over flattened nests into nests. `nested` says which results of a statement are seen as nests.
pub(super) fn make_nests(
    names: &mut NameSource,
    classes: &mut Classes,
    ranges: &Ranges,
    body: &mut Body<Soacs>,
    nested: impl Fn(&Stm<Soacs>) -> Vec<(Name, Type)>,
) {
    let mut made: FxHashMap<Name, Type> = FxHashMap::default();
    let mut flattened: FxHashMap<Name, Flattened> = FxHashMap::default();
    for stm in &body.stms {
        made.extend(nested(stm));
        flattened.extend(flattening(stm, &made, &flattened));
    }
    if flattened.is_empty() {
        return;
    }
    let mut uses: FxHashMap<Name, Uses> = FxHashMap::default();
    // Inputs of combinators that do more than map: those that make them are better fused into them.
    let mut combined: FxHashSet<Name> = FxHashSet::default();
    for stm in &body.stms {
        count(&mut uses, stm, |n, k| *n += k);
        if !is_map(stm) {
            combined.extend(super::merge::Combinator::arrays_of(stm));
        }
    }
    for n in body.result.iter().filter_map(|e| e.name()) {
        uses.entry(n).or_default().all += 1;
    }
    let mut stms = vec![];
    let mut pusher = Pusher { names, classes, ranges };
    for stm in std::mem::take(&mut body.stms) {
        let feeds_others = stm.pat.iter().any(|x| combined.contains(&x.name));
        let replaced = if feeds_others { None } else { as_nest(&mut pusher, &stm, &flattened, &uses) };
        match replaced {
            None => stms.push(stm),
            Some(all) => {
                for stm in &all {
                    made.extend(nested(stm));
                    flattened.extend(flattening(stm, &made, &flattened));
                }
                stms.extend(all);
            }
        }
    }
    body.stms = stms;
}

/// The arrays that a statement computes by a map.
pub(super) fn mapped(stm: &Stm<Soacs>) -> Vec<(Name, Type)> {
    mapped_results(stm).iter().map(|x| (x.name, x.ty.clone())).collect()
}

/// A nest, and its outer dimensions that have become one.
#[derive(Clone)]
struct Flattened {
    array: Name,
    dims: Vec<SubExp>,
    certs: Vec<Name>,
}

/// A reshape that makes one dimension of the outer ones of a nest, perhaps after others have done so with
/// some of these.
fn flattening(
    stm: &Stm<Soacs>,
    made: &FxHashMap<Name, Type>,
    flattened: &FxHashMap<Name, Flattened>,
) -> Option<(Name, Flattened)> {
    let (Exp::Basic(Basic::Reshape(shape, a)), [x]) = (&stm.exp, stm.pat.as_slice()) else { return None };
    let before = flattened.get(a);
    let array = before.map_or(*a, |f| f.array);
    let dims = made.get(&array)?.shape();
    let depth = (dims.len() + 1).checked_sub(shape.len())?;
    let flat = depth >= 2 && stm.attrs.is_empty() && dims[depth..] == shape[1..];
    let certs = before.into_iter().flat_map(|f| &f.certs).filter(|n| !stm.certs.contains(n));
    let certs = certs.chain(&stm.certs).copied().collect();
    flat.then(|| (x.name, Flattened { array, dims: dims[..depth].to_vec(), certs }))
}

/// The statements that take the place of a map over a flattened array.
fn as_nest(
    pusher: &mut Pusher<'_>,
    c: &Stm<Soacs>,
    flattened: &FxHashMap<Name, Flattened>,
    uses: &FxHashMap<Name, Uses>,
) -> Option<Vec<Stm<Soacs>>> {
    let Exp::Op(Soac::Screma(s)) = &c.exp else { return None };
    if !is_map(c) || s.map.params.iter().any(|p| p.consumed) {
        return None;
    }
    let once = |n: &Name| uses.get(n).is_none_or(|u| u.all <= 1);
    let dims = s.arrays.iter().filter(|a| once(a)).find_map(|a| flattened.get(a)).map(|f| f.dims.clone())?;
    let behind: FxHashMap<Name, Name> = s
        .arrays
        .iter()
        .filter_map(|a| flattened.get(a).filter(|f| f.dims == dims).map(|f| (*a, f.array)))
        .collect();
    let mut certs = c.certs.clone();
    for f in s.arrays.iter().filter(|a| behind.contains_key(*a)).filter_map(|a| flattened.get(a)) {
        certs.extend(f.certs.iter().filter(|n| !c.certs.contains(n)));
    }
    let mut out = Out { pusher, stms: vec![], certs: certs.clone(), loc: &c.loc };
    let exp = out.nest(s, &dims, &behind);
    let Out { mut stms, .. } = out;
    let mut pat = vec![];
    let mut flat = vec![];
    for (x, row) in c.pat.iter().zip(&s.map.ret) {
        let name = pusher.fresh("nest", &[x.name]);
        pat.push(PatElem { name, ty: row.array_of(&dims), dec: () });
        let reshape = Exp::Basic(Basic::Reshape(x.ty.shape().to_vec(), name));
        flat.push(stm(x.name, x.ty.clone(), &certs, &c.loc, reshape));
    }
    stms.push(Stm { pat, exp, certs, ..c.clone() });
    stms.extend(flat);
    Some(stms)
}

impl Out<'_, '_> {
    /// The map as a nest of maps of these sizes, the product of which is its width. Ranges among its inputs
    /// become ranges along each dimension.
    /// Inputs that are views of arrays of these sizes are replaced by those.
    pub(super) fn nest(
        &mut self,
        s: &Screma<Soacs>,
        dims: &[SubExp],
        behind: &FxHashMap<Name, Name>,
    ) -> Exp<Soacs> {
        let mut inputs: Vec<(Name, Param<Soacs>)> = vec![];
        let mut ranges: Vec<(Range, Param<Soacs>)> = vec![];
        for (a, p) in s.arrays.iter().zip(&s.map.params) {
            match (self.pusher.ranges.get(a), behind.get(a)) {
                (Some(range), _) => ranges.push((*range, p.clone())),
                (None, Some(array)) => inputs.push((*array, p.clone())),
                (None, None) => {
                    let ty = p.ty.array_of(dims);
                    let shape = ty.shape().to_vec();
                    inputs
                        .push((self.view("split", *a, ty, Exp::Basic(Basic::Reshape(shape, *a))), p.clone()));
                }
            }
        }
        // A range along a dimension is made where the map over it is: a nest without points makes none of
        // those inside, whose sizes may be no sizes then.
        let mut along: Vec<(Stm<Soacs>, Name)> = vec![];
        if !ranges.is_empty() {
            for n in dims {
                let (start, step) = (SubExp::i64(0), SubExp::i64(1));
                let range = Exp::Basic(Basic::Iota { n: *n, start, step, ty: IntType::I64 });
                let ty = Type::Array(PrimType::I64, vec![*n]);
                let array = self.pusher.fresh("range", &[]);
                along.push((stm(array, ty, &self.certs, self.loc, range), self.pusher.names.fresh_str("i")));
            }
        }
        let indices: Vec<Name> = along.iter().map(|(_, i)| *i).collect();
        let mut body = s.map.body.clone();
        let computed = self.elements(&indices, dims, &ranges);
        body.stms.splice(0..0, computed);
        let mut ret = s.map.ret.clone();
        let mut params: Vec<Param<Soacs>> = inputs.iter().map(|(_, p)| p.clone()).collect();
        for k in (1..dims.len()).rev() {
            // The map of the dimensions from `k` on, in a lambda on rows.
            let rows: Vec<Param<Soacs>> = inputs
                .iter()
                .map(|(_, p)| param(self.pusher.fresh("row", &[p.name]), p.ty.array_of(&dims[k..])))
                .collect();
            let mut arrays: Vec<Name> = rows.iter().map(|p| p.name).collect();
            let mut stms = vec![];
            if let Some((range, i)) = along.get(k) {
                arrays.push(range.pat[0].name);
                params.push(param(*i, Type::I64));
                stms.push(range.clone());
            }
            let map = Lambda { params, body, ret: ret.clone() };
            ret = ret.iter().map(|t| t.array_of(&[dims[k]])).collect();
            let made: Vec<PatElem<Soacs>> = ret
                .iter()
                .map(|t| PatElem { name: self.pusher.fresh("row", &[]), ty: t.clone(), dec: () })
                .collect();
            let result = made.iter().map(|x| x.name.into()).collect();
            let exp = map_of(dims[k], arrays, map);
            let inner = Stm { pat: made, certs: vec![], attrs: vec![], loc: self.loc.clone(), exp };
            stms.push(inner);
            body = Body { stms, result };
            params = rows;
        }
        let mut arrays: Vec<Name> = inputs.into_iter().map(|(a, _)| a).collect();
        if let Some((range, i)) = along.into_iter().next() {
            arrays.push(range.pat[0].name);
            params.push(param(i, Type::I64));
            self.stms.push(range);
        }
        map_of(dims[0], arrays, Lambda { params, body, ret })
    }

    /// Statements that compute the elements of ranges from indices along each dimension.
    fn elements(
        &mut self,
        indices: &[Name],
        dims: &[SubExp],
        ranges: &[(Range, Param<Soacs>)],
    ) -> Vec<Stm<Soacs>> {
        let mut stms = vec![];
        let (names, loc) = (&mut *self.pusher.names, self.loc);
        let mut bind = |ty: IntType, exp: Exp<Soacs>| -> SubExp {
            let name = names.fresh_str("t");
            stms.push(stm(name, Type::Prim(PrimType::Int(ty)), &[], loc, exp));
            name.into()
        };
        let Some((first, rest)) = indices.split_first() else { return stms };
        let mut flat: SubExp = (*first).into();
        for (i, n) in rest.iter().zip(&dims[1..]) {
            let scaled = bind(IntType::I64, Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), flat, *n)));
            flat =
                bind(IntType::I64, Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), scaled, (*i).into())));
        }
        let mut elements = vec![];
        for (range, p) in ranges {
            let ty = range.ty;
            let k = match ty {
                IntType::I64 => flat,
                IntType::I8 | IntType::I16 | IntType::I32 => {
                    bind(ty, Exp::Basic(Basic::Conv(ConvOp::SExt(IntType::I64, ty), flat)))
                }
            };
            let scaled = bind(ty, Exp::Basic(Basic::BinOp(BinOp::Mul(ty), k, range.step)));
            elements.push((p, Exp::Basic(Basic::BinOp(BinOp::Add(ty), scaled, range.start))));
        }
        for (p, exp) in elements {
            stms.push(stm(p.name, p.ty.clone(), &[], loc, exp));
        }
        stms
    }
}
