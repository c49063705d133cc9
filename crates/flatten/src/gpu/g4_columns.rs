//! Sums of columns, by threads that each walk down a part of a column.
//!
//! After G4, a segmented reduction has one segment per column, and its neighbouring threads read elements of one column,
//! which are far apart in memory if the rows are there. Large reductions are done in another order:
//!
//! ```text
//! reduce (map (+)) (replicate m 0) xss     -- [n][m]
//!
//! parts = map (\c -> map (\j -> loop s = 0 for r < ... do s + xss[c + r*C, j]) (iota m)) (iota C)
//! reduce (map (+)) (replicate m 0) parts   -- [C][m]
//! ```
//!
//! Neighbouring threads have neighbouring columns, and after the last column the next row: they read memory in order, once,
//! whatever `m` is. Where operands must not be exchanged, each thread has rows that follow each other instead.
//!
//! Cost: reading all elements once, n*m of them, and [`THREADS`] sums twice. So `C*m` is about [`THREADS`], and it pays if
//! n*m is several times that. A row that is made by a map is not made: the loop computes its element.

use super::g4_vector::{Interchanged, Only};
use super::g6_distribute::Lifted;
use super::nest::{Cost, Nest, Owner};
use super::parallel::{cost, exploitable};
use super::{Flat, Machine};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::build::Builder;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::types::array_of_rows;
use fehu_ir::{DimIndex, Exp, Lambda, Loop, LoopForm, Soacs, SubExp, Type};

/// How many partial sums there are to be: what an accelerator has threads for, and a little more.
const THREADS: i64 = 1 << 18;

/// How many elements there must be for each of them.
const EACH: i64 = 4;

/// The code that makes an element of a row, inside of the map that makes rows.
enum Element<'a> {
    /// The rows are there.
    Given,
    /// This map over their places does, whose inputs and free names the statements before it bind.
    Made(&'a Screma<Soacs>),
}

impl Flat<'_> {
    /// A large reduction with an operator on rows; `None` if this is none that can be done so.
    pub(super) fn columns(&mut self, nest: &mut Nest, i: &Interchanged) -> Option<Lifted> {
        let Only::Reduce(_) = i.only else { return None };
        let scalars = i.elementwise.op.ret.iter().all(|t| !t.is_array());
        if self.machine == Machine::Block || !scalars || i.s.map.ret.len() != i.only.op().ret.len() {
            return None;
        }
        let element = element(i)?;
        let types: Vec<Type> = i.stm.pat.iter().map(|p| p.ty.clone()).collect();
        let par = self.seq.b.product(&nest.widths);
        let wide = self.seq.b.mul64(par, i.elementwise.size);
        let points = self.seq.b.mul64(wide, i.s.width);
        let many = SubExp::i64(THREADS * EACH);
        let large = self.seq.b.cmp(CmpOp::SLe(IntType::I64), many, points);
        let parts = self.parts(i.s.width, wide);
        let mut under = nest.clone();
        let body = self.partial_sums(i, &element, parts);
        let yes = self.nested(|f| f.under(&under, body, &types));
        let no = match element {
            Element::Given => self.nested(|f| lifted(f.interchanged(&mut under, i))),
            Element::Made(_) => self.nested(|f| lifted(f.split(&mut under, i.stm, i.s))),
        };
        let results = types.iter().map(|t| array_of_rows(t, &nest.widths)).collect();
        let results = self.choose(large, yes, no, results);
        Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
    }

    /// In how many parts rows are divided, if each row is so wide.
    fn parts(&mut self, rows: SubExp, wide: SubExp) -> SubExp {
        let one = SubExp::i64(1);
        let wide = self.seq.b.bin(BinOp::SMax(IntType::I64), wide, one);
        let parts = self.seq.b.bin(BinOp::SQuot(IntType::I64), SubExp::i64(THREADS), wide);
        let parts = self.seq.b.bin(BinOp::SMin(IntType::I64), parts, rows);
        self.seq.b.bin(BinOp::SMax(IntType::I64), parts, one)
    }

    fn partial_sums(&mut self, i: &Interchanged, element: &Element, parts: SubExp) -> fehu_ir::Body<Soacs> {
        self.soacs(i.stm, |f, b| {
            b.certs.extend(&i.elementwise.certs);
            let ret = i.elementwise.op.ret.clone();
            let size = i.elementwise.size;
            let part = b.param("part", Type::I64);
            let column = b.param("column", Type::I64);
            let (c, j) = (SubExp::Var(part.name), SubExp::Var(column.name));
            b.begin();
            b.begin();
            let sums = walk(b, i, element, (c, parts), j);
            let inner = Lambda { params: vec![column], body: b.end(sums), ret: ret.clone() };
            let rows: Vec<Type> = ret.iter().map(|t| t.array_of(&[size])).collect();
            let row = over(b, size, inner, &rows);
            let outer = Lambda { params: vec![part], body: b.end(row), ret: rows.clone() };
            let all: Vec<Type> = rows.iter().map(|t| t.array_of(&[parts])).collect();
            let sums = over(b, parts, outer, &all);
            let sums: Vec<Name> = sums.into_iter().filter_map(|e| e.name()).collect();
            let columns = f.over_columns(b, i, &sums, parts);
            f.with_given_neutral(b, i, columns)
        })
    }
}

fn lifted(results: Lifted) -> Vec<SubExp> {
    results.into_iter().map(|(e, _)| e).collect()
}

