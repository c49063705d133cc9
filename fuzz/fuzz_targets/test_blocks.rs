//! Any text with test blocks and scripts.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fehu_randprog::fuzz::test_blocks(bytes));
