//! Histograms that add up in the order of their values.
//!
//! Before: any program without derivatives. After: no histogram has an operator for which the order of values matters,
//! in the last bits of its results. Such a histogram is sorting by bin, and a scan (`reverse/bins`), so that no two
//! threads update a bin.
//!
//! ```text
//! hist (+) is vs, of floats    ==>    order = positions, sorted by bin
//!                                     ys    = scan in that order
//!                                     bins  = the last of each
//! ```
//!
//! It is for GPUs, whose histograms are atomic updates in the order in which threads arrive, and takes tens of times as
//! long as those. Programs ask for it by `--deterministic`.

use crate::reverse::Reverse;
use crate::{legal, simplified, start, walk, Machine, Options};
use fehu_analysis::operator::depends_on_order;
use fehu_ir::soac::Soac;
use fehu_ir::{Exp, Prog, Soacs};
use fehu_pass::{Need, Pass};

/// Histograms that add up in the order of their values.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "histograms-in-order", need: Need::Required, run: ordered };

fn ordered(prog: &mut Prog<Soacs>) {
    while round(prog) {
        legal::legal(prog);
        simplified(prog);
    }
}

/// Replaces the outermost histograms whose order matters. Whether there were any.
fn round(prog: &mut Prog<Soacs>) -> bool {
    let (b, funs) = start(prog);
    let mut maker = Reverse::new(b, &funs, Options { machine: Machine::Gpu, tape_bytes: None });
    maker.sorts = true;
    let any = walk(prog, &mut |stm| {
        let Exp::Op(Soac::Hist(h)) = &stm.exp else { return None };
        if !h.ops.iter().any(|op| depends_on_order(&op.op)) {
            return None;
        }
        maker.b.loc = stm.loc.clone();
        maker.b.begin();
        maker.b.certs.clone_from(&stm.certs);
        maker.split_hist(&stm.pat, h.clone());
        maker.b.certs.clear();
        Some(maker.b.end(vec![]).stms)
    });
    prog.names = maker.b.names;
    any
}
