//! The public functions on values: their heads, for the header, and their
//! bodies, which hand the work to the runtime.

use super::backend::Backend;
use super::names;
use super::types::{type_id, TypeInfo, TypeTable};
use fehu_base::prim::ScalarType;
use fehu_base::Symbol;
use fehu_ir::{EntryType, OpaqueType};

/// A public function.
pub(crate) struct ApiFunction {
    /// Everything before the body.
    pub(crate) head: String,
    /// The statements of the body.
    pub(crate) body: String,
}

/// The bodies of all public functions on values.
pub(crate) fn functions(types: &TypeTable, backend: &Backend) -> String {
    let mut out = String::from("// Values.\n");
    for info in types.iter() {
        for f in type_functions(types, info, backend) {
            out.push_str(&format!("\n{} {{\n{}}}\n", f.head, f.body));
        }
    }
    out
}

/// The functions of one type, in the order of the header.
pub(crate) fn type_functions(types: &TypeTable, info: &TypeInfo, backend: &Backend) -> Vec<ApiFunction> {
    let mut out = Vec::new();
    match (&info.ty, &info.opaque) {
        (EntryType::Transparent(scalar, rank), _) => array(info, *scalar, *rank, backend.raw, &mut out),
        (EntryType::Opaque(_), opaque) => {
            storage(info, &mut out);
            match opaque {
                None | Some(OpaqueType::Plain(_)) => {}
                Some(OpaqueType::Record(fields)) => {
                    projections(types, info, fields, &mut out);
                    construction(types, info, "new", "value_record", fields, &mut out);
                }
                Some(OpaqueType::Sum { variants, .. }) => sum(types, info, variants, &mut out),
                Some(OpaqueType::Array { elem, rank, .. }) => elements(types, info, elem, *rank, &mut out),
                Some(OpaqueType::RecordArray { elem, rank, fields }) => {
                    projections(types, info, fields, &mut out);
                    construction(types, info, "zip", "value_zip", fields, &mut out);
                    elements(types, info, elem, *rank, &mut out);
                }
            }
        }
    }
    out
}

fn array(info: &TypeInfo, scalar: ScalarType, rank: usize, raw: &str, out: &mut Vec<ApiFunction>) {
    let TypeInfo { cname, ty, .. } = info;
    let (elem, id) = (super::ctype::public(scalar), type_id(ty));
    let (dims, shape) = (parameters("dim", rank), arguments("dim", rank));
    let (indexes, index) = (parameters("i", rank), arguments("i", rank));
    let ctx = "struct futhark_context *ctx";
    out.push(ApiFunction {
        head: format!("struct futhark_{cname} *futhark_new_{cname}({ctx}, const {elem} *data{dims})"),
        body: format!("  return (struct futhark_{cname} *)array_new(ctx, &{id}, data, {shape});\n"),
    });
    out.push(ApiFunction {
        head: format!("struct futhark_{cname} *futhark_new_raw_{cname}({ctx}, {raw}data{dims})"),
        body: format!("  return (struct futhark_{cname} *)array_new_raw(ctx, &{id}, data, {shape});\n"),
    });
    out.push(ApiFunction {
        head: format!("int futhark_free_{cname}({ctx}, struct futhark_{cname} *arr)"),
        body: "  return value_free(ctx, (struct value *)arr);\n".into(),
    });
    out.push(ApiFunction {
        head: format!("int futhark_values_{cname}({ctx}, struct futhark_{cname} *arr, {elem} *data)"),
        body: "  return array_values(ctx, (struct value *)arr, data);\n".into(),
    });
    out.push(ApiFunction {
        head: format!("int futhark_index_{cname}({ctx}, {elem} *out, struct futhark_{cname} *arr{indexes})"),
        body: format!("  return value_index(ctx, out, (struct value *)arr, {index});\n"),
    });
    out.push(ApiFunction {
        head: format!("{raw}futhark_values_raw_{cname}({ctx}, struct futhark_{cname} *arr)"),
        body: "  (void)ctx;\n  return ((struct value *)arr)->words[0].block->mem;\n".into(),
    });
    out.push(ApiFunction {
        head: format!("const int64_t *futhark_shape_{cname}({ctx}, struct futhark_{cname} *arr)"),
        body: "  (void)ctx;\n  return value_shape((struct value *)arr);\n".into(),
    });
}

