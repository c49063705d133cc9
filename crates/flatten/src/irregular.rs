//! Irregular nests: maps whose points have inner arrays of different sizes become operations on flat arrays.
//!
//! Before: any valid program over `Soacs`. After: the same program; a map of the host in which the width of some inner
//! operation differs from point to point has versions, between which guards choose when the program runs:
//!
//! ```text
//! map (\n -> reduce (+) 0 (map f (iota n))) ns
//!
//! if (sum of ns) / (largest of ns) >= threshold
//! then map (\n -> ...) ns                                 one thread for each point, as it was
//! else let starts = exclusive scan (+) ns                 all inner points together
//!      let owners = the point of each inner point, by search in starts
//!      let ys     = map (\q -> f (q - starts[owners[q]])) (iota (sum ns))
//!      let zs     = segmented scan (+) ys, one segment for each point
//!      in  the last of each segment, or 0
//! ```
//!
//! This is full flattening as NESL does it, as an ordinary transformation of the core: what comes out are
//! maps, scans and scatters without anything irregular in them, so that fusion, regular flattening, the
//! interpreter and all back ends need not know of it. Regular parallelism inside stays nested, and regular
//! flattening makes its own versions of it.
//!
//! # What stands for what
//!
//! Code inside of the map runs at *points*. A [`value::Level`] is a set of points: those of the map itself,
//! the elements of an array that each point of another level has, or points selected from another level
//! (those that take a branch, or go on with a loop). Each level knows how many points it has, a value of the
//! host, and how a point finds the one it belongs to.
//!
//! A name bound inside of the map means a value for each point of one level; a [`value::Value`] says where they are:
//!
//! - *Each*: one array, of which every point has one element: scalars, and arrays whose sizes are the same at
//!   all points.
//! - *Flat*: arrays whose sizes differ. Their elements stand one after the other in one array, point by point
//!   and row by row; where the array of a point begins is recorded in the [`value::Shape`], which all arrays
//!   of the same dimensions share. Dimensions after the last one that differs are dimensions of the flat
//!   array: `[n][3]f32` is `[sum of n][3]f32`.
//! - *Check*: a check, which is made again wherever code of another operation depends on it.
//!
//! Because flat data are contiguous, whatever keeps elements in their order keeps the data: rows of an array
//! as values of its inner level, a reshape, the result of an inner map. Only what changes the order is a
//! gather: a map over the elements of the result, each of which reads its element.
//!
//! What a shape needs besides sizes (where arrays begin, how many elements there are, to which point an
//! element belongs) is computed when the first operation asks for it, and shared.
//!
//! # Rules
//!
//! | file | what it says |
//! | --- | --- |
//! | `point` | code that reads single elements is a map over the points of its level |
//! | `code` | a body is done statement by statement; statements for `point` that stand together are one map |
//! | `given_ends` | sums of sizes that the program has are not computed again |
//! | `checks` | what the host relies on is checked at all points first |
//! | `arrays` | `iota`, `replicate`, slices, `concat` and the like are gathers |
//! | `screma` | inner maps go on at a deeper level; reductions and scans are segmented scans |
//! | `pieces` | reductions to scalars go on at a level of pieces, of bounded size |
//! | `shares` | reductions to scalars of elements that are read are one operation over points and places |
//! | `operators` | what elements of all points carry, so that one operator serves all |
//! | `tree` | operators on arrays are applied level by level |
//! | `filter` | filters are one scatter of all elements that are kept |
//! | `writes` | scatters, histograms and updates write at flat places |
//! | `branch` | each side of a branch runs at the points that take it |
//! | `sides` | what branches return is written by each side |
//! | `loops` | loops are loops of the host, at the points that go on |
//! | `calls` | a function is called once for all points; recursion goes level by level |
//! | `descent` | which functions know where their results go before they call themselves |
//! | `placed` | these write them there, on the way down |
//! | `together` | calls that do not need each other's results are one |
//! | `recursion` | the host's recursion goes level by level, too |
//! | `split` | outermost scatters, histograms and filters are maps before they are what they are |
//! | `versions` | the guards, and where they come from |
//! | `own_memory` | what a nest returns shares no memory with what is consumed |
//! | `teams` | where the points only reduce, several threads can run each |
//! | `refused` | where no kernel can run the first version, there is the second alone |
//! | `outermost` | what no kernel can run, and has no versions, is flattened |
//! | `forms` | where no rule applies, the operation stays as it is: the names of these forms |

