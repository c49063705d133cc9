//! How the work of the compiler grows with the program: counted, not timed. The measure is how many bytes the compiler
//! asks for on the way to text, which is the same in every run.
//!
//! One test, since the count is of the whole process.

use fehu_driver::compile::Settings;
use fehu_driver::front::check_text;
use fehu_driver::generate::generate;
use fehu_driver::target::Target;
use fehu_driver::times::Times;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static BYTES: AtomicU64 = AtomicU64::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        System.dealloc(at, layout);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes asked for while a program is compiled to text.
fn work(target: Target, program: String) -> u64 {
    let before = BYTES.load(Ordering::Relaxed);
    let front = check_text(Path::new("prog.fut"), program);
    let settings = Settings::executable(target, PathBuf::new());
    let made = generate(&front, &settings, &mut Times::default());
    assert!(made.is_ok(), "refused for {}", target.name());
    BYTES.load(Ordering::Relaxed) - before
}

/// A parallel operation in another, so many of them, all with something to do before and after.
fn nest(depth: usize) -> String {
    let sizes: String = (0..depth).map(|i| format!("[n{i}]")).collect();
    let mut inner = format!("x{depth} * 2");
    for i in (0..depth).rev() {
        let next = i + 1;
        inner = format!(
            "let y{i} = map (\\x{next} -> {inner}) x{i} in f32.maximum (scan (+) 0 y{i}) + f32.sum y{i}"
        );
    }
    format!("entry main {sizes} (x0: {sizes}f32) : f32 = {inner}\n")
}

/// Maps in conditionals in maps.
fn branches(depth: usize) -> String {
    let sizes: String = (0..depth).map(|i| format!("[n{i}]")).collect();
    let mut inner = format!("x{depth} * 2");
    for i in (0..depth).rev() {
        let next = i + 1;
        let other = if next == depth { format!("x{next} + 1") } else { format!("copy x{next}") };
        inner =
            format!("if c > {i} then map (\\x{next} -> {inner}) x{i} else map (\\x{next} -> {other}) x{i}");
    }
    format!("entry main {sizes} (c: i64) (x0: {sizes}f32) : {sizes}f32 = {inner}\n")
}

/// Statements of one kind, one after another; `{i}` is the number of a statement, `{j}` the next.
fn row(head: &str, line: &str, count: usize) -> String {
    let mut text = format!("entry main {head} =\n");
    for i in 0..count {
        let line = line.replace("{i}", &i.to_string()).replace("{j}", &(i + 1).to_string());
        let _ = writeln!(text, "  {line}");
    }
    text + &format!("  in x{count}\n")
}

const SCATTERS: (&str, &str) =
    ("[n] (is: [n]i64) (x0: *[n]i32) : [n]i32", "let x{j} = scatter x{i} is (map (+ {i}) (copy x{i}))");
const HISTOGRAMS: (&str, &str) = (
    "[n] (is: [n]i64) (vs: [n]i32) (x0: [64]i32) : [64]i32",
    "let x{j} = reduce_by_index (copy x{i}) (+) 0 is (map (* {i}) vs)",
);
const NESTS: (&str, &str) = (
    "[n][m] (x0: [n][m]f32) : [n][m]f32",
    "let x{j} = map (\\r -> let s = f32.sum r in map (\\x -> x / s + {i}) r) x{i}",
);
const MANY: (&str, &str) =
    ("[n] (xs: [n]i32) (x0: i32) : i32", "let x{j} = x{i} + reduce (+) 0 (map (* {i}) xs)");
const UPDATES: (&str, &str) = ("(x0: *[]i64) : []i64", "let x{j} = x{i} with [{i}] = x{i}[{i} / 2] + 1");
const LOOPS: (&str, &str) =
    ("[n] (c: i64) (x0: *[n]i64) : [n]i64", "let x{j} = loop y = x{i} for i < c do y with [i] = y[{i}] + 1");

/// A map of many statements, each of which has one more factor than the one before.
fn powers(count: usize) -> String {
    let mut text = "entry main [n] (xs: [n]i64) (ys: [n]i64) : [n]i64 = map2 (\\x0 y ->\n".to_owned();
    for i in 0..count {
        let _ = writeln!(text, "  let x{} = x{i} * y + {i}", i + 1);
    }
    text + &format!("  in x{count}) xs ys\n")
}

/// Functions that call each other, one after another.
fn functions(count: usize) -> String {
    let mut text = "def f0 (x: i64) : i64 = x\n".to_owned();
    for i in 0..count {
        let _ = writeln!(text, "#[noinline] def f{} (x: i64) : i64 = f{i} (x * 3) + 1", i + 1);
    }
    text + &format!("entry main (x: i64) : i64 = f{count} x\n")
}

