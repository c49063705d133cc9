//! How the work of the memory passes grows with the number of arrays in one function: counted in bytes that
//! are asked for, which are the same in every run.
//!
//! One test, since the count is of the whole process.

use fehu_ir::read::read_prog;
use fehu_ir::{Memory, Prog};
use fehu_memory::{buffers, dead, hoist, loops_in_place, merge, reuse, shortcircuit};
use fehu_pass::Pass;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
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

const PASSES: [&Pass<Prog<Memory>>; 7] = [
    &dead::PASS,
    &loops_in_place::PASS,
    &shortcircuit::PASS,
    &reuse::PASS,
    &merge::PASS,
    &buffers::PASS,
    &hoist::PASS,
];

/// A function of a matrix and a row, with statements of one kind; its result is the matrix that the last of them binds.
fn program(count: usize, line: impl Fn(usize) -> String) -> String {
    let n = "n_1 : i64, m_2 : i64";
    let row = "@ r_mem_5 -> 0 + {(m_2 : 1)}";
    let mut text = format!(
        "memory\n\nentry f sizes 2 0 (*x : [][]i32, r : []i32) : *[][]i32\n\
         fun entry_f_0({n}, x_mem_3 : mem(default), *x_10 : {MATRIX}, r_mem_5 : mem(default), r_6 : [m_2]i32 {row}) : \
         (mem(default), *[n_1][m_2]i32) = {{\n  let (bytes_7 : i64) = mul_i64(4i64, m_2)\n"
    );
    for i in 0..count {
        let _ = writeln!(text, "{}", line(i));
    }
    text + &format!("  return (x_mem_3, x_{})\n}}\n", 10 * count + 10)
}

const MATRIX: &str = "[n_1][m_2]i32 @ x_mem_3 -> 0 + {(n_1 : m_2), (m_2 : 1)}";

/// `map (+ i) row`, with names from a number on: a block, an array in it, an index, an element, a sum.
fn map(from: usize, row: &str, i: usize) -> String {
    let [block, array, flat, index, x, y] = [1, 2, 3, 4, 5, 6].map(|k| from + k);
    format!(
        "  let (b_{block} : mem(default)) = alloc bytes_7 default
  let (a_{array} : [m_2]i32 @ b_{block} -> 0 + {{(m_2 : 1)}}) = segmap thread virtual (flat_{flat}; i_{index} < m_2) : (i32) {{
    let (x_{x} : i32) = {row}[i_{index}]
    let (y_{y} : i32) = add_i32(x_{x}, {i}i32)
    return (y_{y})
  }}"
    )
}

/// Each row is computed from the argument, and put into the matrix.
fn rows(i: usize) -> String {
    let from = 10 * i + 10;
    let (next, array) = (from + 10, from + 2);
    format!(
        "{}\n  let (x_{next} : {MATRIX}) = x_{from} with [{i}i64, 0i64 :+ m_2 * 1i64] = a_{array}",
        map(from, "r_6", i)
    )
}

/// Each row is computed from the one before; the matrix stays.
fn chain(i: usize) -> String {
    let from = 10 * i + 10;
    let before = if i == 0 { "r_6".to_owned() } else { format!("a_{}", from - 8) };
    let next = from + 10;
    format!("{}\n  let (x_{next} : {MATRIX}) = x_{from}", map(from, &before, i))
}

/// Each row is computed from the argument, all before they are put into the matrix.
fn late(count: usize) -> impl Fn(usize) -> String {
    move |i| {
        let half = count / 2;
        let from = 10 * i + 10;
        let next = from + 10;
        if i < half {
            return format!("{}\n  let (x_{next} : {MATRIX}) = x_{from}", map(from, "r_6", i));
        }
        let array = 10 * (i - half) + 12;
        format!("  let (x_{next} : {MATRIX}) = x_{from} with [{i}i64, 0i64 :+ m_2 * 1i64] = a_{array}")
    }
}

#[test]
fn work_grows_with_the_number_of_arrays() {
    let mut wrong = String::new();
    for (what, make) in [
        ("rows", (|n| program(n, rows)) as fn(usize) -> String),
        ("chain", |n| program(n, chain)),
        ("late", |n| program(n, late(n))),
    ] {
        let [mut small, mut large] =
            [500, 2000].map(|n| read_prog::<Memory>(&make(n)).unwrap_or_else(|e| panic!("{e}")));
        for pass in PASSES {
            let work = |prog: &mut Prog<Memory>| {
                let before = BYTES.load(Ordering::Relaxed);
                (pass.run)(prog);
                BYTES.load(Ordering::Relaxed) - before
            };
            let (a, b) = (work(&mut small), work(&mut large));
            let growth = b as f64 / a as f64;
            let line = format!("{what}, {}: {a} to {b} bytes, {growth:.1} times\n", pass.name);
            print!("{line}");
            if growth > 5.2 {
                wrong.push_str(&line);
            }
        }
    }
    assert!(wrong.is_empty(), "for four times as many arrays, this much more work is too much:\n{wrong}");
}
