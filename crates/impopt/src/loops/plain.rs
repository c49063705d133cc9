//! Plain code: assignments, writes, checks and branches, but no loops, calls or memory management. Loops are
//! rearranged only around such code, which these functions copy.

use fehu_base::{Name, NameSource};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, ErrorPart, Expr};
use rustc_hash::FxHashMap;

/// The statements of code, in order and without sequences in sequences.
pub(super) fn flat(code: &Code) -> Vec<&Code> {
    let mut out = vec![];
    let mut rest = vec![code];
    while let Some(code) = rest.pop() {
        match code {
            Code::Seq(codes) => rest.extend(codes.iter().rev()),
            other => out.push(other),
        }
    }
    out
}

/// The number of statements and operators of plain code; `None` if it is not plain.
pub(super) fn size(code: &Code) -> Option<usize> {
    Some(match code {
        Code::Seq(codes) => codes.iter().map(size).sum::<Option<usize>>()?,
        Code::DeclareScalar(..) | Code::Comment(_) => 0,
        Code::SetScalar(_, e) => parts(e),
        Code::Write { offset, value, .. } => parts(offset) + parts(value),
        Code::Assert { cond, .. } => parts(cond),
        Code::If(cond, a, b) => {
            let [a, b] = [a, b].map(|c| fehu_ir::visit::deep(|| size(c)));
            parts(cond) + a? + b?
        }
        Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::Allocate { .. }
        | Code::Free(..)
        | Code::SetMem(..)
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Op(_) => return None,
    })
}

/// The number of parts of an expression.
pub(super) fn parts(e: &Expr) -> usize {
    let mut n = 0;
    for_each_part(e, &mut |_| n += 1);
    n
}

/// Calls a function on the statements of plain code, in order, and on those in branches after the branch itself.
fn for_each_statement<'c>(code: &'c Code, f: &mut impl FnMut(&'c Code)) {
    for code in flat(code) {
        f(code);
        if let Code::If(_, a, b) = code {
            for c in [a, b] {
                fehu_ir::visit::deep(|| for_each_statement(c, f));
            }
        }
    }
}

/// Calls a function on the expressions of plain code, in order.
pub(super) fn for_each_expr<'c>(code: &'c Code, f: &mut impl FnMut(&'c Expr)) {
    for_each_statement(code, &mut |code| match code {
        Code::SetScalar(_, e) | Code::If(e, ..) => f(e),
        Code::Write { offset, value, .. } => {
            f(offset);
            f(value);
        }
        Code::Assert { cond, message, .. } => {
            f(cond);
            message.iter().filter_map(shown).for_each(&mut *f);
        }
        Code::Seq(_)
        | Code::DeclareScalar(..)
        | Code::Comment(_)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::Allocate { .. }
        | Code::Free(..)
        | Code::SetMem(..)
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Op(_) => {}
    });
}

fn shown(part: &ErrorPart) -> Option<&Expr> {
    match part {
        ErrorPart::Text(_) => None,
        ErrorPart::Value(e, _) => Some(e),
    }
}

/// Calls a function on the scalars that plain code assigns.
pub(super) fn for_each_set(code: &Code, f: &mut impl FnMut(Name)) {
    for_each_statement(code, &mut |code| {
        if let Code::SetScalar(x, _) = code {
            f(*x);
        }
    });
}

/// A copy of an expression in which some parts are others; what is put in is not looked at again.
pub(super) fn rewrite(e: &Expr, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Expr {
    if let Some(other) = f(e) {
        return other;
    }
    let mut part = |e: &Expr| Box::new(fehu_ir::visit::deep(|| rewrite(e, f)));
    match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Param(_) | Expr::Gpu(_) => e.clone(),
        Expr::UnOp(op, a) => Expr::UnOp(*op, part(a)),
        Expr::Conv(op, a) => Expr::Conv(*op, part(a)),
        Expr::BinOp(op, a, b) => Expr::BinOp(*op, part(a), part(b)),
        Expr::CmpOp(op, a, b) => Expr::CmpOp(*op, part(a), part(b)),
        Expr::PrimFn(fun, args) => Expr::PrimFn(*fun, args.iter().map(|a| *part(a)).collect()),
        Expr::Select(c, a, b) => Expr::Select(part(c), part(a), part(b)),
        Expr::Index { mem, offset, elem, space } => {
            Expr::Index { mem: *mem, offset: part(offset), elem: *elem, space: space.clone() }
        }
    }
}

/// A copy of plain code with other expressions.
pub(super) fn rewrite_code(code: &Code, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Code {
    match code {
        Code::Seq(codes) => Code::Seq(codes.iter().map(|c| rewrite_code(c, f)).collect()),
        Code::SetScalar(x, e) => Code::SetScalar(*x, rewrite(e, f)),
        Code::Write { mem, offset, elem, space, value } => Code::Write {
            mem: *mem,
            offset: rewrite(offset, f),
            elem: *elem,
            space: space.clone(),
            value: rewrite(value, f),
        },
        Code::Assert { cond, message, loc } => {
            let cond = rewrite(cond, f);
            let message = message.iter().map(|part| match part {
                ErrorPart::Text(text) => ErrorPart::Text(text.clone()),
                ErrorPart::Value(e, ty) => ErrorPart::Value(rewrite(e, f), *ty),
            });
            Code::Assert { cond, message: message.collect(), loc: loc.clone() }
        }
        Code::If(cond, a, b) => {
            let cond = rewrite(cond, f);
            let mut branch = |c: &Code| Box::new(fehu_ir::visit::deep(|| rewrite_code(c, f)));
            Code::If(cond, branch(a), branch(b))
        }
        Code::DeclareScalar(..)
        | Code::Comment(_)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::Allocate { .. }
        | Code::Free(..)
        | Code::SetMem(..)
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Op(_) => code.clone(),
    }
}

/// Other names for scalars.
pub(super) type Renaming = FxHashMap<Name, Name>;

/// A copy of plain code in which every scalar that it declares has another name. Names that the renaming has
/// already are replaced, too, wherever they are assigned or read.
pub(super) fn renamed(names: &mut NameSource, code: &Code, renaming: &mut Renaming) -> Code {
    for_each_statement(code, &mut |code| {
        if let Code::DeclareScalar(x, _) = code {
            renaming.entry(*x).or_insert_with(|| names.fresh_like(*x));
        }
    });
    let read = rewrite_code(code, &mut |e| match e {
        Expr::Var(x) => renaming.get(x).map(|y| Expr::Var(*y)),
        _ => None,
    });
    targets(read, renaming)
}

/// Renames the scalars that code declares and assigns.
fn targets(code: Code, renaming: &Renaming) -> Code {
    let new = |x: Name| renaming.get(&x).copied().unwrap_or(x);
    match code {
        Code::Seq(codes) => Code::Seq(codes.into_iter().map(|c| targets(c, renaming)).collect()),
        Code::DeclareScalar(x, t) => Code::DeclareScalar(new(x), t),
        Code::SetScalar(x, e) => Code::SetScalar(new(x), e),
        Code::If(cond, a, b) => {
            let [a, b] = [a, b].map(|c| Box::new(fehu_ir::visit::deep(|| targets(*c, renaming))));
            Code::If(cond, a, b)
        }
        Code::Comment(_)
        | Code::Write { .. }
        | Code::Assert { .. }
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::Allocate { .. }
        | Code::Free(..)
        | Code::SetMem(..)
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Op(_) => code,
    }
}
