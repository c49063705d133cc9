//! The runtime's files for devices, in the order in which they build on each other.

use super::api::Api;

/// The API, up to where the generated tables of kernels begin.
pub(super) fn library<A: Api>() -> String {
    format!(
        "\n{}\n{}\n{}\n",
        include_str!("../../rts/gpu/library.h"),
        A::LIBRARY,
        include_str!("../../rts/gpu/device.h"),
    )
}

/// Memory, which contexts have.
pub(super) const MEMORY: &str = concat!("\n", include_str!("../../rts/gpu/memory.h"), "\n");

/// What the program's functions call, after contexts.
pub(super) fn device<A: Api>() -> String {
    let before = concat!(
        "\n",
        include_str!("../../rts/c/timing.h"),
        "\n",
        include_str!("../../rts/gpu/events.h"),
        "\n",
        include_str!("../../rts/gpu/cache.h"),
        "\n",
        include_str!("../../rts/gpu/config.h"),
        "\n",
    );
    let after = concat!(
        "\n",
        include_str!("../../rts/gpu/access.h"),
        "\n",
        include_str!("../../rts/c/blocks.h"),
        "\n",
        include_str!("../../rts/c/copy.h"),
        "\n",
        include_str!("../../rts/gpu/launch.h"),
        "\n",
        include_str!("../../rts/gpu/copy.h"),
        "\n",
        include_str!("../../rts/gpu/hooks.h"),
        "\n",
    );
    format!("{before}{}{after}", A::DEVICE)
}

/// Options of executables and servers.
pub(super) fn options<A: Api>() -> String {
    format!("\n{}\n{}\n", A::OPTIONS, include_str!("../../rts/gpu/options.h"))
}

/// What these options do, after the options of all programs.
pub(super) fn apply<A: Api>() -> String {
    format!("\n{}\n{}\n", include_str!("../../rts/gpu/apply.h"), A::APPLY)
}

/// How the kernel text starts.
pub(super) fn kernel_prelude<A: Api>() -> String {
    let shared = [
        include_str!("../../rts/gpu/kernel_divide.h"),
        include_str!("../../rts/gpu/kernel_runs.h"),
        include_str!("../../rts/c/scalar.h"),
        A::KERNEL_MATH,
        include_str!("../../rts/c/scalar_divide.h"),
        include_str!("../../rts/c/scalar_f16.h"),
        include_str!("../../rts/gpu/kernel_halves.h"),
    ];
    format!("{}\n{}", A::KERNEL, shared.join("\n"))
}

/// The kernels of copies, for any width.
pub(super) const KERNEL_COPY: &str = include_str!("../../rts/gpu/kernel_copy.h");
