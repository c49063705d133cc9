//! What a function does with its variables, so that its text declares what it
//! uses and nothing else.

use super::sizes::Sizes;
use fehu_base::prim::PrimType;
use fehu_base::{Name, Symbol};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Arg, ArrayData, Code, ErrorPart, Expr, Op, Param, Place, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// The facts about one body of code.
#[derive(Clone, Default)]
pub struct Usage {
    /// Scalars whose value matters to an effect; assignments to others can go.
    pub needed: FxHashSet<Name>,
    /// Blocks that are declared in the code, in order.
    pub blocks: Vec<(Name, Space)>,
    /// Constant data declared in the code, in order.
    pub statics: Vec<(Name, Arc<ArrayData>)>,
    /// Blocks whose elements are read or written, and as what.
    pub access: FxHashMap<Name, Access>,
    /// Blocks that are mentioned in any way besides being declared.
    pub mentioned: FxHashSet<Name>,
    /// The types of scalars that are declared in the code.
    pub types: FxHashMap<Name, PrimType>,
    /// How sizes of allocations are computed.
    pub sizes: Rc<Sizes>,
    /// The usage of the body of each task in the code, by itself: blocks and scalars from outside are
    /// not declared in it. Found by the variable that a task starts at.
    pub tasks: FxHashMap<Name, Rc<Usage>>,
    /// Whether any statement may fail.
    pub can_fail: bool,
    /// Whether the context is used.
    pub uses_context: bool,
}

/// The element types at which a block is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Always this one.
    As(PrimType),
    /// Several, at different times.
    Mixed,
}

impl Usage {
    /// The usage of code whose final values of the outputs matter.
    pub fn of(code: &Code, outputs: &[Param], inputs: &[Param]) -> Usage {
        Usage::with_sizes(code, outputs, inputs, Rc::new(Sizes::of(code)))
    }

    /// The same code, where it is known that these come from outside.
    pub fn with_inputs<'a>(mut self, inputs: impl Iterator<Item = &'a Param>) -> Usage {
        self.types.extend(inputs.filter_map(scalar));
        self
    }

    fn with_sizes(code: &Code, outputs: &[Param], inputs: &[Param], sizes: Rc<Sizes>) -> Usage {
        let (roots, sources, tasks) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        let mut needs = Needs { sizes: &sizes, roots, sources, tasks };
        needs.roots.extend(outputs.iter().filter_map(scalar).map(|(x, _)| x));
        needs.code(code);
        let tasks = std::mem::take(&mut needs.tasks);
        let needed = needs.close();
        let mut usage = Usage { needed, sizes, tasks, ..Usage::default() };
        usage.types.extend(outputs.iter().chain(inputs).filter_map(scalar));
        usage.code(code);
        usage
    }

    fn code(&mut self, code: &Code) {
        match code {
            Code::Seq(codes) => codes.iter().for_each(|c| self.code(c)),
            Code::Comment(_) => {}
            Code::DeclareScalar(x, t) => {
                self.types.insert(*x, *t);
            }
            Code::SetScalar(x, e) => {
                if self.needed.contains(x) {
                    self.expr(e);
                }
            }
            Code::DeclareMem(m, space) => {
                self.blocks.push((*m, space.clone()));
                self.uses_context = true;
            }
            Code::DeclareStatic(m, data) => self.statics.push((*m, data.clone())),
            Code::Allocate { mem, bytes, space } => {
                if !matches!(space, Space::Scalar(..)) {
                    self.expr(bytes);
                    self.can_fail = true;
                    self.uses_context = true;
                }
                self.mentioned.insert(*mem);
            }
            Code::Free(m, _) => {
                self.mentioned.insert(*m);
            }
            Code::SetMem(a, b, _) => {
                self.mentioned.extend([*a, *b]);
                self.uses_context = true;
            }
            Code::Write { mem, offset, elem, space: _, value } => {
                self.touch(*mem, *elem);
                self.expr(offset);
                self.expr(value);
            }
            Code::Copy { elem, shape, dst, src } => {
                shape.iter().for_each(|e| self.expr(e));
                for place in [dst, src] {
                    self.touch(place.mem, *elem);
                    place_exprs(place).for_each(|e| self.expr(e));
                }
            }
            Code::For { var, ty, bound, body } => {
                self.types.insert(*var, PrimType::Int(*ty));
                self.expr(bound);
                self.nested(body);
            }
            Code::While(cond, body) => {
                self.expr(cond);
                self.nested(body);
            }
            Code::If(cond, a, b) => {
                self.expr(cond);
                self.nested(a);
                self.nested(b);
            }
            Code::Call { outs, args, .. } => {
                self.can_fail = true;
                self.uses_context = true;
                self.mentioned.extend(outs);
                for arg in args {
                    match arg {
                        Arg::Scalar(e) => self.expr(e),
                        Arg::Mem(m) => {
                            self.mentioned.insert(*m);
                        }
                    }
                }
            }
            Code::Assert { cond, message, .. } => {
                self.can_fail = true;
                self.uses_context = true;
                self.expr(cond);
                message.iter().for_each(|p| part_exprs(p).for_each(|e| self.expr(e)));
            }
            Code::Op(op) => match op {
                Op::ParFor { start, bound, .. } => {
                    self.expr(bound);
                    self.task(*start);
                }
                Op::ParChunks { start, bound, most, chunks, before, .. } => {
                    self.types.insert(*chunks, PrimType::I64);
                    self.expr(bound);
                    self.expr(most);
                    self.nested(before);
                    self.task(*start);
                }
                Op::Launch(launch) => {
                    launch.exprs().for_each(|e| self.expr(e));
                    for arg in &launch.args {
                        match arg {
                            Arg::Scalar(_) => {}
                            Arg::Mem(m) => {
                                self.mentioned.insert(*m);
                            }
                        }
                    }
                    self.can_fail = true;
                    self.uses_context = true;
                }
                Op::Kernel(op) => {
                    op.exprs().into_iter().for_each(|e| self.expr(e));
                    op.body().into_iter().for_each(|code| self.nested(code));
                    if let Some((mem, elem)) = op.touches() {
                        self.touch(mem, elem);
                    }
                }
                Op::GetSize(..) | Op::GetSizeMax(..) => self.uses_context = true,
                Op::CmpThreshold(_, _, e) => {
                    self.uses_context = true;
                    self.expr(e);
                }
            },
        }
    }

    fn nested(&mut self, code: &Code) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.code(code));
    }

    /// The body of a task is a function of its own; here, blocks are handed to it.
    fn task(&mut self, start: Name) {
        let inside = &self.tasks[&start];
        let blocks = inside.blocks.iter().map(|(m, _)| *m);
        let own: FxHashSet<Name> = blocks.chain(inside.statics.iter().map(|(m, _)| *m)).collect();
        self.mentioned.extend(inside.mentioned.iter().filter(|m| !own.contains(m)));
        self.can_fail = true;
        self.uses_context = true;
    }

    fn expr(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| match part {
            Expr::Index { mem, elem, .. } => self.touch(*mem, *elem),
            Expr::Param(_) => self.uses_context = true,
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::UnOp(..)
            | Expr::BinOp(..)
            | Expr::CmpOp(..)
            | Expr::Conv(..)
            | Expr::PrimFn(..)
            | Expr::Select(..)
            | Expr::Gpu(_) => {}
        });
    }

    fn touch(&mut self, mem: Name, elem: PrimType) {
        self.mentioned.insert(mem);
        let access = self.access.entry(mem).or_insert(Access::As(elem));
        if *access != Access::As(elem) {
            *access = Access::Mixed;
        }
    }
}

