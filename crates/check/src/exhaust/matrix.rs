//! Pattern matrices. A row is a case, a column a part of the value. Looking at
//! the first column, either all rows have to agree on its outermost
//! constructor, or whatever stands there is not looked at; so the question
//! about a matrix becomes questions about smaller ones.
//!
//! The number of questions can grow exponentially with the nesting of the
//! patterns. [`FUEL`] bounds it: who writes a `match` that exceeds it gets the
//! benefit of the doubt.

use crate::show;
use crate::tast::{Pat, PatKind};
use crate::types::Type;
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::Symbol;

/// At most so many matrices are looked at for one question.
const FUEL: usize = 50_000;

/// A pattern without names.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Matches anything.
    Any,
    /// Matches what has this head, and parts that match these.
    Con(Head, Vec<Shape>),
}

/// The outermost constructor of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Head {
    Record(Vec<Symbol>),
    Constr(Symbol),
    Literal(PrimValue),
}

type Row<'a> = Vec<&'a Shape>;

static ANY: Shape = Shape::Any;

impl Shape {
    /// What a pattern looks at.
    pub(super) fn of(pat: &Pat) -> Shape {
        match &pat.kind {
            PatKind::Var(_) | PatKind::Wildcard => Shape::Any,
            PatKind::Record(fields) => Shape::Con(
                Head::Record(fields.iter().map(|(f, _)| *f).collect()),
                fields.iter().map(|(_, p)| Shape::of(p)).collect(),
            ),
            PatKind::Literal(v) => Shape::Con(Head::Literal(*v), vec![]),
            PatKind::Constr(c, args) => Shape::Con(Head::Constr(*c), args.iter().map(Shape::of).collect()),
            PatKind::Attr(_, p) => Shape::of(p),
        }
    }

    fn show(&self, ty: &Type) -> String {
        let Shape::Con(head, args) = self else { return "_".into() };
        let parts = head_parts(head, ty);
        let shown: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(i, a)| {
                let text = a.show(parts.get(i).unwrap_or(&Type::Error));
                let loose =
                    matches!((head, a), (Head::Constr(_), Shape::Con(Head::Constr(_), xs)) if !xs.is_empty());
                if loose {
                    format!("({text})")
                } else {
                    text
                }
            })
            .collect();
        match head {
            Head::Literal(v) => show::literal(*v, ty),
            Head::Constr(c) => std::iter::once(format!("#{c}")).chain(shown).collect::<Vec<_>>().join(" "),
            Head::Record(fields) => {
                let named: Vec<(Symbol, String)> = fields.iter().copied().zip(shown).collect();
                if show::is_tuple(&named) {
                    let parts: Vec<String> = named.into_iter().map(|(_, t)| t).collect();
                    return format!("({})", parts.join(", "));
                }
                let parts: Vec<String> = named.into_iter().map(|(f, t)| format!("{f} = {t}")).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }
}

/// Values that no case matches, as patterns; at most `limit` of them.
pub(super) fn missing(cases: &[Shape], ty: &Type, limit: usize) -> Vec<String> {
    let rows: Vec<Row<'_>> = cases.iter().map(|c| vec![c]).collect();
    let mut search = Search { fuel: FUEL, limit };
    let found = search.missing(&rows, std::slice::from_ref(ty));
    found.iter().filter_map(|w| w.first()).map(|w| w.show(ty)).collect()
}

/// Whether a case matches something that none of the earlier ones does.
pub(super) fn useful(earlier: &[Shape], case: &Shape, ty: &Type) -> bool {
    let rows: Vec<Row<'_>> = earlier.iter().map(|c| vec![c]).collect();
    let mut search = Search { fuel: FUEL, limit: 1 };
    search.useful(&rows, &[case], std::slice::from_ref(ty))
}

struct Search {
    fuel: usize,
    limit: usize,
}

impl Search {
    /// Rows of witnesses that no row of the matrix matches.
    fn missing(&mut self, rows: &[Row<'_>], types: &[Type]) -> Vec<Vec<Shape>> {
        let Some((ty, rest)) = types.split_first() else {
            return if rows.is_empty() { vec![vec![]] } else { vec![] };
        };
        if self.fuel == 0 || rows.iter().any(|r| r.iter().all(|s| matches!(s, Shape::Any))) {
            return vec![];
        }
        self.fuel -= 1;
        let mut heads: Vec<Head> = vec![];
        for row in rows {
            if let Some(Shape::Con(h, _)) = row.first() {
                if !heads.contains(h) {
                    heads.push(h.clone());
                }
            }
        }
        let default: Vec<Row<'_>> =
            rows.iter().filter(|r| matches!(r[0], Shape::Any)).map(|r| r[1..].to_vec()).collect();
        if heads.is_empty() {
            return prefixed(self.missing(&default, rest), |_| Shape::Any);
        }
        let mut out: Vec<Vec<Shape>> = vec![];
        let signature = signature(ty, &heads);
        let mut default_missing: Option<Vec<Vec<Shape>>> = None;
        for head in signature.heads {
            if out.len() >= self.limit {
                break;
            }
            let parts = head_parts(&head, ty);
            let arity = parts.len();
            if !heads.contains(&head) {
                let found = default_missing.get_or_insert_with(|| self.missing(&default, rest)).clone();
                let any = Shape::Con(head, vec![Shape::Any; arity]);
                out.extend(prefixed(found, |_| any.clone()));
                continue;
            }
            let inner: Vec<Row<'_>> = rows.iter().filter_map(|r| specialise(r, &head, arity)).collect();
            let types: Vec<Type> = parts.into_iter().chain(rest.iter().cloned()).collect();
            for mut witness in self.missing(&inner, &types) {
                let tail = witness.split_off(arity);
                let mut row = vec![Shape::Con(head.clone(), witness)];
                row.extend(tail);
                out.push(row);
            }
        }
        if !signature.complete && out.len() < self.limit {
            let found = default_missing.unwrap_or_else(|| self.missing(&default, rest));
            out.extend(prefixed(found, |_| Shape::Any));
        }
        out.truncate(self.limit);
        out
    }

    /// Whether the row matches something that no row of the matrix does.
    fn useful(&mut self, rows: &[Row<'_>], row: &[&Shape], types: &[Type]) -> bool {
        let (Some((first, rest)), Some((ty, rest_types))) = (row.split_first(), types.split_first()) else {
            return rows.is_empty();
        };
        if rows.iter().any(|r| r.iter().all(|s| matches!(s, Shape::Any))) {
            return false;
        }
        if self.fuel == 0 {
            return true;
        }
        self.fuel -= 1;
        let mut heads: Vec<Head> = vec![];
        match first {
            Shape::Con(h, _) => heads.push(h.clone()),
            Shape::Any => {
                for r in rows {
                    if let Some(Shape::Con(h, _)) = r.first() {
                        if !heads.contains(h) {
                            heads.push(h.clone());
                        }
                    }
                }
            }
        }
        let default: Vec<Row<'_>> =
            rows.iter().filter(|r| matches!(r[0], Shape::Any)).map(|r| r[1..].to_vec()).collect();
        let wild = matches!(first, Shape::Any);
        let signature = signature(ty, &heads);
        let all_named = signature.complete && signature.heads.iter().all(|h| heads.contains(h));
        if wild && !all_named && self.useful(&default, rest, rest_types) {
            return true;
        }
        for head in heads {
            let parts = head_parts(&head, ty);
            let arity = parts.len();
            let own: Row<'_> = std::iter::once(*first).chain(rest.iter().copied()).collect();
            let Some(own) = specialise(&own, &head, arity) else { continue };
            let inner: Vec<Row<'_>> = rows.iter().filter_map(|r| specialise(r, &head, arity)).collect();
            let types: Vec<Type> = parts.into_iter().chain(rest_types.iter().cloned()).collect();
            if self.useful(&inner, &own, &types) {
                return true;
            }
        }
        false
    }
}

fn prefixed(rows: Vec<Vec<Shape>>, first: impl Fn(&[Shape]) -> Shape) -> Vec<Vec<Shape>> {
    rows.into_iter().map(|row| std::iter::once(first(&row)).chain(row.clone()).collect()).collect()
}

/// The row for values whose first part has this head: `None` if it matches none.
fn specialise<'a>(row: &Row<'a>, head: &Head, arity: usize) -> Option<Row<'a>> {
    let mut out: Row<'a> = match row[0] {
        Shape::Any => vec![&ANY; arity],
        Shape::Con(h, args) if h == head => args.iter().collect(),
        Shape::Con(..) => return None,
    };
    out.resize(arity, &ANY);
    out.extend(&row[1..]);
    Some(out)
}

