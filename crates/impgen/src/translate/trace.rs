//! Values that the program prints for a programmer who watches: `#[trace]`.
//!
//! In: an opaque statement with the attribute `trace(type)` or `trace(type, tag)`. Out: code that prints the
//! place in the program, or the tag, then the value, on a line of its own. Only the host prints; kernels have
//! nowhere to print to, and the driver of the compiler warns of that ([`kernel_traces`]).
//!
//! ```text
//! #[trace] let (y : [2]i64) = opaque x          prints   f.fut:3:5-20: [1, 2]
//! ```

use crate::translate::machine::CpuMachine;
use crate::translate::state::{At, Traced, Translate};
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::{Name, Symbol};
use fehu_imp::build::{i64, lt};
use fehu_imp::syntax::{Code, CpuOp, ErrorPart, Expr, OnCpu};
use fehu_ir::mem::poly;
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Attr, Basic, Body, Exp, Loc, Memory, Prog, Rep, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// What a statement prints, if anything.
pub(super) fn traced<R: Rep>(stm: &Stm<R>) -> Option<Traced> {
    let Exp::Basic(Basic::Opaque(_)) = stm.exp else { return None };
    let args = stm.attrs.iter().find_map(|a| match a {
        Attr::Comp(name, args) if name.as_str() == "trace" => Some(args.as_slice()),
        Attr::Comp(..) | Attr::Atom(_) | Attr::Int(_) => None,
    })?;
    let scalar = |name: &Symbol| ScalarType::ALL.into_iter().find(|s| s.as_str() == name.as_str());
    match args {
        [Attr::Atom(ty)] => Some(Traced { scalar: scalar(ty)?, tag: None }),
        [Attr::Atom(ty), Attr::Atom(tag)] => Some(Traced { scalar: scalar(ty)?, tag: Some(*tag) }),
        _ => None,
    }
}

/// The places that ask for values in kernels to be printed, also in functions that kernels call.
pub fn kernel_traces(prog: &Prog<Memory>) -> Vec<Loc> {
    let mut search = Search::default();
    search.body(&prog.consts, Where::Host);
    prog.funs.iter().for_each(|f| search.body(&f.body, Where::Host));
    let mut funs: FxHashMap<Name, &Body<Memory>> = prog.funs.iter().map(|f| (f.name, &f.body)).collect();
    while let Some(name) = search.called.pop() {
        if let Some(body) = funs.remove(&name) {
            search.body(body, Where::Kernel);
        }
    }
    search.found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Host,
    Kernel,
}

#[derive(Default)]
struct Search {
    found: Vec<Loc>,
    /// Functions that kernels call, still to be searched.
    called: Vec<Name>,
}

impl Search {
    fn body(&mut self, body: &Body<Memory>, at: Where) {
        deep(|| {
            for stm in &body.stms {
                let inside = match &stm.exp {
                    Exp::Op(_) => Where::Kernel,
                    Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => at,
                };
                if at == Where::Kernel {
                    if traced(stm).is_some() {
                        self.found.push(stm.loc.clone());
                    }
                    if let Exp::Call(name, _) = &stm.exp {
                        self.called.push(*name);
                    }
                }
                for_each_body(&stm.exp, &mut |b| self.body(b, inside));
            }
        });
    }
}

/// Prints a value.
pub(super) fn trace<X: CpuMachine>(
    t: &mut Translate<OnCpu<X>>,
    stm: &Stm<Memory>,
    value: SubExp,
    traced: &Traced,
) {
    let [p] = stm.pat.as_slice() else { return };
    let (loc, start) = match traced.tag {
        Some(tag) => (None, format!("{tag}: ")),
        None => (Some(stm.loc.clone()), String::new()),
    };
    let text = |text: &str| ErrorPart::Text(text.to_owned());
    match &p.ty {
        Type::Prim(PrimType::Unit) | Type::Acc(..) | Type::Mem(_) => {}
        Type::Prim(_) => {
            let value = ErrorPart::Value(t.operand(value), traced.scalar);
            t.on_cpu(CpuOp::Trace { loc, message: vec![text(&start), value, text("\n")] });
        }
        Type::Array(_, shape) => {
            let at = t.place_of(p.name);
            t.on_cpu(CpuOp::Trace { loc, message: vec![text(&start)] });
            trace_rows(t, &at, shape, traced.scalar);
            t.on_cpu(CpuOp::Trace { loc: None, message: vec![text("\n")] });
        }
    }
}

fn trace_rows<X: CpuMachine>(t: &mut Translate<OnCpu<X>>, at: &At, shape: &[SubExp], scalar: ScalarType) {
    let print = |part| Code::Op(OnCpu::Cpu(CpuOp::Trace { loc: None, message: vec![part] }));
    let text = |text: &str| print(ErrorPart::Text(text.to_owned()));
    let Some((n, rest)) = shape.split_first() else {
        let value = t.read(at);
        return t.emit(print(ErrorPart::Value(value, scalar)));
    };
    t.emit(text("["));
    let bound = t.operand(*n);
    t.count(bound, |t, i| {
        let comma = Box::new(text(", "));
        t.emit(Code::If(lt(i64(0), Expr::Var(i)), comma, Box::new(Code::Seq(vec![]))));
        let row = at.fixed(&[poly(i.into())]);
        trace_rows(t, &row, rest, scalar);
    });
    t.emit(text("]"));
}
