//! When blocks hold something that is still needed.
//!
//! In: a function over `Memory`. Out: for each block that it allocates, the time from the first array in it
//! to the last use of one. Times are the numbers of statements in the order of the text. Arrays are values,
//! so this is the life of names:
//!
//! - A name that is bound before a loop and used in it is needed until the loop ends; one that is bound inside is
//!   gone when its iteration is.
//! - The points of a parallel operation run at the same time: what one of them uses in a block of all, it uses from the
//!   beginning of the operation to its end.
//! - The result of a statement is written while its operands are read, so both are needed at its time.
//!
//! ```text
//! 1  let (a : [n]f32 @ x) = ...      x: 1 to 2
//! 2  let (b : [n]f32 @ y) = f a      y: 2 to 3
//! 3  let (c : [n]f32 @ z) = g b      z: 3 to ...     z can be x
//! ```

use crate::tables::Tables;
use fehu_base::Name;
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::seg::SegLevel;
use fehu_ir::visit::{deep, look, Visitor};
use fehu_ir::{Body, Exp, FunDef, Memory, Param, Space, Stm, SubExp, Type};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a statement.
pub(super) type Time = usize;

/// From one statement to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) first: Time,
    pub(super) last: Time,
}

impl Span {
    const NEVER: Span = Span { first: Time::MAX, last: 0 };

    fn add(&mut self, time: Time) {
        self.first = self.first.min(time);
        self.last = self.last.max(time);
    }
}

/// What is known of a block.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) space: Space,
    pub(super) bytes: SubExp,
    /// When it is allocated, and in which body.
    pub(super) alloc: Time,
    pub(super) body: usize,
    /// When it is needed.
    pub(super) span: Span,
    /// The same if each thread has a part of its own, so that points do not meet.
    pub(super) own_span: Span,
    /// Whether it is passed on or returned.
    pub(super) passed: bool,
    /// The statement of the body with the allocation that all uses are in.
    pub(super) user: User,
    /// The innermost parallel operation around the allocation: its flat index.
    pub(super) operation: Option<Name>,
    frames: usize,
    stms: usize,
}

/// Which statements use a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum User {
    Nobody,
    /// One alone, which begins at this time; it has bodies.
    One(Time, Kind),
    Several,
}

/// Which kind of statement that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A loop or branch, run by one thread.
    Control,
    /// A parallel operation at this level.
    Operation(SegLevel),
    /// Nothing with bodies.
    Other,
}

/// The lives of the blocks of a function, in the order of their allocation, and when something is allocated.
pub(super) struct Lifetimes {
    pub(super) blocks: IndexMap<Name, Life>,
    /// The numbers of threads in grids: what a place mentions that is a thread's own.
    pub(super) threads: FxHashSet<Name>,
    pub(super) allocations: Vec<Time>,
}

/// Finds the lives of blocks.
pub(super) fn lifetimes(tables: &Tables, fun: &FunDef<Memory>) -> Lifetimes {
    let mut walk = Walk {
        tables,
        blocks: IndexMap::new(),
        threads: FxHashSet::default(),
        allocations: vec![],
        now: 0,
        bodies: 0,
        body: 0,
        frames: vec![],
        stms: vec![],
        depth: FxHashMap::default(),
    };
    walk.body(&fun.body);
    Lifetimes { blocks: walk.blocks, threads: walk.threads, allocations: walk.allocations }
}

/// What runs many times, and is being walked through.
struct Frame {
    start: Time,
    /// The flat index of a parallel operation.
    parallel: Option<Name>,
    /// Blocks that are needed to its end; the second ones in the eyes of one thread, too.
    shared: Vec<Name>,
    all: Vec<Name>,
}

struct Walk<'a> {
    tables: &'a Tables,
    blocks: IndexMap<Name, Life>,
    threads: FxHashSet<Name>,
    allocations: Vec<Time>,
    now: Time,
    /// How many bodies there were, and which one this is.
    bodies: usize,
    body: usize,
    frames: Vec<Frame>,
    /// The statements around, outermost first.
    stms: Vec<(Time, Kind)>,
    /// How many frames were around the binding of an array.
    depth: FxHashMap<Name, usize>,
}

