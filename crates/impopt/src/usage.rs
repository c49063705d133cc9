//! What a function does with its variables, so that its text declares what it
//! uses and nothing else.

use crate::allocation_sizes::Sizes;
use crate::borrowed::borrowed;
use fehu_base::prim::{FloatType, PrimType};
use fehu_base::{Name, Symbol};
use fehu_imp::ops::{Operation, RowsTo};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{
    ArrayData, Code, CpuOp, Expr, HostOp, KernelOp, Outlined, Param, RacingWrite, Space, TaskOp,
};
use fehu_imp::visit::{
    look_at_code, look_at_cpu_op, look_at_expr, look_at_host_op, look_at_kernel_op, look_at_task_op, Visitor,
};
use fehu_ir::visit::deep;
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
    /// Those that are declared in parts of the code that are functions of their own, by the names of these.
    pub parts: FxHashMap<Name, Vec<(Name, Space)>>,
    /// Arrays of kernels that are declared in the code.
    pub arrays: Vec<(Name, Space)>,
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
    /// Blocks whose references are not counted: others own what they refer to.
    pub borrowed: Rc<FxHashSet<Name>>,
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

/// What is known of all of a function, its tasks included.
#[derive(Clone)]
struct Facts {
    sizes: Rc<Sizes>,
    borrowed: Rc<FxHashSet<Name>>,
}

impl Usage {
    /// The usage of code whose final values of the outputs matter.
    pub fn of<O: Operation>(code: &Code<O>, outputs: &[Param], inputs: &[Param]) -> Usage {
        let facts = Facts { sizes: Rc::new(Sizes::of(code)), borrowed: Rc::new(borrowed(code)) };
        Usage::with_facts(code, outputs, inputs, &facts)
    }

    /// The same code on a host whose default space is the memory of a device: that can fail at any time, and
    /// only the device sees its memory.
    pub(crate) fn beside_device(mut self) -> Usage {
        self.can_fail = true;
        self.borrowed = Rc::default();
        let local = self.blocks.iter().filter(|(_, space)| matches!(space, Space::Scalar(..)));
        let visible: FxHashSet<Name> =
            local.map(|(m, _)| *m).chain(self.statics.iter().map(|(m, _)| *m)).collect();
        self.access.retain(|m, _| visible.contains(m));
        self
    }

    /// The same code, where it is known that these come from outside.
    pub fn with_inputs<'a>(mut self, inputs: impl Iterator<Item = &'a Param>) -> Usage {
        self.types.extend(inputs.filter_map(scalar));
        self
    }

    fn with_facts<O: Operation>(code: &Code<O>, outputs: &[Param], inputs: &[Param], facts: &Facts) -> Usage {
        let (roots, sources, tasks) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        let mut needs = Needs { facts, roots, sources, tasks };
        needs.roots.extend(outputs.iter().filter_map(scalar).map(|(x, _)| x));
        needs.code(code);
        let tasks = std::mem::take(&mut needs.tasks);
        let needed = needs.close();
        let Facts { sizes, borrowed } = facts.clone();
        let mut usage = Usage { needed, sizes, borrowed, tasks, ..Usage::default() };
        usage.types.extend(outputs.iter().chain(inputs).filter_map(scalar));
        usage.code(code);
        usage
    }

    /// The body of a task is a function of its own; here, blocks are handed to it.
    fn task(&mut self, start: Name) {
        let inside = &self.tasks[&start];
        let blocks = inside.blocks.iter().map(|(m, _)| *m);
        let own: FxHashSet<Name> = blocks.chain(inside.statics.iter().map(|(m, _)| *m)).collect();
        // Results of calls are mentioned too, and may be scalars of the task's own.
        let foreign = |m: &&Name| !own.contains(m) && !inside.types.contains_key(m);
        self.mentioned.extend(inside.mentioned.iter().filter(foreign));
        self.may_fail();
    }

    /// A part has blocks of its own, but is given arrays.
    fn part<O: Operation>(&mut self, part: &Outlined<O>) {
        let before = self.blocks.len();
        deep(|| self.code(&part.code));
        let is_array = |(_, space): &(Name, Space)| matches!(space, Space::Scalar(..));
        let (arrays, own): (Vec<_>, Vec<_>) = self.blocks.drain(before..).partition(is_array);
        self.blocks.extend(arrays);
        self.parts.insert(part.var, own);
    }

    fn may_fail(&mut self) {
        self.can_fail = true;
        self.uses_context = true;
    }

    fn touch(&mut self, mem: Name, elem: PrimType) {
        self.mentioned.insert(mem);
        let access = self.access.entry(mem).or_insert(Access::As(elem));
        if *access != Access::As(elem) {
            *access = Access::Mixed;
        }
    }
}

