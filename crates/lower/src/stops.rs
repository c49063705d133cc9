//! Stops: `#[break] e` in programs that an interpreter runs.
//!
//! Before `e`, the value of each variable in scope goes through opaque statements whose attributes name the variable and its
//! type, one for each leaf; a last one says that it is time to stop. Compiled programs have nothing of this.
//!
//! ```text
//! #[break] x + y   ->   #[break(x, transparent(i32, 0))] let (_ : i32) = opaque(x)
//!                       #[break(y, transparent(i32, 0))] let (_ : i32) = opaque(y)
//!                       #[break] let (_ : bool) = opaque(true)
//! ```

use crate::lowerer::Lowerer;
use crate::value::{Binding, Data, Value};
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::{Name, Symbol};
use fehu_ir::{Attr, Basic, EntryType, Exp, SubExp, Type};
use std::collections::BTreeMap;

impl Lowerer<'_> {
    /// A place at which to stop, with the values of all variables.
    pub(crate) fn stop(&mut self) {
        for (name, data) in self.variables() {
            let ty = match self.entry_type(&data.ty, None) {
                EntryType::Transparent(scalar, rank) => Attr::Comp(
                    Symbol::new("transparent"),
                    vec![Attr::Atom(Symbol::new(scalar.as_str())), Attr::Int(rank as i64)],
                ),
                EntryType::Opaque(name) => Attr::Atom(Symbol::new(&name)),
            };
            for leaf in data.leaves {
                let t = self.b.type_of(leaf);
                self.note(Attr::Comp(Symbol::new("break"), vec![Attr::Atom(name), ty.clone()]), t, leaf);
            }
        }
        let now = SubExp::Const(PrimValue::Bool(true));
        self.note(Attr::Atom(Symbol::new("break")), Type::Prim(PrimType::Bool), now);
    }

    fn note(&mut self, attr: Attr, t: Type, value: SubExp) {
        self.b.attrs.push(attr);
        self.b.bind("stop", t, Exp::Basic(Basic::Opaque(value)));
        self.b.attrs.pop();
    }

    /// The variables that are data, by name; of several with one name, the innermost, which was named last.
    fn variables(&self) -> BTreeMap<Symbol, Data> {
        let mut found = BTreeMap::new();
        for name in (0..self.b.names.len()).filter_map(|n| u32::try_from(n).ok()).map(Name) {
            let Some(Binding::Value(Value::Data(data))) = self.env.get(name) else { continue };
            let base = self.b.names.base(name);
            if base.as_str().starts_with(|c: char| c.is_ascii_alphabetic()) {
                found.insert(base, data.clone());
            }
        }
        found
    }
}
