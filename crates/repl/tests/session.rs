//! Sessions: lines and what is answered.

use fehu_base::diagnostic::Colour;
use fehu_repl::{Answer, Problem, Session};
use std::sync::{Arc, Mutex};

fn session() -> Session {
    Session::new(|_| {})
}

fn text(answer: Answer) -> String {
    match answer {
        Answer::Done => String::new(),
        Answer::Text(text) => text,
        Answer::Continue => "continue".to_owned(),
        Answer::Quit => "quit".to_owned(),
        Answer::Problem(problem) => match *problem {
            Problem::Message(text) => text,
            Problem::Program(errors, sources) => {
                let shown = errors.iter().map(|d| d.render(&sources, Colour::Never));
                shown.collect::<Vec<_>>().join("\n")
            }
        },
    }
}

/// Enters lines into a new session; the last answer.
fn last(lines: &[&str]) -> String {
    let mut session = session();
    lines.iter().map(|line| text(session.enter(line))).last().unwrap_or_default()
}

#[test]
fn values_of_all_types() {
    let cases = [
        ("1 + 2", "3"),
        ("2u8 - 3", "255"),
        ("1.5f32", "1.5"),
        ("f32.nan", "f32.nan"),
        ("-f64.inf", "-f64.inf"),
        ("true && false", "false"),
        ("()", "()"),
        ("(1, true)", "(1, true)"),
        ("{a = 1, b = (2, 3)}", "{a = 1, b = (2, 3)}"),
        ("[1, 2, 3]", "[1, 2, 3]"),
        ("[(1, 2.5), (3, 4.5)]", "[(1, 2.5), (3, 4.5)]"),
        ("[[(1, true)], [(2, false)]]", "[[(1, true)], [(2, false)]]"),
        ("[{a = [1, 2], b = 1}, {a = [3, 4], b = 2}]", "[{a = [1, 2], b = 1}, {a = [3, 4], b = 2}]"),
        ("[(), ()]", "[(), ()]"),
        ("\"hi\"", "[104, 105]"),
        ("iota 0", "[]"),
        ("replicate 2 (iota 0)", "[[], []]"),
        ("filter (> 2) [1, 2, 3, 4]", "[3, 4]"),
        ("(#some 2) : #none | #some i32", "#some 2"),
        ("[#none, #some (1, 2)] : [](#none | #some (i32, i32))", "[#none, #some (1, 2)]"),
        ("(#a (#b 1)) : #a (#b i32 | #c)", "#a (#b 1)"),
        ("(#x [1, 2]) : #x [2]i32", "#x [1, 2]"),
        ("\\x -> x + 1", "#<fun>"),
        ("let f = \\x -> x * 2 in map f [1, 2]", "[2, 4]"),
        ("loop x = 1 for i < 10 do x * 2", "1024"),
        ("match (1, 2) case (a, b) -> a + b", "3"),
    ];
    for (line, expected) in cases {
        assert_eq!(last(&[line]), expected, "{line}");
    }
}

#[test]
fn long_values_are_broken() {
    let shown = last(&["tabulate_2d 3 30 (\\i j -> i * 100 + j)"]);
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(shown.lines().skip(1).all(|l| l.starts_with(" [")), "{shown}");
}

#[test]
fn declarations_are_remembered_and_may_be_replaced() {
    assert_eq!(last(&["def f x = x + 1", "f 2"]), "3");
    assert_eq!(last(&["def x = 1", "def y = x", "def x = true", "(x, y)"]), "(true, 1)");
    assert_eq!(last(&["let x = 1", "let y = 2", "x + y"]), "3");
    assert_eq!(last(&["type t = {a: i32}", "{a = 1} : t"]), "{a = 1}");
    assert_eq!(last(&["module m = {def x = 2}", "open m", "x + m.x"]), "4");
    assert_eq!(
        last(&["module f (p: {val x: i32}) = {def y = p.x + 1}", "module m = f {def x = 1}", "m.y"]),
        "2"
    );
    assert_eq!(last(&["entry main (x: i32) = x", "main 3"]), "3");
    assert_eq!(last(&["def (<+>) a b = a + b * 2", "1 <+> 2"]), "5");
}

#[test]
fn abstract_types() {
    let lines = ["module m: {type t val x: t val get: t -> i32} = {type t = (i32, i32) def x: t = (1, 2) def get (a: t) = a.0}"];
    assert_eq!(last(&[lines[0], "m.get m.x"]), "1");
    let shown = last(&[lines[0], "m.x"]);
    assert!(!shown.is_empty() && !shown.contains("error"), "{shown}");
}

