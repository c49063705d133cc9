//! Inside of kernels, blocks are not handed around.
//!
//! Nothing is allocated while a kernel runs: what its body allocates, each thread has once, for the whole run (see
//! `expand`). A loop that makes its array anew in each iteration would overwrite it while reading it, and
//! a block that branches return could be no array of registers. So a loop parameter that is not carried in place, or a
//! result of branches that live in different places, is *pinned*: it gets a block of its own before the loop or
//! branch, and what becomes of it is copied there.
//!
//! ```text
//! loop (a : [n]i32 = x) for i < m {      let (b : mem) = alloc(4*n)
//!   let (y : [n]i32) = ... a ...         let (x' : [n]i32 @ b) = copy(x)
//!   return (y)                           loop (a : [n]i32 @ b = x') for i < m {
//! }                                        let (y : [n]i32) = ... a ...
//!                                          let (y' : [n]i32 @ b) = copy(y)
//!                                          return (y')
//!                                        }
//! ```
//!
//! Short-circuiting then takes away the copies that need not be.

use super::Introduce;
use crate::builder::Place;
use fehu_base::{Diagnostic, Name};
use fehu_ir::{Basic, Exp, SubExp, Type};

impl Introduce {
    /// Whether we are inside of a kernel.
    pub(super) fn in_kernel(&self) -> bool {
        self.kernel.is_some()
    }

    /// A block for values of a type that is not known before, each dense from its start. `of` is what is
    /// pinned, and `inside` the names that its type must not depend on, but for a bound that is known.
    pub(super) fn pin(&mut self, of: Name, ty: &Type, inside: &[Name]) -> Name {
        let varies = |e: &SubExp| e.name().is_some_and(|n| inside.contains(&n));
        if !ty.shape().iter().any(varies) {
            return self.b.allocate_block(of, ty);
        }
        match (self.bounds.get(&of).copied(), ty.elem()) {
            (Some(bound), Some(elem)) => self.b.allocate_block(of, &Type::Array(elem, vec![bound])),
            _ => {
                let message = "An array changes its size in a way that cannot be foreseen, inside of parallel code for a GPU.";
                let error = Diagnostic::error(self.b.loc.span, message).help(
                    "memory inside of GPU code must be set aside before it runs: give the array a fixed size, and keep how much of it is used in a number",
                );
                self.refuse(error);
                let constant = |e: &SubExp| if varies(e) { SubExp::i64(0) } else { *e };
                let shape = ty.shape().iter().map(constant).collect();
                let ty = ty.elem().map_or(Type::I64, |elem| Type::Array(elem, shape));
                self.b.allocate_block(of, &ty)
            }
        }
    }

    /// A copy of an array in a place.
    pub(super) fn copy_to(&mut self, array: Name, place: Place) -> Name {
        let ty = self.b.type_of(array);
        let copy = self.b.fresh_like(array, ty.clone());
        self.b.places.insert(copy, place);
        self.b.bind(copy, ty, Exp::Basic(Basic::Copy(array)));
        copy
    }

    /// Copies arrays to places all at once: where one is in a block that is written to, it is copied elsewhere
    /// first.
    pub(super) fn copy_all(&mut self, moves: Vec<(Name, Place)>) -> Vec<Name> {
        let stays: Vec<bool> = moves.iter().map(|(a, to)| self.b.place(*a).same_as(to)).collect();
        let written: Vec<Name> =
            moves.iter().zip(&stays).filter(|(_, stays)| !**stays).map(|((_, to), _)| to.block).collect();
        let mut sources = vec![];
        for ((array, _), stays) in moves.iter().zip(&stays) {
            let overwritten = !stays && written.contains(&self.b.place(*array).block);
            sources.push(if overwritten { self.b.copy(*array) } else { *array });
        }
        let mut copies = vec![];
        for ((source, (_, to)), stays) in sources.into_iter().zip(moves).zip(stays) {
            copies.push(if stays { source } else { self.copy_to(source, to) });
        }
        copies
    }
}
