//! Programs that are accepted have manifests that are JSON and name every entry point.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fehu_randprog::fuzz::manifest(bytes));
