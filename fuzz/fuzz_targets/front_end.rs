//! Any text at all: the front end answers with a program or with diagnostics, and never panics. Start from
//! real programs, too: `cargo fuzz run front_end fuzz/corpus/front_end fuzz/seeds/front_end tests/front
//! tests/run`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fehu_randprog::fuzz::front_end(bytes));
