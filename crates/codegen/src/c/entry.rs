//! Entry points as C functions: they take the values apart, check that sizes
//! agree, call the program's function, and put the result together.

use super::api;
use super::context::Context;
use super::ctype;
use super::names;
use super::types::{type_id, Leaf, TypeTable};
use fehu_base::prim::PrimType;
use fehu_base::{Name, Symbol};
use fehu_imp::syntax::{Entry, EntryValue, Expr, Function, Param, Program};
use fehu_impopt::Memory;
use fehu_ir::{EntryPoint, EntryType};
use rustc_hash::{FxHashMap, FxHashSet};

/// An entry point, printed.
pub(crate) struct EntryText<'a> {
    /// What it shows.
    pub(crate) face: &'a EntryPoint,
    /// The attributes of its declaration, without brackets.
    pub(crate) attributes: Vec<String>,
    /// The C function.
    pub(crate) cfun: String,
    /// The head of the C function.
    pub(crate) head: String,
    /// The C function, and one that calls it with arguments of any type.
    pub(crate) code: String,
    /// The tuning parameters that matter to it: their numbers, and their names.
    pub(crate) params: Vec<(usize, Symbol)>,
}

/// All entry points, in the order of their names.
pub(crate) fn entries<'a>(
    program: &'a Program,
    types: &TypeTable,
    context: &Context,
    memory: Memory,
) -> Vec<EntryText<'a>> {
    let mut entries: Vec<EntryText> = program
        .functions
        .iter()
        .filter_map(|f| f.entry.as_ref().map(|entry| entry_text(program, types, context, memory, f, entry)))
        .collect();
    entries.sort_by_key(|e| e.face.name.as_str());
    entries
}

/// The function that calls an entry point for the command line and the server.
pub(crate) fn caller(face: &EntryPoint) -> String {
    format!("call_{}", names::public(face.name.as_str()))
}

fn entry_text<'a>(
    program: &'a Program,
    types: &TypeTable,
    context: &Context,
    memory: Memory,
    f: &Function,
    entry: &'a Entry,
) -> EntryText<'a> {
    let face = &entry.face;
    let cfun = format!("futhark_entry_{}", names::public(face.name.as_str()));
    let ins: Vec<(String, &EntryType)> =
        face.params.iter().enumerate().map(|(i, p)| (format!("in{i}"), &p.ty)).collect();
    let result = api::pointer_to(types, &face.result.ty);
    let head = format!("int {cfun}(struct futhark_context *ctx, {result}out0{})", api::inputs(types, &ins));

    let mut p = Printer { context, types, memory, out: String::new() };
    p.open(face, entry, f);
    p.call(f);
    p.close(face, entry, f);
    let mut code = format!("\n{head} {{\n{}}}\n", p.out);

    // Scalars come by address.
    let args: String = face
        .params
        .iter()
        .enumerate()
        .map(|(i, p)| match &p.ty {
            EntryType::Transparent(scalar, 0) => format!(", *(const {} *)ins[{i}]", ctype::public(*scalar)),
            EntryType::Transparent(..) | EntryType::Opaque(_) => format!(", ins[{i}]"),
        })
        .collect();
    code.push_str(&format!(
        "\nstatic UNUSED int {}(struct futhark_context *ctx, void *out, const void *const *ins) {{\n  \
         (void)ins;\n  return {cfun}(ctx, out{args});\n}}\n",
        caller(face)
    ));
    let used = context.analysis.params.get(&f.name).into_iter().flatten();
    let params = used.map(|i| (*i, program.params[*i].name)).collect();
    let attributes = entry.attrs.iter().map(ToString::to_string).collect();
    EntryText { face, attributes, cfun, head, code, params }
}

struct Printer<'a> {
    context: &'a Context<'a>,
    types: &'a TypeTable,
    memory: Memory,
    out: String,
}

