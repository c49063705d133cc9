//! Calls the entry point of dot.fut from Rust.
//!
//! fehu c --library examples/dot.fut -o dot
//! cc -O2 -c dot.c -o dot.o && ar rcs libdot.a dot.o
//! rustc -L . -l static=dot -l m examples/call.rs -o call

use std::ffi::c_void;

type Config = *mut c_void;
type Context = *mut c_void;
type Array = *mut c_void;

extern "C" {
    fn futhark_context_config_new() -> Config;
    fn futhark_context_config_free(config: Config);
    fn futhark_context_new(config: Config) -> Context;
    fn futhark_context_sync(context: Context) -> i32;
    fn futhark_context_free(context: Context);
    fn futhark_new_f64_1d(context: Context, data: *const f64, size: i64) -> Array;
    fn futhark_free_f64_1d(context: Context, array: Array) -> i32;
    fn futhark_entry_main(context: Context, result: *mut f64, xs: Array, ys: Array) -> i32;
}

fn main() {
    let (xs, ys) = ([1.0, 2.0], [3.0, 4.0]);
    let mut result = 0.0;
    // Sound: the arrays are as long as said, and everything is freed once, after its last use.
    let failed = unsafe {
        let config = futhark_context_config_new();
        let context = futhark_context_new(config);
        let a = futhark_new_f64_1d(context, xs.as_ptr(), 2);
        let b = futhark_new_f64_1d(context, ys.as_ptr(), 2);
        let failed = futhark_entry_main(context, &mut result, a, b) != 0 || futhark_context_sync(context) != 0;
        futhark_free_f64_1d(context, a);
        futhark_free_f64_1d(context, b);
        futhark_context_free(context);
        futhark_context_config_free(config);
        failed
    };
    assert!(!failed, "the call failed");
    println!("{result}");
}
