//! What is done with any bytes at all: each target ends with an answer or an error, and never panics.
//!
//! The targets serve two runners: libFuzzer, through `fuzz/`, which looks for new paths but needs a nightly
//! compiler; and `cargo xtask fuzz`, which changes the files of `fuzz/seeds` by lot ([`mutate`]) and runs
//! anywhere.
//!
//! ```text
//! data_reader on b"[1, 2"     an error that says what is missing
//! data_reader on b"[1i32]"    a value, which is written and read back as both text and bytes
//! ```

pub mod mutate;

use fehu_data::server::Server;
use fehu_data::{binary, read_values, ProgramSpec};
use fehu_driver::compile::{Product, Settings};
use fehu_driver::front::check_text;
use fehu_driver::generate::generate;
use fehu_driver::target::Target as BackEnd;
use fehu_driver::times::Times;
use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::{Kernels, Memory, Rep, Soacs};
use std::path::Path;

/// A target: a name, and what is done with bytes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

/// All targets. What each starts from is in `fuzz/seeds/NAME`.
pub const TARGETS: [Target; 6] = [
    Target { name: "front_end", run: front_end },
    Target { name: "ir_reader", run: ir_reader },
    Target { name: "data_reader", run: data_reader },
    Target { name: "server_protocol", run: server_protocol },
    Target { name: "test_blocks", run: test_blocks },
    Target { name: "manifest", run: manifest },
];

/// The text of bytes, unless it imports files.
fn program_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains("import"))
}

/// Any text is a program or has diagnostics, which can be shown.
pub fn front_end(bytes: &[u8]) {
    let Some(text) = program_text(bytes) else { return };
    let front = check_text(Path::new("fuzz.fut"), text.to_owned());
    for d in &front.diagnostics {
        d.render(&front.sources, fehu_base::diagnostic::Colour::Never);
    }
}

/// What can be read as core IR prints as text that reads back as the same; and any of it can be validated.
pub fn ir_reader(bytes: &[u8]) {
    fn read<R: Rep>(text: &str) {
        let Ok(prog) = read_prog::<R>(text) else { return };
        let printed = print_prog(&prog, Locations::Hidden);
        let again = read_prog::<R>(&printed);
        assert!(again.is_ok(), "what was printed cannot be read: {:?}\n{printed}", again.err());
        if let Ok(again) = again {
            assert_eq!(print_prog(&again, Locations::Hidden), printed, "printing is not stable");
        }
        // Whether it is valid does not matter.
        let _ = fehu_ir::validate::validate(&prog);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    read::<Soacs>(text);
    read::<Kernels>(text);
    read::<Memory>(text);
}

/// Values that can be read are the same after they are written and read again.
pub fn data_reader(bytes: &[u8]) {
    let Ok(values) = read_values(bytes) else { return };
    let mut written = vec![];
    values.iter().for_each(|v| binary::write_binary(v, &mut written));
    assert_eq!(read_values(&written).ok().as_ref(), Some(&values), "bytes");
    let text: Vec<String> = values.iter().map(|v| v.to_string()).collect();
    assert_eq!(read_values(text.join(" ").as_bytes()).ok().as_ref(), Some(&values), "text");
}

/// A client survives whatever a server answers.
pub fn server_protocol(bytes: &[u8]) {
    let Ok(mut server) = Server::new(bytes, std::io::sink()) else { return };
    // Answers that make no sense are errors.
    let _ = server.entry_points();
    let _ = server.inputs("main");
    let _ = server.output("main");
    let _ = server.outputs("main");
    let _ = server.call("main", &["out"], &["in"]);
    let _ = server.fields("t");
    let _ = server.variants("t");
    let _ = server.kind("t");
    let _ = server.shape("v");
    let _ = server.rank("t");
    let _ = server.tuning_params("main");
    let _ = server.report();
}

/// Test blocks in any text, and scripts in them.
pub fn test_blocks(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // A block that is wrong is an error.
    let _ = ProgramSpec::parse(text);
    let _ = fehu_data::script::parse_script(text);
    let _ = fehu_data::generate::Generator::parse(text);
}

/// Programs that are accepted compile as libraries, and their manifests are JSON that names every entry point.
pub fn manifest(bytes: &[u8]) {
    let Some(text) = program_text(bytes) else { return };
    let front = check_text(Path::new("fuzz.fut"), text.to_owned());
    if front.failed() {
        return;
    }
    let settings = Settings { product: Product::Library, ..Settings::executable(BackEnd::C, "fuzz".into()) };
    let Ok(generated) = generate(&front, &settings, &mut Times::default()) else { return };
    let json: Result<serde_json::Value, _> = serde_json::from_str(&generated.text.manifest_json);
    let entries = json.ok().and_then(|j| j.get("entry_points").and_then(|e| e.as_object()).cloned());
    assert!(entries.is_some(), "no manifest:\n{}", generated.text.manifest_json);
    for (name, entry) in entries.unwrap_or_default() {
        assert!(entry.get("cfun").is_some_and(|c| c.is_string()), "{name} has no function");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_survive_what_is_broken() {
        for target in TARGETS {
            for bytes in [
                &b""[..],
                b"\xff\xfe",
                b"[1, 2",
                b"%%% FAILURE\n",
                b"entry main = 1",
                b"-- ==\n-- input {",
                b"soacs\n",
            ] {
                (target.run)(bytes);
            }
        }
    }
}