struct Signature {
    /// Heads to look at one by one.
    heads: Vec<Head>,
    /// Whether the type has no others.
    complete: bool,
}

/// The heads of a type, or those that occur if there are too many to list.
fn signature(ty: &Type, occurring: &[Head]) -> Signature {
    match ty {
        Type::Sum(constrs) => {
            Signature { heads: constrs.iter().map(|(c, _)| Head::Constr(*c)).collect(), complete: true }
        }
        Type::Record(fields) => {
            Signature { heads: vec![Head::Record(fields.iter().map(|(f, _)| *f).collect())], complete: true }
        }
        Type::Scalar(ScalarType::Bool, _) => Signature {
            heads: [false, true].map(|b| Head::Literal(PrimValue::Bool(b))).to_vec(),
            complete: true,
        },
        Type::Scalar(ScalarType::I8 | ScalarType::U8, _) => {
            Signature { heads: occurring.to_vec(), complete: occurring.len() == 256 }
        }
        Type::Scalar(..) | Type::Array(..) | Type::Arrow(_) | Type::Var(..) | Type::Meta(_) | Type::Error => {
            Signature { heads: occurring.to_vec(), complete: false }
        }
    }
}

/// The types of the parts of a value with this head.
fn head_parts(head: &Head, ty: &Type) -> Vec<Type> {
    match (head, ty) {
        (Head::Record(_), Type::Record(fields)) => fields.iter().map(|(_, t)| t.clone()).collect(),
        (Head::Constr(c), Type::Sum(constrs)) => {
            constrs.iter().find(|(d, _)| d == c).map(|(_, ts)| ts.clone()).unwrap_or_default()
        }
        (Head::Record(fields), _) => vec![Type::Error; fields.len()],
        (Head::Constr(_) | Head::Literal(_), _) => vec![],
    }
}
