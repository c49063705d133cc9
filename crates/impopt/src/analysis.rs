//! What printers must know of a program, found once when all passes are done.
//!
//! In: a program. Out: [`Analysis`], which goes to `codegen` with the program. Nothing in it changes what a
//! program means; it says which variables matter, how blocks are accessed, what can fail, and how many
//! threads blocks have.

use crate::kernel_facts::{Facts, KernelFacts};
use crate::recursion::recursive_functions;
use crate::usage::{params_and_calls, Usage};
use fehu_base::Name;
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code, Expr, Function, Program, Space};
use fehu_imp::visit::{look_at_code, Visitor};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Where blocks of the default space are, for the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// In its own memory.
    Own,
    /// In the memory of a device, which it cannot touch.
    Device,
}

/// What is known of a program.
pub struct Analysis {
    /// What each function of the host does with its variables, in their order.
    pub functions: Vec<Usage>,
    /// The same for what initialises the program.
    pub init: Usage,
    /// The same for what kernels call.
    pub device_functions: Vec<Usage>,
    /// The same for kernels, with what else is known of them.
    pub kernels: Vec<(Usage, KernelFacts)>,
    /// Device functions that may fail.
    pub failing: FxHashSet<Name>,
    /// Functions that may call themselves, directly or through others.
    pub recursive: FxHashSet<Name>,
    /// The numbers of the tuning parameters that an entry point may ask for, itself or through calls.
    pub params: FxHashMap<Name, BTreeSet<usize>>,
    /// The sizes in bytes of the elements that host code copies.
    pub copied_widths: BTreeSet<u64>,
    /// Whether host code writes or copies elements.
    pub host_changes: bool,
}

impl Analysis {
    /// Looks through a program.
    pub fn of(program: &Program, memory: Memory) -> Analysis {
        let host = |usage: Usage| match memory {
            Memory::Own => usage,
            Memory::Device => usage.beside_device(),
        };
        let Facts { kernels, failing } = Facts::of(program);
        let usage_of_kernel = |k: &fehu_imp::syntax::Kernel| Usage::of(&k.body, &[], &k.params);
        let changes = Changes::of(program);
        let entries = program.functions.iter().filter(|f| f.entry.is_some());
        Analysis {
            functions: program
                .functions
                .iter()
                .map(|f| host(Usage::of(&f.body, &f.outputs, &f.inputs)))
                .collect(),
            init: host(Usage::of(&program.init, &program.globals, &[])),
            device_functions: program
                .device_functions
                .iter()
                .map(|f| Usage::of(&f.body, &f.outputs, &f.inputs))
                .collect(),
            kernels: program.kernels.iter().map(usage_of_kernel).zip(kernels).collect(),
            failing,
            recursive: recursive_functions(program),
            params: entries.map(|f| (f.name, params_of(program, f.name))).collect(),
            copied_widths: changes.widths,
            host_changes: changes.any,
        }
    }
}

/// The tuning parameters that a function may ask for, itself or through calls.
fn params_of(program: &Program, fun: Name) -> BTreeSet<usize> {
    let mut params = BTreeSet::new();
    if program.params.is_empty() {
        return params;
    }
    let numbers: FxHashMap<_, _> = program.params.iter().enumerate().map(|(i, p)| (p.name, i)).collect();
    let functions: FxHashMap<Name, &Function> = program.functions.iter().map(|f| (f.name, f)).collect();
    let mut seen = FxHashSet::default();
    let mut rest = vec![fun];
    while let Some(f) = rest.pop() {
        if seen.insert(f) {
            if let Some(f) = functions.get(&f) {
                let mut param = |p| params.extend(numbers.get(&p));
                params_and_calls(&f.body, &mut param, &mut |c| rest.push(c));
            }
        }
    }
    params
}

/// What host code writes and copies.
#[derive(Default)]
struct Changes {
    widths: BTreeSet<u64>,
    any: bool,
}

impl Changes {
    fn of(program: &Program) -> Changes {
        let mut changes = Changes::default();
        for body in program.functions.iter().map(|f| &f.body).chain([&program.init]) {
            changes.code(body);
        }
        changes
    }
}

impl Visitor<'_> for Changes {
    fn code<O: Operation>(&mut self, code: &Code<O>) {
        if let Code::Copy { elem, .. } = code {
            self.widths.insert(elem.bytes());
        }
        self.any |= matches!(code, Code::Copy { .. } | Code::Write { space: Space::Default, .. });
        look_at_code(self, code);
    }
    fn expr(&mut self, _: &Expr) {}
}
