//! Maps over flattened views are nests over the views, on CPUs.
//!
//! Before: any valid program. After: no map of one dimension has an input that only it reads, and that had to
//! be copied first because no index function flattens it: a transposed array, or rows of which a part is
//! taken.
//!
//! ```text
//! let (t : [m][n]f32) = rearrange [1, 0] a                let (t : [m][n]f32) = rearrange [1, 0] a
//! let (f : [k]f32) = reshape [k] t                   =>   let (nest : [m][n]f32) = screma m [t] map \row ->
//! let (ys : [k]f32) = screma k [f] map g                    screma n [row] map g
//!                                                         let (ys : [k]f32) = reshape [k] nest
//! ```
//!
//! The result of the nest is in order, so that flattening it costs nothing. GPUs keep the copy: it is the
//! transposition that makes neighbouring threads read neighbouring elements.

use super::nest::make_nests;
use super::push::{learn_ranges, Ranges};
use fehu_analysis::Constants;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};

/// The pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "nest-over-views", need: Need::Optional, run };

fn run(prog: &mut Prog<Soacs>) {
    let signatures = Signatures::of_prog(prog);
    let types = prog_types(prog);
    let constants = Constants::of(&prog.consts);
    for fun in &mut prog.funs {
        let classes = Classes::of_fun(&signatures, &constants.used_by(fun), fun);
        let ranges = Ranges::default();
        Nester { names: &mut prog.names, types: &types, classes, ranges }.body(&mut fun.body);
    }
}

struct Nester<'a> {
    names: &'a mut NameSource,
    types: &'a Types,
    classes: Classes,
    ranges: Ranges,
}

impl Nester<'_> {
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            learn_ranges(&mut self.ranges, &body.stms);
            let types = self.types;
            make_nests(self.names, &mut self.classes, &self.ranges, body, |stm| scattered(types, stm));
            for stm in &mut body.stms {
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
            }
        });
    }
}

/// The array that a statement is a view of, if its elements are not one after the other in memory.
fn scattered(types: &Types, stm: &Stm<Soacs>) -> Vec<(Name, Type)> {
    let [bound] = stm.pat.as_slice() else { return vec![] };
    let out_of_order = match &stm.exp {
        Exp::Basic(Basic::Rearrange(perm, _)) => !perm.is_sorted(),
        Exp::Basic(Basic::Index(a, slice)) if bound.ty.is_array() => {
            types.get(a).is_some_and(|ty| has_gaps(ty.shape(), slice))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    };
    if out_of_order {
        vec![(bound.name, bound.ty.clone())]
    } else {
        vec![]
    }
}

/// Whether there may be elements between those of a slice: it takes part of a dimension inside of one of
/// which it takes several.
fn has_gaps(shape: &[SubExp], slice: &[DimIndex]) -> bool {
    let whole = |(d, n): (&DimIndex, &SubExp)| match d {
        DimIndex::Fix(_) => false,
        DimIndex::Slice { start, len, stride } => {
            start.as_i64() == Some(0) && stride.as_i64() == Some(1) && len == n
        }
    };
    let several = slice.iter().position(|d| matches!(d, DimIndex::Slice { .. }));
    several.is_some_and(|first| !slice.iter().zip(shape).skip(first + 1).all(whole))
}
