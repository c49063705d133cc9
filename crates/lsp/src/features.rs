//! Requests: each is a function from the document and the parameters to an answer.

mod actions;
mod calls;
mod complete;
mod format;
mod hints;
pub(crate) mod lens;
mod names;
mod rename;
mod selection;
mod semantic;
mod signature;
mod symbols;

use crate::answer::Answer;
use crate::commands::{EVALUATE, RUN, TEST};
use crate::state::{Document, State};
use serde_json::{json, Value};

/// Answers a request about a document.
pub(crate) type Feature = fn(&State, &Document, &Value) -> Answer;

/// Answers a request about the workspace.
pub(crate) type WorkspaceFeature = fn(&State, &Value) -> Answer;

/// The document that a request is about.
pub(crate) fn document_of(params: &Value) -> Option<&str> {
    let data = params["data"]["uri"].as_str().or(params["item"]["data"]["uri"].as_str());
    params["textDocument"]["uri"].as_str().or(data)
}

const FEATURES: &[(&str, Feature)] = &[
    ("textDocument/hover", names::hover),
    ("textDocument/definition", names::definition),
    ("textDocument/references", names::references),
    ("textDocument/documentHighlight", names::highlight),
    ("textDocument/prepareRename", rename::prepare_rename),
    ("textDocument/rename", rename::rename),
    ("textDocument/completion", complete::completion),
    ("completionItem/resolve", complete::resolve),
    ("textDocument/documentSymbol", symbols::symbols),
    ("textDocument/foldingRange", symbols::folds),
    ("textDocument/formatting", format::whole),
    ("textDocument/rangeFormatting", format::range),
    ("textDocument/selectionRange", selection::ranges),
    ("textDocument/typeDefinition", names::type_definition),
    ("textDocument/documentLink", names::links),
    ("textDocument/prepareCallHierarchy", calls::prepare),
    ("callHierarchy/incomingCalls", calls::incoming),
    ("callHierarchy/outgoingCalls", calls::outgoing),
    ("textDocument/signatureHelp", signature::help),
    ("textDocument/inlayHint", hints::hints),
    ("textDocument/codeAction", actions::actions),
    ("codeAction/resolve", actions::resolve),
    ("textDocument/codeLens", lens::lenses),
    ("textDocument/semanticTokens/full", semantic::tokens),
    ("textDocument/semanticTokens/full/delta", semantic::delta),
    ("textDocument/semanticTokens/range", semantic::range),
];

const WORKSPACE: &[(&str, WorkspaceFeature)] = &[("workspace/symbol", symbols::of_workspace)];

/// The function for a request.
pub(crate) fn find(method: &str) -> Option<Feature> {
    FEATURES.iter().find(|(name, _)| *name == method).map(|(_, feature)| *feature)
}

/// The function for a request about the workspace.
pub(crate) fn find_of_workspace(method: &str) -> Option<WorkspaceFeature> {
    WORKSPACE.iter().find(|(name, _)| *name == method).map(|(_, feature)| *feature)
}

/// What the editor may ask for.
pub(crate) fn capabilities(encoding: &str) -> Value {
    json!({
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": true, "change": 2, "save": true},
        "hoverProvider": true,
        "definitionProvider": true,
        "typeDefinitionProvider": true,
        "callHierarchyProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": {"prepareProvider": true},
        "completionProvider": {"triggerCharacters": [".", "#", "\"", "/"], "resolveProvider": true},
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "documentLinkProvider": {"resolveProvider": false},
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "semanticTokensProvider": semantic::provider(),
        "signatureHelpProvider": {"triggerCharacters": [" ", "("]},
        "inlayHintProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite"], "resolveProvider": true},
        "codeLensProvider": {"resolveProvider": false},
        "executeCommandProvider": {"commands": [EVALUATE, RUN, TEST]},
    })
}
