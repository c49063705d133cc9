//! NVIDIA's driver, with its compiler at run time.

use super::api::Api;
use crate::c::backend::Backend;
use crate::c::ctype;
use fehu_base::prim::PrimType;
use fehu_imp::syntax::Direction;
use fehu_impopt::Memory;

/// NVIDIA's driver, with its compiler at run time.
pub(crate) struct Cuda;

impl Api for Cuda {
    const BACKEND: Backend = Backend {
        name: "cuda",
        memory: Memory::Device,
        raw: "unsigned long long ",
        types: "",
        declarations: concat!(
            include_str!("../../rts/gpu/declarations.h"),
            include_str!("../../rts/cuda/declarations.h")
        ),
    };
    const SHARED_MEMORY_PARAM: Option<&'static str> = None;
    const LIBRARY: &'static str =
        concat!(include_str!("../../rts/cuda/change.h"), "\n", include_str!("../../rts/cuda/api.h"));
    const DEVICE: &'static str = concat!(
        include_str!("../../rts/cuda/batch.h"),
        "\n",
        include_str!("../../rts/cuda/open.h"),
        "\n",
        include_str!("../../rts/cuda/build.h"),
        "\n",
        include_str!("../../rts/cuda/changes.h"),
        "\n",
        include_str!("../../rts/cuda/ops.h"),
    );
    const OPTIONS: &'static str = include_str!("../../rts/cuda/options.h");
    const APPLY: &'static str = include_str!("../../rts/cuda/apply.h");
    const KERNEL: &'static str =
        concat!(include_str!("../../rts/cuda/kernel.h"), "\n", include_str!("../../rts/cuda/kernel_rows.h"));
    const KERNEL_MATH: &'static str = include_str!("../../rts/cuda/kernel_math.h");
    const KERNEL_CHANGES: Option<&'static str> = Some(concat!(
        include_str!("../../rts/cuda/change.h"),
        "\n",
        include_str!("../../rts/cuda/kernel_changes.h")
    ));

    fn read_volatile(_: PrimType, _: &str, place: &str) -> String {
        place.to_owned()
    }

    fn write_volatile(_: PrimType, _: &str, place: &str, value: &str) -> String {
        format!("{place} = {value};")
    }

    fn shuffle(ty: PrimType, direction: Direction, delta: u32, value: &str) -> String {
        let t = ctype::prim(ty);
        match direction {
            Direction::Up => format!("SHUFFLE_UP(({t}){value}, {delta})"),
            Direction::Down => format!("SHUFFLE_DOWN(({t}){value}, {delta})"),
            Direction::First => format!("SHUFFLE_FIRST(({t}){value})"),
            Direction::FirstOf => format!("SHUFFLE_FIRST_OF(({t}){value}, {delta})"),
            Direction::LastOf => format!("SHUFFLE_LAST_OF(({t}){value}, {delta})"),
        }
    }
}
