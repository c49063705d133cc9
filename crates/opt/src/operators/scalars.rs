//! Reductions and scans of rows of a few numbers take these numbers one by one.
//!
//! ```text
//! reduce [ne] \(a : [2][2]f32, b : [2][2]f32) : ([2][2]f32) { ... }
//! map \(x : [2][2]f32) { return (x) }
//!
//! reduce [ne[0,0], ne[0,1], ne[1,0], ne[1,1]] \(a00, a01, a10, a11, b00, ...) : (f32, f32, f32, f32) {
//!   let (a : [2][2]f32) = [[a00, a01], [a10, a11]] ...
//! }
//! map \(x : [2][2]f32) { return (x[0,0], x[0,1], x[1,0], x[1,1]) }
//! ```
//!
//! Inside of the operator the rows are there again. Each is a thread's own, and its size is known, so that it
//! is in registers.
//!
//! How many numbers are few: each thread of a block hands all of them to others, through registers or shared
//! memory. A map has a better way, column by column, unless there are very few.

use super::on_arrays;
use fehu_base::tuning::fusion;
use fehu_base::{Name, NameSource};
use fehu_ir::build::plain;
use fehu_ir::soac::{Reduce, Scan, Screma, Soac};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};

/// The reduction or scan, and what is needed around it.
pub(super) fn screma(names: &mut NameSource, stm: Stm<Soacs>) -> Vec<Stm<Soacs>> {
    let Stm { pat, certs, attrs, loc, exp } = stm;
    let s = match exp {
        Exp::Op(Soac::Screma(s)) => s,
        exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_)) => {
            return vec![Stm { pat, certs, attrs, loc, exp }]
        }
    };
    let mut work =
        Work { names, before: vec![], inside: vec![], pat: vec![], types: vec![], results: vec![] };
    let Lambda { params, body, ret } = s.map;
    work.inside = body.stms;
    let mut rest = pat.into_iter().zip(body.result);
    let mut scanned: Vec<Split> = vec![];
    let mut reduced: Vec<Split> = vec![];
    let (mut scans, mut reds) = (vec![], vec![]);
    for Scan { op, neutral } in s.scans {
        let values = rest.by_ref().take(op.ret.len()).collect();
        let (op, neutral) = work.operator(op, neutral, values, &[s.width], &mut scanned);
        scans.push(Scan { op, neutral });
    }
    for Reduce { comm, op, neutral } in s.reds {
        let values = rest.by_ref().take(op.ret.len()).collect();
        let (op, neutral) = work.operator(op, neutral, values, &[], &mut reduced);
        reds.push(Reduce { comm, op, neutral });
    }
    let kept: Vec<(PatElem<Soacs>, SubExp)> = rest.collect();
    work.types.extend_from_slice(&ret[ret.len() - kept.len()..]);
    for (p, e) in kept {
        work.pat.push(p);
        work.results.push(e);
    }
    let assembled = work.assembled(scanned, s.width);
    let Work { names, before, inside, pat, types, results } = work;
    let map = Lambda { params, body: Body { stms: inside, result: results }, ret: types };
    let exp = Exp::Op(Soac::Screma(Screma { width: s.width, arrays: s.arrays, scans, reds, map }));
    let mut all = before;
    all.push(Stm { pat, certs, attrs, loc, exp });
    all.extend(assembled);
    for Split { whole, numbers } in reduced {
        let numbers: Vec<SubExp> = numbers.into_iter().map(SubExp::Var).collect();
        assemble(names, whole.name, &whole.ty, &numbers, &mut all);
    }
    all
}

/// Whether an operator on arrays takes so few numbers that it can have them one by one.
fn few(op: &Lambda<Soacs>) -> bool {
    let count = |t: &Type| t.shape().iter().map(|n| n.as_i64().filter(|n| *n > 0)).product::<Option<i64>>();
    let Some(count) = op.ret.iter().map(count).sum::<Option<i64>>() else { return false };
    on_arrays(op)
        && count <= if elementwise(op) { fusion::OPERATOR_COLUMNS } else { fusion::OPERATOR_NUMBERS }
}

/// Whether an operator is a map, of maps and so on, of one on scalars.
fn elementwise(op: &Lambda<Soacs>) -> bool {
    if !on_arrays(op) {
        return true;
    }
    match &op.body.stms[..] {
        [Stm { exp: Exp::Op(Soac::Screma(s)), .. }] => {
            let operands = op.params.iter().map(|p| p.name);
            let map = s.scans.is_empty() && s.reds.is_empty();
            map && s.arrays.iter().copied().eq(operands) && elementwise(&s.map)
        }
        _ => false,
    }
}

/// A result in pieces.
struct Split {
    whole: PatElem<Soacs>,
    numbers: Vec<Name>,
}

struct Work<'a> {
    names: &'a mut NameSource,
    /// Statements before the operation.
    before: Vec<Stm<Soacs>>,
    /// Those of its map.
    inside: Vec<Stm<Soacs>>,
    /// What it binds, and types and results of its map.
    pat: Vec<PatElem<Soacs>>,
    types: Vec<Type>,
    results: Vec<SubExp>,
}

