//! How many blocks of memory programs need, in which space, and how often they are allocated and copied.

use fehu_driver::compile::Settings;
use fehu_driver::explore::after;
use fehu_driver::front::check_file;
use fehu_driver::target::Target;
use fehu_ir::mem::MemOp;
use fehu_ir::read::read_prog;
use fehu_ir::visit::for_each_body;
use fehu_ir::{Basic, Body, Exp, Memory, Space};
use std::path::PathBuf;

/// What is in the code of a function.
#[derive(Default, Debug, PartialEq)]
struct Counts {
    /// Allocations in shared memory.
    shared: usize,
    /// Allocations of the host, and those of them in loops.
    host: usize,
    in_loops: usize,
    /// Copies in loops.
    copies_in_loops: usize,
}

fn count(body: &Body<Memory>, in_loop: bool, counts: &mut Counts) {
    for stm in &body.stms {
        match &stm.exp {
            Exp::Op(MemOp::Alloc(_, Space::Shared)) => counts.shared += 1,
            Exp::Op(MemOp::Alloc(_, Space::Default)) => {
                counts.host += 1;
                counts.in_loops += usize::from(in_loop);
            }
            Exp::Basic(Basic::Copy(_)) => counts.copies_in_loops += usize::from(in_loop),
            _ => {}
        }
        let inside = in_loop || matches!(stm.exp, Exp::Loop(_));
        for_each_body(&stm.exp, &mut |b| count(b, inside, counts));
    }
}

/// The counts of the only entry point of a program, left as it is after a step.
fn counted(target: Target, step: &str, text: &str) -> Counts {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("prog.fut");
    std::fs::write(&file, text).expect("the program can be written");
    let front = check_file(&file);
    let settings = Settings::executable(target, PathBuf::new());
    let shown = after(&front, &settings, step).unwrap_or_else(|e| panic!("{e:?}"));
    let prog = read_prog::<Memory>(&shown).unwrap_or_else(|e| panic!("{e}"));
    let mut counts = Counts::default();
    for fun in prog.funs.iter().filter(|f| f.entry.is_some()) {
        count(&fun.body, false, &mut counts);
    }
    counts
}

/// Each row is scanned again and again, and a scan needs only the one before it.
fn chain(attribute: &str, scans: usize) -> String {
    let next = |xs: String, _| format!("(let ys = scan (+) 0 {xs} in map (\\i -> ys[(i + 1) % n]) (iota n))");
    let chain = (0..scans).fold(String::from("xs"), next);
    format!("entry main [m][n] (xss: [m][n]i32) = {attribute} map (\\(xs: [n]i32) -> {chain}) xss")
}

#[test]
fn a_chain_of_scans_in_a_thread_block_needs_two_blocks() {
    for scans in [2, 3, 6, 9] {
        let text = chain("#[flattening(only_intra)]", scans);
        // What threads exchange values through is added later, by `shared-memory`.
        assert_eq!(counted(Target::Cuda, "merge-blocks", &text).shared, 2, "{scans} scans");
    }
}

#[test]
fn a_longer_chain_of_scans_in_a_thread_needs_no_more_rows() {
    let counts = |scans| counted(Target::Cuda, "memory", &chain("#[sequential_inner]", scans));
    for scans in [3, 6, 9] {
        assert_eq!(counts(scans), counts(2), "{scans} scans");
    }
}

#[test]
fn loops_on_the_host_allocate_before_they_start() {
    let carried =
        "entry main [n] (k: i64) (xs: [n]i32) = loop xs for _i < k do map (\\i -> xs[(i + 1) % n]) (iota n)";
    let rotated = "entry main [n] (k: i64) (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
      loop (xs: [n]i32, ys: [n]i32) = (xs, ys) for _i < k do (ys, map2 (+) (reverse xs) ys)";
    for target in [Target::C, Target::Multicore, Target::Cuda] {
        let counts = counted(target, "memory", carried);
        assert_eq!((counts.host, counts.in_loops, counts.copies_in_loops), (2, 0, 0), "{target:?}");
        let counts = counted(target, "memory", rotated);
        assert_eq!((counts.in_loops, counts.copies_in_loops), (0, 0), "{target:?}");
    }
}

#[test]
fn loops_in_kernels_copy_nothing_back() {
    let text = |attribute: &str| {
        format!(
            "entry main [m][n] (k: i64) (xss: [m][n]i32) = {attribute}
               map (\\(xs: [n]i32) -> loop xs for _i < k do map (\\i -> xs[(i + 1) % n]) (iota n)) xss"
        )
    };
    for attribute in ["#[flattening(only_intra)]", "#[sequential_inner]"] {
        let counts = counted(Target::Cuda, "memory", &text(attribute));
        assert_eq!((counts.copies_in_loops, counts.in_loops), (0, 0), "{attribute}");
    }
}

#[test]
fn what_grows_is_allocated_anew() {
    let text = "entry main (k: i64) = loop xs = [1i64] for _i < k do xs ++ xs";
    assert_eq!(counted(Target::C, "memory", text).in_loops, 1);
}
