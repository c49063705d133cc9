//! The parts of an expression.

use crate::syntax::Expr;

/// Calls a function on an expression and all its parts.
///
/// ```text
/// xs[i + 1] * 2      xs[i + 1] * 2, xs[i + 1], i + 1, i, 1, 2, in some order
/// ```
pub fn for_each_part<'e>(e: &'e Expr, f: &mut impl FnMut(&'e Expr)) {
    let mut rest = vec![e];
    while let Some(e) = rest.pop() {
        f(e);
        match e {
            Expr::Const(_) | Expr::Var(_) | Expr::Param(_) | Expr::Gpu(_) => {}
            Expr::UnOp(_, a) | Expr::Conv(_, a) => rest.push(a),
            Expr::BinOp(_, a, b) | Expr::CmpOp(_, a, b) => rest.extend([&**a, &**b]),
            Expr::PrimFn(_, args) => rest.extend(args),
            Expr::Select(c, a, b) => rest.extend([&**c, &**a, &**b]),
            Expr::Index { offset, .. } => rest.push(offset),
        }
    }
}
