//! Loops that become functions of their own.
//!
//! A C compiler learns that two pointers are different memory from `restrict`,
//! and GCC heeds it only on the parameters of functions. So a loop that writes
//! memory which is provably apart from all else it touches is printed as a
//! small function, which compilers put back where it was called:
//!
//! ```text
//! for (int64_t i = 0; i < n; i++) {      =>  loop_i(n, xs_p, ys_p);
//!   ys_p[i] = xs_p[i] + xs_p[0];
//! }
//! ```

use super::alias::Aliases;
use super::usage::{place_exprs, Access, Usage};
use fehu_base::Name;
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, ErrorPart, Expr, Space};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;

/// What a loop needs from its function.
pub struct Outline {
    /// Scalars it only reads, in the order of their use.
    pub inputs: Vec<Name>,
    /// Scalars of the function that it assigns.
    pub updated: Vec<Name>,
    /// Blocks whose elements it touches.
    pub blocks: Vec<OutlineBlock>,
    /// Whether it may fail.
    pub can_fail: bool,
}

/// A block in a loop.
pub struct OutlineBlock {
    /// The block.
    pub mem: Name,
    /// Whether what is written, here or elsewhere in the loop, is never the same memory.
    pub apart: bool,
    /// Whether the loop writes to it.
    pub written: bool,
}

/// What it takes to make a function of a loop, if that gives a compiler something to know.
pub fn outline(code: &Code, usage: &Usage, aliases: &mut Aliases) -> Option<Outline> {
    let mut facts = Facts::new(usage);
    if !facts.code(code) {
        return None;
    }
    facts.blocks.retain(|m| !facts.inside.contains(m));
    facts.written.retain(|m| !facts.inside.contains(m));
    if facts.written.is_empty() || facts.blocks.len() < 2 {
        return None;
    }
    if facts.blocks.iter().any(|m| usage.access.get(m) == Some(&Access::Mixed)) {
        return None;
    }
    let all: Vec<Name> = facts.blocks.iter().copied().collect();
    let mut apart = |m: Name| {
        let conflicts =
            |other: &&Name| **other != m && (facts.written.contains(&m) || facts.written.contains(*other));
        !all.iter().filter(conflicts).any(|other| aliases.may_alias(m, *other))
    };
    let blocks: Vec<OutlineBlock> = all
        .iter()
        .map(|m| OutlineBlock { mem: *m, apart: apart(*m), written: facts.written.contains(m) })
        .collect();
    if !blocks.iter().any(|b| b.apart && b.written) {
        return None;
    }
    let updated: Vec<Name> = facts.assigned.iter().filter(|x| !facts.inside.contains(*x)).copied().collect();
    let inputs = facts
        .read
        .iter()
        .filter(|x| !facts.inside.contains(*x) && !facts.assigned.contains(*x))
        .copied()
        .collect();
    Some(Outline { inputs, updated, blocks, can_fail: facts.can_fail })
}

struct Facts<'a> {
    usage: &'a Usage,
    read: IndexSet<Name>,
    assigned: IndexSet<Name>,
    /// Scalars, and arrays of constant size, that are declared in the loop.
    inside: FxHashSet<Name>,
    blocks: IndexSet<Name>,
    written: FxHashSet<Name>,
    can_fail: bool,
}

impl<'a> Facts<'a> {
    fn new(usage: &'a Usage) -> Facts<'a> {
        Facts {
            usage,
            read: IndexSet::new(),
            assigned: IndexSet::new(),
            inside: FxHashSet::default(),
            blocks: IndexSet::new(),
            written: FxHashSet::default(),
            can_fail: false,
        }
    }

    /// Collects the facts; false if the code has statements that must stay in the function.
    fn code(&mut self, code: &Code) -> bool {
        match code {
            Code::Seq(codes) => codes.iter().all(|c| self.code(c)),
            Code::DeclareScalar(x, _) => {
                self.inside.insert(*x);
                true
            }
            Code::SetScalar(x, e) => {
                if self.usage.needed.contains(x) {
                    self.assigned.insert(*x);
                    self.expr(e);
                }
                true
            }
            Code::Write { mem, offset, value, .. } => {
                self.blocks.insert(*mem);
                self.written.insert(*mem);
                self.expr(offset);
                self.expr(value);
                true
            }
            Code::Copy { shape, dst, src, .. } => {
                self.written.insert(dst.mem);
                for place in [dst, src] {
                    self.blocks.insert(place.mem);
                    place_exprs(place).for_each(|e| self.expr(e));
                }
                shape.iter().for_each(|e| self.expr(e));
                true
            }
            Code::For { var, bound, body, .. } => {
                self.inside.insert(*var);
                self.expr(bound);
                self.nested(body)
            }
            Code::While(cond, body) => {
                self.expr(cond);
                self.nested(body)
            }
            Code::If(cond, a, b) => {
                self.expr(cond);
                self.nested(a) && self.nested(b)
            }
            Code::Assert { cond, message, .. } => {
                self.can_fail = true;
                self.expr(cond);
                for part in message {
                    match part {
                        ErrorPart::Text(_) => {}
                        ErrorPart::Value(e, _) => self.expr(e),
                    }
                }
                true
            }
            Code::DeclareMem(m, Space::Scalar(..)) => {
                self.inside.insert(*m);
                true
            }
            Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Allocate { .. }
            | Code::Free(..)
            | Code::SetMem(..)
            | Code::Call { .. }
            | Code::Trace { .. }
            | Code::Op(_) => false,
        }
    }

    fn nested(&mut self, code: &Code) -> bool {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.code(code))
    }

    fn expr(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| {
            if let Expr::Var(x) = part {
                self.read.insert(*x);
            } else if let Expr::Index { mem, .. } = part {
                self.blocks.insert(*mem);
            }
        });
    }
}
