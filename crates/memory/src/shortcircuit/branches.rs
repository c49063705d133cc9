//! Values that branches return.
//!
//! The block is then a result of the conditional. Each branch makes its value
//! at the destination, or copies it there in the end; the block is no longer
//! returned. It is worth it if no more is copied than before, which is always
//! so, as long as some branch need not copy.

use super::{elements, Around, Dest, Layout, ShortCircuit};
use crate::builder::Place;
use fehu_algebra::Facts;
use fehu_base::Name;
use fehu_ir::mem::{Lmad, MemInfo};
use fehu_ir::{Body, Exp, Loc, Memory, PatElem, Stm, SubExp};

impl ShortCircuit {
    /// Whether the branches of a conditional can make what they return, in the block that is among
    /// the results, at the destination.
    pub(super) fn can_move_from_branches(
        &self,
        stm: &Stm<Memory>,
        block: Name,
        value: Name,
        dest: &Dest,
    ) -> bool {
        let Exp::If(_, t, f) = &stm.exp else { return false };
        let in_block = |p: &PatElem<Memory>| self.tables.place(p.name).is_some_and(|at| at.block == block);
        let results: Vec<usize> = (0..stm.pat.len()).filter(|k| in_block(&stm.pat[*k])).collect();
        let [k] = results[..] else { return false };
        let fits = elements(&stm.pat[k].ty).is_some_and(|n| Facts::new().eq(&n, &dest.count));
        let own = self.tables.place(stm.pat[k].name).and_then(|p| dest.moved(&p.lmad));
        let Some(target) = (if stm.pat[k].name == value { Some(dest.place.lmad.clone()) } else { own })
        else {
            return false;
        };
        let branches = [t, f];
        fits && branches.iter().any(|b| self.made_in(b, k, &target, dest))
            && branches.iter().all(|b| self.leaves_alone(b, dest))
    }

    /// Whether a branch can make its result at the destination, where it is to be laid out like this.
    fn made_in(&self, body: &Body<Memory>, k: usize, target: &Lmad, dest: &Dest) -> bool {
        let Some(SubExp::Var(value)) = body.result.get(k) else { return false };
        let fits = match &dest.layout {
            Layout::Even { .. } => true,
            Layout::Strides { .. } => {
                let moved = self.tables.place(*value).and_then(|p| dest.moved(&p.lmad));
                moved.is_some_and(|moved| moved == *target)
            }
        };
        let around = Around::of(body);
        fits && self.once(body, *value)
            && self.can_move(body, &around, *value, body.stms.len(), 1, dest).is_some()
    }

    /// Whether nothing else that the body returns is in the block of the value.
    fn once(&self, body: &Body<Memory>, value: Name) -> bool {
        let block = self.tables.block_of(value);
        let arrays = body.result.iter().filter_map(|e| e.name()).filter(|n| self.tables.is_array(*n));
        arrays.filter(|n| self.tables.block_of(*n) == block).count() == 1
    }

    fn leaves_alone(&self, body: &Body<Memory>, dest: &Dest) -> bool {
        let around = Around::of(body);
        around.mentions.iter().all(|names| !self.touches(names, dest))
            && !self.touches(&body.result.iter().filter_map(|e| e.name()).collect(), dest)
    }

    /// Makes the value of each branch at the destination.
    pub(super) fn move_in_branches(&mut self, stm: &mut Stm<Memory>, block: Name, dest: &Dest) {
        let Some(b) = stm.pat.iter().position(|p| p.name == block) else { return };
        // The array follows its block, with its offset and strides, if any, in between.
        let Some(k) = (b + 1..stm.pat.len()).find(|k| self.tables.is_array(stm.pat[*k].name)) else { return };
        let Some(target) = self.tables.place(stm.pat[k].name).map(|p| p.lmad.clone()) else { return };
        let Exp::If(_, t, f) = &mut stm.exp else { return };
        for body in [t, f] {
            self.move_in_branch(body, k, &target, dest, &stm.loc);
            if let SubExp::Var(block) = body.result.remove(b) {
                match self.passed.get_mut(&block) {
                    Some(n) if *n > 1 => *n -= 1,
                    Some(_) | None => {
                        self.passed.remove(&block);
                    }
                }
            }
        }
        stm.pat.remove(b);
    }

    fn move_in_branch(&mut self, body: &mut Body<Memory>, k: usize, target: &Lmad, dest: &Dest, loc: &Loc) {
        let Some(SubExp::Var(value)) = body.result.get(k).copied() else { return };
        if self.made_in(body, k, target, dest) {
            let around = Around::of(body);
            self.move_value(body, &around, value, target, dest);
            return;
        }
        let copy = self.names.fresh_like(value);
        let Some(ty) = self.tables.types.get(&value).cloned() else { return };
        self.tables.types.insert(copy, ty.clone());
        self.tables.set_place(copy, Place { block: dest.place.block, lmad: target.clone() });
        self.parts.insert(copy, dest.parts.clone());
        let pat = vec![PatElem { name: copy, ty, dec: MemInfo::None }];
        let exp = Exp::Copy(value);
        body.stms.push(Stm { pat, certs: vec![], attrs: vec![], loc: loc.clone(), exp });
        body.result[k] = copy.into();
    }
}
