//! What printers must know of a program, found once when all passes are done.
//!
//! In: a program. Out: [`Analysis`], which goes to `codegen` with the program. Nothing in it changes what a program means; it
//! says which variables matter, how blocks are accessed, what can fail, and how many threads blocks have.

use crate::kernel_facts::{Facts, KernelFacts};
use crate::recursion::recursive_functions;
use crate::usage::{params_and_calls, Usage};
use fehu_base::Name;
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code, Expr, Function, Program};
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
            copied_widths: copied_widths(program),
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

fn copied_widths(program: &Program) -> BTreeSet<u64> {
    #[derive(Default)]
    struct Widths(BTreeSet<u64>);
    impl Visitor<'_> for Widths {
        fn code<O: Operation>(&mut self, code: &Code<O>) {
            if let Code::Copy { elem, .. } = code {
                self.0.insert(elem.bytes());
            }
            look_at_code(self, code);
        }
        fn expr(&mut self, _: &Expr) {}
    }
    let mut widths = Widths::default();
    for body in program.functions.iter().map(|f| &f.body).chain([&program.init]) {
        widths.code(body);
    }
    widths.0
}
