//! Maps of reductions that walk down columns become reductions of maps that walk along rows.
//!
//! The columns of a matrix, summed: `map f32.sum (transpose xss)`. Neighbouring steps of the reduction are a
//! row apart in memory, and no two of its additions can be done at once, for that would change the result.
//! But neighbouring *sums* are independent, and their steps are next to each other. So the outer loop is
//! moved into the inner one, and what an iteration remembers becomes an array with a place for each
//! iteration. A strip of iterations at a time keeps that array small:
//!
//! ```text
//! for j < m {                        for s < ceil(m / 1024) {
//!   x = 0                              for b < strip { xs[b] = 0 }
//!   for i < n {                        for i < n {
//!     x = x + a[i*m + j]        =>       for b < strip { xs[b] = xs[b] + a[i*m + s*1024 + b] }
//!   }                                  }
//!   out[j] = x                         for b < strip { out[s*1024 + b] = xs[b] }
//! }                                  }
//! ```
//!
//! In general, code between loops becomes a loop over the strip, and a scalar that is mentioned in more than one
//! of these becomes an array. Each sum has its additions in the same order as before. Innermost loops
//! do four steps at a time, so that `xs[b]` is loaded and stored once for four additions.
//!
//! It must be possible: iterations of the outer loop do not depend on each other (what they write is not read
//! by others, and all of it is written after the last inner loop), and inner loops have bounds that do not
//! depend on the outer variable. And it must pay: no inner loop reads memory at places that are far apart for
//! neighbouring outer iterations, some read neighbouring places, and these were far apart for the inner loop,
//! or there is nothing in it that could keep C compilers from making vector code. Or an inner loop is a
//! chain: it carries floats from step to step, each of which waits for the one before, and does nothing that
//! has no vector form. Then it pays even if all outer iterations read the same places, as those of `map (\x
//! -> f32.sum (map (f x) ys)) xs` do: neighbouring chains advance together.

use super::plain::{for_each_expr, for_each_set, parts, renamed, rewrite, rewrite_code, size, Renaming};
use super::stride::{Stride, Strides};
use super::Loops;
use fehu_base::ops::{BinOp, MathFn, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_base::tuning::cpu_loops;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{Code, Expr, Space};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

/// The least and the most iterations of a strip.
const STRIP: (u64, u64) = (64, 1024);

impl Loops<'_> {
    /// A loop with its inner loops outside, if that can be done and pays.
    pub(super) fn interchanged<O: Operation>(&mut self, code: &Code<O>) -> Option<Code<O>> {
        let Code::For { var: outer, ty: IntType::I64, bound, body, .. } = code else { return None };
        let body = &written_out(*outer, body);
        let mut nest = Nest::default();
        nest.code(body, &[])?;
        let last_loop = nest.groups.iter().rposition(|g| !g.loops.is_empty())?;
        let across = Strides::of(*outer, body);
        let possible =
            nest.can_move(*outer) && nest.writes_after(last_loop) && self.writes_apart(&nest, &across);
        if !possible || !nest.pays(&across, body) {
            return None;
        }
        Some(self.strips(*outer, bound, body, &nest))
    }

    /// Whether no iteration reads what an earlier one has written: other blocks, or elements that are each
    /// iteration's own.
    pub(super) fn writes_apart(&mut self, nest: &Nest, across: &Strides) -> bool {
        let by_block = |f: fn(&Group) -> &Vec<Access>| {
            let mut blocks: IndexMap<Name, Vec<&Access>> = IndexMap::new();
            for access in nest.groups.iter().flat_map(f) {
                blocks.entry(access.mem).or_default().push(access);
            }
            blocks
        };
        let (writes, reads) = (by_block(|g| &g.writes), by_block(|g| &g.reads));
        let own = |w: &Access, r: &Access| {
            w.offset == r.offset && w.elem == r.elem && across.expr(&w.offset) == Stride::One
        };
        writes.iter().all(|(written, ws)| {
            reads.iter().all(|(read, rs)| {
                written != read && !self.aliases.may_alias(*written, *read)
                    || ws.iter().all(|w| rs.iter().all(|r| own(w, r)))
            })
        })
    }

    fn strips<O: Operation>(&mut self, outer: Name, bound: &Expr, body: &Code<O>, nest: &Nest) -> Code<O> {
        let shared = nest.shared();
        let bytes = shared.iter().map(|x| nest.declared[x].bytes()).sum::<u64>().max(1);
        let most = (1 << (cpu_loops::STRIP_BYTES / bytes).max(1).ilog2()).clamp(STRIP.0, STRIP.1) as i64;
        let length = constant(bound).map_or(most, |n| n.clamp(1, most));
        let mut code = vec![];
        let mut arrays = FxHashMap::default();
        for x in &shared {
            let (array, ty) = (self.names.fresh_like(*x), nest.declared[x]);
            let space = Space::Scalar(ty, vec![length]);
            code.push(Code::DeclareMem(array, space.clone()));
            arrays.insert(*x, Array { mem: array, ty, space });
        }
        let [strip, first, count] = ["strip", "first", "count"].map(|s| self.names.fresh_str(s));
        let mut inside = vec![];
        set_new(&mut inside, first, mul(var(strip), i64(length)));
        set_new(&mut inside, count, min(sub(bound.clone(), var(first)), i64(length)));
        let mut strip_of = Strip { loops: self, outer, first, count, arrays: &arrays };
        strip_of.distribute(body, &mut inside);
        let strips = quot_up(bound.clone(), i64(length));
        code.push(count_up(strip, strips, Code::Seq(inside)));
        Code::Seq(code)
    }
}

