//! How a kernel reads the arrays of the host.
//!
//! In: a kernel. Out: its [`Use`]s of arrays from outside of it, each with the [`Access`]es that it leads to.
//! A use is a statement that names the array; slices of the array, and slices of those, lead to further
//! accesses:
//!
//! ```text
//! segmap (i < n) {
//!   let row = xss[i, 0 :+ m]                        -- the use
//!   loop .. for k < m { let x = row[k] .. }         -- an access: (grows by one, the same) from one thread to the next
//! }
//! ```

use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::seg::{KernelReturn, KernelsOp, SegKind, SegLevel, SegOp};
use fehu_ir::visit::{deep, for_each_body, for_each_operand};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Loop, LoopForm, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes of an index from one thread of a warp to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// It stays the same.
    Same,
    /// It grows by one, but perhaps at edges.
    Next,
    /// It leaps, or nothing is known.
    Leap,
}

/// How an index changes in the loops of a thread, of which the innermost matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Change {
    /// In how many loops the innermost one is in which it changes, that one included; 0 if it does not.
    depth: usize,
    /// Whether it was read from memory there, or depends on something that was: the thread gathers. Otherwise it is a
    /// function of a counter: the thread walks.
    read: bool,
}

impl Change {
    const NONE: Change = Change { depth: 0, read: false };

    /// Whether a thread goes on to neighbours.
    pub(super) fn walks(self) -> bool {
        self.depth > 0 && !self.read
    }
}

/// What is known of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Index {
    pub(super) step: Step,
    pub(super) change: Change,
    /// Whether it may differ between points that differ in outer dimensions of the space, or the space has none.
    pub(super) by_row: bool,
}

/// A statement that uses an array of the host.
pub(super) struct Use {
    pub(super) array: Name,
    /// The first name that the statement binds.
    pub(super) stm: Name,
    /// The size of the dimension of the space along which threads are neighbours.
    pub(super) across: SubExp,
    /// Whether these are threads of one block, and other blocks have other points of a larger space.
    pub(super) in_block: bool,
    /// Whether what it reads is turned in shared memory.
    pub(super) turned: bool,
    pub(super) accesses: Vec<Access>,
}

/// Elements that a thread reads.
pub(super) struct Access {
    /// One index for each dimension of the array.
    pub(super) index: Vec<Index>,
    /// How often this is done by all threads together: factors that are known outside of the kernel.
    pub(super) times: Vec<SubExp>,
    /// Whether tiles in shared memory will serve it.
    pub(super) tiled: bool,
}

impl Access {
    /// Whether all points of a row of the space read the same, and those of other rows perhaps not.
    fn is_of_row(&self) -> bool {
        self.index.iter().all(|i| i.step == Step::Same) && self.index.iter().any(|i| i.by_row)
    }

    /// Whether all rows of the space read the same, and neighbours in a row do not.
    pub(super) fn is_of_table(&self) -> bool {
        self.index.iter().any(|i| i.step != Step::Same) && !self.index.iter().any(|i| i.by_row)
    }
}

impl Index {
    const SAME: Index = Index { step: Step::Same, change: Change::NONE, by_row: false };
    /// A number of a loop of which nothing is known.
    const LEAP: Index =
        Index { step: Step::Leap, change: Change { depth: usize::MAX, read: true }, by_row: true };

    /// What comes of two, where the step is known.
    fn with(self, other: Index, step: Step) -> Index {
        Index { step, change: self.change.max(other.change), by_row: self.by_row || other.by_row }
    }

    fn plus(self, other: Index) -> Index {
        let step = match (self.step, other.step) {
            (Step::Same, s) | (s, Step::Same) => s,
            _ => Step::Leap,
        };
        self.with(other, step)
    }

    /// What a function of indices is, of which nothing else is known.
    fn any(self, other: Index) -> Index {
        let step = if self.step == Step::Same && other.step == Step::Same { Step::Same } else { Step::Leap };
        self.with(other, step)
    }

    /// One of two.
    fn or(self, other: Index) -> Index {
        let step = if self.step == other.step { self.step } else { Step::Leap };
        self.with(other, step)
    }

