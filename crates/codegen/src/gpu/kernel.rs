//! Kernels, and the functions they call, as text in a C that both CUDA and
//! OpenCL understand; what differs is behind macros of the runtime, or for an [`Api`] to say.
//!
//! ```text
//! KERNEL main_segmap_17(GLOBAL float *xs_0_p, GLOBAL float *ys_1_p, int64_t n_2) {
//!   int64_t i_3 = BLOCK_ID * BLOCK_SIZE + LOCAL_ID;
//!   if (i_3 < n_2) { ys_1_p[i_3] = xs_0_p[i_3] + 1.0f; }
//! }
//! ```
//!
//! A check that fails puts its number and values where the host will find them; the first one
//! wins. Then the thread leaves: the kernel, or where threads wait for each other, the region around.

use super::api::Api;
use super::local;
use super::threads::Threads;
use crate::c::context::Context;
use crate::c::ctype;
use crate::c::expr::Prec;
use crate::c::fun::static_elements;
use crate::c::stm::StmPrinter;
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue};
use fehu_base::{bug, Name};
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{ArrayData, Code, DeviceFunction, Kernel, KernelOp, Param, Qualifier};
use fehu_impopt::kernel_facts::{BlockSize, KernelFacts};
use fehu_impopt::usage::{Access, Usage};
use rustc_hash::{FxHashMap, FxHashSet};

/// All kernels and the functions that they call.
pub(super) struct Kernels<'a> {
    pub(super) text: String,
    /// What each kernel is called: equal ones are one.
    pub(super) names: Vec<&'a str>,
}

/// All kernels and the functions that they call.
pub(super) fn kernels<'a, A: Api>(context: &'a Context) -> Kernels<'a> {
    let (program, analysis) = (context.program, context.analysis);
    let mut out = String::new();
    for f in &program.device_functions {
        out.push_str(&format!("{};\n", prototype(context, f)));
    }
    for (f, usage) in program.device_functions.iter().zip(&analysis.device_functions) {
        out.push_str(&statics(context, usage));
        let body = function_body::<A>(context, f, usage);
        out.push_str(&format!("\n{} {{\n{body}}}\n", prototype(context, f)));
    }
    let mut global: FxHashSet<Name> = program.device_functions.iter().map(|f| f.name).collect();
    for (usage, _) in &analysis.kernels {
        global.extend(usage.statics.iter().map(|(m, _)| *m));
    }
    let mut printed: FxHashMap<[String; 2], &str> = FxHashMap::default();
    let mut names = vec![];
    for (kernel, (usage, facts)) in program.kernels.iter().zip(&analysis.kernels) {
        let [head, rest] = kernel_text::<A>(context, kernel, facts, usage);
        let text = [head, local::renumbered(context, &rest, &global)];
        let name = *printed.entry(text).or_insert_with_key(|[head, rest]| {
            let name = context.name(kernel.name);
            out.push_str(&statics(context, usage));
            out.push_str(&format!("\n// {}\n{head} {name}{rest}", kernel.label));
            name
        });
        names.push(name);
    }
    Kernels { text: out, names }
}

/// The first number of a kernel's own checks. In its text, they are counted from there.
pub(super) fn first_check(kernel: &Kernel) -> usize {
    let mut first = None;
    for_each_statement(&kernel.body, &mut |code| {
        if let Code::Op(KernelOp::Check { number, .. }) = code {
            first = Some(first.map_or(*number, |f: usize| f.min(*number)));
        }
    });
    first.unwrap_or(0)
}

/// Constant data, which is a variable of the whole text.
fn statics(context: &Context, usage: &Usage) -> String {
    let declaration = |(m, data): &(Name, std::sync::Arc<ArrayData>)| {
        let name = context.name(*m);
        let (elem, elements) = match bits(data) {
            Some(bits) => (element_type(bits.elem), static_elements(&bits)),
            None => (element_type(data.elem), static_elements(data)),
        };
        format!("CONSTANT {elem} {name}_p{elements}")
    };
    usage.statics.iter().map(declaration).collect()
}

