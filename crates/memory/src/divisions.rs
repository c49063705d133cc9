//! Divisions that cost less.
//!
//! Before: a program over `Memory`, after everything that reasons about indices. After: the same, with
//!
//! ```text
//! sdiv(x, 8), smod(x, 8)                     =>  ashr(x, 3), and(x, 7)
//! sdiv(i, n), smod(i, n), both not negative  =>  squot(i, n), srem(i, n)
//! let q = squot(x, y), let r = srem(x, y)    =>  let q = squot(x, y), let r = x - q * y
//! ```
//!
//! The language's division rounds down, that of machines towards zero, and the difference is several
//! instructions and a comparison for each. GPUs have no instruction for either: a division of 64 bits is a
//! call of some 70 instructions, often more than all else in a body that takes an index apart. Shifts by
//! constants round down by themselves.
//!
//! What is not negative is known by [`Magnitudes`], which holds whatever wraps around.

use fehu_analysis::magnitude::Magnitudes;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::visit::{change, deep, Mutator};
use fehu_ir::{Basic, Body, Exp, Lambda, Memory, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Divisions become shifts, divisions of machines, and fewer.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "divisions", need: Need::Optional, run: divisions };

fn divisions(prog: &mut Prog<Memory>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut pass = Divisions { names, known: Magnitudes::default() };
    pass.body(&mut prog.consts);
    for fun in &mut prog.funs {
        let mark = pass.known.enter_body();
        fun.params.iter().for_each(|p| pass.known.learn_type(&p.ty));
        pass.body(&mut fun.body);
        pass.known.leave(mark);
    }
    prog.names = pass.names;
}

/// A division by its quotient: operator, dividend, divisor.
type Quotient = (BinOp, SubExp, SubExp);

struct Divisions {
    names: NameSource,
    known: Magnitudes,
}

impl Mutator<Memory> for Divisions {
    fn body(&mut self, body: &mut Body<Memory>) {
        let mark = self.known.enter_body();
        self.statements(body);
        self.known.leave(mark);
    }

    fn lambda(&mut self, lambda: &mut Lambda<Memory>) {
        let mark = self.known.enter_body();
        lambda.params.iter().for_each(|p| self.known.learn_type(&p.ty));
        change::lambda(self, lambda);
        self.known.leave(mark);
    }
}

impl Divisions {
    fn statements(&mut self, body: &mut Body<Memory>) {
        for stm in &mut body.stms {
            // What is inside of a statement changes with what is known around it.
            let mark = self.known.enter_body();
            match &stm.exp {
                Exp::Loop(l) => {
                    self.known.learn_loop(&l.form);
                    l.params.iter().for_each(|(p, _)| self.known.learn_type(&p.ty));
                }
                Exp::Op(MemOp::Seg(seg)) => self.known.learn_space(&seg.space),
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => {}
            }
            deep(|| change::stm(self, stm));
            self.known.leave(mark);
            if let Exp::Basic(Basic::BinOp(op, x, y)) = &stm.exp {
                if let Some(exp) = self.cheaper(*op, *x, *y) {
                    stm.exp = Exp::Basic(exp);
                }
            }
            self.known.learn_stm(stm);
        }
        self.share(body);
    }

    /// The same value without rounding down.
    fn cheaper(&self, op: BinOp, x: SubExp, y: SubExp) -> Option<Basic> {
        let natural = self.known.is_natural(x);
        let (of, ty) = quotient_of(op)?;
        if of == BinOp::UDiv(ty) {
            return None;
        }
        let floor = natural || of == BinOp::SDiv(ty);
        let quotient = of == op;
        if let Some(k) = y.as_i64().filter(|n| *n > 0 && n.count_ones() == 1 && floor) {
            let (by, mask) = (SubExp::int(ty, i64::from(k.trailing_zeros())), SubExp::int(ty, k - 1));
            return Some(match quotient {
                true => Basic::BinOp(BinOp::AShr(ty), x, by),
                false => Basic::BinOp(BinOp::And(ty), x, mask),
            });
        }
        let machine = if quotient { BinOp::SQuot(ty) } else { BinOp::SRem(ty) };
        (machine != op && natural && self.known.is_natural(y)).then_some(Basic::BinOp(machine, x, y))
    }

    /// Computes remainders from quotients of the same operands in one body.
    fn share(&mut self, body: &mut Body<Memory>) {
        let mut here: FxHashSet<Quotient> = FxHashSet::default();
        for stm in &body.stms {
            if let Exp::Basic(Basic::BinOp(op, x, y)) = &stm.exp {
                if quotient_of(*op).is_some_and(|(q, _)| q == *op) {
                    here.insert((*op, *x, *y));
                }
            }
        }
        let mut quotients: FxHashMap<Quotient, Name> = FxHashMap::default();
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            let Exp::Basic(Basic::BinOp(op, x, y)) = stm.exp else {
                stms.push(stm);
                continue;
            };
            let Some((quotient, ty)) = quotient_of(op).filter(|_| !matches!(y, SubExp::Const(_))) else {
                stms.push(stm);
                continue;
            };
            let key = (quotient, x, y);
            let known = quotients.get(&key).copied();
            if quotient == op {
                match (known, stm.pat.first()) {
                    (Some(q), _) => stm.exp = Exp::Basic(Basic::SubExp(q.into())),
                    (None, Some(p)) => {
                        quotients.insert(key, p.name);
                    }
                    (None, None) => {}
                }
            } else if known.is_some() || here.contains(&key) {
                let q = known.unwrap_or_else(|| {
                    let q = self.bind("q", ty, Basic::BinOp(quotient, x, y), &stm, &mut stms);
                    quotients.insert(key, q);
                    q
                });
                let whole =
                    self.bind("whole", ty, Basic::BinOp(BinOp::Mul(ty), q.into(), y), &stm, &mut stms);
                stm.exp = Exp::Basic(Basic::BinOp(BinOp::Sub(ty), x, whole.into()));
            }
            stms.push(stm);
        }
        body.stms = stms;
    }

    /// Binds a scalar before a statement.
    fn bind(
        &mut self,
        base: &str,
        ty: IntType,
        exp: Basic,
        before: &Stm<Memory>,
        stms: &mut Vec<Stm<Memory>>,
    ) -> Name {
        let name = self.names.fresh_str(base);
        let pat = vec![PatElem { name, ty: Type::Prim(PrimType::Int(ty)), dec: MemInfo::None }];
        stms.push(Stm { pat, exp: Exp::Basic(exp), ..before.clone() });
        name
    }
}

/// The operator of the quotient that goes with a division, and its type.
fn quotient_of(op: BinOp) -> Option<(BinOp, IntType)> {
    if let BinOp::SDiv(t) | BinOp::SMod(t) = op {
        return Some((BinOp::SDiv(t), t));
    }
    if let BinOp::SQuot(t) | BinOp::SRem(t) = op {
        return Some((BinOp::SQuot(t), t));
    }
    if let BinOp::UDiv(t) | BinOp::UMod(t) = op {
        return Some((BinOp::UDiv(t), t));
    }
    None
}