impl Visitor<'_> for Usage {
    fn code<O: Operation>(&mut self, code: &Code<O>) {
        match code {
            Code::Seq(_) | Code::While(..) | Code::If(..) | Code::Op(_) => {}
            Code::DeclareScalar(x, t) => {
                self.types.insert(*x, *t);
            }
            Code::SetScalar(x, _) => {
                if !self.needed.contains(x) {
                    return;
                }
            }
            Code::DeclareMem(m, space) => {
                self.blocks.push((*m, space.clone()));
                self.uses_context = true;
            }
            Code::DeclareStatic(m, data) => self.statics.push((*m, data.clone())),
            Code::Assert { .. } => self.may_fail(),
            Code::SetMem(..) => self.uses_context = true,
            Code::Write { mem, elem, .. } => self.touch(*mem, *elem),
            Code::Copy { elem, dst, src, .. } => {
                [dst, src].into_iter().for_each(|p| self.touch(p.mem, *elem))
            }
            Code::For { var, ty, .. } => {
                self.types.insert(*var, PrimType::Int(*ty));
            }
            Code::Call { outs, .. } => {
                self.may_fail();
                self.mentioned.extend(outs);
            }
        }
        look_at_code(self, code);
    }

    fn host_op(&mut self, op: &HostOp) {
        if op.launch().is_some() {
            self.may_fail();
        }
        look_at_host_op(self, op);
    }

    fn task_op(&mut self, op: &TaskOp) {
        if let TaskOp::Own(RacingWrite { mem, elem, .. }) = op {
            self.touch(*mem, *elem);
        }
        look_at_task_op(self, op);
    }

    fn cpu_op<O: Operation>(&mut self, op: &CpuOp<O>) {
        match op {
            CpuOp::Allocate { mem, space: Space::Scalar(..), .. } => return self.block(mem),
            CpuOp::Allocate { .. } => self.may_fail(),
            CpuOp::Free(..) => {}
            CpuOp::Outlined(part) => return self.part(part),
            CpuOp::Trace { .. } | CpuOp::GetSize(..) | CpuOp::GetSizeMax(..) | CpuOp::CmpThreshold(..) => {
                self.uses_context = true;
            }
            CpuOp::ParFor { start, bound, .. } => {
                self.expr(bound);
                return self.task(*start);
            }
            CpuOp::ParChunks { start, bound, most, chunks, before, .. } => {
                self.types.insert(*chunks, PrimType::I64);
                self.expr(bound);
                self.expr(most);
                self.code(before);
                return self.task(*start);
            }
        }
        look_at_cpu_op(self, op);
    }

    fn kernel_op(&mut self, op: &KernelOp) {
        op.touches().into_iter().for_each(|(mem, elem)| self.touch(mem, elem));
        if let KernelOp::UnrolledFor { var, ty, .. } = op {
            self.types.insert(*var, PrimType::Int(*ty));
        } else if let KernelOp::DeclareArray { mem, space, .. } = op {
            self.arrays.push((*mem, space.clone()))
        } else if let KernelOp::Check { .. } = op {
            self.may_fail()
        } else if let KernelOp::CopyAhead { src, elem, .. }
        | KernelOp::ReadRun { mem: src, elem, .. }
        | KernelOp::ReadWhole { mem: src, elem, .. }
        | KernelOp::CopyRows { to: RowsTo::Shared, mem: src, elem, .. }
        | KernelOp::CopyRows { to: RowsTo::Global, tile: src, elem, .. } = op
        {
            self.touch(*src, *elem)
        } else if let KernelOp::MultiplyAdd { left, right, .. } = op {
            [left, right].into_iter().for_each(|mem| self.touch(*mem, PrimType::Float(FloatType::F64)))
        }
        look_at_kernel_op(self, op);
    }

    fn expr(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| {
            if let Expr::Index { mem, elem, .. } = part {
                self.touch(*mem, *elem)
            } else if let Expr::Param(_) = part {
                self.uses_context = true
            }
        });
    }

    fn block(&mut self, m: &Name) {
        self.mentioned.insert(*m);
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
    facts: &'a Facts,
    roots: Vec<Name>,
    sources: FxHashMap<Name, Vec<Name>>,
    tasks: FxHashMap<Name, Rc<Usage>>,
}