/// The body of a loop, without the names that it begins with for what is computed from its variable and from
/// what does not change: they are written out, so that they are not taken for something to remember.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
pub(super) fn written_out<O: Operation>(outer: Name, body: &Code<O>) -> Code<O> {
    let codes = flat(body);
    let mut inside = FxHashMap::default();
    codes.iter().for_each(|c| assignments(c, &mut inside));
    let mut known: FxHashMap<Name, Expr> = FxHashMap::default();
    for code in &codes {
        match code {
            Code::DeclareScalar(_, PrimType::I64) => {}
            Code::SetScalar(x, e) => {
                let e = rewrite(e, &mut |e| known_value(&known, e));
                let mut fixed =
                    inside.get(x) == Some(&1) && parts(&e) <= cpu_loops::UNROLLED_ITERATIONS as usize;
                for_each_part(&e, &mut |part| {
                    if let Expr::Var(y) = part {
                        fixed &= *y == outer || !inside.contains_key(y)
                    } else if let Expr::Index { .. } = part {
                        fixed = false
                    }
                });
                if !fixed
                    || !codes.iter().any(|c| matches!(c, Code::DeclareScalar(y, PrimType::I64) if y == x))
                {
                    break;
                }
                known.insert(*x, e);
            }
            _ => break,
        }
    }
    let gone = |c: &&&Code<O>| {
        if let Code::DeclareScalar(x, _) | Code::SetScalar(x, _) = c {
            known.contains_key(x)
        } else {
            false
        }
    };
    Code::Seq(
        codes.iter().filter(|c| !gone(c)).map(|c| rewrite_code(c, &mut |e| known_value(&known, e))).collect(),
    )
}

fn known_value(known: &FxHashMap<Name, Expr>, e: &Expr) -> Option<Expr> {
    if let Expr::Var(x) = e {
        known.get(x).cloned()
    } else {
        None
    }
}

/// How often scalars are assigned, or the variables of loops.
fn assignments<O: Operation>(code: &Code<O>, counts: &mut FxHashMap<Name, usize>) {
    for code in flat(code) {
        if let Code::For { var, body, .. } = code {
            *counts.entry(*var).or_default() += 1;
            fehu_ir::visit::deep(|| assignments(body, counts));
        } else {
            for_each_set(code, &mut |x| *counts.entry(x).or_default() += 1);
        }
    }
}

pub(super) fn set_new<O: Operation>(code: &mut Vec<Code<O>>, x: Name, e: Expr) {
    code.push(Code::DeclareScalar(x, PrimType::I64));
    code.push(Code::SetScalar(x, e));
}

/// A loop and those inside of it.
#[derive(Default)]
pub(super) struct Nest {
    /// The code between loops, in order.
    pub(super) groups: Vec<Group>,
    /// Scalars that are declared anywhere inside.
    pub(super) declared: FxHashMap<Name, PrimType>,
    /// The bounds of loops inside.
    pub(super) bounds: Vec<Expr>,
}

/// An element that is read or written.
pub(super) struct Access {
    pub(super) mem: Name,
    pub(super) offset: Expr,
    pub(super) elem: PrimType,
}

/// Code between loops.
#[derive(Default)]
pub(super) struct Group {
    /// The variables of the loops around, innermost last.
    pub(super) loops: Vec<Name>,
    mentions: IndexSet<Name>,
    pub(super) sets: IndexSet<Name>,
    pub(super) reads: Vec<Access>,
    pub(super) writes: Vec<Access>,
    /// Whether there are only operators.
    pub(super) simple: bool,
    /// Whether there are branches.
    pub(super) branches: bool,
    /// What is assigned to scalars.
    values: Vec<Expr>,
}