mod arrays;
mod branch;
mod calls;
mod checks;
mod code;
mod descent;
mod filter;
mod forms;
mod functions;
mod given_ends;
mod level;
mod loops;
mod operators;
mod outermost;
mod own_memory;
mod pieces;
mod placed;
mod point;
mod recursion;
mod refused;
mod regular_points;
mod running;
mod screma;
mod shares;
mod sides;
mod split;
mod teams;
mod together;
mod tree;
mod value;
mod versions;
mod writes;

pub use forms::{Form, Stays};
pub use outermost::{flattened, Flattened};
pub use refused::only_flat;

use fehu_analysis::Constants;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::types::prog_types;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{mark, Body, Builder, Exp, Loc, Prog, Soacs};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

/// Irregular nests in versions.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "irregular", need: Need::Optional, run: irregular };

fn irregular(prog: &mut Prog<Soacs>) {
    let functions = functions::Functions::of(prog);
    let any = |(fun, body): (Option<Name>, &Body<Soacs>)| {
        versions::any_irregular(&functions, body) || recursion::any_recursion(&functions, fun, body)
    };
    let in_constants = any((None, &prog.consts));
    let wanted: FxHashSet<Name> =
        prog.funs.iter().filter(|f| any((Some(f.name), &f.body))).map(|f| f.name).collect();
    if !in_constants && wanted.is_empty() {
        return;
    }
    let mut b = Builder::new(std::mem::replace(&mut prog.names, NameSource::new()));
    b.types = prog_types(prog);
    let mut nests = Nests::new(b, prog, functions);
    nests.host(None, &mut prog.consts);
    let constants = Constants::of(&prog.consts);
    for fun in prog.funs.iter_mut().filter(|f| wanted.contains(&f.name)) {
        nests.classes = Classes::of_fun(&nests.signatures, &constants.used_by(fun), fun);
        nests.host(Some(fun.name), &mut fun.body);
    }
    prog.names = nests.b.names;
    prog.funs.extend(nests.functions.lifted());
    mark::mark(prog);
}

/// Looks for irregular nests of the host.
struct Nests {
    b: Builder<Soacs>,
    signatures: Signatures,
    /// Which arrays of the function may share memory, before anything is flattened.
    classes: Classes,
    functions: functions::Functions,
    /// The first form, and where, because of which the last nest could not be flattened.
    stays: Option<(Form, Loc)>,
    /// Arrays of the host, and those of their sums up to each element.
    sums: Vec<(Name, Name)>,
}

impl Nests {
    /// Ready for the constants of a program.
    fn new(b: Builder<Soacs>, prog: &Prog<Soacs>, functions: functions::Functions) -> Nests {
        let signatures = Signatures::of_prog(prog);
        let classes = Classes::of_body(&signatures, &prog.consts);
        Nests { b, signatures, classes, functions, stays: None, sums: vec![] }
    }

    /// Code of the host, of a function.
    fn host(&mut self, fun: Option<Name>, body: &mut Body<Soacs>) {
        deep(|| {
            self.b.begin();
            for mut stm in std::mem::take(&mut body.stms) {
                match &mut stm.exp {
                    Exp::Op(_) => {
                        self.sums.extend(given_ends::running_sums(&stm));
                        let stms = self.nest(&stm).unwrap_or_else(|| vec![stm]);
                        stms.into_iter().for_each(|s| self.b.push(s));
                    }
                    Exp::If(..) | Exp::Loop(_) => {
                        map_bodies(&mut stm.exp, &mut |inner| self.host(fun, inner));
                        self.b.push(stm);
                    }
                    Exp::Call(..) => {
                        let stms = self.recursion(fun, &stm).unwrap_or_else(|| vec![stm]);
                        stms.into_iter().for_each(|s| self.b.push(s));
                    }
                    Exp::Basic(_) | Exp::WithAcc(_) => self.b.push(stm),
                }
            }
            *body = self.b.end(std::mem::take(&mut body.result));
        });
    }
}
