//! `fehu test` as its users see it: which programs pass, and what is printed for those that do not.

use crate::quick_cc::quick_cc;
use std::path::Path;
use std::process::Command;

/// What `fehu test` prints for a program, and its exit code. The program's folder has these files.
fn test_files(files: &[(&str, &[u8])], args: &[&str]) -> (String, i32) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).expect("written");
    }
    test_in(dir.path(), files[0].0, args)
}

fn test_in(dir: &Path, program: &str, args: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    quick_cc(&mut command);
    let output = command.arg("test").args(args).arg(program).current_dir(dir).output().expect("fehu runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    (format!("{stdout}{stderr}"), output.status.code().unwrap_or(-1))
}

fn test_text(text: &str, args: &[&str]) -> (String, i32) {
    test_files(&[("p.fut", text.as_bytes())], args)
}

#[track_caller]
fn passes(text: &str, args: &[&str]) {
    let (output, code) = test_text(text, args);
    assert_eq!((output.as_str(), code), ("1/1 passed.\n", 0));
}

#[track_caller]
fn fails(text: &str, args: &[&str], parts: &[&str]) {
    let (output, code) = test_text(text, args);
    assert_eq!(code, 1, "{output}");
    for part in parts {
        assert!(output.contains(part), "{part:?} is not in:\n{output}");
    }
    assert!(output.ends_with("0/1 passed.\n"), "{output}");
}

#[track_caller]
fn skipped(text: &str, args: &[&str]) {
    let (output, code) = test_text(text, args);
    assert_eq!((output.as_str(), code), ("0/0 passed, 1 skipped.\n", 0));
}

#[test]
fn data_sets_that_end_the_program_do_not_hide_others() {
    let text = "-- ==
-- input { 0i64 [1i64] } output { 1i64 }
-- input { 1i64 [1i64] } output { 2i64 }
-- input { -1i64 [1i64] } error: division by zero
-- input { 2i64 [1i64] } output { 0i64 }
-- input { 3i64 [1i64, 2i64] } output { 5i64 }
-- input { 3i64 true } error:
-- input { 4i64 [1i64] } output { 5i64 }
def main (n: i64) (xs: *[]i64) : i64 =
  let xs[0] = n + xs[0] / (n + 1)
  in if n == 0 then loop xs_0 = xs[0] while xs_0 < 100 do xs_0 % 7 else i64.sum xs - n + n
";
    let (output, code) = test_text(text, &["--timeout=1"]);
    assert_eq!(code, 1, "{output}");
    let failed: Vec<&str> = output.lines().filter(|line| line.starts_with("Entry point: ")).collect();
    let expected = [
        "Entry point: main; dataset: #0 (\"0i64 [1i64]\"):",
        "Entry point: main; dataset: #1 (\"1i64 [1i64]\"):",
        "Entry point: main; dataset: #3 (\"2i64 [1i64]\"):",
        "Entry point: main; dataset: #6 (\"4i64 [1i64]\"):",
    ];
    assert_eq!(failed, expected, "{output}");
    assert!(output.contains("stopped after 1 s"), "{output}");
    passes(
        "-- ==\n-- input { 1 } error: division by zero\ndef c = 1 / (length (filter (> 1) [1]))\ndef main (x: i64) = x + c\n",
        &[],
    );
}

#[test]
fn false_properties_have_counterexamples() {
    // Only one number of four billion makes this fail.
    let overflow = "-- ==\n-- property: p\n#[prop]\nentry p (x: i32) : bool = x + 1 > x\n";
    fails(
        overflow,
        &["--seed=1"],
        &["p.fut:\nProperty p (size=50, seed=", " tests:\nCounterexample: 2147483647i32\n"],
    );
    let (once, _) = test_text(overflow, &["--seed=-7"]);
    let (again, _) = test_text(overflow, &["--seed=-7"]);
    assert_eq!(once, again);
    // The seed that is reported begins with the counterexample.
    let seed = once.split("seed=").nth(1).and_then(|s| s.split(')').next()).expect("a seed");
    fails(overflow, &["--seed", seed], &["failed after 1 tests:\nCounterexample: 2147483647i32\n"]);
}

#[test]
fn candidates_of_all_types_are_made_and_shrunk() {
    let text = "-- ==
-- property: arrays records nested sums consumed holds
type~ r = {a: [](i8, u8), b: f32, c: (bool, #leaf i32 | #node [][]u8)}
#[prop]
entry arrays (xss: [][]i64) : bool = length xss < 2
#[prop]
entry records (x: r) : bool = length x.a < 1
#[prop(size(5))]
entry nested (xs: []([](i8, i16), i32)) : bool = length xs < 1
#[prop]
entry sums (xs: [](#a | #b i32)) : bool = all (\\x -> match x case #a -> true case #b _ -> false) xs
#[prop]
entry consumed (xs: *[]i32) : bool = length (xs with [0] = 1) < 3
#[prop]
entry holds (xs: []i32) : bool = i32.sum (reverse xs) == i32.sum xs
";
    fails(
        text,
        &["--seed=3"],
        &[
            "Property arrays (size=50, ",
            "Counterexample: [[0i64, 0i64],\n[0i64, 0i64]]\n",
            "Counterexample: {a = [(0i8, 0u8)], b = 0.0f32, c = (false, #",
            "Property nested (size=5, ",
            "Counterexample: [([(0i8, 0i16)], 0i32)]\n",
            "#b 0i32]\n",
            "Counterexample: [0i32, 0i32, 0i32]\n",
        ],
    );
}

#[test]
fn generators_and_shrinkers_of_the_program() {
    let text = "-- ==
-- property: generated
-- property: shrunk crashing
entry gen (size: i64) (seed: u64) : []i64 = map (+ i64.u64 (seed % 10)) (iota size)
entry shrink (xs: *[]i64) (random: u64) : []i64 =
  if random % 2 == 0 then take (length xs / 2) xs else map (/ 2) xs
entry crash (xs: []i64) (_: u64) : []i64 = [xs[-1]]
#[prop(gen(gen), size(20))]
entry generated (xs: []i64) : bool = length xs < 7
#[prop(gen(gen), shrink(shrink))]
entry shrunk (xs: []i64) : bool = length xs < 7
#[prop(gen(gen), shrink(crash))]
entry crashing (xs: []i64) : bool = length xs < 1
";
    fails(
        text,
        &["--seed=3"],
        &[
            "Property generated (size=20, ",
            "Property shrunk (size=50, ",
            "Counterexample: [0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64",
            "Shrinking note: User shrinker failed: Error in shrinker crash with random=",
            "Attempted auto-shrinker fallback.\nAuto-shrinker fallback completed.\n",
        ],
    );
}

#[test]
fn errors_of_properties_and_generators() {
    let text = "-- ==
-- property: divides generated
entry zero (size: i64) (_: u64) : i32 = i32.i64 (size - 50)
entry broken (size: i64) (_: u64) : i32 = i32.i64 (1 / (size - 50))
#[prop(gen(zero))]
entry divides (x: i32) : bool = 1 / x == 1
#[prop(gen(broken))]
entry generated (x: i32) : bool = x == x
";
    fails(
        text,
        &[],
        &[
            "Property divides failed with candidate=0i32 with error: divides has Runtime error: [\"Error: ",
            "User Generator broken failed with size=50 and seed=",
        ],
    );
}

#[test]
fn properties_that_are_none() {
    let text = "-- ==
-- property: f g h i j k l m
def f (x: i32) = x == 0
#[prop]
entry g (x: i32) (_: i32) : bool = x == 0
#[prop]
entry h : bool = true
#[prop]
entry i (x: i32) : i32 = x
#[prop(gen(f))]
entry j (x: i32) : bool = x == 0
#[prop(gen(g))]
entry k (x: i32) : bool = x == 0
#[prop(shrink(i))]
entry l (x: i32) : bool = x == 0
entry m (x: i32) : bool = x == 0
";
    fails(
        text,
        &[],
        &[
            "Declared as property, but is not an entry point: \"f\".\n",
            "Property g has 2 inputs; expected 1.\n",
            "Property h has no inputs: expected 1.\n",
            "Property i output must be bool, got: i32\n",
            "Generator is not a server entry point: f\n",
            "Generator \"g\" for property \"k\" has invalid type.\nExpected: i64 -> u64 -> i32\n\
             Actual:   i32 -> i32 -> bool\n",
            "Shrinker input arity mismatch.\n shrinker i inputs: [\"i32\"]\nExpected exactly 2 inputs: (i32, u64).\n",
            "Declared as property, but has no #[prop] attribute: \"m\".\n",
        ],
    );
}

#[test]
fn properties_that_do_not_end() {
    let text = "-- ==
-- property: forever
-- property: fine
#[prop]
entry forever (x: i32) : bool = (loop y = x while y != y + 1 do y + 1) == 0
#[prop]
entry fine (x: bool) : bool = x || !x
";
    fails(text, &["--timeout=1"], &["with error: forever has been stopped after 1 s"]);
}

#[test]
fn structures() {
    let text =
        "-- ==\n-- structure { Screma 1 /Screma/BinOp 2 Loop 0 }\n-- structure gpu { SegRed 1 GPUBody 0 }\n\
                entry main (xs: []i32) = i32.sum (map (* 2) xs)\n";
    let (output, code) = test_text(text, &["-s"]);
    assert_eq!(code, 0, "{output}");
    assert!(output.contains("1/1 passed; 4/4 expectations met, 1 name what"), "{output}");
    let wrong = text.replace("Screma 1", "Screma 3").replace("SegRed 1", "/SegRed 7");
    let (output, code) = test_text(&wrong, &["-s"]);
    assert_eq!(code, 1);
    assert!(output.contains("Screma should have occurred 3 times, but occurred 1 times.\n"), "{output}");
    assert!(output.contains("Pipeline gpu: /SegRed should have occurred 7 times,"), "{output}");
    // Otherwise structures are not looked at, and with -s nothing else is.
    passes(&wrong, &[]);
    let (output, _) = test_text("-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x\n", &["-s"]);
    assert!(output.starts_with("0/0 passed, 1 skipped"), "{output}");
}

#[test]
fn data_sets_that_differ() {
    let text =
        "-- ==\n-- entry: f\n-- input { 1 } output { 2 }\n-- \"two\" input { [1, 2] } output { [1, 3] }\n\
                -- input { 1 } error: no.*such\nentry f [n] (x: [n]i32) = x\nentry g (x: i32) = 1 / x\n\
                \n-- ==\n-- entry: g\n-- input { 0 } error: division by [z]ero\n-- input { 0 } error: other\n\
                -- input { 1 } error: division\n";
    fails(
        text,
        &[],
        &[
            "p.fut:\nEntry point: f; dataset: #0 (\"1i32\"):\n",
            "Entry point: f; dataset: two:\n",
            "Entry point: g; dataset: #1 (\"0i32\"):\nexpected an error matching other, but got:\n",
            "Entry point: g; dataset: #2 (\"1i32\"):\nit should fail, but succeeds\n",
        ],
    );
    let only =
        "-- ==\n-- entry: f\n-- input { 1 } output { 2 }\n-- entry: g h\n-- input { 1 } output { 1 }\n\
                entry f (x: i32) = x\nentry g (x: i32) = x\nentry h (x: i32) = x\n";
    passes(only, &["--entry-point=g"]);
    passes(only, &["--entry-point=h"]);
    fails(only, &["--entry-point=f"], &["Entry point: f; "]);
}

#[test]
fn tags() {
    let tagged = |tag: &str| {
        format!(
            "-- ==\n-- tags {{ one-tag {tag} }}\n-- input {{ 1 }} output {{ 2 }}\nentry main (x: i32) = x\n"
        )
    };
    for tag in ["disable", "notest", "no_c"] {
        skipped(&tagged(tag), &[]);
    }
    skipped(&tagged("mine"), &["--exclude=mine"]);
    skipped(&tagged("mine"), &["--exclude=other", "--exclude=one-tag"]);
    fails(&tagged("no_opencl"), &["--exclude=other"], &["value #0: expected 2i32"]);
    let case = "-- ==\n-- input { 1 } output { 1 }\n-- notest input { 1 } output { 2 }\n\
                -- no_c compiled nobench input { 1 } output { 2 }\n-- mine input { 1 } output { 2 }\n\
                entry main (x: i32) = x\n";
    passes(case, &["--exclude=mine"]);
    fails(case, &["--exclude=compiled"], &["dataset: #3"]);
}

#[test]
fn errors_and_warnings_of_the_compiler() {
    passes("-- ==\n-- error: Unknown.*thing\nentry main = thing\n", &[]);
    fails(
        "-- ==\n-- error: other\nentry main = thing\n",
        &[],
        &["expected an error matching other, but got:"],
    );
    fails("-- ==\n-- error: .*\nentry main = 1i32\n", &[], &["it should be refused, but is accepted"]);
    let warned = "-- ==\n-- input { 1 } output { 2 }\n-- warning: Unused\nentry main (x: i32) = 2i32\n";
    passes(warned, &[]);
    fails(&warned.replace("Unused", "Other"), &[], &["expected a warning matching Other, but got:"]);
    fails("-- ==\n-- input {\nentry main = 1i32\n", &[], &["the test block cannot be read: "]);
}

#[test]
fn inputs_from_everywhere() {
    let text = b"-- ==
-- random input { [10]i32 3i64 } auto output
-- input @ numbers output { 6i32 }
-- input @ packed.gz output @ six
-- script input { (iota32 4i64, 3i64) } output { 6i32 }
-- script input @ a.script output { 6i32 }
-- input { [1, 2, 3] 3i64 }
entry main (xs: []i32) (n: i64) = i32.sum (take n (xs ++ replicate 10 0))
entry iota32 (n: i64) = map i32.i64 (iota n) |> map (\\i -> if i < 3 then i + 1 else i)
";
    let packed = gzip(b"[1, 2, 3] 3i64");
    let files: [(&str, &[u8]); 5] = [
        ("p.fut", text),
        ("numbers", b"[1, 2, 3]\n3i64"),
        ("packed.gz", &packed),
        ("six", b"6i32"),
        ("a.script", b"(iota32 4i64, 3i64)"),
    ];
    assert_eq!(test_files(&files, &[]), ("1/1 passed.\n".to_owned(), 0));
    let missing = "-- ==\n-- input @ nowhere output { 1 }\nentry main (x: i32) = x\n";
    fails(missing, &[], &["could not read nowhere"]);
}

/// The simplest file that gzip reads: one block that is stored as it is.
fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    let len = u16::try_from(data.len()).expect("short");
    out.extend(len.to_le_bytes());
    out.extend((!len).to_le_bytes());
    out.extend(data);
    let crc = data.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xedb8_8320 } else { c >> 1 })
    });
    out.extend((!crc).to_le_bytes());
    out.extend(u32::from(len).to_le_bytes());
    out
}

