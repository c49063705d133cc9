//! A program with a bit of everything.

use crate::common::*;
use fehu_base::ops::ConvOp;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::FloatType;
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::Span;
use fehu_base::Symbol;
use fehu_imp::syntax::*;
use fehu_ir::EntryType;
use fehu_ir::{ArrayData, OpaqueType};
use std::sync::Arc;

const F32: PrimType = PrimType::Float(FloatType::F32);

/// The program. Its entry points:
///
/// - `main x ys`: `(x+1, ys scaled by x)`, a tuple.
/// - `same xs ys`: the sum of two arrays of one size.
/// - `upd xs i`: writes 2 at an index that is checked, in place.
/// - `trans m`: the transposed matrix.
/// - `mkt x ys`, `mks x`, `mkarr n`, `mksarr n`: a record, a sum, an array of records, an array of sums.
/// - `table i`: an element of constant data, and `tables`, all of it.
/// - `unit x`, `from_unit u`: nothing, from something and from nothing.
/// - `half x`: a half float and a boolean.
/// - `fact n`: by recursion, and `deep n`, by recursion to that depth.
/// - `large n`: an array of `n` by 2 numbers, however many these are.
/// - `int`: a name that is a keyword of C.
pub fn program() -> Program {
    let mut b = Builder::new();
    opaques(&mut b);
    main(&mut b);
    same(&mut b);
    upd(&mut b);
    trans(&mut b);
    records(&mut b);
    sums(&mut b);
    tables(&mut b);
    small(&mut b);
    recursion(&mut b);
    deep(&mut b);
    large(&mut b);
    globals(&mut b);
    b.program
}

fn opaques(b: &mut Builder) {
    let scalar = |t| EntryType::Transparent(t, 0);
    let array = |t| EntryType::Transparent(t, 1);
    let symbol = Symbol::new;
    let sum = [(ScalarType::I8, 0), (ScalarType::I32, 0), (ScalarType::F32, 0), (ScalarType::I32, 1)];
    b.program.opaques.types = vec![
        ("()".into(), OpaqueType::Record(vec![])),
        (
            "(i32, []f32)".into(),
            OpaqueType::Record(vec![
                (symbol("0"), scalar(ScalarType::I32)),
                (symbol("1"), array(ScalarType::F32)),
            ]),
        ),
        (
            "t".into(),
            OpaqueType::Record(vec![
                (symbol("bar"), array(ScalarType::F32)),
                (symbol("foo"), scalar(ScalarType::I32)),
            ]),
        ),
        (
            "s".into(),
            OpaqueType::Sum {
                values: sum.to_vec(),
                variants: vec![
                    (
                        symbol("bar"),
                        vec![(scalar(ScalarType::F32), vec![2]), (scalar(ScalarType::U32), vec![1])],
                    ),
                    (symbol("foo"), vec![(scalar(ScalarType::I32), vec![1])]),
                    (symbol("row"), vec![(array(ScalarType::I32), vec![3])]),
                ],
                sizes: vec![],
            },
        ),
        (
            "{a: i32, b: f64}".into(),
            OpaqueType::Record(vec![
                (symbol("a"), scalar(ScalarType::I32)),
                (symbol("b"), scalar(ScalarType::F64)),
            ]),
        ),
        (
            "arrs".into(),
            OpaqueType::RecordArray {
                elem: EntryType::Opaque("{a: i32, b: f64}".into()),
                rank: 1,
                fields: vec![(symbol("a"), array(ScalarType::I32)), (symbol("b"), array(ScalarType::F64))],
            },
        ),
        (
            "[]s".into(),
            OpaqueType::Array {
                elem: EntryType::Opaque("s".into()),
                rank: 1,
                values: sum.iter().map(|(t, r)| (*t, r + 1)).collect(),
            },
        ),
        (
            "(f16, bool)".into(),
            OpaqueType::Record(vec![
                (symbol("0"), scalar(ScalarType::F16)),
                (symbol("1"), scalar(ScalarType::Bool)),
            ]),
        ),
    ];
}

fn i32_const(v: i32) -> Expr {
    Expr::Const(PrimValue::I32(v))
}

fn add32(a: Expr, b: Expr) -> Expr {
    binop(BinOp::Add(IntType::I32), a, b)
}

