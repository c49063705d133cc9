//! How much text becomes of the programs of `bench`: kernels, versions, bytes, and the lines of the longest function.
//! None of these may rise above what `bench/compile/text.tsv` has; `FEHU_BLESS=1` writes there what has fallen.
//! Bytes are without the runtime.

use fehu_driver::compile::Settings;
use fehu_driver::front::{check_file, check_text, Front};
use fehu_driver::generate::generate;
use fehu_driver::target::Target;
use fehu_driver::times::Times;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What is counted, in this order.
const COLUMNS: [&str; 4] = ["kernels", "versions", "bytes", "longest"];

/// More bytes than this share of what was recorded are a rise: names have numbers, which become longer.
const BYTES_ONE_IN: usize = 50;

type Counts = [usize; COLUMNS.len()];

#[test]
fn texts_of_benchmarks_do_not_grow() {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
    let record = bench.join("compile/text.tsv");
    let text = std::fs::read_to_string(&record).unwrap_or_default();
    let before: BTreeMap<String, Counts> = text.lines().skip(1).map(row).collect();
    let entries = std::fs::read_dir(&bench).unwrap();
    let mut programs: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    programs.retain(|p| p.extension().is_some_and(|e| e == "fut"));
    programs.sort();
    let mut now: BTreeMap<String, Counts> = BTreeMap::new();
    for target in [Target::C, Target::Cuda] {
        let empty = check_text(Path::new("prog.fut"), "entry main (x: i32) = x\n".to_owned());
        let runtime = text_of(&empty, target).len();
        for program in &programs {
            let name = format!("{} {}", program.file_name().unwrap().to_string_lossy(), target.name());
            // Places of errors have the path, which has another length in each checkout.
            let text = text_of(&check_file(program), target).replace(bench.to_str().unwrap(), "bench");
            now.insert(name, counts(&text, runtime));
        }
    }
    let mut risen = String::new();
    for (name, counts) in &now {
        let limits = before.get(name).copied().unwrap_or_default();
        for (i, column) in COLUMNS.iter().enumerate() {
            let limit = limits[i] + if *column == "bytes" { limits[i] / BYTES_ONE_IN } else { 0 };
            if counts[i] > limit {
                let _ = writeln!(risen, "{name}: {} {column}, and not {}", counts[i], limits[i]);
            }
        }
    }
    if std::env::var_os("FEHU_BLESS").is_some() {
        let least = |(name, counts): (&String, &Counts)| {
            let known = before.get(name).unwrap_or(counts);
            let least: Vec<String> = counts.iter().zip(known).map(|(a, b)| a.min(b).to_string()).collect();
            format!("{name}\t{}\n", least.join("\t"))
        };
        let rows: String = now.iter().map(least).collect();
        std::fs::write(&record, format!("program\t{}\n{rows}", COLUMNS.join("\t"))).unwrap();
    }
    assert!(risen.is_empty(), "more text than {} has:\n{risen}", record.display());
}

/// A function of scalars that is applied often is called where it becomes much code, however short it is: here one
/// of 42 multiplications, in 20 maps.
#[test]
fn functions_of_scalars_are_not_copied_everywhere() {
    let uses: String =
        (0..20).map(|i| format!("  let ys = scan (+) 0 (map (\\y -> f y {i}) ys)\n")).collect();
    let text = format!(
        "def g (x: i32) (y: i32) : i32 = (x * 77777 + y) ^ y\n\
         def h (x: i32) (y: i32) : i32 = g (g (g (g (g (g x y) y) y) y) y) y\n\
         def f (x: i32) (y: i32) : i32 = h (h (h (h (h (h (h x y) y) y) y) y) y) y\n\
         entry main (xs: []i32) =\n  let ys = xs\n{uses}  in ys\n"
    );
    let front = check_text(Path::new("prog.fut"), text);
    let copies = text_of(&front, Target::Cuda).matches("77777").count() / 42;
    assert!(copies <= 2, "{copies} copies");
}

fn row(line: &str) -> (String, Counts) {
    let mut parts = line.split('\t');
    let name = parts.next().unwrap_or_default().to_owned();
    let mut counts = Counts::default();
    for (count, part) in counts.iter_mut().zip(parts) {
        *count = part.parse().unwrap();
    }
    (name, counts)
}

fn text_of(front: &Front, target: Target) -> String {
    let settings = Settings::executable(target, PathBuf::new());
    let made = generate(front, &settings, &mut Times::default());
    made.unwrap_or_else(|_| panic!("refused for {}", target.name())).text.c_text
}

fn counts(text: &str, runtime: usize) -> Counts {
    let kernels = text.lines().filter(|l| l.starts_with("\"KERNEL")).count();
    let versions = text.matches("compare_threshold(ctx, ").count();
    [kernels, versions, text.len().saturating_sub(runtime), longest_function(text)]
}

/// The lines of the longest function after the runtime: one begins and ends in the first column.
fn longest_function(text: &str) -> usize {
    let (mut longest, mut lines) = (0, None);
    let program = text.find("// The program.").unwrap_or(0);
    for line in text[program..].lines() {
        if line.starts_with("static") && line.ends_with('{') || line.starts_with("CALLED_FUN") {
            lines = Some(0);
        }
        lines = lines.map(|n| n + 1);
        if line == "}" {
            longest = longest.max(lines.take().unwrap_or(0));
        }
    }
    longest
}
