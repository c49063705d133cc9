//! The types that the interface shows, and the tables that tell the runtime
//! about them.

use super::ctype;
use super::literal;
use super::opaque_name::opaque_name;
use fehu_base::bug;
use fehu_base::prim::ScalarType;
use fehu_imp::syntax::{OpaqueTypes, Program};
use fehu_ir::{EntryType, OpaqueType, SumSize};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// A flattened component of a value, at its place among the value's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    /// The scalar type.
    pub(crate) scalar: ScalarType,
    /// The number of dimensions.
    pub(crate) rank: usize,
    /// The first word: the scalar, or the block that sizes follow.
    pub(crate) word: usize,
}

/// A type that is no scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TypeInfo {
    /// As the language writes it.
    pub(crate) name: String,
    /// As C does, without `futhark_`: `i32_1d`, `opaque_t`.
    pub(crate) cname: String,
    /// The type.
    pub(crate) ty: EntryType,
    /// What an opaque type is; nothing for arrays of scalars.
    pub(crate) opaque: Option<OpaqueType>,
    /// The flattened components.
    pub(crate) leaves: Vec<Leaf>,
}

/// All types of a program's interface besides scalars, by name.
pub(crate) struct TypeTable {
    types: BTreeMap<String, TypeInfo>,
    opaques: IndexMap<String, OpaqueType>,
}

impl TypeTable {
    /// The types of a program.
    pub(crate) fn new(program: &Program) -> TypeTable {
        let OpaqueTypes { types } = &program.opaques;
        let opaques = types.iter().map(|(name, t)| (name.clone(), t.clone())).collect();
        let mut table = TypeTable { types: BTreeMap::new(), opaques };
        for (name, _) in types {
            table.add(&EntryType::Opaque(name.clone()));
        }
        for entry in program.functions.iter().filter_map(|f| f.entry.as_ref()) {
            entry.face.params.iter().for_each(|p| table.add(&p.ty));
            table.add(&entry.face.result.ty);
        }
        table
    }

