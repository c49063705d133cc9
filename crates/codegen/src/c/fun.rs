//! Functions, constant data and the program's global values as C text.

use super::alias::Aliases;
use super::ctype;
use super::expr::ExprPrinter;
use super::literal;
use super::names;
use super::recursion::recursive_functions;
use super::stm::{pointer_type, StmPrinter};
use super::usage::{params_and_calls, Access, Usage};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name, Symbol};
use fehu_imp::syntax::{ArrayData, Code, Function, Loc, Param, Program, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::sync::Arc;

/// Where code runs, and where the blocks that it touches are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Everything is on the host.
    Host,
    /// On the host, but blocks in the default space are in the memory of a device.
    Driver,
    /// On a device, as part of a kernel.
    Kernel,
}

/// What printing needs to know of the whole program.
#[derive(Clone)]
pub struct Context<'a> {
    /// Where the code runs.
    pub dialect: Dialect,
    /// Parameters of kernels that are no other's memory, as far as launches have been printed.
    pub apart: RefCell<FxHashMap<Name, FxHashSet<Name>>>,
    /// The address spaces of blocks, where the language needs to know: `GLOBAL `.
    pub qualifiers: FxHashMap<Name, &'static str>,
    /// The program.
    pub program: &'a Program,
    /// The places of a location.
    pub backtrace: &'a dyn Fn(&Loc) -> Vec<String>,
    functions: FxHashMap<Name, &'a Function>,
    kernels: FxHashMap<Name, usize>,
    params: FxHashMap<Symbol, usize>,
    globals: FxHashMap<Name, PrimType>,
    recursive: FxHashSet<Name>,
    identifiers: Vec<String>,
}

impl<'a> Context<'a> {
    /// The context of a program.
    pub fn new(
        program: &'a Program,
        backtrace: &'a dyn Fn(&Loc) -> Vec<String>,
        dialect: Dialect,
    ) -> Context<'a> {
        let functions = program.functions.iter().map(|f| (f.name, f)).collect();
        let kernels = program.kernels.iter().enumerate().map(|(i, k)| (k.name, i)).collect();
        let params = program.params.iter().enumerate().map(|(i, p)| (p.name, i)).collect();
        let count = program.names.len() as u32;
        let identifiers = (0..count).map(|i| names::identifier(&program.names, Name(i))).collect();
        let globals = program.globals.iter().filter_map(|g| match g {
            Param::Scalar(x, t) => Some((*x, *t)),
            Param::Mem(..) => None,
        });
        let recursive = recursive_functions(program);
        Context {
            dialect,
            apart: RefCell::default(),
            qualifiers: FxHashMap::default(),
            program,
            backtrace,
            functions,
            kernels,
            params,
            globals: globals.collect(),
            recursive,
            identifiers,
        }
    }

    /// The context for kernels, whose blocks are in these address spaces.
    pub fn for_kernels(&self, qualifiers: FxHashMap<Name, &'static str>) -> Context<'a> {
        Context { dialect: Dialect::Kernel, qualifiers, ..self.clone() }
    }

    /// The address space of a block, ready for a type to follow.
    pub fn qualifier(&self, mem: Name) -> &'static str {
        self.qualifiers.get(&mem).copied().unwrap_or("")
    }

    /// The type of an element in memory: kernels cannot share booleans with the host.
    pub fn element_type(&self, t: PrimType) -> &'static str {
        match (self.dialect, t) {
            (Dialect::Kernel, PrimType::Bool | PrimType::Unit) => "uint8_t",
            _ => ctype::prim(t),
        }
    }

    /// The identifier of a name.
    pub fn name(&self, name: Name) -> &str {
        match self.identifiers.get(name.0 as usize) {
            Some(text) => text,
            None => bug!("the name {name:?} is not of this program"),
        }
    }

    /// A function.
    pub fn function(&self, fun: Name) -> &'a Function {
        match self.functions.get(&fun) {
            Some(function) => function,
            None => bug!("a call of {}, which does not exist", self.name(fun)),
        }
    }

    /// The number of a kernel.
    pub fn kernel_index(&self, kernel: Name) -> usize {
        match self.kernels.get(&kernel) {
            Some(index) => *index,
            None => bug!("a launch of {}, which does not exist", self.name(kernel)),
        }
    }

    /// Whether any function is recursive.
    pub fn has_recursion(&self) -> bool {
        !self.recursive.is_empty()
    }

    /// The type of a global scalar.
    pub fn global_type(&self, x: Name) -> PrimType {
        match self.globals.get(&x) {
            Some(t) => *t,
            None => bug!("{} is not declared", self.name(x)),
        }
    }

    /// The number of a tuning parameter.
    pub fn param_index(&self, param: Symbol) -> usize {
        match self.params.get(&param) {
            Some(i) => *i,
            None => bug!("the tuning parameter {param} does not exist"),
        }
    }
}