#[test]
fn how_far_to_go() {
    let wrong = "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x\n";
    passes(wrong, &["-t"]);
    passes(wrong, &["-C"]);
    passes(wrong, &["-I"]);
    fails(wrong, &["-c"], &["Entry point: main"]);
    fails(wrong, &["-i"], &["Entry point: main"]);
    let fine =
        "-- ==\n-- input { 2 [1, 2] } output { 5 [3, 4] }\n-- input { 0 empty([0]i32) } error: division\n\
                -- compiled input { 1 [1] } output { 7 [7] }\n-- random input { 2 [10]i32 } auto output\n\
                entry main (x: i32) (ys: []i32) = (10 / x, map (+ 2) ys)\n";
    passes(fine, &["-i"]);
    let (output, code) = test_text(wrong, &["-t", "-C"]);
    assert_eq!(code, 2, "{output}");
    assert_eq!(test_text(wrong, &["--backend=nowhere"]).1, 2);
}

#[test]
fn options_for_compilers_and_programs() {
    let fine = "-- ==\n-- input { 1 } output { 1 }\nentry main (x: i32) = x\n";
    passes(fine, &["--pass-compiler-option=--safe", "--no-tuning", "--concurrency=1", "--no-terminal"]);
    fails(fine, &["--pass-compiler-option=--nonsense"], &["--nonsense"]);
    fails(fine, &["--pass-option=--nonsense"], &["Entry point: main"]);
    fails(fine, &["--futhark=/nowhere/futhark"], &["could not run /nowhere/futhark"]);
    passes(fine, &["--futhark", env!("CARGO_BIN_EXE_fehu")]);
    passes(fine, &["--runner=env", "-p", "-D"]);
    fails(fine, &["--runner=false"], &["Entry point: main"]);
    // The cache file is an option that every program knows.
    passes(fine, &["--cache-extension=cache"]);
}

