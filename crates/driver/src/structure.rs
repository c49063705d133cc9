//! How often operations occur in a compiled program: what `structure` blocks of tests ask.
//!
//! ```text
//! structure gpu { SegRed 1 /If/True/SegMap 2 Screma 0 }
//! ```
//!
//! In: a checked program, and the stage after which to look. Out: a [`Structure`], the tree of all
//! operations, in which paths are counted. A path that starts with `/` leads from the body of a function
//! inwards; any other counts wherever it occurs. The names are those of the public test suite; an operation
//! may have several, such as `Screma` and `Map`. Names that no operation of ours has are unknown
//! ([`Structure::is_known`]).

use crate::compile::Settings;
use crate::explore;
use crate::front::Front;
use crate::target::Target;
use fehu_base::{bug, Diagnostic};
use fehu_ir::op::{OpView, RepOp};
use fehu_ir::read::read_prog;
use fehu_ir::seg::{KernelReturn, SegKind, SegOp, EXCHANGE};
use fehu_ir::soac::Soac;
use fehu_ir::{Attr, Basic, Body, Exp, Kernels, Lambda, LoopForm, Memory, Prog, Rep, Soacs, Stm};

/// The stage after which operations are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Lowered, nothing else.
    Internalised,
    /// The optimised program, the same for all back ends.
    Soacs,
    /// Flattened for GPUs.
    Gpu,
    /// Flattened for GPUs, with memory.
    GpuMem,
    /// With tasks for several cores.
    Multicore,
    /// With tasks for several cores, and with memory.
    MulticoreMem,
    /// With loops.
    Sequential,
    /// With loops, and with memory.
    SequentialMem,
}

impl Stage {
    /// The stage that a block names; the common one if it names none.
    pub fn named(name: Option<&str>) -> Option<Stage> {
        Some(match name {
            None => Stage::Soacs,
            Some("internalised") => Stage::Internalised,
            Some("gpu") => Stage::Gpu,
            Some("gpu-mem") => Stage::GpuMem,
            Some("mc") => Stage::Multicore,
            Some("mc-mem") => Stage::MulticoreMem,
            Some("seq") => Stage::Sequential,
            Some("seq-mem") => Stage::SequentialMem,
            Some(_) => return None,
        })
    }
}

/// The operations of a program.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Every operation comes after the one it is in.
    nodes: Vec<Node>,
}

/// An operation.
#[derive(Clone, Debug)]
struct Node {
    names: &'static [&'static str],
    /// The operation whose body it is in.
    parent: Option<usize>,
}

/// The names of all operations.
const KNOWN: &[&str] = &[
    "Alloc",
    "Apply",
    "ArrayLit",
    "Assert",
    "BinOp",
    "CmpOp",
    "Concat",
    "ConvOp",
    "Copy",
    "False",
    "FlatIndex",
    "FlatUpdate",
    "ForLoop",
    "Hist",
    "If",
    "Index",
    "Iota",
    "Loop",
    "Manifest",
    "Map",
    "Match",
    "Negate",
    "Opaque",
    "Rearrange",
    "Redomap",
    "Reduce",
    "Replicate",
    "Reshape",
    "Scan",
    "Scanomap",
    "Scratch",
    "Screma",
    "SegBinOp",
    "SegHist",
    "SegMap",
    "SegRed",
    "SegScan",
    "SubExp",
    "True",
    "UnOp",
    "Update",
    "UpdateAcc",
    "WhileLoop",
    "WithAcc",
];

/// The operations of a program after a stage.
pub fn structure(front: &Front, settings: &Settings, stage: Stage) -> Result<Structure, Vec<Diagnostic>> {
    let (target, step) = match stage {
        Stage::Internalised => (Target::C, "lower"),
        Stage::Soacs => (Target::C, "soacs"),
        Stage::Gpu => (Target::OpenCl, "flatten"),
        Stage::GpuMem => (Target::OpenCl, "memory"),
        Stage::Multicore => (Target::Multicore, "kernels"),
        Stage::MulticoreMem => (Target::Multicore, "memory"),
        Stage::Sequential => (Target::C, "kernels"),
        Stage::SequentialMem => (Target::C, "memory"),
    };
    let text = explore::after(front, &Settings { target, ..settings.clone() }, step)?;
    Ok(match stage {
        Stage::Internalised | Stage::Soacs => count::<Soacs>(&text),
        Stage::Gpu | Stage::Multicore | Stage::Sequential => count::<Kernels>(&text),
        Stage::GpuMem | Stage::MulticoreMem | Stage::SequentialMem => count::<Memory>(&text),
    })
}

/// The operations of a program that was printed.
fn count<R: Rep>(text: &str) -> Structure {
    let Ok(prog) = read_prog::<R>(text) else { bug!("what was printed cannot be read") };
    let mut counter = Counter::default();
    counter.program(&prog);
    counter.structure
}

