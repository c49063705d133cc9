//! G4: a reduction of rows becomes a map of reductions, and a scan of rows a map of scans.
//!
//! In the paper: `reduce (map (λy → e)) (replicate k d) z` is treated as
//! `map (reduce (λy → e) d) (transpose z)`: the sums of the columns of a matrix are
//! the sums of the rows of its transpose. A scan's results are transposed back.
//!
//! ```text
//! scan (map (+)) (replicate k 0) z  =  transpose (map (scan (+) 0) (transpose z))
//! ```
//!
//! The neutral element may be any array: if it is not known to be of one value, the scalar operator's own is
//! used, and the given one is combined with the results. Rows that a map makes are not made (`g4_rows`). An
//! operator that is no map is applied level by level (`g4_tree`).
//!
//! The histogram's operator is vectorised: applied elementwise by the segmented operation itself.

use super::g4_rows::{at_column, Rows};
use super::nest::{Lifted, Nest, Owner};
use super::state::{Flat, Machine};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::soac::{Reduce, Scan, Screma, Soac};
use fehu_ir::subst::{rename_lambda, Subst};
use fehu_ir::types::body_types;
use fehu_ir::{Basic, Body, Exp, Lambda, Param, Shape, Soacs, Stm, SubExp, Type};

/// An operator that applies another one to the elements of its operands.
pub(super) struct Elementwise {
    /// How many elements.
    pub(super) size: SubExp,
    pub(super) op: Lambda<Soacs>,
    /// What the application depends on.
    pub(super) certs: Vec<Name>,
}

/// The operator on elements, if the operator is a map.
pub(super) fn vector_operator(names: &mut NameSource, op: &Lambda<Soacs>) -> Option<Elementwise> {
    let [stm] = &op.body.stms[..] else { return None };
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
    let place = |n: Name| op.params.iter().position(|p| p.name == n);
    let own = fehu_ir::free::free_in_lambda(&s.map).into_iter().all(|n| place(n).is_none());
    if !s.scans.is_empty() || !s.reds.is_empty() || !own {
        return None;
    }
    let mut elements: Vec<Option<Param<Soacs>>> = op.params.iter().map(|_| None).collect();
    for (array, p) in s.arrays.iter().zip(&s.map.params) {
        let element = &mut elements[place(*array)?];
        if element.replace(p.clone()).is_some() {
            return None;
        }
    }
    let mut params = vec![];
    for (element, p) in elements.into_iter().zip(&op.params) {
        params.push(match element {
            Some(p) => p,
            None if p.ty.shape().first() == Some(&s.width) => {
                Param { name: names.fresh_like(p.name), ty: p.ty.peel(1), dec: (), consumed: false }
            }
            None => return None,
        });
    }
    let (mut result, mut ret) = (vec![], vec![]);
    for e in &op.body.result {
        let k = stm.pat.iter().position(|p| SubExp::Var(p.name) == *e)?;
        result.push(s.map.body.result[k]);
        ret.push(s.map.ret[k].clone());
    }
    let body = Body { stms: s.map.body.stms.clone(), result };
    Some(Elementwise { size: s.width, op: Lambda { params, body, ret }, certs: stm.certs.clone() })
}

/// The innermost operator, and the sizes it is applied over.
pub(super) fn vectorised(names: &mut NameSource, op: &Lambda<Soacs>) -> (Shape, Lambda<Soacs>) {
    let mut shape = vec![];
    let mut op = op.clone();
    while let Some(inner) = vector_operator(names, &op) {
        if !inner.certs.is_empty() {
            break;
        }
        shape.push(inner.size);
        op = inner.op;
    }
    (shape, op)
}