#[test]
fn a_mistake_changes_nothing() {
    let mut session = session();
    session.enter("def x = 1");
    let said = text(session.enter("def y = x + true"));
    assert!(said.contains("[1]:1:13"), "{said}");
    assert!(text(session.enter("y")).contains("Unknown name"));
    assert_eq!(text(session.enter("x")), "1");
}

/// Nothing says what the elements of `[]` are, and somebody has to.
#[test]
fn types_that_nothing_says_are_ambiguous() {
    for line in ["[]", "???", "[[]]", "([], 1)", "head []", "map id []", "(\\x -> x) ???"] {
        let said = last(&["def x = 1", line]);
        assert!(said.contains("the type of this expression is ambiguous"), "{line}: {said}");
        assert_eq!(last(&["def x = 1", line, "x"]), "1");
    }
    assert_eq!(last(&["[] : []i32"]), "[]");
    assert_eq!(last(&["\\x -> x"]), "#<fun>");
}

#[test]
fn messages_are_about_the_line() {
    assert!(last(&["1 +"]).contains("[0]:1:4"));
    assert!(last(&["def x = 1", "def f ="]).contains("[1]:1:8"));
    assert!(last(&["def x = 1", "x +", "x + true"]).contains("[2]:1:5"));
    let said = last(&["def f (x: i32) = 1 / x", "f 0"]);
    assert!(said.starts_with("Error: division by zero") && said.contains("at [0]:1:18"), "{said}");
    assert!(last(&["(iota 3)[5]"]).contains("out of bounds"));
    assert!(last(&["import \"nowhere\""]).contains("Could not read"));
}

#[test]
fn types() {
    assert_eq!(last(&[":type 1 + 2"]), "i32");
    assert_eq!(last(&["def f (x: i32) = [x]", ":t f"]), "(x: i32) -> *[1]i32");
    assert_eq!(last(&[":type map"]), "'a 'x [n] -> (f: a -> x) -> (as: [n]a) -> *[n]x");
    assert_eq!(last(&[":type zip"]), "'a 'b [n] -> (as: [n]a) -> (bs: [n]b) -> *[n](a, b)");
    assert_eq!(last(&[":type \\(x, y) -> (y, x)"]), "'^t '^t1 -> (t, t1) -> (t1, t)");
    let lines = ["type p = {x: i32}", "def f (a: p) = [a]"];
    assert_eq!(last(&[lines[0], lines[1], ":type f"]), "(a: p) -> *[1]p");
    assert_eq!(last(&[lines[0], lines[1], ":expand f"]), "(a: {x: i32}) -> *[1]{x: i32}");
    let lines = ["type id 'a = a\ntype p = {x: id i32}", "def f (a: id p) (x: id i32) = (a, x)"];
    assert_eq!(last(&[lines[0], lines[1], ":type f"]), "(a: p) -> (x: i32) -> (p, i32)");
    // Sizes that an abbreviation hides are not said, unless something else mentions them.
    let hiding = "type~ row = []i32\ntype~ bag [n] 'a = {ids: [n]i32, of: []a}";
    for (function, given, expanded) in [
        ("def f (xs: row): row = filter (> 9) xs", "(xs: row) -> row", "[d] -> (xs: [d]i32) -> ?[m].[m]i32"),
        ("def f (xs: row) = xs", "[d] -> (xs: [d]i32) -> [d]i32", "[d] -> (xs: [d]i32) -> [d]i32"),
        (
            "def f [n] (b: bag [n] u8) = n",
            "[n] -> (b: bag [n] u8) -> i64",
            "[n] [d] -> (b: {ids: [n]i32, of: [d]u8}) -> i64",
        ),
    ] {
        assert_eq!(last(&[hiding, function, ":type f"]), given);
        assert_eq!(last(&[hiding, function, ":expand f"]), expanded);
    }
    assert!(last(&[":type 1 +"]).contains("Unexpected"));
    assert!(last(&[":type 1 + true"]).contains("Cannot apply"));
}

#[test]
fn module_types() {
    let shown = last(&["module m = {type t = i32 def x: t = 2 def (+) a b = a i32.+ b}", ":mtype m"]);
    assert!(shown.starts_with("{\n  type t = i32\n  val x : "), "{shown}");
    assert!(last(&[":mtype i32"]).contains("val (+) : "));
    assert!(last(&[":mtype nothing"]).contains("Unknown"));
    assert!(last(&[":mtype {"]).contains("Unexpected"));
    assert_eq!(last(&[":mtype {}"]), "{}");
}

