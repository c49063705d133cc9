//! What must be known of a kernel before it is printed: whether it can fail,
//! whether its threads wait for each other, and what it does after another kernel has failed.

use super::led::is_led_by_data;
use crate::c::alias::Aliases;
use fehu_base::{Name, Symbol};
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{Code, Expr, Function, Kernel, KernelOp, Op, Param, Program};
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// The facts about all kernels of a program.
pub(crate) struct Facts {
    /// In the order of the kernels.
    pub(crate) kernels: Vec<KernelFacts>,
    /// The functions that kernels call, callees first.
    pub(crate) functions: IndexSet<Name>,
    /// Those of them that may fail.
    pub(crate) failing: FxHashSet<Name>,
}

/// The facts about a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelFacts {
    /// Whether it has checks.
    pub(crate) can_fail: bool,
    /// Whether it must not run after another kernel has failed.
    pub(crate) stops_after_failure: bool,
    /// Whether threads of a block wait for each other.
    pub(crate) has_barrier: bool,
    /// Whether a block leaves when one of its threads has failed.
    pub(crate) leaves: bool,
    /// How many threads a block has, if that is known.
    pub(crate) block_size: Option<BlockSize>,
}

/// The number of threads in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockSize {
    /// This one.
    Fixed(i64),
    /// The value of the tuning parameter of this number.
    Param(usize),
}

impl KernelFacts {
    /// Whether it is told where failures are noted.
    pub(crate) fn knows_failure(&self) -> bool {
        self.can_fail || self.stops_after_failure
    }
}

impl Facts {
    pub(crate) fn of(program: &Program) -> Facts {
        let by_name: FxHashMap<Name, &Function> = program.functions.iter().map(|f| (f.name, f)).collect();
        let mut functions = IndexSet::new();
        let mut failing = FxHashSet::default();
        for kernel in &program.kernels {
            visit_calls(&kernel.body, &by_name, &mut functions);
        }
        for name in &functions {
            if by_name.get(name).is_some_and(|f| can_fail(&f.body, &failing)) {
                failing.insert(*name);
            }
        }
        let failures: Vec<bool> = program.kernels.iter().map(|k| can_fail(&k.body, &failing)).collect();
        let any = failures.contains(&true);
        let sizes = block_sizes(program);
        let facts = |(kernel, can_fail): (&Kernel, &bool)| {
            let (mut has_barrier, mut leaves) = (false, false);
            for_each_statement(&kernel.body, &mut |code| {
                if let Code::Op(Op::Kernel(op)) = code {
                    leaves |= matches!(op, KernelOp::LeaveIfFailed);
                    has_barrier |= matches!(op, KernelOp::LeaveIfFailed | KernelOp::Barrier);
                }
            });
            let stops_after_failure = any && is_led_by_data(&kernel.body);
            let block_size = sizes.get(&kernel.name).copied().flatten();
            let leaves = leaves && *can_fail;
            KernelFacts { can_fail: *can_fail, stops_after_failure, has_barrier, leaves, block_size }
        };
        let kernels = program.kernels.iter().zip(&failures).map(facts).collect();
        Facts { kernels, functions, failing }
    }
}

/// The block sizes of the launches of each kernel, where they are known and agree.
fn block_sizes(program: &Program) -> FxHashMap<Name, Option<BlockSize>> {
    let numbers: FxHashMap<Symbol, usize> = program
        .params
        .iter()
        .enumerate()
        .filter(|(_, p)| p.class == "thread_block_size")
        .map(|(i, p)| (p.name, i))
        .collect();
    let mut values: FxHashMap<Name, usize> = FxHashMap::default();
    let mut sizes: FxHashMap<Name, Option<BlockSize>> = FxHashMap::default();
    let bodies = program.functions.iter().map(|f| &f.body).chain([&program.init]);
    for body in bodies {
        for_each_statement(body, &mut |code| match code {
            Code::Op(Op::GetSize(x, param)) => {
                values.extend(numbers.get(param).map(|i| (*x, *i)));
            }
            Code::Op(Op::Launch(launch)) => {
                let size = match &launch.block {
                    Expr::Const(v) => v.as_i64().map(BlockSize::Fixed),
                    Expr::Var(x) => values.get(x).copied().map(BlockSize::Param),
                    _ => None,
                };
                let known = sizes.entry(launch.kernel).or_insert(size);
                if *known != size {
                    *known = None;
                }
            }
            _ => {}
        });
    }
    sizes
}

fn visit_calls(code: &Code, by_name: &FxHashMap<Name, &Function>, found: &mut IndexSet<Name>) {
    for_each_statement(code, &mut |code| {
        if let Code::Call { fun, .. } = code {
            if !found.contains(fun) {
                // A recursive function is found again below itself; once is enough.
                found.insert(*fun);
                if let Some(f) = by_name.get(fun) {
                    stacker::maybe_grow(64 * 1024, 1024 * 1024, || visit_calls(&f.body, by_name, found));
                }
                found.shift_remove(fun);
                found.insert(*fun);
            }
        }
    });
}

fn can_fail(code: &Code, failing: &FxHashSet<Name>) -> bool {
    let mut found = false;
    for_each_statement(code, &mut |code| match code {
        Code::Assert { .. } => found = true,
        Code::Call { fun, .. } => found |= failing.contains(fun),
        _ => {}
    });
    found
}

/// The blocks that a kernel writes, or that others may write while it runs.
pub(crate) fn written_blocks(kernel: &Kernel) -> FxHashSet<Name> {
    let mut written = FxHashSet::default();
    for_each_statement(&kernel.body, &mut |code| match code {
        Code::Write { mem, .. } => {
            written.insert(*mem);
        }
        Code::Copy { dst, .. } => {
            written.insert(dst.mem);
        }
        Code::Op(Op::Kernel(op)) => written.extend(op.touches().map(|(mem, _)| mem)),
        _ => {}
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