impl Visitor<'_> for Needs<'_> {
    fn code<O: Operation>(&mut self, code: &Code<O>) {
        if let Code::SetScalar(x, e) = code {
            let sources = self.sources.entry(*x).or_default();
            for_each_part(e, &mut |part| {
                if let Expr::Var(v) = part {
                    sources.push(*v);
                }
            });
        } else {
            look_at_code(self, code);
        }
    }

    fn cpu_op<O: Operation>(&mut self, op: &CpuOp<O>) {
        if let CpuOp::Allocate { bytes, .. } = op {
            self.facts.sizes.parts(bytes).into_iter().for_each(|e| self.expr(e));
        } else if let CpuOp::ParFor { start, bound, body, .. } = op {
            self.expr(bound);
            self.task(*start, body);
        } else if let CpuOp::ParChunks { start, bound, most, before, body, chunks, .. } = op {
            self.expr(bound);
            self.expr(most);
            self.roots.push(*chunks);
            self.code(before);
            self.task(*start, body);
        } else {
            look_at_cpu_op(self, op);
        }
    }

    fn var(&mut self, x: &Name) {
        self.roots.push(*x);
    }
}

impl Needs<'_> {
    /// Looks at the body of a task, once for all who ask about it: tasks nest.
    fn task(&mut self, start: Name, body: &Code<TaskOp>) {
        let usage = deep(|| Usage::with_facts(body, &[], &[], self.facts));
        self.roots.extend(&usage.needed);
        self.tasks.insert(start, Rc::new(usage));
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

/// Reports each tuning parameter and each function that code mentions.
pub(crate) fn params_and_calls<O: Operation>(
    code: &Code<O>,
    param: &mut dyn FnMut(Symbol),
    call: &mut dyn FnMut(Name),
) {
    struct Mentions<'f> {
        param: &'f mut dyn FnMut(Symbol),
        call: &'f mut dyn FnMut(Name),
    }
    impl Visitor<'_> for Mentions<'_> {
        fn code<O: Operation>(&mut self, code: &Code<O>) {
            if let Code::Call { fun, .. } = code {
                (self.call)(*fun);
            }
            look_at_code(self, code);
        }

        fn cpu_op<O: Operation>(&mut self, op: &CpuOp<O>) {
            if let CpuOp::GetSize(_, p) | CpuOp::CmpThreshold(_, p, _) = op {
                (self.param)(*p);
            }
            look_at_cpu_op(self, op);
        }

        fn expr(&mut self, e: &Expr) {
            if let Expr::Param(p) = e {
                (self.param)(*p);
            }
            look_at_expr(self, e);
        }
    }
    Mentions { param, call }.code(code);
}