impl Nest {
    /// Collects the groups of code; `None` if there is something else in it.
    pub(super) fn code<O: Operation>(&mut self, code: &Code<O>, loops: &[Name]) -> Option<()> {
        let mut open = false;
        for code in flat(code) {
            if let Code::For { var, bound, body, .. } = code {
                let inner: Vec<Name> = loops.iter().copied().chain([*var]).collect();
                self.bounds.push(bound.clone());
                fehu_ir::visit::deep(|| self.code(body, &inner))?;
                open = false;
            } else if let Code::Assert { .. } = code {
                return None;
            } else if let Code::DeclareScalar(x, ty) = code {
                self.declared.insert(*x, *ty);
            } else {
                size(code)?;
                if !open {
                    let loops = loops.to_vec();
                    self.groups.push(Group { loops, simple: true, ..Group::default() });
                    open = true;
                }
                self.groups.last_mut()?.add(code, &mut self.declared)?;
            }
        }
        Some(())
    }

    /// Whether the bounds of inner loops, and what happens in them, leave other iterations alone.
    pub(super) fn can_move(&self, outer: Name) -> bool {
        let own = |x: &Name| self.declared.contains_key(x);
        let fixed = |bound: &Expr| {
            let mut fixed = true;
            for_each_part(bound, &mut |e| {
                if let Expr::Var(x) = e {
                    fixed &= *x != outer && !own(x)
                } else if let Expr::Index { .. } = e {
                    fixed = false
                }
            });
            fixed
        };
        self.bounds.iter().all(fixed) && self.groups.iter().all(|g| g.sets.iter().all(own))
    }

    /// Whether everything is written after the last loop.
    pub(super) fn writes_after(&self, last_loop: usize) -> bool {
        self.groups.iter().enumerate().all(|(i, g)| g.writes.is_empty() || i > last_loop)
    }

    fn pays<O: Operation>(&self, across: &Strides, body: &Code<O>) -> bool {
        let mut inner: FxHashMap<Name, Strides> = FxHashMap::default();
        let mut any = false;
        let mut gains = self.groups.iter().all(|g| g.loops.is_empty() || g.simple);
        for group in &self.groups {
            let Some(innermost) = group.loops.last() else { continue };
            for Access { offset, .. } in &group.reads {
                match across.expr(offset) {
                    Stride::Zero => {}
                    Stride::Back | Stride::Far => return false,
                    Stride::One | Stride::Near => {
                        any = true;
                        let along = inner.entry(*innermost).or_insert_with(|| Strides::of(*innermost, body));
                        gains |= along.expr(offset) == Stride::Far;
                    }
                }
            }
        }
        let long = |bound: &Expr| constant(bound).is_none_or(|n| n > cpu_loops::UNROLLED_ITERATIONS);
        (any && gains || self.chains(across)) && self.bounds.iter().any(long)
    }

    /// Whether inner loops carry floats from step to step, and what differs between outer iterations has vector forms.
    pub(super) fn chains(&self, across: &Strides) -> bool {
        let float =
            |x: &Name| matches!(self.declared.get(x), Some(PrimType::Float(ty)) if *ty != FloatType::F16);
        let shared = self.shared();
        let mut inner = self.groups.iter().filter(|g| !g.loops.is_empty());
        let carries = |g: &Group| g.sets.iter().any(|x| float(x) && shared.contains(x));
        let vectors = |e: &Expr| across.expr(e) == Stride::Zero || has_vector_form(e);
        inner.clone().any(carries) && inner.all(|g| !g.branches && g.values.iter().all(vectors))
    }

    /// The scalars that are mentioned in more than one group, in order.
    pub(super) fn shared(&self) -> Vec<Name> {
        let mut groups: IndexMap<Name, usize> = IndexMap::new();
        for group in &self.groups {
            for x in group.mentions.iter().filter(|x| self.declared.contains_key(*x)) {
                *groups.entry(*x).or_default() += 1;
            }
        }
        groups.into_iter().filter(|(_, n)| *n > 1).map(|(x, _)| x).collect()
    }
}

