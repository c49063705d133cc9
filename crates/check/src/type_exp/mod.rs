//! Type expressions to types: names resolved, abbreviations expanded, kinds
//! checked.
//!
//! `elaborate.rs` walks the type expression; `params.rs` binds size and type
//! parameters; `uses.rs` says where in a type a size stands; `show.rs` prints
//! type expressions as they were written.

mod elaborate;
pub mod params;
pub mod show;
pub mod uses;

pub use elaborate::{elaborate, elaborate_kinded};
pub use params::bind_tparams;
pub use show::show_type_exp;
