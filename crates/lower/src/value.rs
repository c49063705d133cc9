//! What expressions evaluate to at compile time.

use crate::persistent::NameMap;
use fehu_base::intrinsic::Intrinsic;
use fehu_base::prim::ScalarType;
use fehu_base::{Name, Symbol};
use fehu_check::tast;
use fehu_check::types::{TParam, Type, TypeDef};
use fehu_ir::SubExp;
use std::rc::Rc;

/// A type as it is at run time: no variables, sizes are operands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    /// A scalar.
    Scalar(ScalarType),
    /// An array.
    Array(Dim, Rc<Ty>),
    /// A record; fields in the order of the type.
    Record(Rc<Vec<(Symbol, Ty)>>),
    /// A sum; constructors in alphabetical order.
    Sum(Rc<Vec<(Symbol, Vec<Ty>)>>),
    /// An accumulator: its token, its index space, its elements.
    Acc(Name, Vec<SubExp>, Rc<Ty>),
    /// A function: known to the compiler alone.
    Fun,
}

/// A size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dim {
    /// An operand.
    Known(SubExp),
    /// Only the value will tell.
    Unknown,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    /// Data: the flattened components, as [`crate::types`] orders them.
    Data(Data),
    /// A record with a function somewhere in it.
    Record(Rc<Vec<(Symbol, Value<'a>)>>),
    /// A value of a sum type with a function somewhere in it. As functions cannot come out of branches,
    /// the constructor is known.
    Constr(Symbol, Rc<Vec<Value<'a>>>),
    /// A function.
    Fun(Rc<Fun<'a>>),
}

/// Flattened data and its type.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    /// The type; its sizes are all known.
    pub(crate) ty: Ty,
    /// The operands.
    pub(crate) leaves: Vec<SubExp>,
}

/// A function.
#[derive(Debug)]
pub(crate) enum Fun<'a> {
    /// A lambda or local function with its environment.
    Closure {
        /// What it closed over.
        env: Env<'a>,
        /// Size and type parameters, with what is known of them.
        tparams: &'a [TParam],
        /// What the use said the parameters are; empty where there was none.
        inst: Vec<InstArg<'a>>,
        /// The parameters.
        params: &'a [tast::Pat],
        /// The body.
        body: &'a tast::Exp,
        /// Set for top-level functions, which may become core functions.
        global: Option<Rc<Global<'a>>>,
    },
    /// A built-in function.
    Intrinsic {
        /// Which.
        intrinsic: Intrinsic,
        /// What its scheme's parameters are.
        inst: Vec<InstArg<'a>>,
    },
    /// A function waiting for more arguments.
    Partial {
        /// The function.
        fun: Rc<Fun<'a>>,
        /// The arguments it has.
        args: Vec<Value<'a>>,
    },
    /// A function that an assertion guards.
    Checked {
        /// The function.
        fun: Rc<Fun<'a>>,
        /// The assertion.
        cert: Option<Name>,
    },
    /// A hole; its certificate never holds.
    Hole {
        /// The function's type.
        ty: &'a Type,
        /// What type names stand for.
        env: Env<'a>,
        /// The assertion that fails.
        cert: Option<Name>,
    },
    /// `loop`-free recursion: a call of the core function being lowered.
    Recursive {
        /// How to call it.
        sig: Rc<crate::call_table::Signature>,
        /// What its size and type parameters are instantiated with.
        inst: Vec<InstArg<'a>>,
    },
}

/// An argument of an instantiation.
#[derive(Clone, Debug)]
pub(crate) enum InstArg<'a> {
    /// A size.
    Size(Dim),
    /// A type.
    Type(TypeBinding<'a>),
}

/// What a type name is bound to.
#[derive(Clone, Debug)]
pub(crate) enum TypeBinding<'a> {
    /// A type.
    Ty(Ty),
    /// A type definition with parameters, and where it was made.
    Def(&'a TypeDef, Env<'a>),
}