/// The operators, if each result is one applied to the matching operands.
pub(super) fn binops(op: &Lambda<Soacs>) -> Option<Vec<BinOp>> {
    let n = op.ret.len();
    let (xs, ys) = op.params.split_at_checked(n)?;
    let mut found = vec![];
    for ((x, y), result) in xs.iter().zip(ys).zip(&op.body.result) {
        let bound = |s: &&Stm<Soacs>| s.pat.first().is_some_and(|p| SubExp::Var(p.name) == *result);
        let (x, y) = (SubExp::Var(x.name), SubExp::Var(y.name));
        match op.body.stms.iter().find(bound)?.exp {
            Exp::Basic(Basic::BinOp(op, a, b))
                if (a, b) == (x, y) || ((a, b) == (y, x) && op.is_commutative()) =>
            {
                found.push(op);
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return None
            }
        }
    }
    (op.body.stms.len() == n).then_some(found)
}

/// The one operator of a combinator.
#[derive(Clone, Copy)]
pub(super) enum Only<'a> {
    Reduce(&'a Reduce<Soacs>),
    Scan(&'a Scan<Soacs>),
}

impl<'a> Only<'a> {
    /// The only operator of a combinator that has one.
    pub(super) fn of(s: &'a Screma<Soacs>) -> Option<Only<'a>> {
        match (&s.scans[..], &s.reds[..]) {
            ([], [red]) => Some(Only::Reduce(red)),
            ([scan], []) => Some(Only::Scan(scan)),
            _ => None,
        }
    }

    pub(super) fn op(&self) -> &'a Lambda<Soacs> {
        match self {
            Only::Reduce(red) => &red.op,
            Only::Scan(scan) => &scan.op,
        }
    }

    pub(super) fn neutral(&self) -> &'a [SubExp] {
        match self {
            Only::Reduce(red) => &red.neutral,
            Only::Scan(scan) => &scan.neutral,
        }
    }
}

/// The neutral elements of an operator on elements.
pub(super) struct Neutral {
    pub(super) elements: Vec<SubExp>,
    /// Whether they are the operator's own, so that the given ones are still to be combined with the results.
    pub(super) late: bool,
}

/// An operation to be done column by column.
pub(super) struct Interchanged<'a> {
    pub(super) s: &'a Screma<Soacs>,
    pub(super) only: Only<'a>,
    pub(super) rows: Rows<'a>,
    pub(super) elementwise: Elementwise,
    pub(super) neutral: Neutral,
}

/// The one value of a neutral element, for the elements of a vector. If these are arrays themselves, they are made.
fn element_like(flat: &mut Flat, e: SubExp, ty: &Type) -> Option<SubExp> {
    if let Some(by) = flat.arrays.element_of(&flat.seq.b, e, ty.rank()) {
        return Some(by);
    }
    let by = flat.arrays.element_of(&flat.seq.b, e, 0)?;
    let row = flat.seq.b.bind("rep", ty.clone(), Exp::Basic(Basic::Replicate(ty.shape().to_vec(), by)));
    flat.arrays.add_replicated(row, by);
    Some(row.into())
}

fn neutral_elements(flat: &mut Flat, nest: &Nest, only: Only, op: &Lambda<Soacs>) -> Option<Neutral> {
    let mut elements = vec![];
    for (e, t) in only.neutral().iter().zip(&op.ret) {
        elements.extend(element_like(flat, *e, t).filter(|e| nest.invariant(*e)));
    }
    if elements.len() == op.ret.len() {
        return Some(Neutral { elements, late: false });
    }
    let (_, innermost) = vectorised(&mut flat.seq.b.names, op);
    let own: Option<Vec<_>> = binops(&innermost)?.into_iter().map(|op| op.neutral()).collect();
    let mut elements = vec![];
    for (v, t) in own?.into_iter().zip(&op.ret) {
        elements.push(if t.is_array() {
            let rep = Exp::Basic(Basic::Replicate(t.shape().to_vec(), SubExp::Const(v)));
            let row = flat.seq.b.bind("rep", t.clone(), rep);
            flat.arrays.add_replicated(row, SubExp::Const(v));
            row.into()
        } else {
            SubExp::Const(v)
        });
    }
    Some(Neutral { elements, late: true })
}

