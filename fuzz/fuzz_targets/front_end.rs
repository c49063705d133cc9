//! Any text at all: the front end answers with a program or with diagnostics,
//! and never panics. Start from real programs: `cargo fuzz run front_end tests/front tests/run`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|text: &str| {
    fehu_driver::front::check_text(Path::new("fuzz.fut"), text.to_owned());
});
