//! Rule of given ends: where the program has added up the sizes of its arrays, they are not added up again.
//!
//! Whoever has the elements of rows one after the other needs to know where rows end, and so does the flat version:
//!
//! ```text
//! let ends = scan (+) 0 sizes                                        the ends of the shape [size]: `ends`, after the checks of points
//! in map2 (\size end -> ... (end - size)..<end ...) sizes ends       end - size: where the array of the point starts
//! ```
//!
//! The sums of [`super::level`] stop at a number that no memory holds, where those of the program wrap
//! around. They are the same if the sum of all sizes, which whoever chose the flat version has computed, is
//! less; otherwise the program ends. Sizes are not negative where the checks on which they depend hold: these
//! are made by the map that hands `ends` on.

use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::soac::{Scan, Screma, Soac};
use fehu_ir::{Basic, Body, Exp, Soacs, Stm, SubExp};

/// A size whose sum over the outermost points is known.
#[derive(Clone)]
pub(super) struct KnownSum {
    /// The size, and the sum.
    pub(super) size: Name,
    pub(super) sum: Name,
    /// The sum of the sizes up to each point, if the program has computed it.
    pub(super) end: Option<Name>,
    /// The same without the point's own.
    pub(super) starts: Vec<Name>,
}

impl KnownSum {
    /// Looks for names of the nest that are where arrays of the size start.
    pub(super) fn find_starts(&mut self, body: &Body<Soacs>) {
        let Some(end) = self.end else { return };
        let start = Basic::BinOp(BinOp::Sub(IntType::I64), end.into(), self.size.into());
        let is_start = |stm: &&Stm<Soacs>| matches!(&stm.exp, Exp::Basic(b) if *b == start);
        self.starts = body.stms.iter().filter(is_start).map(|stm| stm.pat[0].name).collect();
    }
}

/// Arrays, and those of their sums up to each element, that a statement of the host computes.
pub(super) fn running_sums(stm: &Stm<Soacs>) -> Vec<(Name, Name)> {
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return vec![] };
    let mut found = vec![];
    let mut first = 0;
    for scan in &s.scans {
        if is_sum(scan) {
            let summed = s.map.body.result[first];
            let sums = stm.pat[first].name;
            found.extend(arrays_of(stm, s, summed).map(|array| (array, sums)));
        }
        first += scan.neutral.len();
    }
    found
}

/// The arrays whose elements a scan is given: one that it reads, or that the same statement computes.
fn arrays_of<'s>(
    stm: &'s Stm<Soacs>,
    s: &'s Screma<Soacs>,
    summed: SubExp,
) -> impl Iterator<Item = Name> + 's {
    let reduced: usize = s.reds.iter().map(|r| r.neutral.len()).sum();
    let scanned: usize = s.scans.iter().map(|s| s.neutral.len()).sum();
    let read = s.map.params.iter().zip(&s.arrays).filter(move |(p, _)| SubExp::Var(p.name) == summed);
    let mapped = s.map.body.result.iter().zip(&stm.pat).skip(scanned + reduced);
    let mapped = mapped.filter(move |(e, _)| **e == summed);
    read.map(|(_, array)| *array).chain(mapped.map(|(_, p)| p.name))
}

fn is_sum(scan: &Scan<Soacs>) -> bool {
    let ([x, y], [stm]) = (scan.op.params.as_slice(), scan.op.body.stms.as_slice()) else { return false };
    let Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), a, b)) = &stm.exp else { return false };
    let [x, y] = [x, y].map(|p| SubExp::Var(p.name));
    let both = (*a, *b) == (x, y) || (*a, *b) == (y, x);
    both && scan.neutral == [SubExp::i64(0)] && scan.op.body.result == [SubExp::Var(stm.pat[0].name)]
}
