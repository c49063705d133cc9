//! Where an interpreted program stops: what lowering says of the variables there, as values that people read.
//!
//! `#[break] e` becomes statements that name each variable, its type and its leaves, and one that says to stop
//! (`fehu_lower`'s `stops`); their attributes and values come here, one after the other.

use super::data_value;
use super::shaped::{of_data, scalars_of, Shaped};
use fehu_base::prim::ScalarType;
use fehu_data::Value;
use fehu_ir::interp::{self, Trace};
use fehu_ir::{Attr, EntryType, Loc, OpaqueTypes};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A variable where a program stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// 0 for the function in which the program stopped, 1 for the one that called it, and so on.
    pub frame: usize,
    /// Its value.
    pub value: Shaped,
    /// A definition with this value, if it can be written.
    pub definition: Option<String>,
}

/// A variable whose leaves come one after the other.
struct Coming {
    name: String,
    frame: usize,
    ty: EntryType,
    leaves: Vec<Value>,
}

/// Calls `stop` wherever the program stops, with the variables in scope; `inner` sees every value, too.
pub(super) fn watch(
    opaques: OpaqueTypes,
    inner: Option<Trace>,
    stop: impl Fn(&Loc, Vec<Variable>) + Send + Sync + 'static,
) -> Trace {
    let coming: Mutex<Vec<Coming>> = Mutex::new(vec![]);
    Trace(Arc::new(move |loc, attrs, value| {
        if let Some(inner) = &inner {
            (inner.0)(loc, attrs, value);
        }
        for attr in attrs {
            match attr {
                Attr::Atom(name) if name.as_str() == "break" => {
                    let all = std::mem::take(&mut *lock(&coming));
                    stop(loc, all.into_iter().filter_map(|v| variable(&opaques, v)).collect());
                }
                Attr::Comp(name, args) if name.as_str() == "break" => {
                    // A variable of which something is not understood is not shown.
                    let _ = leaf(&opaques, &mut lock(&coming), args, value);
                }
                Attr::Atom(_) | Attr::Int(_) | Attr::Comp(..) => {}
            }
        }
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a leaf of the variable that the attribute names.
fn leaf(opaques: &OpaqueTypes, coming: &mut Vec<Coming>, args: &[Attr], value: &interp::Value) -> Option<()> {
    let [Attr::Atom(name), ty, Attr::Int(frame)] = args else { return None };
    let (ty, frame) = (entry_type(ty)?, usize::try_from(*frame).ok()?);
    let mut scalars = vec![];
    scalars_of(opaques, &ty, &mut scalars)?;
    let goes_on = coming
        .last()
        .is_some_and(|v| v.name == name.as_str() && v.frame == frame && v.leaves.len() < scalars.len());
    if !goes_on {
        coming.push(Coming { name: name.to_string(), frame, ty, leaves: vec![] });
    }
    let variable = coming.last_mut()?;
    let scalar = scalars.get(variable.leaves.len())?;
    variable.leaves.push(data_value(value, *scalar)?);
    Some(())
}

fn entry_type(attr: &Attr) -> Option<EntryType> {
    match attr {
        Attr::Atom(name) => Some(EntryType::Opaque(name.to_string())),
        Attr::Comp(_, args) => match args.as_slice() {
            [Attr::Atom(scalar), Attr::Int(rank)] => {
                let scalar = ScalarType::named(scalar.as_str())?;
                Some(EntryType::Transparent(scalar, usize::try_from(*rank).ok()?))
            }
            _ => None,
        },
        Attr::Int(_) => None,
    }
}

fn variable(opaques: &OpaqueTypes, v: Coming) -> Option<Variable> {
    let Coming { name, frame, ty, leaves } = v;
    let annotation = match (&ty, leaves.as_slice()) {
        (EntryType::Transparent(..), [leaf]) => format!(": {}", leaf.value_type()),
        (EntryType::Transparent(..) | EntryType::Opaque(_), _) => String::new(),
    };
    let value = of_data(opaques, &ty, leaves)?;
    let definition =
        value.literal(!annotation.is_empty()).map(|text| format!("def {name} {annotation} = {text}"));
    Some(Variable { name, frame, value, definition })
}
