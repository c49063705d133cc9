//! Generated text is for other systems, too.
//!
//! No name in it is one that their headers define; and where there is a compiler that compiles for them (`zig`, or the
//! Python package `ziglang`), it compiles the text of all back ends.

use crate::common::{generate, generate_for};
use crate::sample;
use fehu_codegen::{Backend, Mode};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// What headers of Windows define as macros, types or constants and what a program might call something of its own.
const TAKEN: &str = "ABSOLUTE ALTERNATE BOOL BYTE CHAR CONST CREATE_NEW DELETE DIFFERENCE DOMAIN DOUBLE ERROR FAR FLOAT \
    HANDLE I_X86_ IGNORE IN INFINITE INT INTERFACE LONG NEAR NO_ERROR OPAQUE OPTIONAL OUT OVERFLOW PASCAL PURE RELATIVE \
    SHORT STRICT TEXT THIS TRANSPARENT UNDERFLOW VOID WINDING WORD cdecl environ far hyper interface max min near pascal \
    small";

fn texts() -> [(&'static str, String); 4] {
    let program = sample::program();
    [
        ("c", generate(&program, Mode::Server).c_text),
        ("multicore", generate_for(Backend::Multicore, &program, Mode::Server).c_text),
        ("opencl", generate_for(Backend::OpenCl, &program, Mode::Server).c_text),
        ("cuda", generate_for(Backend::Cuda, &program, Mode::Server).c_text),
    ]
}

/// The identifiers of C text outside of comments and strings, and of what only Windows compiles.
fn identifiers(text: &str) -> BTreeSet<String> {
    let (mut found, mut conditions) = (BTreeSet::new(), vec![]);
    for line in text.lines() {
        match line.split_whitespace().next() {
            Some("#if" | "#ifdef") => conditions.push(line.contains("_WIN32") && !line.contains('!')),
            Some("#ifndef") => conditions.push(false),
            Some("#else" | "#elif") => {
                conditions.pop();
                conditions.push(false);
            }
            Some("#endif") => {
                conditions.pop();
            }
            Some(_) | None => {}
        }
        if conditions.contains(&true) || line.starts_with('#') {
            continue;
        }
        // Every other part between quotes is a string.
        let line = line.replace("\\\"", "").replace("'\"'", "");
        let code: String = line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let code = code.split("//").next().unwrap_or("");
        found.extend(code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned));
    }
    found
}

#[test]
fn no_name_is_one_of_windows() {
    for (backend, text) in texts() {
        let names = identifiers(&text);
        assert!(names.contains("futhark_context_new"), "{backend}");
        let taken: Vec<&str> = TAKEN.split_whitespace().filter(|n| names.contains(*n)).collect();
        assert_eq!(taken, Vec::<&str>::new(), "{backend}");
    }
}

/// A compiler for other systems.
fn zig() -> Option<Vec<&'static str>> {
    let found = [vec!["zig"], vec!["python3", "-m", "ziglang"]].into_iter().find(|c| {
        Command::new(c[0]).args(&c[1..]).arg("version").output().is_ok_and(|out| out.status.success())
    });
    if found.is_none() {
        eprintln!("no zig: install the Python package ziglang to compile for other systems");
    }
    found
}

#[test]
fn other_systems_compile_the_text() {
    let Some(zig) = zig() else { return };
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    for (backend, text) in texts() {
        let file = dir.join(format!("portable_{backend}.c"));
        std::fs::write(&file, text).unwrap();
        for target in ["x86_64-windows-gnu", "aarch64-linux-musl", "x86_64-macos", "wasm32-wasi"] {
            // Threads and devices are not there on WebAssembly.
            if target.starts_with("wasm32") && backend != "c" {
                continue;
            }
            let out = Command::new(zig[0])
                .args(&zig[1..])
                .args(["cc", "-std=c11", "-Wall", "-Werror", "-target", target, "-c"])
                .arg(&file)
                .arg("-o")
                .arg(dir.join("portable.o"))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.success(), "{backend} for {target}:\n{said}");
        }
    }
}
