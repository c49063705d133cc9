//! Where elements of arrays are, as symbolic integers.

use fehu_algebra::Poly;
use fehu_base::Name;
use fehu_ir::mem::{poly, Lmad, MemInfo};
use fehu_ir::seg::SegSpace;
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{look, Visitor};
use fehu_ir::{DimIndex, Memory, Param, PatElem, Prog, Slice, Space, SubExp, Type};
use fehu_lmad::SliceDim;
use rustc_hash::FxHashMap;

/// The places and types of everything in a program.
pub(super) struct Places {
    arrays: FxHashMap<Name, (Name, Lmad)>,
    types: Types,
}

impl Places {
    pub(super) fn of(prog: &Prog<Memory>) -> Places {
        let mut places = Places { arrays: FxHashMap::default(), types: prog_types(prog) };
        places.body(&prog.consts);
        for f in &prog.funs {
            look::fun::<Memory>(&mut places, f);
        }
        places
    }

    /// The offset of an element of an array in device memory; none if that is no symbolic integer, or the
    /// array is elsewhere.
    pub(super) fn offset(&self, array: Name, slice: &Slice) -> Option<Poly> {
        let block = self.block_of(array)?;
        let in_device_memory = match self.types.get(&block) {
            Some(Type::Mem(space)) => matches!(space, Space::Default),
            Some(Type::Prim(_) | Type::Array(..) | Type::Acc(..)) | None => true,
        };
        self.offset_in_block(array, slice).filter(|_| in_device_memory)
    }

    /// The space that an array is in.
    pub(super) fn space_of(&self, array: Name) -> Option<&Space> {
        match self.types.get(&self.block_of(array)?) {
            Some(Type::Mem(space)) => Some(space),
            Some(Type::Prim(_) | Type::Array(..) | Type::Acc(..)) | None => None,
        }
    }

    /// The shape of an array.
    pub(super) fn shape(&self, array: Name) -> Option<&[SubExp]> {
        self.types.get(&array).map(Type::shape)
    }

    /// The memory that an array is in.
    pub(super) fn block_of(&self, array: Name) -> Option<Name> {
        self.arrays.get(&array).map(|(block, _)| *block)
    }

    /// The offset of an element of an array, whatever memory that is in; none if it is no symbolic integer.
    pub(super) fn offset_in_block(&self, array: Name, slice: &Slice) -> Option<Poly> {
        let (_, lmad) = self.arrays.get(&array)?;
        let dim = |d: &DimIndex| match d {
            DimIndex::Fix(i) => SliceDim::Fix(poly(*i)),
            DimIndex::Slice { start, len, stride } => {
                SliceDim::Range { start: poly(*start), size: poly(*len), stride: poly(*stride) }
            }
        };
        let dims: Vec<SliceDim> = slice.iter().map(dim).collect();
        let offset = lmad.slice(&dims)?.offset;
        offset.is_known().then_some(offset)
    }

    /// The offset of the element whose indices are those of a point, in dimensions of its space that are
    /// given for each dimension of the array, or 0.
    pub(super) fn at_point(&self, space: &SegSpace, array: Name, dims: &[Option<usize>]) -> Option<Poly> {
        let index = |dim: &Option<usize>| match dim {
            Some(dim) => DimIndex::Fix(SubExp::Var(space.dims[*dim].0)),
            None => DimIndex::Fix(SubExp::i64(0)),
        };
        self.offset(array, &dims.iter().map(index).collect())
    }

    fn add(&mut self, name: Name, dec: &MemInfo) {
        match dec {
            MemInfo::None => {}
            MemInfo::Array { block, lmad } => {
                self.arrays.insert(name, (*block, lmad.clone()));
            }
        }
    }
}

impl Visitor<Memory> for Places {
    fn param(&mut self, p: &Param<Memory>) {
        self.add(p.name, &p.dec);
    }
    fn pat_elem(&mut self, p: &PatElem<Memory>) {
        self.add(p.name, &p.dec);
    }
}