#[test]
fn scripts() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let program =
        "def twice (x: i32) = x * 2\nentry pair (x: i32) = (x, [x, x])\nentry sum (xs: []i32) = i32.sum xs\ndef total = i64.sum\ndef both 'a (x: a) = (x, x)\n";
    std::fs::write(dir.path().join("p.fut"), program).expect("written");
    std::fs::write(dir.path().join("e"), "sum [1, 2, 3]").expect("written");
    let script = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
        quick_cc(&mut command);
        let output =
            command.args(["script", "p.fut"]).args(args).current_dir(dir.path()).output().expect("fehu runs");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
    };
    assert_eq!(script(&["twice (twice 3)"]), ("12i32\n".to_owned(), 0));
    assert_eq!(script(&["(pair 1, {a = twice 2})"]), ("((1i32, [1i32, 1i32]), {a=4i32})\n".to_owned(), 0));
    assert_eq!(
        script(&["-f", "e", "-e", "$store \"out\" (pair 3).1", "-e", "$loaddata \"out\""]).0,
        "[3i32, 3i32]\n"
    );
    assert_eq!(script(&["-e", "twice 1", "-f", "e"]).0, "6i32\n");
    assert_eq!(script(&["total [1, 2, 3]"]).0, "6i64\n");
    assert_eq!(script(&["let x = twice 1 let y = twice x in (y,)"]).0, "4i32\n");
    assert_eq!(script(&["twice"]).1, 1);
    assert_eq!(script(&["both 1i32"]).1, 1, "a polymorphic function cannot be called from outside");
    // What a script gives is judged by the entry point that gets it.
    let stored = "-- ==\n-- entry: keep\n-- script input { $store \"kept\" (keep 3) } output { 3 }\nentry keep (x: i32) = x\n";
    fails(stored, &[], &["a value of type () stands where i32 is expected"]);
    // A test writes nothing outside of its folder.
    std::fs::create_dir(dir.path().join("in")).expect("a folder");
    std::os::unix::fs::symlink(dir.path(), dir.path().join("in/out")).expect("a link");
    let name = dir.path().join("escaped").display().to_string();
    for (file, refused) in
        [("../escaped", true), (name.as_str(), true), ("out/escaped", true), ("kept", false)]
    {
        let text = format!(
            "-- ==\n-- entry: keep\n-- script input {{ let x = $store \"{file}\" (keep 3) in 3 }} output {{ 3 }}\nentry keep (x: i32) = x\n"
        );
        std::fs::write(dir.path().join("in/p.fut"), text).expect("written");
        let (output, code) = test_in(&dir.path().join("in"), "p.fut", &[]);
        assert_eq!(code != 0, refused, "{output}");
        assert_eq!(output.contains("$store writes only below the folder"), refused, "{output}");
        assert!(!dir.path().join("escaped").exists());
    }
    assert!(dir.path().join("in/kept").exists());
    assert_eq!(script(&["nowhere 1"]).1, 1);
    assert_eq!(script(&["twice ("]).1, 1);
    assert_eq!(script(&[]).1, 2);
}
