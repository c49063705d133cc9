//! Values that branches return.
//!
//! The block is then a result of the conditional. Each branch makes its value
//! at the destination, or copies it there in the end; the block is no longer
//! returned. It is worth it if no more is copied than before, which is always
//! so, as long as some branch need not copy.

use super::{elements, Around, Dest, ShortCircuit};
use crate::builder::Place;
use fehu_algebra::Facts;
use fehu_base::Name;
use fehu_ir::mem::{Lmad, MemInfo};
use fehu_ir::{Basic, Body, Exp, Loc, Memory, PatElem, Stm, SubExp};

impl ShortCircuit {
    /// Whether the branches of a conditional can make what they return, in the block that is among
    /// the results, at the destination.
    pub(super) fn can_move_from_branches(
        &self,
        stm: &Stm<Memory>,
        facts: &Facts,
        block: Name,
        dest: &Dest,
    ) -> bool {
        let Exp::If(c, t, f) = &stm.exp else { return false };
        let in_block = |p: &PatElem<Memory>| self.tables.place(p.name).is_some_and(|at| at.block == block);
        let results: Vec<usize> = (0..stm.pat.len()).filter(|k| in_block(&stm.pat[*k])).collect();
        let [k] = results[..] else { return false };
        let result = stm.pat[k].name;
        let fits = elements(&stm.pat[k].ty).is_some_and(|n| self.sure.eq(&n, &dest.count));
        let Some(target) = self.moved(dest, result).filter(|_| fits) else { return false };
        let mut made = 0;
        for (body, taken) in [(t, true), (f, false)] {
            let facts = self.known.in_branch(facts, *c, taken, body);
            let Some(SubExp::Var(value)) = body.result.get(k) else { return false };
            match self.made_in(body, &facts, *value, &target, dest) {
                Some(_) => made += 1,
                None if !self.can_copy(&facts, *value, &target, dest) => return false,
                None => {}
            }
        }
        made > 0
    }

    /// The destination of the value that a branch returns, which is to be laid out like this, if it can be made there.
    fn made_in(
        &self,
        body: &Body<Memory>,
        facts: &Facts,
        value: Name,
        target: &Lmad,
        dest: &Dest,
    ) -> Option<Dest> {
        let place = Place { block: dest.place.block, lmad: target.clone() };
        let own = Dest { parts: dest.parts.clone(), ..self.dest(value, place)? };
        let question = (value, own.place.block, own.place.lmad.clone());
        let answer = self.answers.borrow().get(&question).copied();
        let possible = answer.unwrap_or_else(|| {
            let around = Around::of(body);
            self.once(body, value)
                && self
                    .can_move(body, &around, facts, value, body.stms.len(), 1, &own)
                    .is_ok_and(|(_, needed)| needed.is_empty())
        });
        self.answers.borrow_mut().insert(question, possible);
        possible.then_some(own)
    }

    /// Whether a branch can copy its value to the destination in the end.
    fn can_copy(&self, facts: &Facts, value: Name, target: &Lmad, dest: &Dest) -> bool {
        let Some(place) = self.tables.place(value) else { return false };
        !self.blocks.may_be_same(place.block, dest.place.block)
            || fehu_lmad::disjoint(facts, &place.lmad, target)
    }

    /// Whether nothing else that the body returns is in the block of the value.
    fn once(&self, body: &Body<Memory>, value: Name) -> bool {
        let block = self.tables.block_of(value);
        let arrays = body.result.iter().filter_map(|e| e.name()).filter(|n| self.tables.is_array(*n));
        arrays.filter(|n| self.tables.block_of(*n) == block).count() == 1
    }

    /// Makes the value of each branch at the destination.
    pub(super) fn move_in_branches(
        &mut self,
        stm: &mut Stm<Memory>,
        facts: &Facts,
        block: Name,
        dest: &Dest,
    ) {
        let Some(b) = stm.pat.iter().position(|p| p.name == block) else { return };
        // The array follows its block, with its offset and strides, if any, in between.
        let Some(k) = (b + 1..stm.pat.len()).find(|k| self.tables.is_array(stm.pat[*k].name)) else { return };
        let Some(target) = self.tables.place(stm.pat[k].name).map(|p| p.lmad.clone()) else { return };
        let Exp::If(c, t, f) = &mut stm.exp else { return };
        for (body, taken) in [(t, true), (f, false)] {
            let facts = self.known.in_branch(facts, *c, taken, body);
            self.move_in_branch(body, &facts, k, &target, dest, &stm.loc);
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

    fn move_in_branch(
        &mut self,
        body: &mut Body<Memory>,
        facts: &Facts,
        k: usize,
        target: &Lmad,
        dest: &Dest,
        loc: &Loc,
    ) {
        let Some(SubExp::Var(value)) = body.result.get(k).copied() else { return };
        if let Some(own) = self.made_in(body, facts, value, target, dest) {
            let mut around = Around::of(body);
            self.move_value(body, &mut around, facts, value, &own);
            return;
        }
        let copy = self.names.fresh_like(value);
        let Some(ty) = self.tables.types.get(&value).cloned() else { return };
        self.tables.types.insert(copy, ty.clone());
        self.tables.set_place(copy, Place { block: dest.place.block, lmad: target.clone() });
        self.parts.insert(copy, dest.parts.clone());
        let pat = vec![PatElem { name: copy, ty, dec: MemInfo::None }];
        let exp = Exp::Basic(Basic::Copy(value));
        body.stms.push(Stm { pat, certs: vec![], attrs: vec![], loc: loc.clone(), exp });
        body.result[k] = copy.into();
    }
}
