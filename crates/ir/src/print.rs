//! The IR as text. [`crate::read`] reads it back: printing, reading and
//! printing again gives the same text.
//!
//! ```text
//! fun f_0(n_1 : i64, *xs_2 : [n_1]i32) : (*[n_1]i32) = {
//!   let (c_3 : unit) = assert(ok_9, "index ", 3i64 : i64, " out of bounds")
//!   let (x_4 : i32) = <c_3> xs_2[3i64]
//!   #[sequential] let (ys_5 : [n_1]i32) = screma n_1 [xs_2]
//!     map \(x_6 : i32) : (i32) {
//!       let (t_7 : i32) = add_i32(x_6, x_4)
//!       return (t_7)
//!     }
//!   return (ys_5)
//! }
//! ```
//!
//! A name is its base text, an underscore and its number. A base that is no
//! plain word stands in backquotes. `*` marks what is consumed, or unique in a
//! result; `?k` is the size that is the `k`-th result; certificates stand in
//! `<>` before the expression; `@` after a type begins a place in memory (block
//! and index function), and after a statement its source location, if those are
//! asked for.

mod atoms;
mod entry;
mod ops;
pub(crate) mod schedule;

use crate::mem::{sym_name, MemInfo};
use crate::op::{Dec, RepOp};
use crate::rep::Rep;
use crate::syntax::*;
use crate::visit::deep;
use atoms::name_text;
pub(crate) use atoms::{NAN16, NAN32, NAN64};
use fehu_base::prim::PrimValue;
use fehu_base::{Name, NameSource, Span};
use std::fmt::Display;

/// Whether source locations are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locations {
    /// They are left out; reading gives statements without locations.
    Hidden,
    /// They are printed after each statement, callers after the place itself.
    Shown,
}

/// A whole program.
pub fn print_prog<R: Rep>(prog: &Prog<R>, locations: Locations) -> String {
    let mut p = Printer::new(&prog.names, locations);
    p.prog(prog);
    p.text()
}

/// A function.
pub fn print_fun<R: Rep>(names: &NameSource, fun: &FunDef<R>) -> String {
    let mut p = Printer::new(names, Locations::Hidden);
    p.fun(fun);
    p.text()
}

/// The statements that are evaluated once, before any entry point.
pub fn print_consts<R: Rep>(prog: &Prog<R>) -> String {
    let mut p = Printer::new(&prog.names, Locations::Hidden);
    p.body(&prog.consts);
    p.text()
}

/// A statement.
pub fn print_stm<R: Rep>(names: &NameSource, stm: &Stm<R>) -> String {
    let mut p = Printer::new(names, Locations::Hidden);
    p.stm(stm);
    p.text()
}

/// A type.
pub fn print_type(names: &NameSource, ty: &Type) -> String {
    let mut p = Printer::new(names, Locations::Hidden);
    p.ty(ty);
    p.text()
}

/// An operand.
pub fn print_operand(names: &NameSource, e: SubExp) -> String {
    let mut p = Printer::new(names, Locations::Hidden);
    p.operand(e);
    p.text()
}

