//! Every operator, on values at the edges, computed by the generated program
//! and by the definitions in `fehu_base::ops`.

use crate::common::*;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue, ScalarType};
use fehu_base::Name;
use fehu_codegen::Mode;
use fehu_imp::syntax::*;
use std::sync::Arc;

/// Operands worth trying at a type.
pub fn operands(t: PrimType) -> Vec<PrimValue> {
    match t {
        PrimType::Int(t) => {
            let mut ints: Vec<i64> = vec![0, 1, -1, 2, -2, 3, 7, -7, 8, 15, 16, 31, 32, 63, 64, 100, -100];
            let top = 1i64.checked_shl(t.bits() - 1).unwrap_or(i64::MIN);
            ints.extend([top, top.wrapping_sub(1), top.wrapping_add(1), 0x5555_5555_5555_5555]);
            ints.into_iter().map(|v| PrimValue::int(t, v)).collect()
        }
        PrimType::Float(t) => {
            let mut floats = vec![
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                -2.5,
                3.25,
                1e-3,
                0.1,
                255.5,
                -129.0,
                2147483648.0,
                4294967296.0,
                -2147483649.0,
                1e10,
                1e19,
                -1e19,
                1e25,
                65504.0,
                65520.0,
                6e-8,
                5.9e-8,
                1e-40,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
            ];
            floats.push(f64::from(1.0f32 / 3.0));
            floats.into_iter().map(|v| PrimValue::float(t, v)).collect()
        }
        PrimType::Bool => vec![PrimValue::Bool(false), PrimValue::Bool(true)],
        PrimType::Unit => vec![PrimValue::Unit],
    }
}

/// An operator with its operand types, how to apply it, and what it should give.
pub struct Case {
    pub label: String,
    pub operands: Vec<PrimType>,
    pub result: PrimType,
    pub apply: Box<dyn Fn(Vec<Expr>) -> Expr>,
    /// By how much the last bit may differ: the C library is not the same everywhere.
    pub slack: i64,
    pub eval: Box<dyn Fn(&[PrimValue]) -> Option<PrimValue>>,
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut unop = |op: UnOp| {
        all.push(Case {
            label: format!("{op:?}"),
            operands: vec![op.operand_type()],
            result: op.result_type(),
            slack: 0,
            apply: Box::new(move |mut a| Expr::UnOp(op, a.remove(0).into())),
            eval: Box::new(move |a| op.eval(a[0])),
        });
    };
    unop(UnOp::Not);
    for t in IntType::ALL {
        [UnOp::Complement(t), UnOp::Neg(t), UnOp::Abs(t), UnOp::SSignum(t), UnOp::USignum(t)]
            .into_iter()
            .for_each(&mut unop);
    }
    for t in FloatType::ALL {
        [UnOp::FNeg(t), UnOp::FAbs(t), UnOp::FSignum(t)].into_iter().for_each(&mut unop);
    }
    let mut binop = |op: BinOp| {
        all.push(Case {
            label: format!("{op:?}"),
            operands: vec![op.operand_type(); 2],
            result: op.result_type(),
            slack: 0,
            apply: Box::new(move |mut a| {
                let b = a.remove(1);
                Expr::BinOp(op, a.remove(0).into(), b.into())
            }),
            eval: Box::new(move |a| op.eval(a[0], a[1])),
        });
    };
    [BinOp::LogAnd, BinOp::LogOr].into_iter().for_each(&mut binop);
    for t in IntType::ALL {
        use BinOp::*;
        [Add(t), Sub(t), Mul(t), SDiv(t), SMod(t), SQuot(t), SRem(t), UDiv(t), UMod(t), SMin(t)]
            .into_iter()
            .for_each(&mut binop);
        [SMax(t), UMin(t), UMax(t), Shl(t), LShr(t), AShr(t), And(t), Or(t), Xor(t), Pow(t)]
            .into_iter()
            .for_each(&mut binop);
    }
    for t in FloatType::ALL {
        use BinOp::*;
        [FAdd(t), FSub(t), FMul(t), FDiv(t), FMod(t), FMin(t), FMax(t), FPow(t)]
            .into_iter()
            .for_each(&mut binop);
    }
    let mut cmpop = |op: CmpOp| {
        all.push(Case {
            label: format!("{op:?}"),
            operands: vec![op.operand_type(); 2],
            result: PrimType::Bool,
            slack: 0,
            apply: Box::new(move |mut a| {
                let b = a.remove(1);
                Expr::CmpOp(op, a.remove(0).into(), b.into())
            }),
            eval: Box::new(move |a| op.eval(a[0], a[1]).map(PrimValue::Bool)),
        });
    };
    [CmpOp::BLt, CmpOp::BLe, CmpOp::Eq(PrimType::Bool), CmpOp::Eq(PrimType::Unit)]
        .into_iter()
        .for_each(&mut cmpop);
    for t in IntType::ALL {
        let eq = CmpOp::Eq(PrimType::Int(t));
        [eq, CmpOp::SLt(t), CmpOp::SLe(t), CmpOp::ULt(t), CmpOp::ULe(t)].into_iter().for_each(&mut cmpop);
    }
    for t in FloatType::ALL {
        [CmpOp::Eq(PrimType::Float(t)), CmpOp::FLt(t), CmpOp::FLe(t)].into_iter().for_each(&mut cmpop);
    }
    for op in conversions() {
        all.push(Case {
            label: format!("{op:?}"),
            operands: vec![op.operand_type()],
            result: op.result_type(),
            slack: 0,
            apply: Box::new(move |mut a| Expr::Conv(op, a.remove(0).into())),
            eval: Box::new(move |a| op.eval(a[0])),
        });
    }
    let floats = FloatType::ALL.map(PrimType::Float);
    let ints = IntType::ALL.map(PrimType::Int);
    for op in MathFn::ALL {
        for at in floats.into_iter().chain(ints) {
            let f = PrimFn { op, at };
            if f.is_defined() {
                let (operands, result) = f.signature();
                all.push(Case {
                    label: format!("{f:?}"),
                    operands,
                    result,
                    slack: i64::from(op == MathFn::Cbrt),
                    apply: Box::new(move |a| Expr::PrimFn(f, a)),
                    eval: Box::new(move |a| f.eval(a)),
                });
            }
        }
    }
    all
}