impl Work<'_> {
    /// The operator on numbers, with its neutral element; or what it was. `outer` are the dimensions outside
    /// of its results.
    fn operator(
        &mut self,
        op: Lambda<Soacs>,
        neutral: Vec<SubExp>,
        values: Vec<(PatElem<Soacs>, SubExp)>,
        outer: &[SubExp],
        split: &mut Vec<Split>,
    ) -> (Lambda<Soacs>, Vec<SubExp>) {
        if !few(&op) {
            self.types.extend_from_slice(&op.ret);
            for (p, e) in values {
                self.pat.push(p);
                self.results.push(e);
            }
            return (op, neutral);
        }
        let mut start = vec![];
        for (e, t) in neutral.into_iter().zip(&op.ret) {
            start.extend(numbers(self.names, e, t, &mut self.before));
        }
        for ((p, e), t) in values.into_iter().zip(&op.ret) {
            self.results.extend(numbers(self.names, e, t, &mut self.inside));
            let elem = t.peel(t.rank());
            if !t.is_array() {
                self.pat.push(p);
                self.types.push(elem);
                continue;
            }
            let mut names = vec![];
            for _ in places(t) {
                let name = self.names.fresh_str("number");
                self.pat.push(PatElem { name, ty: elem.array_of(outer), dec: () });
                self.types.push(elem.clone());
                names.push(name);
            }
            split.push(Split { whole: p, numbers: names });
        }
        let mut params = vec![];
        let mut stms = vec![];
        for p in op.params {
            if !p.ty.is_array() {
                params.push(p);
                continue;
            }
            let ty = p.ty.peel(p.ty.rank());
            let new: Vec<Name> = places(&p.ty).iter().map(|_| self.names.fresh_like(p.name)).collect();
            let given: Vec<SubExp> = new.iter().map(|n| (*n).into()).collect();
            params.extend(new.into_iter().map(|name| Param {
                name,
                ty: ty.clone(),
                dec: (),
                consumed: false,
            }));
            assemble(self.names, p.name, &p.ty, &given, &mut stms);
        }
        stms.extend(op.body.stms);
        let mut result = vec![];
        let mut ret = vec![];
        for (e, t) in op.body.result.into_iter().zip(&op.ret) {
            let new = numbers(self.names, e, t, &mut stms);
            ret.extend(new.iter().map(|_| t.peel(t.rank())));
            result.extend(new);
        }
        (Lambda { params, body: Body { stms, result }, ret }, start)
    }

    /// Arrays of rows, made from the arrays of their numbers.
    fn assembled(&mut self, scanned: Vec<Split>, width: SubExp) -> Option<Stm<Soacs>> {
        if scanned.is_empty() {
            return None;
        }
        let (mut arrays, mut params, mut pat) = (vec![], vec![], vec![]);
        let (mut stms, mut result, mut ret) = (vec![], vec![], vec![]);
        for Split { whole, numbers } in scanned {
            let row = whole.ty.peel(1);
            let mut given = vec![];
            for number in numbers {
                let name = self.names.fresh_like(number);
                params.push(Param { name, ty: row.peel(row.rank()), dec: (), consumed: false });
                arrays.push(number);
                given.push(name.into());
            }
            let name = self.names.fresh_str("row");
            assemble(self.names, name, &row, &given, &mut stms);
            result.push(name.into());
            ret.push(row);
            pat.push(whole);
        }
        let map = Lambda { params, body: Body { stms, result }, ret };
        let exp = Exp::Op(Soac::Screma(Screma { width, arrays, scans: vec![], reds: vec![], map }));
        Some(Stm { pat, certs: vec![], attrs: vec![], loc: fehu_ir::Loc::none(), exp })
    }
}

/// The indices of all elements of an array, in order.
fn places(ty: &Type) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for n in ty.shape() {
        let n = n.as_i64().unwrap_or(0);
        let longer = |place: Vec<i64>| (0..n).map(move |i| place.iter().copied().chain([i]).collect());
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// The elements of an operand.
fn numbers(names: &mut NameSource, e: SubExp, ty: &Type, stms: &mut Vec<Stm<Soacs>>) -> Vec<SubExp> {
    let (SubExp::Var(a), Type::Array(elem, _)) = (e, ty) else { return vec![e] };
    let mut found = vec![];
    for place in places(ty) {
        let name = names.fresh_str("number");
        let slice = place.into_iter().map(|i| DimIndex::Fix(SubExp::i64(i))).collect();
        stms.push(plain(name, Type::Prim(*elem), Exp::Basic(Basic::Index(a, slice))));
        found.push(name.into());
    }
    found
}

/// Binds an array of these elements to a name.
fn assemble(names: &mut NameSource, name: Name, ty: &Type, elements: &[SubExp], stms: &mut Vec<Stm<Soacs>>) {
    let row = ty.peel(1);
    if !row.is_array() {
        stms.push(plain(name, ty.clone(), Exp::Basic(Basic::ArrayLit(elements.to_vec(), row))));
        return;
    }
    let each = places(&row).len();
    let mut rows = vec![];
    for part in elements.chunks(each) {
        let name = names.fresh_str("row");
        assemble(names, name, &row, part, stms);
        rows.push(name.into());
    }
    stms.push(plain(name, ty.clone(), Exp::Basic(Basic::ArrayLit(rows, row))));
}
