//! Statements as C text: what all machines spell alike. The rest is for a [`Dialect`] to say.
//!
//! | dialect | of | says |
//! | --- | --- | --- |
//! | `c/cpu` | functions and tasks of programs for CPUs | blocks are counted references, tasks are functions |
//! | `gpu/driver` | functions of programs for GPUs | blocks are the device's, kernels are started |
//! | `gpu/kernel` | kernels, and what they call | blocks are pointers, threads wait for each other |

use super::context::Context;
use super::ctype;
use super::expr::{ExprPrinter, Prec, Spelling};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Arg, Code, ErrorPart, Expr, Loc, Place, Space};
use fehu_impopt::allocation_sizes::Size;
use fehu_impopt::usage::{Access, Usage};
use fehu_ir::visit::deep;
use indexmap::IndexMap;

/// Scopes that are nested deeper than this are indented no further, or else most of the text would be blanks.
const MAX_INDENT: usize = 30;

/// How a machine spells what not all machines spell alike.
pub(crate) trait Dialect: Spelling + Sized {
    /// What only this machine does.
    type Op: Operation;

    /// A variable for a block, or for an array of the thread's own.
    fn declare_block(p: &mut StmPrinter<Self>, m: Name, space: &Space);
    /// Makes the first another reference to what the second has.
    fn set_block(p: &mut StmPrinter<Self>, to: Name, from: Name, space: &Space);
    /// The end of the scope of a block.
    fn drop_block(p: &mut StmPrinter<Self>, m: Name);
    /// A copy of an array.
    fn copy(p: &mut StmPrinter<Self>, elem: PrimType, shape: &[Expr], dst: &Place, src: &Place);
    /// A call.
    fn call(p: &mut StmPrinter<Self>, outs: &[Name], fun: Name, args: &[Arg]);
    /// A check.
    fn assert(p: &mut StmPrinter<Self>, cond: &Expr, message: &[ErrorPart], loc: &Loc);
    /// What only this machine does.
    fn op(p: &mut StmPrinter<Self>, op: &Self::Op);
    /// Prints a statement that needs something done before it on this machine; false if it is as on all others.
    fn special(_: &mut StmPrinter<Self>, _: &Code<Self::Op>) -> bool {
        false
    }
    /// The end of a loop, behind it.
    fn loop_end(_: &mut StmPrinter<Self>, _body: &Code<Self::Op>) {}
}

/// Prints the statements of one function.
pub(crate) struct StmPrinter<'a, D> {
    /// The text so far, and the dialect.
    pub(crate) exprs: ExprPrinter<'a, D>,
    /// What the function uses.
    pub(crate) usage: &'a Usage,
    /// How far lines are indented.
    pub(crate) indent: usize,
    /// Scalars that have been declared in the IR, but not yet in C.
    pub(crate) pending: IndexMap<Name, PrimType>,
    /// Blocks declared in the scopes around, innermost last.
    scopes: Vec<Vec<Name>>,
}

impl<'a, D: Dialect> StmPrinter<'a, D> {
    /// A printer at the top level of a function's body.
    pub(crate) fn new(context: &'a Context<'a>, usage: &'a Usage, dialect: D) -> StmPrinter<'a, D> {
        let exprs = ExprPrinter { out: String::new(), context, access: usage.access.clone(), dialect };
        StmPrinter { exprs, usage, indent: 1, pending: IndexMap::new(), scopes: vec![Vec::new()] }
    }

    /// The program.
    pub(crate) fn context(&self) -> &'a Context<'a> {
        self.exprs.context
    }

    /// What is special to the machine.
    pub(crate) fn dialect(&mut self) -> &mut D {
        &mut self.exprs.dialect
    }

    /// Blocks declared outside of loops and branches.
    pub(crate) fn top_blocks(&self) -> &[Name] {
        self.scopes.first().map_or(&[], Vec::as_slice)
    }

    /// A block that ends with the current scope.
    pub(crate) fn ends_here(&mut self, m: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(m);
        }
    }

    /// A statement, or several.
    pub(crate) fn code(&mut self, code: &Code<D::Op>) {
        if let Code::Seq(codes) = code {
            return codes.iter().for_each(|c| self.code(c));
        }
        if D::special(self, code) {
            return;
        }
        match code {
            Code::Seq(_) => {}
            Code::DeclareScalar(x, t) => {
                if self.usage.needed.contains(x) {
                    self.pending.insert(*x, *t);
                }
            }
            Code::SetScalar(x, e) => {
                if self.usage.needed.contains(x) {
                    self.set_scalar(*x, e);
                }
            }
            Code::DeclareMem(m, Space::Scalar(t, dims)) => {
                let n = dims.iter().product::<i64>().max(1);
                if self.usage.access.contains_key(m) {
                    self.line(&format!("{} {}_p[{n}];", ctype::prim(*t), self.context().name(*m)));
                }
            }
            Code::DeclareMem(m, space @ (Space::Default | Space::Shared)) => {
                D::declare_block(self, *m, space)
            }
            // File-scope data, bound at the top of the function.
            Code::DeclareStatic(..) => {}
            Code::SetMem(a, b, space) => D::set_block(self, *a, *b, space),
            Code::Write { mem, offset, elem, space: _, value } => {
                self.start();
                self.exprs.element(*mem, offset, *elem);
                self.push(" = ");
                self.exprs.top(value);
                self.push(";\n");
            }
            Code::Copy { elem, shape, dst, src } => D::copy(self, *elem, shape, dst, src),
            Code::For { var, ty, bound, order: _, body } => self.for_loop(*var, *ty, bound, body),
            Code::While(cond, body) => {
                self.flush_pending();
                self.start();
                self.push("while (");
                self.exprs.top(cond);
                self.push(") {\n");
                self.scope(body);
                self.line("}");
                D::loop_end(self, body);
            }
            Code::If(cond, a, b) => self.conditional(cond, a, b),
            Code::Call { outs, fun, args } => D::call(self, outs, *fun, args),
            Code::Assert { cond, message, loc } => D::assert(self, cond, message, loc),
            Code::Op(op) => D::op(self, op),
        }
    }