/// What all opaque types have.
fn storage(info: &TypeInfo, out: &mut Vec<ApiFunction>) {
    let TypeInfo { cname, ty, .. } = info;
    let (ctx, id) = ("struct futhark_context *ctx", type_id(ty));
    out.push(ApiFunction {
        head: format!("int futhark_free_{cname}({ctx}, struct futhark_{cname} *obj)"),
        body: "  return value_free(ctx, (struct value *)obj);\n".into(),
    });
    out.push(ApiFunction {
        head: format!(
            "int futhark_store_{cname}({ctx}, const struct futhark_{cname} *obj, void **p, size_t *n)"
        ),
        body: "  return value_store(ctx, (const struct value *)obj, p, n);\n".into(),
    });
    out.push(ApiFunction {
        head: format!("struct futhark_{cname} *futhark_restore_{cname}({ctx}, const void *p)"),
        body: format!("  return (struct futhark_{cname} *)value_restore(ctx, &{id}, p);\n"),
    });
}

fn projections(
    types: &TypeTable,
    info: &TypeInfo,
    fields: &[(Symbol, EntryType)],
    out: &mut Vec<ApiFunction>,
) {
    for (i, (field, ty)) in fields.iter().enumerate() {
        let cname = &info.cname;
        out.push(ApiFunction {
            head: format!(
                "int futhark_project_{cname}_{}(struct futhark_context *ctx, {}out, const struct futhark_{cname} *obj)",
                names::public(field.as_str()),
                pointer_to(types, ty)
            ),
            body: format!("  return value_project(ctx, out, (const struct value *)obj, {i});\n"),
        });
    }
}

/// A value from its fields: `new` of a record, `zip` of an array of records.
fn construction(
    types: &TypeTable,
    info: &TypeInfo,
    verb: &str,
    runtime: &str,
    fields: &[(Symbol, EntryType)],
    out: &mut Vec<ApiFunction>,
) {
    let TypeInfo { cname, ty, .. } = info;
    let parts: Vec<(String, &EntryType)> =
        fields.iter().map(|(name, ty)| (format!("f_{}", names::public(name.as_str())), ty)).collect();
    out.push(ApiFunction {
        head: format!(
            "int futhark_{verb}_{cname}(struct futhark_context *ctx, struct futhark_{cname} **out{})",
            inputs(types, &parts)
        ),
        body: format!("{}  return {runtime}(ctx, &{}, out, parts);\n", parts_array(&parts), type_id(ty)),
    });
}

type Variants = [(Symbol, Vec<(EntryType, Vec<usize>)>)];

fn sum(types: &TypeTable, info: &TypeInfo, variants: &Variants, out: &mut Vec<ApiFunction>) {
    let TypeInfo { cname, ty, .. } = info;
    for (i, (variant, payload)) in variants.iter().enumerate() {
        let parts: Vec<(String, &EntryType)> =
            payload.iter().enumerate().map(|(j, (ty, _))| (format!("v{j}"), ty)).collect();
        let name = names::public(variant.as_str());
        out.push(ApiFunction {
            head: format!(
                "int futhark_new_{cname}_{name}(struct futhark_context *ctx, struct futhark_{cname} **out{})",
                inputs(types, &parts)
            ),
            body: format!(
                "{}  return value_construct(ctx, &{}, {i}, out, parts);\n",
                parts_array(&parts),
                type_id(ty)
            ),
        });
        let outs: String =
            parts.iter().map(|(name, ty)| format!(", {}{name}", pointer_to(types, ty))).collect();
        let list: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).chain(["NULL"]).collect();
        out.push(ApiFunction {
            head: format!(
                "int futhark_destruct_{cname}_{name}(struct futhark_context *ctx{outs}, \
                 const struct futhark_{cname} *obj)"
            ),
            body: format!(
                "  void *outs[] = {{{}}};\n  return value_destruct(ctx, (const struct value *)obj, {i}, outs);\n",
                list.join(", ")
            ),
        });
    }
    out.push(ApiFunction {
        head: format!(
            "int futhark_variant_{cname}(struct futhark_context *ctx, const struct futhark_{cname} *v)"
        ),
        body: "  (void)ctx;\n  return value_variant((const struct value *)v);\n".into(),
    });
}

