//! What kernels read and how, as a table for people: `fehu dev --explain-locality`.
//!
//! Where reads of neighbouring threads are strided but each thread goes through memory in a loop, they are
//! `strided, cached`: what is fetched with an element comes from the first-level cache later.
//!
//! ```text
//! x.fut:1:40-80  a reduction
//!   not coalesced    [+1, same]   of a [n][m]f32: threads along columns, or copied with dimension 0 innermost
//! ```

use super::access::{Step, Use};
use super::{choose, Layout, Warps};
use fehu_ir::seg::{SegKind, SegLevel, SegOp};
use fehu_ir::{Kernels, Loc, Prog, SubExp};

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
            Order::InOrder => "coalesced",
            Order::Walks => "cached",
            Order::Leaps => "not coalesced",
        })
    }
}

/// What is done about reads that are not in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// Nothing has to be done.
    Unneeded,
    /// Tiles in shared memory, if the kernel's schedule has them.
    Tiles,
    /// They are transposed in shared memory, if the kernel's schedule does that.
    Turned,
    /// This, which is done before kernels get schedules.
    Said(String),
}

/// What a kernel reads of an array.
#[derive(Clone, Debug)]
pub struct Row {
    /// Where the kernel comes from.
    pub loc: Loc,
    /// What it is.
    pub kernel: &'static str,
    /// The array: what it is called in the program.
    pub array: String,
    /// Its sizes: names or numbers.
    pub dims: Vec<String>,
    /// The type of its elements.
    pub elem: String,
    /// What becomes of each index from one thread to the next.
    pub index: Vec<&'static str>,
    /// What these reads are to memory.
    pub order: Order,
    /// What is done about it.
    pub remedy: Remedy,
}

/// What all kernels of a program read.
pub fn explain(prog: &Prog<Kernels>, warps: Warps) -> Vec<Row> {
    super::explained(&mut prog.clone(), warps)
}

impl Layout {
    /// Takes down what a kernel reads. `first` is what is tried before arrays are copied.
    pub(super) fn explain(&mut self, loc: &Loc, seg: &SegOp<Kernels>, uses: &[Use], first: &str) {
        let kernel = match (&seg.kind, seg.level) {
            (SegKind::Map, SegLevel::Block) => "a map with a block of threads for each element",
            (SegKind::Map, SegLevel::Thread | SegLevel::InBlock | SegLevel::Task) => "a map",
            (SegKind::Red(_), _) => "a reduction",
            (SegKind::Scan(..), _) => "a scan",
            (SegKind::Hist(_), _) => "a histogram",
        };
        for used in uses {
            let Some(array) = self.arrays.get(&used.array) else { continue };
            let name = self.names.base(used.array).to_string();
            let dims: Vec<String> = array.ty.shape().iter().map(|n| self.size_text(n)).collect();
            let elem = array.ty.elem().map_or_else(String::new, |e| e.to_string());
            let wish = choose::wish(used, &array.ty, &array.order, array.dense);
            let wish = wish.filter(|w| !w.is_vain(array.ty.shape(), &self.known));
            let leaps = choose::leaps(used, &array.order, array.dense);
            for access in &used.accesses {
                let index = access
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
                    (Order::Same | Order::InOrder, ..) | (Order::Walks, false, None) => Remedy::Unneeded,
                    (Order::Walks | Order::Leaps, true, _) => Remedy::Tiles,
                    (Order::Leaps, false, None) if used.turned => Remedy::Turned,
                    (Order::Walks | Order::Leaps, false, Some(wish)) => {
                        let how = format!("copied with dimension {} innermost if read often", wish.innermost);
                        Remedy::Said(format!("{first}{how}"))
                    }
                    (Order::Leaps, false, None) => Remedy::Said(format!("{first}none")),
                };
                let (array, dims, elem) = (name.clone(), dims.clone(), elem.clone());
                self.rows.push(Row { loc: loc.clone(), kernel, array, dims, elem, index, order, remedy });
            }
        }
    }

    fn size_text(&self, n: &SubExp) -> String {
        match n {
            SubExp::Var(n) => self.names.base(*n).to_string(),
            SubExp::Const(v) => v.as_i64().map_or_else(|| "?".to_owned(), |n| n.to_string()),
        }
    }
}
