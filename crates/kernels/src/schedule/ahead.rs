//! What threads of a block copy to shared memory is on its way while they go on.
//!
//! Devices with warps have instructions that copy 4, 8 or 16 bytes from device memory to shared memory
//! without a register, and without waiting. So all elements that a thread copies are on their way at once,
//! and the block waits for them only where it reads one (`impopt/late_awaits`).
//!
//! **When.** A map of the block copies elements ([`copied_element`]) of 4 or 8 bytes from device memory,
//! which the kernel does not write: who writes it might not wait for the copies.

use super::places::Places;
use super::Scheduler;
use fehu_base::Name;
use fehu_ir::copied::copied_element;
use fehu_ir::mem::MemOp;
use fehu_ir::seg::{SegKind, SegOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Exp, Memory, PatElem, Space, Type};

/// The blocks that a kernel may write.
pub(super) struct Written {
    blocks: Vec<Name>,
    /// Whether there are others.
    unknown: bool,
}

impl Written {
    /// Those of a kernel with these results.
    pub(super) fn of(places: &Places, pat: &[PatElem<Memory>], body: &Body<Memory>) -> Written {
        let mut written = Written { blocks: vec![], unknown: false };
        written.learn(places, pat);
        for_each_stm(body, &mut |stm| match &stm.exp {
            Exp::Basic(
                Basic::Index(..)
                | Basic::FlatIndex(..)
                | Basic::Rearrange(..)
                | Basic::Reshape(..)
                | Basic::SubExp(_),
            )
            | Exp::Op(MemOp::Alloc(..) | MemOp::Size(_)) => {}
            Exp::Basic(Basic::UpdateAcc(..)) | Exp::WithAcc(_) | Exp::Call(..) => written.unknown = true,
            Exp::Basic(_) | Exp::If(..) | Exp::Loop(_) | Exp::Op(MemOp::Seg(_)) => {
                written.learn(places, &stm.pat)
            }
        });
        written
    }

    fn learn(&mut self, places: &Places, pat: &[PatElem<Memory>]) {
        for p in pat {
            match &p.ty {
                Type::Array(..) => match places.block_of(p.name) {
                    Some(block) => self.blocks.push(block),
                    None => self.unknown = true,
                },
                Type::Acc(..) => self.unknown = true,
                Type::Prim(_) | Type::Mem(_) => {}
            }
        }
    }
}

/// Whether a map of a block, in a kernel that writes such blocks, copies elements that can be on their way
/// while threads go on.
pub(super) fn is_copied_ahead(
    s: &Scheduler,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    written: &Written,
) -> bool {
    let (SegKind::Map, [p]) = (&seg.kind, pat) else { return false };
    let Some(copied) = copied_element(seg) else { return false };
    let Some(block) = s.places.block_of(copied.array) else { return false };
    let changes = written.unknown || written.blocks.iter().any(|w| s.blocks.may_be_same(block, *w));
    s.device.warps
        && !changes
        && matches!(copied.elem.bytes(), 4 | 8)
        && s.places.space_of(copied.array) == Some(&Space::Default)
        && s.places.space_of(p.name) == Some(&Space::Shared)
}