fn main(b: &mut Builder) {
    let (n, i) = (b.name("n"), b.name("i"));
    let x = b.scalar("x", ScalarType::I32);
    let ys = b.array("ys", ScalarType::F32, &[var(n)]);
    let x1 = b.scalar("x'", ScalarType::I32);
    let zs = b.array("zs", ScalarType::F32, &[var(n)]);
    let scale = Expr::Conv(ConvOp::SIToFP(IntType::I32, FloatType::F32), var(x.name()).into());
    let body = vec![
        set(x1.name(), add32(var(x.name()), i32_const(1))),
        alloc(zs.name(), mul(var(n), int(4))),
        for_loop(
            i,
            var(n),
            vec![write(
                zs.name(),
                var(i),
                F32,
                binop(BinOp::FMul(FloatType::F32), index(ys.name(), var(i), F32), scale),
            )],
        ),
    ];
    let result = b.opaque("(i32, []f32)", vec![x1, zs]);
    b.entry("main", &[n], vec![x, ys], &[], result, body);
}

fn same(b: &mut Builder) {
    let (n, i) = (b.name("n"), b.name("i"));
    let xs = b.array("xs", ScalarType::I32, &[var(n)]);
    let ys = b.array("ys", ScalarType::I32, &[var(n)]);
    let zs = b.array("zs", ScalarType::I32, &[var(n)]);
    let at = |m: &Value| index(m.name(), var(i), PrimType::I32);
    let body = vec![
        alloc(zs.name(), mul(var(n), int(4))),
        for_loop(i, var(n), vec![write(zs.name(), var(i), PrimType::I32, add32(at(&xs), at(&ys)))]),
    ];
    b.entry("same", &[n], vec![xs, ys], &[], zs.unique(), body);
}

fn upd(b: &mut Builder) {
    let n = b.name("n");
    let xs = b.array("xs", ScalarType::I32, &[var(n)]).unique();
    let i = b.scalar("i", ScalarType::I64);
    let out = b.array("out", ScalarType::I32, &[var(n)]);
    let cond = binop(
        BinOp::LogAnd,
        cmp(CmpOp::SLe(IntType::I64), int(0), var(i.name())),
        cmp(CmpOp::SLt(IntType::I64), var(i.name()), var(n)),
    );
    let text = |t: &str| ErrorPart::Text(t.into());
    let body = vec![
        Code::Assert {
            cond,
            message: vec![
                text("Index ["),
                ErrorPart::Value(var(i.name()), ScalarType::I64),
                text("] out of bounds, 100% \"sure\": "),
                ErrorPart::Value(var(n), ScalarType::U8),
            ],
            loc: Loc::at(Span::NONE),
        },
        write(xs.name(), var(i.name()), PrimType::I32, i32_const(2)),
        Code::SetMem(out.name(), xs.name(), Space::Default),
    ];
    b.entry("upd", &[n], vec![xs, i], &[], out.unique(), body);
}

fn trans(b: &mut Builder) {
    let (n, m) = (b.name("n"), b.name("m"));
    let xs = b.array("xs", ScalarType::U16, &[var(n), var(m)]);
    let out = b.array("out", ScalarType::U16, &[var(m), var(n)]);
    let body = vec![
        alloc(out.name(), mul(mul(var(n), var(m)), int(2))),
        Code::Copy {
            elem: PrimType::Int(IntType::I16),
            shape: vec![var(m), var(n)],
            dst: place(out.name(), int(0), vec![var(n), int(1)]),
            src: place(xs.name(), int(0), vec![int(1), var(m)]),
        },
    ];
    b.entry("trans", &[n, m], vec![xs], &[], out, body);
}

fn records(b: &mut Builder) {
    let n = b.name("n");
    let x = b.scalar("x", ScalarType::I32);
    let ys = b.array("ys", ScalarType::F32, &[var(n)]);
    let bar = b.array("bar", ScalarType::F32, &[var(n)]);
    let foo = b.scalar("foo", ScalarType::I32);
    let body = vec![set(foo.name(), var(x.name())), Code::SetMem(bar.name(), ys.name(), Space::Default)];
    let result = b.opaque("t", vec![bar, foo]);
    b.entry("mkt", &[n], vec![x, ys], &[], result, body);

    let n = b.scalar("n", ScalarType::I64);
    let i = b.name("i");
    let xs = b.array("as", ScalarType::I32, &[var(n.name())]);
    let ys = b.array("bs", ScalarType::F64, &[var(n.name())]);
    let narrow = Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), var(i).into());
    let float = Expr::Conv(ConvOp::SIToFP(IntType::I64, FloatType::F64), var(i).into());
    let body = vec![
        alloc(xs.name(), mul(var(n.name()), int(4))),
        alloc(ys.name(), mul(var(n.name()), int(8))),
        for_loop(
            i,
            var(n.name()),
            vec![
                write(xs.name(), var(i), PrimType::I32, narrow),
                write(ys.name(), var(i), PrimType::Float(FloatType::F64), float),
            ],
        ),
    ];
    let result = b.opaque("arrs", vec![xs, ys]);
    b.entry("mkarr", &[], vec![n], &[], result, body);
}