fn conversions() -> Vec<ConvOp> {
    let mut all = Vec::new();
    for a in IntType::ALL {
        all.extend(IntType::ALL.into_iter().flat_map(|b| [ConvOp::ZExt(a, b), ConvOp::SExt(a, b)]));
        all.extend(FloatType::ALL.into_iter().flat_map(|b| {
            [ConvOp::FPToUI(b, a), ConvOp::FPToSI(b, a), ConvOp::UIToFP(a, b), ConvOp::SIToFP(a, b)]
        }));
        all.extend([ConvOp::IToB(a), ConvOp::BToI(a)]);
    }
    for a in FloatType::ALL {
        all.extend(FloatType::ALL.into_iter().map(|b| ConvOp::FPConv(a, b)));
        all.extend([ConvOp::FToB(a), ConvOp::BToF(a)]);
    }
    all
}

/// All combinations of operands.
pub fn combinations(types: &[PrimType]) -> Vec<Vec<PrimValue>> {
    types.iter().fold(vec![vec![]], |rows, t| {
        rows.iter()
            .flat_map(|row| operands(*t).into_iter().map(move |v| [row.clone(), vec![v]].concat()))
            .collect()
    })
}

/// A value as the bits that the program writes for it.
pub fn bits(v: PrimValue) -> i64 {
    match v {
        PrimValue::F16(v) => i64::from(v.to_bits() as i16),
        PrimValue::F32(v) => i64::from(v.to_bits() as i32),
        PrimValue::F64(v) => v.to_bits() as i64,
        PrimValue::Bool(v) => i64::from(v),
        PrimValue::Unit => 0,
        PrimValue::I8(_) | PrimValue::I16(_) | PrimValue::I32(_) | PrimValue::I64(_) => v.as_i64().unwrap(),
    }
}

