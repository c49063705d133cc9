//! Any bytes as the answers of a server: its client survives them.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fehu_randprog::fuzz::server_protocol(bytes));