/// Interchanges a reduction or scan with the map that its operator is.
pub(super) fn interchange(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    s: &Screma<Soacs>,
) -> Option<Lifted> {
    let only = Only::of(s)?;
    let elementwise = vector_operator(&mut flat.seq.b.names, only.op())?;
    if !nest.invariant(elementwise.size) {
        return None;
    }
    let rows = Rows::of(s, elementwise.size).filter(|_| s.map.ret.len() == only.op().ret.len())?;
    let neutral = neutral_elements(flat, nest, only, &elementwise.op)?;
    let i = Interchanged { s, only, rows, elementwise, neutral };
    let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
    let body = flat.soacs(stm, |f, b| {
        b.certs.extend(&i.elementwise.certs);
        let columns = over_columns(f, b, &i);
        with_given_neutral(b, &i, columns)
    });
    let results = flat.under(nest, body, &types);
    Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
}

/// What the columns come to.
fn over_columns(flat: &Flat, b: &mut Builder<Soacs>, i: &Interchanged) -> Vec<SubExp> {
    let op = rename_lambda(&mut b.names, &i.elementwise.op);
    b.types.extend(op.params.iter().map(|p| (p.name, p.ty.clone())));
    b.types.extend(body_types(&op.body));
    let (size, width) = (i.elementwise.size, i.s.width);
    let ret = op.ret.clone();
    let mut columns = vec![];
    let mut params = vec![];
    let (arrays, map) = match i.rows {
        Rows::Given => {
            for (array, t) in i.s.arrays.iter().zip(&ret) {
                let ty = t.array_of(&[size, width]);
                columns.push(b.bind(
                    "tr",
                    ty.clone(),
                    Exp::Basic(Basic::Rearrange(swapped(ty.rank()), *array)),
                ));
                params.push(b.param("col", t.array_of(&[width])));
            }
            let elements = ret.iter().map(|t| b.param("x", t.clone())).collect();
            (params.iter().map(|p| p.name).collect(), identity(elements, &ret))
        }
        Rows::Made(last, map) => {
            let (start, step) = (SubExp::i64(0), SubExp::i64(1));
            let all = Exp::Basic(Basic::Iota { n: size, start, step, ty: IntType::I64 });
            columns.push(b.bind("places", Type::I64.array_of(&[size]), all));
            params.push(b.param("place", Type::I64));
            (i.s.arrays.clone(), at_column(b, i, (last, map), params[0].name.into()))
        }
    };
    let neutral = i.neutral.elements.clone();
    let (scans, reds, column): (_, _, Vec<Type>) = match i.only {
        Only::Reduce(red) => (vec![], vec![Reduce { comm: red.comm, op, neutral }], ret),
        Only::Scan(_) => {
            (vec![Scan { op, neutral }], vec![], ret.iter().map(|t| t.array_of(&[width])).collect())
        }
    };
    let inner = Screma { width, arrays, scans, reds, map };
    b.begin();
    let combined = b.bind_all("column", column.clone(), Exp::Op(Soac::Screma(inner)));
    let body = b.end(combined.into_iter().map(SubExp::Var).collect());
    let results: Vec<Type> = column.iter().map(|t| t.array_of(&[size])).collect();
    let map = Lambda { params, body, ret: column };
    let outer = Screma { width: size, arrays: columns, scans: vec![], reds: vec![], map };
    let combined = b.bind_all("columns", results.clone(), Exp::Op(Soac::Screma(outer)));
    match i.only {
        Only::Reduce(_) => combined.into_iter().map(SubExp::Var).collect(),
        Only::Scan(_) => {
            combined.into_iter().zip(results).map(|(c, ty)| transposed_back(flat, b, c, ty)).collect()
        }
    }
}

