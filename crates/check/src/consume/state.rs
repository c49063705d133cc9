//! What is known at a point of the walk: the variables and what they share,
//! which memory there is, who may consume it, and what has been consumed on
//! the way here.
//!
//! **Depth.** Bodies that may run any number of times, those of functions and
//! of loops, count as one level deeper than what surrounds them. Memory from an
//! outer level may be looked at, but not consumed.
//!
//! **Frames.** Each such body also has a [`Frame`], which gathers the outer
//! variables that it uses: a closure holds on to them, and a loop must not use
//! what its initial values consume.

use super::alias::{AliasSet, Tree};
use super::errors;
use crate::context::Context;
use crate::types::Type;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// How an identity is spoken of.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// The memory of a variable, or of a part of it.
    Variable(Symbol),
    /// The result of a call.
    Result(Symbol, Span),
    /// A value that never had a name.
    Value,
}

/// Who may consume an identity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// We, at its own depth.
    Us,
    /// The caller: a parameter without `*`.
    Caller,
    /// A loop parameter that was declared without `*`.
    DeclaredLoopParam,
    /// All of the program.
    Program,
    /// All of the program, but who wrote it may not know that there is memory
    /// behind its abstract type. So functions may return it.
    AbstractProgram,
}

/// A piece of memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    pub(super) what: What,
    pub(super) owner: Owner,
    pub(super) depth: u32,
    /// Where it was bound.
    pub(super) span: Span,
}

/// A local variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) tree: Tree,
    depth: u32,
}

/// The outer variables used in a body, with the first use of each and what
/// the parts that were used may share.
pub(super) type Frame = IndexMap<Name, (Span, AliasSet), FxBuildHasher>;

/// The state of the walk through one declaration.
pub(super) struct State<'a> {
    pub(super) ctx: &'a mut Context,
    vars: FxHashMap<Name, Var>,
    identities: FxHashMap<Name, Identity>,
    /// Identities in the order in which they were made.
    made: Vec<Name>,
    /// What has been consumed on the way here, and where.
    consumed: FxHashMap<Name, Span>,
    /// The same in order.
    log: Vec<Consumption>,
    depth: u32,
    frames: Vec<(u32, Frame)>,
    reported: FxHashSet<Name>,
}

/// A consumption: of what, and where.
type Consumption = (Name, Span);

/// A point in the log of consumptions.
#[derive(Clone, Copy)]
pub(super) struct LogMark(usize);