fn sums(b: &mut Builder) {
    let x = b.scalar("x", ScalarType::I32);
    let zero = b.name("zero");
    let tag = b.scalar("tag", ScalarType::I8);
    let (p, q) = (b.scalar("p", ScalarType::I32), b.scalar("q", ScalarType::F32));
    let row = b.array("row", ScalarType::I32, &[var(zero)]);
    let body = vec![
        set(zero, int(0)),
        set(p.name(), var(x.name())),
        set(q.name(), Expr::Const(PrimValue::F32(2.5))),
        alloc(row.name(), int(0)),
        Code::If(
            cmp(CmpOp::SLt(IntType::I32), i32_const(0), var(x.name())),
            set(tag.name(), Expr::Const(PrimValue::I8(1))).into(),
            set(tag.name(), Expr::Const(PrimValue::I8(0))).into(),
        ),
    ];
    let result = b.opaque("s", vec![tag, p, q, row]);
    b.entry("mks", &[], vec![x], &[zero], result, body);

    let n = b.scalar("n", ScalarType::I64);
    let (i, zero) = (b.name("i"), b.name("zero"));
    let len = n.name();
    let tags = b.array("tags", ScalarType::I8, &[var(len)]);
    let ps = b.array("ps", ScalarType::I32, &[var(len)]);
    let qs = b.array("qs", ScalarType::F32, &[var(len)]);
    let rows = b.array("rows", ScalarType::I32, &[var(len), int(0)]);
    let narrow = Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), var(i).into());
    let body = vec![
        alloc(tags.name(), var(len)),
        alloc(ps.name(), mul(var(len), int(4))),
        alloc(qs.name(), mul(var(len), int(4))),
        alloc(rows.name(), int(0)),
        for_loop(
            i,
            var(len),
            vec![
                write(tags.name(), var(i), PrimType::I8, Expr::Const(PrimValue::I8(1))),
                write(ps.name(), var(i), PrimType::I32, narrow),
                write(qs.name(), var(i), F32, Expr::Const(PrimValue::F32(0.5))),
            ],
        ),
        Code::DeclareScalar(zero, PrimType::I64),
    ];
    let result = b.opaque("[]s", vec![tags, ps, qs, rows]);
    b.entry("mksarr", &[], vec![n], &[], result, body);
}

fn tables(b: &mut Builder) {
    let data = Arc::new(ArrayData {
        elem: PrimType::I32,
        values: [3, -1, i32::MIN, i32::MAX].map(PrimValue::I32).to_vec(),
    });
    let (table, i) = (b.name("table"), b.scalar("i", ScalarType::I64));
    let out = b.scalar("out", ScalarType::I32);
    let body = vec![
        Code::DeclareStatic(table, data.clone()),
        set(out.name(), index(table, var(i.name()), PrimType::I32)),
    ];
    b.entry("table", &[], vec![i], &[], out, body);

    let table = b.name("table");
    let out = b.array("out", ScalarType::I32, &[int(4)]);
    let body = vec![Code::DeclareStatic(table, data), Code::SetMem(out.name(), table, Space::Default)];
    b.entry("tables", &[], vec![], &[], out, body);
}

fn small(b: &mut Builder) {
    let (x, unit) = (b.scalar("x", ScalarType::I32), b.opaque("()", vec![]));
    b.entry("unit", &[], vec![x], &[], unit.clone(), vec![]);
    b.entry("from_unit", &[], vec![unit.clone()], &[], unit, vec![]);

    let x = b.scalar("x", ScalarType::F16);
    let (y, z) = (b.scalar("y", ScalarType::F16), b.scalar("z", ScalarType::Bool));
    let third = PrimValue::float(FloatType::F16, 1.0 / 3.0);
    let body = vec![
        set(y.name(), binop(BinOp::FMul(FloatType::F16), var(x.name()), Expr::Const(third))),
        set(z.name(), cmp(CmpOp::FLt(FloatType::F16), var(x.name()), var(y.name()))),
    ];
    let result = b.opaque("(f16, bool)", vec![y, z]);
    b.entry("half", &[], vec![x], &[], result, body);

    let (int, out) = (b.scalar("int", ScalarType::U64), b.scalar("while", ScalarType::U64));
    let body = vec![set(out.name(), var(int.name()))];
    b.entry("int", &[], vec![int], &[], out, body);
}