/// The type of an element in memory: kernels cannot share booleans with the host.
pub(super) fn element_type(t: PrimType) -> &'static str {
    match t {
        PrimType::Bool | PrimType::Unit => "uint8_t",
        PrimType::Int(_) | PrimType::Float(_) => ctype::prim(t),
    }
}

/// Floats as bits, if some of them cannot be written as constants.
fn bits(data: &ArrayData) -> Option<ArrayData> {
    let (elem, bits): (IntType, fn(PrimValue) -> PrimValue) = match data.elem {
        PrimType::Float(FloatType::F32) => {
            (IntType::I32, |v| if let PrimValue::F32(v) = v { PrimValue::I32(v.to_bits() as i32) } else { v })
        }
        PrimType::Float(FloatType::F64) => {
            (IntType::I64, |v| if let PrimValue::F64(v) = v { PrimValue::I64(v.to_bits() as i64) } else { v })
        }
        PrimType::Int(_) | PrimType::Float(_) | PrimType::Bool | PrimType::Unit => return None,
    };
    let finite = |v: &PrimValue| match v {
        PrimValue::F32(v) => v.is_finite(),
        PrimValue::F64(v) => v.is_finite(),
        PrimValue::I8(_)
        | PrimValue::I16(_)
        | PrimValue::I32(_)
        | PrimValue::I64(_)
        | PrimValue::F16(_)
        | PrimValue::Bool(_)
        | PrimValue::Unit => true,
    };
    if data.values.iter().all(finite) {
        return None;
    }
    let values = data.values.iter().map(|v| bits(*v)).collect();
    Some(ArrayData { elem: PrimType::Int(elem), values })
}

fn size_text(size: BlockSize) -> String {
    match size {
        BlockSize::Fixed(n) => n.to_string(),
        BlockSize::Param(i) => format!("SIZE_{i}"),
    }
}

/// What stands before the name of a kernel, and after it.
fn kernel_text<A: Api>(
    context: &Context,
    kernel: &Kernel,
    facts: &KernelFacts,
    usage: &Usage,
) -> [String; 2] {
    let threads = Threads::<A>::of_kernel(kernel, facts, usage);
    let mut p = printer(context, usage, threads);
    let params = kernel_params(&p, kernel, facts);
    let block_size = match (&kernel.block_size, facts.block_size) {
        (Some(size), _) => Some(p.exprs.inline(size, Prec::Top)),
        (None, size) => size.map(size_text),
    };
    let (head, block_size) = match block_size {
        Some(size) => match kernel.resident {
            Some(threads) => (format!("KERNEL_RESIDENT({size}, {threads})"), size),
            None => (format!("KERNEL_OF({size})"), size),
        },
        None => {
            let most = facts.most_threads.map(|most| format!("KERNEL_AT_MOST({})", size_text(most)));
            (most.unwrap_or_else(|| "KERNEL".to_owned()), "BLOCK_SIZE".to_owned())
        }
    };
    if !kernel.shared.is_empty() {
        p.line("SHARED_DECLARE");
    }
    p.line(&format!("const int64_t block_size = {block_size};"));
    start_check(&mut p, facts);
    for m in &kernel.shared {
        let (name, ty) = (context.name(*m), p.pointer_type(*m));
        p.line(&format!("{ty}{name}_p = ({ty})(shared_memory + {name}_at);"));
    }
    p.code(&kernel.body);
    let blocks_leave = facts.has_barrier && (facts.stops_after_failure || facts.leaves);
    if blocks_leave && !p.dialect().single_threads_leave {
        p.line("BLOCK_END();");
    }
    [head, format!("({}) {{\n{}}}\n", params.join(", "), p.exprs.out)]
}