#[test]
fn commands() {
    assert_eq!(last(&[":quit"]), "quit");
    assert_eq!(last(&[":q"]), "quit");
    assert!(last(&[":help"]).contains(":mtype MODULE"));
    assert!(last(&[":nonsense"]).contains("there is no command"));
    assert!(last(&[":frame 1"]).contains("nothing has stopped"));
    assert!(last(&[":load"]).contains(":load FILE"));
    assert_eq!(last(&["def x = 2", ":format x is {x}, {{a = x}}."]), "x is 2, {a = 2}.");
    assert!(last(&[":format {x"]).contains("never closed"));
}

#[test]
fn files() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("written");
    write("lib.fut", "def three = 3i32\n");
    write("main.fut", "import \"lib\"\nlocal def secret = three + 1\nentry main = secret\n");
    write("wrong.fut", "def x: i32 = true\n");
    let mut session = session();
    session.enter("def x = 1");
    let main = format!(":load {}", dir.path().join("main").display());
    assert_eq!(text(session.enter(&main)), "");
    assert_eq!(text(session.enter("secret + three")), "7");
    assert!(text(session.enter("x")).contains("Unknown name"), "loading forgets");
    session.enter("def y = secret");
    let wrong = format!(":load {}", dir.path().join("wrong.fut").display());
    assert!(text(session.enter(&wrong)).contains("wrong.fut:1"));
    assert_eq!(text(session.enter("y")), "4", "a file with errors changes nothing");
    write("main.fut", "def changed = 1\n");
    assert_eq!(text(session.enter(":load")), "");
    assert_eq!(text(session.enter("changed")), "1");
}

#[test]
fn imports_bring_names() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("lib.fut").display().to_string();
    std::fs::write(&path, "def three = 3i32\ndef quarter (x: i32) = x / 4\n").expect("written");
    let import = format!("import \"{}\"", path.trim_end_matches(".fut"));
    let mut session = session();
    assert_eq!(text(session.enter(&import)), "");
    assert_eq!(text(session.enter("three + 1")), "4");
    assert_eq!(session.completions("thr").1, ["three"]);
    // What is declared with it hides what it brings.
    assert_eq!(text(session.enter(&format!("{import} def three = 30 def six = 2 * three"))), "");
    assert_eq!(text(session.enter("six + quarter 4")), "61");
    assert_eq!(text(session.enter(&format!("local {import}"))), "");
    let said = text(session.enter(&format!("def a = 1 {import} def b = nowhere")));
    assert!(said.contains(&format!("[5]:1:{}", 10 + import.len() + 10)), "{said}");
    assert!(text(session.enter("import \"nowhere\"")).contains("Could not read"));
}

#[test]
fn traces() {
    let seen = Arc::new(Mutex::new(vec![]));
    let sink = seen.clone();
    let mut session = Session::new(move |line| sink.lock().expect("a lock").push(line.to_owned()));
    assert_eq!(text(session.enter("map (\\x -> #[trace] x * 2) [1, 2]")), "[2, 4]");
    assert_eq!(text(session.enter("#[trace(here)] [1.5]")), "[1.5]");
    let seen = seen.lock().expect("a lock");
    assert_eq!(seen[..2], ["[0]:1:12-26: 2", "[0]:1:12-26: 4"].map(str::to_owned));
    assert_eq!(seen[2], "here: [1.5]");
}

#[test]
fn completion() {
    let mut session = session();
    session.enter("def alphabet = 1");
    session.enter("module greek = {def omega = 1 type omicron = i32}");
    let at = |line: &str| session.completions(line);
    assert_eq!(at("1 + alph"), (4, vec!["alphabet".to_owned()]));
    assert_eq!(at("greek.om"), (6, vec!["omega".to_owned(), "omicron".to_owned()]));
    assert!(at("redu").1.contains(&"reduce".to_owned()));
    assert!(at("mat").1.contains(&"match".to_owned()));
    assert_eq!(at(":mt"), (1, vec!["mtype".to_owned()]));
    assert_eq!(at("nothing.x").1, Vec::<String>::new());
}

