//! Which loops gain by vectors wider than those that every processor has.
//!
//! C compilers make vector code of innermost loops whose iterations read and write elements next to each
//! other, without checks, and compute what has a vector form. Such a loop is worth a version with 256 bits.
//! Vectors of 512 bits help only where there is more to compute than to fetch, and nothing to divide:
//!
//! ```text
//! for i < n { c[i] = a[i] + b[i] }                                wide
//! for i < 16 { x = a[i]; c[i] = c[i] + x * u; d[i] = d[i] + x * v }      widest
//! for i < n { c[i] = a[is[i]] }      for i < n { c[i] = sin(a[i]) }      basic
//! ```
//!
//! Elements that are anywhere are never gathered by vector instructions, which are slower than reads one by
//! one on many processors.

use super::plain::{for_each_expr, for_each_statement, parts, size};
use super::stride::{Stride, Strides};
use fehu_base::ops::{BinOp, MathFn, PrimFn};
use fehu_base::prim::{FloatType, PrimType};
use fehu_base::tuning::cpu_loops;
use fehu_base::Name;
use fehu_imp::build::constant;
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{Code, Expr, Vectors};
use fehu_ir::visit::deep;
use rustc_hash::FxHashSet;

/// The widest vectors that help a loop, or one of those inside of it.
pub(crate) fn helpful<O: Operation>(code: &Code<O>) -> Vectors {
    if let Code::For { bound, body, .. } = code {
        if size(body).is_some() && constant(bound).is_some_and(|n| n <= cpu_loops::SHORT_LOOP) {
            return Vectors::Basic;
        }
    }
    let mut found = Found { vectors: Vectors::Basic, nodes: 0 };
    found.code(code);
    match found.nodes <= cpu_loops::VERSION_NODES {
        true => found.vectors,
        false => Vectors::Basic,
    }
}

struct Found {
    vectors: Vectors,
    /// How much there is to compile.
    nodes: usize,
}

impl Found {
    fn code<O: Operation>(&mut self, code: &Code<O>) {
        for code in flat(code) {
            match code {
                Code::For { var, bound, body, .. } => match size(body) {
                    Some(nodes) => {
                        self.nodes += nodes;
                        self.vectors = self.vectors.max(innermost(*var, bound, body));
                    }
                    None => deep(|| self.code(body)),
                },
                Code::While(cond, body) => {
                    self.nodes += parts(cond);
                    deep(|| self.code(body));
                }
                Code::If(cond, a, b) => {
                    self.nodes += parts(cond);
                    deep(|| self.code(a));
                    deep(|| self.code(b));
                }
                Code::SetScalar(_, e) => self.nodes += parts(e),
                Code::Write { offset, value, .. } => self.nodes += parts(offset) + parts(value),
                Code::Seq(_)
                | Code::DeclareScalar(..)
                | Code::DeclareMem(..)
                | Code::DeclareStatic(..)
                | Code::SetMem(..)
                | Code::Copy { .. }
                | Code::Assert { .. }
                | Code::Call { .. }
                | Code::Op(_) => self.nodes += 1,
            }
        }
    }
}