/// The parameters of a kernel: what the runtime gives, where its shared arrays are, and its own.
fn kernel_params<A: Api>(p: &StmPrinter<Threads<A>>, kernel: &Kernel, facts: &KernelFacts) -> Vec<String> {
    let context = p.context();
    let mut params = Vec::new();
    if !kernel.shared.is_empty() {
        params.extend(A::SHARED_MEMORY_PARAM.map(str::to_owned));
    }
    if facts.knows_failure() {
        params.push("volatile GLOBAL int32_t *failure".to_owned());
    }
    if facts.can_fail {
        params.push("GLOBAL int64_t *failure_values".to_owned());
        params.push("int32_t launch_number".to_owned());
        params.push("int32_t first_check".to_owned());
    }
    params.extend(kernel.shared.iter().map(|m| format!("int32_t {}_at", context.name(*m))));
    for param in &kernel.params {
        let name = context.name(param.name());
        params.push(match param {
            Param::Scalar(_, t) => format!("{} {name}", element_type(*t)),
            Param::Mem(m, _) => {
                let ty = p.pointer_type(*m);
                match kernel.qualifiers.get(m) {
                    None => format!("{ty}{name}_p"),
                    Some(Qualifier::OnlyRead) => format!("const {ty}RESTRICT {name}_p"),
                    Some(Qualifier::Unaliased) => format!("{ty}RESTRICT {name}_p"),
                }
            }
        });
    }
    params
}

/// A kernel whose accesses depend on data does nothing after another one has failed. Whether that is so, all
/// threads of a block must agree on; failures of the kernel itself do not count, as other blocks may be
/// waiting for this one.
fn start_check<A: Api>(p: &mut StmPrinter<Threads<A>>, facts: &KernelFacts) {
    let launch = if facts.can_fail { "launch_number" } else { "0" };
    let leave = match (facts.stops_after_failure, facts.has_barrier) {
        (true, true) => {
            p.line("ANY_CELL");
            p.line(&format!("ANY_START(failed_before(failure, {launch}))"));
            Some("any_start".to_owned())
        }
        (true, false) => Some(format!("failed_before(failure, {launch})")),
        (false, _) if facts.leaves => {
            p.line("ANY_CELL");
            p.line("ANY_CLEAR");
            None
        }
        (false, _) => None,
    };
    if let Some(cond) = leave {
        p.line(&format!("if ({cond}) {{"));
        p.line("  return;");
        p.line("}");
    }
    if facts.leaves {
        p.line("bool thread_failed = false;");
    }
}

fn prototype(context: &Context, f: &DeviceFunction) -> String {
    let can_fail = context.analysis.failing.contains(&f.name);
    let mut params = Vec::new();
    if can_fail {
        params.push("volatile GLOBAL int32_t *failure".to_owned());
        params.push("GLOBAL int64_t *failure_values".to_owned());
        params.push("int32_t launch_number".to_owned());
    }
    let scalar = |p: &Param, suffix: &str| match p {
        Param::Scalar(x, t) => format!("{} {}{suffix}", ctype::prim(*t), context.name(*x)),
        Param::Mem(m, _) => bug!("{} is a block, but kernels call functions of scalars", context.name(*m)),
    };
    params.extend(f.outputs.iter().map(|o| scalar(o, "_out").replacen(' ', " *", 1)));
    params.extend(f.inputs.iter().map(|i| scalar(i, "")));
    let result = if can_fail { "bool" } else { "void" };
    format!("DEVICE_FUN {result} {}({})", context.name(f.name), params.join(", "))
}

fn function_body<A: Api>(context: &Context, f: &DeviceFunction, usage: &Usage) -> String {
    let mut p = printer(context, usage, Threads::<A>::of_function(usage));
    for output in &f.outputs {
        if let Param::Scalar(x, t) = output {
            p.code(&Code::DeclareScalar(*x, *t));
        }
    }
    p.code(&f.body);
    p.flush_pending();
    for output in &f.outputs {
        p.line(&format!("*{0}_out = {0};", context.name(output.name())));
    }
    if context.analysis.failing.contains(&f.name) {
        p.line("return false;");
    }
    p.exprs.out
}

/// A printer of kernel code. Constant data that is written as bits is read as what it is.
fn printer<'a, A: Api>(
    context: &'a Context<'a>,
    usage: &'a Usage,
    threads: Threads<A>,
) -> StmPrinter<'a, Threads<A>> {
    let mut p = StmPrinter::new(context, usage, threads);
    for (m, data) in &usage.statics {
        if bits(data).is_some() {
            p.exprs.access.insert(*m, Access::Mixed);
        }
    }
    p
}
