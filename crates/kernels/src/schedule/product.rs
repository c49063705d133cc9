//! Which tiled loops are products of matrices of `f64`, that warps multiply.
//!
//! ```text
//! loop (s = s0) for k < m { x = a[i,k]; y = f(b[k,j]); p = x * y; s + p }         product x by y
//! ```
//!
//! All that the loop carries is a sum, to which an iteration adds a product of two factors. One of them
//! changes down the rectangle, the other across. A lane of a warp computes factors for other points than the
//! sums it has, so they may depend on nothing but elements that are read through tiles, the iteration, the
//! index along their side, the indices that a whole block has in common, and what is known outside of the
//! map.
//!
//! Units for matrices add the products of a sum in the order of the loop, each with one rounding, as threads
//! do: answers do not change by a bit (compared in
//! `notebook/2026-11-19-gpu-mechanisms.md`).

use fehu_base::ops::BinOp;
use fehu_base::prim::{FloatType, PrimType};
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::schedule::{Along, TiledRead};
use fehu_ir::{Basic, Exp, Loop, LoopForm, Memory, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// What the factors of a loop may depend on.
pub(super) struct Factors<'a> {
    pub(super) of: &'a Loop<Memory>,
    pub(super) reads: &'a [TiledRead],
    /// The indices along the sides of the rectangle.
    pub(super) down: Name,
    pub(super) across: Name,
    /// All indices of the map. Those along no side are the same for all points of a block.
    pub(super) space: &'a [Name],
    /// Names bound in the map.
    pub(super) inside: &'a FxHashSet<Name>,
}

impl Factors<'_> {
    /// The factors that change down and across, if the loop is such a product.
    pub(super) fn product(&self) -> Option<[Name; 2]> {
        let ([(sum, _)], [SubExp::Var(result)]) = (self.of.params.as_slice(), self.of.body.result.as_slice())
        else {
            return None;
        };
        if sum.ty != Type::Prim(PrimType::Float(FloatType::F64)) {
            return None;
        }
        let (a, b) = self.operands(*result, BinOp::FAdd(FloatType::F64))?;
        let added = match (a == sum.name, b == sum.name) {
            (true, false) => b,
            (false, true) => a,
            (true, true) | (false, false) => return None,
        };
        let (x, y) = self.operands(added, BinOp::FMul(FloatType::F64))?;
        match (self.side(x)?, self.side(y)?) {
            (Along::Down, Along::Across) => Some([x, y]),
            (Along::Across, Along::Down) => Some([y, x]),
            (Along::Down | Along::Across | Along::Nothing, _) => None,
        }
    }

    fn stm(&self, name: Name) -> Option<&Stm<Memory>> {
        self.of.body.stms.iter().find(|stm| stm.pat.iter().any(|p| p.name == name))
    }

    fn operands(&self, name: Name, op: BinOp) -> Option<(Name, Name)> {
        let Exp::Basic(Basic::BinOp(found, SubExp::Var(a), SubExp::Var(b))) = &self.stm(name)?.exp else {
            return None;
        };
        (*found == op).then_some((*a, *b))
    }

    /// Along which side a factor changes, if a lane can compute it by itself.
    fn side(&self, factor: Name) -> Option<Along> {
        let LoopForm::For { var, .. } = self.of.form else { return None };
        let mut along = Along::Nothing;
        let mut rest = vec![factor];
        while let Some(name) = rest.pop() {
            let here = match self.reads.iter().find(|read| read.name == name) {
                Some(read) => read.along,
                None if name == self.down => Along::Down,
                None if name == self.across => Along::Across,
                None if name == var || self.space.contains(&name) || !self.inside.contains(&name) => {
                    Along::Nothing
                }
                None => {
                    let stm =
                        self.stm(name).filter(|stm| matches!(stm.exp, Exp::Basic(_)) && stm.is_plain())?;
                    rest.extend(free_in_stm(stm));
                    Along::Nothing
                }
            };
            along = match (along, here) {
                (side, Along::Nothing) | (Along::Nothing, side) => side,
                (Along::Down, Along::Down) => Along::Down,
                (Along::Across, Along::Across) => Along::Across,
                (Along::Down, Along::Across) | (Along::Across, Along::Down) => return None,
            };
        }
        Some(along)
    }
}
