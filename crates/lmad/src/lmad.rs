//! The descriptor itself.

use fehu_algebra::{Poly, Sym};
use std::fmt;

/// One dimension: how many elements it has, and how far apart they lie.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dim {
    /// The number of elements.
    pub size: Poly,
    /// The distance between neighbours; may be negative or zero.
    pub stride: Poly,
}

/// A linear memory access descriptor, `offset + {(size : stride), ...}`, outermost dimension first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lmad {
    /// Where the element with all indices zero lies.
    pub offset: Poly,
    /// The dimensions, outermost first.
    pub dims: Vec<Dim>,
}

impl Dim {
    /// A dimension of `size` elements `stride` apart.
    pub fn new(size: impl Into<Poly>, stride: impl Into<Poly>) -> Dim {
        Dim { size: size.into(), stride: stride.into() }
    }
}

impl Lmad {
    /// A descriptor from its parts.
    pub fn new(offset: impl Into<Poly>, dims: Vec<Dim>) -> Lmad {
        Lmad { offset: offset.into(), dims }
    }

    /// A single place.
    pub fn point(offset: impl Into<Poly>) -> Lmad {
        Lmad::new(offset, Vec::new())
    }

    /// The dense layout in which the last index moves fastest.
    pub fn row_major(offset: impl Into<Poly>, shape: &[Poly]) -> Lmad {
        Lmad::new(offset, strided(shape, Poly::one()))
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The sizes of the dimensions.
    pub fn shape(&self) -> Vec<Poly> {
        self.dims.iter().map(|d| d.size.clone()).collect()
    }

    /// The number of indices (which reach fewer places if some coincide).
    pub fn elements(&self) -> Poly {
        Poly::product(self.dims.iter().map(|d| &d.size))
    }

    /// Where the element with these indices lies; `None` if there are too few or too many of them.
    pub fn apply(&self, indices: &[Poly]) -> Option<Poly> {
        if indices.len() != self.rank() {
            return None;
        }
        let steps = indices.iter().zip(&self.dims).map(|(i, d)| i * &d.stride);
        Some(steps.fold(self.offset.clone(), |acc, step| acc + step))
    }

    /// Whether every part is a known expression; one that is not must not be turned into code.
    pub fn is_known(&self) -> bool {
        self.parts().all(Poly::is_known)
    }

    /// The offset, then size and stride of each dimension: what must be passed along to name this layout.
    pub fn parts(&self) -> impl Iterator<Item = &Poly> {
        let dims = self.dims.iter().flat_map(|d| [&d.size, &d.stride]);
        std::iter::once(&self.offset).chain(dims)
    }

    /// The descriptor with every part changed, in the order of [`Lmad::parts`].
    pub fn map_parts(&self, mut f: impl FnMut(&Poly) -> Poly) -> Lmad {
        let offset = f(&self.offset);
        let dims = self.dims.iter().map(|d| {
            let size = f(&d.size);
            let stride = f(&d.stride);
            Dim { size, stride }
        });
        Lmad { offset, dims: dims.collect() }
    }

    /// The descriptor with variables replaced, all at once.
    pub fn subst_all(&self, f: impl Fn(Sym) -> Option<Poly>) -> Lmad {
        self.map_parts(|p| p.subst_all(&f))
    }

    /// The descriptor with one variable replaced.
    pub fn subst(&self, x: Sym, by: &Poly) -> Lmad {
        self.map_parts(|p| p.subst(x, by))
    }

    /// Whether a variable occurs.
    pub fn mentions(&self, x: Sym) -> bool {
        self.parts().any(|p| p.mentions(x))
    }

    /// The variables that occur, ascending.
    pub fn vars(&self) -> Vec<Sym> {
        let mut vars: Vec<Sym> = self.parts().flat_map(Poly::vars).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The descriptor moved by a distance.
    pub fn shifted(&self, by: &Poly) -> Lmad {
        Lmad { offset: &self.offset + by, dims: self.dims.clone() }
    }

    /// The text of the descriptor, with variables named by `name`.
    pub fn text(&self, name: impl Fn(Sym) -> String) -> String {
        let dims = self.dims.iter().map(|d| format!("({} : {})", d.size.text(&name), d.stride.text(&name)));
        let dims: Vec<String> = dims.collect();
        format!("{} + {{{}}}", self.offset.text(&name), dims.join(", "))
    }
}

impl fmt::Display for Lmad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|x| x.to_string()))
    }
}

/// Dimensions of the given sizes, laid out densely, the last with the given stride.
pub(crate) fn strided(shape: &[Poly], innermost: Poly) -> Vec<Dim> {
    let mut stride = innermost;
    let mut dims = Vec::with_capacity(shape.len());
    for size in shape.iter().rev() {
        dims.push(Dim::new(size, &stride));
        stride = stride * size;
    }
    dims.reverse();
    dims
}
