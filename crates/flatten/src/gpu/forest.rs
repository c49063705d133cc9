//! The tuning forest: every threshold of a program, with the decisions that lead to it.

use fehu_ir::seg::{KernelsOp, SizeClass, SizeOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Kernels, Prog};
use std::fmt::Write;

/// Lists the thresholds of a program, one a line: the name, then the path to it, outermost decision
/// first, each a threshold's name with `!` before it where the threshold was not reached.
///
/// ```text
/// main.suff_outer_par_0 ()
/// main.suff_intra_par_1 (!main.suff_outer_par_0)
/// ```
pub fn tuning_forest(prog: &Prog<Kernels>) -> String {
    let mut text = String::new();
    let mut list = |body| {
        for_each_stm(body, &mut |stm| {
            if let Exp::Op(KernelsOp::Size(SizeOp::CmpThreshold { name, class, .. })) = &stm.exp {
                let SizeClass::Threshold(path, _) = class else { return };
                let path: Vec<String> = path
                    .iter()
                    .map(|(n, reached)| format!("{}{n}", if *reached { "" } else { "!" }))
                    .collect();
                // Writing to a string does not fail.
                let _ = writeln!(text, "{name} ({})", path.join(" "));
            }
        });
    };
    list(&prog.consts);
    for f in &prog.funs {
        list(&f.body);
    }
    text
}
