//! Stops: `#[break] e` in programs that an interpreter runs.
//!
//! Before `e`, the value of each variable in scope goes through opaque statements whose attributes name the
//! variable, its type, and its frame, one for each leaf; a last one says that it is time to stop. Frame 0 is
//! the function in which the program stops, frame 1 its caller. Compiled programs have nothing of this.
//!
//! ```text
//! #[break] x + y   ->   #[break(x, transparent(i32, 0), 0)] let (_ : i32) = opaque(x)
//!                       #[break(y, transparent(i32, 0), 0)] let (_ : i32) = opaque(y)
//!                       #[break] let (_ : bool) = opaque(true)
//! ```
//!
//! An array that was consumed before has no value; the interpreter passes over its statement.

use crate::code::Code;
use crate::lowerer::Lowerer;
use crate::value::{Binding, Data, Env, Value};
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::{Name, NameSource, Symbol};
use fehu_ir::{Attr, Basic, EntryType, Exp, SubExp, Type};
use std::collections::BTreeMap;

/// A place at which to stop, with the values of all variables.
pub(crate) fn stop(cx: &mut Lowerer<'_>) {
    let names = &cx.code.b.names;
    let around = cx.frames.iter().rev().map(|env| variables(names, env));
    let frames: Vec<_> = std::iter::once(variables(names, &cx.env)).chain(around).collect();
    let all = frames.into_iter().enumerate().flat_map(|(i, f)| f.into_iter().map(move |(n, d)| (i, n, d)));
    for (frame, name, data) in all {
        let ty = match cx.opaques.entry_type(&data.ty, None) {
            EntryType::Transparent(scalar, rank) => Attr::Comp(
                Symbol::new("transparent"),
                vec![Attr::Atom(Symbol::new(scalar.as_str())), Attr::Int(rank as i64)],
            ),
            EntryType::Opaque(name) => Attr::Atom(Symbol::new(&name)),
        };
        for leaf in data.leaves {
            let t = cx.code.b.type_of(leaf);
            let about = vec![Attr::Atom(name), ty.clone(), Attr::Int(frame as i64)];
            note(&mut cx.code, Attr::Comp(Symbol::new("break"), about), t, leaf);
        }
    }
    let now = SubExp::Const(PrimValue::Bool(true));
    note(&mut cx.code, Attr::Atom(Symbol::new("break")), Type::Prim(PrimType::Bool), now);
}

fn note(code: &mut Code, attr: Attr, t: Type, value: SubExp) {
    code.b.attrs.push(attr);
    code.b.bind("stop", t, Exp::Basic(Basic::Opaque(value)));
    code.b.attrs.pop();
}

/// The variables that are data, by name; of several with one name, the innermost, which was named last.
fn variables(names: &NameSource, env: &Env<'_>) -> BTreeMap<Symbol, Data> {
    let mut found = BTreeMap::new();
    for name in (0..names.len()).filter_map(|n| u32::try_from(n).ok()).map(Name) {
        let Some(Binding::Value(Value::Data(data))) = env.get(name) else { continue };
        let base = names.base(name);
        if base.as_str().starts_with(|c: char| c.is_ascii_alphabetic()) {
            found.insert(base, data.clone());
        }
    }
    found
}