/// The factorial, with an array that must be freed on all ways out.
fn recursion(b: &mut Builder) {
    let (fact, n, r) = (b.name("fact"), b.name("n"), b.name("r"));
    let (m, s, t) = (b.name("m"), b.name("s"), b.name("t"));
    let below = cmp(CmpOp::SLe(IntType::I64), int(0), var(n));
    let recurse = vec![
        Code::DeclareMem(t, Space::Default),
        alloc(t, mul(var(n), int(8))),
        write(t, int(0), PrimType::I64, var(n)),
        Code::DeclareScalar(s, PrimType::I64),
        Code::DeclareMem(m, Space::Default),
        Code::SetMem(m, t, Space::Default),
        Code::Call { outs: vec![s], fun: fact, args: vec![Arg::Scalar(add(var(n), int(-1)))] },
        set(r, mul(var(s), index(m, int(0), PrimType::I64))),
    ];
    let body = Code::Seq(vec![
        Code::Assert { cond: below, message: vec![ErrorPart::Text("negative".into())], loc: Loc::none() },
        Code::If(
            cmp(CmpOp::Eq(PrimType::I64), var(n), int(0)),
            set(r, int(1)).into(),
            Code::Seq(recurse).into(),
        ),
    ]);
    b.program.functions.push(Function {
        name: fact,
        outputs: vec![Param::Scalar(r, PrimType::I64)],
        inputs: vec![Param::Scalar(n, PrimType::I64)],
        body,
        entry: None,
    });
    let (n, out) = (b.scalar("n", ScalarType::I64), b.scalar("out", ScalarType::I64));
    let body = vec![Code::Call { outs: vec![out.name()], fun: fact, args: vec![Arg::Scalar(var(n.name()))] }];
    b.entry("fact", &[], vec![n], &[], out, body);
}

/// Recursion that no compiler turns into a loop, for it works on what it returns.
fn deep(b: &mut Builder) {
    let (deep, n, r, s) = (b.name("deep"), b.name("n"), b.name("r"), b.name("s"));
    let recurse = vec![
        Code::DeclareScalar(s, PrimType::I64),
        Code::Call { outs: vec![s], fun: deep, args: vec![Arg::Scalar(add(var(n), int(-1)))] },
        set(r, binop(BinOp::SMod(IntType::I64), add(mul(var(s), int(31)), var(n)), int(1_000_007))),
    ];
    b.program.functions.push(Function {
        name: deep,
        outputs: vec![Param::Scalar(r, PrimType::I64)],
        inputs: vec![Param::Scalar(n, PrimType::I64)],
        body: Code::If(
            cmp(CmpOp::SLe(IntType::I64), var(n), int(0)),
            set(r, int(1)).into(),
            Code::Seq(recurse).into(),
        ),
        entry: None,
    });
    let (n, out) = (b.scalar("n", ScalarType::I64), b.scalar("out", ScalarType::I64));
    let body = vec![Code::Call { outs: vec![out.name()], fun: deep, args: vec![Arg::Scalar(var(n.name()))] }];
    b.entry("deep", &[], vec![n], &[], out, body);
}

/// An array of any size, whose bytes are counted in a variable of their own.
fn large(b: &mut Builder) {
    let (n, t, u, i) = (b.scalar("n", ScalarType::I64), b.name("t"), b.name("u"), b.name("i"));
    let out = b.array("out", ScalarType::I64, &[var(n.name()), int(2)]);
    let body = vec![
        Code::DeclareScalar(t, PrimType::I64),
        set(t, mul(int(8), var(n.name()))),
        Code::DeclareScalar(u, PrimType::I64),
        set(u, mul(var(t), int(2))),
        alloc(out.name(), var(u)),
        for_loop(i, mul(var(n.name()), int(2)), vec![write(out.name(), var(i), PrimType::I64, var(i))]),
    ];
    b.entry("large", &[], vec![n], &[], out, body);
}

/// A constant array made at the start, of which one entry point returns all.
fn globals(b: &mut Builder) {
    let (g, k, i) = (b.name("g"), b.name("k"), b.name("i"));
    b.program.globals = vec![Param::Mem(g, Space::Default), Param::Scalar(k, PrimType::I64)];
    b.program.init = Code::Seq(vec![
        set(k, int(5)),
        alloc(g, int(5 * 8)),
        for_loop(i, var(k), vec![write(g, var(i), PrimType::I64, mul(var(i), var(i)))]),
    ]);
    let (n, out) = (b.name("n"), b.array("out", ScalarType::I64, &[]));
    let out = Value { ty: EntryType::Transparent(ScalarType::I64, 1), ..out };
    let mem = out.name();
    let out =
        Value { values: vec![EntryValue::Array { mem, elem: ScalarType::I64, shape: vec![var(n)] }], ..out };
    let body = vec![set(n, var(k)), Code::SetMem(mem, g, Space::Default)];
    b.entry("squares", &[], vec![], &[n], out, body);
}
