//! Compiled programs survive what they are fed: arguments of the wrong type or shape, data that is cut off
//! or garbage, options and commands that do not exist. They never die of a signal, and where they do not succeed they
//! say why.
//!
//! The inputs are the same in every run. `FEHU_HOSTILE=20000` makes more of them, and `FEHU_SANITIZE=1`
//! compiles with sanitizers, which see memory errors that do not kill.

use fehu_data::generate::Rng;
use fehu_driver::compile::{compile, Product, Settings};
use fehu_driver::target::Target;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = r#"
type point = {x: f32, y: f32}
type shape [n] = #circle point f32 | #path [n]point | #none

entry scalars (a: i8) (b: u64) (c: f16) (d: f64) (e: bool) = (a, b, c, d, e)
entry sum [n] (xs: [n]i32) : i32 = i32.sum xs
entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
entry rows [n] [m] (xss: [n][m]i64) (k: i64) : [m]i64 = xss[k]
entry flags (bs: []bool) (text: []u8) = (map (\b -> !b) bs, map (+ 1) text)
entry numbers (n: i64) = iota n
entry bump [n] (xs: *[n]i32) : *[n]i32 = loop xs for i < n do xs with [i] = xs[i] + 1
entry point (x: f32) (y: f32) : point = {x, y}
entry circle (p: point) (r: f32) : shape [0] = #circle p r
entry path [n] (ps: [n]point) : shape [n] = #path (copy ps)
entry points (n: i64) : []point = tabulate n (\i -> {x = f32.i64 i, y = 0})
entry size [n] (s: shape [n]) : f32 =
  match s
  case #circle _ r -> r
  case #path ps -> f32.i64 (length ps)
  case #none -> 0
"#;

/// Arguments that are right.
const RIGHT: [(&str, &str); 9] = [
    ("scalars", "1i8 2u64 3f16 -4.5 true"),
    ("sum", "[1, 2, 3]"),
    ("sum", "empty([0]i32)"),
    ("dot", "[1.0, 2.0] [3.0, f64.nan]"),
    ("rows", "[[1i64, 2i64], [3i64, 4i64]] 1i64"),
    ("flags", "[true, false] \"text\""),
    ("numbers", "10i64"),
    ("bump", "[1i32]"),
    ("point", "1.5f32 2.5f32"),
];

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn executables_survive_their_input() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let executable = build(dir.path(), Product::Executable);
    in_halves(count() / 2, |i| {
        let mut rng = Rng::new(i as u64);
        let (entry, input, options) = bad_run(&mut rng);
        let mut command = small(&executable);
        command.args(["-e", &entry]).args(&options);
        let ran = run(command, &input);
        let what =
            || format!("entry {entry}, options {options:?}, input {}", String::from_utf8_lossy(&input));
        assert!(ran.status.code().is_some(), "{} kills it: {}\n{}", what(), ran.status, ran.stderr);
        assert!(!is_memory_error(&ran.stderr), "{}: {}", what(), ran.stderr);
        if !ran.status.success() {
            assert!(!ran.stderr.trim().is_empty(), "{} is refused without a word", what());
        }
    });
}

#[test]
fn servers_survive_their_commands() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let executable = build(dir.path(), Product::Server);
    let files: Vec<PathBuf> = (0..20)
        .map(|i| {
            let mut rng = Rng::new(i + 1_000_000);
            let (path, (_, input, _)) = (dir.path().join(format!("{i}.in")), bad_run(&mut rng));
            std::fs::write(&path, input).expect("written");
            path
        })
        .collect();
    for (i, text) in ["[1i32, 2i32]", "[1.0, 2.0] [3.0, 4.0]", "2.5f32 3.5f32", "[[1i64]] 0i64", "10i64"]
        .iter()
        .enumerate()
    {
        std::fs::write(dir.path().join(format!("{i}.in")), text).expect("written");
    }
    const LINES: usize = 20;
    in_halves(count() / 2 / LINES, |i| {
        let mut rng = Rng::new(i as u64);
        let mut session = String::new();
        for _ in 0..LINES {
            session.push_str(&command_line(&mut rng, &files));
            session.push('\n');
        }
        let ran = run(small(&executable), session.as_bytes());
        assert!(ran.status.success(), "{} after\n{session}\n{}{}", ran.status, ran.stdout, ran.stderr);
        assert!(!is_memory_error(&ran.stderr), "{session}\n{}", ran.stderr);
        // One for the start, and one for each command that has a word in it.
        let commands = session.lines().filter(|l| !l.trim().is_empty()).count();
        let answers = ran.stdout.lines().filter(|l| *l == "%%% OK").count();
        assert!(answers > commands, "{answers} answers to\n{session}\n{}", ran.stdout);
    });
}

