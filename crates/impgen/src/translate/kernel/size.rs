//! Tuning parameters and sizes of the device.

use super::Translate;
use crate::draft::{Code, Op};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Symbol};
use fehu_imp::build::*;
use fehu_imp::syntax::{Expr, TuningParam};
use fehu_ir::schedule::{Schedule, ScheduleParam};
use fehu_ir::seg::{SizeClass, SizeOp};
use fehu_ir::{Memory, PatElem};

impl Translate {
    /// A size that host code asks for.
    pub(in crate::translate) fn size_op(&mut self, pat: &[PatElem<Memory>], size: &SizeOp) {
        let [p] = pat else { bug!("{size:?} has {} results", pat.len()) };
        self.declare(p.name, &p.ty);
        match size {
            SizeOp::GetSize(name, class) => {
                self.add_param(*name, class);
                self.emit(Code::Op(Op::GetSize(p.name, *name)));
            }
            SizeOp::GetSizeMax(class) => {
                self.emit(Code::Op(Op::GetSizeMax(p.name, Symbol::new(&class_text(class)))));
            }
            SizeOp::SharedNeeded(label) => bug!("nobody said how much shared memory {label:?} needs"),
            SizeOp::CmpThreshold { name, class, par } => {
                self.add_param(*name, class);
                let par = self.operand(*par);
                self.emit(Code::Op(Op::CmpThreshold(p.name, *name, par)));
            }
            SizeOp::CalcGrid { points, max: most, block } => {
                self.add_param(*most, &SizeClass::GridSize);
                let (points, block) = (self.operand(*points), self.operand(*block));
                let blocks = self.bounded_grid(points, block, *most);
                self.set_to(p.name, blocks);
            }
        }
    }

    /// A parameter that the program declares itself: the least number if it is not set.
    pub(in crate::translate) fn read_param(&mut self, pat: &[PatElem<Memory>], name: Symbol) {
        let class = SizeClass::Bespoke(Symbol::new("user"), i64::MIN);
        self.size_op(pat, &SizeOp::GetSize(name, class));
    }

    /// As many blocks as the points need, but no more than a parameter says.
    pub(super) fn bounded_grid(&mut self, points: Expr, block: Expr, most: Symbol) -> Expr {
        let most = self.param(most);
        min(quot_up(points, block), most)
    }

    /// Makes the tuning parameters of a schedule known.
    pub(super) fn add_params(&mut self, schedule: &Schedule) {
        for ScheduleParam { name, class, usual } in &schedule.params {
            let param = TuningParam { name: *name, class: class_text(class), default: *usual };
            self.params.insert(*name, param);
        }
    }

    /// The most that the device has of something.
    pub(in crate::translate) fn device_max(&mut self, class: &SizeClass) -> Expr {
        let x = self.temp("most", PrimType::I64);
        self.emit(Code::Op(Op::GetSizeMax(x, Symbol::new(&class_text(class)))));
        Expr::Var(x)
    }

    pub(super) fn param(&mut self, name: Symbol) -> Expr {
        let x = self.temp("param", PrimType::I64);
        self.emit(Code::Op(Op::GetSize(x, name)));
        Expr::Var(x)
    }

    fn add_param(&mut self, name: Symbol, class: &SizeClass) {
        let default = match class {
            SizeClass::Bespoke(_, default) => Some(*default),
            SizeClass::Threshold(_, default) => *default,
            SizeClass::ThreadBlockSize
            | SizeClass::GridSize
            | SizeClass::TileSize
            | SizeClass::RegTileSize
            | SizeClass::SharedMemory => None,
        };
        self.params.entry(name).or_insert_with(|| TuningParam { name, class: class_text(class), default });
    }
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
        SizeClass::Bespoke(name, _) => name.to_string(),
    }
}
