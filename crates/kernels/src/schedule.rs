//! How every kernel and task runs: which thread computes which point, decided here and nowhere else.
//!
//! Before: a program over `Memory` whose kernels are finished. After: each segmented operation has a
//! [`Schedule`], which `impgen` emits as it stands. What a schedule is, and how it looks as text, is in
//! [`fehu_ir::schedule`]; the figures by which plans are chosen are in [`fehu_base::tuning::schedule`], each
//! with its unit, its meaning, and what limits it.
//!
//! ```text
//! segred thread (f; i < n, j < m) : (f32)            segred thread (f; i < n, j < m) : (f32)
//!   op ..                                              op ..
//! { ... }                                    ==>       schedule
//!                                                        param "main.segred_tblock_size_0" block_size
//!                                                        param "main.segred_num_tblocks_1" grid_size
//!                                                        ...
//!                                                        when (pays segment <= "schedule.max_points_for_one_thread", ...)
//!                                                          thread_per_segment(block "main.segred_tblock_size_0")
//!                                                        ...
//!                                                    { ... }
//! ```
//!
//! | file | decides |
//! | --- | --- |
//! | [`map`] | points of a thread, and their order |
//! | [`tile`] | which reads of a map go through tiles in shared memory |
//! | [`product`] | which loops with tiles are products of matrices |
//! | [`row_cache`] | which rows are kept in shared memory |
//! | [`turn`] | which elements are turned in shared memory |
//! | [`steps`], [`line`] | which loops do several iterations in a kernel |
//! | [`strip`] | which scans and histograms are of strips of segments |
//! | [`combine`] | reductions, scans, histograms, and operations inside of blocks |
//! | [`merge`] | reductions of rows of different sizes |
//! | [`block`] | threads of a block that computes a point |
//! | [`task`] | operations over the cores of a CPU |
//! | [`steer`] | what the attribute `#[schedule(NAME)]` changes |
//!
//! **Why so late.** Whether two points read the same element, and whether neighbours in an index are
//! neighbours in memory, is read off index functions, so tiles can only be chosen when arrays have places.
//! And whether an operation has a grid of its own, because its threads need memory, is known after memory is
//! expanded. So this is the last pass over `Memory`; nothing but the translation to imperative code follows
//! it.
//!
//! **Relevance to other passes.** None reads a schedule before `impgen`. Tuning parameters of kernels get
//! their names here, and number themselves after those that flattening has made.

mod ahead;
mod at_once;
mod block;
mod combine;
mod compact;
mod kept;
mod line;
mod map;
mod merge;
mod places;
mod product;
mod row_cache;
mod steer;
mod steps;
mod strip;
mod task;
mod tile;
mod together;
mod turn;

use crate::sums::{as_host_sum, Sums};
use ahead::Written;
use fehu_analysis::{Blocks, Known};
use fehu_base::tuning::schedule::Threshold;
use fehu_base::{Name, Symbol};
use fehu_ir::mem::MemOp;
use fehu_ir::schedule::{Amount, Choice, Condition, Plan, Quantity, Schedule, ScheduleParam};
use fehu_ir::seg::{SegKind, SegLevel, SegOp, SizeClass, SizeOp};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Attr, Body, Exp, Memory, PatElem, Prog, Stm};
use fehu_pass::{Need, Pass};
use places::Places;
use rustc_hash::FxHashSet;

/// Every kernel gets its schedule, for a device with warps.
pub static WITH_WARPS: Pass<Prog<Memory>> =
    Pass { name: "schedule", need: Need::Required, run: |prog| run(prog, Device { warps: true }) };

/// Every kernel gets its schedule, for a device that promises no warps.
pub static WITHOUT_WARPS: Pass<Prog<Memory>> =
    Pass { name: "schedule", need: Need::Required, run: |prog| run(prog, Device { warps: false }) };

