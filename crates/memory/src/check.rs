//! What kernels must be, once memory is expanded. The validator of the IR cannot know that it is.
//!
//! - They allocate only in `Scalar` and `Shared` space; `Shared` in a thread block's code, of a size known outside.
//! - Blocks that branches and loops hand on are in `Default` space.

use fehu_base::{Name, NameSource};
use fehu_ir::free::bound_in_exp;
use fehu_ir::mem::MemOp;
use fehu_ir::seg::SegLevel;
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Body, Exp, Memory, Prog, Space, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

/// Ends the compiler if memory passes left kernels that cannot run.
pub static CHECK_KERNELS: Pass<Prog<Memory>> = Pass {
    name: "check-kernels",
    need: Need::Required,
    run: |prog| {
        let errors = check_kernels(prog);
        if !errors.is_empty() {
            fehu_base::bug!("memory passes left kernels that cannot run:\n{}", errors.join("\n"));
        }
    },
};

/// All that is wrong with the kernels of a program.
pub fn check_kernels(prog: &Prog<Memory>) -> Vec<String> {
    let mut check = Check { names: &prog.names, inside: FxHashSet::default(), errors: vec![] };
    check.body(&prog.consts, None);
    for fun in &prog.funs {
        check.body(&fun.body, None);
    }
    check.errors
}

struct Check<'a> {
    names: &'a NameSource,
    /// What is bound in the current kernel.
    inside: FxHashSet<Name>,
    errors: Vec<String>,
}

impl Check<'_> {
    fn body(&mut self, body: &Body<Memory>, level: Option<SegLevel>) {
        deep(|| body.stms.iter().for_each(|stm| self.stm(stm, level)));
    }

    fn stm(&mut self, stm: &Stm<Memory>, level: Option<SegLevel>) {
        let mut inner = level;
        match &stm.exp {
            Exp::Op(MemOp::Alloc(bytes, space)) => self.alloc(stm, *bytes, space, level),
            Exp::Op(MemOp::Seg(seg)) => {
                if level.is_none() {
                    self.inside = bound_in_exp(&stm.exp).into_iter().collect();
                }
                inner = Some(seg.level);
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                for p in &stm.pat {
                    match &p.ty {
                        Type::Mem(Space::Shared | Space::Scalar(..)) => {
                            self.error(p.name, "is handed on, but not in default space");
                        }
                        Type::Mem(Space::Default) | Type::Prim(_) | Type::Array(..) | Type::Acc(..) => {}
                    }
                }
            }
        }
        for_each_body(&stm.exp, &mut |b| self.body(b, inner));
    }

    fn alloc(&mut self, stm: &Stm<Memory>, bytes: SubExp, space: &Space, level: Option<SegLevel>) {
        let Some(name) = stm.pat.first().map(|p| p.name) else { return };
        let wrong = match (level, space) {
            (None | Some(SegLevel::Task), Space::Default) => None,
            (None | Some(SegLevel::Task), Space::Shared | Space::Scalar(..)) => {
                Some("is not in default space")
            }
            (Some(SegLevel::Thread | SegLevel::InBlock), Space::Scalar(..)) => None,
            (Some(SegLevel::Block), Space::Shared) => {
                let inside = bytes.name().is_some_and(|n| self.inside.contains(&n));
                inside.then_some("is shared, and of a size known only inside")
            }
            (Some(SegLevel::Thread | SegLevel::InBlock | SegLevel::Block), _) => {
                Some("is allocated where it cannot be")
            }
        };
        if let Some(wrong) = wrong {
            self.error(name, wrong);
        }
    }

    fn error(&mut self, name: Name, what: &str) {
        self.errors.push(format!("{} {what}", self.names.show(name)));
    }
}
