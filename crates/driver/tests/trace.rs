//! What `#[trace]` prints, and where problems that are found in the prelude are reported.

use fehu_driver::compile::{compile, Settings};
use fehu_driver::front::{check_file, Front};
use fehu_driver::generate::generate;
use fehu_driver::target::Target;
use fehu_driver::times::Times;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn written(dir: &Path, text: &str) -> PathBuf {
    let file = dir.join("prog.fut");
    std::fs::write(&file, text).expect("the program can be written");
    file
}

/// A compiled program.
struct Compiled {
    dir: tempfile::TempDir,
}

impl Compiled {
    fn new(target: Target, text: &str) -> Compiled {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = written(dir.path(), text);
        let (front, result) = compile(&file, &Settings::executable(target, dir.path().join("prog")));
        assert!(result.is_ok(), "{result:?} {:?}", front.diagnostics);
        Compiled { dir }
    }

    /// What it writes to stderr, with the path of its file left out.
    fn traced(&self, entry: &str, input: &str) -> String {
        let mut child = Command::new(self.dir.path().join("prog"))
            .args(["-e", entry])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
        let done = child.wait_with_output().expect("the program ends");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let folder = format!("{}/", self.dir.path().display());
        String::from_utf8_lossy(&done.stderr).replace(&folder, "")
    }
}

const TRACES: &str = "\
entry scalar (n: i64) = #[trace] (n + 1)
entry tagged (n: i64) = #[trace(sq)] (map (\\x -> x * x) (iota n))
entry tuple (n: i64) = #[trace(t)] (n, 2.5f32, true, 200u8, [[1i8, 2], [3, 4]])
entry inside (n: i64) = map (\\x -> #[trace(x)] (x + 1)) (iota n)
entry rows (n: i64) = #[trace] (replicate n (replicate 0 1u8))
entry unit (n: i64) = let u = #[trace] () in (\\() -> n) u
entry paused (n: i64) = #[break] n
";

#[test]
fn traces_print_the_place_or_the_tag_and_the_value() {
    for target in [Target::C, Target::Multicore] {
        let program = Compiled::new(target, TRACES);
        let check = |entry, expected: &str| assert_eq!(program.traced(entry, "2"), expected);
        check("scalar", "prog.fut:1:25-41: 3\n");
        check("tagged", "sq: [0, 1]\n");
        check("tuple", "t: 2\nt: 2.5\nt: true\nt: 200\nt: [[1, 2], [3, 4]]\n");
        check("rows", "prog.fut:5:23-63: [[], []]\n");
        check("unit", "");
        check("paused", "");
        if target == Target::C {
            check("inside", "x: 1\nx: 2\n");
        }
    }
}

fn checked(text: &str) -> Front {
    let dir = tempfile::tempdir().expect("a temporary folder");
    check_file(&written(dir.path(), text))
}

#[test]
fn traces_in_kernels_are_warned_of() {
    for text in [
        "entry main (n: i64) = map (\\x -> #[trace] (x + 1)) (iota n)\n",
        "#[noinline] def next (x: i64) : i64 = #[trace] (x + 1)\nentry main (n: i64) = map next (iota n)\n",
    ] {
        let front = checked(text);
        let settings = Settings::executable(Target::OpenCl, PathBuf::from("unused"));
        let generated = generate(&front, &settings, &mut Times::default()).expect("the program is fine");
        let [warning] = generated.warnings.as_slice() else { panic!("{:?}", generated.warnings) };
        assert!(warning.message.contains("#[trace]"), "{}", warning.message);
    }
}

#[test]
fn what_the_prelude_cannot_do_is_reported_in_the_users_text() {
    let text = "def f (n: i64) (x: f64) : f64 = if n == 0 then x else vjp (f (n - 1)) x 1\n\nentry main (x: f64) = f 3 x\n";
    let front = checked(text);
    let settings = Settings::executable(Target::C, PathBuf::from("unused"));
    let errors = generate(&front, &settings, &mut Times::default()).expect_err("the derivative is of itself");
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    assert!(!front.prelude.contains(&error.span.file), "{error:?}");
    assert_eq!(&text[error.span.lo as usize..error.span.hi as usize], "vjp (f (n - 1)) x 1");
    assert!(error.message.contains("derivative"), "{}", error.message);
}
