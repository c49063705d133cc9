//! Tuning parameters and sizes of the device.

use crate::translate::machine::{CpuMachine, Machine};
use crate::translate::state::{Context, Translate};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name, Symbol};
use fehu_imp::build::*;
use fehu_imp::syntax::{CpuOp, Expr, OnCpu, TuningParam};
use fehu_ir::schedule::{Schedule, ScheduleParam};
use fehu_ir::seg::{SizeClass, SizeOp};
use fehu_ir::{Memory, PatElem};

/// A size that host code asks for.
pub(crate) fn size_op<X: CpuMachine>(t: &mut Translate<OnCpu<X>>, pat: &[PatElem<Memory>], size: &SizeOp) {
    let [p] = pat else { bug!("{size:?} has {} results", pat.len()) };
    t.declare(p.name, &p.ty);
    match size {
        SizeOp::GetSize(name, class) => {
            add_param(t, *name, class);
            t.on_cpu(CpuOp::GetSize(p.name, *name));
        }
        SizeOp::GetSizeMax(class) => {
            t.on_cpu(CpuOp::GetSizeMax(p.name, Symbol::new(&class_text(class))));
        }
        SizeOp::SharedNeeded(label) => bug!("nobody said how much shared memory {label:?} needs"),
        SizeOp::CmpThreshold { name, class, par, by } => {
            add_param(t, *name, class);
            let par = t.operand(*par);
            match by {
                None => t.on_cpu(CpuOp::CmpThreshold(p.name, *name, par)),
                Some(by) => {
                    let by = t.operand(*by);
                    split_threshold(t, p.name, *name, par, by);
                }
            }
        }
        SizeOp::CalcGrid { points, max: most, block } => {
            add_param(t, *most, &SizeClass::GridSize);
            let (points, block) = (t.operand(*points), t.operand(*block));
            let blocks = bounded_grid(t, points, block, *most);
            t.set_to(p.name, blocks);
        }
    }
}

/// A comparison with a threshold that tuning can split by another size. As long as the border is not set,
/// nothing reaches it.
fn split_threshold<X: CpuMachine>(
    t: &mut Translate<OnCpu<X>>,
    result: Name,
    name: Symbol,
    par: Expr,
    by: Expr,
) {
    let mut other = |kind: &str, usual: i64| {
        let param = Symbol::new(&format!("{name}_{kind}"));
        let class = Symbol::new(&format!("threshold_{kind}({name})"));
        add_param(t, param, &SizeClass::Bespoke(class, usual));
        param
    };
    let (border, beyond) = (other("border", i64::MAX), other("beyond", i64::MAX));
    let reached = t.temp("beyond", PrimType::Bool);
    t.on_cpu(CpuOp::CmpThreshold(reached, border, by));
    t.if_else(
        Expr::Var(reached),
        |t| t.on_cpu(CpuOp::CmpThreshold(result, beyond, par.clone())),
        |t| t.on_cpu(CpuOp::CmpThreshold(result, name, par.clone())),
    );
}

/// A parameter that the program declares itself: the least number if it is not set.
pub(crate) fn read_param<M: Machine>(t: &mut Translate<M>, pat: &[PatElem<Memory>], name: Symbol) {
    let class = SizeClass::Bespoke(Symbol::new("user"), i64::MIN);
    M::size_op(t, pat, &SizeOp::GetSize(name, class));
}

/// As many blocks as the points need, but no more than a parameter says.
fn bounded_grid<X: CpuMachine>(t: &mut Translate<OnCpu<X>>, points: Expr, block: Expr, most: Symbol) -> Expr {
    let most = param(t, most);
    min(quot_up(points, block), most)
}

/// Makes the tuning parameters of a schedule known.
pub(crate) fn add_params(t: &mut Context, schedule: &Schedule) {
    for ScheduleParam { name, class, usual } in &schedule.params {
        let default = usual.or(class.usual());
        let param = TuningParam { name: *name, class: class_text(class), default, thread_bytes: None };
        t.params.insert(*name, param);
    }
}

/// The most that the device has of something.
pub(crate) fn device_max<X: CpuMachine>(t: &mut Translate<OnCpu<X>>, class: &SizeClass) -> Expr {
    let x = t.temp("most", PrimType::I64);
    t.on_cpu(CpuOp::GetSizeMax(x, Symbol::new(&class_text(class))));
    Expr::Var(x)
}

/// A block of so many threads needs so much shared memory for each of them: where the device has less, it has
/// fewer threads.
pub(crate) fn limit_block(t: &mut Context, block: Symbol, thread_bytes: i64) {
    if let Some(param) = t.params.get_mut(&block) {
        param.thread_bytes = param.thread_bytes.max(Some(thread_bytes));
    }
}

pub(crate) fn param<X: CpuMachine>(t: &mut Translate<OnCpu<X>>, name: Symbol) -> Expr {
    let x = t.temp("param", PrimType::I64);
    t.on_cpu(CpuOp::GetSize(x, name));
    Expr::Var(x)
}

fn add_param(t: &mut Context, name: Symbol, class: &SizeClass) {
    let default = class.usual();
    let new = || TuningParam { name, class: class_text(class), default, thread_bytes: None };
    t.params.entry(name).or_insert_with(new);
}

/// The class as tools print it.
fn class_text(class: &SizeClass) -> String {
    match class {
        SizeClass::Threshold(path, _) => {
            let step = |(name, reached): &(Symbol, bool)| match reached {
                true => name.to_string(),
                false => format!("!{name}"),
            };
            let path: Vec<String> = path.iter().map(step).collect();
            format!("threshold(def, {})", path.join(" "))
        }
        SizeClass::ThreadBlockSize => "thread_block_size".into(),
        SizeClass::GridSize => "grid_size".into(),
        SizeClass::TileSize => "tile_size".into(),
        SizeClass::RegTileSize => "reg_tile_size".into(),
        SizeClass::SharedMemory => "shared_memory".into(),
        SizeClass::ThreadMemory => "thread_memory".into(),
        SizeClass::Bespoke(name, _) => name.to_string(),
    }
}