    /// Declares what is still pending, with a value so that compilers see one.
    pub(crate) fn flush_pending(&mut self) {
        for (x, t) in std::mem::take(&mut self.pending) {
            let name = self.context().name(x);
            self.line(&format!("{} {name} = {};", ctype::prim(t), zero(t)));
        }
    }

    /// A whole line.
    pub(crate) fn line(&mut self, text: &str) {
        self.start();
        self.push(text);
        self.push("\n");
    }

    pub(crate) fn start(&mut self) {
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.exprs.out.push_str("  ");
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.exprs.out.push_str(text);
    }

    /// A nested scope, whose blocks are dropped at its end.
    pub(crate) fn scope(&mut self, body: &Code<D::Op>) {
        self.flush_pending();
        self.indent += 1;
        self.scopes.push(Vec::new());
        deep(|| self.code(body));
        self.flush_pending();
        for m in self.scopes.pop().unwrap_or_default() {
            D::drop_block(self, m);
        }
        self.indent -= 1;
    }

    pub(crate) fn set_scalar(&mut self, x: Name, e: &Expr) {
        let declared = self.pending.shift_remove(&x);
        self.start();
        if let Some(t) = declared {
            self.push(ctype::prim(t));
            self.push(" ");
        }
        self.exprs.name(x);
        self.push(" = ");
        if self.usage.sizes.is_size(x) {
            self.size(e);
        } else {
            self.exprs.top(e);
        }
        self.push(";\n");
    }

    /// A number of bytes, which does not wrap around.
    pub(crate) fn size(&mut self, e: &Expr) {
        let usage = self.usage;
        match usage.sizes.view(e) {
            Size::Product(a, b) => self.size_call("size_mul(", a, b),
            Size::Sum(a, b) => self.size_call("size_add(", a, b),
            Size::Larger(a, b) => self.size_call("smax64(", a, b),
            Size::Other(e) => self.exprs.top(e),
        }
    }

    fn size_call(&mut self, open: &str, a: &Expr, b: &Expr) {
        self.push(open);
        self.size(a);
        self.push(", ");
        self.size(b);
        self.push(")");
    }

    /// Assigns a text to a variable, which may have to be declared.
    pub(crate) fn assign(&mut self, x: Name, ty: PrimType, value: &str) {
        let declared = if self.pending.shift_remove(&x).is_some() { ctype::prim(ty) } else { "" };
        let space = if declared.is_empty() { "" } else { " " };
        let name = self.context().name(x);
        self.line(&format!("{declared}{space}{name} = {value};"));
    }

    /// A loop that counts.
    pub(crate) fn for_loop(&mut self, var: Name, ty: IntType, bound: &Expr, body: &Code<D::Op>) {
        self.flush_pending();
        let (i, t) = (self.exprs.context.name(var), ctype::int(ty));
        self.start();
        self.push(&format!("for ({t} {i} = 0"));
        if let Expr::Const(_) = bound {
            self.push(&format!("; {i} < "));
            self.exprs.top(bound);
        } else {
            self.push(&format!(", {i}_end = "));
            self.exprs.top(bound);
            self.push(&format!("; {i} < {i}_end"));
        }
        self.push(&format!("; {i}++) {{\n"));
        self.scope(body);
        self.line("}");
        D::loop_end(self, body);
    }

    fn conditional(&mut self, cond: &Expr, a: &Code<D::Op>, b: &Code<D::Op>) {
        self.flush_pending();
        self.start();
        self.push("if (");
        let swapped = a.is_empty() && !b.is_empty();
        if swapped {
            self.push("!");
            self.exprs.expr(cond, Prec::Primary);
        } else {
            self.exprs.top(cond);
        }
        self.push(") {\n");
        self.scope(if swapped { b } else { a });
        if !swapped && !b.is_empty() {
            self.line("} else {");
            self.scope(b);
        }
        self.line("}");
    }
}

/// The C type of a pointer to a block's elements.
pub(crate) fn pointer_type(access: Access) -> String {
    match access {
        Access::As(t) => format!("{} *", ctype::prim(t)),
        Access::Mixed => "unsigned char *".to_owned(),
    }
}

pub(crate) fn zero(t: PrimType) -> &'static str {
    match t {
        PrimType::Int(_) | PrimType::Float(_) => "0",
        PrimType::Bool | PrimType::Unit => "false",
    }
}