/// The structure that holds the program's global values, in each context.
pub fn globals_struct(context: &Context) -> String {
    let mut out = String::from("struct globals {\n");
    for global in &context.program.globals {
        match global {
            Param::Scalar(x, t) => out.push_str(&format!("  {} {};\n", ctype::prim(*t), context.name(*x))),
            Param::Mem(m, _) => out.push_str(&format!("  struct block *{};\n", context.name(*m))),
        }
    }
    out.push_str("  int unused;\n};\n");
    out
}

/// All functions, after the constant data they read.
pub fn functions(context: &Context) -> String {
    let program = context.program;
    let mut statics = Statics::default();
    let mut prototypes = String::new();
    let mut bodies = String::new();
    let no_globals = FxHashMap::default();
    let globals = program.globals.iter().map(|g| (name_of(g), g)).collect();
    for f in &program.functions {
        prototypes.push_str(&format!("{};\n", prototype(context, f)));
        let recursive = context.recursive.contains(&f.name);
        let usage = Usage::of(&f.body, &f.outputs, &f.inputs);
        let place = Place { out_prefix: "", captured: &[], checks_stack: recursive };
        let params = (f.outputs.as_slice(), f.inputs.as_slice());
        let text = body(context, &globals, params, &f.body, &place, usage, Aliases::of(&f.body));
        statics.add(context, &text.statics);
        bodies.push_str(&text.loops);
        bodies.push_str(&format!("\n{} {{\n{}}}\n", prototype(context, f), text.body));
    }
    let usage = Usage::of(&program.init, &program.globals, &[]);
    let place = Place { out_prefix: "ctx->globals.", captured: &[], checks_stack: false };
    let params = (program.globals.as_slice(), [].as_slice());
    let init = body(context, &no_globals, params, &program.init, &place, usage, Aliases::of(&program.init));
    statics.add(context, &init.statics);
    bodies.push_str(&init.loops);
    let mut keep = String::new();
    let mut destroy = String::new();
    for global in &program.globals {
        if let Param::Mem(m, _) = global {
            keep.push_str(&format!("  block_keep(ctx->globals.{});\n", context.name(*m)));
            destroy.push_str(&format!("  block_drop(ctx, ctx->globals.{});\n", context.name(*m)));
        }
    }
    let (mut begin, statics) = (String::new(), statics.text(context.dialect));
    if context.dialect == Dialect::Driver {
        begin.push_str(
            "  int found = statics_create(ctx, static_table, NUM_STATICS);\n\
             \x20 if (found != FUTHARK_SUCCESS) {\n    return found;\n  }\n",
        );
        destroy.push_str("  statics_destroy(ctx);\n");
    }
    format!(
        "// Constant data.\n\n{statics}\n// The program.\n\n{prototypes}{bodies}\n\
         static UNUSED int globals_compute(struct futhark_context *ctx) {{\n{}}}\n\n\
         static int globals_create(struct futhark_context *ctx) {{\n{begin}\
         \x20 int err = globals_compute(ctx);\n{keep}  return err;\n}}\n\n\
         static void globals_destroy(struct futhark_context *ctx) {{\n  (void)ctx;\n{destroy}}}\n",
        init.body
    )
}

/// The head of a function: the context, where to put the outputs, the inputs.
fn prototype(context: &Context, f: &Function) -> String {
    let mut out = format!("static UNUSED int {}(struct futhark_context *ctx", context.name(f.name));
    for output in &f.outputs {
        match output {
            Param::Scalar(x, t) => out.push_str(&format!(", {} *{}_out", ctype::prim(*t), context.name(*x))),
            Param::Mem(m, _) => out.push_str(&format!(", struct block **{}_out", context.name(*m))),
        }
    }
    for input in &f.inputs {
        match input {
            Param::Scalar(x, t) => out.push_str(&format!(", {} {}", ctype::prim(*t), context.name(*x))),
            Param::Mem(m, _) => out.push_str(&format!(", struct block *{}", context.name(*m))),
        }
    }
    out.push(')');
    out
}

/// What distinguishes the kinds of functions.
pub(super) struct Place<'a> {
    /// Where outputs go: to members of this, or if empty, where parameters point.
    pub(super) out_prefix: &'static str,
    /// What comes from outside, as members of `args`.
    pub(super) captured: &'a [Param],
    /// Whether it makes sure that there is stack left.
    pub(super) checks_stack: bool,
}

