//! The state of lowering: what is in scope, what is done, and the code so far, each a part of its own.
//!
//! [`Code`] emits statements, and knows nothing of the typed tree: what needs no environment takes it alone.
//! Methods of [`Lowerer`] are those by which the kinds of expressions need each other: `exp` and `var`
//! (`exp`), `apply` and `global` (`apply`), `ty` and `dim` (`types`). The rest are functions, called by the
//! name of their file:
//!
//! ```text
//! loops::lower_loop(cx, lp)      calls      cx.exp(&lp.init)
//! ```
//!
//! So a file names only those below it, although expressions hold each other.

use crate::call_table::CallTable;
use crate::code::{Code, Emit};
use crate::opaques::Opaques;
use crate::value::{Data, Env};
use crate::Options;
use fehu_base::Symbol;
use fehu_check::tast::Program;
use fehu_ir::{Body, FunDef, Soacs, SubExp};
use rustc_hash::FxHashMap;

/// Walks the typed tree and emits core statements.
pub(crate) struct Lowerer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    /// The code so far.
    pub(crate) code: Code,
    /// What is in scope.
    pub(crate) env: Env<'a>,
    /// What was in scope at each call that led here, the last one at the end; only where an interpreter stops.
    pub(crate) frames: Vec<Env<'a>>,
    /// Finished core functions.
    pub(crate) funs: Vec<FunDef<Soacs>>,
    /// Which functions became core functions, at which types.
    pub(crate) calls: CallTable,
    /// The constants, and the statements that compute them.
    pub(crate) consts: FxHashMap<usize, Data>,
    pub(crate) const_body: Body<Soacs>,
    /// The tuning parameters that the program declares.
    pub(crate) params: FxHashMap<Symbol, SubExp>,
    /// How many globals were made.
    pub(crate) global_count: usize,
    /// The opaque types of entry points.
    pub(crate) opaques: Opaques,
}

impl<'a> Lowerer<'a> {
    pub(crate) fn new(program: &'a Program, options: &'a Options) -> Lowerer<'a> {
        Lowerer {
            program,
            options,
            code: Code::new(program.names.clone(), options),
            env: Env::default(),
            frames: vec![],
            funs: vec![],
            calls: CallTable::default(),
            consts: FxHashMap::default(),
            const_body: Body { stms: vec![], result: vec![] },
            params: FxHashMap::default(),
            global_count: 0,
            opaques: Opaques::default(),
        }
    }

    /// Runs in another environment.
    pub(crate) fn in_env<T>(&mut self, env: Env<'a>, f: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.env, env);
        let result = f(self);
        self.env = saved;
        result
    }

    /// Runs outside of the current function: what is emitted depends on nothing of it.
    pub(crate) fn outside<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let open = self.code.suspend();
        let frames = std::mem::take(&mut self.frames);
        let result = f(self);
        self.frames = frames;
        self.code.resume(open);
        result
    }
}

impl Emit for Lowerer<'_> {
    fn code(&mut self) -> &mut Code {
        &mut self.code
    }

    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.env.clone();
        let result = f(self);
        self.env = saved;
        result
    }
}