/// The vectors that help a loop over plain code.
pub(super) fn innermost<O: Operation>(i: Name, bound: &Expr, body: &Code<O>) -> Vectors {
    if constant(bound).is_some_and(|n| n < cpu_loops::FEW_ITERATIONS) {
        return Vectors::Basic;
    }
    let strides = Strides::of(i, body);
    let (mut neighbours, mut apart) = (0, 0);
    let mut see = |offset: &Expr| match strides.expr(offset) {
        Stride::Zero => {}
        Stride::One | Stride::Back => neighbours += 1,
        Stride::Near | Stride::Far => apart += 1,
    };
    let (mut own, mut floats) = (FxHashSet::default(), FxHashSet::default());
    let mut vectors = true;
    for_each_statement(body, &mut |code| {
        if let Code::DeclareScalar(x, ty) = code {
            own.insert(*x);
            if let PrimType::Float(_) = ty {
                floats.insert(*x);
            }
        } else if let Code::SetScalar(x, e) = code {
            // Each addition of floats waits for the one before.
            let of_floats = matches!(e, Expr::Var(y) if floats.contains(y)) || is_of_floats(e);
            vectors &= own.contains(x) || !of_floats;
        } else if let Code::Write { offset, .. } = code {
            see(offset);
        } else if let Code::Assert { .. } = code {
            vectors = false;
        }
    });
    let (mut sums, mut slow) = (0, 0);
    for_each_expr(body, &mut |e| {
        for_each_part(e, &mut |part| {
            if let Expr::Index { offset, .. } = part {
                see(offset);
            }
            if strides.expr(part) == Stride::Zero {
                return;
            }
            match cost(part) {
                Cost::Sum => sums += 1,
                Cost::Cheap => {}
                Cost::Slow => slow += 1,
                Cost::Scalar => vectors = false,
            }
        });
    });
    if !vectors || neighbours == 0 || apart > 0 {
        Vectors::Basic
    } else if slow == 0 && sums >= neighbours {
        Vectors::Widest
    } else {
        Vectors::Wide
    }
}

/// Whether an operator of floats has made a value.
fn is_of_floats(e: &Expr) -> bool {
    matches!(e, Expr::BinOp(op, ..) if matches!(op.result_type(), PrimType::Float(_)))
}

/// What an operation takes as a vector instruction.
enum Cost {
    /// A sum or a product of floats.
    Sum,
    Cheap,
    /// A wider instruction takes as much longer.
    Slow,
    /// There is no such instruction.
    Scalar,
}

fn cost(e: &Expr) -> Cost {
    use FloatType::{F32, F64};
    match e {
        Expr::BinOp(BinOp::FAdd(F32 | F64) | BinOp::FSub(F32 | F64) | BinOp::FMul(F32 | F64), ..) => {
            Cost::Sum
        }
        Expr::BinOp(BinOp::FDiv(F32 | F64), ..) => Cost::Slow,
        Expr::PrimFn(PrimFn { op: MathFn::Exp, at: PrimType::Float(F32 | F64) }, _) => Cost::Sum,
        Expr::PrimFn(
            PrimFn { op: MathFn::Sqrt | MathFn::Rsqrt | MathFn::Log, at: PrimType::Float(F32 | F64) },
            _,
        ) => Cost::Slow,
        Expr::PrimFn(..) | Expr::Gpu(_) => Cost::Scalar,
        Expr::BinOp(op, ..) => match op {
            BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::Mul(_)
            | BinOp::And(_)
            | BinOp::Or(_)
            | BinOp::Xor(_)
            | BinOp::Shl(_)
            | BinOp::LShr(_)
            | BinOp::AShr(_)
            | BinOp::SMin(_)
            | BinOp::SMax(_)
            | BinOp::UMin(_)
            | BinOp::UMax(_)
            | BinOp::LogAnd
            | BinOp::LogOr
            | BinOp::FMin(F32 | F64)
            | BinOp::FMax(F32 | F64) => Cost::Cheap,
            BinOp::SDiv(_)
            | BinOp::SMod(_)
            | BinOp::SQuot(_)
            | BinOp::SRem(_)
            | BinOp::UDiv(_)
            | BinOp::UMod(_)
            | BinOp::Pow(_)
            | BinOp::FAdd(_)
            | BinOp::FSub(_)
            | BinOp::FMul(_)
            | BinOp::FDiv(_)
            | BinOp::FMod(_)
            | BinOp::FMin(_)
            | BinOp::FMax(_)
            | BinOp::FPow(_) => Cost::Scalar,
        },
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Param(_)
        | Expr::UnOp(..)
        | Expr::CmpOp(..)
        | Expr::Conv(..)
        | Expr::Select(..)
        | Expr::Index { .. } => Cost::Cheap,
    }
}