fn count() -> usize {
    std::env::var("FEHU_HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

/// Does something for each number, on two threads.
fn in_halves(count: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for half in 0..2 {
            let work = &work;
            scope.spawn(move || (half..count).step_by(2).for_each(work));
        }
    });
}

fn build(dir: &Path, product: Product) -> PathBuf {
    let (source, output) = (dir.join("prog.fut"), dir.join("prog"));
    std::fs::write(&source, PROGRAM).expect("written");
    let settings = Settings { product, ..Settings::executable(Target::C, output.clone()) };
    let (front, result) = compile(&source, &settings);
    assert!(result.is_ok(), "{result:?} {:?}", front.diagnostics);
    if std::env::var_os("FEHU_SANITIZE").is_some() {
        let flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"];
        let cc =
            Command::new("cc").args(flags).arg(dir.join("prog.c")).arg("-o").arg(&output).arg("-lm").status();
        assert!(cc.is_ok_and(|s| s.success()), "the sanitizers are there");
    }
    output
}

struct Ran {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

/// Whether a sanitizer has found something.
fn is_memory_error(stderr: &str) -> bool {
    stderr.contains("ERROR: AddressSanitizer")
        || stderr.contains("ERROR: LeakSanitizer")
        || stderr.contains("runtime error")
}

/// A command with little memory, so that large sizes fail soon (sanitizers need all the address space), in a
/// folder where the files that it is asked to write do no harm.
fn small(executable: &Path) -> Command {
    let mut command = if std::env::var_os("FEHU_SANITIZE").is_some() || !cfg!(unix) {
        Command::new(executable)
    } else {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v 2000000; exec \"$0\" \"$@\""]).arg(executable);
        shell
    };
    command.current_dir(executable.parent().expect("an executable is in a folder"));
    command
}

fn run(mut command: Command, input: &[u8]) -> Ran {
    command.env("ASAN_OPTIONS", "allocator_may_return_null=1:max_allocation_size_mb=4096");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (mut stdin, mut out, mut err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that refuses its input does not read all of it.
            let _ = stdin.take().map(|mut stdin| stdin.write_all(input));
        });
        let read = |from: Option<&mut dyn Read>| {
            let mut bytes = vec![];
            let _ = from.map(|f| f.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let stdout = scope.spawn(move || read(out.as_mut().map(|o| o as &mut dyn Read)));
        let stderr = scope.spawn(move || read(err.as_mut().map(|o| o as &mut dyn Read)));
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                break status;
            }
            if start.elapsed() > LIMIT {
                let _ = child.kill();
                panic!("it does not end on {}", String::from_utf8_lossy(input));
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
        Ran { status, stdout, stderr }
    })
}

/// An entry point, its input, and options.
fn bad_run(rng: &mut Rng) -> (String, Vec<u8>, Vec<String>) {
    let (entry, text) = *pick(rng, &RIGHT);
    // Now and then, the arguments are those of another one.
    let text = if one_in(rng, 6) { pick(rng, &RIGHT).1 } else { text };
    let mut input = text.as_bytes().to_vec();
    if one_in(rng, 2) {
        input.clear();
        let values = fehu_data::read_values(text.as_bytes()).expect("right values");
        values.iter().for_each(|v| fehu_data::binary::write_binary(v, &mut input));
    }
    for _ in 0..rng.up_to(3) {
        damage(rng, &mut input);
    }
    let entry = match rng.up_to(20) {
        0 => "nothing".to_owned(),
        1 => format!("{entry}{}", pick(rng, &WORDS)),
        _ => entry.to_owned(),
    };
    let mut options = vec![];
    while one_in(rng, 4) {
        options.push((*pick(rng, &OPTIONS)).to_owned());
    }
    (entry, input, options)
}

const OPTIONS: [&str; 16] = [
    "-b",
    "-r",
    "3",
    "-r3",
    "-r-1",
    "--runs=99999999999999999999",
    "-n",
    "--param=x=1",
    "--param",
    "--tuning=/nonexistent",
    "--entry-point",
    "--print-params",
    "-t",
    "--nonsense",
    "--",
    "-D",
];

