//! Functions, constant data and the program's global values as C text.

use super::context::Context;
use super::ctype;
use super::host::{HostDialect, Static};
use super::literal;
use super::stm::{pointer_type, Dialect, StmPrinter};
use fehu_base::Name;
use fehu_imp::syntax::{ArrayData, Code, Function, HostOp, Param, Space};
use fehu_impopt::usage::{Access, Usage};

/// How a program keeps its constant data.
pub(crate) trait Statics {
    /// What follows the data of this name and size.
    fn declaration(name: &str, bytes: u64) -> String;
    /// What follows all of it: the names and sizes.
    fn table(all: &[(String, u64)]) -> String;
    /// What is done with it when a context is made, and when it goes.
    const CREATE: &'static str;
    const DESTROY: &'static str;
}

/// The structure that holds the program's global values, in each context.
pub(crate) fn globals_struct(context: &Context) -> String {
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

/// All functions, after the constant data they read. `dialect` makes the dialect of a function that reads
/// global values, or sets them.
pub(crate) fn functions<D: HostDialect + Statics + Dialect<Op = HostOp>>(
    context: &Context,
    dialect: impl Fn(ReadsGlobals) -> D,
) -> String {
    let (program, analysis) = (context.program, context.analysis);
    let mut statics = StaticTexts::default();
    let mut prototypes = String::new();
    let mut bodies = String::new();
    for (f, usage) in program.functions.iter().zip(&analysis.functions) {
        prototypes.push_str(&format!("{};\n", prototype(context, f)));
        let checks_stack = analysis.recursive.contains(&f.name);
        let place = Place { out_prefix: "", captured: &[], checks_stack };
        let params = (f.outputs.as_slice(), f.inputs.as_slice());
        let text = body(context, dialect(ReadsGlobals::Yes), params, &f.body, &place, usage);
        statics.add::<D>(context, &text.statics);
        bodies.push_str(&text.loops);
        bodies.push_str(&format!("\n{} {{\n{}}}\n", prototype(context, f), text.body));
    }
    let place = Place { out_prefix: "ctx->globals.", captured: &[], checks_stack: false };
    let params = (program.globals.as_slice(), [].as_slice());
    let init = body(context, dialect(ReadsGlobals::No), params, &program.init, &place, &analysis.init);
    statics.add::<D>(context, &init.statics);
    bodies.push_str(&init.loops);
    let mut keep = String::new();
    let mut destroy = String::new();
    for global in &program.globals {
        if let Param::Mem(m, _) = global {
            keep.push_str(&format!("  block_keep(ctx->globals.{});\n", context.name(*m)));
            destroy.push_str(&format!("  block_drop(ctx, ctx->globals.{});\n", context.name(*m)));
        }
    }
    destroy.push_str(D::DESTROY);
    let (begin, statics) = (D::CREATE, statics.text::<D>());
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

/// Whether the program's global values are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReadsGlobals {
    /// They are.
    Yes,
    /// The function computes them.
    No,
}

/// What distinguishes the kinds of functions.
pub(crate) struct Place<'a> {
    /// Where outputs go: to members of this, or if empty, where parameters point.
    pub(crate) out_prefix: &'static str,
    /// What comes from outside, as members of `args`.
    pub(crate) captured: &'a [Param],
    /// Whether it makes sure that there is stack left.
    pub(crate) checks_stack: bool,
}

