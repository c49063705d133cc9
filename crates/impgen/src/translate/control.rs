//! Branches, loops and calls.

use crate::translate::build::param;
use crate::translate::machine::Machine;
use crate::translate::state::Translate;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::syntax::{Arg, Code, Expr, Order};
use fehu_ir::seg::REDUCTION;
use fehu_ir::{Attr, Body, Loop, LoopForm, Memory, PatElem, Stm, SubExp, Type};

impl<M: Machine> Translate<'_, M> {
    pub(super) fn branch(&mut self, pat: &[PatElem<Memory>], c: SubExp, t: &Body<Memory>, f: &Body<Memory>) {
        for p in pat {
            self.declare(p.name, &p.ty);
        }
        let cond = self.operand(c);
        let [t, f] = [t, f].map(|body| {
            self.block(|tr| {
                tr.body(body, &[]);
                for (p, e) in pat.iter().zip(&body.result) {
                    tr.set(p.name, *e);
                }
            })
        });
        self.emit(Code::If(cond, Box::new(t), Box::new(f)));
    }

    pub(super) fn loop_(&mut self, stm: &Stm<Memory>, l: &Loop<Memory>) {
        for (p, init) in &l.params {
            self.declare(p.name, &p.ty);
            self.set(p.name, *init);
        }
        for block in std::mem::take(&mut self.given) {
            self.free(block);
        }
        if !M::steps_loop(self, l) {
            let is_reduction = |a: &Attr| matches!(a, Attr::Atom(name) if name.as_str() == REDUCTION);
            let reduction = stm.attrs.iter().any(is_reduction);
            self.iterations(l, if reduction { Order::Reduction } else { Order::Sequential });
        }
        for (p, (param, _)) in stm.pat.iter().zip(&l.params) {
            if self.globals.contains(&p.name) {
                self.set(p.name, param.name.into());
            } else {
                self.same.insert(p.name, param.name.into());
            }
        }
    }

    fn iterations(&mut self, l: &Loop<Memory>, order: Order) {
        let body = self.block(|t| {
            t.body(&l.body, &[]);
            let next: Vec<(Name, SubExp)> =
                l.params.iter().zip(&l.body.result).map(|((p, _), e)| (p.name, *e)).collect();
            t.set_all(&next);
        });
        match &l.form {
            LoopForm::For { var, ty, bound } => {
                let bound = self.operand(*bound);
                self.emit(Code::For { var: *var, ty: *ty, bound, order, body: Box::new(body) });
            }
            LoopForm::While(cond) => {
                let cond = self.operand((*cond).into());
                self.emit(Code::While(cond, Box::new(body)));
            }
        }
    }

    /// Assigns variables all at once: what is both assigned and used later goes through another
    /// variable.
    pub(super) fn set_all(&mut self, pairs: &[(Name, SubExp)]) {
        let moves: Vec<(Name, SubExp)> = pairs
            .iter()
            .filter(|(name, _)| param(*name, &self.type_of(*name)).is_some())
            .map(|(name, e)| (*name, self.resolve(*e)))
            .filter(|(name, e)| e.name() != Some(*name))
            .collect();
        let mut saved = vec![];
        for (i, (name, e)) in moves.iter().enumerate() {
            let overwritten = moves[..i].iter().any(|(earlier, _)| e.name() == Some(*earlier));
            if overwritten {
                let ty = self.type_of(*name);
                let copy = self.names.fresh_like(*name);
                self.types.insert(copy, ty.clone());
                self.declare(copy, &ty);
                self.set(copy, *e);
                saved.push((*name, copy.into()));
            } else {
                saved.push((*name, *e));
            }
        }
        for (name, e) in saved {
            self.set(name, e);
        }
    }

    pub(super) fn call(&mut self, pat: &[PatElem<Memory>], fun: Name, args: &[SubExp]) {
        let mut outs = vec![];
        for p in pat {
            if param(p.name, &p.ty).is_some() {
                self.declare(p.name, &p.ty);
                outs.push(p.name);
            }
        }
        let mut passed = vec![];
        for e in args {
            passed.extend(self.arg(*e));
        }
        self.emit(Code::Call { outs, fun, args: passed });
    }

    fn arg(&self, e: SubExp) -> Option<Arg> {
        match self.resolve(e) {
            SubExp::Const(fehu_base::prim::PrimValue::Unit) => None,
            SubExp::Const(v) => Some(Arg::Scalar(Expr::Const(v))),
            SubExp::Var(n) => match self.types.get(&n) {
                Some(Type::Prim(PrimType::Unit) | Type::Array(..)) => None,
                Some(Type::Prim(_)) => Some(Arg::Scalar(Expr::Var(n))),
                Some(Type::Mem(_)) => Some(Arg::Mem(n)),
                Some(Type::Acc(..)) | None => bug!("{} cannot be passed", self.names.show(n)),
            },
        }
    }
}