/// Every operation over tasks gets its schedule.
pub static TASKS: Pass<Prog<Memory>> = Pass {
    name: "schedule",
    need: Need::Required,
    run: |prog| {
        task::tasks(&mut prog.consts);
        prog.funs.iter_mut().for_each(|f| task::tasks(&mut f.body));
    },
};

/// Gives every operation for a GPU its schedule.
pub fn run(prog: &mut Prog<Memory>, device: Device) {
    let mut s = Scheduler {
        device,
        places: Places::of(prog),
        fun: Symbol::new("init"),
        named: FxHashSet::default(),
        params: vec![],
        sums: Sums::default(),
        blocks: Blocks::of_body(&prog.consts),
        known: None,
    };
    s.host(&mut prog.consts);
    for fun in &mut prog.funs {
        s.fun = match &fun.entry {
            Some(entry) => entry.name,
            None => prog.names.base(fun.name),
        };
        s.blocks = Blocks::of_body(&fun.body);
        s.known = at_once::may_be_at_once(&fun.body).then(|| Known::of_fun(fun));
        s.host(&mut fun.body);
    }
}

/// A device, as far as schedules differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Device {
    /// Whether threads come in warps that can exchange values by shuffles. CUDA promises it, OpenCL does not.
    pub warps: bool,
}

struct Scheduler {
    device: Device,
    places: Places,
    /// The function whose operations are scheduled, as tuning parameters call it.
    fun: Symbol,
    /// All tuning parameters of the program so far.
    named: FxHashSet<Symbol>,
    /// Those of the operation that is scheduled.
    params: Vec<ScheduleParam>,
    /// Sums that the host computes.
    sums: Sums,
    /// Which blocks of the function may be one.
    blocks: Blocks,
    /// What is known of the function, if anything has to be.
    known: Option<Known>,
}