impl Printer<'_> {
    /// Declares the function's parameters, gives the inputs their values, and checks sizes.
    fn open(&mut self, face: &EntryPoint, entry: &Entry, f: &Function) {
        let mut bound = FxHashSet::default();
        let mut checks = Vec::new();
        self.line("int err = FUTHARK_SUCCESS;");
        for (i, values) in entry.params.iter().enumerate() {
            if values.is_empty() {
                self.line(&format!("(void)in{i};"));
            }
        }
        // Scalars first: an array's size may be one of them.
        for (i, (param, values)) in face.params.iter().zip(&entry.params).enumerate() {
            for (leaf, value) in self.leaves(&param.ty).iter().zip(values) {
                if let EntryValue::Scalar { var, ty } = value {
                    let place = self.leaf_place(i, &param.ty, leaf);
                    let t = ctype::prim(ty.prim());
                    self.line(&format!("{t} {} = ({t}){place};", self.context.name(*var)));
                    bound.insert(*var);
                }
            }
        }
        for (i, (param, values)) in face.params.iter().zip(&entry.params).enumerate() {
            for (leaf, value) in self.leaves(&param.ty).iter().zip(values) {
                if let EntryValue::Array { mem, shape, .. } = value {
                    let words = format!("((const struct value *)in{i})->words");
                    let name = self.context.name(*mem);
                    self.line(&format!("struct block *{name} = {words}[{}].block;", leaf.word));
                    bound.insert(*mem);
                    for (d, size) in shape.iter().enumerate() {
                        let found = format!("{words}[{}].i64", leaf.word + 1 + d);
                        let new = if let Expr::Var(x) = size { bound.insert(*x).then_some(*x) } else { None };
                        if let Some(x) = new {
                            self.line(&format!("int64_t {} = {found};", self.context.name(x)));
                        } else {
                            checks.push((found, size));
                        }
                    }
                }
            }
        }
        // Parameters that no value determines have none that matters.
        for input in &f.inputs {
            if bound.insert(input.name()) {
                self.declare(input);
            }
        }
        f.outputs.iter().for_each(|output| self.declare(output));
        self.line("enter(ctx);");
        if self.context.has_recursion() {
            self.line("ctx->stack_start = (const char *)&err;");
        }
        for mem in self.device_blocks(entry) {
            let name = self.context.name(mem);
            self.line(&format!("{name} = block_argument(ctx, {name}, &err);"));
        }
        self.line("int64_t start = ctx->profiling ? wall_microseconds() : 0;");
        if !checks.is_empty() {
            let conditions: Vec<String> =
                checks.iter().map(|(found, size)| format!("{found} == {}", self.size(size))).collect();
            self.line(&format!("if (!({})) {{", conditions.join(" &&\n        ")));
            self.line("  err = fail(ctx, \"Error: entry point arguments have invalid sizes.\\n\");");
            self.line("}");
        }
        self.line("if (err == FUTHARK_SUCCESS) {");
    }

    fn call(&mut self, f: &Function) {
        let outs: String = f.outputs.iter().map(|o| format!(", &{}", self.context.name(o.name()))).collect();
        let ins: String = f.inputs.iter().map(|i| format!(", {}", self.context.name(i.name()))).collect();
        self.line(&format!("  err = backend_end_call(ctx, {}(ctx{outs}{ins}));", self.context.name(f.name)));
        self.line("}");
    }

    /// Makes the result of the outputs.
    fn close(&mut self, face: &EntryPoint, entry: &Entry, f: &Function) {
        self.line("if (ctx->profiling && !ctx->profiling_paused) {");
        self.line("  ctx->calls++;");
        self.line("  ctx->call_time += wall_microseconds() - start;");
        self.line("}");
        for mem in self.device_blocks(entry) {
            self.line(&format!("block_drop(ctx, {});", self.context.name(mem)));
        }
        let ty = &face.result.ty;
        if let (EntryType::Transparent(scalar, 0), [EntryValue::Scalar { var, .. }]) =
            (ty, entry.result.as_slice())
        {
            self.line("if (err == FUTHARK_SUCCESS) {");
            self.line(&format!("  *out0 = ({}){};", ctype::public(*scalar), self.context.name(*var)));
            self.line("}");
            self.line("leave(ctx);");
            self.line("return err;");
            return;
        }
        self.line("struct value *v = NULL;");
        self.line("if (err == FUTHARK_SUCCESS) {");
        self.line(&format!("  v = value_new(ctx, &{});", type_id(ty)));
        self.line("  err = v == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;");
        self.line("}");
        self.line("if (err == FUTHARK_SUCCESS) {");
        for (leaf, value) in self.leaves(ty).iter().zip(&entry.result) {
            let word = format!("v->words[{}]", leaf.word);
            match value {
                EntryValue::Scalar { var, ty } => {
                    let member = ctype::word_member(ty.prim());
                    self.line(&format!("  {word}.{member} = {};", self.context.name(*var)));
                }
                EntryValue::Array { mem, shape, .. } => {
                    // Counted once for each place it is at.
                    let name = self.context.name(*mem);
                    self.line(&format!("  {word}.block = block_own(ctx, block_share(ctx, NULL, {name}));"));
                    self.line(&format!("  err = {word}.block == NULL ? FUTHARK_OUT_OF_MEMORY : err;"));
                    for (d, size) in shape.iter().enumerate() {
                        let size = self.size(size);
                        self.line(&format!("  v->words[{}].i64 = {size};", leaf.word + 1 + d));
                    }
                }
            }
        }
        self.line("}");
        for output in &f.outputs {
            if let Param::Mem(m, _) = output {
                self.line(&format!("block_drop(ctx, {});", self.context.name(*m)));
            }
        }
        self.line("return result_done(ctx, v, err, out0);");
    }

    /// The blocks on a device in which arguments are: kernels rely on where they begin.
    fn device_blocks(&self, entry: &Entry) -> Vec<Name> {
        let arrays = entry.params.iter().flatten().filter_map(|value| match value {
            EntryValue::Array { mem, .. } => Some(*mem),
            EntryValue::Scalar { .. } => None,
        });
        match self.memory {
            Memory::Device => arrays.collect(),
            Memory::Own => Vec::new(),
        }
    }

    fn declare(&mut self, param: &Param) {
        let line = match param {
            Param::Scalar(x, t) => {
                let zero = if matches!(t, PrimType::Bool | PrimType::Unit) { "false" } else { "0" };
                format!("{} {} = {zero};", ctype::prim(*t), self.context.name(*x))
            }
            Param::Mem(m, _) => format!("struct block *{} = NULL;", self.context.name(*m)),
        };
        self.line(&line);
    }

    fn leaves(&self, ty: &EntryType) -> Vec<Leaf> {
        let mut word = 0;
        let components = self.types.components(ty).into_iter();
        components
            .map(|(scalar, rank)| {
                let leaf = Leaf { scalar, rank, word };
                word += 1 + rank;
                leaf
            })
            .collect()
    }

    /// Where the value of a scalar leaf of a parameter is.
    fn leaf_place(&self, param: usize, ty: &EntryType, leaf: &Leaf) -> String {
        match ty {
            EntryType::Transparent(_, 0) => format!("in{param}"),
            EntryType::Transparent(..) | EntryType::Opaque(_) => {
                let member = ctype::word_member(leaf.scalar.prim());
                format!("((const struct value *)in{param})->words[{}].{member}", leaf.word)
            }
        }
    }

    /// A size: a constant or a scalar among the parameters.
    fn size(&self, size: &Expr) -> String {
        let mut exprs = super::expr::ExprPrinter {
            dialect: super::expr::Plain,
            out: String::new(),
            context: self.context,
            access: FxHashMap::default(),
        };
        exprs.expr(size, super::expr::Prec::Unary);
        exprs.out
    }

    fn line(&mut self, text: &str) {
        self.out.push_str("  ");
        self.out.push_str(text);
        self.out.push('\n');
    }
}