/// The same, as an expression of the program.
pub fn bits_expr(t: PrimType, e: Expr) -> Expr {
    let widen = |t, e: Expr| Expr::Conv(ConvOp::SExt(t, IntType::I64), e.into());
    let to_bits = |e| Expr::PrimFn(PrimFn { op: MathFn::ToBits, at: t }, vec![e]);
    match t {
        PrimType::Int(t) => widen(t, e),
        PrimType::Float(FloatType::F16) => widen(IntType::I16, to_bits(e)),
        PrimType::Float(FloatType::F32) => widen(IntType::I32, to_bits(e)),
        PrimType::Float(FloatType::F64) => to_bits(e),
        PrimType::Bool | PrimType::Unit => Expr::Conv(ConvOp::BToI(IntType::I64), e.into()),
    }
}

/// One entry point that applies each operator to all operands, one after the other.
fn program(cases: &[Case]) -> Program {
    let mut b = Builder::new();
    let mut body = Vec::new();
    let mut tables: Vec<(PrimType, Name)> = Vec::new();
    let mut total = 0;
    let out = b.name("out");
    let mut loops = Vec::new();
    for case in cases {
        let mut count = 1;
        let mut args = Vec::new();
        let k = b.name("k");
        // The position is a number whose digits, from the last, choose the operands.
        let mut rest = var(k);
        for t in case.operands.iter().rev() {
            let values = operands(*t);
            let table = match tables.iter().find(|(u, _)| u == t) {
                Some((_, table)) => *table,
                None => {
                    let table = b.name("table");
                    tables.push((*t, table));
                    let data = ArrayData { elem: *t, values: values.clone() };
                    body.push(Code::DeclareStatic(table, Arc::new(data)));
                    table
                }
            };
            let n = values.len() as i64;
            args.insert(0, index(table, binop(BinOp::SRem(IntType::I64), rest.clone(), int(n)), *t));
            rest = binop(BinOp::SQuot(IntType::I64), rest, int(n));
            count *= n;
        }
        let value = bits_expr(case.result, (case.apply)(args));
        loops.push(for_loop(k, int(count), vec![write(out, add(int(total), var(k)), PrimType::I64, value)]));
        total += count;
    }
    body.push(alloc(out, int(8 * total)));
    body.extend(loops);
    let result = Value {
        ty: fehu_ir::EntryType::Transparent(ScalarType::I64, 1),
        params: vec![Param::Mem(out, Space::Default)],
        values: vec![EntryValue::Array { mem: out, elem: ScalarType::I64, shape: vec![int(total)] }],
        unique: false,
    };
    b.entry("main", &[], vec![], &[], result, body);
    b.program
}

#[test]
fn operators_mean_what_they_are_defined_to_mean() {
    let cases = cases();
    let text = generate(&program(&cases), Mode::Executable).c_text;
    // Division by zero of integers has no value, but must not harm; of floats it is defined.
    let checks =
        ["-fsanitize=undefined", "-fno-sanitize-recover=undefined", "-fno-sanitize=float-divide-by-zero"];
    let exe = compile("operators", &text, &checks);
    let ran = run(&exe, &["-b"], b"");
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    let mut results = ran.stdout[15..].chunks_exact(8).map(|w| i64::from_le_bytes(w.try_into().unwrap()));
    let mut wrong = Vec::new();
    for case in &cases {
        for args in combinations(&case.operands) {
            let found = results.next().unwrap();
            let Some(expected) = (case.eval)(&args) else { continue };
            let is_nan = |v: i64| match case.result {
                PrimType::Float(FloatType::F16) => v as u16 & 0x7fff > 0x7c00,
                PrimType::Float(FloatType::F32) => f32::from_bits(v as u32).is_nan(),
                PrimType::Float(FloatType::F64) => f64::from_bits(v as u64).is_nan(),
                PrimType::Int(_) | PrimType::Bool | PrimType::Unit => false,
            };
            let expected = bits(expected);
            // Which NaN arises in arithmetic is open.
            if found.abs_diff(expected) > case.slack as u64 && !(is_nan(found) && is_nan(expected)) {
                wrong.push(format!("{} {args:?}: {found:#x}, not {expected:#x}", case.label));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}