impl Scheduler {
    /// Host code.
    fn host(&mut self, body: &mut Body<Memory>) {
        deep(|| body.stms.iter_mut().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &mut Stm<Memory>) {
        if let Some(name) = stm.declared_param() {
            self.named.insert(name);
        }
        match &mut stm.exp {
            Exp::Op(MemOp::Seg(seg)) => match seg.level {
                SegLevel::Thread => self.grid_op(&stm.pat, seg, &stm.attrs),
                SegLevel::Block => self.block_op(&stm.pat, seg),
                SegLevel::InBlock | SegLevel::Task => {}
            },
            Exp::Op(MemOp::Size(size)) => match size {
                SizeOp::GetSize(name, _)
                | SizeOp::CmpThreshold { name, .. }
                | SizeOp::CalcGrid { max: name, .. } => {
                    self.named.insert(*name);
                }
                SizeOp::GetSizeMax(_) | SizeOp::SharedNeeded(_) => {}
            },
            Exp::Basic(basic) => {
                let sum = as_host_sum(basic);
                self.sums.extend(stm.pat.first().and_then(|p| Some((p.name, sum?))));
            }
            Exp::Call(..) | Exp::Op(MemOp::Alloc(..)) => {}
            Exp::Loop(l) => {
                self.host(&mut l.body);
                steps::steps(self, l);
                line::line(self, l);
            }
            around @ (Exp::If(..) | Exp::WithAcc(_)) => {
                map_bodies(around, &mut |inner| self.host(inner));
            }
        }
    }

    fn grid_op(&mut self, pat: &[PatElem<Memory>], seg: &mut SegOp<Memory>, attrs: &[Attr]) {
        let choices = match &seg.kind {
            SegKind::Map => self.map(seg),
            SegKind::Red(ops) => match merge::merge_path(self, seg, attrs) {
                Some(choice) => vec![choice],
                None => self.reduction(seg, ops),
            },
            SegKind::Scan(ops, _) => self.scan(pat, seg, ops),
            SegKind::Hist(ops) => self.histogram(seg, ops),
        };
        let mut schedule = Schedule { params: std::mem::take(&mut self.params), choices };
        steer::steer(&mut schedule, attrs);
        seg.schedule = Some(Box::new(schedule));
    }

    /// An operation of blocks, and those inside of it.
    fn block_op(&mut self, pat: &[PatElem<Memory>], seg: &mut SegOp<Memory>) {
        let plan = self.block_per_point(seg);
        let params = std::mem::take(&mut self.params);
        seg.schedule = Some(Box::new(Schedule { params, choices: vec![otherwise(plan)] }));
        let written = Written::of(&self.places, pat, &seg.body.body);
        self.inside(&mut seg.body.body, &written);
        if let Some(known) = &self.known {
            let facts = known.in_points(&known.facts(), &seg.space, &seg.body.body);
            at_once::mark_at_once(self, known, &facts, &mut seg.body.body);
        }
    }

    fn inside(&mut self, body: &mut Body<Memory>, written: &Written) {
        deep(|| {
            for stm in &mut body.stms {
                if let Exp::Op(MemOp::Seg(seg)) = &mut stm.exp {
                    let plan = match ahead::is_copied_ahead(self, &stm.pat, seg, written) {
                        true => Plan::CopiedAhead,
                        false => self.in_block(seg),
                    };
                    let choices = vec![otherwise(plan)];
                    seg.schedule = Some(Box::new(Schedule { params: vec![], choices }));
                } else {
                    map_bodies(&mut stm.exp, &mut |inner| self.inside(inner, written));
                }
            }
        });
    }

    /// A tuning parameter for the operation: the name of its kind and a number make it unique.
    fn param(&mut self, kind: &str, class: SizeClass, usual: Option<i64>) -> Symbol {
        let what = match &class {
            SizeClass::ThreadBlockSize => "tblock_size",
            SizeClass::GridSize => "num_tblocks",
            SizeClass::TileSize => "tile_size",
            SizeClass::RegTileSize => "reg_tile_size",
            SizeClass::SharedMemory => "shared_memory",
            SizeClass::ThreadMemory => "thread_memory",
            SizeClass::Threshold(..) => "threshold",
            SizeClass::Bespoke(name, _) => name.as_str(),
        };
        let name = Symbol::new(&format!("{}.{kind}_{what}_{}", self.fun, self.named.len()));
        self.named.insert(name);
        self.params.push(ScheduleParam { name, class, usual });
        name
    }

    /// A figure that sizes are compared with: a parameter of the program, whatever the operation.
    fn threshold(&mut self, of: Threshold) -> Quantity {
        Quantity::Param(self.threshold_param(of))
    }

    /// The name of such a parameter.
    fn threshold_param(&mut self, of: Threshold) -> Symbol {
        let name = Symbol::new(&format!("schedule.{}", of.name));
        if self.params.iter().all(|p| p.name != name) {
            let class = SizeClass::Bespoke(Symbol::new("schedule_threshold"), of.usual);
            self.params.push(ScheduleParam { name, class, usual: None });
        }
        name
    }

    /// That blocks have room for at most so many percent of the points.
    fn covers(&mut self, percent: Threshold) -> Condition {
        let points = Amount::from(Quantity::Points).and(self.threshold(percent));
        Condition::pays(Amount::from(Quantity::Covered).times(100), points)
    }

    fn block_param(&mut self, kind: &str, usual: Option<i64>) -> Symbol {
        self.param(kind, SizeClass::ThreadBlockSize, usual)
    }
}

/// A choice that has conditions.
fn when(when: Vec<Condition>, plan: Plan) -> Choice {
    Choice { when, plan }
}

/// The last choice.
fn otherwise(plan: Plan) -> Choice {
    Choice { when: vec![], plan }
}

/// The name of what a statement reads, if that is an element of an array.
fn read_element(stm: &Stm<Memory>) -> Option<(Name, Name, &fehu_ir::Slice)> {
    match (&stm.exp, stm.pat.as_slice()) {
        (Exp::Basic(fehu_ir::Basic::Index(array, slice)), [p]) if matches!(p.ty, fehu_ir::Type::Prim(_)) => {
            Some((p.name, *array, slice))
        }
        _ => None,
    }
}
