//! Two barriers with nothing between them that touches memory are one.
//!
//! Operations in a thread block begin and end with a barrier, each for its own sake:
//!
//! ```text
//! barrier; xs[thread] = ...; barrier; n = m + 1; barrier; ys[thread] = xs[0]; barrier
//!                                                ^^^^^^^ goes
//! ```
//!
//! A loop that comes after a barrier, and whose iterations end with one, has one before each iteration:
//!
//! ```text
//! barrier; for i < n { barrier; xs[thread] = ...; barrier }; barrier
//!                      ^^^^^^^ goes                          ^^^^^^^ goes
//! ```

use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, Expr, KernelOp, Program};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};

/// Two barriers with nothing between them that touches memory become one.
pub static PASS: Pass<Program> = Pass {
    name: "double-barriers",
    need: Need::Optional,
    run: |program| program.kernels.iter_mut().for_each(|k| drop_doubles(&mut k.body)),
};

/// Drops barriers that another one comes just before.
fn drop_doubles(code: &mut Code<KernelOp>) {
    sequence(code, &mut false);
}

/// `fresh`: whether there was a barrier, and nothing has touched memory since.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn sequence(code: &mut Code<KernelOp>, fresh: &mut bool) {
    match code {
        Code::Seq(codes) => codes.retain_mut(|code| match code {
            Code::Op(KernelOp::Barrier) => !std::mem::replace(fresh, true),
            code => {
                sequence(code, fresh);
                true
            }
        }),
        Code::SetScalar(_, value) => *fresh &= !reads(value),
        Code::DeclareScalar(..) | Code::DeclareMem(..) | Code::DeclareStatic(..) => {}
        Code::Op(KernelOp::Barrier | KernelOp::LeaveIfFailed) => *fresh = true,
        Code::For { bound: head, body, .. } | Code::While(head, body) => {
            *fresh = *fresh && !reads(head) && ends_fresh(body, true);
            let mut inside = *fresh;
            sequence(body, &mut inside);
        }
        Code::If(_, t, f) => {
            drop_doubles(t);
            drop_doubles(f);
            *fresh = false;
        }
        Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::Call { .. }
        | Code::Assert { .. }
        | Code::Op(_) => *fresh = false,
    }
}

/// Whether code ends just after a barrier, if there is or is not one just before it.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn ends_fresh(code: &Code<KernelOp>, fresh: bool) -> bool {
    match code {
        Code::Seq(codes) => codes.iter().fold(fresh, |fresh, code| ends_fresh(code, fresh)),
        Code::SetScalar(_, value) => fresh && !reads(value),
        Code::DeclareScalar(..) | Code::DeclareMem(..) | Code::DeclareStatic(..) => fresh,
        Code::Op(KernelOp::Barrier | KernelOp::LeaveIfFailed) => true,
        Code::For { bound: head, body, .. } | Code::While(head, body) => {
            fresh && !reads(head) && deep(|| ends_fresh(body, true))
        }
        _ => false,
    }
}

fn reads(e: &Expr) -> bool {
    let mut found = false;
    for_each_part(e, &mut |e| found |= matches!(e, Expr::Index { .. }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_base::prim::PrimType;
    use fehu_base::Name;
    use fehu_imp::build::*;
    use fehu_ir::Space;

    #[test]
    fn only_the_first_of_two_barriers_stays() {
        let barrier = || Code::Op(KernelOp::Barrier);
        let set = |e| Code::SetScalar(Name(1), e);
        let read =
            Expr::Index { mem: Name(2), offset: Box::new(i64(0)), elem: PrimType::I64, space: Space::Shared };
        let inner: Code<KernelOp> = count_up(Name(3), i64(5), Code::Seq(vec![barrier(), barrier()]));
        let mut code = Code::Seq(vec![
            barrier(),
            set(i64(1)),
            Code::Seq(vec![barrier()]),
            set(read),
            barrier(),
            inner,
            barrier(),
        ]);
        drop_doubles(&mut code);
        assert_eq!(format!("{code:?}").matches("Barrier").count(), 2, "{code:?}");
    }
}
