//! Generated libraries are used by programs in C, Python and Rust
//! (`tests/ffi`); Valgrind finds no error and no leak in them.

use fehu_driver::compile::{compile, Product, Settings};
use fehu_driver::target::Target;
use std::path::{Path, PathBuf};
use std::process::Command;

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ffi").join(name)
}

/// Compiles the library's C text in a folder; what comes with it.
fn library(dir: &Path) {
    library_of("lib.fut", Target::C, dir);
}

fn library_of(program: &str, target: Target, dir: &Path) {
    let settings = Settings { product: Product::Library, ..Settings::executable(target, dir.join("lib")) };
    let (front, result) = compile(&source(program), &settings);
    assert!(result.is_ok(), "{result:?} {:?}", front.diagnostics);
}

fn run(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}:\n{stderr}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn valgrind(program: &Path) {
    let out = run(Command::new("valgrind")
        .args(["-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=9"])
        .arg(program));
    assert_eq!(out, "fine\n");
}

#[test]
fn a_c_program_uses_a_library() {
    c_program("lib.fut", Target::C, "use.c");
}

#[test]
fn a_c_program_makes_values_and_takes_them_apart() {
    c_program("values.fut", Target::C, "values.c");
    c_program("values.fut", Target::Multicore, "values.c");
}

/// Also if they could be no values of the program.
#[test]
fn a_c_program_gives_values_of_its_own() {
    c_program("outside.fut", Target::C, "outside.c");
    c_program("outside.fut", Target::Multicore, "outside.c");
}

/// Whichever allocation fails, a server says so, or does all that it says that it did.
#[test]
fn servers_notice_every_allocation_that_fails() {
    for target in [Target::C, Target::Multicore] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str| dir.path().join(name).display().to_string();
        let settings =
            Settings { product: Product::Server, ..Settings::executable(target, dir.path().join("server")) };
        let (front, result) = compile(&source("outside.fut"), &settings);
        assert!(result.is_ok(), "{result:?} {:?}", front.diagnostics);
        run(Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(path("shim.so"))
            .arg(source("no_memory.c")));
        std::fs::write(path("in"), "[true, false] [1i32, 2i32]").expect("written");
        let output = path("a_name_that_is_longer_than_what_a_string_has_room_for_at_first");
        let commands =
            format!("restore {} b []bool x []i32\ncall pick y b x\nstore {output} y\n", path("in"));
        std::fs::write(path("commands"), commands).expect("written");
        let served = |from: usize, to: usize| {
            let _ = std::fs::remove_file(&output);
            let commands = std::fs::File::open(path("commands")).expect("commands");
            let mut server = Command::new(path("server"));
            server.env("LD_PRELOAD", path("shim.so"));
            server.env("NO_MEMORY_FROM", from.to_string()).env("NO_MEMORY_TO", to.to_string());
            let done = server.stdin(commands).output().expect("the server runs");
            (done.status, String::from_utf8_lossy(&done.stdout).into_owned(), std::fs::read(&output).ok())
        };
        let (status, _, expected) = served(0, 0);
        assert!(status.success() && expected.is_some());
        let mut failed = 0;
        for (from, more) in (1..100).flat_map(|from| [(from, 0), (from, 2), (from, 1000)]) {
            let (status, said, stored) = served(from, from + more);
            assert!(status.code().is_some(), "{from} {more}: {status}");
            let complains = !status.success() || said.contains("%%% FAILURE");
            assert!(complains || stored == expected, "{from} {more}: {said}");
            failed += usize::from(complains);
        }
        assert!(failed > 20, "allocations do fail: {failed}");
    }
}

#[test]
fn types_have_one_name_whether_they_are_written_or_inferred() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    library_of("names.fut", Target::C, dir.path());
    let manifest = std::fs::read_to_string(dir.path().join("lib.json")).expect("a manifest");
    assert_eq!(manifest.matches("\"opaque\"").count(), 3, "{manifest}");
    for name in ["{x: i32, y: i32}", "#a i32 | #b", "[](#a i32 | #b)"] {
        assert!(manifest.contains(&format!("\"{name}\"")), "{name}: {manifest}");
    }
}

/// Builds a C program with the library of a program, and runs it.
fn c_program(program: &str, target: Target, user: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    library_of(program, target, dir.path());
    let exe = dir.path().join("use");
    run(Command::new("cc")
        .args(["-O1", "-g", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(dir.path())
        .arg(source(user))
        .arg(dir.path().join("lib.c"))
        .arg("-o")
        .arg(&exe)
        .args(["-lm", "-lpthread"]));
    valgrind(&exe);
}

#[test]
fn a_python_program_uses_a_library_through_its_manifest() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    library(dir.path());
    let so = dir.path().join("lib.so");
    run(Command::new("cc")
        .args(["-O1", "-g", "-std=c11", "-shared", "-fPIC"])
        .arg(dir.path().join("lib.c"))
        .arg("-o")
        .arg(&so)
        .args(["-lm", "-lpthread"]));
    // Valgrind wants the interpreter itself, not a script that looks for it.
    let python = run(Command::new("python3").args(["-c", "import sys; print(sys.executable)"]));
    let log = dir.path().join("valgrind.log");
    let out = run(Command::new("valgrind")
        .args(["--leak-check=full", "--show-leak-kinds=all", "--num-callers=40"])
        .arg(format!("--log-file={}", log.display()))
        .arg(python.trim())
        .arg(source("use.py"))
        .arg(&so)
        .arg(dir.path().join("lib.json"))
        .env("PYTHONMALLOC", "malloc"));
    assert_eq!(out, "fine\n");
    // Python itself keeps memory to the end; what the library does is ours.
    let text = std::fs::read_to_string(&log).expect("what valgrind says");
    assert!(text.contains("HEAP SUMMARY"), "{text}");
    let ours =
        text.lines().filter(|l| l.contains(" 0x") && (l.contains("(lib.c:") || l.contains("/lib.so)")));
    assert_eq!(ours.count(), 0, "{text}");
}

#[test]
fn a_rust_program_uses_a_library() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    library(dir.path());
    let object = dir.path().join("lib.o");
    run(Command::new("cc")
        .args(["-O1", "-g", "-std=c11", "-c"])
        .arg(dir.path().join("lib.c"))
        .arg("-o")
        .arg(&object));
    let exe = dir.path().join("use");
    run(Command::new("rustc")
        .args(["--edition", "2021", "-o"])
        .arg(&exe)
        .arg(source("use.rs"))
        .arg("-C")
        .arg(format!("link-arg={}", object.display()))
        .args(["-C", "link-arg=-lm"]));
    // The Rust runtime itself keeps some memory to the end; errors count, and losses.
    let out = run(Command::new("valgrind")
        .args(["-q", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"])
        .arg(&exe));
    assert_eq!(out, "fine\n");
}