impl Group {
    fn add<O: Operation>(&mut self, code: &Code<O>, declared: &mut FxHashMap<Name, PrimType>) -> Option<()> {
        match code {
            Code::Assert { .. } => return None,
            Code::DeclareScalar(x, ty) => {
                declared.insert(*x, *ty);
            }
            Code::SetScalar(x, e) => {
                self.sets.insert(*x);
                self.mentions.insert(*x);
                self.values.push(e.clone());
            }
            Code::Write { mem, offset, elem, .. } => {
                self.writes.push(Access { mem: *mem, offset: offset.clone(), elem: *elem });
            }
            Code::If(condition, a, b) => {
                self.simple = false;
                self.branches = true;
                for branch in flat(a).into_iter().chain(flat(b)) {
                    fehu_ir::visit::deep(|| self.add(branch, declared))?;
                }
                self.see(condition);
                return Some(());
            }
            Code::Seq(_)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Copy { .. }
            | Code::For { .. }
            | Code::While(..)
            | Code::Call { .. }
            | Code::Op(_) => {}
        }
        for_each_expr(code, &mut |e| self.see(e));
        Some(())
    }

    fn see(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| {
            if let Expr::Var(x) = part {
                self.mentions.insert(*x);
            } else if let Expr::Index { mem, offset, elem, .. } = part {
                self.reads.push(Access { mem: *mem, offset: (**offset).clone(), elem: *elem });
            } else if let Expr::PrimFn(..) | Expr::Select(..) = part {
                self.simple = false
            }
        });
    }
}

/// Whether what an expression computes of floats has a vector form. Offsets are computed beside it.
pub(super) fn has_vector_form(e: &Expr) -> bool {
    use FloatType::{F32, F64};
    match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Index { .. } => true,
        Expr::UnOp(UnOp::FNeg(F32 | F64) | UnOp::FAbs(F32 | F64), a) => has_vector_form(a),
        Expr::BinOp(
            BinOp::FAdd(F32 | F64)
            | BinOp::FSub(F32 | F64)
            | BinOp::FMul(F32 | F64)
            | BinOp::FDiv(F32 | F64)
            | BinOp::Add(_)
            | BinOp::Sub(_),
            a,
            b,
        ) => has_vector_form(a) && has_vector_form(b),
        Expr::PrimFn(PrimFn { op: MathFn::Sqrt | MathFn::Rsqrt | MathFn::Exp | MathFn::Log, .. }, args) => {
            args.iter().all(has_vector_form)
        }
        Expr::UnOp(..)
        | Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::Conv(..)
        | Expr::PrimFn(..)
        | Expr::Select(..)
        | Expr::Param(_)
        | Expr::Gpu(_) => false,
    }
}

/// An array with a place for each iteration of a strip.
pub(super) struct Array {
    pub(super) mem: Name,
    pub(super) ty: PrimType,
    pub(super) space: Space,
}

impl Array {
    /// What is at an offset.
    pub(super) fn read(&self, offset: Expr) -> Expr {
        Expr::Index { mem: self.mem, offset: Box::new(offset), elem: self.ty, space: self.space.clone() }
    }

    /// Puts a value at an offset.
    pub(super) fn write<O>(&self, offset: Expr, value: Expr) -> Code<O> {
        Code::Write { mem: self.mem, offset, elem: self.ty, space: self.space.clone(), value }
    }
}

/// What code does to the scalars that have arrays.
pub(super) struct Remembered {
    /// Those that it mentions, in order, ...
    pub(super) mentioned: Vec<Name>,
    /// ... of which these have a value before it, ...
    pub(super) loaded: IndexSet<Name>,
    /// ... and these get another.
    pub(super) stored: IndexSet<Name>,
}

impl Remembered {
    pub(super) fn of<O: Operation>(codes: &[Code<O>], arrays: &FxHashMap<Name, Array>) -> Remembered {
        let (mut used, mut set) = (IndexSet::new(), IndexSet::new());
        let mut initialised = IndexSet::new();
        for code in codes.iter().flat_map(flat) {
            for_each_expr(code, &mut |e| {
                for_each_part(e, &mut |part| {
                    if let Expr::Var(x) = part {
                        used.insert(*x);
                    }
                });
            });
            if let Code::SetScalar(x, _) = code {
                if !used.contains(x) && !set.contains(x) {
                    initialised.insert(*x);
                }
            }
            for_each_set(code, &mut |x| {
                set.insert(x);
            });
        }
        let mut mentioned: Vec<Name> =
            used.iter().chain(&set).copied().filter(|x| arrays.contains_key(x)).collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        let loaded = mentioned.iter().copied().filter(|x| !initialised.contains(x)).collect();
        let stored = mentioned.iter().copied().filter(|x| set.contains(x)).collect();
        Remembered { mentioned, loaded, stored }
    }
}

