//! Types of generated expressions. Sizes are the text of size expressions; two types are equal if they are
//! spelled alike.

use fehu_base::prim::ScalarType;
use std::fmt;
use std::rc::Rc;

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    Scalar(ScalarType),
    Array(Size, Box<Ty>),
    Tuple(Vec<Ty>),
    Record(Vec<(&'static str, Ty)>),
    Sum(Rc<SumDec>, Option<Size>),
}

/// The text of a size: `n`, `3`, `(n + m)`.
pub(crate) type Size = Rc<str>;

/// A declared sum type. Its size parameter, if it has one, is called `z`.
#[derive(PartialEq, Debug)]
pub(crate) struct SumDec {
    pub(crate) name: String,
    pub(crate) sized: bool,
    /// Constructors with their payloads; the first has none.
    pub(crate) constructors: Vec<(String, Vec<Ty>)>,
}

impl Ty {
    pub(crate) const I64: Ty = Ty::Scalar(ScalarType::I64);
    pub(crate) const BOOL: Ty = Ty::Scalar(ScalarType::Bool);

    pub(crate) fn array(size: &Size, elem: Ty) -> Ty {
        Ty::Array(size.clone(), Box::new(elem))
    }

    /// The scalar at the bottom of an array, if one is.
    pub(crate) fn bottom(&self) -> Option<ScalarType> {
        match self {
            Ty::Scalar(t) => Some(*t),
            Ty::Array(_, t) => t.bottom(),
            Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => None,
        }
    }

    /// Whether any part is an array.
    pub(crate) fn has_arrays(&self) -> bool {
        match self {
            Ty::Scalar(_) => false,
            Ty::Array(..) => true,
            Ty::Tuple(ts) => ts.iter().any(Ty::has_arrays),
            Ty::Record(fs) => fs.iter().any(|(_, t)| t.has_arrays()),
            Ty::Sum(dec, _) => dec.constructors.iter().flat_map(|(_, ts)| ts).any(Ty::has_arrays),
        }
    }

    /// Whether any part is a float.
    pub(crate) fn has_floats(&self) -> bool {
        match self {
            Ty::Scalar(t) => is_float(*t),
            Ty::Array(_, t) => t.has_floats(),
            Ty::Tuple(ts) => ts.iter().any(Ty::has_floats),
            Ty::Record(fs) => fs.iter().any(|(_, t)| t.has_floats()),
            Ty::Sum(dec, _) => dec.constructors.iter().flat_map(|(_, ts)| ts).any(Ty::has_floats),
        }
    }

    /// The type with other sizes for size parameters.
    pub(crate) fn instantiate(&self, sizes: &[(Size, Size)]) -> Ty {
        let size =
            |s: &Size| sizes.iter().find(|(p, _)| p == s).map_or_else(|| s.clone(), |(_, s)| s.clone());
        match self {
            Ty::Scalar(t) => Ty::Scalar(*t),
            Ty::Array(s, t) => Ty::Array(size(s), Box::new(t.instantiate(sizes))),
            Ty::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| t.instantiate(sizes)).collect()),
            Ty::Record(fs) => Ty::Record(fs.iter().map(|(f, t)| (*f, t.instantiate(sizes))).collect()),
            Ty::Sum(dec, s) => Ty::Sum(dec.clone(), s.as_ref().map(size)),
        }
    }

    /// Finds sizes for parameters with which this type, a pattern, is the other one.
    pub(crate) fn matches(&self, other: &Ty, params: &[Size], found: &mut Vec<(Size, Size)>) -> bool {
        let mut size = |p: &Size, s: &Size| {
            if !params.contains(p) {
                return p == s;
            }
            match found.iter().find(|(q, _)| q == p) {
                Some((_, known)) => known == s,
                None => {
                    found.push((p.clone(), s.clone()));
                    true
                }
            }
        };
        match (self, other) {
            (Ty::Scalar(a), Ty::Scalar(b)) => a == b,
            (Ty::Array(p, a), Ty::Array(s, b)) => size(p, s) && a.matches(b, params, found),
            (Ty::Tuple(xs), Ty::Tuple(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.matches(y, params, found))
            }
            (Ty::Record(xs), Ty::Record(ys)) => {
                xs.len() == ys.len()
                    && xs.iter().zip(ys).all(|((f, x), (g, y))| f == g && x.matches(y, params, found))
            }
            (Ty::Sum(a, p), Ty::Sum(b, s)) => {
                a == b
                    && match (p, s) {
                        (Some(p), Some(s)) => size(p, s),
                        (None, None) => true,
                        (Some(_), None) | (None, Some(_)) => false,
                    }
            }
            (Ty::Scalar(_) | Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..), _) => false,
        }
    }
}

impl SumDec {
    /// The constructors for a size.
    pub(crate) fn constructors(&self, size: Option<&Size>) -> Vec<(String, Vec<Ty>)> {
        let sizes: Vec<(Size, Size)> = size.map(|s| ("z".into(), s.clone())).into_iter().collect();
        let payload = |ts: &[Ty]| ts.iter().map(|t| t.instantiate(&sizes)).collect();
        self.constructors.iter().map(|(c, ts)| (c.clone(), payload(ts))).collect()
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Scalar(t) => write!(f, "{t}"),
            Ty::Array(s, t) => write!(f, "[{}]{t}", s.trim_start_matches('(').trim_end_matches(')')),
            Ty::Tuple(ts) => {
                let ts: Vec<String> = ts.iter().map(Ty::to_string).collect();
                write!(f, "({})", ts.join(", "))
            }
            Ty::Record(fs) => {
                let fs: Vec<String> = fs.iter().map(|(n, t)| format!("{n}: {t}")).collect();
                write!(f, "{{{}}}", fs.join(", "))
            }
            Ty::Sum(dec, None) => f.write_str(&dec.name),
            Ty::Sum(dec, Some(s)) => {
                write!(f, "({} [{}])", dec.name, s.trim_start_matches('(').trim_end_matches(')'))
            }
        }
    }
}

pub(crate) fn is_float(t: ScalarType) -> bool {
    matches!(t, ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
}

pub(crate) fn is_int(t: ScalarType) -> bool {
    !is_float(t) && t != ScalarType::Bool
}

pub(crate) fn is_signed(t: ScalarType) -> bool {
    matches!(t, ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64)
}

pub(crate) const INTS: [ScalarType; 8] = [
    ScalarType::I32,
    ScalarType::I64,
    ScalarType::U8,
    ScalarType::I8,
    ScalarType::I16,
    ScalarType::U16,
    ScalarType::U32,
    ScalarType::U64,
];

pub(crate) const FLOATS: [ScalarType; 3] = [ScalarType::F64, ScalarType::F32, ScalarType::F16];
