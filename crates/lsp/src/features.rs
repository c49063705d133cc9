//! Requests: each is a function from the document and the parameters to an answer.

mod actions;
mod complete;
mod hints;
pub(crate) mod lens;
mod names;
mod rename;
mod semantic;
mod signature;
mod symbols;

use crate::commands::{EVALUATE, RUN, TEST};
use crate::server::{Document, State};
use fehu_base::FileId;
use serde_json::{json, Value};

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What is asked for cannot be done.
    Because(String),
    /// Nobody wants to know any more.
    GivenUp,
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Because(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal::Because(why.to_owned())
    }
}

/// The answer to a request.
pub(crate) type Answer = Result<Value, Refusal>;

/// Answers a request about a document.
pub(crate) type Feature = fn(&State, &Document, &Value) -> Answer;

/// The document that a request is about.
pub(crate) fn document_of(params: &Value) -> Option<&str> {
    params["textDocument"]["uri"].as_str().or(params["data"]["uri"].as_str())
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
    ("textDocument/formatting", formatting),
    ("textDocument/signatureHelp", signature::help),
    ("textDocument/inlayHint", hints::hints),
    ("textDocument/codeAction", actions::actions),
    ("codeAction/resolve", actions::resolve),
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
        "completionProvider": {"triggerCharacters": [".", "#", "\"", "/"], "resolveProvider": true},
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "semanticTokensProvider": semantic::provider(),
        "signatureHelpProvider": {"triggerCharacters": [" ", "("]},
        "inlayHintProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite"], "resolveProvider": true},
        "codeLensProvider": {"resolveProvider": false},
        "executeCommandProvider": {"commands": [EVALUATE, RUN, TEST]},
    })
}

/// One edit that replaces everything; none if the text is formatted, or cannot be.
fn formatting(state: &State, document: &Document, _: &Value) -> Answer {
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