/// Constants, each of which has a function.
fn constants(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        let _ = writeln!(text, "def c{i} : [{i} + 3]i64 = map (* {i}) (iota ({i} + 3))");
        let _ = writeln!(text, "entry e{i} (j: i64) : i64 = c{i}[j] + j");
    }
    text
}

/// Many arrays, joined in one expression.
fn concatenation(count: usize) -> String {
    let params: Vec<String> = (0..count).map(|i| format!("(x{i}: []i32)")).collect();
    let names: Vec<String> = (0..count).map(|i| format!("x{i}")).collect();
    format!("entry main {} : []i32 = {}\n", params.join(" "), names.join(" ++ "))
}

/// Pairs in pairs, as a result.
fn pairs(depth: usize) -> String {
    format!("entry main (x: i64) = {}x{}\n", "(x, ".repeat(depth), ")".repeat(depth))
}

/// A conditional in the last branch of another, and so on, in a map or on the host.
fn chain(head: &str, link: &str, last: &str, count: usize) -> String {
    let links: String = (0..count).map(|i| format!("  {}\n", link.replace("{i}", &i.to_string()))).collect();
    let end = if head.contains("(\\") { ")" } else { "" };
    format!("entry main {head}\n{links}  {last}{end}\n")
}

fn numbers_in_map(count: usize) -> String {
    let head = "(xs: []i64) = map (\\x -> xs[";
    chain(head, "if x < {i} * 7 then x * {i} + 1 else", "x] + x) xs |> map (+ 1", count)
}

fn pairs_in_map(count: usize) -> String {
    let head = "(xs: []f64) = map (\\x ->";
    chain(head, "if x < {i} then (x * {i}, xs[{i}] + x) else", "(x, x)) xs |> unzip |> (.0", count)
}

fn numbers_on_host(count: usize) -> String {
    chain("(x: i64) : i64 =", "if x < {i} * 7 then x * {i} + 1 else", "0", count)
}

fn rows_in_map(count: usize) -> String {
    let head = "[n][m] (xs: [n]i64) (ys: [m]i64) = map (\\x ->";
    chain(head, "if x < {i} then map (+ {i}) ys else", "ys) xs |> map (map (+ 1)", count)
}

fn cases(count: usize) -> String {
    let head = "(xs: []i64) = map (\\x -> match x";
    chain(head, "case {i} -> x * {i} + xs[{i}]", "case _ -> x) xs |> map (+ 1", count)
}

/// Conditionals in the first branches of others, with something to do before and after.
fn nested_branches(depth: usize) -> String {
    let mut inner = format!("x{depth}");
    for i in (0..depth).rev() {
        let next = i + 1;
        inner = format!(
            "let x{next} = x{i} * {next} + 1 in\n(if x{next} % {} == 1 then {inner} else x{i} + {i}) + x{next}",
            i + 2
        );
    }
    format!("entry main (xs: []i64) = map (\\x0 -> {inner}) xs\n")
}

/// Loops in loops, with conditionals in between.
fn nested_loops(depth: usize) -> String {
    let mut inner = format!("y{depth}");
    for i in (0..depth).rev() {
        let next = i + 1;
        inner = format!(
            "let y{next} = (loop y{next} = y{i} for i{i} < c + {i} do if y{next} > {i} then {inner} else y{next} + i{i}) in y{next} * y{i}"
        );
    }
    format!("entry main (c: i64) (xs: []i64) = map (\\y0 -> {inner}) xs\n")
}

/// Definitions in definitions.
fn nested_lets(depth: usize) -> String {
    let inner = (0..depth).fold("x".to_owned(), |inner, i| format!("(let y{i} = {inner} in y{i} * {i} + x)"));
    format!("entry main (xs: []i64) = map (\\x -> {inner}) xs\n")
}

/// A record of so many fields, which a loop carries.
fn record(fields: usize) -> String {
    let each = |text: &str, by: &str| -> String {
        (0..fields).map(|i| text.replace("{i}", &i.to_string())).collect::<Vec<_>>().join(by)
    };
    format!(
        "entry main (c: i64) (xs: []i64) = map (\\x ->\n  let r = loop r = {{{}}} for i < c do\n    \
         if r.f0 > i then r with f0 = r.f{} + i else {{{}}}\n  in {}) xs\n",
        each("f{i} = x + {i}", ", "),
        fields - 1,
        each("f{i} = r.f{i} * {i}", ", "),
        each("r.f{i}", " + ")
    )
}

mod long {
    #[test]
    fn work_grows_with_the_program() {
        super::work_grows_with_the_program();
    }
}