const WORDS: [&str; 26] = [
    "[",
    "]",
    "[]",
    ",",
    "-",
    "--",
    "1",
    "1i32",
    "0x",
    "1e999",
    "999999999999999999999",
    "f32.nan",
    "-f64.inf",
    "nan",
    "true",
    "tru",
    "\"",
    "\"x",
    "b",
    "empty([0]i32)",
    "empty([1]i32)",
    "empty([0",
    "[[1],[1,2]]",
    "\u{fc}",
    "1.5u8",
    "_",
];

fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let at = rng.up_to(bytes.len() as u64) as usize;
    match rng.up_to(8) {
        0 => bytes.truncate(at),
        1 => drop(bytes.splice(at..at, pick(rng, &WORDS).bytes())),
        2 => drop(bytes.splice(at..at, [rng.next_u64() as u8])),
        3 if at < bytes.len() => drop(bytes.remove(at)),
        4 if at < bytes.len() => bytes[at] = rng.next_u64() as u8,
        5 if at < bytes.len() => bytes[at] = *pick(rng, &[0, 1, 127, 128, 255]),
        6 if at < bytes.len() => bytes[at] ^= 1 << rng.up_to(7),
        // A long run of one byte.
        7 => {
            let (byte, n) = (*pick(rng, b"[0 -\"b_"), rng.up_to(5000) as usize);
            drop(bytes.splice(at..at, std::iter::repeat_n(byte, n)));
        }
        _ => bytes.extend_from_slice(&bytes.clone()),
    }
}

/// A command, mostly with arguments that it can take.
fn command_line(rng: &mut Rng, files: &[PathBuf]) -> String {
    const COMMANDS: [&str; 35] = [
        "types",
        "entry_points",
        "call",
        "restore",
        "store",
        "free",
        "rename",
        "inputs",
        "output",
        "outputs",
        "clear",
        "kind",
        "type",
        "pause_profiling",
        "unpause_profiling",
        "report",
        "set_tuning_param",
        "tuning_params",
        "tuning_param_class",
        "attributes",
        "rank",
        "elemtype",
        "new_array",
        "set",
        "shape",
        "index",
        "zip",
        "unzip",
        "fields",
        "new",
        "project",
        "variants",
        "construct",
        "destruct",
        "variant",
    ];
    const NAMES: [&str; 30] = [
        "a",
        "b",
        "c",
        "d",
        "a",
        "b",
        "c",
        "scalars",
        "sum",
        "dot",
        "rows",
        "numbers",
        "bump",
        "point",
        "circle",
        "size",
        "i32",
        "[]i32",
        "f32",
        "[]f64",
        "shape",
        "[]point",
        "i64",
        "0",
        "1",
        "-1",
        "x",
        "#circle",
        "none",
        "99999999999999999999",
    ];
    let mut words: Vec<String> = vec![];
    match rng.up_to(9) {
        // Likely to work, so that there are variables.
        0 | 1 => {
            let (var, t) =
                (*pick(rng, &["a", "b", "c", "d"]), *pick(rng, &["[]i32", "f32", "i64", "[][]i64"]));
            words.extend(["restore".into(), file(rng, files), var.into(), t.into()]);
        }
        2 => words
            .extend(["call", "numbers", *pick(rng, &["a", "b"]), *pick(rng, &["c", "d"])].map(str::to_owned)),
        3 => words.extend(["call", "point", "d", "a", "b"].map(str::to_owned)),
        4 => words.extend(["free", *pick(rng, &["a", "b", "c", "d"])].map(str::to_owned)),
        5 => words.push((*pick(rng, &WORDS)).to_owned()),
        _ => {
            words.push((*pick(rng, &COMMANDS)).to_owned());
            for _ in 0..rng.up_to(5) {
                words.push(match rng.up_to(12) {
                    0 => file(rng, files),
                    1 => (*pick(rng, &WORDS)).to_owned(),
                    2 => "x".repeat(rng.up_to(3000) as usize),
                    _ => (*pick(rng, &NAMES)).to_owned(),
                });
            }
        }
    }
    words.join(" ").replace('\n', " ")
}

fn file(rng: &mut Rng, files: &[PathBuf]) -> String {
    pick(rng, files).display().to_string()
}

fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.up_to(from.len() as u64 - 1) as usize]
}

fn one_in(rng: &mut Rng, n: u64) -> bool {
    rng.up_to(n - 1) == 0
}