/// What arrays of opaque elements have.
fn elements(types: &TypeTable, info: &TypeInfo, elem: &EntryType, rank: usize, out: &mut Vec<ApiFunction>) {
    let TypeInfo { cname, ty, .. } = info;
    let (ctx, elem) = ("struct futhark_context *ctx", types.ctype(elem));
    let (indexes, index) = (parameters("i", rank), arguments("i", rank));
    out.push(ApiFunction {
        head: format!("int futhark_index_{cname}({ctx}, {elem}*out, struct futhark_{cname} *arr{indexes})"),
        body: format!("  return value_index(ctx, out, (struct value *)arr, {index});\n"),
    });
    out.push(ApiFunction {
        head: format!("int futhark_set_{cname}({ctx}, struct futhark_{cname} *arr, {elem}elem{indexes})"),
        body: format!("  return value_set(ctx, (struct value *)arr, elem, {index});\n"),
    });
    out.push(ApiFunction {
        head: format!("const int64_t *futhark_shape_{cname}({ctx}, struct futhark_{cname} *arr)"),
        body: "  (void)ctx;\n  return value_shape((struct value *)arr);\n".into(),
    });
    let (dims, shape) = (parameters("dim", rank), arguments("dim", rank));
    out.push(ApiFunction {
        head: format!("int futhark_new_{cname}({ctx}, struct futhark_{cname} **out, {elem}*elems{dims})"),
        body: format!(
            "  return value_array(ctx, &{}, out, (const void *const *)elems, {shape});\n",
            type_id(ty)
        ),
    });
}

/// `, int64_t i0, int64_t i1`
fn parameters(name: &str, rank: usize) -> String {
    (0..rank).map(|i| format!(", int64_t {name}{i}")).collect()
}

/// An array of what [`parameters`] declares.
fn arguments(name: &str, rank: usize) -> String {
    let names: Vec<String> = (0..rank).map(|i| format!("{name}{i}")).collect();
    format!("(const int64_t[]){{{}}}", names.join(", "))
}

/// `, const int32_t f_a, const struct futhark_f32_1d *f_b`
pub(crate) fn inputs(types: &TypeTable, parts: &[(String, &EntryType)]) -> String {
    parts.iter().map(|(name, ty)| format!(", const {}{name}", spaced(&types.ctype(ty)))).collect()
}

/// The type of a pointer to where a value is to be put: `int32_t *`, `struct futhark_i32_1d **`.
pub(crate) fn pointer_to(types: &TypeTable, ty: &EntryType) -> String {
    format!("{}*", spaced(&types.ctype(ty)))
}

/// The fields or payload as the runtime takes them: scalars by address.
fn parts_array(parts: &[(String, &EntryType)]) -> String {
    let list: Vec<String> = parts
        .iter()
        .map(|(name, ty)| match ty {
            EntryType::Transparent(_, 0) => format!("&{name}"),
            EntryType::Transparent(..) | EntryType::Opaque(_) => name.clone(),
        })
        .chain(["NULL".to_owned()])
        .collect();
    format!("  const void *parts[] = {{{}}};\n", list.join(", "))
}

/// A type, ready for a name to follow.
fn spaced(ctype: &str) -> String {
    if ctype.ends_with('*') {
        ctype.to_owned()
    } else {
        format!("{ctype} ")
    }
}