fn scalar(p: &Param) -> Option<(Name, PrimType)> {
    match p {
        Param::Scalar(x, t) => Some((*x, *t)),
        Param::Mem(..) => None,
    }
}

/// Which scalars matter: those in effects, and those that these are computed from.
struct Needs<'a> {
    sizes: &'a Rc<Sizes>,
    roots: Vec<Name>,
    sources: FxHashMap<Name, Vec<Name>>,
    tasks: FxHashMap<Name, Rc<Usage>>,
}

impl Needs<'_> {
    fn code(&mut self, code: &Code) {
        match code {
            Code::Seq(codes) => codes.iter().for_each(|c| self.code(c)),
            Code::DeclareScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Free(..)
            | Code::SetMem(..)
            | Code::Comment(_) => {}
            Code::SetScalar(x, e) => {
                let sources = self.sources.entry(*x).or_default();
                for_each_part(e, &mut |part| {
                    if let Expr::Var(v) = part {
                        sources.push(*v);
                    }
                });
            }
            Code::Allocate { bytes, .. } => self.sizes.factors(bytes).into_iter().for_each(|e| self.root(e)),
            Code::Write { offset, value, .. } => {
                self.root(offset);
                self.root(value);
            }
            Code::Copy { shape, dst, src, .. } => {
                shape.iter().chain(place_exprs(dst)).chain(place_exprs(src)).for_each(|e| self.root(e));
            }
            Code::For { bound, body, .. } => {
                self.root(bound);
                self.nested(body);
            }
            Code::While(cond, body) => {
                self.root(cond);
                self.nested(body);
            }
            Code::If(cond, a, b) => {
                self.root(cond);
                self.nested(a);
                self.nested(b);
            }
            Code::Call { args, .. } => {
                for arg in args {
                    match arg {
                        Arg::Scalar(e) => self.root(e),
                        Arg::Mem(_) => {}
                    }
                }
            }
            Code::Assert { cond, message, .. } => {
                self.root(cond);
                message.iter().for_each(|p| part_exprs(p).for_each(|e| self.root(e)));
            }
            Code::Op(op) => match op {
                Op::ParFor { start, bound, body, .. } => {
                    self.root(bound);
                    self.task(*start, body);
                }
                Op::ParChunks { start, bound, most, before, body, chunks, .. } => {
                    self.root(bound);
                    self.root(most);
                    self.roots.push(*chunks);
                    self.nested(before);
                    self.task(*start, body);
                }
                Op::Launch(launch) => {
                    launch.exprs().for_each(|e| self.root(e));
                }
                Op::Kernel(op) => {
                    op.exprs().into_iter().for_each(|e| self.root(e));
                    op.body().into_iter().for_each(|code| self.nested(code));
                }
                Op::GetSize(..) | Op::GetSizeMax(..) => {}
                Op::CmpThreshold(_, _, e) => self.root(e),
            },
        }
    }

    fn nested(&mut self, code: &Code) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.code(code));
    }

    /// Looks at the body of a task, once for all who ask about it: tasks nest.
    fn task(&mut self, start: Name, body: &Code) {
        let sizes = self.sizes.clone();
        let usage = stacker::maybe_grow(64 * 1024, 1024 * 1024, || Usage::with_sizes(body, &[], &[], sizes));
        self.roots.extend(&usage.needed);
        self.tasks.insert(start, Rc::new(usage));
    }

    fn root(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| {
            if let Expr::Var(v) = part {
                self.roots.push(*v);
            }
        });
    }

    fn close(mut self) -> FxHashSet<Name> {
        let mut needed = FxHashSet::default();
        while let Some(x) = self.roots.pop() {
            if needed.insert(x) {
                self.roots.extend(self.sources.remove(&x).unwrap_or_default());
            }
        }
        needed
    }
}

