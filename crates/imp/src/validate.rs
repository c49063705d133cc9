//! Whether an imperative program is one: the promises of [`crate::syntax`], checked.
//!
//! In: a program. Out: nothing, or what is wrong, each with the function or kernel and the first line of the statement.
//!
//! | about | checked |
//! | --- | --- |
//! | names | every variable is declared once (in a kernel: once at a time, always alike), before its use and in a scope around it; kernels know only their own parameters and shared arrays, functions also the globals, which only `init` sets |
//! | kinds | a name used as a scalar is one, a name used as a block is one, in the space that it was declared in |
//! | types | of operands, conditions, offsets, sizes, bounds, assigned and written values, arguments and results |
//! | variables | loop variables and inputs are not assigned; a task does not assign what is declared around it; constant data is not written |
//! | machines | (types keep their operations apart) what kernels call has scalars only; threads have numbers only in kernels |
//! | kernels | no barrier in `guarded`; sizes of arrays and of blocks are known when the kernel is compiled; atomic elements have 32 or 64 bits; a launch gives what the kernel takes |
//! | tuning | every parameter that is read is declared, once |
//!
//! Whether all threads of a block reach a barrier, and whether iterations of a task touch different memory,
//! is not checked.

mod code;
mod expr;
mod kernel;
#[cfg(test)]
mod tests;

use crate::declared::{Declared, Var};
use crate::print::{first_line, PrintOp};
use crate::syntax::{Code, DeviceFunction, EntryValue, Expr, Function, Kernel, Param, Program, Space};
use fehu_base::prim::PrimType;
use fehu_base::{Name, NameSource, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// After so many problems, the rest is likely to follow from them.
const MAX_ERRORS: usize = 20;

/// Checks a program; all that is wrong with it.
pub fn validate(program: &Program) -> Result<(), Vec<String>> {
    let mut v = Validator::new(program);
    v.program();
    v.errors.truncate(MAX_ERRORS);
    if v.errors.is_empty() {
        Ok(())
    } else {
        Err(v.errors)
    }
}

/// What runs the code at this point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Runs {
    Host,
    Kernel,
}

/// A statement of any machine, for messages.
trait Statement {
    fn line(&self, names: &NameSource, declared: &Declared) -> String;
}

impl<O: PrintOp> Statement for Code<O> {
    fn line(&self, names: &NameSource, declared: &Declared) -> String {
        first_line(names, declared, self)
    }
}

struct Validator<'a> {
    program: &'a Program,
    functions: FxHashMap<Name, &'a Function>,
    kernels: FxHashMap<Name, &'a Kernel>,
    device_functions: FxHashMap<Name, &'a DeviceFunction>,
    params: FxHashSet<Symbol>,
    /// The variables in scope.
    declared: Declared,
    /// The names declared in each open scope, outermost first.
    scopes: Vec<Vec<Name>>,
    /// The scope that a variable in scope belongs to.
    depths: FxHashMap<Name, usize>,
    /// All variables declared so far.
    known: FxHashMap<Name, Var>,
    /// Variables that are not assigned: globals, inputs, loop variables.
    fixed: FxHashSet<Name>,
    /// Constant data.
    statics: FxHashSet<Name>,
    runs: Runs,
    /// The outermost scope of the innermost task around.
    task: Option<usize>,
    /// Whether this is inside of `guarded`.
    guarded: bool,
    /// The function or kernel, and the statement.
    inside: String,
    at: Vec<&'a dyn Statement>,
    errors: Vec<String>,
}

impl<'a> Validator<'a> {
    fn new(program: &'a Program) -> Validator<'a> {
        Validator {
            program,
            functions: program.functions.iter().map(|f| (f.name, f)).collect(),
            kernels: program.kernels.iter().map(|k| (k.name, k)).collect(),
            device_functions: program.device_functions.iter().map(|f| (f.name, f)).collect(),
            params: program.params.iter().map(|p| p.name).collect(),
            declared: Declared::default(),
            scopes: vec![],
            depths: FxHashMap::default(),
            known: FxHashMap::default(),
            fixed: FxHashSet::default(),
            statics: FxHashSet::default(),
            runs: Runs::Host,
            task: None,
            guarded: false,
            inside: String::new(),
            at: vec![],
            errors: vec![],
        }
    }

    /// Notes a problem.
    fn fail(&mut self, message: impl AsRef<str>) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let names = &self.program.names;
        let at = self.at.last().map(|code| code.line(names, &self.declared)).unwrap_or_default();
        let at = if at.is_empty() { at } else { format!(": `{at}`") };
        self.errors.push(format!("{}{at}: {}", self.inside, message.as_ref()));
    }

    fn check(&mut self, holds: bool, message: impl Fn() -> String) {
        if !holds {
            self.fail(message());
        }
    }

    fn show(&self, name: Name) -> String {
        self.program.names.show(name)
    }

