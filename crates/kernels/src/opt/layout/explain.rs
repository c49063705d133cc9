//! What kernels read and how, as a table for people: `fehu dev --explain-locality`.
//!
//! Where threads leap but each of them goes through memory in a loop, the table says `walks`: what is fetched
//! with an element comes from the first-level cache later.
//!
//! ```text
//! x.fut:1:40-80  segred  a [n][m]f32   a[+1, same]   leaps      threads along columns, or copied with dimension 0 innermost
//! ```

use super::access::{Step, Use};
use super::{choose, Layout, Warps};
use fehu_ir::seg::{SegKind, SegLevel, SegOp};
use fehu_ir::{Kernels, Loc, Prog, SubExp, Type};

/// What reads of neighbouring threads are to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// One element.
    Same,
    /// Neighbours.
    InOrder,
    /// Neither; but each thread goes on to neighbours in a loop.
    Walks,
    /// Neither.
    Leaps,
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Order::Same => "the same element",
            Order::InOrder => "in order",
            Order::Walks => "walks",
            Order::Leaps => "leaps",
        })
    }
}

/// What a kernel reads of an array.
#[derive(Clone, Debug)]
pub struct Row {
    /// Where the kernel comes from.
    pub loc: Loc,
    /// What it is.
    pub kernel: &'static str,
    /// The array, with its type.
    pub array: String,
    /// What becomes of each index from one thread to the next.
    pub index: String,
    /// What these reads are to memory.
    pub order: Order,
    /// What is done about it.
    pub remedy: String,
}

/// What all kernels of a program read.
pub fn explain(prog: &Prog<Kernels>, warps: Warps) -> Vec<Row> {
    super::explained(&mut prog.clone(), warps)
}

impl Layout {
    /// Takes down what a kernel reads. `first` is what is tried before arrays are copied.
    pub(super) fn explain(&mut self, loc: &Loc, seg: &SegOp<Kernels>, uses: &[Use], first: &str) {
        let kernel = match (&seg.kind, seg.level) {
            (SegKind::Map, SegLevel::Block) => "block",
            (SegKind::Map, SegLevel::Thread | SegLevel::InBlock | SegLevel::Task) => "segmap",
            (SegKind::Red(_), _) => "segred",
            (SegKind::Scan(..), _) => "segscan",
            (SegKind::Hist(_), _) => "seghist",
        };
        for used in uses {
            let Some(array) = self.arrays.get(&used.array) else { continue };
            let name = self.names.show(used.array).to_string();
            let wish = choose::wish(used, &array.ty, &array.order, array.dense);
            let wish = wish.filter(|w| !w.is_vain(array.ty.shape(), &self.known));
            let leaps = choose::leaps(used, &array.order, array.dense);
            for access in &used.accesses {
                let steps: Vec<&str> = access
                    .index
                    .iter()
                    .map(|i| match i.step {
                        Step::Same => "same",
                        Step::Next => "+1",
                        Step::Leap => "?",
                    })
                    .collect();
                let one = access.index.iter().all(|i| i.step == Step::Same);
                let walks = array.order.last().and_then(|d| access.index.get(*d));
                let walks = walks.is_some_and(|i| i.change.walks());
                let order = match (one, leaps) {
                    (true, _) => Order::Same,
                    (false, 0) => Order::InOrder,
                    (false, _) if walks => Order::Walks,
                    (false, _) => Order::Leaps,
                };
                let remedy = match (order, access.tiled, &wish) {
                    (Order::Same | Order::InOrder, ..) | (Order::Walks, false, None) => String::new(),
                    (Order::Walks | Order::Leaps, true, _) => "tiles in shared memory".to_owned(),
                    (Order::Leaps, false, None) if used.turned => "turned in shared memory".to_owned(),
                    (Order::Walks | Order::Leaps, false, Some(wish)) => {
                        format!("{first}copied with dimension {} innermost if read often", wish.innermost)
                    }
                    (Order::Leaps, false, None) => format!("{first}none"),
                };
                let array = format!("{name} {}", self.type_text(&array.ty));
                let index = format!("[{}]", steps.join(", "));
                self.rows.push(Row { loc: loc.clone(), kernel, array, index, order, remedy });
            }
        }
    }

    fn type_text(&self, ty: &Type) -> String {
        let size = |n: &SubExp| match n {
            SubExp::Var(n) => self.names.show(*n).to_string(),
            SubExp::Const(v) => v.as_i64().map_or_else(|| "?".to_owned(), |n| n.to_string()),
        };
        let dims: String = ty.shape().iter().map(|n| format!("[{}]", size(n))).collect();
        ty.elem().map_or(dims.clone(), |e| format!("{dims}{e}"))
    }
}
