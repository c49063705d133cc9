//! The runtime of OpenCL programs, on a library that has no device (`tests/ffi/fake_opencl.c`): whatever call
//! fails, the program says so, objects are used only while they are there, and all are given back.

use crate::fake::run;
use std::fs;
use std::path::Path;

const CLIENT: &str = "./client";

fn built(dir: &Path) {
    crate::fake::opencl_driver(dir);
    crate::fake::build_client(dir, "opencl", "failing.c");
}

#[test]
fn failures_of_the_driver() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    let said = run(dir, &[CLIENT], &[]);
    assert!(said.contains("0 failures") && said.contains(", 0 wrong"), "{said}");
    for at in (1..130).chain((130..1000).step_by(37)) {
        // No memory; the queue is broken.
        for code in ["-6", "-36"] {
            let said = run(dir, &[CLIENT], &[("FAKE_FAIL_AT", &at.to_string()), ("FAKE_CODE", code)]);
            let failed = said.lines().find_map(|l| l.strip_prefix("fake: ")?.strip_suffix(" fails"));
            let Some(failed) = failed else { continue };
            // What is not taken back is lost; times and names may be missing; other memory may do.
            let lost = failed.contains("Release");
            let harmless = ["Event", "Info"].iter().any(|w| failed.contains(w))
                || (code == "-6" && ["clCreateBuffer", "clEnqueueFillBuffer"].contains(&failed));
            assert!(lost || said.contains(", 0 wrong"), "{at}: {said}");
            assert!(lost || harmless || !said.contains("\n0 failures"), "{at}: {said}");
            assert!(code == "-6" || !said.contains("out of memory"), "{at}: {said}");
        }
    }
}

#[test]
fn a_device_that_disappears() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    // After these calls, there is nothing to do but give everything back.
    for at in (1..600).step_by(41) {
        let said = run(dir, &[CLIENT], &[("FAKE_GONE_AT", &at.to_string()), ("FAKE_CODE", "-36")]);
        assert!(!said.lines().any(|l| l == "0 failures"), "{at}: {said}");
    }
}

#[test]
fn nothing_is_lost_after_a_failure() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    for at in ["5", "14", "40", "75", "210"] {
        let valgrind =
            ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=9", CLIENT];
        run(dir, &valgrind, &[("FAKE_FAIL_AT", at)]);
    }
}

#[test]
fn what_is_missing_is_said() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    let said = run(dir, &[CLIENT], &[("FAKE_MEMORY", "200000")]);
    assert!(
        said.contains("out of memory: cannot allocate 160000 bytes") && said.contains(", 0 wrong"),
        "{said}"
    );
    let said = run(dir, &[CLIENT], &[("FAKE_BUILD", "line 7: no such thing")]);
    assert!(said.contains("refused the kernels") && said.contains("line 7: no such thing"), "{said}");
    assert!(said.contains(", 0 wrong"), "{said}");
    let said = run(dir, &[CLIENT], &[("FAKE_FAIL_AT", "1"), ("FAKE_CODE", "-1001")]);
    assert!(said.contains("no OpenCL platform is installed"), "{said}");
    // A cache that cannot be written, is full or holds something else is as good as none.
    for cache in ["/dev/full", "nonexistent/cache", "."] {
        let said = run(dir, &[CLIENT, cache], &[]);
        assert!(said.contains("0 failures") && said.contains(", 0 wrong"), "{cache}: {said}");
    }
    fs::write(dir.join("cache"), "something else").expect("a file");
    for _ in 0..2 {
        let said = run(dir, &[CLIENT, "cache"], &[]);
        assert!(said.contains("0 failures") && said.contains(", 0 wrong"), "{said}");
    }
}
