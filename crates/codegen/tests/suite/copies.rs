//! Copies between arrays of all kinds of strides, against a copy element by element.

use crate::common::*;
use fehu_base::ops::ConvOp;
use fehu_base::prim::{IntType, PrimType, ScalarType};
use fehu_codegen::Mode;
use fehu_imp::syntax::*;

/// A copy to make: strides of both sides, which start at these offsets.
pub struct Case {
    pub shape: Vec<i64>,
    pub dst: (i64, Vec<i64>),
    pub src: (i64, Vec<i64>),
}

pub const SOURCE: i64 = 20_000;
pub const TARGET: i64 = 8_000;

/// Arrays of ranks 0 to 5 whose dimensions lie in memory in any order, with gaps, and backwards.
pub fn cases() -> Vec<Case> {
    let mut random = Random(3);
    let mut all = Vec::new();
    for i in 0..60 {
        let rank = i % 6;
        let large = rank == 2 && i % 4 == 0;
        let shape: Vec<i64> = (0..rank).map(|_| random.below(if large { 50 } else { 7 }) as i64).collect();
        let mut side = |room: i64| {
            let mut order: Vec<usize> = (0..rank).collect();
            for j in (1..rank).rev() {
                order.swap(j, random.below(j + 1));
            }
            let gap = 1 + i64::from(random.below(3) == 0);
            let (mut stride, mut strides, mut offset) = (gap, vec![0; rank], random.below(10) as i64);
            for d in order {
                strides[d] = stride;
                stride *= shape[d].max(1);
                if random.below(5) == 0 {
                    offset += strides[d] * (shape[d] - 1).max(0);
                    strides[d] = -strides[d];
                }
            }
            assert!(offset + stride <= room);
            (offset, strides)
        };
        let (dst, src) = (side(TARGET), side(SOURCE));
        all.push(Case { shape, dst, src });
    }
    all
}

fn program(cases: &[Case]) -> Program {
    let mut b = Builder::new();
    for t in IntType::ALL {
        let (src, dst, i, j) = (b.name("src"), b.name("dst"), b.name("i"), b.name("j"));
        let (elem, size) = (PrimType::Int(t), i64::from(t.bits() / 8));
        let narrow = Expr::Conv(ConvOp::SExt(IntType::I64, t), var(i).into());
        let n = cases.len() as i64;
        let mut body = vec![
            Code::DeclareMem(src, Space::Default),
            alloc(src, int(SOURCE * size)),
            for_loop(i, int(SOURCE), vec![write(src, var(i), elem, narrow)]),
            alloc(dst, int(n * TARGET * size)),
            for_loop(j, int(n * TARGET), vec![write(dst, var(j), elem, Expr::Const(elem.blank()))]),
        ];
        for (k, case) in cases.iter().enumerate() {
            let ints = |v: &[i64]| v.iter().copied().map(int).collect();
            body.push(Code::Copy {
                elem,
                shape: ints(&case.shape),
                dst: place(dst, int(k as i64 * TARGET + case.dst.0), ints(&case.dst.1)),
                src: place(src, int(case.src.0), ints(&case.src.1)),
            });
        }
        let scalar = ScalarType::named(&t.to_string()).unwrap();
        let result = Value {
            ty: fehu_ir::EntryType::Transparent(scalar, 1),
            params: vec![Param::Mem(dst, Space::Default)],
            values: vec![EntryValue::Array { mem: dst, elem: scalar, shape: vec![int(n * TARGET)] }],
            unique: true,
        };
        b.entry(&format!("copy{}", t.bits()), &[], vec![], &[], result, body);
    }
    b.program
}

/// What the target should hold.
pub fn expected(cases: &[Case]) -> Vec<i64> {
    let mut target = vec![0; cases.len() * TARGET as usize];
    for (k, case) in cases.iter().enumerate() {
        let count: i64 = case.shape.iter().product();
        for position in 0..count {
            let (mut rest, mut to, mut from) = (position, k as i64 * TARGET + case.dst.0, case.src.0);
            for d in (0..case.shape.len()).rev() {
                let i = rest % case.shape[d];
                rest /= case.shape[d];
                to += i * case.dst.1[d];
                from += i * case.src.1[d];
            }
            target[to as usize] = from;
        }
    }
    target
}

#[test]
fn copies_move_every_element() {
    let cases = cases();
    let exe = compile("copies", &generate(&program(&cases), Mode::Executable).c_text, &["-O2"]);
    let expected = expected(&cases);
    for t in IntType::ALL {
        let entry = format!("copy{}", t.bits());
        let ran = run(&exe, &["-b", "-e", &entry], b"");
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
        let size = t.bits() as usize / 8;
        for (i, (found, wanted)) in ran.stdout[15..].chunks_exact(size).zip(&expected).enumerate() {
            assert_eq!(found, &wanted.to_le_bytes()[..size], "{entry} at {i}");
        }
    }
}