/// What a name is bound to.
#[derive(Clone, Debug)]
pub(crate) enum Binding<'a> {
    /// A value.
    Value(Value<'a>),
    /// A size that nothing determines yet.
    UnknownSize,
    /// A top-level definition, lowered when used.
    Global(Rc<Global<'a>>),
    /// Another name for a definition, at a less general type.
    Alias(Rc<Alias<'a>>),
    /// A type.
    Type(TypeBinding<'a>),
    /// A functor and what it closed over.
    Functor(&'a tast::Functor, Env<'a>),
}

/// A top-level definition and the environment before it.
#[derive(Debug)]
pub(crate) struct Global<'a> {
    /// The definition.
    pub(crate) bind: &'a tast::ValBind,
    /// What it may refer to.
    pub(crate) env: Env<'a>,
    /// A number of its own: two applications of a functor make two globals from one definition.
    pub(crate) id: usize,
}

/// A top-level alias and its environment.
#[derive(Debug)]
pub(crate) struct Alias<'a> {
    /// The alias.
    pub(crate) alias: &'a tast::ValAlias,
    /// Where its target is found.
    pub(crate) env: Env<'a>,
}

/// An environment: everything in scope.
pub(crate) type Env<'a> = NameMap<Binding<'a>>;

impl<'a> Value<'a> {
    /// A scalar.
    pub(crate) fn scalar(t: ScalarType, e: SubExp) -> Value<'a> {
        Value::Data(Data { ty: Ty::Scalar(t), leaves: vec![e] })
    }

    /// A size or index.
    pub(crate) fn i64(e: SubExp) -> Value<'a> {
        Value::scalar(ScalarType::I64, e)
    }

    /// A record: data if all fields are.
    pub(crate) fn record(fields: Vec<(Symbol, Value<'a>)>) -> Value<'a> {
        if fields.iter().all(|(_, v)| matches!(v, Value::Data(_))) {
            let mut tys = vec![];
            let mut leaves = vec![];
            for (f, v) in fields {
                if let Value::Data(d) = v {
                    tys.push((f, d.ty));
                    leaves.extend(d.leaves);
                }
            }
            Value::Data(Data { ty: Ty::Record(Rc::new(tys)), leaves })
        } else {
            Value::Record(Rc::new(fields))
        }
    }

    /// A tuple.
    pub(crate) fn tuple(parts: Vec<Value<'a>>) -> Value<'a> {
        Value::record(parts.into_iter().enumerate().map(|(i, v)| (Symbol::new(&i.to_string()), v)).collect())
    }
}

/// A field of a record.
pub(crate) fn project<'a>(v: &Value<'a>, field: Symbol) -> Value<'a> {
    match v {
        Value::Record(fields) => match fields.iter().find(|(f, _)| *f == field) {
            Some((_, v)) => v.clone(),
            None => fehu_base::bug!("no field {field}"),
        },
        Value::Data(d) => {
            let Ty::Record(fields) = &d.ty else { fehu_base::bug!("field {field} of {:?}", d.ty) };
            let mut offset = 0;
            for (f, ty) in fields.iter() {
                let n = ty.leaf_count();
                if *f == field {
                    return Value::Data(Data {
                        ty: ty.clone(),
                        leaves: d.leaves[offset..offset + n].to_vec(),
                    });
                }
                offset += n;
            }
            fehu_base::bug!("no field {field}")
        }
        Value::Constr(..) | Value::Fun(_) => fehu_base::bug!("field {field} of {v:?}"),
    }
}

/// All fields of a record.
pub(crate) fn fields<'a>(v: &Value<'a>) -> Vec<(Symbol, Value<'a>)> {
    match v {
        Value::Record(fields) => fields.to_vec(),
        Value::Data(d) => {
            let Ty::Record(fields) = &d.ty else { fehu_base::bug!("fields of {:?}", d.ty) };
            let mut rest = d.leaves.as_slice();
            let mut field = |ty: &Ty| {
                let (leaves, others) = rest.split_at(ty.leaf_count());
                rest = others;
                Value::Data(Data { ty: ty.clone(), leaves: leaves.to_vec() })
            };
            fields.iter().map(|(f, ty)| (*f, field(ty))).collect()
        }
        Value::Constr(..) | Value::Fun(_) => fehu_base::bug!("fields of {v:?}"),
    }
}

/// The names of arrays.
pub(crate) fn names(leaves: &[SubExp]) -> Vec<Name> {
    leaves
        .iter()
        .map(|e| match e {
            SubExp::Var(n) => *n,
            SubExp::Const(_) => fehu_base::bug!("an array is never a constant operand"),
        })
        .collect()
}
