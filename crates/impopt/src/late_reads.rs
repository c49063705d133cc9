//! The host waits for what it reads of the device when it needs it, not when it is written.
//!
//! In: a program whose host code reads scalars, such as results of reductions, from blocks of a few bytes.
//! Out: the same program, where the copy of such a block to the host begins as soon as the kernel has ended
//! that writes it, and the host goes on with launches that do not need it before it waits:
//!
//! ```text
//! launch reduction(.., mem m)                launch reduction(.., mem m) ahead m
//! x = m[0]                  -- waits         launch scan(..)
//! free m                               ->    x = m[0]                  -- waits until the reduction has ended, while the device scans
//! launch scan(..)                            free m
//! if x < 1000 { .. }                         if x < 1000 { .. }
//! ```
//!
//! Otherwise the device has nothing to do from the end of the reduction until the host has got the scalar and
//! launched the next kernel (times: `notebook/2026-11-19-gpu-mechanisms.md`). Irregular nests read the sum
//! and the maximum of their sizes so, and many of them have the ends of rows scanned then.
//!
//! Reads stay where they are if they would pass no launch, or if the block may be large, since the host reads
//! then by waiting for all that it has launched.

use crate::host_results::MOST_BYTES;
use fehu_base::Name;
use fehu_imp::build::constant;
use fehu_imp::parts::flattened;
use fehu_imp::syntax::{Ahead, Arg, Code as AnyCode, CpuOp, Expr, HostOp, Program, Space, Way};
use fehu_imp::visit::{look_at_code, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

type Code = AnyCode<HostOp>;

/// The host waits late for what it reads.
pub static PASS: Pass<Program> = Pass {
    name: "late-reads",
    need: Need::Optional,
    run: |program| program.functions.iter_mut().for_each(|f| code(&mut f.body)),
};

fn code(of: &mut Code) {
    if let Code::For { body, .. } | Code::While(_, body) = of {
        deep(|| code(body));
    } else if let Code::If(_, then, otherwise) = of {
        deep(|| code(then));
        deep(|| code(otherwise));
    } else if let Code::Seq(codes) = of {
        codes.iter_mut().for_each(|c| deep(|| code(c)));
        *codes = flattened(std::mem::take(codes));
        let mut at = 0;
        while at < codes.len() {
            at = read_late(codes, at).unwrap_or(at + 1);
        }
    }
}

/// Moves the reads of a block that begin at a statement behind the launches that follow. The statement after them.
fn read_late(codes: &mut [Code], at: usize) -> Option<usize> {
    let block = read_block(&codes[at])?;
    let from = codes[..at].iter().rposition(|c| mentions(c).contains(&block) && !is_free(c, None))?;
    let writes = launch_args(&codes[from]).is_some_and(|args| args.contains(&Arg::Mem(block)));
    if !writes || !codes[..from].iter().any(|c| is_small(c, block)) {
        return None;
    }
    let of_block = |c: &Code| read_block(c) == Some(block) || is_free(c, Some(block));
    let together =
        codes[at..].iter().take_while(|c| of_block(c) || matches!(c, Code::DeclareScalar(..))).count();
    let reads = codes[at..at + together].iter().rposition(of_block)? + 1;
    let mut touched: FxHashSet<Name> = [block].into_iter().collect();
    codes[at..at + reads].iter().for_each(|c| touched.extend(mentions(c)));
    let passed = |c: &Code| goes_first(c) && mentions(c).is_disjoint(&touched);
    let until = at + reads + codes[at + reads..].iter().take_while(|c| passed(c)).count();
    if !codes[at + reads..until].iter().any(launches) {
        return None;
    }
    if let Code::Op(HostOp::Own(launch)) = &mut codes[from] {
        launch.ahead = Some(Ahead { block, way: Way::Copied });
    }
    codes[at..until].rotate_left(reads);
    Some(until)
}

/// The block of which a statement reads an element, and does nothing else.
fn read_block(code: &Code) -> Option<Name> {
    if let Code::SetScalar(_, Expr::Index { mem, offset, space: Space::Default, .. }) = code {
        constant(offset).map(|_| *mem)
    } else {
        None
    }
}

/// Whether a statement frees a block, or any.
fn is_free(code: &Code, block: Option<Name>) -> bool {
    matches!(code, Code::Op(HostOp::Cpu(CpuOp::Free(m, _))) if block.is_none_or(|block| block == *m))
}

/// Whether a statement allocates a block of a few bytes.
fn is_small(code: &Code, block: Name) -> bool {
    matches!(code, Code::Op(HostOp::Cpu(CpuOp::Allocate { mem, bytes, .. }))
        if *mem == block && constant(bytes).is_some_and(|bytes| bytes <= MOST_BYTES))
}

fn launch_args(code: &Code) -> Option<&[Arg]> {
    if let Code::Op(HostOp::Own(launch)) = code {
        Some(&launch.args)
    } else {
        None
    }
}

/// Whether a statement launches a kernel, on both sides of a branch.
fn launches(code: &Code) -> bool {
    if let Code::Seq(codes) = code {
        codes.iter().any(|c| deep(|| launches(c)))
    } else if let Code::If(_, then, otherwise) = code {
        [then, otherwise].into_iter().all(|side| deep(|| launches(side)))
    } else {
        launch_args(code).is_some()
    }
}

/// Whether a statement may come before a read that it has nothing to do with: the host does not wait in it,
/// and goes on with the next.
fn goes_first(code: &Code) -> bool {
    match code {
        Code::SetScalar(_, e) => !reads(e),
        Code::Seq(codes) => codes.iter().all(|c| deep(|| goes_first(c))),
        // Such as where the state of a scan is memory that is kept, or allocated and cleared.
        Code::If(condition, then, otherwise) => {
            !reads(condition) && [then, otherwise].into_iter().all(|side| deep(|| goes_first(side)))
        }
        Code::Op(HostOp::Cpu(op)) => match op {
            CpuOp::Allocate { .. }
            | CpuOp::Free(..)
            | CpuOp::GetSize(..)
            | CpuOp::GetSizeMax(..)
            | CpuOp::CmpThreshold(..) => true,
            CpuOp::Trace { .. } | CpuOp::ParFor { .. } | CpuOp::ParChunks { .. } | CpuOp::Outlined(_) => {
                false
            }
        },
        Code::Op(HostOp::Own(_)) | Code::DeclareScalar(..) | Code::DeclareMem(..) | Code::SetMem(..) => true,
        Code::DeclareStatic(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::Call { .. }
        | Code::Assert { .. } => false,
    }
}

/// Whether an expression reads memory.
fn reads(e: &Expr) -> bool {
    let mut reads = false;
    fehu_imp::parts::for_each_part(e, &mut |part| reads |= matches!(part, Expr::Index { .. }));
    reads
}

/// All names in a statement.
fn mentions(code: &Code) -> FxHashSet<Name> {
    let mut mentions = Mentions(FxHashSet::default());
    look_at_code(&mut mentions, code);
    mentions.0
}

struct Mentions(FxHashSet<Name>);

impl<'c> Visitor<'c> for Mentions {
    fn declared(&mut self, x: &'c Name) {
        self.0.insert(*x);
    }
    fn assigned(&mut self, x: &'c Name) {
        self.0.insert(*x);
    }
    fn var(&mut self, x: &'c Name) {
        self.0.insert(*x);
    }
    fn block(&mut self, m: &'c Name) {
        self.0.insert(*m);
    }
}