impl Structure {
    /// How often a path occurs.
    pub fn count(&self, path: &str) -> u64 {
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').rev().collect();
        let anchored = path.starts_with('/');
        let matches = |node: &Node| {
            let mut at = Some(node);
            for part in &parts {
                match at {
                    Some(node) if node.names.contains(part) => at = node.parent.map(|p| &self.nodes[p]),
                    Some(_) | None => return false,
                }
            }
            !anchored || at.is_none()
        };
        self.nodes.iter().filter(|n| matches(n)).count() as u64
    }

    /// Whether there could be such operations.
    pub fn is_known(path: &str) -> bool {
        path.trim_start_matches('/').split('/').all(|part| KNOWN.contains(&part))
    }
}

/// Whether an attribute says that memory is for what threads exchange inside of one operation. No array is in
/// it, and the suite counts the blocks of arrays.
fn is_exchange(attr: &Attr) -> bool {
    match attr {
        Attr::Comp(name, _) => name.as_str() == EXCHANGE,
        Attr::Atom(_) | Attr::Int(_) => false,
    }
}

/// Collects the operations of a program of any representation.
#[derive(Default)]
struct Counter {
    structure: Structure,
    inside: Option<usize>,
}

impl Counter {
    /// All functions, and constants.
    fn program<R: Rep>(&mut self, prog: &Prog<R>) {
        self.body(&prog.consts);
        for fun in &prog.funs {
            self.body(&fun.body);
        }
    }

    fn body<R: Rep>(&mut self, body: &Body<R>) {
        let counted = |s: &&Stm<R>| !s.attrs.iter().any(is_exchange);
        fehu_ir::visit::deep(|| body.stms.iter().filter(counted).for_each(|s| self.exp(&s.exp)));
    }