/// A strip of iterations.
struct Strip<'a, 'b> {
    loops: &'a mut Loops<'b>,
    /// The variable of the loop, and its first value in the strip.
    outer: Name,
    first: Name,
    /// The number of iterations.
    count: Name,
    arrays: &'a FxHashMap<Name, Array>,
}

impl Strip<'_, '_> {
    /// Gives each group of code a loop of its own.
    fn distribute<O: Operation>(&mut self, code: &Code<O>, out: &mut Vec<Code<O>>) {
        let mut group = vec![];
        for code in flat(code) {
            let Code::For { var, ty, bound, body, .. } = code else {
                group.push(code);
                continue;
            };
            self.flush(&mut group, out);
            match size(body) {
                Some(n) if n <= cpu_loops::STEPS_NODES && *ty == IntType::I64 => {
                    self.in_steps(*var, bound, body, out)
                }
                _ => {
                    let mut inside = vec![];
                    fehu_ir::visit::deep(|| self.distribute(body, &mut inside));
                    out.push(for_loop((*var, *ty), bound.clone(), Code::Seq(inside)));
                }
            }
        }
        self.flush(&mut group, out);
    }

    fn flush<O: Operation>(&mut self, group: &mut Vec<&Code<O>>, out: &mut Vec<Code<O>>) {
        let group = std::mem::take(group);
        if group.iter().any(|c| !matches!(c, Code::DeclareScalar(..))) {
            let code = Code::Seq(group.into_iter().cloned().collect());
            out.push(self.over_strip(&[code]));
        }
    }

    /// An innermost loop: several steps at a time, then the rest one by one.
    fn in_steps<O: Operation>(&mut self, inner: Name, bound: &Expr, body: &Code<O>, out: &mut Vec<Code<O>>) {
        let [most, many, step] = ["most", "many", "step"].map(|s| self.loops.names.fresh_str(s));
        set_new(out, most, quot(bound.clone(), i64(cpu_loops::STEPS)));
        let mut copies = vec![];
        for k in 0..cpu_loops::STEPS {
            copies.push(self.copy(inner, add(mul(var(many), i64(cpu_loops::STEPS)), i64(k)), body));
        }
        out.push(count_up(many, var(most), self.over_strip(&copies)));
        let done = mul(var(most), i64(cpu_loops::STEPS));
        let single = self.copy(inner, add(done.clone(), var(step)), body);
        out.push(count_up(step, sub(bound.clone(), done), self.over_strip(&[single])));
    }

    /// A copy of code for a value of a variable.
    fn copy<O: Operation>(&mut self, inner: Name, value: Expr, body: &Code<O>) -> Code<O> {
        let mut renaming = Renaming::default();
        // Scalars of the strip keep their names: their copies are made by `over_strip`.
        renaming.extend(self.arrays.keys().map(|x| (*x, *x)));
        let own = self.loops.names.fresh_like(inner);
        renaming.insert(inner, own);
        let mut code = vec![];
        set_new(&mut code, own, value);
        code.push(renamed(self.loops.names, body, &mut renaming));
        Code::Seq(code)
    }

    /// A loop over the strip that does these one after the other. Scalars that other loops know, too, are
    /// loaded before them and stored after them.
    fn over_strip<O: Operation>(&mut self, codes: &[Code<O>]) -> Code<O> {
        let names = &mut *self.loops.names;
        let at = names.fresh_str("b");
        let own = names.fresh_like(self.outer);
        let mut renaming = Renaming::default();
        renaming.insert(self.outer, own);
        let mut inside = vec![];
        set_new(&mut inside, own, add(var(self.first), var(at)));
        let remembered = Remembered::of(codes, self.arrays);
        for x in &remembered.mentioned {
            let array = &self.arrays[x];
            let local = names.fresh_like(*x);
            renaming.insert(*x, local);
            inside.push(Code::DeclareScalar(local, array.ty));
            if remembered.loaded.contains(x) {
                inside.push(Code::SetScalar(local, array.read(var(at))));
            }
        }
        let shared = |c: &&Code<O>| !matches!(c, Code::DeclareScalar(x, _) if self.arrays.contains_key(x));
        for code in codes.iter().flat_map(flat).filter(shared) {
            inside.push(renamed(names, code, &mut renaming));
        }
        for x in &remembered.stored {
            inside.push(self.arrays[x].write(var(at), var(renaming[x])));
        }
        count_up(at, var(self.count), Code::Seq(inside))
    }
}
