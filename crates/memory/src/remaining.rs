//! The copies and blocks that a program over `Memory` still has, in the order of the code.
//!
//! An update, a concatenation or an array literal copies an array unless that was computed where it ends up;
//! so does a point of a parallel operation that returns one. What `fehu dev --explain-memory` prints, and
//! what tests count, is this list.
//!
//! ```text
//! let (b : mem) = alloc 4*m                             a block of 4*m bytes
//! let (ys : [m]i32 @ b -> ...) = ...
//! let (out' ...) = out with [i, 0 :+ m] = ys            a copy of 4*m bytes
//! ```

use crate::builder::Place;
use crate::shortcircuit::{put, rows};
use crate::tables::Tables;
use fehu_algebra::{Facts, Poly};
use fehu_analysis::{remainder_of, Known};
use fehu_base::{Name, Span};
use fehu_ir::mem::{poly, sym_name, MemOp};
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Basic, Body, Exp, Loc, Memory, Prog, Space, Stm, SubExp, Type};

/// A copy or a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Left {
    /// The statement.
    pub loc: Loc,
    /// What it is.
    pub kind: Kind,
    /// How many bytes, in the program's sizes.
    pub bytes: String,
    /// Whether it is done in each iteration of a loop.
    pub in_loop: bool,
    /// Whether it is part of a parallel operation.
    pub in_kernel: bool,
}

/// What is left.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// An array is copied: by what, and which.
    Copy(&'static str, Name),
    /// Memory is allocated.
    Block(Space),
}

/// The copies and blocks of a program.
pub fn remaining(prog: &Prog<Memory>) -> Vec<Left> {
    let mut found = Find { tables: Tables::of(prog), prog, facts: Facts::new(), left: vec![] };
    found.body(&prog.consts, &first_place(&prog.consts), false, false);
    for fun in &prog.funs {
        found.facts = Known::of_fun(fun).facts();
        found.body(&fun.body, &first_place(&fun.body), false, false);
    }
    found.left
}

fn first_place(body: &Body<Memory>) -> Loc {
    body.stms.iter().map(|stm| &stm.loc).find(|loc| loc.span != Span::NONE).cloned().unwrap_or_else(Loc::none)
}

struct Find<'a> {
    tables: Tables,
    prog: &'a Prog<Memory>,
    facts: Facts,
    left: Vec<Left>,
}

impl Find<'_> {
    /// What no place of the program asks for is where the statement before it is, or the one around it.
    fn body(&mut self, body: &Body<Memory>, around: &Loc, in_loop: bool, in_kernel: bool) {
        deep(|| {
            let mut here = around;
            for stm in &body.stms {
                here = if stm.loc.span != Span::NONE { &stm.loc } else { here };
                for (kind, bytes) in self.stm(stm) {
                    let bytes = self.text(&bytes);
                    self.left.push(Left { loc: here.clone(), kind, bytes, in_loop, in_kernel });
                }
                let in_loop = in_loop || matches!(stm.exp, Exp::Loop(_));
                let in_kernel = in_kernel || matches!(stm.exp, Exp::Op(MemOp::Seg(_)));
                for_each_body(&stm.exp, &mut |inner| self.body(inner, here, in_loop, in_kernel));
            }
        });
    }

    fn stm(&self, stm: &Stm<Memory>) -> Vec<(Kind, Poly)> {
        match &stm.exp {
            Exp::Op(MemOp::Alloc(bytes, space)) => vec![(Kind::Block(space.clone()), poly(*bytes))],
            Exp::Op(MemOp::Seg(seg)) => {
                let result = |k: usize| match seg.body.body.result.get(k) {
                    Some(SubExp::Var(value)) => Some(*value),
                    Some(SubExp::Const(_)) | None => None,
                };
                let moved =
                    |(k, row): (usize, Place)| self.copied("parallel operation", result(k)?, Some(&row));
                rows(&self.tables, seg, &stm.pat).into_iter().filter_map(moved).collect()
            }
            Exp::Basic(Basic::Manifest(_, a)) => self.copied("copy", *a, None).into_iter().collect(),
            Exp::Basic(basic) => {
                let what = if matches!(basic, Basic::Concat { .. }) {
                    "concatenation"
                } else if matches!(basic, Basic::ArrayLit(..)) {
                    "array literal"
                } else if matches!(basic, Basic::Update(..) | Basic::FlatUpdate(..)) {
                    "update"
                } else {
                    "copy"
                };
                let moved =
                    |(value, _, place): (Name, _, Option<Place>)| self.copied(what, value, place.as_ref());
                put(&self.tables, stm).into_iter().filter_map(moved).collect()
            }
            Exp::If(..) | Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(MemOp::Size(_)) => vec![],
        }
    }

    /// A copy of a value to a place, unless it is there.
    fn copied(&self, what: &'static str, value: Name, to: Option<&Place>) -> Option<(Kind, Poly)> {
        let place = self.tables.place(value)?;
        let Some(Type::Array(elem, shape)) = self.tables.types.get(&value) else { return None };
        if to.is_some_and(|to| place.same_as(to)) {
            return None;
        }
        let sizes: Vec<Poly> = shape.iter().map(|n| poly(*n)).collect();
        let bytes = Poly::product(&sizes) * i64::try_from(elem.bytes()).unwrap_or(i64::MAX);
        Some((Kind::Copy(what, value), bytes))
    }

    fn text(&self, bytes: &Poly) -> String {
        let show = |x| self.prog.names.base(sym_name(x)).to_string();
        let whole = self.facts.normalise(bytes);
        let named = whole.vars().iter().all(|x| remainder_of(*x).is_none());
        match whole.is_known() && named {
            true => whole.text(show),
            false => bytes.text(show),
        }
    }
}
