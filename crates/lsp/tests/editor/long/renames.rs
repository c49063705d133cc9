//! Random names of public files get other names: each program must be the same afterwards, checked from the beginning.
//!
//! `FEHU_RENAMES` says how many; then it takes as long as it takes. What was accepted and refused is printed.

use super::super::client::edited;
use super::super::startup::Dice;
use super::live::{panics, Editor};
use super::{deadline, dice, folder, position, programs};
use fehu_base::{FileId, Symbol};
use fehu_check::alike::alike;
use fehu_driver::compile::Settings;
use fehu_driver::front::{check_over, Front};
use fehu_driver::load::{normalise, Overlay};
use fehu_driver::pipelines::lower;
use fehu_driver::target::Target;
use fehu_ir::print::{print_prog, Locations};
use fehu_syntax::TokenKind;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many names of a file are changed at least, if there is time.
const NAMES_OF_A_FILE: usize = 4;

/// A name that no program has.
const FRESH: &str = "another_name";

/// What became of renamings.
#[derive(Default)]
struct Report {
    accepted: usize,
    /// Why others were refused: how many, and the last of them.
    refused: BTreeMap<String, (usize, String)>,
    /// Files whose programs have errors before.
    broken: usize,
    faults: Vec<String>,
}

/// Programs are deep, and code without optimisation takes much of the stack.
const STACK_BYTES: usize = 256 << 20;

#[test]
fn accepted_names_keep_the_programs() {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(rename_at_random);
    assert!(thread.expect("a thread").join().is_ok());
}

fn rename_at_random() {
    let count: Option<usize> = std::env::var("FEHU_RENAMES").ok().and_then(|n| n.parse().ok());
    let (deadline, before) = (deadline(), panics());
    let mut files = programs(&folder());
    let mut dice = dice();
    let mut report = Report::default();
    // All words are written in ASCII, so other characters do not matter for the edits.
    files.retain(|(_, text)| text.is_ascii());
    let each = count.map_or(0, |n| n / files.len() + 1).max(NAMES_OF_A_FILE);
    let mut editor = Editor::start(None);
    let mut done = 0;
    while !files.is_empty() && count.map_or(Instant::now() < deadline, |n| done < n) {
        let (path, text) = files.swap_remove(dice.below(files.len()));
        let front = check_over(&path, Overlay::default());
        if front.failed() {
            report.broken += 1;
            continue;
        }
        let uri = format!("file://{}", path.display());
        editor.open(&uri, &text);
        for _ in 0..each.min(count.map_or(each, |n| n - done)) {
            done += rename(&mut editor, &path, &text, &front, &mut dice, &mut report);
        }
        editor.close(&uri);
    }
    report.print();
    assert!(report.accepted > 0 && report.faults.is_empty() && panics() == before && editor.end());
}

/// Changes one name of a file, if it has any; how many were tried.
fn rename(
    editor: &mut Editor,
    path: &Path,
    text: &str,
    front: &Front,
    dice: &mut Dice,
    report: &mut Report,
) -> usize {
    let mut words = fehu_syntax::tokens(FileId(0), text);
    words.retain(|t| matches!(t.kind, TokenKind::Ident | TokenKind::Constructor));
    if words.is_empty() {
        return 0;
    }
    let mut word = || {
        let span = words[dice.below(words.len())].span;
        span.lo as usize..span.hi as usize
    };
    let (chosen, other) = (word(), word());
    let old = text[chosen.clone()].trim_start_matches('#');
    let new = if dice.below(2) == 0 { FRESH } else { text[other].trim_start_matches('#') };
    if old == new {
        return 0;
    }
    let uri = format!("file://{}", path.display());
    let at = position(text, (chosen.start + chosen.end) / 2);
    let params = json!({"textDocument": {"uri": uri}, "position": at, "newName": new});
    let said = format!("{}:{at}: {old} to {new}", path.display());
    match editor.ask("textDocument/rename", params) {
        Ok(answer) => {
            report.accepted += 1;
            if let Err(why) = verified(path, front, &answer["changes"], old, new) {
                report.fault(format!("{said}: {why}"));
            }
        }
        Err(why) => {
            if why == "this is a bug in fehu" {
                report.fault(format!("{said}: {why}"));
            }
            let found = report.refused.entry(class(&why, old, new)).or_default();
            *found = (found.0 + 1, format!("{said}: {why}"));
        }
    }
    1
}

