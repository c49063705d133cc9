//! OpenCL 1.2 or later.

use super::api::Api;
use crate::c::backend::Backend;
use fehu_base::bug;
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_imp::syntax::Direction;
use fehu_impopt::Memory;

/// OpenCL 1.2 or later.
pub(crate) struct OpenCl;

impl Api for OpenCl {
    const BACKEND: Backend = Backend {
        name: "opencl",
        memory: Memory::Device,
        raw: "struct _cl_mem *",
        types: include_str!("../../rts/opencl/types.h"),
        declarations: concat!(
            include_str!("../../rts/gpu/declarations.h"),
            include_str!("../../rts/opencl/declarations.h")
        ),
    };
    const SHARED_MEMORY_PARAM: Option<&'static str> = Some("SHARED ulong2 *shared_memory_start");
    const LIBRARY: &'static str = include_str!("../../rts/opencl/api.h");
    const DEVICE: &'static str = concat!(
        include_str!("../../rts/opencl/select.h"),
        "\n",
        include_str!("../../rts/opencl/open.h"),
        "\n",
        include_str!("../../rts/opencl/ops.h"),
    );
    const OPTIONS: &'static str = include_str!("../../rts/opencl/options.h");
    const APPLY: &'static str = include_str!("../../rts/opencl/apply.h");
    const KERNEL: &'static str = include_str!("../../rts/opencl/kernel.h");
    const KERNEL_MATH: &'static str = include_str!("../../rts/opencl/kernel_math.h");
    const KERNEL_CHANGES: Option<&'static str> = None;

    fn read_volatile(elem: PrimType, address: &str, place: &str) -> String {
        match Word::of(elem, address) {
            Some(word) => word.from(&format!("atomic_or_{}_global({}, 0)", word.name, word.address)),
            None => place.to_owned(),
        }
    }

    fn write_volatile(elem: PrimType, address: &str, place: &str, value: &str) -> String {
        match Word::of(elem, address) {
            Some(word) => {
                let bits = word.to(value);
                format!("(void)atomic_exchange_{}_global({}, {bits});", word.name, word.address)
            }
            None => format!("{place} = {value};"),
        }
    }

    fn shuffle(_: PrimType, direction: Direction, _: u32, value: &str) -> String {
        bug!("{value} is shuffled ({direction:?}), but OpenCL has no warps")
    }
}

/// An element that blocks hand to each other, as an integer of its width, which OpenCL can read and write in
/// one step: there, nothing less makes it no race.
struct Word {
    name: &'static str,
    address: String,
    /// The width, where bits are those of a float.
    bits: Option<&'static str>,
}

impl Word {
    fn of(elem: PrimType, address: &str) -> Option<Word> {
        let (name, ty, bits) = match elem {
            PrimType::Int(IntType::I32) => ("i32", "int32_t", None),
            PrimType::Int(IntType::I64) => ("i64", "int64_t", None),
            PrimType::Float(FloatType::F32) => ("i32", "int32_t", Some("32")),
            PrimType::Float(FloatType::F64) => ("i64", "int64_t", Some("64")),
            PrimType::Int(IntType::I8 | IntType::I16)
            | PrimType::Float(FloatType::F16)
            | PrimType::Bool
            | PrimType::Unit => return None,
        };
        Some(Word { name, address: format!("(volatile GLOBAL {ty} *){address}"), bits })
    }

    fn from(&self, word: &str) -> String {
        self.bits.map_or_else(|| word.to_owned(), |bits| format!("from_bits{bits}({word})"))
    }

    fn to(&self, value: &str) -> String {
        self.bits.map_or_else(|| value.to_owned(), |bits| format!("to_bits{bits}({value})"))
    }
}
