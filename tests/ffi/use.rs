//! A Rust program that uses a generated library: arrays in and out, a record,
//! an error caught, and two contexts in two threads.

use std::ffi::{c_char, c_int, c_void, CStr};

#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

type Ptr = *mut Opaque;

extern "C" {
    fn futhark_context_config_new() -> Ptr;
    fn futhark_context_config_free(cfg: Ptr);
    fn futhark_context_new(cfg: Ptr) -> Ptr;
    fn futhark_context_free(ctx: Ptr);
    fn futhark_context_sync(ctx: Ptr) -> c_int;
    fn futhark_context_get_error(ctx: Ptr) -> *mut c_char;
    fn futhark_new_f64_1d(ctx: Ptr, data: *const f64, n: i64) -> Ptr;
    fn futhark_values_f64_1d(ctx: Ptr, arr: Ptr, data: *mut f64) -> c_int;
    fn futhark_shape_f64_1d(ctx: Ptr, arr: Ptr) -> *const i64;
    fn futhark_free_f64_1d(ctx: Ptr, arr: Ptr) -> c_int;
    fn futhark_new_i32_1d(ctx: Ptr, data: *const i32, n: i64) -> Ptr;
    fn futhark_free_i32_1d(ctx: Ptr, arr: Ptr) -> c_int;
    fn futhark_entry_scale(ctx: Ptr, out: *mut Ptr, a: f64, xs: Ptr) -> c_int;
    fn futhark_entry_summary(ctx: Ptr, out: *mut Ptr, xs: Ptr) -> c_int;
    fn futhark_entry_pick(ctx: Ptr, out: *mut i32, xs: Ptr, i: i64) -> c_int;
    fn futhark_project_opaque_stats_mean(ctx: Ptr, out: *mut f64, obj: Ptr) -> c_int;
    fn futhark_free_opaque_stats(ctx: Ptr, obj: Ptr) -> c_int;
    fn free(p: *mut c_void);
}

fn work(factor: f64) {
    // Every pointer passed below came from the library and is freed once.
    unsafe {
        let cfg = futhark_context_config_new();
        let ctx = futhark_context_new(cfg);
        let input = [1.0, 2.0, 3.0, 4.0];
        let xs = futhark_new_f64_1d(ctx, input.as_ptr(), 4);
        let mut ys: Ptr = std::ptr::null_mut();
        assert_eq!(futhark_entry_scale(ctx, &mut ys, factor, xs), 0);
        assert_eq!(*futhark_shape_f64_1d(ctx, ys), 4);
        let mut out = [0.0; 4];
        assert_eq!(futhark_values_f64_1d(ctx, ys, out.as_mut_ptr()), 0);
        assert_eq!(futhark_context_sync(ctx), 0);
        assert_eq!(out, input.map(|x| x * factor));

        let mut stats: Ptr = std::ptr::null_mut();
        assert_eq!(futhark_entry_summary(ctx, &mut stats, ys), 0);
        let mut mean = 0.0;
        assert_eq!(futhark_project_opaque_stats_mean(ctx, &mut mean, stats), 0);
        assert_eq!(mean, 2.5 * factor);

        let is = futhark_new_i32_1d(ctx, [7, 8].as_ptr(), 2);
        let mut x = 0;
        assert_eq!(futhark_entry_pick(ctx, &mut x, is, -1), 2);
        let message = futhark_context_get_error(ctx);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        assert!(text.contains("Index [-1] out of bounds for array of shape [2]."), "{text}");
        free(message.cast());
        assert_eq!(futhark_entry_pick(ctx, &mut x, is, 1), 0);
        assert_eq!(x, 8);

        futhark_free_i32_1d(ctx, is);
        futhark_free_opaque_stats(ctx, stats);
        futhark_free_f64_1d(ctx, xs);
        futhark_free_f64_1d(ctx, ys);
        futhark_context_free(ctx);
        futhark_context_config_free(cfg);
    }
}

fn main() {
    let threads = [2.0, 3.0].map(|k| std::thread::spawn(move || work(k)));
    for t in threads {
        t.join().expect("a thread failed");
    }
    println!("fine");
}