/// Whether the programs of all files that changed are the same but for the name.
fn verified(path: &Path, front: &Front, changes: &Value, old: &str, new: &str) -> Result<(), String> {
    let mut overlay = Overlay::default();
    let mut label = false;
    for (uri, edits) in changes.as_object().into_iter().flatten() {
        let file = PathBuf::from(uri.trim_start_matches("file://"));
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let text = edited(&text, edits);
        label |= may_be_label(&text, new);
        overlay.insert(normalise(&file), text);
    }
    if overlay.is_empty() {
        return Err("nothing is changed".into());
    }
    for root in overlay.keys().filter(|r| *r != path).map(PathBuf::as_path).chain([path]) {
        let other = (root != path).then(|| check_over(root, Overlay::default()));
        let before = other.as_ref().unwrap_or(front);
        let after = check_over(root, overlay.clone());
        let (Some(was), Some(is)) = (&before.program, &after.program) else {
            let why = after.diagnostics.first().map_or("", |d| &d.message);
            return Err(format!("{} has errors: {why}", root.display()));
        };
        if !alike(was, is, &before.prelude, Symbol::new(old), Symbol::new(new)) {
            return Err(format!("{} is another program", root.display()));
        }
        // Labels have their order from their names.
        if !label && core(before, old, new) != core(&after, old, new) {
            return Err(format!("{} is lowered to something else", root.display()));
        }
    }
    Ok(())
}

/// Whether a name of a text may be a field or a constructor.
fn may_be_label(text: &str, name: &str) -> bool {
    let before = |at: usize| text[..at].trim_end().chars().next_back();
    text.match_indices(name)
        .any(|(at, _)| before(at).is_some_and(|c| ".#{,".contains(c)) || text[..at].ends_with("with "))
}

/// The core program with its names numbered as they come, and one of two names in the place of both; none if it
/// is not built yet.
fn core(front: &Front, old: &str, new: &str) -> Option<String> {
    let prog = lower(front, &Settings::executable(Target::C, PathBuf::new())).ok()?;
    let text = print_prog(&prog, Locations::Hidden);
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shown = String::new();
    let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
    for word in text.split_inclusive(|c| !named(c)) {
        let (word, rest) = word.split_at(word.find(|c| !named(c)).unwrap_or(word.len()));
        let number = word.rsplit_once('_').is_some_and(|(_, n)| n.parse::<u32>().is_ok());
        if word == old || word == new {
            shown.push_str(old);
        } else if number {
            let next = numbers.len();
            shown.push_str(&format!("n{}", numbers.entry(word).or_insert(next)));
        } else {
            shown.push_str(word);
        }
        shown.push_str(rest);
    }
    Some(shown)
}

/// A reason without names. If the new name is one that no program has, there are few.
fn class(why: &str, old: &str, new: &str) -> String {
    let named =
        |word: &str| word.contains(['/', '`', '"']) || [old, new].contains(&word.trim_end_matches('.'));
    let words = why.lines().next().unwrap_or("").split(' ').map(|w| if named(w) { "_" } else { w });
    let kind = if new == FRESH { "a name that nothing has: " } else { "" };
    kind.to_owned() + &words.collect::<Vec<_>>().join(" ")
}

impl Report {
    fn fault(&mut self, what: String) {
        eprintln!("FAULT {what}");
        self.faults.push(what);
    }

    fn print(&self) {
        let refused: usize = self.refused.values().map(|(n, _)| n).sum();
        eprintln!("{} accepted, {refused} refused, {} files with errors", self.accepted, self.broken);
        let mut reasons: Vec<_> = self.refused.iter().collect();
        reasons.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
        for (reason, (n, example)) in reasons {
            eprintln!("{n:6} {reason}\n       {example}");
        }
    }
}
