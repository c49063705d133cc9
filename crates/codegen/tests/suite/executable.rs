//! Executables: input, output, options and errors.

use crate::common::{executable, run, run_checked};

#[test]
fn executables_read_compute_and_print() {
    let exe = executable();
    for (entry, input, output) in [
        ("main", "3 [1.5f32, 2, -- a comment\n 0.5]", "4i32\n[4.5f32, 6.0f32, 1.5f32]\n"),
        ("same", "[1,2,] [0x10, -3i32]", "[17i32, -1i32]\n"),
        ("same", "[] empty([0]i32)", "empty([0]i32)\n"),
        ("upd", "[7,8,9] 1", "[7i32, 2i32, 9i32]\n"),
        ("trans", "[[1,2,3],[4,5,6]]", "[[1u16, 4u16], [2u16, 5u16], [3u16, 6u16]]\n"),
        ("trans", "empty([0][3]u16)", "empty([3][0]u16)\n"),
        ("trans", "[empty([0]u16), empty([0]u16)]", "empty([0][2]u16)\n"),
        ("table", "2", "-2147483648i32\n"),
        ("tables", "", "[3i32, -1i32, -2147483648i32, 2147483647i32]\n"),
        ("unit", "1", ""),
        ("half", "5", "1.6660156f16\nfalse\n"),
        ("int", "18446744073709551615", "18446744073709551615u64\n"),
        ("fact", "10", "3628800i64\n"),
        ("large", "2", "[[0i64, 1i64], [2i64, 3i64]]\n"),
        ("squares", "", "[0i64, 1i64, 4i64, 9i64, 16i64]\n"),
        ("mks", "1", "#foo 1i32\n"),
    ] {
        // Under valgrind where memory is handled in an unusual way.
        let run = if matches!(entry, "upd" | "tables" | "squares" | "mks") { run_checked } else { run };
        let ran = run(exe, &["-e", entry], input.as_bytes());
        assert_eq!((ran.text().as_str(), ran.stderr.as_str(), ran.code), (output, "", Some(0)), "{entry}");
    }
}

#[test]
fn errors_are_reported_and_leak_nothing() {
    let exe = executable();
    for (args, input, error) in [
        (
            &["-e", "upd"][..],
            "[1,2] 5",
            "Error: Index [5] out of bounds, 100% \"sure\": 2\n\nBacktrace:\n-> #0  prog.fut:1:2-3\n   #1  prog.fut:4:5-6\n",
        ),
        (&["-e", "same"], "[1,2] [1]", "Error: entry point arguments have invalid sizes.\n"),
        (&["-e", "fact"], "-3", "Error: negative\n"),
        (&["-e", "large"], "1152921504606846976", "an array is too large"),
        (&["-e", "large"], "100000000000000", "Error: out of memory"),
        (&["-e", "large"], "-1", "the size is negative"),
        (&["-e", "same"], "[1,2] x", "Cannot read input #1 of type []i32: expected an array, not 'x'.\n"),
        (&["-e", "same"], "[1,2]", "Cannot read input #1 of type []i32: unexpected end of input.\n"),
        (&["-e", "trans"], "[[1,2],[3]]", "rows have 2 and 1 elements"),
        (&["-e", "trans"], "[]", "cannot see all sizes"),
        (&["-e", "trans"], "[[1,70000]]", "'70000' is out of range: the numbers of type u16 are 0 to 65535"),
        (&["-e", "same"], "[1,2] [2,3] foo", "Expected EOF on stdin after reading input for \"same\".\n"),
        (&["-b", "-e", "mks"], "1", "have no binary representation.\n"),
        (&["-e", "none"], "1", "No entry point 'none'."),
        (&["--foo"], "", "Unknown option: --foo\n"),
        (&["-r", "x"], "", "Need a positive number of runs, not x\n"),
        (&["-t"], "", "Missing argument for option -t\n"),
        (&["--param", "foo=3"], "", "Unknown size: foo\n"),
        (&["bar"], "", "Excess non-option: bar\n"),
        (&["--tuning=/nonexistent"], "", "When loading tuning file"),
    ] {
        let run = if matches!(args, ["-e", "upd" | "fact"] | ["-b", ..]) { run_checked } else { run };
        let ran = run(exe, args, input.as_bytes());
        assert!(ran.stderr.contains(error), "{args:?} {input}: {}", ran.stderr);
        assert_eq!(ran.code, Some(1), "{args:?} {input}");
    }
}

#[test]
fn runs_are_repeated_and_timed() {
    let exe = executable();
    let times = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("times");
    let ran = run(exe, &["--entry=upd", "-r3", "--write", times.to_str().unwrap()], b"[1,2,3] 0");
    assert_eq!((ran.text().as_str(), ran.code), ("[2i32, 2i32, 3i32]\n", Some(0)));
    let times = std::fs::read_to_string(times).unwrap();
    assert_eq!(times.lines().count(), 3);
    assert!(times.lines().all(|l| l.parse::<u64>().is_ok()), "{times}");
}

#[test]
fn binary_data_goes_in_and_out() {
    let exe = executable();
    let mut data = b"\n b\x02\x01 i32\x02\0\0\0\0\0\0\0\x05\0\0\0\x07\0\0\0 ".to_vec();
    data.extend(b"[1, 2]");
    let ran = run(exe, &["-be", "same"], &data);
    assert_eq!(ran.stdout, b"b\x02\x01 i32\x02\0\0\0\0\0\0\0\x06\0\0\0\x09\0\0\0\n");
    for (bad, error) in [
        (&b"b\x01\x01 i32"[..], "binary data of version 1"),
        (
            b"b\x02\x02 i32",
            "expected binary data of rank 1 and element type 'i32', got rank 2 and type ' i32'",
        ),
        (b"b\x02\x01 i32\xff\xff\xff\xff\xff\xff\xff\xff", "binary data of an impossible size"),
        (b"b\x02\x01 i32\xff\xff\xff\xff\xff\xff\xff\x0f", "binary data of an impossible size"),
        (b"b\x02\x01 i32\xff\xff\xff\xff\0\0\0\0", "binary data ends too early"),
        (b"b\x02\x01 i", "binary data ends too early"),
    ] {
        let ran = run(exe, &["-e", "same"], bad);
        assert!(ran.stderr.contains(error), "{error}: {}", ran.stderr);
        assert_eq!(ran.code, Some(1));
    }
}

#[test]
fn recursion_may_be_deep_but_not_endless() {
    let ran = run(executable(), &["-e", "deep"], b"100000");
    assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
    let ran = run(executable(), &["-e", "deep"], b"1000000000");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.ends_with("Error: the recursion is too deep: the stack is full.\n"), "{}", ran.stderr);
}