impl<'a> State<'a> {
    pub(super) fn new(ctx: &'a mut Context) -> State<'a> {
        State {
            ctx,
            vars: FxHashMap::default(),
            identities: FxHashMap::default(),
            made: vec![],
            consumed: FxHashMap::default(),
            log: vec![],
            depth: 0,
            frames: vec![],
            reported: FxHashSet::default(),
        }
    }

    // Identities.

    /// Declares memory of this level.
    pub(super) fn make(&mut self, name: Name, what: What, owner: Owner, span: Span) {
        self.identities.insert(name, Identity { what, owner, depth: self.depth, span });
        self.made.push(name);
    }

    /// New memory of ours.
    pub(super) fn fresh(&mut self, what: What, owner: Owner, span: Span) -> AliasSet {
        let base = match what {
            What::Variable(s) | What::Result(s, _) => s,
            What::Value => Symbol::new("value"),
        };
        let name = self.ctx.names.fresh(base);
        self.make(name, what, owner, span);
        AliasSet::one(name)
    }

    /// What is known of an identity; what we have not made is a global.
    pub(super) fn identity(&self, name: Name) -> Identity {
        self.identities.get(&name).copied().unwrap_or_else(|| Identity {
            what: What::Variable(self.ctx.names.base(name)),
            owner: Owner::Program,
            depth: 0,
            span: self.ctx.def_spans.get(&name).copied().unwrap_or(Span::NONE),
        })
    }

    /// Notes that a global is of abstract type.
    pub(super) fn abstract_global(&mut self, name: Name) {
        let id = self.identity(name);
        self.identities.insert(name, Identity { owner: Owner::AbstractProgram, ..id });
    }

    /// Whether we may consume it here.
    pub(super) fn consumable(&self, name: Name) -> bool {
        let id = self.identity(name);
        id.owner == Owner::Us && id.depth >= self.depth
    }

    // Variables.

    /// Binds a variable to a value. Memory that has no identity yet gets the variable's.
    pub(super) fn bind(&mut self, name: Name, tree: Tree, span: Span) {
        let what = What::Variable(self.ctx.names.base(name));
        let tree = match tree {
            Tree::Leaf(s) if s.is_empty() => {
                self.make(name, what, Owner::Us, span);
                Tree::Leaf(AliasSet::one(name))
            }
            Tree::Nothing | Tree::Leaf(_) | Tree::Fun(..) => tree,
            Tree::Record(_) | Tree::Sum(_) => self.name_parts(&tree, what, span),
        };
        self.bind_as_is(name, tree);
    }

    /// Gives an identity to each part of a value that has none.
    fn name_parts(&mut self, tree: &Tree, what: What, span: Span) -> Tree {
        match tree {
            Tree::Leaf(s) if s.is_empty() => Tree::Leaf(self.fresh(what, Owner::Us, span)),
            Tree::Nothing | Tree::Leaf(_) | Tree::Fun(..) => tree.clone(),
            Tree::Record(fs) => {
                Tree::record(fs.iter().map(|(f, t)| (*f, self.name_parts(t, what, span))).collect())
            }
            Tree::Sum(cs) => Tree::sum(
                cs.iter()
                    .map(|(c, ts)| (*c, ts.iter().map(|t| self.name_parts(t, what, span)).collect()))
                    .collect(),
            ),
        }
    }

    /// Binds a variable to a tree whose leaves have identities, or need none.
    pub(super) fn bind_as_is(&mut self, name: Name, tree: Tree) {
        let depth = self.depth;
        self.vars.insert(name, Var { tree, depth });
    }

    /// Uses part of a variable: `None` if it is not local.
    pub(super) fn observe(&mut self, name: Name, part: &[Symbol], span: Span) -> Option<Tree> {
        let var = self.vars.get(&name)?;
        let depth = var.depth;
        let tree = part.iter().fold(var.tree.clone(), |t, f| t.field(*f));
        if !matches!(tree, Tree::Nothing) {
            let set = tree.all();
            for (_, frame) in self.frames.iter_mut().filter(|(d, _)| depth < *d) {
                let (_, used) = frame.entry(name).or_insert_with(|| (span, AliasSet::default()));
                *used = used.union(&set);
            }
            self.check_unconsumed(name, &set, span);
        }
        Some(tree)
    }

    fn check_unconsumed(&mut self, used: Name, set: &AliasSet, span: Span) {
        let hit = set.iter().find_map(|n| self.consumed.get(&n).map(|at| (n, *at)));
        if let Some((n, at)) = hit {
            let d = errors::use_after_consume(self, used, n, span, at);
            self.report_once(n, d);
        }
    }

    // Consumption.

    /// Consumes memory. Complains if it is not ours to consume, or gone already.
    pub(super) fn consume(&mut self, set: &AliasSet, span: Span) {
        for name in set.iter() {
            if !self.consumable(name) {
                let d = errors::not_consumable(self, name, span);
                self.report_once(name, d);
            } else if let Some(at) = self.consumed.get(&name).copied() {
                let d = errors::use_after_consume(self, name, name, span, at);
                self.report_once(name, d);
            }
        }
        for name in set.iter() {
            self.note_consumed(name, span);
        }
    }

    fn note_consumed(&mut self, name: Name, span: Span) {
        if let Entry::Vacant(e) = self.consumed.entry(name) {
            e.insert(span);
            self.log.push((name, span));
        }
    }

    /// The point reached.
    pub(super) fn log_mark(&self) -> LogMark {
        LogMark(self.log.len())
    }

    /// What was first consumed since the mark, and where.
    pub(super) fn consumed_since(&self, mark: LogMark) -> Option<Consumption> {
        self.log.get(mark.0).copied()
    }

    /// Where this identity was consumed.
    pub(super) fn consumed_at(&self, name: Name) -> Option<Span> {
        self.consumed.get(&name).copied()
    }

    /// Takes back what was consumed since the mark, to go another way.
    pub(super) fn rewind(&mut self, mark: LogMark) -> Vec<Consumption> {
        let taken = self.log.split_off(mark.0);
        for (n, _) in &taken {
            self.consumed.remove(n);
        }
        taken
    }

    /// Adds what was consumed on another way.
    pub(super) fn replay(&mut self, taken: Vec<Consumption>) {
        for (n, s) in taken {
            self.note_consumed(n, s);
        }
    }

    // Bodies.

    /// Walks a body that may run any number of times, and gives the outer
    /// variables it used. Memory it leaves behind then counts as the outer level's.
    pub(super) fn deeper<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (T, Frame) {
        let made = self.made.len();
        self.depth += 1;
        self.frames.push((self.depth, Frame::default()));
        let result = walk(self);
        let frame = self.frames.pop().map(|(_, f)| f).unwrap_or_default();
        self.depth -= 1;
        for name in &self.made[made..] {
            if let Some(id) = self.identities.get_mut(name) {
                id.depth = id.depth.min(self.depth);
            }
        }
        (result, frame)
    }

    /// The outer variables used so far in the innermost body.
    pub(super) fn frame(&self) -> Frame {
        self.frames.last().map(|(_, f)| f.clone()).unwrap_or_default()
    }

    // Reports.

    /// Reports a problem with an identity, unless one with it was reported before.
    pub(super) fn report_once(&mut self, about: Name, d: Diagnostic) {
        if self.reported.insert(about) {
            self.ctx.report(d);
        }
    }

    /// A type as users write it.
    pub(super) fn show(&self, ty: &Type) -> String {
        self.ctx.show().ty(ty)
    }
}
