//! Libraries, used from C, and their manifests.

use crate::common::{compile_files, generate, generate_for, has_opencl, run, run_checked};
use crate::sample;
use fehu_codegen::{Backend, Mode};
use serde_json::Value;

#[test]
fn the_c_interface_works_and_leaks_nothing() {
    let library = generate(&sample::program(), Mode::Library);
    let files = [
        ("libsample.h", library.header.as_str()),
        ("libsample.c", &library.c_text),
        ("client.c", include_str!("client.c")),
    ];
    let exe = compile_files("client", &files, &["-O2"]);
    let ran = run_checked(&exe, &[], b"");
    assert_eq!((ran.stderr.as_str(), ran.text().as_str(), ran.code), ("", "done\n", Some(0)));
}

#[test]
fn the_c_interface_works_on_a_device() {
    if !has_opencl() {
        return;
    }
    let library = generate_for(Backend::OpenCl, &sample::program(), Mode::Library);
    let files = [
        ("libsample_opencl.h", library.header.as_str()),
        ("libsample_opencl.c", &library.c_text),
        ("client_opencl.c", &include_str!("client.c").replace("libsample.h", "libsample_opencl.h")),
    ];
    let ran = run(&compile_files("client_opencl", &files, &["-O1"]), &[], b"");
    assert_eq!((ran.stderr.as_str(), ran.text().as_str(), ran.code), ("", "done\n", Some(0)));
}

#[test]
fn the_manifest_names_what_the_header_declares() {
    let library = generate(&sample::program(), Mode::Library);
    let manifest: Value = serde_json::from_str(&library.manifest_json).unwrap();
    let mut functions = Vec::new();
    collect(&manifest, &mut functions);
    assert!(functions.len() > 80);
    for f in functions {
        assert!(library.header.contains(&format!("{f}(")), "{f}");
    }
    let main = &manifest["entry_points"]["main"];
    assert_eq!(main["output"]["type"], "(i32, []f32)");
    assert_eq!(main["outputs"][0], main["output"]);
    assert_eq!(main["inputs"][1]["type"], "[]f32");
    assert_eq!(manifest["types"]["t"]["record"]["fields"][0]["name"], "bar");
    assert_eq!(manifest["types"]["[]f32"]["elemtype"], "f32");
    assert_eq!(manifest["types"]["arrs"]["record_array"]["elemtype"], "{a: i32, b: f64}");
}

/// All names of functions in a manifest.
fn collect<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
    match value {
        Value::String(s) if s.starts_with("futhark_") => out.push(s),
        Value::Array(items) => items.iter().for_each(|v| collect(v, out)),
        Value::Object(fields) => fields.values().for_each(|v| collect(v, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_text_is_the_same_each_time() {
    assert_eq!(generate(&sample::program(), Mode::Library), generate(&sample::program(), Mode::Library));
}
