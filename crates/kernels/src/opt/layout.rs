//! Arrays that a kernel would read in leaps are laid out anew before it.
//!
//! The threads of a warp have consecutive values of the innermost index of the space. What they read at one
//! time is one transaction if it is one element or consecutive elements, and up to 32 of them otherwise.
//! Which it is can be read off the index: an access is described, for each dimension of the array, by what
//! happens there from one thread to the next ([`access::Step`]). If the index grows by one in a single
//! dimension and stays the same in all others, there is a layout in which the access is one transaction: the
//! one with this dimension innermost. Where the kernel reads enough, a copy in that layout is made before the
//! kernel, or before the outermost loop of the host in which the array does not change:
//!
//! ```text
//!                                              let (bs' : [m][n]f32) = if (reads are many) then manifest [1, 0] bs else bs
//! segmap (i < n, j < m) { .. bs[j, i] .. } ->  segmap (i < n, j < m) { .. bs'[j, i] .. }
//! ```
//!
//! Only memory changes: `manifest` has the same elements at the same indices. Reads that tiles in shared
//! memory will serve (`impgen/translate/kernel/tile`) are left alone, and so are those that are turned there
//! ([`crate::turned`]). Steps that are not known, such as gathers, no layout can help.
//!
//! Where a reduction or a scan only has to be done by other threads for its reads to be in order, that is
//! done instead: [`columns`], [`strips`]; and so is a map of blocks: [`kept_columns`].
//!
//! Flat arrays that are read by rows and columns are matrices first: [`rows`].
//!
//! - [`access`] describes the accesses of a kernel.
//! - [`choose`] finds the layout that a use of an array wants, and when it is worth a copy.
//! - [`explain`] says what was found, to people.

mod access;
mod choose;
mod columns;
pub mod explain;
mod kept_columns;
mod rows;
mod strips;

use crate::turned::{direct_reads, sides, DirectRead};
use access::Use;
use choose::Wish;
use fehu_analysis::Known;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::layout;
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::seg::{KernelsOp, SegLevel, SegOp};
use fehu_ir::types::{prog_types, Types};
use fehu_ir::visit::{change, deep, Mutator};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loop, Param, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use indexmap::map::Entry;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Kernels read arrays in the order in which these are in memory.
pub static PASS: Pass<Prog<Kernels>> =
    Pass { name: "layout", need: Need::Optional, run: |prog| layout(prog, Warps::Unknown) };

/// The same, on machines whose warps exchange values (CUDA): these read rows together, and blocks keep columns.
pub static PASS_OF_WARPS: Pass<Prog<Kernels>> =
    Pass { name: "layout", need: Need::Optional, run: |prog| layout(prog, Warps::Exchange) };

/// What is known of warps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Warps {
    /// Nothing.
    Unknown,
    /// Their threads can exchange values.
    Exchange,
}

/// Lays out what kernels would read in leaps.
fn layout(prog: &mut Prog<Kernels>, warps: Warps) {
    explained(prog, warps);
}

/// The same; also says what every kernel reads, and how.
fn explained(prog: &mut Prog<Kernels>, warps: Warps) -> Vec<explain::Row> {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut pass = Layout {
        warps,
        names,
        types: prog_types(prog),
        known: Known::default(),
        arrays: FxHashMap::default(),
        depths: FxHashMap::default(),
        loops: vec![],
        here: vec![],
        rows: vec![],
    };
    pass.body(&mut prog.consts);
    for fun in &mut prog.funs {
        pass.known = Known::of_fun(fun);
        pass.params(fun.params.iter());
        pass.body(&mut fun.body);
    }
    prog.names = pass.names;
    pass.rows
}

/// An array of the host.
#[derive(Clone)]
struct Array {
    ty: Type,
    /// Its dimensions from the outermost to the innermost in memory. If `dense` is false, not even elements that are
    /// neighbours in the last one are neighbours in memory.
    order: Vec<usize>,
    dense: bool,
}

/// A layout that was made: of which array, with which dimension innermost, and its name.
type Made = (Name, usize, Name);

/// What goes before a loop of the host.
#[derive(Default)]
struct Before {
    stms: Vec<Stm<Kernels>>,
    made: Vec<Made>,
}