    /// All types, in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &TypeInfo> {
        self.types.values()
    }

    /// The C name of a type as a pointer or scalar: `int32_t`, `struct futhark_i32_1d *`.
    pub(crate) fn ctype(&self, ty: &EntryType) -> String {
        match ty {
            EntryType::Transparent(scalar, 0) => ctype::public(*scalar).to_owned(),
            EntryType::Transparent(..) | EntryType::Opaque(_) => format!("struct futhark_{} *", cname(ty)),
        }
    }

    /// The flattened components of a type.
    pub(crate) fn components(&self, ty: &EntryType) -> Vec<(ScalarType, usize)> {
        let name = match ty {
            EntryType::Transparent(scalar, rank) => return vec![(*scalar, *rank)],
            EntryType::Opaque(name) => name,
        };
        match self.opaques.get(name) {
            Some(
                OpaqueType::Plain(values) | OpaqueType::Sum { values, .. } | OpaqueType::Array { values, .. },
            ) => values.clone(),
            Some(OpaqueType::Record(fields)) if fields.is_empty() => vec![(ScalarType::Bool, 0)],
            Some(OpaqueType::Record(fields) | OpaqueType::RecordArray { fields, .. }) => {
                fields.iter().flat_map(|(_, t)| self.components(t)).collect()
            }
            None => bug!("the opaque type {name} is not described"),
        }
    }

    fn add(&mut self, ty: &EntryType) {
        let name = type_name(ty);
        if matches!(ty, EntryType::Transparent(_, 0)) || self.types.contains_key(&name) {
            return;
        }
        let mut word = 0;
        let leaves = self
            .components(ty)
            .into_iter()
            .map(|(scalar, rank)| {
                let leaf = Leaf { scalar, rank, word };
                word += 1 + rank;
                leaf
            })
            .collect();
        let opaque = match ty {
            EntryType::Transparent(..) => None,
            EntryType::Opaque(name) => self.opaques.get(name).cloned(),
        };
        let parts: Vec<EntryType> = match &opaque {
            None | Some(OpaqueType::Plain(_)) => Vec::new(),
            Some(OpaqueType::Record(fields)) => fields.iter().map(|(_, t)| t.clone()).collect(),
            Some(OpaqueType::Sum { variants, .. }) => {
                variants.iter().flat_map(|(_, payload)| payload.iter().map(|(t, _)| t.clone())).collect()
            }
            Some(OpaqueType::Array { elem, .. }) => vec![elem.clone()],
            Some(OpaqueType::RecordArray { elem, fields, .. }) => {
                std::iter::once(elem.clone()).chain(fields.iter().map(|(_, t)| t.clone())).collect()
            }
        };
        self.types.insert(name.clone(), TypeInfo { name, cname: cname(ty), ty: ty.clone(), opaque, leaves });
        parts.iter().for_each(|t| self.add(t));
    }

    /// The tables.
    pub(crate) fn tables(&self) -> String {
        let mut declarations = String::new();
        let mut out = String::new();
        for scalar in ScalarType::ALL {
            let (name, code) = (scalar.as_str(), ctype::scalar_enum(scalar));
            let id = type_id(&EntryType::Transparent(scalar, 0));
            declarations.push_str(&format!("static UNUSED const struct type {id};\n"));
            out.push_str(&format!(
                "static const struct leaf {id}_leaves[] = {{{{{code}, 0, 0}}}};\n\
                 static UNUSED const struct type {id} = {{.name = \"{name}\", .ctype = \"{}\", \
                 .kind = KIND_SCALAR, .num_leaves = 1, .num_words = 1, .leaves = {id}_leaves}};\n",
                ctype::public(scalar)
            ));
        }
        for info in self.iter() {
            declarations.push_str(&format!("static UNUSED const struct type {};\n", type_id(&info.ty)));
            out.push_str(&self.table(info));
        }
        format!("// The types of the interface.\n\n{declarations}\n{out}\n")
    }

    fn table(&self, info: &TypeInfo) -> String {
        let id = type_id(&info.ty);
        let words: usize = info.leaves.iter().map(|l| 1 + l.rank).sum();
        let mut out = String::new();
        let mut members = format!(
            ".name = {}, .ctype = \"struct futhark_{} *\", .num_leaves = {}, .num_words = {words}",
            literal::string(&info.name),
            info.cname,
            info.leaves.len()
        );
        if !info.leaves.is_empty() {
            let leaves: Vec<String> = info
                .leaves
                .iter()
                .map(|l| format!("{{{}, {}, {}}}", ctype::scalar_enum(l.scalar), l.rank, l.word))
                .collect();
            out.push_str(&format!("static const struct leaf {id}_leaves[] = {{{}}};\n", leaves.join(", ")));
            members.push_str(&format!(", .leaves = {id}_leaves"));
        }
        let kind = match &info.opaque {
            None => {
                if let EntryType::Transparent(scalar, rank) = info.ty {
                    let elem = type_id(&EntryType::Transparent(scalar, 0));
                    members.push_str(&format!(", .rank = {rank}, .elem = &{elem}"));
                }
                "KIND_ARRAY"
            }
            Some(OpaqueType::Plain(_)) => "KIND_OPAQUE",
            Some(OpaqueType::Record(fields)) => {
                self.field_table(&id, fields, &mut out, &mut members);
                "KIND_RECORD"
            }
            Some(OpaqueType::Sum { variants, sizes, .. }) => {
                variant_table(&id, variants, &mut out, &mut members);
                if !sizes.is_empty() {
                    let row = |(leaf, dim, size): &(usize, usize, SumSize)| match size {
                        SumSize::Constant(n) => format!("{{{leaf}, {dim}, {n}, -1, 0}}"),
                        SumSize::Same(other, at) => format!("{{{leaf}, {dim}, 0, {other}, {at}}}"),
                    };
                    let rows: Vec<String> = sizes.iter().map(row).collect();
                    let rows = rows.join(", ");
                    out.push_str(&format!("static const struct known_size {id}_sizes[] = {{{rows}}};\n"));
                    members.push_str(&format!(
                        ", .num_known_sizes = {}, .known_sizes = {id}_sizes",
                        sizes.len()
                    ));
                }
                "KIND_SUM"
            }
            Some(OpaqueType::Array { elem, rank, .. }) => {
                members.push_str(&format!(", .rank = {rank}, .elem = &{}", type_id(elem)));
                "KIND_OPAQUE_ARRAY"
            }
            Some(OpaqueType::RecordArray { elem, rank, fields }) => {
                members.push_str(&format!(", .rank = {rank}, .elem = &{}", type_id(elem)));
                self.field_table(&id, fields, &mut out, &mut members);
                "KIND_RECORD_ARRAY"
            }
        };
        out.push_str(&format!("static UNUSED const struct type {id} = {{.kind = {kind}, {members}}};\n"));
        out
    }

    fn field_table(
        &self,
        id: &str,
        fields: &[(fehu_base::Symbol, EntryType)],
        out: &mut String,
        members: &mut String,
    ) {
        if fields.is_empty() {
            return;
        }
        let mut leaf = 0;
        out.push_str(&format!("static const struct field {id}_fields[] = {{"));
        for (i, (name, ty)) in fields.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            out.push_str(&format!("{comma}{{{}, &{}, {leaf}}}", literal::string(name.as_str()), type_id(ty)));
            leaf += self.components(ty).len();
        }
        out.push_str("};\n");
        members.push_str(&format!(", .num_fields = {}, .fields = {id}_fields", fields.len()));
    }
}

