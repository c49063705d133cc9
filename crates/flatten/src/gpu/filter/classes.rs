//! Whether the conditions of a filter are classes: exactly one of them holds for each element.
//!
//! Then the elements of the last condition need not be counted, since they are those of no other one. A
//! partition is such a filter.
//!
//! ```text
//! let (c : bool) = slt_i32(0i32, x)
//! let (d : bool) = sle_i32(x, 0i32)       c, d: always one of them; c alone, or c and c: not so
//! ```

use fehu_analysis::conditions::{Conditions, Table};
use fehu_ir::{Body, Soacs, SubExp};

/// Whether exactly one of these results of a body is true, whatever the code computes. If that depends on
/// more than truth tables have room for, it counts as false.
pub(super) fn exactly_one(body: &Body<Soacs>, conditions: &[SubExp]) -> bool {
    let mut known = Conditions::default();
    known.body(body);
    let (mut one, mut more) = (0, 0);
    for condition in conditions {
        let Some(table) = known.table(*condition) else { return false };
        more |= one & table;
        one |= table;
    }
    conditions.len() > 1 && one == Table::MAX && more == 0
}
