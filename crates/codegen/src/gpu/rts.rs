//! The runtime's files for devices, in the order in which they build on each other.

use super::Api;

/// What the library's header says besides what all back ends have: types that come first, and functions.
pub(super) fn declarations(api: Api) -> (&'static str, &'static str) {
    match api {
        Api::OpenCl => (
            include_str!("../../../../rts/opencl/types.h"),
            concat!(
                include_str!("../../../../rts/gpu/declarations.h"),
                include_str!("../../../../rts/opencl/declarations.h")
            ),
        ),
        Api::Cuda => (
            "",
            concat!(
                include_str!("../../../../rts/gpu/declarations.h"),
                include_str!("../../../../rts/cuda/declarations.h")
            ),
        ),
    }
}

/// The API, up to where the generated tables of kernels begin.
pub(super) fn api(api: Api) -> &'static str {
    match api {
        Api::OpenCl => concat!(
            "\n",
            include_str!("../../../../rts/gpu/library.h"),
            "\n",
            include_str!("../../../../rts/opencl/api.h"),
            "\n",
            include_str!("../../../../rts/gpu/device.h"),
            "\n",
        ),
        Api::Cuda => concat!(
            "\n",
            include_str!("../../../../rts/gpu/library.h"),
            "\n",
            include_str!("../../../../rts/cuda/api.h"),
            "\n",
            include_str!("../../../../rts/gpu/device.h"),
            "\n",
        ),
    }
}

/// Memory, which contexts have.
pub(super) const MEMORY: &str = concat!("\n", include_str!("../../../../rts/gpu/memory.h"), "\n");

/// What the program's functions call, after contexts.
pub(super) fn device(api: Api) -> String {
    let own = match api {
        Api::OpenCl => concat!(
            include_str!("../../../../rts/opencl/select.h"),
            "\n",
            include_str!("../../../../rts/opencl/open.h"),
            "\n",
            include_str!("../../../../rts/opencl/ops.h"),
        ),
        Api::Cuda => concat!(
            include_str!("../../../../rts/cuda/open.h"),
            "\n",
            include_str!("../../../../rts/cuda/build.h"),
            "\n",
            include_str!("../../../../rts/cuda/ops.h"),
        ),
    };
    let before = concat!(
        "\n",
        include_str!("../../../../rts/c/timing.h"),
        "\n",
        include_str!("../../../../rts/gpu/events.h"),
        "\n",
        include_str!("../../../../rts/gpu/cache.h"),
        "\n",
        include_str!("../../../../rts/gpu/config.h"),
        "\n",
    );
    let after = concat!(
        "\n",
        include_str!("../../../../rts/gpu/access.h"),
        "\n",
        include_str!("../../../../rts/c/blocks.h"),
        "\n",
        include_str!("../../../../rts/c/copy.h"),
        "\n",
        include_str!("../../../../rts/gpu/launch.h"),
        "\n",
        include_str!("../../../../rts/gpu/copy.h"),
        "\n",
        include_str!("../../../../rts/gpu/hooks.h"),
        "\n",
    );
    format!("{before}{own}{after}")
}

/// Options of executables and servers.
pub(super) fn options(api: Api) -> &'static str {
    match api {
        Api::OpenCl => concat!(
            "\n",
            include_str!("../../../../rts/opencl/options.h"),
            "\n",
            include_str!("../../../../rts/gpu/options.h"),
            "\n"
        ),
        Api::Cuda => concat!(
            "\n",
            include_str!("../../../../rts/cuda/options.h"),
            "\n",
            include_str!("../../../../rts/gpu/options.h"),
            "\n"
        ),
    }
}

/// What these options do, after the options of all programs.
pub(super) fn apply(api: Api) -> String {
    let own = match api {
        Api::OpenCl => include_str!("../../../../rts/opencl/apply.h"),
        Api::Cuda => include_str!("../../../../rts/cuda/apply.h"),
    };
    format!("\n{}\n{own}\n", include_str!("../../../../rts/gpu/apply.h"))
}

/// How the kernel text starts.
pub(super) fn kernel_prelude(api: Api) -> String {
    let (own, math) = match api {
        Api::OpenCl => (
            include_str!("../../../../rts/opencl/kernel.h"),
            include_str!("../../../../rts/opencl/kernel_math.h"),
        ),
        Api::Cuda => (
            include_str!("../../../../rts/cuda/kernel.h"),
            include_str!("../../../../rts/cuda/kernel_math.h"),
        ),
    };
    let shared = [
        include_str!("../../../../rts/gpu/kernel_divide.h"),
        include_str!("../../../../rts/c/scalar.h"),
        math,
        include_str!("../../../../rts/c/scalar_f16.h"),
    ];
    format!("{own}\n{}", shared.join("\n"))
}

/// The kernels of copies, for any width.
pub(super) const KERNEL_COPY: &str = include_str!("../../../../rts/gpu/kernel_copy.h");
