//! Which names of memory blocks may stand for the same memory.
//!
//! In: a body with memory. Out: a view of its [flows](fehu_ir::alias) between names of blocks.
//!
//! A block is allocated, is a parameter, or comes from others: branches, loops and calls return blocks. So
//! every name has *sources*, and two names may be one block if they have a source in common. Blocks are
//! handed around whole: places in two names for one block are counted from the same start. An allocation is a
//! block that no name bound before it can stand for, even if the name is that of an earlier round of a loop.

use fehu_base::Name;
use fehu_ir::alias::{Flows, How, Signatures};
use fehu_ir::mem::MemOp;
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Body, Exp, Memory, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The sources of the blocks of a function.
#[derive(Default, Debug)]
pub struct Blocks {
    sources: FxHashMap<Name, Vec<Name>>,
    /// Where names are bound, and whether by an allocation.
    bound: FxHashMap<Name, (usize, bool)>,
}

impl Blocks {
    /// Those of a body with all that is inside of it. Blocks that are free in it are taken to differ.
    pub fn of_body(body: &Body<Memory>) -> Blocks {
        let mut blocks = Blocks::default();
        blocks.body(body);
        blocks
    }

    /// Whether two names may stand for one block.
    pub fn may_be_same(&self, a: Name, b: Name) -> bool {
        if a == b {
            return true;
        }
        if self.is_fresh(a, b) || self.is_fresh(b, a) {
            return false;
        }
        if !self.sources.contains_key(&a) && !self.sources.contains_key(&b) {
            return false;
        }
        let of_a = self.of(a);
        self.of(b).iter().any(|n| of_a.contains(n))
    }

    /// Whether a block is allocated when the other exists already.
    fn is_fresh(&self, block: Name, other: Name) -> bool {
        let before = |at: usize| self.bound.get(&other).is_none_or(|(other, _)| *other < at);
        matches!(self.bound.get(&block), Some((at, true)) if before(*at))
    }

    fn bind(&mut self, name: Name, allocated: bool) {
        let at = self.bound.len();
        self.bound.insert(name, (at, allocated));
    }

    /// The name, and all from which the block may come.
    fn of(&self, name: Name) -> FxHashSet<Name> {
        let mut found = FxHashSet::default();
        let mut open = vec![name];
        while let Some(n) = open.pop() {
            if found.insert(n) {
                open.extend(self.sources.get(&n).into_iter().flatten());
            }
        }
        found
    }

    fn body(&mut self, body: &Body<Memory>) {
        deep(|| {
            for stm in &body.stms {
                if let Exp::Loop(l) = &stm.exp {
                    l.params
                        .iter()
                        .filter(|(p, _)| is_block(&p.ty))
                        .for_each(|(p, _)| self.bind(p.name, false));
                }
                for_each_body(&stm.exp, &mut |inner| self.body(inner));
                let allocated = matches!(stm.exp, Exp::Op(MemOp::Alloc(..)));
                stm.pat.iter().filter(|p| is_block(&p.ty)).for_each(|p| self.bind(p.name, allocated));
                // What functions consume or return as unique are arrays; of blocks nothing is known.
                for f in Flows::of_stm(&Signatures::default(), stm).all() {
                    if f.how == How::Aliases && self.bound.contains_key(&f.to) {
                        self.sources.entry(f.to).or_default().push(f.from);
                    }
                }
            }
        });
    }
}

fn is_block(ty: &Type) -> bool {
    matches!(ty, Type::Mem(_))
}
