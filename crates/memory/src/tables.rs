//! Side tables over a program with memory: where arrays live, and what statements mention.

use crate::builder::Place;
use fehu_algebra::Poly;
use fehu_base::Name;
use fehu_ir::mem::{poly, MemInfo};
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{change, look, Mutator, Visitor};
use fehu_ir::{Body, Memory, Param, PatElem, Prog, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the arrays of a program live. Passes change the table, and write it back when done.
pub(crate) struct Tables {
    pub(crate) types: Types,
    places: FxHashMap<Name, Place>,
    /// The arrays in each block, in no order that matters.
    inside: FxHashMap<Name, Vec<Name>>,
}

impl Tables {
    pub(crate) fn of(prog: &Prog<Memory>) -> Tables {
        let mut tables =
            Tables { types: prog_types(prog), places: FxHashMap::default(), inside: FxHashMap::default() };
        let mut read = Read(&mut tables);
        read.body(&prog.consts);
        for f in &prog.funs {
            look::fun::<Memory>(&mut read, f);
        }
        tables
    }

    /// Takes new code in.
    pub(crate) fn see(&mut self, body: &Body<Memory>) {
        Read(self).body(body);
    }

    /// Writes the places back into a program.
    pub(crate) fn write(&self, prog: &mut Prog<Memory>) {
        let mut write = Write(self);
        write.body(&mut prog.consts);
        for f in &mut prog.funs {
            change::fun::<Memory>(&mut write, f);
        }
    }

    pub(crate) fn place(&self, array: Name) -> Option<&Place> {
        self.places.get(&array)
    }

    pub(crate) fn set_place(&mut self, array: Name, place: Place) {
        self.inside.entry(place.block).or_default().push(array);
        if let Some(old) = self.places.insert(array, place) {
            if let Some(arrays) = self.inside.get_mut(&old.block) {
                if let Some(at) = arrays.iter().position(|a| *a == array) {
                    arrays.swap_remove(at);
                }
            }
        }
    }

    /// The arrays in a block.
    pub(crate) fn inside(&self, block: Name) -> &[Name] {
        self.inside.get(&block).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn is_array(&self, n: Name) -> bool {
        matches!(self.types.get(&n), Some(Type::Array(..)))
    }

    /// The block that a name is, or that the array of that name is in.
    pub(crate) fn block_of(&self, n: Name) -> Option<Name> {
        match self.types.get(&n)? {
            Type::Mem(_) => Some(n),
            Type::Array(..) => self.place(n).map(|p| p.block),
            Type::Prim(_) | Type::Acc(..) => None,
        }
    }
}

struct Read<'a>(&'a mut Tables);

impl Read<'_> {
    fn see(&mut self, name: Name, dec: &MemInfo) {
        match dec {
            MemInfo::None => {}
            MemInfo::Array { block, lmad } => {
                self.0.set_place(name, Place { block: *block, lmad: lmad.clone() });
            }
        }
    }
}

impl Visitor<Memory> for Read<'_> {
    fn param(&mut self, p: &Param<Memory>) {
        self.see(p.name, &p.dec);
    }
    fn pat_elem(&mut self, p: &PatElem<Memory>) {
        self.see(p.name, &p.dec);
    }
}

struct Write<'a>(&'a Tables);

impl Mutator<Memory> for Write<'_> {
    fn param(&mut self, p: &mut Param<Memory>) {
        if let Some(place) = self.0.place(p.name) {
            p.dec = place.info();
        }
    }
    fn pat_elem(&mut self, p: &mut PatElem<Memory>) {
        if let Some(place) = self.0.place(p.name) {
            p.dec = place.info();
        }
    }
}

/// The names that a statement uses or binds, except those that only places mention.
pub(crate) fn mentions(stm: &Stm<Memory>) -> FxHashSet<Name> {
    let mut seen = Mentions(FxHashSet::default());
    seen.stm(stm);
    seen.0
}

struct Mentions(FxHashSet<Name>);

impl Visitor<Memory> for Mentions {
    fn name(&mut self, n: &Name) {
        self.0.insert(*n);
    }
    fn bound(&mut self, n: &Name) {
        self.0.insert(*n);
    }
    fn dec(&mut self, _: &MemInfo) {}
    fn ty(&mut self, _: &Type) {}
}

/// How often names are operands in a body: blocks among them are passed on or returned.
pub(crate) fn operand_counts(body: &Body<Memory>) -> FxHashMap<Name, usize> {
    let mut counts = Counts(FxHashMap::default());
    counts.body(body);
    counts.0
}

struct Counts(FxHashMap<Name, usize>);

impl Visitor<Memory> for Counts {
    fn operand(&mut self, e: &SubExp) {
        if let SubExp::Var(n) = e {
            *self.0.entry(*n).or_default() += 1;
        }
    }
    fn dec(&mut self, _: &MemInfo) {}
    fn ty(&mut self, _: &Type) {}
}

/// How many bytes an array of a type has.
pub(crate) fn bytes_of(ty: &Type) -> Option<Poly> {
    let Type::Array(elem, shape) = ty else { return None };
    let sizes: Vec<Poly> = shape.iter().map(|n| poly(*n)).collect();
    Some(Poly::product(&sizes) * i64::try_from(elem.bytes()).ok()?)
}
