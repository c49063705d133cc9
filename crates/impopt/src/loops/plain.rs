//! Plain code: assignments, writes, checks and branches, but no loops, calls or memory management. Loops are
//! rearranged only around such code, which these functions copy.

use fehu_base::{Name, NameSource};
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{Code, Expr};
use fehu_imp::visit::{change_expr, Mutator, Visitor};
use rustc_hash::FxHashMap;

/// The number of statements and operators of plain code; `None` if it is not plain.
pub(super) fn size<O: Operation>(code: &Code<O>) -> Option<usize> {
    Some(match code {
        Code::Seq(codes) => codes.iter().map(size).sum::<Option<usize>>()?,
        Code::DeclareScalar(..) => 0,
        Code::SetScalar(_, e) => parts(e),
        Code::Write { offset, value, .. } => parts(offset) + parts(value),
        Code::Assert { cond, .. } => parts(cond),
        Code::If(cond, a, b) => {
            let [a, b] = [a, b].map(|c| fehu_ir::visit::deep(|| size(c)));
            parts(cond) + a? + b?
        }
        Code::DeclareMem(..)
        | Code::DeclareStatic(..)
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
pub(super) fn for_each_statement<'c, O: Operation>(code: &'c Code<O>, f: &mut impl FnMut(&'c Code<O>)) {
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
pub(super) fn for_each_expr<'c, O: Operation>(code: &'c Code<O>, f: &mut impl FnMut(&'c Expr)) {
    struct Exprs<'f, F>(&'f mut F);
    impl<'c, F: FnMut(&'c Expr)> Visitor<'c> for Exprs<'_, F> {
        fn expr(&mut self, e: &'c Expr) {
            (self.0)(e);
        }
    }
    Exprs(f).code(code);
}

/// Calls a function on the scalars that plain code assigns.
pub(super) fn for_each_set<O: Operation>(code: &Code<O>, f: &mut impl FnMut(Name)) {
    for_each_statement(code, &mut |code| {
        if let Code::SetScalar(x, _) = code {
            f(*x);
        }
    });
}

/// A copy of an expression in which some parts are others; what is put in is not looked at again.
pub(super) fn rewrite(e: &Expr, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Expr {
    let mut copy = e.clone();
    Rewrite(f).expr(&mut copy);
    copy
}

/// A copy of plain code with other expressions.
pub(super) fn rewrite_code<O: Operation>(
    code: &Code<O>,
    f: &mut impl FnMut(&Expr) -> Option<Expr>,
) -> Code<O> {
    let mut copy = code.clone();
    Rewrite(f).code(&mut copy);
    copy
}

struct Rewrite<'f, F>(&'f mut F);

impl<F: FnMut(&Expr) -> Option<Expr>> Mutator for Rewrite<'_, F> {
    fn expr(&mut self, e: &mut Expr) {
        match (self.0)(e) {
            Some(other) => *e = other,
            None => change_expr(self, e),
        }
    }
}

/// Other names for scalars.
pub(crate) type Renaming = FxHashMap<Name, Name>;

/// A copy of plain code in which every scalar that it declares has another name. Names that the renaming has
/// already are replaced, too, wherever they are assigned or read.
pub(crate) fn renamed<O: Operation>(
    names: &mut NameSource,
    code: &Code<O>,
    renaming: &mut Renaming,
) -> Code<O> {
    for_each_statement(code, &mut |code| {
        if let Code::DeclareScalar(x, _) = code {
            renaming.entry(*x).or_insert_with(|| names.fresh_like(*x));
        }
    });
    let mut copy = code.clone();
    Rename(renaming).code(&mut copy);
    copy
}

struct Rename<'r>(&'r Renaming);

impl Rename<'_> {
    fn rename(&self, x: &mut Name) {
        if let Some(y) = self.0.get(x) {
            *x = *y;
        }
    }
}

impl Mutator for Rename<'_> {
    fn declared(&mut self, x: &mut Name) {
        self.rename(x);
    }

    fn assigned(&mut self, x: &mut Name) {
        self.rename(x);
    }

    fn var(&mut self, x: &mut Name) {
        self.rename(x);
    }
}