/// Scanned columns as rows again. On the grid, these are written in the order of columns, and copied then:
/// neighbouring threads are to write to neighbouring places.
fn transposed_back(flat: &Flat, b: &mut Builder<Soacs>, columns: Name, ty: Type) -> SubExp {
    let perm = swapped(ty.rank());
    let mut shape = ty.shape().to_vec();
    shape.swap(0, 1);
    let ty = ty.peel(ty.rank()).array_of(&shape);
    if flat.machine == Machine::Block {
        return b.bind("rows", ty, Exp::Basic(Basic::Rearrange(perm, columns))).into();
    }
    // A single column is a single row, too.
    let one = b.cmp(CmpOp::Eq(PrimType::I64), shape[1], SubExp::i64(1));
    b.begin();
    let same = b.bind("rows", ty.clone(), Exp::Basic(Basic::Reshape(shape, columns)));
    let yes = b.end(vec![same.into()]);
    b.begin();
    let rows = b.bind("rows", ty.clone(), Exp::Basic(Basic::Rearrange(perm, columns)));
    let rows = b.bind("rows", ty.clone(), Exp::Basic(Basic::Manifest((0..ty.rank()).collect(), rows)));
    let no = b.end(vec![rows.into()]);
    b.bind("rows", ty, Exp::If(one, Box::new(yes), Box::new(no))).into()
}

/// Results to which the given neutral elements are added, if they have not been.
fn with_given_neutral(b: &mut Builder<Soacs>, i: &Interchanged, results: Vec<SubExp>) -> Vec<SubExp> {
    if !i.neutral.late {
        return results;
    }
    let given = i.only.neutral();
    match i.only {
        Only::Reduce(_) => applied(b, i.only.op(), &[given, &results].concat()),
        Only::Scan(_) => {
            let types: Vec<Type> = results.iter().map(|e| b.type_of(*e)).collect();
            let params: Vec<Param<Soacs>> = types.iter().map(|t| b.param("row", t.peel(1))).collect();
            let rows: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
            b.begin();
            let result = applied(b, i.only.op(), &[given, &rows].concat());
            let body = b.end(result);
            let ret = types.iter().map(|t| t.peel(1)).collect();
            let arrays = results.iter().filter_map(|e| e.name()).collect();
            let map = Lambda { params, body, ret };
            let map = Screma { width: i.s.width, arrays, scans: vec![], reds: vec![], map };
            let names = b.bind_all("rows", types, Exp::Op(Soac::Screma(map)));
            names.into_iter().map(SubExp::Var).collect()
        }
    }
}

/// The permutation that exchanges the two outer dimensions.
fn swapped(rank: usize) -> Vec<usize> {
    [1, 0].into_iter().chain(2..rank).collect()
}

/// Whether the map of a combinator just hands elements on to its operators.
pub(super) fn hands_on(s: &Screma<Soacs>) -> bool {
    let scans = s.scans.iter().map(|x| x.neutral.len());
    let combined: usize = scans.chain(s.reds.iter().map(|x| x.neutral.len())).sum();
    s.map.ret.len() == combined
        && s.map.body.stms.is_empty()
        && s.map.body.result.iter().copied().eq(s.map.params.iter().map(|p| SubExp::Var(p.name)))
}

/// The results of a lambda on arguments.
pub(super) fn applied(b: &mut Builder<Soacs>, lambda: &Lambda<Soacs>, args: &[SubExp]) -> Vec<SubExp> {
    let lambda = rename_lambda(&mut b.names, lambda);
    let params = lambda.params.iter().map(|p| p.name);
    let mut body = lambda.body;
    params.zip(args.iter().copied()).collect::<Subst>().body(&mut body);
    b.types.extend(body_types(&body));
    for stm in body.stms {
        b.push(stm);
    }
    body.result
}

/// The lambda that returns its arguments.
pub(super) fn identity(params: Vec<Param<Soacs>>, ret: &[Type]) -> Lambda<Soacs> {
    let result = params.iter().map(|p| p.name.into()).collect();
    Lambda { params, body: Body { stms: vec![], result }, ret: ret.to_vec() }
}

/// A statement from the same place, that binds nothing yet. What the original depends on, the nest
/// or the builder knows already.
pub(super) fn bare(stm: &Stm<Soacs>) -> Stm<Soacs> {
    Stm {
        pat: vec![],
        certs: vec![],
        attrs: stm.attrs.clone(),
        loc: stm.loc.clone(),
        exp: Exp::Basic(Basic::SubExp(SubExp::bool(true))),
    }
}
