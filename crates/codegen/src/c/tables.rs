//! Tables of tuning parameters, types and entry points, for the runtime.

use super::entry::{caller, EntryText};
use super::literal;
use super::types::{type_id, TypeTable};
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_imp::syntax::{Program, TuningParam};
use fehu_ir::EntryType;

/// The tuning parameters.
pub(crate) fn params(program: &Program) -> String {
    let list = |items: Vec<String>, last: &str| {
        let all: Vec<String> = items.into_iter().chain([last.to_owned()]).collect();
        all.join(", ")
    };
    let names = program.params.iter().map(|p| literal::string(p.name.as_str())).collect();
    let classes = program.params.iter().map(|p| literal::string(&p.class)).collect();
    let default = |p: &TuningParam| literal::value(PrimValue::I64(p.default.unwrap_or(0)));
    let defaults = program.params.iter().map(default).collect();
    let bytes = program.params.iter().map(|p| p.thread_bytes.unwrap_or(0).to_string()).collect();
    format!(
        "// Tuning parameters.\n\n#define NUM_PARAMS {}\n\
         static UNUSED const char *const param_names[] = {{{}}};\n\
         static UNUSED const char *const param_classes[] = {{{}}};\n\
         static UNUSED const int64_t param_defaults[] = {{{}}};\n\
         static UNUSED const int64_t param_thread_bytes[] = {{{}}};\n\n",
        program.params.len(),
        list(names, "\"\""),
        list(classes, "\"\""),
        list(defaults, "0"),
        list(bytes, "0"),
    )
}

/// Types and entry points, as executables and servers look them up.
pub(crate) fn program(types: &TypeTable, entries: &[EntryText]) -> String {
    let mut out = String::from("// The interface.\n\n");
    let scalars = ScalarType::ALL.into_iter().map(|s| type_id(&EntryType::Transparent(s, 0)));
    let all: Vec<String> =
        scalars.chain(types.iter().map(|t| type_id(&t.ty))).map(|id| format!("&{id}")).collect();
    out.push_str(&format!(
        "#define NUM_TYPES {}\nstatic UNUSED const struct type *const types[] = {{{}}};\n",
        all.len(),
        all.join(", ")
    ));
    let mut rows = String::new();
    for entry in entries {
        let id = caller(entry.face);
        let face = entry.face;
        let mut row = format!(".name = {}, .call = {id}", literal::string(face.name.as_str()));
        if !face.params.is_empty() {
            let inputs: Vec<String> = face
                .params
                .iter()
                .map(|p| {
                    let name = literal::string(p.name.map_or("", |n| n.as_str()));
                    format!("{{{name}, &{}, {}}}", type_id(&p.ty), p.unique)
                })
                .collect();
            out.push_str(&format!(
                "static const struct parameter {id}_inputs[] = {{{}}};\n",
                inputs.join(", ")
            ));
            row.push_str(&format!(", .num_inputs = {}, .inputs = {id}_inputs", inputs.len()));
        }
        row.push_str(&format!(", .output = {{\"\", &{}, {}}}", type_id(&face.result.ty), face.result.unique));
        if !entry.params.is_empty() {
            let params: Vec<String> = entry.params.iter().map(|(i, _)| i.to_string()).collect();
            out.push_str(&format!("static const int {id}_params[] = {{{}}};\n", params.join(", ")));
            row.push_str(&format!(", .num_params = {}, .params = {id}_params", params.len()));
        }
        if !entry.attributes.is_empty() {
            let attributes: Vec<String> = entry.attributes.iter().map(|a| literal::string(a)).collect();
            out.push_str(&format!(
                "static const char *const {id}_attributes[] = {{{}}};\n",
                attributes.join(", ")
            ));
            row.push_str(&format!(", .num_attributes = {}, .attributes = {id}_attributes", attributes.len()));
        }
        rows.push_str(&format!("    {{{row}}},\n"));
    }
    out.push_str(&format!(
        "#define NUM_ENTRIES {}\nstatic UNUSED const struct entry entries[] = {{\n{rows}    {{.name = NULL}},\n}};\n",
        entries.len()
    ));
    out
}