    fn program(&mut self) {
        let program = self.program;
        self.inside = "the program".into();
        self.check(self.params.len() == program.params.len(), || {
            "two tuning parameters have the same name".into()
        });
        self.scoped(|v| {
            program.globals.iter().for_each(|p| v.declare_param(p));
            v.inside = "init".into();
            v.scoped(|v| v.code(&program.init));
            v.fixed.extend(program.globals.iter().map(Param::name));
            for f in &program.functions {
                v.inside = format!("fun {}", v.show(f.name));
                v.function(f);
            }
        });
        for f in &program.device_functions {
            self.inside = format!("device fun {}", self.show(f.name));
            self.forget();
            self.device_function(f);
        }
        for k in &program.kernels {
            self.inside = format!("kernel {}", self.show(k.name));
            self.forget();
            self.kernel(k);
        }
    }

    /// A kernel's names are its own: parameters are called as what the host passes.
    fn forget(&mut self) {
        self.known.clear();
        self.fixed.clear();
        self.statics.clear();
    }

    fn function(&mut self, f: &'a Function) {
        self.check(self.functions.get(&f.name).is_some_and(|g| std::ptr::eq(*g, f)), || {
            "another function has the same name".into()
        });
        self.scoped(|v| {
            f.outputs.iter().chain(&f.inputs).for_each(|p| v.declare_param(p));
            v.fixed.extend(f.inputs.iter().map(Param::name));
            if let Some(entry) = &f.entry {
                let given: FxHashSet<Name> = f.inputs.iter().map(Param::name).collect();
                let results: FxHashSet<Name> = f.outputs.iter().map(Param::name).collect();
                entry.params.iter().flatten().for_each(|value| v.entry_value(value, &given));
                entry.result.iter().for_each(|value| v.entry_value(value, &results));
            }
            v.code(&f.body);
        });
    }

    /// A value of an entry point is in one of the function's parameters; sizes of results may be given ones.
    fn entry_value(&mut self, value: &'a EntryValue, among: &FxHashSet<Name>) {
        let name = match value {
            EntryValue::Scalar { var, ty } => {
                self.check_type(&Expr::Var(*var), ty.prim(), "a value of the entry point");
                *var
            }
            EntryValue::Array { mem, shape, elem: _ } => {
                self.block(*mem);
                shape.iter().for_each(|n| self.expr_of(n, PrimType::I64, "a size of the entry point"));
                *mem
            }
        };
        self.check(among.contains(&name), || "a value of the entry point is no parameter".into());
    }

    /// Checks code in a scope of its own.
    fn scoped(&mut self, f: impl FnOnce(&mut Self)) {
        self.scopes.push(vec![]);
        f(self);
        for name in self.scopes.pop().unwrap_or_default() {
            self.declared.remove(name);
            self.depths.remove(&name);
        }
    }

    /// A variable begins. Kernels may repeat a declaration where the other has ended: they have copies of code.
    fn declare(&mut self, name: Name, var: Var) {
        let fits = match self.known.insert(name, var.clone()) {
            None => true,
            Some(before) => self.runs == Runs::Kernel && !self.depths.contains_key(&name) && before == var,
        };
        self.check(fits, || format!("{} is declared twice", self.program.names.show(name)));
        self.depths.insert(name, self.scopes.len());
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
    }

    fn declare_scalar(&mut self, x: Name, ty: PrimType) {
        self.declare(x, Var::Scalar(ty));
        self.declared.scalar(x, ty);
        self.check(ty != PrimType::Unit, || "a variable of type unit".into());
    }

    fn declare_block(&mut self, m: Name, space: &Space) {
        self.declare(m, Var::Mem(space.clone()));
        self.declared.block(m, space);
    }

    fn declare_param(&mut self, p: &Param) {
        match p {
            Param::Scalar(x, ty) => self.declare_scalar(*x, *ty),
            Param::Mem(m, space) => {
                self.declare_block(*m, space);
                self.check(*space == Space::Default, || {
                    "a parameter is a block that is not in default space".into()
                });
            }
        }
    }

    /// The space of a block that is used here.
    fn block(&mut self, m: Name) -> Option<Space> {
        match self.declared.get(m).cloned() {
            Some(Var::Mem(space)) => Some(space),
            Some(Var::Scalar(_)) => {
                self.fail(format!("{} is a scalar, but used as a block", self.show(m)));
                None
            }
            None => {
                self.fail(format!("{} is not declared here", self.show(m)));
                None
            }
        }
    }

    /// A block that is used in this space.
    fn block_in(&mut self, m: Name, space: &Space) {
        if let Some(declared) = self.block(m) {
            self.check(declared == *space, || {
                format!("{} is used in a space other than its own", self.program.names.show(m))
            });
        }
    }

    /// A block whose elements are written.
    fn written(&mut self, m: Name) {
        self.check(!self.statics.contains(&m), || {
            format!("{} is constant data, but written", self.program.names.show(m))
        });
    }

    /// A variable that is assigned: one of this function and of this task.
    fn assigned(&mut self, x: Name) {
        let name = || self.program.names.show(x);
        self.check(!self.fixed.contains(&x), || format!("{} is assigned", name()));
        self.check(!self.statics.contains(&x), || format!("{} is constant data, but assigned", name()));
        let depth = self.depths.get(&x).copied().unwrap_or(usize::MAX);
        self.check(self.task.is_none_or(|task| depth > task), || {
            format!("{} is declared outside of the task that assigns it", name())
        });
    }
}