/// The texts of a function with these outputs and inputs.
pub(super) fn body(
    context: &Context,
    globals: &FxHashMap<Name, &Param>,
    (outputs, inputs): (&[Param], &[Param]),
    code: &Code,
    place: &Place,
    mut usage: Usage,
    aliases: Aliases,
) -> FunText {
    usage.can_fail |= place.checks_stack;
    if context.dialect == Dialect::Driver {
        // Devices can fail at any time, and only they see their memory.
        usage.can_fail = true;
        let local = usage.blocks.iter().filter(|(_, space)| matches!(space, Space::Scalar(..)));
        let visible: FxHashSet<Name> =
            local.map(|(m, _)| *m).chain(usage.statics.iter().map(|(m, _)| *m)).collect();
        usage.access.retain(|m, _| visible.contains(m));
    }
    let usage = usage;
    let exprs = ExprPrinter { out: String::new(), context, access: usage.access.clone() };
    let mut p = StmPrinter::new(exprs, &usage, aliases);
    p.globals = Some(globals);
    if context.dialect == Dialect::Driver {
        p.outlined = None;
    }

    p.line("(void)ctx;");
    if usage.can_fail {
        p.line("int err = FUTHARK_SUCCESS;");
    }
    for input in inputs {
        bind_input(&mut p, input, None);
    }
    for input in place.captured {
        bind_input(&mut p, input, Some("args->"));
    }
    let mut used_globals: Vec<&Param> =
        usage.needed.union(&usage.mentioned).filter_map(|x| globals.get(x).copied()).collect();
    used_globals.sort_by_key(|g| name_of(g));
    for global in used_globals {
        bind_input(&mut p, global, Some("ctx->globals."));
    }
    for (m, _) in &usage.statics {
        bind_static(&mut p, *m);
    }
    for output in outputs {
        match output {
            Param::Scalar(x, t) => p.code(&Code::DeclareScalar(*x, *t)),
            Param::Mem(m, _) => declare_block(&mut p, *m),
        }
    }
    let hoisted = usage.blocks.iter().filter(|(_, space)| !matches!(space, Space::Scalar(..)));
    hoisted.clone().for_each(|(m, _)| declare_block(&mut p, *m));

    if place.checks_stack {
        p.line("if (UNLIKELY(stack_is_full(ctx))) {");
        p.line("  err = fail_stack(ctx);");
        p.line("  goto cleanup;");
        p.line("}");
    }
    p.code(code);
    p.flush_pending();
    for output in outputs {
        let name = context.name(name_of(output));
        match place.out_prefix {
            "" => p.line(&format!("*{name}_out = {name};")),
            prefix => p.line(&format!("{prefix}{name} = {name};")),
        }
        if matches!(output, Param::Mem(..)) && usage.can_fail {
            p.line(&format!("{name} = NULL;"));
        }
    }
    if usage.can_fail {
        p.exprs.out.push_str("cleanup: UNUSED;\n");
        let outputs = outputs.iter().filter(|o| matches!(o, Param::Mem(..))).map(name_of);
        for m in hoisted.map(|(m, _)| *m).chain(outputs) {
            p.line(&format!("block_drop(ctx, {});", context.name(m)));
        }
        p.line("return err;");
    } else {
        for m in p.top_blocks().to_vec() {
            p.line(&format!("block_drop(ctx, {});", context.name(m)));
        }
        p.line("return FUTHARK_SUCCESS;");
    }
    let statics = usage.statics.iter().cloned().chain(p.statics).collect();
    FunText { statics, loops: p.outlined.unwrap_or_default(), body: p.exprs.out }
}

/// The pieces of a function's text.
pub(super) struct FunText {
    /// The constant data it reads.
    pub(super) statics: Vec<(Name, Arc<ArrayData>)>,
    /// Functions made of its loops and tasks.
    pub(super) loops: String,
    /// Its statements.
    pub(super) body: String,
}

fn declare_block(p: &mut StmPrinter, m: Name) {
    let name = p.exprs.context.name(m);
    p.line(&format!("struct block *{name} = NULL;"));
    if let Some(access) = p.usage.access.get(&m) {
        p.line(&format!("{}{name}_p = NULL;", pointer_type(*access)));
    }
}