    /// One of two, of which the first is the usual one: a clamped or wrapped index.
    fn mostly(self, other: Index) -> Index {
        match other.step {
            Step::Same => self.with(other, self.step),
            Step::Next | Step::Leap => self.or(other),
        }
    }
}

/// A dimension of an array of the host, as seen from a view of it.
#[derive(Clone, Copy)]
enum Seen {
    Fixed(Index),
    /// Along this dimension of the view, from an index on; whether by ones.
    Along(usize, Index, bool),
}

/// A view of an array of the host: the number of its use, and what each dimension of the array is.
#[derive(Clone)]
struct View {
    used: usize,
    dims: Vec<Seen>,
}

/// The uses of arrays of the host in a kernel whose threads are neighbours along a dimension of the space.
pub(super) fn of_kernel(seg: &SegOp<Kernels>, along: usize, is_array: &dyn Fn(Name) -> bool) -> Vec<Use> {
    let Some((index, across)) = seg.space.dims.get(along).copied() else { return vec![] };
    let mut survey = Survey {
        is_array,
        written: written(seg),
        known: FxHashMap::default(),
        views: FxHashMap::default(),
        found: FxHashMap::default(),
        inside: FxHashSet::default(),
        times: seg.space.dims.iter().map(|d| d.1).collect(),
        across: SubExp::i64(0),
        in_block: seg.level == SegLevel::Block,
        loops: 0,
        rank: seg.space.dims.len(),
        plain: matches!(seg.kind, SegKind::Map),
        uses: vec![],
    };
    survey.inside.extend(seg.space.dims.iter().map(|d| d.0));
    if seg.level == SegLevel::Thread {
        survey.across = across;
        survey.known.extend(seg.space.dims.iter().map(|d| (d.0, Index { by_row: true, ..Index::SAME })));
        let by_row = seg.space.dims.len() == 1;
        survey.known.insert(index, Index { step: Step::Next, change: Change::NONE, by_row });
    }
    survey.points(seg);
    let mut uses = survey.uses;
    // Tiles of a plane are for products: what rows of the space have in common, with what columns have.
    if !uses.iter().flat_map(|u| &u.accesses).any(|a| a.tiled && a.is_of_row()) {
        uses.iter_mut().flat_map(|u| &mut u.accesses).for_each(|a| a.tiled &= !a.is_of_table());
    }
    uses
}

/// The arrays that a kernel changes.
pub(super) fn written(seg: &SegOp<Kernels>) -> FxHashSet<Name> {
    let mut written: FxHashSet<Name> = FxHashSet::default();
    written.extend(seg.kept().filter_map(|(_, r)| match r {
        KernelReturn::Write { array, .. } => Some(*array),
        KernelReturn::Elem => None,
    }));
    if let SegKind::Hist(ops) = &seg.kind {
        written.extend(ops.iter().flat_map(|op| &op.dests));
    }
    written
}

struct Survey<'a> {
    is_array: &'a dyn Fn(Name) -> bool,
    /// Arrays that the kernel changes.
    written: FxHashSet<Name>,
    /// Scalars bound in the kernel; all others are the same for all threads.
    known: FxHashMap<Name, Index>,
    views: FxHashMap<Name, View>,
    /// What parameters of loops were found to be that iterations change in another way than by what they are at first.
    /// A loop in a loop is walked again with it; what was found out of its parameters holds then, too.
    found: FxHashMap<Name, Index>,
    /// Names bound in the kernel.
    inside: FxHashSet<Name>,
    /// How often the current code is run by all threads together.
    times: Vec<SubExp>,
    across: SubExp,
    in_block: bool,
    /// In how many loops of a thread the current code is.
    loops: usize,
    /// The dimensions of the space.
    rank: usize,
    /// Whether all code up to here is what tiles allow before them: the same loops for all points, no checks.
    plain: bool,
    uses: Vec<Use>,
}