struct Layout {
    warps: Warps,
    names: NameSource,
    /// The types of the names of the program.
    types: Types,
    /// What is known of the integers of the function.
    known: Known,
    arrays: FxHashMap<Name, Array>,
    /// In how many loops of the host a name is bound.
    depths: FxHashMap<Name, usize>,
    /// The loops around, outermost first.
    loops: Vec<Before>,
    /// Layouts made in the bodies around.
    here: Vec<Made>,
    /// What was found.
    rows: Vec<explain::Row>,
}

impl Layout {
    fn params<'a>(&mut self, params: impl Iterator<Item = &'a Param<Kernels>>) {
        for p in params {
            self.bound(p.name, &p.ty);
        }
    }

    /// Remembers a name: arrays are in row-major order unless something else is said later.
    fn bound(&mut self, name: Name, ty: &Type) {
        self.depths.insert(name, self.loops.len());
        if ty.is_array() {
            let order = (0..ty.rank()).collect();
            self.arrays.insert(name, Array { ty: ty.clone(), order, dense: true });
        }
    }

    /// Code of the host.
    fn body(&mut self, body: &mut Body<Kernels>) {
        let made = self.here.len();
        deep(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                self.stm(&mut stm, &mut out);
                out.push(stm);
            }
            body.stms = out;
        });
        self.here.truncate(made);
    }

    fn stm(&mut self, stm: &mut Stm<Kernels>, out: &mut Vec<Stm<Kernels>>) {
        if let Exp::Op(KernelsOp::Seg(seg)) = &mut stm.exp {
            self.by_rows(seg, &stm.certs, out);
        }
        match &mut stm.exp {
            Exp::Op(KernelsOp::Seg(seg)) if self.is_of_columns(seg) => self.columns(stm, out),
            Exp::Op(KernelsOp::Seg(seg)) if self.strips_along(seg).is_some() => self.in_strips(stm, out),
            Exp::Op(KernelsOp::Seg(seg)) => match self.kept_columns(seg) {
                Some(columns) => self.in_kept_columns(stm, columns, out),
                None => {
                    let uses = self.kernel(seg, innermost(seg), out);
                    self.explain(&stm.loc, seg, &uses, "");
                }
            },
            Exp::Loop(l) => {
                self.loops.push(Before::default());
                self.params(l.params.iter().map(|(p, _)| p));
                self.carried(l);
                if let fehu_ir::LoopForm::For { var, .. } = l.form {
                    self.depths.insert(var, self.loops.len());
                }
                self.body(&mut l.body);
                if let Some(before) = self.loops.pop() {
                    out.extend(before.stms);
                    self.here.extend(before.made);
                }
            }
            exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_)) => {
                fehu_ir::visit::map_bodies(exp, &mut |inner| self.body(inner))
            }
        }
        for p in &stm.pat {
            self.bound(p.name, &p.ty);
        }
        self.view(stm);
    }

    /// What a loop carries has the order that its iterations give it, in all of them but the first:
    /// `transpose` is a view. Rows that single threads compute get their order later (`memory/interleave`).
    fn carried(&mut self, l: &Loop<Kernels>) {
        let mut of_threads: FxHashSet<Name> = FxHashSet::default();
        for stm in &l.body.stms {
            for p in &stm.pat {
                self.bound(p.name, &p.ty);
            }
            self.view(stm);
            let rows = match &stm.exp {
                Exp::Op(KernelsOp::Seg(seg)) => {
                    seg.level == SegLevel::Thread && seg.types.iter().any(Type::is_array)
                }
                Exp::Basic(Basic::Rearrange(_, a) | Basic::Index(a, _)) => of_threads.contains(a),
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    false
                }
            };
            if rows {
                of_threads.extend(stm.pat.iter().map(|p| p.name));
            }
        }
        for ((p, _), result) in l.params.iter().zip(&l.body.result) {
            let result = result.name().filter(|r| !of_threads.contains(r));
            let given = result.and_then(|r| self.arrays.get(&r)).map(|a| (a.order.clone(), a.dense));
            if let (Some((order, true)), Some(array)) = (given, self.arrays.get_mut(&p.name)) {
                array.order = order;
            }
        }
    }

    /// A reduction of columns.
    fn columns(&mut self, stm: &mut Stm<Kernels>, out: &mut Vec<Stm<Kernels>>) {
        let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return };
        let (seg, mut reduction) = (seg.clone(), stm.clone());
        for p in &mut reduction.pat {
            p.name = self.names.fresh_like(p.name);
        }
        let (made, mut stms) = (self.here.len(), vec![]);
        if let Exp::Op(KernelsOp::Seg(seg)) = &mut reduction.exp {
            let uses = self.kernel(seg, innermost(seg), &mut stms);
            self.explain(&stm.loc, seg, &uses, "threads along columns, or ");
        }
        self.here.truncate(made);
        let result = reduction.pat.iter().map(|p| p.name.into()).collect();
        stms.push(reduction);
        stm.exp = self.by_columns(&stm.pat, &seg, Body { stms, result }, out);
    }

    /// Remembers the order of a view.
    fn view(&mut self, stm: &Stm<Kernels>) {
        let [p] = stm.pat.as_slice() else { return };
        let seen = match &stm.exp {
            Exp::Basic(Basic::Rearrange(perm, a)) => self.arrays.get(a).map(|a| {
                let at = |d: &usize| perm.iter().position(|k| k == d).unwrap_or(0);
                (a.order.iter().map(at).collect(), a.dense)
            }),
            Exp::Basic(Basic::Index(a, slice)) if p.ty.is_array() => {
                self.arrays.get(a).map(|a| sliced(a, slice))
            }
            Exp::Basic(Basic::SubExp(SubExp::Var(a)) | Basic::Update(a, ..) | Basic::FlatUpdate(a, ..)) => {
                self.arrays.get(a).map(|a| (a.order.clone(), a.dense))
            }
            Exp::Basic(Basic::Manifest(perm, _)) => Some((perm.clone(), true)),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        };
        if let (Some((order, dense)), Some(array)) = (seen, self.arrays.get_mut(&p.name)) {
            (array.order, array.dense) = (order, dense);
        }
    }

    /// Has a kernel whose threads are neighbours along a dimension of its space read arrays in better layouts.
    fn kernel(&mut self, seg: &mut SegOp<Kernels>, along: usize, out: &mut Vec<Stm<Kernels>>) -> Vec<Use> {
        let mut uses = self.uses(seg, along);
        let turned = self.turned(seg);
        uses.iter_mut().for_each(|used| used.turned = turned.contains(&used.stm));
        let mut wishes: IndexMap<(Name, usize), (Wish, Vec<Name>)> = IndexMap::default();
        for used in &uses {
            let Some(array) = self.arrays.get(&used.array) else { continue };
            if let Some(wish) = choose::wish(used, &array.ty, &array.order, array.dense) {
                match wishes.entry((used.array, wish.innermost)) {
                    Entry::Occupied(mut same) => {
                        same.get_mut().0.join(wish);
                        same.get_mut().1.push(used.stm);
                    }
                    Entry::Vacant(new) => {
                        new.insert((wish, vec![used.stm]));
                    }
                }
            }
        }
        let mut instead = Instead { by: FxHashMap::default() };
        for ((array, _), (wish, stms)) in wishes {
            if wish.is_vain(self.arrays[&array].ty.shape(), &self.known) {
                continue;
            }
            let name = self.laid_out(array, &wish, out);
            instead.by.extend(stms.into_iter().map(|stm| (stm, (array, name))));
        }
        if !instead.by.is_empty() {
            instead.body(&mut seg.body.body);
            if let fehu_ir::seg::SegKind::Scan(_, Some(after)) = &mut seg.kind {
                instead.lambda(&mut after.lambda);
            }
        }
        uses
    }

    /// The reads of a kernel that will be turned in shared memory.
    fn turned(&self, seg: &SegOp<Kernels>) -> Vec<Name> {
        let last = innermost(seg);
        let in_order_along = |read: &DirectRead| {
            let array = self.arrays.get(&read.array).filter(|a| a.dense)?;
            let along = *read.dims.get(*array.order.last()?)?;
            let once = read.dims.iter().filter(|d| **d == along).count() == 1;
            along.filter(|d| once && *d != last && read.dims.contains(&Some(last)))
        };
        let direct = direct_reads(seg);
        let found: Vec<(Name, (usize, i64))> =
            direct.iter().filter_map(|r| Some((r.name, (in_order_along(r)?, r.bytes)))).collect();
        let measures: Vec<(usize, i64)> = found.iter().map(|f| f.1).collect();
        match sides(last + 1, &measures) {
            Some(_) => found.into_iter().map(|f| f.0).collect(),
            None => vec![],
        }
    }

    /// The name of an array in the layout that is wished for.
    fn laid_out(&mut self, array: Name, wish: &Wish, out: &mut Vec<Stm<Kernels>>) -> Name {
        let made = self.here.iter().chain(self.loops.iter().flat_map(|l| &l.made));
        if let Some((.., name)) = made.rev().find(|m| m.0 == array && m.1 == wish.innermost) {
            return *name;
        }
        let sizes = wish.across.iter().chain(&wish.reads).copied();
        let needed = [SubExp::Var(array)].into_iter().chain(sizes);
        let depth = |e: SubExp| e.name().and_then(|n| self.depths.get(&n).copied()).unwrap_or(0);
        let shape = self.arrays[&array].ty.shape().to_vec();
        let outside = needed.chain(shape).map(depth).max().unwrap_or(0);
        let (stms, name) = self.copy(array, wish);
        let made = (array, wish.innermost, name);
        match self.loops.get_mut(outside) {
            Some(before) => {
                before.stms.extend(stms);
                before.made.push(made);
            }
            None => {
                out.extend(stms);
                self.here.push(made);
            }
        }
        name
    }

    /// The statements that lay out an array anew if it is worth it.
    fn copy(&mut self, array: Name, wish: &Wish) -> (Vec<Stm<Kernels>>, Name) {
        let ty = self.arrays[&array].ty.clone();
        let mut b: Builder<Kernels> = Builder::new(std::mem::replace(&mut self.names, NameSource::new()));
        b.begin();
        let reads = b.product(&wish.reads);
        let reads = b.mul64(reads, SubExp::i64(wish.accesses));
        let elements = b.product(ty.shape());
        let part = b.mul64(elements, SubExp::i64(wish.eighths));
        let part = b.bin(BinOp::SQuot(IntType::I64), part, SubExp::i64(8));
        let least = b.add64(part, SubExp::i64(layout::LAUNCH_READS));
        let many = b.cmp(CmpOp::SLe(IntType::I64), least, reads);
        let least_width = SubExp::i64(layout::ROW_THREADS);
        let wide = wish.across.map(|n| b.cmp(CmpOp::SLe(IntType::I64), least_width, n));
        let leap = b.product(&wish.leap);
        let far = b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(choose::least_leap(&ty)), leap);
        let worth = wide.map_or(many, |wide| b.bin(BinOp::LogAnd, many, wide));
        let worth = b.bin(BinOp::LogAnd, worth, far);
        b.begin();
        let copy = b.bind("laid_out", ty.clone(), Exp::Basic(Basic::Manifest(wish.order.clone(), array)));
        let yes = b.end(vec![copy.into()]);
        let no = Body { stms: vec![], result: vec![array.into()] };
        let name = b.bind("laid_out", ty, Exp::If(worth, Box::new(yes), Box::new(no)));
        let stms = b.end(vec![]).stms;
        self.names = b.names;
        (stms, name)
    }
}

