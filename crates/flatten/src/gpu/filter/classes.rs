//! Whether the conditions of a filter are classes: exactly one of them holds for each element.
//!
//! Then the elements of the last condition need not be counted, since they are those of no other one. A partition is such a filter.
//!
//! ```text
//! let (c : bool) = slt_i32(0i32, x)
//! let (d : bool) = sle_i32(x, 0i32)       c, d: always one of them; c alone, or c and c: not so
//! ```
//!
//! Each condition is a truth table over what is unknown: one bit for each choice of values. Comparisons of integers that are each
//! other's opposite are one unknown.

use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_ir::{Basic, Body, Exp, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// Bit `i` says whether a condition holds if the unknown `k` is bit `k` of `i`.
type Table = u64;

/// The tables of the unknowns.
const UNKNOWNS: [Table; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Whether exactly one of these results of a body is true, whatever the code computes. If that depends on more unknowns than a table has
/// room for, it counts as false.
pub(super) fn exactly_one(body: &Body<Soacs>, conditions: &[SubExp]) -> bool {
    let mut known = Known::default();
    known.body(body);
    let (mut one, mut more) = (0, 0);
    for condition in conditions {
        let Some(table) = known.operand(*condition) else { return false };
        more |= one & table;
        one |= table;
    }
    conditions.len() > 1 && one == Table::MAX && more == 0
}

/// What is not looked into.
#[derive(PartialEq, Eq, Hash)]
enum Unknown {
    Name(Name),
    Comparison(CmpOp, SubExp, SubExp),
}

#[derive(Default)]
struct Known {
    tables: FxHashMap<Name, Option<Table>>,
    unknowns: FxHashMap<Unknown, usize>,
}

impl Known {
    fn body(&mut self, body: &Body<Soacs>) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm<Soacs>) {
        if let Exp::If(c, then, other) = &stm.exp {
            self.body(then);
            self.body(other);
            for (k, p) in stm.pat.iter().enumerate().filter(|(_, p)| p.ty == Type::BOOL) {
                let [c, x, y] = [*c, then.result[k], other.result[k]].map(|e| self.operand(e));
                let both = c.zip(x).zip(y).map(|((c, x), y)| c & x | !c & y);
                self.tables.insert(p.name, both);
            }
        } else if let ([p], Exp::Basic(basic)) = (&stm.pat[..], &stm.exp) {
            if p.ty == Type::BOOL {
                let table = self.basic(p.name, basic);
                self.tables.insert(p.name, table);
            }
        }
    }

    fn basic(&mut self, name: Name, basic: &Basic) -> Option<Table> {
        if let Basic::SubExp(e) = basic {
            return self.operand(*e);
        }
        if let Basic::UnOp(UnOp::Not, x) = basic {
            return Some(!self.operand(*x)?);
        }
        if let Basic::BinOp(BinOp::LogAnd, x, y) = basic {
            return Some(self.operand(*x)? & self.operand(*y)?);
        }
        if let Basic::BinOp(BinOp::LogOr, x, y) = basic {
            return Some(self.operand(*x)? | self.operand(*y)?);
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

    fn operand(&mut self, e: SubExp) -> Option<Table> {
        match e {
            SubExp::Const(c) => Some(if c == PrimValue::Bool(true) { Table::MAX } else { 0 }),
            SubExp::Var(name) => match self.tables.get(&name) {
                Some(table) => *table,
                None => self.unknown(Unknown::Name(name)),
            },
        }
    }

    /// Whatever it is, it has the same value everywhere.
    fn unknown(&mut self, of: Unknown) -> Option<Table> {
        let next = self.unknowns.len();
        UNKNOWNS.get(*self.unknowns.entry(of).or_insert(next)).copied()
    }
}
