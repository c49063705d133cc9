//! Any bytes as values: what can be read is the same after it is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fehu_randprog::fuzz::data_reader(bytes));
