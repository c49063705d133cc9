//! Which blocks a kernel shares with none of its others.
//!
//! A kernel that reads one block and writes another can have many reads under way at a time only if its compiler knows
//! that they are different memory. What is known is known where the kernel is launched:
//!
//! ```text
//! ys = allocate n * 4                     kernel k (xs : mem, ys : mem) ..
//! launch k(mem xs, mem ys) ..        =>   kernel k (xs : mem, ys : mem) only_read xs unaliased ys ..
//! ```
//!
//! Before: any program. After: blocks that are different memory from whatever the kernel writes, at all its
//! launches, and if they are written, from all others, say so. Of a block that other threads write while this
//! one waits for them, nothing is said: a compiler might keep what it has read before.

use fehu_base::Name;
use fehu_imp::alias::Aliases;
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{Arg, Code, HostOp, Kernel, KernelOp, Launch, Param, Place, Program, Qualifier};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Blocks of kernels that are different memory from others say so.
pub static PASS: Pass<Program> = Pass { name: "restrict", need: Need::Optional, run: qualify };

fn qualify(program: &mut Program) {
    let kernels = program.kernels.iter().map(|k| (k.name, Written { kernel: k, written: written_blocks(k) }));
    let mut launches = Launches { kernels: kernels.collect(), unaliased: FxHashMap::default() };
    for body in program.functions.iter().map(|f| &f.body).chain([&program.init]) {
        launches.code(body, &mut Aliases::of(body));
    }
    let mut unaliased = launches.unaliased;
    for kernel in &mut program.kernels {
        let unaliased = unaliased.remove(&kernel.name).unwrap_or_default();
        kernel.qualifiers = qualifiers(kernel, &unaliased);
    }
}

struct Written<'p> {
    kernel: &'p Kernel,
    written: FxHashSet<Name>,
}

/// What the launches seen so far say.
struct Launches<'p> {
    kernels: FxHashMap<Name, Written<'p>>,
    /// The parameters of each kernel that are no other's memory.
    unaliased: FxHashMap<Name, FxHashSet<Name>>,
}

impl Launches<'_> {
    fn code(&mut self, code: &Code<HostOp>, aliases: &mut Aliases) {
        if let Code::Seq(codes) = code {
            return codes.iter().for_each(|c| self.code(c, aliases));
        }
        if let Code::Op(HostOp::Own(launch)) = code {
            self.launch(launch, aliases);
        }
        let bodies = code.bodies();
        if bodies.is_empty() {
            return aliases.after(code);
        }
        let entered = aliases.enter(code);
        for body in bodies {
            let saved = aliases.start_body();
            deep(|| self.code(body, aliases));
            aliases.restore(saved);
        }
        aliases.leave(code, entered);
    }

    fn launch(&mut self, launch: &Launch, aliases: &mut Aliases) {
        let Some(Written { kernel, written }) = self.kernels.get(&launch.kernel) else { return };
        let blocks: Vec<(Name, Name)> = kernel
            .params
            .iter()
            .zip(&launch.args)
            .filter_map(|(param, arg)| match (param, arg) {
                (Param::Mem(m, _), Arg::Mem(given)) => Some((*m, *given)),
                (Param::Mem(..) | Param::Scalar(..), _) => None,
            })
            .collect();
        let mut same = |a: Name, b: Name| a == b || aliases.may_alias(a, b);
        let (targets, sources): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|(m, _)| written.contains(m));
        let mut unaliased = FxHashSet::default();
        for (m, given) in &sources {
            if !targets.iter().any(|(_, t)| same(*t, *given)) {
                unaliased.insert(*m);
            }
        }
        for (i, (m, given)) in targets.iter().enumerate() {
            let others = targets.iter().enumerate().filter(|(j, _)| i != *j).map(|(_, t)| t);
            if !others.chain(&sources).any(|(_, t)| same(*t, *given)) {
                unaliased.insert(*m);
            }
        }
        match self.unaliased.entry(kernel.name) {
            Entry::Occupied(mut before) => before.get_mut().retain(|m| unaliased.contains(m)),
            Entry::Vacant(place) => {
                place.insert(unaliased);
            }
        }
    }
}

/// What can be said of the blocks of a kernel, some of which are no other's memory.
fn qualifiers(kernel: &Kernel, unaliased: &FxHashSet<Name>) -> IndexMap<Name, Qualifier> {
    let written = written_blocks(kernel);
    let mut mixed = FxHashSet::default();
    let mut waits = false;
    for_each_statement(&kernel.body, &mut |code| {
        if let Code::SetMem(a, b, _) = code {
            mixed.extend([*a, *b]);
        } else if let Code::Op(op) = code {
            waits |= !is_of_one_thread(op);
        }
    });
    let qualifier = |m: &Name| match (unaliased.contains(m), written.contains(m)) {
        (true, false) => Some(Qualifier::OnlyRead),
        (true, true) if !waits && !mixed.contains(m) => Some(Qualifier::Unaliased),
        (true, true) | (false, _) => None,
    };
    let blocks = kernel.params.iter().filter_map(|p| match p {
        Param::Mem(m, _) => Some((*m, qualifier(m)?)),
        Param::Scalar(..) => None,
    });
    blocks.collect()
}

/// Whether other threads cannot have changed memory before or while an operation is done.
fn is_of_one_thread(op: &KernelOp) -> bool {
    match op {
        KernelOp::Guarded(_)
        | KernelOp::UnrolledFor { .. }
        | KernelOp::Check { .. }
        | KernelOp::Ballot { .. }
        | KernelOp::MostOfWarp { .. }
        | KernelOp::MultiplyAdd { .. }
        | KernelOp::AwaitProducts { .. }
        | KernelOp::Shuffle { .. } => true,
        KernelOp::Barrier
        | KernelOp::WarpBarrier
        | KernelOp::Fence
        | KernelOp::BlockFence
        | KernelOp::LeaveIfFailed
        | KernelOp::AwaitCopies
        | KernelOp::CopyAhead { .. }
        | KernelOp::ReadRun { .. }
        | KernelOp::ReadWhole { .. }
        | KernelOp::CopyRows { .. }
        | KernelOp::Atomic { .. }
        | KernelOp::CompareAndSwap { .. }
        | KernelOp::ReadVolatile { .. }
        | KernelOp::WriteVolatile { .. }
        | KernelOp::DeclareArray { .. } => false,
    }
}

/// The blocks that a kernel writes, or that others may write while it runs.
fn written_blocks(kernel: &Kernel) -> FxHashSet<Name> {
    let mut written = FxHashSet::default();
    for_each_statement(&kernel.body, &mut |code| {
        if let Code::Write { mem, .. } | Code::Copy { dst: Place { mem, .. }, .. } = code {
            written.insert(*mem);
        } else if let Code::Op(op) = code {
            written.extend(op.touches().map(|(mem, _)| mem));
        }
    });
    // Whatever a written variable may refer to is written.
    let mut aliases = Aliases::of(&kernel.body);
    let direct: Vec<Name> = written.iter().copied().collect();
    for param in &kernel.params {
        if let Param::Mem(m, _) = param {
            if direct.iter().any(|w| aliases.may_alias(*w, *m)) {
                written.insert(*m);
            }
        }
    }
    written
}
