//! What programs look like after a stage.

use fehu_driver::compile::Settings;
use fehu_driver::explore;
use fehu_driver::front::check_file;
use fehu_driver::target::Target;
use std::path::PathBuf;

/// A program after a stage.
fn after(stage: &str, text: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("prog.fut");
    std::fs::write(&file, text).expect("written");
    let settings = Settings::executable(Target::Cuda, PathBuf::new());
    explore::after(&check_file(&file), &settings, stage).unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn loops_in_kernels_do_not_compute_what_nobody_needs() {
    // The second component of the scan is only there for itself.
    let program = "def op (a: f32, b: f32) (c: f32, d: f32) = (c + d * a, b * d)
def main (xss: [][]f32) = #[sequential_inner] map (\\xs -> map (\\x -> (x, x)) xs |> scan op (0, 1) |> map (.0)) xss";
    let text = after("dead-code", program);
    assert!(text.contains("loop"), "{text}");
    assert!(!text.contains("1.0f32"), "the second component is carried:\n{text}");
}