/// A text that grows. `atoms` has what every IR's text is made of.
pub struct Printer<'a> {
    names: &'a NameSource,
    locations: Locations,
    out: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn prog<R: Rep>(&mut self, prog: &Prog<R>) {
        self.put(R::Op::NAME);
        self.put("\n");
        self.opaques(&prog.opaques);
        if !prog.consts.stms.is_empty() || !prog.consts.result.is_empty() {
            self.put("\nconsts ");
            self.body(&prog.consts);
            self.put("\n");
        }
        for fun in &prog.funs {
            self.put("\n");
            self.fun(fun);
            self.put("\n");
        }
    }

    fn fun<R: Rep>(&mut self, fun: &FunDef<R>) {
        self.attrs(&fun.attrs);
        if let Some(entry) = &fun.entry {
            self.entry(entry);
            self.put("\n");
        }
        self.put("fun ");
        self.name(fun.name);
        self.put("(");
        self.list(&fun.params, |p, param| p.param(param));
        self.put(") : (");
        self.list(&fun.ret, |p, ret| {
            p.ret_type(&ret.ty);
            p.dec(&ret.dec);
        });
        self.put(") = ");
        self.body(&fun.body);
        self.loc(&fun.loc);
    }

    fn ret_type(&mut self, ty: &RetType) {
        match ty {
            RetType::Prim(p) => self.put(p),
            RetType::Mem(space) => self.mem_type(space),
            RetType::Array { elem, shape, unique } => {
                if *unique {
                    self.put("*");
                }
                for size in shape {
                    self.put("[");
                    match size {
                        ExtSize::Free(e) => self.size(*e),
                        ExtSize::Ext(k) => self.put(format_args!("?{k}")),
                    }
                    self.put("]");
                }
                self.put(elem);
            }
        }
    }

    fn param<R: Rep>(&mut self, param: &Param<R>) {
        if param.consumed {
            self.put("*");
        }
        self.name(param.name);
        self.put(" : ");
        self.ty(&param.ty);
        self.dec(&param.dec);
    }

    fn dec<D: Dec>(&mut self, dec: &D) {
        if let Some(MemInfo::Array { block, lmad }) = dec.memory() {
            self.put(" @ ");
            self.name(*block);
            self.put(" -> ");
            self.put(lmad.text(|x| name_text(self.names, sym_name(x))));
        }
    }

    fn operand(&mut self, e: SubExp) {
        match e {
            SubExp::Var(n) => self.name(n),
            SubExp::Const(v) => self.value(v),
        }
    }

    /// An operand where sizes stand: `i64` constants need no suffix.
    fn size(&mut self, e: SubExp) {
        match e {
            SubExp::Const(PrimValue::I64(v)) => self.put(v),
            SubExp::Var(_) | SubExp::Const(_) => self.operand(e),
        }
    }

    fn operands(&mut self, es: &[SubExp]) {
        self.put("[");
        self.list(es, |p, e| p.operand(*e));
        self.put("]");
    }

    fn name_list(&mut self, ns: &[Name]) {
        self.put("[");
        self.list(ns, |p, n| p.name(*n));
        self.put("]");
    }

    /// What a check is made for: `stays`, or `sizes [n]`, or `sizes [n] if [m]`.
    fn purpose(&mut self, purpose: &Purpose) {
        match purpose {
            Purpose::Values => {}
            Purpose::Program => self.put(" stays"),
            Purpose::Sizes { sizes, runs } => {
                self.put(" sizes ");
                self.shape(sizes);
                if !runs.is_empty() {
                    self.put(" if ");
                    self.shape(runs);
                }
            }
        }
    }

    fn shape(&mut self, shape: &[SubExp]) {
        self.put("[");
        self.list(shape, |p, e| p.size(*e));
        self.put("]");
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Prim(p) => self.put(p),
            Type::Array(p, shape) => {
                for size in shape {
                    self.put("[");
                    self.size(*size);
                    self.put("]");
                }
                self.put(p);
            }
            Type::Acc(token, shape, elems) => {
                self.put("acc(");
                self.name(*token);
                self.put(", ");
                self.shape(shape);
                self.put(", ");
                self.types(elems);
                self.put(")");
            }
            Type::Mem(space) => self.mem_type(space),
        }
    }

    fn types(&mut self, types: &[Type]) {
        self.put("(");
        self.list(types, |p, t| p.ty(t));
        self.put(")");
    }

    fn mem_type(&mut self, space: &Space) {
        self.put("mem(");
        self.space(space);
        self.put(")");
    }

    fn body<R: Rep>(&mut self, body: &Body<R>) {
        deep(|| {
            self.open();
            for stm in &body.stms {
                self.line();
                self.stm(stm);
            }
            self.line();
            self.put("return (");
            self.list(&body.result, |p, e| p.operand(*e));
            self.put(")");
            self.close();
        })
    }

    fn stm<R: Rep>(&mut self, stm: &Stm<R>) {
        self.attrs(&stm.attrs);
        self.put("let (");
        self.list(&stm.pat, |p, elem| {
            p.name(elem.name);
            p.put(" : ");
            p.ty(&elem.ty);
            p.dec(&elem.dec);
        });
        self.put(") = ");
        if !stm.certs.is_empty() {
            self.put("<");
            self.list(&stm.certs, |p, n| p.name(*n));
            self.put("> ");
        }
        self.exp(&stm.exp);
        self.loc(&stm.loc);
    }

    fn loc(&mut self, loc: &Loc) {
        if self.locations == Locations::Hidden || *loc == Loc::none() {
            return;
        }
        self.put(" @");
        let mut next = Some(loc);
        while let Some(Loc { span, caller }) = next {
            if *span == Span::NONE {
                self.put("()");
            } else {
                self.put(format_args!("({} {} {})", span.file.0, span.lo, span.hi));
            }
            next = caller.as_deref();
        }
    }

    fn lambda<R: Rep>(&mut self, lambda: &Lambda<R>) {
        self.put("\\(");
        self.list(&lambda.params, |p, param| p.param(param));
        self.put(") : ");
        self.types(&lambda.ret);
        self.put(" ");
        self.body(&lambda.body);
    }

    fn call(&mut self, word: impl Display, es: &[SubExp]) {
        self.put(word);
        self.put("(");
        self.list(es, |p, e| p.operand(*e));
        self.put(")");
    }

    fn slice(&mut self, slice: &[DimIndex]) {
        self.put("[");
        self.list(slice, |p, d| match d {
            DimIndex::Fix(e) => p.operand(*e),
            DimIndex::Slice { start, len, stride } => {
                p.operand(*start);
                p.put(" :+ ");
                p.operand(*len);
                p.put(" * ");
                p.operand(*stride);
            }
        });
        self.put("]");
    }

    fn flat_slice(&mut self, offset: SubExp, dims: &[(SubExp, SubExp)]) {
        self.put("[");
        self.operand(offset);
        self.put("; ");
        self.pairs(dims);
        self.put("]");
    }

    fn pairs(&mut self, dims: &[(SubExp, SubExp)]) {
        self.list(dims, |p, (a, b)| {
            p.put("(");
            p.operand(*a);
            p.put(", ");
            p.operand(*b);
            p.put(")");
        });
    }

    fn perm(&mut self, perm: &[usize]) {
        self.put("[");
        self.list(perm, |p, i| p.put(i));
        self.put("]");
    }

    fn exp<R: Rep>(&mut self, exp: &Exp<R>) {
        match exp {
            Exp::Basic(b) => self.basic(b),
            Exp::Call(f, args) => {
                self.put("call ");
                self.name(*f);
                self.call("", args);
            }
            Exp::If(c, t, f) => {
                self.put("if ");
                self.operand(*c);
                self.put(" then ");
                self.body(t);
                self.put(" else ");
                self.body(f);
            }
            Exp::Loop(l) => self.loop_(l),
            Exp::WithAcc(w) => self.with_acc(w),
            Exp::Op(op) => self.op::<R>(op),
        }
    }

    fn basic(&mut self, basic: &Basic) {
        match basic {
            Basic::SubExp(e) => self.operand(*e),
            Basic::Opaque(e) => self.call("opaque", &[*e]),
            Basic::UnOp(op, x) => self.call(op, &[*x]),
            Basic::BinOp(op, x, y) => self.call(op, &[*x, *y]),
            Basic::CmpOp(op, x, y) => self.call(op, &[*x, *y]),
            Basic::Conv(op, x) => self.call(op, &[*x]),
            Basic::PrimFn(f, xs) => self.call(f, xs),
            Basic::Assert(cond, parts, purpose) => {
                self.put("assert(");
                self.operand(*cond);
                for part in parts {
                    self.put(", ");
                    match part {
                        ErrorPart::Text(text) => self.put(format_args!("{text:?}")),
                        ErrorPart::Value(e, t) => {
                            self.operand(*e);
                            self.put(format_args!(" : {t}"));
                        }
                    }
                }
                self.put(")");
                self.purpose(purpose);
            }
            Basic::ArrayLit(es, t) => {
                self.operands(es);
                self.put(" : ");
                self.ty(t);
            }
            Basic::ArrayConst(data) => {
                self.put(format_args!("data {} [", data.elem));
                self.list(&data.values, |p, v| p.value(*v));
                self.put("]");
            }
            Basic::Index(a, slice) => {
                self.name(*a);
                self.slice(slice);
            }
            Basic::Update(a, slice, e) => {
                self.name(*a);
                self.put(" with ");
                self.slice(slice);
                self.put(" = ");
                self.operand(*e);
            }
            Basic::FlatIndex(a, offset, dims) => {
                self.put("flat ");
                self.name(*a);
                self.flat_slice(*offset, dims);
            }
            Basic::FlatUpdate(a, offset, dims, x) => {
                self.put("flat ");
                self.name(*a);
                self.put(" with ");
                self.flat_slice(*offset, dims);
                self.put(" = ");
                self.name(*x);
            }
            Basic::Iota { n, start, step, ty } => self.call(format_args!("iota {ty} "), &[*n, *start, *step]),
            Basic::Replicate(shape, e) => {
                self.put("replicate ");
                self.shape(shape);
                self.put(" ");
                self.operand(*e);
            }
            Basic::Scratch(p, shape) => {
                self.put(format_args!("scratch {p} "));
                self.shape(shape);
            }
            Basic::Copy(a) => self.call("copy", &[SubExp::Var(*a)]),
            Basic::Manifest(perm, a) => {
                self.put("manifest ");
                self.perm(perm);
                self.put(" ");
                self.name(*a);
            }
            Basic::Concat { dim, arrays, size } => {
                self.put(format_args!("concat {dim} "));
                self.name_list(arrays);
                self.put(" ");
                self.operand(*size);
            }
            Basic::Rearrange(perm, a) => {
                self.put("rearrange ");
                self.perm(perm);
                self.put(" ");
                self.name(*a);
            }
            Basic::Reshape(shape, a) => {
                self.put("reshape ");
                self.shape(shape);
                self.put(" ");
                self.name(*a);
            }
            Basic::UpdateAcc(acc, index, values) => {
                self.put("update_acc ");
                self.name(*acc);
                self.put(" ");
                self.operands(index);
                self.put(" ");
                self.operands(values);
            }
        }
    }

    fn loop_<R: Rep>(&mut self, l: &Loop<R>) {
        self.put("loop (");
        self.list(&l.params, |p, (param, init)| {
            p.param(param);
            p.put(" = ");
            p.operand(*init);
        });
        self.put(") ");
        match &l.form {
            LoopForm::For { var, ty, bound } => {
                self.put("for ");
                self.name(*var);
                self.put(format_args!(" : {ty} < "));
                self.operand(*bound);
            }
            LoopForm::While(cond) => {
                self.put("while ");
                self.name(*cond);
            }
        }
        self.put(" ");
        self.body(&l.body);
    }
}
