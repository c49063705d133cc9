//! Any text as core IR: what can be read prints and reads back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fehu_randprog::fuzz::ir_reader(bytes));
