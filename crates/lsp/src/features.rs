//! Requests: each is a function from the document and the parameters to an answer.

mod actions;
mod complete;
mod hints;
pub(crate) mod lens;
mod names;
mod semantic;
mod signature;
mod symbols;

use crate::commands::{EVALUATE, RUN, TEST};
use crate::server::{Document, State};
use fehu_base::FileId;
use serde_json::{json, Value};

/// Answers a request about a document, or says why that cannot be done.
pub(crate) type Feature = fn(&State, &Document, &Value) -> Result<Value, String>;

const FEATURES: [(&str, Feature); 16] = [
    ("textDocument/hover", names::hover),
    ("textDocument/definition", names::definition),
    ("textDocument/references", names::references),
    ("textDocument/documentHighlight", names::highlight),
    ("textDocument/prepareRename", names::prepare_rename),
    ("textDocument/rename", names::rename),
    ("textDocument/completion", complete::completion),
    ("textDocument/documentSymbol", symbols::symbols),
    ("textDocument/foldingRange", symbols::folds),
    ("textDocument/formatting", formatting),
    ("textDocument/signatureHelp", signature::help),
    ("textDocument/inlayHint", hints::hints),
    ("textDocument/codeAction", actions::actions),
    ("textDocument/codeLens", lens::lenses),
    ("textDocument/semanticTokens/full", semantic::tokens),
    ("textDocument/semanticTokens/range", semantic::tokens),
];

/// The function for a request.
pub(crate) fn find(method: &str) -> Option<Feature> {
    FEATURES.iter().find(|(name, _)| *name == method).map(|(_, feature)| *feature)
}

/// What the editor may ask for.
pub(crate) fn capabilities(encoding: &str) -> Value {
    json!({
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": true, "change": 2, "save": true},
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": {"prepareProvider": true},
        "completionProvider": {"triggerCharacters": ["."]},
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "semanticTokensProvider": semantic::provider(),
        "signatureHelpProvider": {"triggerCharacters": [" ", "("]},
        "inlayHintProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite"]},
        "codeLensProvider": {"resolveProvider": false},
        "executeCommandProvider": {"commands": [EVALUATE, RUN, TEST]},
    })
}

/// One edit that replaces everything; none if the text is formatted, or cannot be.
fn formatting(state: &State, document: &Document, _: &Value) -> Result<Value, String> {
    let text = &document.text.text;
    match fehu_fmt::format(FileId(0), text) {
        Ok(formatted) if formatted != *text => {
            let range = document.text.range(0, text.len(), state.encoding);
            Ok(json!([{"range": range, "newText": formatted}]))
        }
        Ok(_) => Ok(json!([])),
        Err(_) => Err("a file with syntax errors cannot be formatted".into()),
    }
}
