//! Variables are replaced by expressions.

use fehu_base::Name;
use fehu_imp::syntax::Expr;
use fehu_imp::visit::{change_expr, Mutator};
use rustc_hash::FxHashMap;

/// Replaces variables that are read.
pub(crate) struct Instead<'i>(pub(crate) &'i FxHashMap<Name, Expr>);

impl Mutator for Instead<'_> {
    fn expr(&mut self, e: &mut Expr) {
        if let Expr::Var(x) = e {
            if let Some(instead) = self.0.get(x) {
                *e = instead.clone();
            }
        } else {
            change_expr(self, e);
        }
    }
}