type Variants = [(fehu_base::Symbol, Vec<(EntryType, Vec<usize>)>)];

fn variant_table(id: &str, variants: &Variants, out: &mut String, members: &mut String) {
    let mut rows = Vec::new();
    for (i, (name, payload)) in variants.iter().enumerate() {
        let name = literal::string(name.as_str());
        if payload.is_empty() {
            rows.push(format!("{{{name}, 0, NULL}}"));
            continue;
        }
        let mut payloads = Vec::new();
        for (j, (ty, leaves)) in payload.iter().enumerate() {
            // A payload without components has no leaves, and C no empty arrays.
            let list: Vec<String> = leaves.iter().map(usize::to_string).collect();
            let list = if list.is_empty() { "0".to_owned() } else { list.join(", ") };
            out.push_str(&format!("static const int {id}_leaves{i}of{j}[] = {{{list}}};\n"));
            payloads.push(format!("{{&{}, {id}_leaves{i}of{j}}}", type_id(ty)));
        }
        out.push_str(&format!(
            "static const struct payload {id}_payload{i}[] = {{{}}};\n",
            payloads.join(", ")
        ));
        rows.push(format!("{{{name}, {}, {id}_payload{i}}}", payload.len()));
    }
    if !rows.is_empty() {
        out.push_str(&format!("static const struct variant {id}_variants[] = {{{}}};\n", rows.join(", ")));
        members.push_str(&format!(", .num_variants = {}, .variants = {id}_variants", rows.len()));
    }
}

/// The type as the language writes it, without sizes.
pub(crate) fn type_name(ty: &EntryType) -> String {
    match ty {
        EntryType::Transparent(scalar, rank) => format!("{}{scalar}", "[]".repeat(*rank)),
        EntryType::Opaque(name) => name.clone(),
    }
}

/// The table of a type.
pub(crate) fn type_id(ty: &EntryType) -> String {
    format!("type_{}", cname(ty))
}

/// The C name of a type after `futhark_`.
pub(crate) fn cname(ty: &EntryType) -> String {
    match ty {
        EntryType::Transparent(scalar, 0) => scalar.to_string(),
        EntryType::Transparent(scalar, rank) => format!("{scalar}_{rank}d"),
        EntryType::Opaque(name) => format!("opaque_{}", opaque_name(name)),
    }
}
