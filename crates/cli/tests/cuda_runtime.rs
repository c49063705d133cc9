//! The runtime of CUDA programs, on a driver that has no device (`tests/cuda`): whatever call fails, the
//! program says so, nothing is called outside of a context, and all is given back.

use crate::fake::run;
use std::fs;
use std::path::Path;

const CLIENT: &str = "./client";

fn built(dir: &Path) {
    crate::fake::cuda_driver(dir);
    crate::fake::build_client(dir, "cuda", "failing.c");
}

#[test]
fn failures_of_the_driver() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    let said = run(dir, &[CLIENT], &[]);
    assert!(said.contains("0 failures") && said.contains(", 0 wrong"), "{said}");
    for at in (1..150).chain((150..1300).step_by(37)) {
        for code in ["2", "700"] {
            let said = run(dir, &[CLIENT], &[("FAKE_FAIL_AT", &at.to_string()), ("FAKE_CODE", code)]);
            let failed = said.lines().find_map(|l| l.strip_prefix("fake: ")?.strip_suffix(" fails"));
            let Some(failed) = failed else { continue };
            // What is not taken back is lost; times may be missing; other memory may do.
            let lost = ["Destroy", "Free", "Unload"].iter().any(|w| failed.contains(w));
            // Launches go by themselves then.
            let harmless = ["Event", "cuDeviceGet", "Graph"].iter().any(|w| failed.contains(w))
                || (code == "2" && failed == "cuMemAlloc_v2");
            assert!(lost || said.contains(", 0 wrong"), "{at}: {said}");
            assert!(lost || harmless || !said.contains("0 failures"), "{at}: {said}");
            assert!(code == "2" || !said.contains("out of memory"), "{at}: {said}");
        }
    }
}

/// The number before a word in what the driver says in the end.
fn count(said: &str, word: &str) -> usize {
    let line = said.lines().rfind(|l| l.contains(" calls, ")).unwrap_or_default();
    let words: Vec<&str> = line.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    let at = words.iter().position(|w| *w == word).expect("a number");
    words[at - 1].parse().expect("a number")
}

#[test]
fn launches_go_together() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    let said = run(dir, &[CLIENT], &[("FAKE_LOG", "1")]);
    let calls = |name: &str| said.lines().filter(|l| *l == format!("fake: {name}")).count();
    // What a node has launched before is not said to it again.
    let (launches, changes) = (calls("cuGraphLaunch"), calls("cuGraphExecKernelNodeSetParams_v2"));
    assert!(launches > 2 && changes > 0 && changes < 20 * launches, "{said}");
    assert!(calls("cuLaunchKernel") < count(&said, "kernels") / 2, "{said}");
    // Whatever fails of it, all kernels are launched, and once.
    let all = count(&said, "kernels");
    let graph: Vec<usize> = said
        .lines()
        .filter(|l| l.starts_with("fake: cu") || l.starts_with("fake: nvrtc"))
        .enumerate()
        .filter(|(_, l)| l.contains("Graph") && !l.contains("Destroy"))
        .map(|(i, _)| i + 1)
        .collect();
    for at in graph.iter().step_by(17) {
        let said = run(dir, &[CLIENT], &[("FAKE_FAIL_AT", &at.to_string()), ("FAKE_CODE", "700")]);
        assert!(
            said.contains("Graph") && said.contains("0 failures") && said.contains(", 0 wrong"),
            "{at}: {said}"
        );
        assert_eq!(count(&said, "kernels"), all, "{at}: {said}");
    }
}

/// What the host writes and copies goes to the device by launches, a matrix at a time.
#[test]
fn changes_go_together() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    let said = run(dir, &[CLIENT], &[("FAKE_LOG", "1")]);
    let calls = |name: &str| said.lines().filter(|l| l.contains(name)).count();
    // A few transfers for each of the two times that all is done: `gates` alone writes 40 matrices.
    let transfers = ["Memset", "MemcpyDtoD", "MemcpyHtoD"].map(calls);
    assert!(transfers.iter().sum::<usize>() < 20, "{transfers:?}: {said}");
}

#[test]
fn a_device_that_disappears() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    // After the last kernel, there is nothing to do but give everything back.
    let said = run(dir, &[CLIENT], &[("FAKE_LOG", "1")]);
    let calls = said.lines().filter(|l| l.starts_with("fake: cu") || l.starts_with("fake: nvrtc"));
    let launch = |l: &&str| matches!(*l, "fake: cuLaunchKernel" | "fake: cuGraphLaunch");
    let last = calls.enumerate().filter(|(_, l)| launch(l)).last().expect("a launch").0;
    for at in (1..last).step_by(31) {
        let said = run(dir, &[CLIENT], &[("FAKE_GONE_AT", &at.to_string()), ("FAKE_CODE", "700")]);
        assert!(!said.lines().any(|l| l == "0 failures"), "{at}: {said}");
    }
}

#[test]
fn nothing_is_lost_after_a_failure() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    built(dir);
    for at in ["5", "14", "26", "75", "600"] {
        let valgrind =
            ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=9", CLIENT];
        run(dir, &valgrind, &[("FAKE_FAIL_AT", at)]);
    }
}

/// Kernels read 16 bytes at a time. What the user's memory holds is copied to where they can do so, and only
/// if it must be.
#[test]
fn memory_of_the_user_may_begin_anywhere() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let dir = dir.path();
    crate::fake::cuda_driver(dir);
    crate::fake::build_client(dir, "cuda", "raw.c");
    let said = run(dir, &[CLIENT], &[("FAKE_LOG", "1"), ("FAKE_RUN", "1")]);
    for part in said.split("at ").skip(1) {
        let (at, calls) = part.split_once('\n').expect("a place and calls");
        let copies = calls.lines().filter(|l| l.contains("MemcpyDtoD")).count();
        let at: usize = at.parse().expect("a place");
        assert_eq!(copies, if at % 4 == 0 { 0 } else { 2 }, "{at}: {calls}");
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
    let said = run(dir, &[CLIENT], &[("CUDA_HOME", "/nonexistent")]);
    assert!(said.contains("0 failures") || said.contains("cannot find NVRTC"), "{said}");
    let said = run(dir, &[CLIENT], &[("FAKE_FAIL_AT", "1"), ("FAKE_CODE", "100")]);
    assert!(said.contains("could not find a device"), "{said}");
    // Kernels in the cache that the driver does not like are compiled again.
    let said = run(dir, &[CLIENT, "cache"], &[]);
    assert!(said.contains("0 failures"), "{said}");
    let said = run(dir, &[CLIENT, "cache"], &[("FAKE_IMAGE", "changed"), ("FAKE_REFUSE", "kernels")]);
    assert!(said.contains("0 failures") && said.contains(", 0 wrong"), "{said}");
    assert!(fs::read(dir.join("cache")).expect("a cache").ends_with(b"changed\0"));
}
