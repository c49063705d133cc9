//! The server protocol, and input that is none of it.

use crate::common::{compile, executable, generate_for, has_opencl, run, run_checked, server, Ran, Random};
use crate::sample;
use fehu_codegen::{Backend, Mode};
use std::path::{Path, PathBuf};

/// Writes a file for a server to read.
fn data(name: &str, contents: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

/// The answers to commands, without the final `%%% OK` and the times.
fn answers(commands: &[&str], run: fn(&Path, &[&str], &[u8]) -> Ran, exe: &Path) -> Vec<String> {
    let ran = run(exe, &[], (commands.join("\n") + "\n").as_bytes());
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    let text = ran.text();
    let mut parts: Vec<String> = text
        .split("%%% OK\n")
        .map(|answer| answer.lines().filter(|l| !l.starts_with("runtime: ")).collect::<Vec<_>>().join("\n"))
        .collect();
    assert_eq!(parts.remove(0), "");
    assert_eq!(parts.pop().unwrap(), "");
    parts
}

#[test]
fn servers_speak_the_protocol() {
    speaks_the_protocol(run_checked, server(), "host");
}

#[test]
fn servers_with_a_device_speak_the_protocol() {
    if has_opencl() {
        let text = generate_for(Backend::OpenCl, &sample::program(), Mode::Server).c_text;
        speaks_the_protocol(run, &compile("server_opencl", &text, &["-O1"]), "device");
    }
}

fn speaks_the_protocol(run: fn(&Path, &[&str], &[u8]) -> Ran, exe: &Path, name: &str) {
    let input = data(&format!("{name}_input"), b"3 [1.5, 2.5]");
    let one = data(&format!("{name}_one"), b"-1i32");
    let stored = data(&format!("{name}_stored"), b"");
    let (input, one, stored) = (input.to_str().unwrap(), one.to_str().unwrap(), stored.to_str().unwrap());
    let script: Vec<(String, &str)> = [
        ("inputs main", "i32\n[]f32"),
        ("output main", "(i32, []f32)"),
        ("outputs main", "i32\n[]f32"),
        ("inputs upd", "*[]i32\ni64"),
        ("output upd", "*[]i32"),
        ("kind i32", "primitive"),
        ("kind []i32", "array"),
        ("kind t", "record"),
        ("kind s", "sum"),
        ("kind arrs", "array"),
        ("kind nosuch", "%%% FAILURE\nUnknown type: nosuch"),
        ("fields t", "bar []f32\nfoo i32"),
        ("fields arrs", "a []i32\nb []f64"),
        ("fields s", "%%% FAILURE\nNot a record type"),
        ("variants s", "bar\n- f32\n- u32\nfoo\n- i32\nrow\n- []i32"),
        ("restore INPUT x i32 ys []f32", ""),
        ("restore INPUT x i32", "%%% FAILURE\nVariable already exists: x"),
        ("restore INPUT y i32", "%%% FAILURE\nExpected EOF in INPUT after 1 values."),
        ("type y", "%%% FAILURE\nUnknown variable: y"),
        ("type ys", "[]f32"),
        ("shape ys", "2"),
        ("call main tuple x ys", ""),
        ("type tuple", "(i32, []f32)"),
        ("call main o0 o1 x ys", ""),
        ("type o1", "[]f32"),
        ("call main o2 x", "%%% FAILURE\nInsufficient command args."),
        ("call main o2 ys x", "%%% FAILURE\nWrong input type.  Expected i32, got []f32."),
        ("call nosuch o2", "%%% FAILURE\nUnknown entry point: nosuch"),
        ("call mkt \"a record\" x ys", ""),
        ("project foo \"a record\" foo", ""),
        ("new t2 t ys foo", ""),
        ("new t3 t foo ys", "%%% FAILURE\nField bar mismatch: expected type []f32, got i32"),
        ("project foo2 t2 nosuch", "%%% FAILURE\nNo such field: nosuch"),
        ("construct sum s bar", "%%% FAILURE\nInsufficient command args."),
        ("construct sum s foo x", ""),
        ("variant sum", "foo"),
        ("destruct sum payload", ""),
        ("type payload", "i32"),
        ("new_array sums []s 2 sum sum", ""),
        ("shape sums", "2"),
        ("index sum2 sums 1", ""),
        ("variant sum2", "foo"),
        ("index sum3 sums 2", "%%% FAILURE\nError: Index [2] out of bounds for array of shape [2].\n"),
        ("set sums sum 0", ""),
        ("set sums x 0", "%%% FAILURE\nElement mismatch: expected type s, got i32"),
        ("restore ONE one i32", ""),
        ("new_array xs []i32 2 x one", ""),
        ("index elem xs 1", ""),
        ("rank [][]u16", "2"),
        ("elemtype arrs", "{a: i32, b: f64}"),
        ("unzip sums a b", "%%% FAILURE\nNot an array of records type"),
        ("rename xs zs", ""),
        ("rename xs zs", "%%% FAILURE\nUnknown variable: xs"),
        ("store STORED zs t2 sums", ""),
        ("restore STORED zs2 []i32 t4 t sums2 []s", ""),
        ("project bar t4 bar", ""),
        ("shape bar", "2"),
        ("call upd zs3 zs2 one", "%%% FAILURE\nWrong input type.  Expected i64, got i32."),
        ("free zs2 t4 sums2", ""),
        ("free zs2", "%%% FAILURE\nUnknown variable: zs2"),
        ("set_tuning_param foo 3", "%%% FAILURE\nFailed to set tuning parameter foo to 3"),
        ("tuning_params main", ""),
        ("tuning_param_class foo", "%%% FAILURE\nUnknown tuning parameter: foo"),
        ("attributes main", "prop(3, sample)"),
        ("pause_profiling", ""),
        ("unpause_profiling", ""),
        ("clear", ""),
        ("nosuch", "%%% FAILURE\nUnknown command: nosuch"),
        ("\"unclosed", "%%% FAILURE\nInvalid command: a quote is not closed."),
        ("project", "%%% FAILURE\nInsufficient command args."),
        ("types x", "%%% FAILURE\nExcess command args."),
    ]
    .into_iter()
    .map(|(c, a)| (c.replace("INPUT", input).replace("ONE", one).replace("STORED", stored), a))
    .collect();
    let commands: Vec<&str> = script.iter().map(|(c, _)| c.as_str()).collect();
    for ((command, expected), found) in script.iter().zip(answers(&commands, run, exe)) {
        assert_eq!(found, expected.replace("INPUT", input), "{command}");
    }
}

#[test]
fn no_input_kills_an_executable() {
    let mut random = Random(1);
    let seeds: [(&str, &[u8]); 6] = [
        ("main", b"3 [1.5f32, 2.5, f32.nan]"),
        ("same", b"b\x02\x01 i32\x02\0\0\0\0\0\0\0\x05\0\0\0\x07\0\0\0 [1, 2]"),
        ("trans", b"[[1, 2], [3, 4]]"),
        ("trans", b"empty([0][3]u16)"),
        ("upd", b"[1i32, 2] 1i64"),
        ("half", b"-0x1p-3 -- comment\n"),
    ];
    for i in 0..300 {
        let (entry, seed) = seeds[i % seeds.len()];
        let mut input = seed.to_vec();
        random.mutate(&mut input);
        let ran = run(executable(), &["-e", entry, "-n"], &input);
        assert!(matches!(ran.code, Some(0 | 1)), "{entry} {input:?}: {ran:?}");
        assert_eq!(ran.code == Some(0), ran.stderr.is_empty(), "{entry} {input:?}: {ran:?}");
    }
}

#[test]
fn no_command_kills_a_server() {
    const WORDS: &[&str] = &[
        "types",
        "entry_points",
        "call",
        "restore",
        "store",
        "free",
        "rename",
        "inputs",
        "output",
        "kind",
        "type",
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
        "clear",
        "report",
        "main",
        "mkt",
        "mks",
        "mkarr",
        "mksarr",
        "same",
        "upd",
        "fact",
        "tables",
        "x",
        "ys",
        "n",
        "a",
        "b",
        "c",
        "i32",
        "[]i32",
        "[]f32",
        "t",
        "s",
        "arrs",
        "[]s",
        "foo",
        "bar",
        "row",
        "0",
        "1",
        "2",
        "-1",
        "99999999999",
        "\"\"",
        "\"a b\"",
        "\"",
        "/nonexistent/file",
    ];
    let start = data("start", b"1 [1, 2] 3");
    let mut random = Random(2);
    for _ in 0..5 {
        let mut script =
            format!("restore {} x i32 ys []f32 n i64\ncall mkt a x ys\ncall mks b x\n", start.display());
        script += "call mkarr c n\ncall mksarr d n\n";
        for _ in 0..400 {
            let words: Vec<&str> =
                (0..1 + random.below(6)).map(|_| WORDS[random.below(WORDS.len())]).collect();
            let mut line = words.join(" ").into_bytes();
            if random.below(8) == 0 {
                random.mutate(&mut line);
            }
            // Files with the names of variables are not what this is about.
            let line = String::from_utf8_lossy(&line).replace("store", "shape");
            script += &(line + "\n");
        }
        let ran = run(server(), &[], script.as_bytes());
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
        let lines = script.lines().count();
        assert!(ran.text().matches("%%% OK").count() > lines, "{}", ran.text());
    }
}