/// Makes a parameter, or a global value, known to the body.
fn bind_input(p: &mut StmPrinter, input: &Param, place: Option<&str>) {
    let x = name_of(input);
    let name = p.exprs.context.name(x);
    match (input, place) {
        (Param::Scalar(..), None) => {
            if !p.usage.needed.contains(&x) {
                p.line(&format!("(void){name};"));
            }
        }
        (Param::Scalar(_, t), Some(place)) => p.line(&format!("{} {name} = {place}{name};", ctype::prim(*t))),
        (Param::Mem(..), place) => {
            match place {
                Some(place) => p.line(&format!("struct block *{name} = {place}{name};")),
                None if !p.usage.mentioned.contains(&x) => p.line(&format!("(void){name};")),
                None => {}
            }
            if let Some(access) = p.usage.access.get(&x) {
                let t = pointer_type(*access);
                p.line(&format!("{t}{name}_p = ({t})block_data({name});"));
            }
        }
    }
}

/// Makes constant data known to the body that reads it.
fn bind_static(p: &mut StmPrinter, m: Name) {
    let name = p.exprs.context.name(m);
    if !p.usage.mentioned.contains(&m) {
        return;
    }
    match p.exprs.context.dialect {
        Dialect::Host | Dialect::Kernel => p.line(&format!("struct block *{name} = &{name}_block;")),
        Dialect::Driver => p.line(&format!("struct block *{name} = ctx->device.statics[{name}_static];")),
    }
    p.line(&format!("(void){name};"));
    match p.usage.access.get(&m) {
        Some(Access::As(t)) => p.line(&format!("const {} *{name}_p = {name}_data;", ctype::prim(*t))),
        Some(Access::Mixed) => {
            p.line(&format!("const unsigned char *{name}_p = (const unsigned char *){name}_data;"))
        }
        None => {}
    }
}

/// Constant data that has been printed.
#[derive(Default)]
struct Statics {
    text: String,
    /// The name and the bytes of each.
    all: Vec<(String, u64)>,
}

impl Statics {
    fn add(&mut self, context: &Context, statics: &[(Name, Arc<ArrayData>)]) {
        for (m, data) in statics {
            let (name, elem) = (context.name(*m), ctype::prim(data.elem));
            let bytes = data.values.len() as u64 * data.elem.bytes();
            self.text.push_str(&format!("static UNUSED const {elem} {name}_data{}", static_elements(data)));
            if context.dialect == Dialect::Host {
                self.text.push_str(&format!(
                    "static UNUSED struct block {name}_block = {{.refs = STATIC_BLOCK, .size = {bytes}, \
                     .mem = (unsigned char *){name}_data, .constant = true}};\n"
                ));
            }
            self.all.push((name.to_owned(), bytes));
        }
    }

    /// The data, and for a device, a table of it.
    fn text(mut self, dialect: Dialect) -> String {
        if dialect == Dialect::Driver {
            let numbers: String = self.all.iter().map(|(name, _)| format!("{name}_static, ")).collect();
            let rows: String =
                self.all.iter().map(|(name, bytes)| format!("{{{name}_data, {bytes}}}, ")).collect();
            self.text.push_str(&format!(
                "enum {{ {numbers}NUM_STATICS }};\n\
                 static const struct static_data static_table[] = {{{rows}{{NULL, 0}}}};\n"
            ));
        }
        self.text
    }
}

/// The size and the elements of a declaration of constant data.
pub fn static_elements(data: &ArrayData) -> String {
    const PER_LINE: usize = 16;
    let count = data.values.len();
    let mut out = format!("[{}] = {{\n", count.max(1));
    for line in data.values.chunks(PER_LINE) {
        out.push_str("  ");
        for v in line {
            out.push_str(&literal::element(*v));
            out.push_str(", ");
        }
        out.push('\n');
    }
    if count == 0 {
        out.push_str("  0\n");
    }
    out.push_str("};\n");
    out
}

/// The name of a parameter.
pub fn name_of(p: &Param) -> Name {
    match p {
        Param::Scalar(x, _) => *x,
        Param::Mem(m, _) => *m,
    }
}

/// The tuning parameters that a function may ask for, itself or through calls, in order.
pub fn params_of(context: &Context, fun: Name) -> Vec<usize> {
    if context.program.params.is_empty() {
        return Vec::new();
    }
    let functions: FxHashMap<Name, &Function> =
        context.program.functions.iter().map(|f| (f.name, f)).collect();
    let mut seen = FxHashSet::default();
    let mut params = std::collections::BTreeSet::new();
    let mut rest = vec![fun];
    while let Some(f) = rest.pop() {
        if seen.insert(f) {
            if let Some(f) = functions.get(&f) {
                let mut param = |p| {
                    params.insert(context.param_index(p));
                };
                params_and_calls(&f.body, &mut param, &mut |c| rest.push(c));
            }
        }
    }
    params.into_iter().collect()
}
