//! Type expressions as they were written.

use crate::resolve::show_qual;
use fehu_syntax::ast::{Exp, ExpKind, Literal, SizeExp, TypeArg, TypeExp};

/// The type expression as text, on one line.
pub fn show_type_exp(te: &TypeExp) -> String {
    fehu_base::stack::deep(|| show(te))
}

fn show(te: &TypeExp) -> String {
    match te {
        TypeExp::Var(q) => show_qual(q),
        TypeExp::Parens(t, _) => format!("({})", show_type_exp(t)),
        TypeExp::Array(s, t, _) => format!("{}{}", show_size(s), show_type_exp(t)),
        TypeExp::Tuple(ts, _) => format!("({})", join(ts.iter().map(show_type_exp), ", ")),
        TypeExp::Record(fs, _) => {
            let fields = fs.iter().map(|(f, t)| format!("{}: {}", f.name, show_type_exp(t)));
            format!("{{{}}}", join(fields, ", "))
        }
        TypeExp::Sum(cs, _) => join(
            cs.iter().map(|(c, ts)| {
                let payload: String = ts.iter().map(|t| format!(" {}", show_type_exp(t))).collect();
                format!("#{}{payload}", c.name)
            }),
            " | ",
        ),
        TypeExp::Unique(t, _) => format!("*{}", show_type_exp(t)),
        TypeExp::Apply(t, a, _) => {
            let arg = match a {
                TypeArg::Size(s) => show_size(s),
                TypeArg::Type(t) => show_type_exp(t),
            };
            format!("{} {arg}", show_type_exp(t))
        }
        TypeExp::Arrow { param, lhs, rhs, .. } => {
            let lhs = show_type_exp(lhs);
            let lhs = match param {
                Some(p) => format!("({}: {lhs})", p.name),
                None => lhs,
            };
            format!("{lhs} -> {}", show_type_exp(rhs))
        }
        TypeExp::Exists(ds, t, _) => {
            let dims: String = ds.iter().map(|d| format!("[{}]", d.name)).collect();
            format!("?{dims}.{}", show_type_exp(t))
        }
    }
}

/// The size with its brackets.
pub fn show_size(s: &SizeExp) -> String {
    match s {
        SizeExp::Any(_) => "[]".into(),
        SizeExp::Exp(e, _) => format!("[{}]", show_exp(e)),
    }
}

/// The expressions that stand as sizes; dots for what is too long to show.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn show_exp(e: &Exp) -> String {
    match &*e.kind {
        ExpKind::Literal(Literal::Int(n, None)) => n.to_string(),
        ExpKind::Literal(Literal::Int(n, Some(t))) => format!("{n}{t}"),
        ExpKind::Var(q) => show_qual(q),
        ExpKind::Parens(e) => format!("({})", show_exp(e)),
        ExpKind::BinOp(op, l, r) => format!("{} {} {}", show_exp(l), show_qual(op), show_exp(r)),
        ExpKind::Apply(f, args) => {
            let args: String = args.iter().map(|a| format!(" {}", show_exp(a))).collect();
            format!("{}{args}", show_exp(f))
        }
        _ => "...".into(),
    }
}

fn join(parts: impl Iterator<Item = String>, by: &str) -> String {
    parts.collect::<Vec<_>>().join(by)
}