/// Updates of a row of each thread: on a GPU, a kernel for each.
fn updates_of_rows(count: usize) -> String {
    let line = |i: usize| format!("  let r[(i + {i}) % 64] = r[{}] * {}\n", i % 64, i + 1);
    let lines: String = (0..count).map(line).collect();
    format!("entry main (xss: [][64]i64) (i: i64) : [][64]i64 = map (\\r ->\n  let r = copy r\n{lines}  in r) xss\n")
}

/// Filters, each of a scan, of a row of each thread: irregular.
fn filters_of_rows(count: usize) -> String {
    let line = |i: usize| format!("  let r = filter (\\x -> x % {} != 1) (scan (+) 0 r)\n", i % 7 + 2);
    let lines: String = (0..count).map(line).collect();
    format!("entry main (ns: []i64) : []i64 = map (\\k ->\n  let r = iota k\n{lines}  in i64.sum r) ns\n")
}

/// Loops of the host over elements.
fn loops_of_host(count: usize) -> String {
    let line = |i: usize| format!("  let s = loop s for i < k do s * 3 + xs[(s + i * {}) & 7]\n", i + 1);
    let lines: String = (0..count).map(line).collect();
    let head = "entry main (xs0: [8]i64) (k: i64) : i64 =\n  let xs = map (+ 1) xs0\n  let s = xs[0]\n";
    format!("{head}{lines}  in s\n")
}

/// Arrays of maps, all in one.
fn concatenation_of_maps(count: usize) -> String {
    let parts: Vec<String> = (0..count).map(|i| format!("map (* {}) xs", i + 2)).collect();
    format!("entry main (xs: []i64) : []i64 =\n  {}\n", parts.join("\n  ++ "))
}

fn work_grows_with_the_program() {
    let mut wrong = String::new();
    let mut judge = |what: &str, target: Target, small: u64, large: u64, most: f64| {
        let growth = large as f64 / small as f64;
        let line = format!("{what}, {}: {small} to {large} bytes, {growth:.1} times\n", target.name());
        print!("{line}");
        if growth > most {
            wrong.push_str(&line);
        }
    };
    for target in [Target::C, Target::Multicore, Target::Cuda] {
        // Each level of a nest is one more version of it on a GPU, each as large as the nest; and each index of an
        // array of so many dimensions has as many terms.
        let base = work(target, "entry main (x: i64) = x\n".to_owned());
        for (what, program) in [("nest", nest as fn(usize) -> String), ("branches", branches)] {
            let [small, large] = [5, 10].map(|n| work(target, program(n)) - base);
            judge(what, target, small, large, 12.0);
        }
        let rows = [
            ("scatters", SCATTERS),
            ("histograms", HISTOGRAMS),
            ("nests", NESTS),
            ("reductions", MANY),
            ("updates", UPDATES),
            ("loops", LOOPS),
        ];
        for (what, (head, line)) in rows {
            let [small, large] = [30, 120].map(|n| work(target, row(head, line, n)) - base);
            judge(what, target, small, large, 5.2);
        }
        let [small, large] = [30, 120].map(|n| work(target, concatenation(n)) - base);
        judge("concatenation", target, small, large, 5.2);
        for (what, program) in
            [("powers", powers as fn(usize) -> String), ("functions", functions), ("constants", constants)]
        {
            let [small, large] = [100, 400].map(|n| work(target, program(n)) - base);
            judge(what, target, small, large, 5.2);
        }
        for (what, program) in [
            ("chain of numbers in a map", numbers_in_map as fn(usize) -> String),
            ("chain of pairs in a map", pairs_in_map),
            ("chain of numbers on the host", numbers_on_host),
            ("cases", cases),
            ("nested branches", nested_branches),
            ("nested definitions", nested_lets),
            ("record", record),
            ("updates of rows", updates_of_rows),
            ("filters of rows", filters_of_rows),
            ("loops of the host", loops_of_host),
            ("concatenation of maps", concatenation_of_maps),
        ] {
            let [small, large] = [50, 200].map(|n| work(target, program(n)) - base);
            judge(what, target, small, large, 5.2);
        }
        // A loop is looked at with the loops in it, to find what it carries, and a row that a branch returns
        // with the branches around it, to find where it may be stored: a small part of all work, but a
        // square.
        let [small, large] = [10, 40].map(|n| work(target, nested_loops(n)) - base);
        judge("nested loops", target, small, large, 7.0);
        let [small, large] = [25, 100].map(|n| work(target, rows_in_map(n)) - base);
        judge("chain of rows in a map", target, small, large, 9.0);
    }
    // Each pair has the text of its type, which has those of the pairs in it: a small part of all text, but a square.
    let [small, large] = [75, 300].map(|n| work(Target::C, pairs(n)));
    judge("pairs", Target::C, small, large, 13.0);
    assert!(wrong.is_empty(), "this much more work is too much:\n{wrong}");
}
