//! What must be known of a kernel before it is printed: whether it can fail,
//! whether its threads wait for each other, and what it does after another kernel has failed.

use crate::data_dependent::accesses_depend_on_data;
use fehu_base::ops::BinOp;
use fehu_base::{Name, Symbol};
use fehu_imp::ops::{CpuOp, Operation};
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{Code, Expr, HostOp, Kernel, KernelOp, Launch, Program};
use fehu_imp::visit::{look_at_code, look_at_cpu_op, look_at_host_op, Visitor};
use rustc_hash::{FxHashMap, FxHashSet};

/// The facts about all kernels of a program.
#[derive(Debug)]
pub struct Facts {
    /// In the order of the kernels.
    pub kernels: Vec<KernelFacts>,
    /// Functions that kernels call and that may fail.
    pub failing: FxHashSet<Name>,
}

/// The facts about a kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelFacts {
    /// Whether it has checks.
    pub can_fail: bool,
    /// Whether it must not run after another kernel has failed.
    pub stops_after_failure: bool,
    /// Whether threads of a block wait for each other.
    pub has_barrier: bool,
    /// Whether a block leaves when one of its threads has failed.
    pub leaves: bool,
    /// How many threads a block has, if that is known.
    pub block_size: Option<BlockSize>,
    /// How many it has at most, if that is known: compilers of kernels may then give each thread its part of
    /// all registers. Without it, a block may have 1024 threads, and a thread 64 registers.
    pub most_threads: Option<BlockSize>,
}

/// The number of threads in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockSize {
    /// This one.
    Fixed(i64),
    /// The value of the tuning parameter of this number.
    Param(usize),
}

impl KernelFacts {
    /// Whether one of its parameters is the place where failures are recorded.
    pub fn knows_failure(&self) -> bool {
        self.can_fail || self.stops_after_failure
    }
}

impl Facts {
    pub(crate) fn of(program: &Program) -> Facts {
        let mut failing = FxHashSet::default();
        for f in &program.device_functions {
            if can_fail(&f.body, &failing) {
                failing.insert(f.name);
            }
        }
        let failures: Vec<bool> = program.kernels.iter().map(|k| can_fail(&k.body, &failing)).collect();
        let any = failures.contains(&true);
        let sizes = Sizes::of(program);
        let facts = |(kernel, can_fail): (&Kernel, &bool)| {
            let (mut has_barrier, mut leaves) = (false, false);
            for_each_statement(&kernel.body, &mut |code| {
                if let Code::Op(op) = code {
                    leaves |= matches!(op, KernelOp::LeaveIfFailed);
                    has_barrier |= matches!(op, KernelOp::LeaveIfFailed | KernelOp::Barrier);
                }
            });
            let stops_after_failure = any && accesses_depend_on_data(&kernel.body);
            let block_size = sizes.exact.get(&kernel.name).copied().flatten();
            let most_threads = sizes.most.get(&kernel.name).copied().flatten();
            let leaves = leaves && *can_fail;
            KernelFacts {
                can_fail: *can_fail,
                stops_after_failure,
                has_barrier,
                leaves,
                block_size,
                most_threads,
            }
        };
        let kernels = program.kernels.iter().zip(&failures).map(facts).collect();
        Facts { kernels, failing }
    }
}

/// The block sizes of the launches of each kernel, where they are known and agree.
#[derive(Default)]
struct Sizes {
    exact: FxHashMap<Name, Option<BlockSize>>,
    most: FxHashMap<Name, Option<BlockSize>>,
}

impl Sizes {
    fn of(program: &Program) -> Sizes {
        let sizes = program.params.iter().enumerate().filter(|(_, p)| p.class == "thread_block_size");
        let numbers = sizes.map(|(i, p)| (p.name, i)).collect();
        let mut host = Host { numbers, ..Host::default() };
        for body in program.functions.iter().map(|f| &f.body).chain([&program.init]) {
            host.code(body);
        }
        let mut found = Sizes::default();
        for launch in &host.launches {
            let size = host.size(&launch.block);
            agree(&mut found.exact, launch.kernel, size);
            agree(&mut found.most, launch.kernel, size.or_else(|| host.limit(&launch.block)));
        }
        found
    }
}

/// Enters what a further launch of the kernel says.
fn agree(known: &mut FxHashMap<Name, Option<BlockSize>>, kernel: Name, size: Option<BlockSize>) {
    let before = known.entry(kernel).or_insert(size);
    if *before != size {
        *before = None;
    }
}

/// What the host's code says about block sizes.
#[derive(Default)]
struct Host<'c> {
    /// The numbers of tuning parameters that are block sizes.
    numbers: FxHashMap<Symbol, usize>,
    /// Variables that have the value of such a parameter.
    values: FxHashMap<Name, usize>,
    /// What variables are set to, and how often they are assigned.
    set: FxHashMap<Name, &'c Expr>,
    assigned: FxHashMap<Name, usize>,
    launches: Vec<&'c Launch>,
}

impl Host<'_> {
    fn size(&self, block: &Expr) -> Option<BlockSize> {
        if let Expr::Const(v) = block {
            v.as_i64().map(BlockSize::Fixed)
        } else if let Expr::Var(x) = block {
            self.values.get(x).copied().map(BlockSize::Param)
        } else {
            None
        }
    }

    /// A size that the smaller of two values cannot exceed.
    fn limit(&self, block: &Expr) -> Option<BlockSize> {
        if let Expr::BinOp(BinOp::SMin(_), a, b) = block {
            self.size(a).or_else(|| self.size(b))
        } else if let Expr::Var(x) = block {
            let once = self.assigned.get(x) == Some(&1);
            self.set.get(x).filter(|_| once).and_then(|value| self.limit_of_value(value))
        } else {
            None
        }
    }

    /// Without following variables any further.
    fn limit_of_value(&self, value: &Expr) -> Option<BlockSize> {
        if let Expr::Var(_) = value {
            None
        } else {
            self.limit(value)
        }
    }
}

impl<'c> Visitor<'c> for Host<'c> {
    fn code<O: Operation>(&mut self, code: &'c Code<O>) {
        if let Code::SetScalar(x, value) = code {
            self.set.insert(*x, value);
        }
        look_at_code(self, code);
    }

    fn host_op(&mut self, op: &'c HostOp) {
        self.launches.extend(op.launch());
        look_at_host_op(self, op);
    }

    fn cpu_op<O: Operation>(&mut self, op: &'c CpuOp<O>) {
        if let CpuOp::GetSize(x, param) = op {
            self.values.extend(self.numbers.get(param).map(|i| (*x, *i)));
        }
        look_at_cpu_op(self, op);
    }

    fn assigned(&mut self, x: &'c Name) {
        *self.assigned.entry(*x).or_default() += 1;
    }

    fn expr(&mut self, _: &'c Expr) {}
}

fn can_fail(code: &Code<KernelOp>, failing: &FxHashSet<Name>) -> bool {
    let mut found = false;
    for_each_statement(code, &mut |code| {
        if let Code::Call { fun, .. } = code {
            found |= failing.contains(fun);
        } else {
            found |= matches!(code, Code::Assert { .. } | Code::Op(KernelOp::Check { .. }));
        }
    });
    found
}
