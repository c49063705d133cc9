//! Operations over the cores of a CPU: how points are divided among workers.
//!
//! In: an operation at level `Task`. Out: its plan. Ranges of a map are divided while they run. Reductions
//! and scans are divided into chunks before, since what chunks find is combined in their order.
//!
//! ```text
//! segscan task (f; i < n) : (f64)                      segscan task (f; i < n) : (f64)
//!   op [0.0] (+)                              ==>        op [0.0] (+)
//! { ... }                                                schedule otherwise reduce_then_scan(beyond_workers 1)
//! ```

use super::otherwise;
use fehu_base::bug;
use fehu_base::tuning::schedule::*;
use fehu_ir::class::Class;
use fehu_ir::mem::MemOp;
use fehu_ir::schedule::{Plan, Schedule};
use fehu_ir::seg::{SegKind, SegLevel, SegOp};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, Exp, Memory};

/// Gives the operations over tasks in some code their schedules, also those inside of others.
pub(super) fn tasks(body: &mut Body<Memory>) {
    deep(|| {
        for stm in &mut body.stms {
            if let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp {
                if seg.level == SegLevel::Task {
                    let choices = vec![otherwise(plan(seg))];
                    seg.schedule = Some(Box::new(Schedule { params: vec![], choices }));
                }
            }
            map_bodies(&mut stm.exp, &mut tasks);
        }
    });
}

fn plan(seg: &SegOp<Memory>) -> Plan {
    match &seg.kind {
        SegKind::Map => Plan::Ranges,
        SegKind::Red(_) => Plan::Chunks { per_worker: REDUCTION_CHUNKS_PER_WORKER },
        SegKind::Scan(..) if may_repeat(seg) => {
            Plan::ReduceThenScan { beyond_workers: SCAN_CHUNKS_BEYOND_WORKERS }
        }
        SegKind::Scan(..) => Plan::ScanThenCorrect { per_worker: SCAN_CHUNKS_PER_WORKER },
        SegKind::Hist(_) => bug!("a histogram at level task"),
    }
}

/// Whether elements cost so little that they may be computed twice.
fn may_repeat(seg: &SegOp<Memory>) -> bool {
    let plain = |exp: &Exp<Memory>| match (exp.class(), exp) {
        (Some(Class::Arithmetic | Class::Opaque | Class::Check | Class::Read | Class::View), _) => true,
        (_, Exp::If(_, t, f)) => [t, f].iter().all(|b| b.stms.len() <= MAX_STATEMENTS_OF_REPEATED_BRANCH),
        _ => false,
    };
    let stms = &seg.body.body.stms;
    stms.len() <= MAX_STATEMENTS_OF_REPEATED_ELEMENT && stms.iter().all(|s| plain(&s.exp))
}
