//! Rows that `impopt/walks/together` writes through shared memory.
//!
//! ```text
//! let (row) = loop (*p = scratch) for i < m {          all of the row, and in order
//!   ...                                                 scalars
//!   let (q) = p with [i] = x                            the one use of the block
//!   return (q)
//! }
//! ```

use crate::tables::Tables;
use fehu_base::Name;
use fehu_ir::class::Class;
use fehu_ir::free::free_in_exp;
use fehu_ir::mem::{poly, Lmad};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, DimIndex, Exp, LoopForm, Memory, Stm, SubExp};

/// The most statements of the loop. Each becomes one statement of the kernel, or few, of which loops in tiles
/// have at most 32.
const MOST_STATEMENTS: usize = 24;

/// Whether a thread's row, which is all that it has in a block, is written from its start to its end by the
/// only loop that there is, and never read.
pub(super) fn is_written_by_one_walk(tables: &Tables, body: &Body<Memory>, block: Name, row: &Lmad) -> bool {
    let [dim] = row.dims.as_slice() else { return false };
    let mut using = body.stms.iter().filter(|stm| uses(tables, stm, block));
    let (Some(Stm { exp: Exp::Loop(l), .. }), None) = (using.next(), using.next()) else { return false };
    if body.stms.iter().filter(|stm| has_loop(stm)).count() > 1 {
        return false;
    }
    let LoopForm::For { var, bound, .. } = &l.form else { return false };
    poly(*bound) == dim.size && is_walk(tables, &l.body, block, *var)
}

/// Whether an iteration computes scalars and writes the row's element of its number.
fn is_walk(tables: &Tables, body: &Body<Memory>, block: Name, number: Name) -> bool {
    let mut statements = 0;
    for_each_stm(body, &mut |_| statements += 1);
    let mut using = body.stms.iter().filter(|stm| uses(tables, stm, block));
    let (Some(one), None) = (using.next(), using.next()) else { return false };
    let others = body.stms.iter().filter(|stm| !std::ptr::eq(*stm, one));
    statements <= MOST_STATEMENTS
        && writes_element(one, number)
        && others.into_iter().all(|stm| stm.is_plain() && !has_loop(stm))
}

/// Whether a statement writes an element of 4 or 8 bytes at an index.
fn writes_element(stm: &Stm<Memory>, index: Name) -> bool {
    let wide = stm.pat.iter().all(|p| p.ty.elem().is_some_and(|elem| matches!(elem.bytes(), 4 | 8)));
    let Exp::Basic(Basic::Update(_, slice, _)) = &stm.exp else { return false };
    wide && slice.as_slice() == [DimIndex::Fix(SubExp::Var(index))]
}

fn has_loop(stm: &Stm<Memory>) -> bool {
    let inside = |body: &Body<Memory>| {
        let mut found = false;
        for_each_stm(body, &mut |stm| found |= matches!(stm.exp, Exp::Loop(_)));
        found
    };
    match &stm.exp {
        Exp::Loop(_) => true,
        Exp::If(_, yes, no) => inside(yes) || inside(no),
        // Arrays are written element by element.
        Exp::Basic(Basic::Scratch(..)) => false,
        Exp::Basic(basic) => {
            let writes = matches!(basic.class(), Class::Generate | Class::Gather);
            writes && stm.pat.iter().any(|p| p.ty.is_array())
        }
        Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
    }
}

fn uses(tables: &Tables, stm: &Stm<Memory>, block: Name) -> bool {
    free_in_exp(&stm.exp).iter().any(|n| tables.block_of(*n) == Some(block))
}
