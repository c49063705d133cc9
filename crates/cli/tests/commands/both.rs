//! What a program reads, prints and says is the same whether it is compiled or interpreted.

use super::{fehu, program, root, stderr};
use fehu_data::spec::{Action, Expected, Input};
use fehu_data::ProgramSpec;
use fehu_driver::compile::Settings;
use fehu_driver::front::check_file;
use fehu_driver::interpret::{interpreted, Interpreted, Stopped};
use fehu_driver::target::Target;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const VALUES: &str = "\
type point = {x: i32, y: f64}
type shape = #circle f32 f32 | #in (#p i32 | #q) | #nothing | #square {side: i32, at: point}
entry a_f64 (x: f64) = x
entry a_f32 (x: f32) = x
entry a_f16 (x: f16) = x
entry a_i8 (x: i8) = x
entry a_i64 (x: i64) = x
entry a_u8 (x: u8) = x
entry a_u64 (x: u64) = x
entry a_bool (x: bool) = x
entry f64s (xs: []f64) = xs
entry f16s (xs: []f16) = xs
entry i32s (xs: []i32) = xs
entry u8s (xs: []u8) = xs
entry bytes (xs: [][]u8) = xs
entry rows (xss: [][]i32) = xss
entry twice (x: i32) (y: i32) = (x, y)
entry same [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
entry square [n] (xs: [n][n]i32) (k: i64) (ys: [k]i32) = (xs, ys)
entry claim (x: i32) = assert (x > 0) x
entry filled (n: i64) = replicate n 0i32
entry mapped (n: i64) = map (+ 1) (iota n)
entry get (p: point) (k: {a: (i32, []i8), b: ()}) = (p.x, p.y, k.a.1)
entry nothing (_x: i32) = ()
entry nested (a: i32): {inner: point, flags: [2]bool, t: (i32, {u: ()}), m: [2][0]i8} =
  {inner = {x = a, y = 1}, flags = [true, a > 3], t = (a, {u = ()}), m = [[], []]}
entry several (a: i32): (i32, point, (i32, i32), bool) = (a, {x = a, y = 0.5}, (a, a), a > 0)
entry points (n: i64) (m: i64): [n][m]point = tabulate_2d n m (\\i j -> {x = i32.i64 i, y = f64.i64 j})
entry pairs (n: i64): [n](i64, [n]bool) = tabulate n (\\i -> (i, replicate n (i % 2 == 0)))
entry units (n: i64): [n]() = replicate n ()
entry shapes (n: i64): [n]shape =
  tabulate n (\\i -> if i == 0 then #nothing
                   else if i == 1 then #circle (-1) 0.1
                   else if i == 2 then #in #q
                   else if i == 3 then #in (#p 3)
                   else #square {side = 2, at = {x = 1, y = 2}})
entry shape (n: i32): shape = if n > 1 then #square {side = n, at = {x = 1, y = 2}} else #in (#p n)
entry takes_shape (s: shape) = match s case #nothing -> 1i32 case _ -> 2i32
";

/// Entry points and what they read, with what they print or say, as far as it matters here.
const RUNS: &[(&str, &str, &str)] = &[
    ("a_f64", "11", "11.0f64\n"),
    ("a_f64", "0.1", "0.1f64\n"),
    ("a_f64", "1e300", "1.0e300f64\n"),
    ("a_f64", "123456789.125", "1.23456789125e8f64\n"),
    ("a_f64", "-0.0", "-0.0f64\n"),
    ("a_f64", "-inf", "-f64.inf\n"),
    ("a_f64", "f64.nan", "f64.nan\n"),
    ("a_f64", "0x1.8p4", "24.0f64\n"),
    ("a_f64", "1_000.5", "1000.5f64\n"),
    ("a_f64", ".5", "0.5f64\n"),
    ("a_f64", "0.30000000000000004", "0.30000000000000004f64\n"),
    ("a_f64", "5e-324", "5.0e-324f64\n"),
    // The nearest number of 16 digits is not this power of two.
    ("a_f64", "9.5367431640625e-07", "9.5367431640625e-7f64\n"),
    ("a_f64", "9007199254740992", "9.007199254740992e15f64\n"),
    ("a_f64", "11i32", "a.fut: Cannot read input #0 of type f64: '11i32' is no value of type f64.\n"),
    ("a_f64", "1e", "'1e' is no value of type f64"),
    ("a_f32", "0.1", "0.1f32\n"),
    ("a_f32", "16777216", "1.6777216e7f32\n"),
    ("a_f32", "1e39", "f32.inf\n"),
    ("a_f32", "9.999999e-2", "9.999999e-2f32\n"),
    ("a_f16", "0.1", "9.9975586e-2f16\n"),
    ("a_f16", "65504", "65504.0f16\n"),
    ("a_i8", "0x7f", "127i8\n"),
    ("a_i8", "128", "'128' is out of range: the numbers of type i8 are -128 to 127.\n"),
    ("a_i8", "0xff", "'0xff' is out of range: the numbers of type i8 are -128 to 127.\n"),
    ("a_u8", "-1", "'-1' is out of range: the numbers of type u8 are 0 to 255.\n"),
    ("a_i64", "1000", "1000i64\n"),
    ("a_i64", "9223372036854775808", "are -9223372036854775808 to 9223372036854775807.\n"),
    ("a_u64", "99999999999999999999", "are 0 to 18446744073709551615.\n"),
    ("a_i64", "", "Cannot read input #0 of type i64: unexpected end of input.\n"),
    ("a_i64", "1 2", "Expected EOF on stdin after reading input for \"a_i64\".\n"),
    ("a_i64", "[1]", "unexpected character '['"),
    ("a_i64", "\u{e6}", "unexpected byte 195"),
    ("a_bool", "True", "'True' is no value of type bool"),
    ("f64s", "[1, 2.5, -1e10]", "[1.0f64, 2.5f64, -1.0e10f64]\n"),
    ("f64s", "[]", "empty([0]f64)\n"),
    ("f64s", "empty([0]f32)", "expected elements of type f64, not 'f32'"),
    ("f16s", "[1f16, -0.0f16, nan]", "[1.0f16, -0.0f16, f16.nan]\n"),
    ("i32s", "[1, 2", "expected ',' or ']' after an element"),
    ("i32s", "-- a comment\n[1,]", "[1i32]\n"),
    ("u8s", r#""a\n\x41\230""#, "[97u8, 10u8, 65u8, 195u8, 166u8]\n"),
    ("u8s", r#""\q""#, "unknown escape in a string"),
    ("bytes", r#"["ab", "cd"]"#, "[[97u8, 98u8], [99u8, 100u8]]\n"),
    ("bytes", r#"["ab", "c"]"#, "rows have 2 and 1 elements"),
    ("rows", "[[1,2],[3,4]]", "[[1i32, 2i32], [3i32, 4i32]]\n"),
    ("rows", "[[1,2],[3]]", "rows have 2 and 1 elements"),
    ("rows", "[]", "cannot see all sizes of an empty array; write 'empty([0]...i32)'"),
    ("rows", "empty([2][0]i32)", "empty([2][0]i32)\n"),
    ("rows", "empty([0][999999999999999]i32)", "the array is too large"),
    ("twice", "1 2", "1i32\n2i32\n"),
    ("same", "[1,2] [3]", "a.fut: Error: entry point arguments have invalid sizes.\n"),
    ("square", "[[1]] 1 [5]", "[[1i32]]\n[5i32]\n"),
    ("square", "[[1,2]] 1 [5]", "have invalid sizes"),
    ("square", "[[1]] 2 [5]", "have invalid sizes"),
    ("claim", "0", "a.fut: Error: Assertion is false: (x > 0)\n\nBacktrace:\n-> #0  a.fut:"),
    ("filled", "1000000000000", "a.fut: Error: out of memory: cannot allocate 4000000000000 bytes.\n\nBacktrace:"),
    ("filled", "-1", "Replicate count -1 is negative or too large."),
    ("get", "1 2.5 3 [4, 5] true", "1i32\n2.5f64\n[4i8, 5i8]\n"),
    ("get", "1 2.5 3 300", "Cannot read input #1 of type {a: (i32, []i8), b: ()}: expected an array, not '300'.\n"),
    ("nothing", "1", ""),
    (
        "nested",
        "7",
        "{flags = [true, true],\n inner = {x = 7i32,\n          y = 1.0f64},\n m = [[], []],\n t = (7i32,\n      {u = ()})}\n",
    ),
    ("several", "7", "7i32\n{x = 7i32,\n y = 0.5f64}\n(7i32,\n 7i32)\ntrue\n"),
    ("points", "1 2", "[[{x = 0i32, y = 0.0f64}, {x = 0i32, y = 1.0f64}]]\n"),
    ("points", "0 2", "empty([0][2]{x: i32, y: f64})\n"),
    ("pairs", "2", "[(0i64, [true, true]), (1i64, [false, false])]\n"),
    ("pairs", "0", "empty([0](i64, []bool))\n"),
    ("units", "2", "[(), ()]\n"),
    (
        "shapes",
        "5",
        "[#nothing, #circle -1.0f32 0.1f32, #in (#q), #in (#p 3i32), #square {at = {x = 1i32, y = 2.0f64}, side = 2i32}]\n",
    ),
    ("shapes", "0", "empty([0]shape)\n"),
    ("shape", "2", "#square {at = {x = 1i32, y = 2.0f64}, side = 2i32}\n"),
    ("shape", "1", "#in (#p 1i32)\n"),
    ("takes_shape", "1", "of type shape: such values have no external representation.\n"),
];

/// What a program prints, to standard output and error, and whether it ended well.
type Said = (String, String, bool);

fn compiled(executable: &Path, entry: &str, input: &str) -> Said {
    let mut child = Command::new(executable)
        .args(["-e", entry])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // A program that does not like its first argument does not read the others.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("it ends");
    let said = stderr(&done).replace(&executable.display().to_string(), "a.fut");
    (super::stdout(&done), said, done.status.success())
}

fn interpret(program: &Interpreted, entry: &str, input: &str) -> Said {
    match program.print(entry, input.as_bytes()) {
        Ok(texts) => (texts.iter().map(|t| format!("{t}\n")).collect(), String::new(), true),
        Err(Stopped::Error(message)) => (String::new(), format!("a.fut: {message}\n"), false),
        Err(Stopped::Beyond(message)) => (String::new(), message, false),
    }
}

fn build(source: &Path, folder: &Path) -> PathBuf {
    let executable = folder.join("program");
    let done = fehu().args(["c", "-w", "-o"]).arg(&executable).arg(source).output().expect("fehu runs");
    assert!(done.status.success(), "{}: {}", source.display(), stderr(&done));
    executable
}

fn prepared(source: &Path) -> Interpreted {
    let settings = Settings::executable(Target::C, PathBuf::new());
    interpreted(&check_file(source), &settings).expect("a program that can be interpreted")
}

#[test]
fn values_are_read_and_printed_alike() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = program(dir.path(), "a.fut", VALUES);
    let (executable, program) = (build(&source, dir.path()), prepared(&source));
    let place = source.display().to_string();
    for (entry, input, wanted) in RUNS {
        let (out, err, fine) = compiled(&executable, entry, input);
        let said = format!("{out}{err}").replace(&place, "a.fut");
        assert!(if fine { said == *wanted } else { said.contains(wanted) }, "{entry} {input}: {said}");
        assert_eq!((out, err, fine), interpret(&program, entry, input), "{entry} {input}");
    }
}

#[test]
fn programs_print_the_same_compiled_and_interpreted() {
    let mut runs = 0;
    for entry in std::fs::read_dir(root().join("tests/run")).expect("a folder") {
        let source = entry.expect("a file").path();
        if source.extension().is_none_or(|e| e != "fut") {
            continue;
        }
        let text = std::fs::read_to_string(&source).expect("a program");
        let spec = ProgramSpec::parse(&text).expect("test blocks").unwrap_or_default();
        let Action::Run(spec) = spec.action else { continue };
        let dir = tempfile::tempdir().expect("a folder");
        let (executable, program) = (build(&source, dir.path()), prepared(&source).at_most(20_000));
        for block in &spec.entries {
            for run in &block.runs {
                let Input::Values(values) = &run.input else { continue };
                let wants_error = matches!(run.expected, Expected::Error(_));
                if wants_error || run.has_tag("compiled") {
                    continue;
                }
                let input: Vec<String> = values.iter().map(ToString::to_string).collect();
                let input = input.join("\n");
                let simple = interpret(&program, &block.entry, &input);
                // Of checks that fail, compiled programs may come to another one first, or to none if no
                // result needs it; and some programs are too long for the interpreter.
                if !simple.2 {
                    continue;
                }
                let fast = compiled(&executable, &block.entry, &input);
                assert_eq!(fast, simple, "{} {} {input}", source.display(), block.entry);
                runs += 1;
            }
        }
    }
    assert!(runs > 90, "{runs}");
}
