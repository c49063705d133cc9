//! What runs kernels: how its kernels and its runtime differ from those of the others.

use crate::c::backend::Backend;
use fehu_base::prim::PrimType;
use fehu_imp::syntax::Direction;

/// What runs kernels.
pub(crate) trait Api {
    /// Its interface.
    const BACKEND: Backend;
    /// The parameter through which kernels get their shared memory, if it is one.
    const SHARED_MEMORY_PARAM: Option<&'static str>;
    /// The runtime: the API, up to where the generated tables of kernels begin.
    const LIBRARY: &'static str;
    /// The runtime: devices, and what is done with them.
    const DEVICE: &'static str;
    /// Options of executables and servers.
    const OPTIONS: &'static str;
    /// What these options do.
    const APPLY: &'static str;
    /// How the kernel text starts: words of the language, and its mathematics.
    const KERNEL: &'static str;
    const KERNEL_MATH: &'static str;
    /// The kernel by which the host changes memory of the device, if there is one: its text. It is called
    /// `change_memory`.
    const KERNEL_CHANGES: Option<&'static str>;

    /// An element of global memory that other blocks may be writing, which is at this address.
    fn read_volatile(elem: PrimType, address: &str, place: &str) -> String;
    /// The statement that writes one.
    fn write_volatile(elem: PrimType, address: &str, place: &str, value: &str) -> String;
    /// The value of another thread of the warp.
    fn shuffle(ty: PrimType, direction: Direction, delta: u32, value: &str) -> String;
}
