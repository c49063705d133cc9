//! Programs for GPUs: host code in C, kernels as text that the driver compiles when
//! the program starts.
//!
//! In: an imperative program whose parallel work is in `kernels`, started by
//! `Launch`, and what is known of it. Out: the same texts as for sequential C, with the same interface.
//!
//! - [`driver`] is the dialect of the host: launches, and access to blocks that the device has.
//! - [`kernel`] prints kernels, in the dialect of [`threads`]; [`failure`] prints the messages of their checks.
//! - [`api`] is what OpenCL and CUDA say each in their own way: [`opencl`], [`cuda`].
//! - All go through the printers of [`crate::c`]; all else of the text is the runtime in `crates/codegen/rts/gpu`,
//!   with `crates/codegen/rts/opencl` or `crates/codegen/rts/cuda` below it.

pub(crate) mod api;
pub(crate) mod cuda;
mod driver;
mod failure;
mod kernel;
mod local;
pub(crate) mod opencl;
mod rts;
mod threads;

use crate::c::context::Context;
use crate::c::whole::{self, Parts};
use crate::c::{fun, literal, tables};
use crate::{Options, Output};
use api::Api;
use driver::Driver;
use fehu_base::device;
use fehu_imp::syntax::{Program, TuningParam};
use fehu_impopt::Analysis;
use std::collections::BTreeSet;

/// The texts for a program.
pub(crate) fn generate<A: Api>(program: &Program, analysis: &Analysis, options: &Options) -> Output {
    let context = Context::new(program, analysis, options.backtrace);
    let widths = &analysis.copied_widths;
    let changes = A::KERNEL_CHANGES.filter(|_| analysis.host_changes);
    let mut code = tables::params(program);
    code.push_str(&format!(
        "#define HAS_RECURSION {}\n#define NUM_KERNELS {}\n#define MAX_FAILURE_VALUES {}\n",
        u8::from(context.has_recursion()),
        program.kernels.len() + COPY_KERNELS.len() * widths.len() + usize::from(changes.is_some()),
        failure::max_values(&program.checks),
    ));
    code.push_str(&rts::library::<A>());
    let kernels = kernel::kernels::<A>(&context);
    code.push_str(&kernel_table(&context, &kernels.names, widths, changes.is_some()));
    let (prelude, copies, changes) =
        (rts::kernel_prelude::<A>(), copy_text(widths), changes.unwrap_or_default());
    code.push_str(&kernel_strings(&format!(
        "{}{prelude}\n{changes}{copies}{}",
        sizes(program),
        kernels.text
    )));
    code.push_str(&fun::globals_struct(&context));
    code.push_str(rts::MEMORY);
    code.push_str(crate::c::rts::CONTEXT);
    code.push_str(&rts::device::<A>());
    code.push_str(&fun::functions(&context, Driver::new));
    code.push_str(&failure::messages(&context));
    code.push_str(&context.place_table());
    let parts = Parts { backend: A::BACKEND, code, options: rts::options::<A>(), apply: rts::apply::<A>() };
    whole::text(&context, options, &parts)
}

/// The sizes of blocks and tiles that the text uses; the host puts others before it.
fn sizes(program: &Program) -> String {
    let define = |(i, p): (usize, &TuningParam)| {
        let usual = match p.class.as_str() {
            "thread_block_size" => device::BLOCK_THREADS,
            "tile_size" => device::TILE_SIDE,
            "reg_tile_size" => device::REGISTER_TILE_SIDE,
            _ => return None,
        };
        Some(format!("#ifndef SIZE_{i}\n#define SIZE_{i} {usual}\n#endif\n"))
    };
    program.params.iter().enumerate().filter_map(define).collect()
}

fn copy_text(widths: &BTreeSet<u64>) -> String {
    if widths.is_empty() {
        return String::new();
    }
    let uses: String = widths.iter().map(|w| format!("COPY_KERNELS({w}, uint{}_t)\n", 8 * w)).collect();
    format!("{}\n{uses}", rts::KERNEL_COPY)
}

/// The kernels of copies, for each width of elements.
const COPY_KERNELS: [&str; 4] = ["copy_elements", "copy_matrices", "copy_whole", "copy_transposed"];

/// The kernels of the program, then those of copies, and where these are by width; then the one that changes memory.
fn kernel_table(context: &Context, names: &[&str], widths: &BTreeSet<u64>, changes: bool) -> String {
    let mut out = String::from("static const struct kernel_info kernel_infos[] = {\n");
    let (kernels, facts) = (&context.program.kernels, &context.analysis.kernels);
    for ((kernel, (_, facts)), name) in kernels.iter().zip(facts).zip(names) {
        out.push_str(&format!(
            "    {{{}, {}, {}, {}, {}, {}, {}}},\n",
            literal::string(name),
            literal::string(kernel.label.as_str()),
            context.place(&kernel.loc),
            !kernel.shared.is_empty(),
            facts.knows_failure(),
            facts.can_fail,
            kernel::first_check(kernel),
        ));
    }
    let mut tables = [[-1; 9]; COPY_KERNELS.len()];
    let mut next = context.program.kernels.len() as i64;
    for w in widths {
        for (name, table) in COPY_KERNELS.iter().zip(&mut tables) {
            out.push_str(&format!("    {{\"{name}_w{w}\", \"{name}_w{w}\", -1, false, false, false, 0}},\n"));
            table[*w as usize] = next;
            next += 1;
        }
    }
    if changes {
        out.push_str("    {\"change_memory\", \"change_memory\", -1, false, false, false, 0},\n");
    }
    out.push_str("    {NULL, NULL, -1, false, false, false, 0},\n};\n");
    out.push_str(&format!("#define CHANGES_KERNEL ({})\n", if changes { next } else { -1 }));
    for (name, table) in COPY_KERNELS.iter().zip(tables) {
        let list = table.map(|i| i.to_string()).join(", ");
        out.push_str(&format!("static UNUSED const int {name}_kernels[] = {{{list}}};\n"));
    }
    out.push('\n');
    out
}

/// The kernel text as strings that every C compiler takes.
fn kernel_strings(text: &str) -> String {
    const LINES: usize = 40;
    let mut out = String::from("static const char *const kernel_text[] = {\n");
    let lines: Vec<&str> = text.lines().collect();
    for group in lines.chunks(LINES) {
        for line in group {
            // Half of what it is indented by: some programs have more kernels than anything else.
            let text = line.trim_start();
            let indent = (line.len() - text.len()) / 2;
            out.push_str(&literal::string(&format!("{:indent$}{text}\n", "")));
            out.push('\n');
        }
        out.push_str(",\n");
    }
    out.push_str("NULL};\n\n");
    out
}