    fn exp<R: Rep>(&mut self, exp: &Exp<R>) {
        let leaf: &'static [&'static str] = match exp {
            Exp::Basic(Basic::SubExp(_)) => &["SubExp"],
            Exp::Basic(Basic::Opaque(_)) => &["Opaque"],
            Exp::Basic(Basic::UnOp(..)) => &["UnOp", "Negate"],
            Exp::Basic(Basic::BinOp(..)) => &["BinOp"],
            Exp::Basic(Basic::CmpOp(..)) => &["CmpOp"],
            Exp::Basic(Basic::Conv(..)) => &["ConvOp"],
            Exp::Basic(Basic::PrimFn(..)) | Exp::Call(..) => &["Apply"],
            Exp::Basic(Basic::Assert(..)) => &["Assert"],
            Exp::Basic(Basic::ArrayLit(..) | Basic::ArrayConst(_)) => &["ArrayLit"],
            Exp::Basic(Basic::Index(..)) => &["Index"],
            Exp::Basic(Basic::Update(..)) => &["Update"],
            Exp::Basic(Basic::FlatIndex(..)) => &["FlatIndex"],
            Exp::Basic(Basic::FlatUpdate(..)) => &["FlatUpdate"],
            Exp::Basic(Basic::Iota { .. }) => &["Iota"],
            Exp::Basic(Basic::Replicate(..)) => &["Replicate"],
            Exp::Basic(Basic::Scratch(..)) => &["Scratch"],
            Exp::Basic(Basic::Copy(_)) => &["Copy"],
            Exp::Basic(Basic::Manifest(..)) => &["Manifest"],
            Exp::Basic(Basic::Concat { .. }) => &["Concat"],
            Exp::Basic(Basic::Rearrange(..)) => &["Rearrange"],
            Exp::Basic(Basic::Reshape(..)) => &["Reshape"],
            Exp::Basic(Basic::UpdateAcc(..)) => &["UpdateAcc"],
            Exp::If(_, yes, no) => {
                return self.within(&["If", "Match"], |c| {
                    c.within(&["True"], |c| c.body(yes));
                    c.within(&["False"], |c| c.body(no));
                });
            }
            Exp::Loop(l) => {
                return self.within(&["Loop"], |c| {
                    c.leaf(match &l.form {
                        LoopForm::For { .. } => &["ForLoop"],
                        LoopForm::While(_) => &["WhileLoop"],
                    });
                    c.body(&l.body);
                });
            }
            Exp::WithAcc(w) => {
                return self.within(&["WithAcc"], |c| {
                    let ops = w.inputs.iter().filter_map(|i| i.op.as_ref());
                    ops.for_each(|(op, _)| c.lambda(op));
                    c.lambda(&w.lambda);
                });
            }
            Exp::Op(op) => return self.op(op.view()),
        };
        self.leaf(leaf);
    }

    fn op<R: Rep>(&mut self, op: OpView<'_, R>) {
        match op {
            OpView::Soac(soac) => self.soac(soac),
            OpView::Seg(seg) => self.seg(seg),
            OpView::Size(_) => {}
            OpView::Alloc(..) => self.leaf(&["Alloc"]),
        }
    }

    fn soac<R: Rep>(&mut self, soac: &Soac<R>) {
        match soac {
            Soac::Screma(s) => {
                let names: &[&str] = match (s.scans.is_empty(), s.reds.is_empty()) {
                    (true, true) => &["Screma", "Map"],
                    (true, false) => &["Screma", "Redomap", "Reduce"],
                    (false, _) => &["Screma", "Scanomap", "Scan"],
                };
                self.within(names, |c| {
                    s.scans.iter().for_each(|s| c.lambda(&s.op));
                    s.reds.iter().for_each(|r| c.lambda(&r.op));
                    c.lambda(&s.map);
                });
            }
            Soac::Hist(h) => self.within(&["Hist"], |c| {
                h.ops.iter().for_each(|o| c.lambda(&o.op));
                c.lambda(&h.lambda);
            }),
            // The suite knows scatters as maps that write to accumulators.
            Soac::Scatter(s) => {
                self.within(&["WithAcc"], |c| c.within(&["Screma", "Map"], |c| c.lambda(&s.lambda)));
            }
            // And filters as scans with such a map after them.
            Soac::Filter(f) => {
                self.within(&["Screma", "Scanomap", "Scan"], |c| c.lambda(&f.lambda));
                self.within(&["WithAcc"], |c| c.leaf(&["Screma", "Map"]));
            }
            Soac::Ad(a) => self.lambda(&a.lambda),
        }
    }

    fn seg<R: Rep>(&mut self, seg: &SegOp<R>) {
        let names: &[&str] = match &seg.kind {
            SegKind::Map => &["SegMap"],
            SegKind::Red(_) => &["SegRed"],
            SegKind::Scan(..) => &["SegScan"],
            SegKind::Hist(_) => &["SegHist"],
        };
        let inside = |c: &mut Counter| {
            match &seg.kind {
                SegKind::Map => {}
                SegKind::Red(ops) => ops.iter().for_each(|o| c.within(&["SegBinOp"], |c| c.lambda(&o.op))),
                SegKind::Scan(ops, after) => {
                    ops.iter().for_each(|o| c.within(&["SegBinOp"], |c| c.lambda(&o.op)));
                    after.iter().for_each(|a| c.lambda(&a.lambda));
                }
                SegKind::Hist(ops) => ops.iter().for_each(|o| c.lambda(&o.op)),
            }
            c.body(&seg.body.body);
        };
        let writes = seg.body.returns.iter().any(|r| matches!(r, KernelReturn::Write { .. }));
        if writes && matches!(seg.kind, SegKind::Map) {
            self.within(&["WithAcc"], |c| c.within(names, inside));
        } else {
            self.within(names, inside);
        }
    }

    fn lambda<R: Rep>(&mut self, lambda: &Lambda<R>) {
        self.body(&lambda.body);
    }

    fn leaf(&mut self, names: &'static [&'static str]) {
        self.structure.nodes.push(Node { names, parent: self.inside });
    }

    fn within(&mut self, names: &'static [&'static str], inside: impl FnOnce(&mut Counter)) {
        let outer = self.inside;
        self.leaf(names);
        self.inside = Some(self.structure.nodes.len() - 1);
        inside(self);
        self.inside = outer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::check_text;
    use crate::target::Target;
    use std::path::{Path, PathBuf};

    fn of(text: &str, stage: Option<&str>) -> Structure {
        let front = check_text(Path::new("test.fut"), text.to_owned());
        let settings = Settings::executable(Target::C, PathBuf::new());
        structure(&front, &settings, Stage::named(stage).expect("a stage")).expect("it compiles")
    }

    #[test]
    fn paths_are_counted() {
        let text = "entry main (n: i64) (xs: []i64) =
            if n < 0 then i64.sum (map (+ n) xs) else loop x = n for i < n do i64.sum (map (* x) xs)";
        let soacs = of(text, None);
        assert_eq!(soacs.count("Screma"), 2);
        assert_eq!(soacs.count("Redomap"), 2);
        assert_eq!(soacs.count("Map"), 0);
        assert_eq!(soacs.count("/If/True/Screma"), 1);
        assert_eq!(soacs.count("If/False/Loop/Screma"), 1);
        assert_eq!(soacs.count("/Loop"), 0);
        assert_eq!(soacs.count("/If/False/Loop/ForLoop"), 1);
        assert_eq!(soacs.count("SegRed"), 0);
        assert!(of(text, Some("gpu")).count("SegRed") >= 2);
        assert_eq!(of(text, Some("seq")).count("Screma"), 0);
        assert!(of("entry main (n: i64) = map (* 2) (iota n)", Some("seq-mem")).count("Alloc") == 1);
    }

    /// What the threads of a block exchange is not counted, and `only_intra` is one version: the result, and
    /// what is summed.
    #[test]
    fn blocks_of_arrays_are_counted() {
        let text = "entry main (xss: [][]i32) =
            #[flattening(only_intra)]
            map (\\xs -> let ys = opaque (map (+ 1) xs) in map (+ reduce (+) 0 ys) xs) xss";
        assert_eq!(of(text, Some("gpu-mem")).count("Alloc"), 2);
        assert_eq!(of(text, Some("gpu-mem")).count("If"), 0);
    }

    #[test]
    fn what_no_operation_is_called() {
        assert!(Structure::is_known("/If/True/SegMap"));
        assert!(!Structure::is_known("/GPUBody/Index"));
        assert_eq!(Stage::named(Some("wasm")), None);
    }
}