impl Walk<'_> {
    fn tick(&mut self) -> Time {
        self.now += 1;
        self.now
    }

    /// An array is bound here.
    fn bind(&mut self, name: Name) {
        if self.tables.is_array(name) {
            self.depth.insert(name, self.frames.len());
            self.mention(name);
        }
    }

    /// An array is needed now.
    fn mention(&mut self, name: Name) {
        let Some(block) = self.tables.place(name).map(|p| p.block) else { return };
        let Some(life) = self.blocks.get_mut(&block) else { return };
        let bound = self.depth.get(&name).copied().unwrap_or(0);
        life.span.add(self.now);
        life.own_span.add(self.now);
        if let Some(frame) = self.frames.get_mut(bound) {
            frame.all.push(block);
        }
        let inside = self.frames.iter_mut().skip(life.frames).find(|f| f.parallel.is_some());
        if let Some(frame) = inside {
            life.span.add(frame.start);
            frame.shared.push(block);
        }
        // The body's own results are no statement.
        life.user = match (life.user, self.stms.get(life.stms).copied()) {
            (User::Nobody, Some((at, kind))) => User::One(at, kind),
            (User::One(before, kind), Some((at, _))) if before == at => User::One(at, kind),
            (User::Nobody | User::One(..) | User::Several, _) => User::Several,
        };
    }

    /// Walks through what runs many times.
    fn framed(&mut self, parallel: Option<Name>, walk: impl FnOnce(&mut Self)) {
        let start = self.now;
        self.frames.push(Frame { start, parallel, shared: vec![], all: vec![] });
        walk(self);
        let end = self.tick();
        let Some(frame) = self.frames.pop() else { return };
        for block in frame.shared {
            if let Some(life) = self.blocks.get_mut(&block) {
                life.span.add(end);
            }
        }
        for block in frame.all {
            if let Some(life) = self.blocks.get_mut(&block) {
                life.span.add(end);
                life.own_span.add(end);
            }
        }
    }

    fn alloc(&mut self, block: Name, bytes: SubExp, space: &Space) {
        let operation = self.frames.iter().rev().find_map(|f| f.parallel);
        let life = Life {
            space: space.clone(),
            bytes,
            alloc: self.stms.last().map_or(self.now, |s| s.0),
            body: self.body,
            span: Span::NEVER,
            own_span: Span::NEVER,
            passed: false,
            user: User::Nobody,
            operation,
            frames: self.frames.len(),
            stms: self.stms.len() - 1,
        };
        self.blocks.insert(block, life);
    }
}

/// The kind of an expression.
pub(super) fn kind(exp: &Exp<Memory>) -> Kind {
    match exp {
        Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => Kind::Control,
        Exp::Op(MemOp::Seg(seg)) => Kind::Operation(seg.level),
        Exp::Basic(_) | Exp::Call(..) | Exp::Op(_) => Kind::Other,
    }
}

impl Visitor<Memory> for Walk<'_> {
    fn stm(&mut self, s: &Stm<Memory>) {
        let start = self.tick();
        let kind = kind(&s.exp);
        self.stms.push((start, kind));
        if matches!(s.exp, Exp::Op(MemOp::Alloc(..) | MemOp::Seg(_)) | Exp::Call(..)) {
            self.allocations.push(start);
        }
        // What a statement computes it writes while it runs; branches and loops do so in their bodies.
        if kind != Kind::Control {
            s.pat.iter().for_each(|p| self.bind(p.name));
        }
        match &s.exp {
            Exp::Op(MemOp::Seg(seg)) => {
                self.threads.extend(seg.grid.iter().map(|g| g.thread));
                self.framed(Some(seg.space.flat), |walk| look::exp(walk, &s.exp));
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                self.exp(&s.exp)
            }
        }
        self.tick();
        s.pat.iter().for_each(|p| self.bind(p.name));
        if let (Exp::Op(MemOp::Alloc(bytes, space)), [p]) = (&s.exp, &s.pat[..]) {
            self.alloc(p.name, *bytes, space);
        }
        self.stms.pop();
    }

    fn exp(&mut self, e: &Exp<Memory>) {
        match e {
            Exp::Loop(l) => {
                l.params.iter().for_each(|(_, init)| self.operand(init));
                self.framed(None, |walk| {
                    walk.tick();
                    l.params.iter().for_each(|(p, _)| walk.param(p));
                    walk.body(&l.body);
                });
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => look::exp(self, e),
        }
    }

    fn body(&mut self, b: &Body<Memory>) {
        self.bodies += 1;
        let outer = std::mem::replace(&mut self.body, self.bodies);
        deep(|| b.stms.iter().for_each(|s| self.stm(s)));
        self.tick();
        look::operands::<Memory>(self, &b.result);
        self.body = outer;
    }

    fn param(&mut self, p: &Param<Memory>) {
        self.bind(p.name);
    }

    fn name(&mut self, n: &Name) {
        match self.tables.types.get(n) {
            Some(Type::Array(..)) => self.mention(*n),
            Some(Type::Mem(_)) => {
                if let Some(life) = self.blocks.get_mut(n) {
                    life.passed = true;
                }
            }
            Some(Type::Prim(_) | Type::Acc(..)) | None => {}
        }
    }

    fn dec(&mut self, _: &MemInfo) {}

    fn ty(&mut self, _: &Type) {}
}
