//! What printing needs to know of the whole program: its names, and the numbers that the text knows things by.

use super::names;
use super::places::Places;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name, Symbol};
use fehu_imp::syntax::{DeviceFunction, Function, Loc, Param, Program};
use fehu_impopt::Analysis;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// What printing needs to know of the whole program.
pub(crate) struct Context<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// What is known of it.
    pub(crate) analysis: &'a Analysis,
    /// The places of a location.
    pub(crate) backtrace: &'a dyn Fn(&Loc) -> Vec<String>,
    functions: FxHashMap<Name, &'a Function>,
    device_functions: FxHashMap<Name, &'a DeviceFunction>,
    kernels: FxHashMap<Name, usize>,
    params: FxHashMap<Symbol, usize>,
    globals: FxHashMap<Name, &'a Param>,
    identifiers: Vec<String>,
    places: RefCell<Places>,
}

impl<'a> Context<'a> {
    /// The context of a program.
    pub(crate) fn new(
        program: &'a Program,
        analysis: &'a Analysis,
        backtrace: &'a dyn Fn(&Loc) -> Vec<String>,
    ) -> Context<'a> {
        let count = program.names.len() as u32;
        Context {
            program,
            analysis,
            backtrace,
            functions: program.functions.iter().map(|f| (f.name, f)).collect(),
            device_functions: program.device_functions.iter().map(|f| (f.name, f)).collect(),
            kernels: program.kernels.iter().enumerate().map(|(i, k)| (k.name, i)).collect(),
            params: program.params.iter().enumerate().map(|(i, p)| (p.name, i)).collect(),
            globals: program.globals.iter().map(|g| (g.name(), g)).collect(),
            identifiers: (0..count).map(|i| names::identifier(&program.names, Name(i))).collect(),
            places: RefCell::default(),
        }
    }

    /// The identifier of a name.
    pub(crate) fn name(&self, name: Name) -> &str {
        match self.identifiers.get(name.0 as usize) {
            Some(text) => text,
            None => bug!("the name {name:?} is not of this program"),
        }
    }

    /// The index of a place in the table of the text, or -1.
    pub(crate) fn place(&self, loc: &Loc) -> i64 {
        let index = self.places.borrow_mut().index((self.backtrace)(loc));
        index.map_or(-1, |i| i as i64)
    }

    /// The table of all places that have been asked for.
    pub(crate) fn place_table(&self) -> String {
        self.places.borrow().table()
    }

    /// Whether this is the identifier of a name.
    pub(crate) fn is_name(&self, name: Name, identifier: &str) -> bool {
        self.identifiers.get(name.0 as usize).is_some_and(|text| text == identifier)
    }

    /// A function of the host.
    pub(crate) fn function(&self, fun: Name) -> &'a Function {
        match self.functions.get(&fun) {
            Some(function) => function,
            None => bug!("a call of {}, which does not exist", self.name(fun)),
        }
    }

    /// A function that kernels call.
    pub(crate) fn device_function(&self, fun: Name) -> &'a DeviceFunction {
        match self.device_functions.get(&fun) {
            Some(function) => function,
            None => bug!("a call of {} in a kernel, which does not exist there", self.name(fun)),
        }
    }

    /// The number of a kernel.
    pub(crate) fn kernel_index(&self, kernel: Name) -> usize {
        match self.kernels.get(&kernel) {
            Some(index) => *index,
            None => bug!("a launch of {}, which does not exist", self.name(kernel)),
        }
    }

    /// Whether any function is recursive.
    pub(crate) fn has_recursion(&self) -> bool {
        !self.analysis.recursive.is_empty()
    }

    /// A global value.
    pub(crate) fn global(&self, x: Name) -> Option<&'a Param> {
        self.globals.get(&x).copied()
    }

    /// The type of a global scalar.
    pub(crate) fn global_type(&self, x: Name) -> PrimType {
        match self.globals.get(&x) {
            Some(Param::Scalar(_, t)) => *t,
            Some(Param::Mem(..)) | None => bug!("{} is not declared", self.name(x)),
        }
    }

    /// The number of a tuning parameter.
    pub(crate) fn param_index(&self, param: Symbol) -> usize {
        match self.params.get(&param) {
            Some(i) => *i,
            None => bug!("the tuning parameter {param} does not exist"),
        }
    }
}