/// Enters lines, each time a program stops those for that, and then an empty one; what all of them said.
fn stopped(lines: &[&str], inner: &'static [&'static str]) -> Vec<String> {
    let said = Arc::new(Mutex::new(vec![]));
    let inside = said.clone();
    let mut session = Session::new(|_| {}).stopping(move |mut stop| {
        let mut said = inside.lock().expect("one at a time");
        said.push(format!(
            "stopped {} deep{}",
            stop.places.len(),
            stop.nan.map_or(String::new(), |n| format!(": {n}"))
        ));
        for line in inner {
            said.push(text(stop.session.enter(line)));
        }
    });
    for line in lines {
        let answer = text(session.enter(line));
        said.lock().expect("one at a time").push(answer);
    }
    let said = said.lock().expect("one at a time").clone();
    said
}

#[test]
fn frames_have_variables_of_their_own() {
    let said = stopped(
        &[
            "def f (x: i32) : i32 = #[break] (x + 1)",
            "def g (y: i32) : i32 = let x = y * 2 in f (x + 1)",
            "g 5",
        ],
        &["x", ":frame 1", "(x, y)", ":frame 0", "x", ":frame 7"],
    );
    assert_eq!(said[2..5], ["stopped 3 deep", "11", "   #0 [0]:1:24-40\n-> #1 [1]:1:41-50\n   #2 [2]:1:1-4"]);
    assert_eq!(said[5], "(10, 5)");
    assert_eq!(said[7], "11", "the first frame is the function that stopped");
    assert!(said[8].contains("from 0 to 2"), "{said:?}");
    assert_eq!(said[9], "12");
}

#[test]
fn arrays_that_were_consumed_are_not_there() {
    let said = stopped(
        &["def f (xs: *[]i32) = let ys = xs with [0] = 7 in #[break] ys[0]", "f [1, 2]"],
        &["ys", "xs"],
    );
    assert_eq!(said[1..3], ["stopped 2 deep", "[7, 2]"]);
    assert!(said[3].contains("Unknown name"), "{said:?}");
    assert_eq!(said[4], "7");
}

#[test]
fn programs_stop_where_a_nan_is_made() {
    let said =
        stopped(&[":nanbreak", "def f (x: f32) = (x / x) + 1", "f 0", "f 1", ":nanbreak", "f 0"], &["f 2"]);
    assert!(said[0].contains("stop"), "{said:?}");
    // A sum with a NaN makes no new one.
    assert_eq!(
        said[2..],
        ["stopped 2 deep: 0.0f32 and 0.0f32", "2.0", "f32.nan", "2.0", &said[6], "f32.nan"]
    );
    assert!(said[6].contains("no longer"), "{said:?}");
}

#[test]
fn documentation_of_values() {
    let said = last(&[":doc map"]);
    assert!(
        said.starts_with("map 'a [n] 'x : ") && said.contains("Apply a function to each element."),
        "{said}"
    );
    assert!(last(&[":doc f64.sqrt"]).starts_with("f64.sqrt : "));
    assert!(last(&[":doc f64.sum"]).contains("The sum of all elements."), "that of the module type");
    assert!(last(&[":doc (+)"]).contains("->"));
    let own = last(&["-- | Twice as much.\ndef twice (x: i32) = 2 * x", ":doc twice"]);
    assert_eq!(own, "twice : (x: i32) -> i32\n\nTwice as much.");
    let given = "module m : {\n-- | The middle.\nval mid : i32 -> i32 -> i32\n} = { def mid (x: i32) y = (x + y) / 2 }";
    let functor = format!("module f (p: {{}}) = {{ {given} }}\nmodule g = f {{}}");
    for (program, name) in [(given, "m.mid"), (&functor, "g.m.mid")] {
        assert!(last(&[program, &format!(":doc {name}")]).ends_with("\n\nThe middle."), "{name}");
    }
    assert!(last(&["module m = { def x = 1i32 }", ":doc m"]).starts_with("module m : {\n  val x : i32"));
    assert!(last(&[":doc nothing"]).contains("Unknown name"));
    assert!(last(&[":doc 1 + 2"]).contains("the name of a value"));
}

#[test]
fn commands_without_their_colon_are_understood() {
    assert_eq!(last(&["exit"]), "quit");
    assert_eq!(last(&["quit"]), "quit");
    assert!(last(&["help"]).contains(":load"));
    assert_eq!(last(&["def exit = 5", "exit"]), "5", "names come first");
    assert!(last(&["map"]).contains("#<fun>"));
}