/// The innermost dimension of a space: threads are neighbours along it, unless somebody has other plans.
fn innermost(seg: &SegOp<Kernels>) -> usize {
    seg.space.dims.len().saturating_sub(1)
}

/// The order of what a slice of an array leaves, and whether its innermost dimension is dense.
fn sliced(a: &Array, slice: &[DimIndex]) -> (Vec<usize>, bool) {
    let mut left = vec![None; slice.len()];
    let mut count = 0;
    for (d, index) in slice.iter().enumerate() {
        if matches!(index, DimIndex::Slice { .. }) {
            left[d] = Some(count);
            count += 1;
        }
    }
    let order = a.order.iter().filter_map(|d| left.get(*d).copied().flatten()).collect();
    let dense = a.order.last().is_some_and(
        |d| matches!(slice.get(*d), Some(DimIndex::Slice { stride, .. }) if stride.as_i64() == Some(1)),
    );
    (order, a.dense && dense)
}

/// Replaces arrays where single statements use them; a statement is known by the first name that it binds.
struct Instead {
    by: FxHashMap<Name, (Name, Name)>,
}

impl Mutator<Kernels> for Instead {
    fn stm(&mut self, stm: &mut Stm<Kernels>) {
        if let Some((old, new)) = stm.pat.first().and_then(|p| self.by.get(&p.name)) {
            match &mut stm.exp {
                Exp::Basic(Basic::Index(a, _) | Basic::Rearrange(_, a) | Basic::Copy(a)) if a == old => {
                    *a = *new
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                }
            }
        }
        deep(|| change::stm(self, stm));
    }
}