/// The texts of a function with these outputs and inputs.
pub(crate) fn body<'a, D: HostDialect>(
    context: &'a Context<'a>,
    dialect: D,
    (outputs, inputs): (&[Param], &[Param]),
    code: &Code<D::Op>,
    place: &Place,
    usage: &'a Usage,
) -> FunText {
    let can_fail = usage.can_fail || place.checks_stack;
    let reads_globals = dialect.reads_globals();
    let mut p = StmPrinter::new(context, usage, dialect);
    p.line("(void)ctx;");
    if can_fail {
        p.line("int err = FUTHARK_SUCCESS;");
    }
    for input in inputs {
        bind_input(&mut p, input, None);
    }
    for input in place.captured {
        bind_input(&mut p, input, Some("args->"));
    }
    if reads_globals {
        bind_globals(&mut p);
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
        let name = context.name(output.name());
        match place.out_prefix {
            "" => p.line(&format!("*{name}_out = {name};")),
            prefix => p.line(&format!("{prefix}{name} = {name};")),
        }
        if matches!(output, Param::Mem(..)) && can_fail {
            p.line(&format!("{name} = NULL;"));
        }
    }
    if can_fail {
        p.exprs.out.push_str("cleanup: UNUSED;\n");
        let outputs = outputs.iter().filter(|o| matches!(o, Param::Mem(..))).map(Param::name);
        let owned = hoisted.map(|(m, _)| *m).filter(|m| !usage.borrowed.contains(m));
        for m in owned.chain(outputs) {
            p.line(&format!("block_drop(ctx, {});", context.name(m)));
        }
        p.line("return err;");
    } else {
        for m in p.top_blocks().iter().filter(|m| !usage.borrowed.contains(m)).copied().collect::<Vec<_>>() {
            p.line(&format!("block_drop(ctx, {});", context.name(m)));
        }
        p.line("return FUTHARK_SUCCESS;");
    }
    let body = std::mem::take(&mut p.exprs.out);
    let (more, loops) = p.exprs.dialect.needs();
    FunText { statics: usage.statics.iter().cloned().chain(more).collect(), loops, body }
}

/// The pieces of a function's text.
pub(crate) struct FunText {
    /// The constant data it reads.
    pub(crate) statics: Vec<Static>,
    /// Functions made of its loops and tasks.
    pub(crate) loops: String,
    /// Its statements.
    pub(crate) body: String,
}

/// Makes the global values that are used known to the body.
fn bind_globals<D: HostDialect>(p: &mut StmPrinter<D>) {
    let context = p.context();
    let used = p.usage.needed.union(&p.usage.mentioned);
    let mut globals: Vec<&Param> = used.filter_map(|x| context.global(*x)).collect();
    globals.sort_by_key(|g| g.name());
    for global in globals {
        bind_input(p, global, Some("ctx->globals."));
    }
}

pub(crate) fn declare_block<D: HostDialect>(p: &mut StmPrinter<D>, m: Name) {
    let name = p.context().name(m);
    p.line(&format!("struct block *{name} = NULL;"));
    if let Some(access) = p.usage.access.get(&m) {
        p.line(&format!("{}{name}_p = NULL;", pointer_type(*access)));
    }
}

/// Makes a parameter, or a global value, known to the body.
fn bind_input<D: HostDialect>(p: &mut StmPrinter<D>, input: &Param, place: Option<&str>) {
    let x = input.name();
    let name = p.context().name(x);
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
pub(crate) fn bind_static<D: HostDialect>(p: &mut StmPrinter<D>, m: Name) {
    let name = p.context().name(m);
    if !p.usage.mentioned.contains(&m) {
        return;
    }
    p.line(&format!("struct block *{name} = {};", D::static_block(name)));
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
struct StaticTexts {
    text: String,
    /// The name and the bytes of each.
    all: Vec<(String, u64)>,
}

impl StaticTexts {
    fn add<D: Statics>(&mut self, context: &Context, statics: &[Static]) {
        for (m, data) in statics {
            let (name, elem) = (context.name(*m), ctype::prim(data.elem));
            let bytes = data.values.len() as u64 * data.elem.bytes();
            self.text.push_str(&format!("static UNUSED const {elem} {name}_data{}", static_elements(data)));
            self.text.push_str(&D::declaration(name, bytes));
            self.all.push((name.to_owned(), bytes));
        }
    }

    fn text<D: Statics>(self) -> String {
        format!("{}{}", self.text, D::table(&self.all))
    }
}

/// The size and the elements of a declaration of constant data.
pub(crate) fn static_elements(data: &ArrayData) -> String {
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
