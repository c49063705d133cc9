//! The manifest of a library: its interface as JSON.

use super::backend::Backend;
use super::entry::EntryText;
use super::names;
use super::types::{type_name, TypeInfo, TypeTable};
use fehu_base::Symbol;
use fehu_ir::{EntryType, OpaqueType};
use serde_json::{json, Map, Value};

/// The manifest. The result of an entry point is given twice: as `output`, and as the list
/// `outputs` that older bindings read.
pub(crate) fn manifest(types: &TypeTable, entries: &[EntryText], version: &str, backend: &Backend) -> String {
    let entry_points: Map<String, Value> =
        entries.iter().map(|e| (e.face.name.to_string(), entry_point(e))).collect();
    let types: Map<String, Value> = types.iter().map(|t| (t.name.clone(), describe(types, t))).collect();
    let manifest = json!({
        "backend": backend.name,
        "version": version,
        "entry_points": entry_points,
        "types": types,
    });
    format!("{manifest:#}\n")
}

fn entry_point(entry: &EntryText) -> Value {
    let face = entry.face;
    let inputs: Vec<Value> = face
        .params
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let name = p.name.map_or_else(|| format!("in{i}"), |n| n.to_string());
            json!({"name": name, "type": type_name(&p.ty), "unique": p.unique})
        })
        .collect();
    let output = json!({"type": type_name(&face.result.ty), "unique": face.result.unique});
    let params: Vec<&str> = entry.params.iter().map(|(_, name)| name.as_str()).collect();
    let mut value = json!({
        "cfun": entry.cfun,
        "inputs": inputs,
        "output": output,
        "outputs": [output],
        "tuning_params": params,
        "attributes": entry.attributes,
    });
    if let (Some(doc), Some(fields)) = (&face.doc, value.as_object_mut()) {
        fields.insert("doc".into(), json!(doc));
    }
    value
}

fn describe(types: &TypeTable, info: &TypeInfo) -> Value {
    let cname = &info.cname;
    let ctype = types.ctype(&info.ty);
    let op = |verb: &str| format!("futhark_{verb}_{cname}");
    if let EntryType::Transparent(scalar, rank) = &info.ty {
        let ops: Map<String, Value> = ["free", "shape", "values", "values_raw", "new", "new_raw", "index"]
            .into_iter()
            .map(|verb| (verb.to_owned(), json!(op(verb))))
            .collect();
        return json!({
            "kind": "array", "ctype": ctype, "rank": rank, "elemtype": scalar.as_str(), "ops": ops,
        });
    }
    let mut value = json!({
        "kind": "opaque",
        "ctype": ctype,
        "ops": {"free": op("free"), "store": op("store"), "restore": op("restore")},
    });
    let extra = match &info.opaque {
        None | Some(OpaqueType::Plain(_)) => None,
        Some(OpaqueType::Record(fields)) => {
            Some(("record", json!({"new": op("new"), "fields": describe_fields(cname, fields)})))
        }
        Some(OpaqueType::Sum { variants, .. }) => {
            let variants: Vec<Value> = variants
                .iter()
                .map(|(variant, payload)| {
                    let name = names::public(variant.as_str());
                    let payload: Vec<String> = payload.iter().map(|(t, _)| type_name(t)).collect();
                    json!({
                        "name": variant.as_str(),
                        "construct": format!("futhark_new_{cname}_{name}"),
                        "destruct": format!("futhark_destruct_{cname}_{name}"),
                        "payload": payload,
                    })
                })
                .collect();
            Some(("sum", json!({"variant": op("variant"), "variants": variants})))
        }
        Some(OpaqueType::Array { elem, rank, .. }) => Some((
            "opaque_array",
            json!({
                "rank": rank, "elemtype": type_name(elem), "index": op("index"), "shape": op("shape"),
                "new": op("new"), "set": op("set"),
            }),
        )),
        Some(OpaqueType::RecordArray { elem, rank, fields }) => Some((
            "record_array",
            json!({
                "rank": rank, "elemtype": type_name(elem), "zip": op("zip"), "index": op("index"),
                "shape": op("shape"), "new": op("new"), "set": op("set"),
                "fields": describe_fields(cname, fields),
            }),
        )),
    };
    if let (Some((key, extra)), Some(map)) = (extra, value.as_object_mut()) {
        map.insert(key.into(), extra);
    }
    value
}

fn describe_fields(cname: &str, fields: &[(Symbol, EntryType)]) -> Vec<Value> {
    fields
        .iter()
        .map(|(field, ty)| {
            json!({
                "name": field.as_str(),
                "type": type_name(ty),
                "project": format!("futhark_project_{cname}_{}", names::public(field.as_str())),
            })
        })
        .collect()
}
