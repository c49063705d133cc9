//! How conditions are related: which are the same, which are each other's opposite, and which never hold together.
//!
//! Each condition is a truth table over what is unknown: one bit for each choice of values. Comparisons of
//! integers that are each other's opposite are one unknown. Statements that compute the same from the same
//! are one value, also if they are in different bodies.
//!
//! ```text
//! let (x : i32) = xs[i]                   let (y : i32) = xs[i]
//! let (c : bool) = slt_i32(0i32, x)       let (d : bool) = sle_i32(y, 0i32)        the table of d is the opposite of that of c
//! ```
//!
//! Bodies are looked at one after the other, as if nothing changed in memory between them.

use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_ir::visit::{change, Mutator};
use fehu_ir::{Basic, Body, Exp, Rep, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// Bit `i` says whether a condition holds if the unknown `k` is bit `k` of `i`.
pub type Table = u64;

/// The tables of the unknowns.
const UNKNOWNS: [Table; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Statements that are compared with later ones at most.
const MAX_VALUES: usize = 256;

/// What is not looked into.
#[derive(PartialEq, Eq, Hash)]
enum Unknown {
    Name(Name),
    Comparison(CmpOp, SubExp, SubExp),
}

/// The truth tables of what some bodies compute.
#[derive(Default)]
pub struct Conditions {
    tables: FxHashMap<Name, Option<Table>>,
    unknowns: FxHashMap<Unknown, usize>,
    /// What was computed before by the same statement.
    same: FxHashMap<Name, SubExp>,
    values: Vec<(Basic, Name)>,
}

impl Conditions {
    /// Adds the statements of a body.
    pub fn body<R: Rep>(&mut self, body: &Body<R>) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    /// The table of an operand; none if it depends on more unknowns than a table has room for.
    pub fn table(&mut self, e: SubExp) -> Option<Table> {
        match self.first(e) {
            SubExp::Const(c) => Some(if c == PrimValue::Bool(true) { Table::MAX } else { 0 }),
            SubExp::Var(name) => match self.tables.get(&name) {
                Some(table) => *table,
                None => self.unknown(Unknown::Name(name)),
            },
        }
    }

    fn stm<R: Rep>(&mut self, stm: &Stm<R>) {
        if let Exp::If(c, then, other) = &stm.exp {
            self.body(then);
            self.body(other);
            for (k, p) in stm.pat.iter().enumerate().filter(|(_, p)| p.ty == Type::BOOL) {
                let [c, x, y] = [*c, then.result[k], other.result[k]].map(|e| self.table(e));
                let both = c.zip(x).zip(y).map(|((c, x), y)| c & x | !c & y);
                self.tables.insert(p.name, both);
            }
        } else if let ([p], Exp::Basic(basic)) = (&stm.pat[..], &stm.exp) {
            let mut exp = Exp::<R>::Basic(basic.clone());
            change::exp(&mut First(&self.same), &mut exp);
            let Exp::Basic(basic) = exp else { return };
            if let Basic::SubExp(e) = basic {
                self.same.insert(p.name, e);
            } else if let Some((_, first)) = self.values.iter().find(|v| v.0 == basic) {
                self.same.insert(p.name, SubExp::Var(*first));
            } else {
                if p.ty == Type::BOOL {
                    let table = self.basic(p.name, &basic);
                    self.tables.insert(p.name, table);
                }
                if matches!(p.ty, Type::Prim(_)) && self.values.len() < MAX_VALUES {
                    self.values.push((basic, p.name));
                }
            }
        }
    }

    fn basic(&mut self, name: Name, basic: &Basic) -> Option<Table> {
        if let Basic::UnOp(UnOp::Not, x) = basic {
            return Some(!self.table(*x)?);
        }
        if let Basic::BinOp(BinOp::LogAnd, x, y) = basic {
            return Some(self.table(*x)? & self.table(*y)?);
        }
        if let Basic::BinOp(BinOp::LogOr, x, y) = basic {
            return Some(self.table(*x)? | self.table(*y)?);
        }
        let Basic::CmpOp(op, x, y) = basic else { return self.unknown(Unknown::Name(name)) };
        match op {
            CmpOp::SLe(t) => Some(!self.unknown(Unknown::Comparison(CmpOp::SLt(*t), *y, *x))?),
            CmpOp::ULe(t) => Some(!self.unknown(Unknown::Comparison(CmpOp::ULt(*t), *y, *x))?),
            CmpOp::SLt(_)
            | CmpOp::ULt(_)
            | CmpOp::Eq(_)
            | CmpOp::FLt(_)
            | CmpOp::FLe(_)
            | CmpOp::BLt
            | CmpOp::BLe => self.unknown(Unknown::Comparison(*op, *x, *y)),
        }
    }

    fn first(&self, e: SubExp) -> SubExp {
        e.name().and_then(|name| self.same.get(&name)).copied().unwrap_or(e)
    }

    /// Whatever it is, it has the same value everywhere.
    fn unknown(&mut self, of: Unknown) -> Option<Table> {
        let next = self.unknowns.len();
        UNKNOWNS.get(*self.unknowns.entry(of).or_insert(next)).copied()
    }
}

/// Replaces operands by those that were computed first.
struct First<'a>(&'a FxHashMap<Name, SubExp>);

impl<R: Rep> Mutator<R> for First<'_> {
    fn operand(&mut self, e: &mut SubExp) {
        if let Some(first) = e.name().and_then(|name| self.0.get(&name)) {
            *e = *first;
        }
    }
}