/// The offset and the strides of a place.
pub fn place_exprs(place: &Place) -> impl Iterator<Item = &Expr> {
    std::iter::once(&place.offset).chain(&place.strides)
}

fn part_exprs(part: &ErrorPart) -> impl Iterator<Item = &Expr> {
    match part {
        ErrorPart::Text(_) => None,
        ErrorPart::Value(e, _) => Some(e),
    }
    .into_iter()
}

/// Reports each tuning parameter and each function that code mentions.
pub fn params_and_calls(code: &Code, param: &mut dyn FnMut(Symbol), call: &mut dyn FnMut(Name)) {
    let exprs = |es: &mut dyn Iterator<Item = &Expr>, param: &mut dyn FnMut(Symbol)| {
        for e in es {
            for_each_part(e, &mut |part| {
                if let Expr::Param(p) = part {
                    param(*p);
                }
            });
        }
    };
    let mut rest = vec![code];
    while let Some(code) = rest.pop() {
        match code {
            Code::Seq(codes) => rest.extend(codes),
            Code::DeclareScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Free(..)
            | Code::SetMem(..)
            | Code::Comment(_) => {}
            Code::SetScalar(_, e) => exprs(&mut [e].into_iter(), param),
            Code::Allocate { bytes, .. } => exprs(&mut [bytes].into_iter(), param),
            Code::Write { offset, value, .. } => exprs(&mut [offset, value].into_iter(), param),
            Code::Copy { shape, dst, src, .. } => {
                exprs(&mut shape.iter().chain(place_exprs(dst)).chain(place_exprs(src)), param);
            }
            Code::For { bound: e, body, .. } | Code::While(e, body) => {
                exprs(&mut [e].into_iter(), param);
                rest.push(body);
            }
            Code::If(cond, a, b) => {
                exprs(&mut [cond].into_iter(), param);
                rest.extend([&**a, &**b]);
            }
            Code::Call { fun, args, .. } => {
                call(*fun);
                for arg in args {
                    match arg {
                        Arg::Scalar(e) => exprs(&mut [e].into_iter(), param),
                        Arg::Mem(_) => {}
                    }
                }
            }
            Code::Assert { cond, message, .. } => {
                exprs(&mut [cond].into_iter().chain(message.iter().flat_map(part_exprs)), param);
            }
            Code::Op(op) => match op {
                Op::ParFor { bound, body, .. } => {
                    exprs(&mut [bound].into_iter(), param);
                    rest.push(body);
                }
                Op::ParChunks { bound, most, before, body, .. } => {
                    exprs(&mut [bound, most].into_iter(), param);
                    rest.extend([&**before, &**body]);
                }
                Op::Launch(launch) => {
                    exprs(&mut launch.exprs(), param);
                }
                Op::Kernel(op) => {
                    exprs(&mut op.exprs().into_iter(), param);
                    rest.extend(op.body());
                }
                Op::GetSize(_, p) => param(*p),
                Op::GetSizeMax(..) => {}
                Op::CmpThreshold(_, p, e) => {
                    param(*p);
                    exprs(&mut [e].into_iter(), param);
                }
            },
        }
    }
}
