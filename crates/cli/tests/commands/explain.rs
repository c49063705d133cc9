//! The error index: an entry for every name that messages use, and examples that are refused for that very reason.

use super::{root, run, stderr, stdout};
use fehu_base::diagnostic::Colour;
use fehu_check::named::Named;
use fehu_driver::front::check_text;
use std::collections::BTreeSet;
use std::path::Path;

/// Names, and what is said about them, of headings `NAME: TITLE`.
fn entries() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("crates/cli/errors.md")).expect("there is an error index");
    let sections = text.split("\n## ").skip(1);
    let parts = sections.filter_map(|s| s.split_once('\n'));
    parts
        .map(|(head, text)| {
            let (name, title) = head.split_once(": ").unwrap_or_else(|| panic!("{head} has no title"));
            assert!(title.len() > 10 && title.len() < 80 && !title.ends_with('.'), "{head}");
            (name.to_owned(), text.to_owned())
        })
        .collect()
}

/// What stands between the marks of a code block.
fn example(text: &str) -> &str {
    text.split("```futhark\n").nth(1).and_then(|t| t.split("```").next()).unwrap_or("")
}

#[test]
fn examples_are_refused_for_the_reason_they_stand_under() {
    for (name, text) in entries() {
        let code = example(&text);
        assert!(!code.is_empty(), "{name} has no example");
        let front = check_text(Path::new("example.fut"), code.to_owned());
        let messages: Vec<String> =
            front.diagnostics.iter().map(|d| d.render(&front.sources, Colour::Never)).collect();
        assert!(front.failed() && messages.len() == 1, "{name}: {messages:?}");
        let ends = [format!("#{name}"), format!("`fehu explain {name}`")];
        assert!(ends.iter().any(|end| messages[0].contains(end)), "{name}: {}", messages[0]);
    }
}

#[test]
fn names_in_messages_have_an_entry_and_entries_a_message() {
    let known: BTreeSet<String> = entries().into_iter().map(|(name, _)| name).collect();
    let used: BTreeSet<String> = Named::ALL.iter().map(|(named, _)| named.to_string()).collect();
    assert_eq!(known, used, "crates/cli/errors.md has other names than messages");
}

#[test]
fn the_command_prints_an_entry() {
    let all = run(&["explain"]);
    assert!(stdout(&all).lines().any(|l| {
        let words: Vec<&str> = l.split_whitespace().collect();
        words.first() == Some(&"use-after-consume") && words.ends_with(&["was", "given", "away"])
    }));
    for way in ["use-after-consume", "#use-after-consume", "error-index.html#use-after-consume"] {
        let one = run(&["explain", way]);
        assert!(one.status.success() && stdout(&one).contains("\n    entry main"), "{way}: {}", stdout(&one));
    }
    let none = run(&["explain", "nothing"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("nothing"));
    let slip = run(&["explain", "use-after-consum"]);
    assert!(stderr(&slip).contains("there is use-after-consume"), "{}", stderr(&slip));
}