impl Survey<'_> {
    fn operand(&self, e: SubExp) -> Index {
        e.name().and_then(|n| self.known.get(&n).copied()).unwrap_or(Index::SAME)
    }

    /// The points of an operation.
    fn points(&mut self, seg: &SegOp<Kernels>) {
        self.body(&seg.body.body);
        for e in &seg.body.body.result {
            self.whole(*e);
        }
        if let Some(after) = seg.after() {
            let scanned = Index { step: Step::Leap, change: Change::NONE, by_row: true };
            self.known.extend(after.lambda.params.iter().map(|p| (p.name, scanned)));
            self.body(&after.lambda.body);
        }
    }

    fn body(&mut self, body: &Body<Kernels>) {
        deep(|| {
            for stm in &body.stms {
                self.inside.extend(stm.pat.iter().map(|p| p.name));
                self.stm(stm);
                self.plain &= stm.is_plain();
            }
        });
    }

    fn stm(&mut self, stm: &Stm<Kernels>) {
        let Some(first) = stm.pat.first() else { return };
        match &stm.exp {
            Exp::Basic(Basic::Index(a, slice)) => self.slice(first.name, &first.ty, *a, slice),
            Exp::Basic(Basic::Rearrange(perm, a)) => {
                if let Some(mut view) = self.view(*a, first.name, perm.len()) {
                    for dim in &mut view.dims {
                        if let Seen::Along(k, ..) = dim {
                            *k = perm.iter().position(|p| p == k).unwrap_or(0);
                        }
                    }
                    self.views.insert(first.name, view);
                }
            }
            Exp::Basic(Basic::Copy(a)) => {
                if let Some(view) = self.view(*a, first.name, first.ty.rank()) {
                    self.read(&view);
                }
            }
            Exp::Basic(Basic::SubExp(SubExp::Var(a))) if self.views.contains_key(a) => {
                let view = self.views[a].clone();
                self.views.insert(first.name, view);
            }
            Exp::If(c, t, f) => {
                let plain = std::mem::replace(&mut self.plain, false);
                [t, f].iter().for_each(|b| self.body(b));
                self.plain = plain;
                let cond = self.operand(*c);
                for (k, p) in stm.pat.iter().enumerate() {
                    let [x, y] = [t, f].map(|b| self.operand(b.result[k]));
                    let both = x.mostly(y);
                    let both = if both.step == Step::Leap { y.mostly(x) } else { both };
                    let step = match (both.step, cond.step) {
                        (Step::Same, Step::Next | Step::Leap) => Step::Leap,
                        (step, _) => step,
                    };
                    self.scalar(p.name, &p.ty, both.with(cond, step));
                }
            }
            Exp::Loop(l) => self.repeated(stm, l),
            Exp::Op(KernelsOp::Seg(inner)) if self.across.as_i64() == Some(0) => self.in_block(inner),
            exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_)) => {
                for_each_body(exp, &mut |b| self.body(b));
                let mut read = vec![];
                for_each_operand(exp, &mut |e| read.push(e));
                for e in read {
                    self.whole(e);
                }
                let index = self.value(exp);
                for p in &stm.pat {
                    self.scalar(p.name, &p.ty, index);
                }
            }
        }
    }

    /// What a counter of the innermost loop does.
    fn by_counter(&self) -> Change {
        Change { depth: self.loops, read: false }
    }

    fn scalar(&mut self, name: Name, ty: &Type, index: Index) {
        if !ty.is_array() && index != Index::SAME {
            self.known.insert(name, index);
        }
    }

    /// What a scalar is.
    fn value(&self, exp: &Exp<Kernels>) -> Index {
        match exp {
            Exp::Basic(Basic::SubExp(e) | Basic::Opaque(e)) => self.operand(*e),
            Exp::Basic(Basic::Conv(ConvOp::SExt(..) | ConvOp::ZExt(..), e)) => self.operand(*e),
            Exp::Basic(Basic::BinOp(BinOp::Add(_), x, y)) => self.operand(*x).plus(self.operand(*y)),
            Exp::Basic(Basic::BinOp(BinOp::Sub(_), x, y)) => {
                let (x, y) = (self.operand(*x), self.operand(*y));
                if y.step == Step::Same {
                    x.plus(y)
                } else {
                    x.any(y)
                }
            }
            Exp::Basic(Basic::BinOp(BinOp::Mul(_), x, y)) => match (x.as_i64(), y.as_i64()) {
                (Some(1), _) => self.operand(*y),
                (_, Some(1)) => self.operand(*x),
                _ => self.operand(*x).any(self.operand(*y)),
            },
            Exp::Basic(Basic::BinOp(
                BinOp::SMin(_) | BinOp::SMax(_) | BinOp::UMin(_) | BinOp::UMax(_),
                x,
                y,
            )) => {
                let (x, y) = (self.operand(*x), self.operand(*y));
                if x.step == Step::Same {
                    y.mostly(x)
                } else {
                    x.mostly(y)
                }
            }
            // A remainder by what is the same for all is the number itself, but at edges.
            Exp::Basic(Basic::BinOp(BinOp::SMod(..) | BinOp::SRem(..) | BinOp::UMod(..), x, y)) => {
                self.operand(*x).mostly(self.operand(*y))
            }
            exp @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => {
                let mut all = Index::SAME;
                for_each_operand(exp, &mut |e| all = all.any(self.operand(e)));
                all
            }
        }
    }

    /// A loop of a thread.
    fn repeated(&mut self, stm: &Stm<Kernels>, l: &Loop<Kernels>) {
        let times = self.times.len();
        self.loops += 1;
        match l.form {
            LoopForm::For { var, ty, bound } => {
                let uniform = bound.name().is_none_or(|n| !self.inside.contains(&n));
                if uniform && ty == IntType::I64 {
                    self.times.push(bound);
                }
                self.plain &= uniform;
                self.known.insert(var, Index { change: self.by_counter(), ..Index::SAME });
                self.inside.insert(var);
            }
            LoopForm::While(_) => self.plain = false,
        }
        self.inside.extend(l.params.iter().map(|(p, _)| p.name));
        // What a parameter is at first, unless the body makes something else of it.
        for (p, e) in &l.params {
            self.whole(*e);
            let first = Index { change: self.by_counter(), by_row: true, ..self.operand(*e) };
            let is = self.found.get(&p.name).copied().unwrap_or(first);
            self.scalar(p.name, &p.ty, is);
        }
        let uses: Vec<usize> = self.uses.iter().map(|u| u.accesses.len()).collect();
        let plain = self.plain;
        self.body(&l.body);
        let mut changed = false;
        for ((p, _), e) in l.params.iter().zip(&l.body.result).filter(|((p, _), _)| !p.ty.is_array()) {
            let (before, after) = (self.operand(p.name.into()), self.operand(*e));
            let is = match before.step == after.step {
                true => Index { change: before.change.max(after.change), ..before },
                false => Index::LEAP,
            };
            if is != before {
                changed = true;
                self.found.insert(p.name, is);
                self.known.insert(p.name, is);
            }
        }
        if changed {
            // Once more with what is known now: it can only be less.
            self.plain = plain;
            self.uses.truncate(uses.len());
            for (used, count) in self.uses.iter_mut().zip(uses) {
                used.accesses.truncate(count);
            }
            self.body(&l.body);
        }
        let leaps = |p: Name| self.found.get(&p).is_some_and(|i| i.step == Step::Leap);
        if l.params.iter().any(|(p, _)| leaps(p.name)) {
            let numbers = l.params.iter().filter(|(p, _)| !p.ty.is_array());
            self.known.extend(numbers.map(|(p, _)| (p.name, Index::LEAP)));
        }
        for (k, p) in stm.pat.iter().enumerate() {
            let index = self.operand(l.params[k].0.name.into());
            let change = Change { depth: index.change.depth.min(self.loops - 1), ..index.change };
            self.scalar(p.name, &p.ty, Index { change, ..index });
        }
        self.times.truncate(times);
        self.loops -= 1;
    }

    /// An operation of the threads of a block.
    fn in_block(&mut self, inner: &SegOp<Kernels>) {
        let Some((index, across)) = inner.space.dims.last().copied() else { return };
        let times = self.times.len();
        let outside = |s: &Self, e: SubExp| e.name().is_none_or(|n| !s.inside.contains(&n));
        let sizes: Vec<SubExp> = inner.space.dims.iter().map(|d| d.1).filter(|n| outside(self, *n)).collect();
        self.times.extend(sizes);
        self.inside.extend(inner.space.dims.iter().map(|d| d.0));
        self.known.insert(index, Index { step: Step::Next, change: Change::NONE, by_row: true });
        if outside(self, across) {
            self.across = across;
            self.points(inner);
        }
        self.across = SubExp::i64(0);
        self.times.truncate(times);
    }

    /// The view that a name is: of an array of the host, if the name is one and `stm` is where it is used.
    fn view(&mut self, a: Name, stm: Name, rank: usize) -> Option<View> {
        if let Some(view) = self.views.get(&a) {
            return Some(view.clone());
        }
        if self.inside.contains(&a) || self.written.contains(&a) || !(self.is_array)(a) {
            return None;
        }
        if self.across.as_i64() == Some(0) {
            return None;
        }
        let used = self.uses.len();
        self.uses.push(Use {
            array: a,
            stm,
            across: self.across,
            in_block: self.in_block,
            turned: false,
            accesses: vec![],
        });
        Some(View { used, dims: (0..rank).map(|d| Seen::Along(d, Index::SAME, true)).collect() })
    }

    fn slice(&mut self, name: Name, ty: &Type, a: Name, slice: &[DimIndex]) {
        if let Some(mut view) = self.view(a, name, slice.len()) {
            for dim in &mut view.dims {
                let Seen::Along(k, start, ones) = *dim else { continue };
                let scaled = |i: Index| if ones { i } else { Index::SAME.any(i) };
                *dim = match slice[k] {
                    DimIndex::Fix(e) => Seen::Fixed(start.plus(scaled(self.operand(e)))),
                    DimIndex::Slice { start: s, stride, .. } => {
                        let at = slice[..k].iter().filter(|d| matches!(d, DimIndex::Slice { .. })).count();
                        let start = start.plus(scaled(self.operand(s)));
                        Seen::Along(at, start, ones && stride.as_i64() == Some(1))
                    }
                };
            }
            if ty.is_array() {
                self.views.insert(name, view);
            } else {
                self.read(&view);
            }
        }
        if !ty.is_array() {
            // What is read is the same for all threads where the place is.
            let mut index = Index::SAME;
            for d in slice {
                if let DimIndex::Fix(e) = d {
                    index = index.any(self.operand(*e));
                }
            }
            let own = self.inside.contains(&a) && !self.views.contains_key(&a);
            let step = if own { Step::Leap } else { index.step };
            let step = match self.views.get(&a) {
                Some(view) if view.dims.iter().any(Seen::differs) => Step::Leap,
                _ => step,
            };
            let by_row = index.by_row || self.inside.contains(&a);
            let depth = if own { self.loops } else { index.change.depth };
            let change = Change { depth, read: depth > 0 };
            self.scalar(name, ty, Index { step, change, by_row });
        }
    }

    /// All elements of an operand, if it is a view, read by each thread one after the other.
    fn whole(&mut self, e: SubExp) {
        if let Some(view) = e.name().and_then(|n| self.views.get(&n)).cloned() {
            self.read(&view);
        }
    }

    fn read(&mut self, view: &View) {
        let along = Index { change: Change { depth: usize::MAX, read: false }, ..Index::SAME };
        let index = (view.dims.iter())
            .map(|dim| match dim {
                Seen::Fixed(i) => *i,
                Seen::Along(_, start, _) => start.plus(along),
            })
            .collect();
        let whole = view.dims.iter().any(|d| matches!(d, Seen::Along(..)));
        // Points of a plane have elements in common; rows that a point reads again and again are kept.
        let tiles = (self.loops > 0 && self.rank > 1) || self.loops > 1;
        let access = Access { index, times: self.times.clone(), tiled: self.plain && tiles && !whole };
        self.uses[view.used].accesses.push(access);
    }
}

impl Seen {
    /// Whether it is another element for other threads.
    fn differs(&self) -> bool {
        match self {
            Seen::Fixed(i) | Seen::Along(_, i, _) => i.step != Step::Same,
        }
    }
}
