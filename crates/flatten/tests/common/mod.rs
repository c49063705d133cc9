//! Running programs on made-up arguments; shared by the tests of several crates.

use fehu_base::prim::{PrimType, PrimValue};
use fehu_ir::interp::{Failure, Value};
use fehu_ir::{Prog, Soacs, Type};

/// Arguments to run the entry points of a program on: with two numbers, some pairs of them; with arrays, all
/// of one size.
pub(crate) fn runs(prog: &Prog<Soacs>) -> Vec<(String, Vec<Value>)> {
    let mut all = vec![];
    for f in &prog.funs {
        let Some(entry) = &f.entry else { continue };
        let params = &f.params[entry.size_params..];
        for (size, first) in [(3, 5), (0, 2), (2, 0), (4, 3)] {
            let mut next = first - 1;
            let mut number = |t: PrimType| {
                next = (next * 7 + 4) % 11;
                match t {
                    PrimType::Int(t) => PrimValue::int(t, next % 4),
                    PrimType::Float(t) => PrimValue::float(t, next as f64),
                    PrimType::Bool => PrimValue::Bool(next % 2 == 0),
                    PrimType::Unit => PrimValue::Unit,
                }
            };
            let pair = params.len() == 2 && params.iter().all(|p| p.ty == Type::I64);
            let args: Vec<Value> = params
                .iter()
                .enumerate()
                .filter_map(|(i, p)| match &p.ty {
                    Type::Prim(PrimType::I64) if pair => Some(Value::i64(if i == 0 { size } else { first })),
                    Type::Prim(PrimType::I64) => Some(Value::i64(size)),
                    Type::Prim(t) => Some(Value::Prim(number(*t))),
                    Type::Array(t, shape) => {
                        let sizes: Vec<usize> =
                            shape.iter().map(|e| e.as_i64().unwrap_or(size) as usize).collect();
                        let data = (0..sizes.iter().product()).map(|_| number(*t)).collect();
                        Value::of_shape(*t, sizes, data)
                    }
                    Type::Acc(..) | Type::Mem(_) => None,
                })
                .collect();
            if args.len() == params.len() {
                all.push((entry.name.to_string(), args));
            }
        }
    }
    all
}

/// Whether two runs ended alike.
pub(crate) fn same(before: &Result<Vec<Value>, Failure>, after: &Result<Vec<Value>, Failure>) -> bool {
    match (before, after) {
        (Ok(_), Ok(_)) => text(before) == text(after),
        (Err(Failure::Assert { .. }), Err(Failure::Assert { .. })) => true,
        _ => false,
    }
}

/// How a run ended.
pub(crate) fn text(result: &Result<Vec<Value>, Failure>) -> String {
    match result {
        Ok(values) => values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" "),
        Err(e) => e.to_string(),
    }
}