/// A map over a progression from 0.
fn over(b: &mut Builder<Soacs>, n: SubExp, lambda: Lambda<Soacs>, results: &[Type]) -> Vec<SubExp> {
    let iota = Exp::Iota { n, start: SubExp::i64(0), step: SubExp::i64(1), ty: IntType::I64 };
    let indices = b.bind("indices", Type::I64.array_of(&[n]), iota);
    let map = Screma { width: n, arrays: vec![indices], scans: vec![], reds: vec![], map: lambda };
    let names = b.bind_all("parts", results.to_vec(), Exp::Op(Soac::Screma(map)));
    names.into_iter().map(SubExp::Var).collect()
}

/// How elements of rows are made. Each thread makes those it needs, so that what is done for a row only must be cheap.
fn element<'a>(i: &'a Interchanged) -> Option<Element<'a>> {
    let body = &i.s.map.body;
    if super::g4_vector::hands_on(i.s) {
        return Some(Element::Given);
    }
    let (last, before) = body.stms.split_last()?;
    let Exp::Op(Soac::Screma(map)) = &last.exp else { return None };
    let fits = map.scans.is_empty()
        && map.reds.is_empty()
        && map.width == i.elementwise.size
        && before.iter().all(|s| cost(&s.exp) == Cost::Cheap)
        && body.result.iter().all(|e| last.pat.iter().any(|p| SubExp::Var(p.name) == *e))
        && !exploitable(&map.map.body);
    fits.then_some(Element::Made(map))
}

/// The sum of one part of a column.
fn walk(
    b: &mut Builder<Soacs>,
    i: &Interchanged,
    element: &Element,
    (part, parts): (SubExp, SubExp),
    column: SubExp,
) -> Vec<SubExp> {
    let op = &i.elementwise.op;
    let rows = i.s.width;
    let one = SubExp::i64(1);
    let up = |b: &mut Builder<Soacs>, x: SubExp, by: SubExp| {
        let rest = b.sub64(by, one);
        let sum = b.add64(x, rest);
        b.bin(BinOp::SQuot(IntType::I64), sum, by)
    };
    let (first, step, count) = if i.only.is_commutative(op) {
        let left = b.sub64(rows, part);
        (part, parts, up(b, left, parts))
    } else {
        let each = up(b, rows, parts);
        let first = b.mul64(part, each);
        let left = b.sub64(rows, first);
        (first, one, b.bin(BinOp::SMin(IntType::I64), left, each))
    };
    let params: Vec<_> = op.ret.iter().map(|t| b.param("sum", t.clone())).collect();
    let sums: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
    let var = b.fresh("r", Type::I64);
    b.begin();
    let far = b.mul64(var.into(), step);
    let row = b.add64(first, far);
    let values = values(b, i, element, row, column);
    let next = super::g4_vector::applied(b, op, &[sums, values].concat());
    let body = b.end(next);
    let params = params.into_iter().zip(i.neutral.elements.iter().copied()).collect();
    let form = LoopForm::For { var, ty: IntType::I64, bound: count };
    let exp = Exp::Loop(Box::new(Loop { params, form, body }));
    b.bind_all("sum", op.ret.clone(), exp).into_iter().map(SubExp::Var).collect()
}

/// The elements of a row at a column.
fn values(
    b: &mut Builder<Soacs>,
    i: &Interchanged,
    element: &Element,
    row: SubExp,
    column: SubExp,
) -> Vec<SubExp> {
    let at = |b: &mut Builder<Soacs>, array: Name, index: &[SubExp]| -> SubExp {
        let ty = b.type_of(array.into());
        let rest = ty.peel(index.len());
        let fixed = index.iter().map(|i| DimIndex::Fix(*i));
        let whole = |n: &SubExp| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) };
        let slice = fixed.chain(rest.shape().iter().map(whole)).collect();
        b.bind("x", rest.clone(), Exp::Index(array, slice)).into()
    };
    let map = match element {
        Element::Given => return i.s.arrays.iter().map(|a| at(b, *a, &[row, column])).collect(),
        Element::Made(map) => map,
    };
    // The code for one row, with the map over its places replaced by the code for one place.
    let mut code = i.s.map.clone();
    let last = code.body.stms.pop();
    let mut made: Vec<SubExp> = vec![];
    code.body.result = map.arrays.iter().map(|a| (*a).into()).collect();
    code.ret = vec![];
    let free: Vec<Name> = fehu_ir::free::free_in_lambda(&map.map).into_iter().collect();
    code.body.result.extend(free.iter().map(|n| SubExp::Var(*n)));
    let mut elements = vec![];
    for a in &i.s.arrays {
        elements.push(at(b, *a, &[row]));
    }
    let found = super::g4_vector::applied(b, &code, &elements);
    let (inputs, bound) = found.split_at(map.arrays.len());
    let mut place = map.map.clone();
    free.into_iter().zip(bound.iter().copied()).collect::<fehu_ir::subst::Subst>().lambda(&mut place);
    let args: Vec<SubExp> = inputs.iter().filter_map(|e| e.name()).map(|a| at(b, a, &[column])).collect();
    let results = super::g4_vector::applied(b, &place, &args);
    for e in &i.s.map.body.result {
        let k = last.iter().flat_map(|s| &s.pat).position(|p| SubExp::Var(p.name) == *e);
        made.extend(k.and_then(|k| results.get(k).copied()));
    }
    made
}
