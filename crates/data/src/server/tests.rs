use super::*;

/// Runs commands against canned answers; what was sent.
fn talk<T>(answers: &str, f: impl FnOnce(&mut Server<&[u8], &mut Vec<u8>>) -> T) -> (T, String) {
    let script = format!("%%% OK\n{answers}");
    let mut sent = Vec::new();
    let mut server = Server::new(script.as_bytes(), &mut sent).unwrap();
    let result = f(&mut server);
    (result, String::from_utf8(sent).unwrap())
}

#[test]
fn calls_report_their_runtime() {
    let (report, sent) = talk("Trace: 3\nruntime: 1234\n%%% OK\n", |s| s.call("main", &["o"], &["x", "y"]));
    assert_eq!(report.unwrap(), CallReport { runtime_us: Some(1234), log: vec!["Trace: 3".to_string()] });
    assert_eq!(sent, "call main o x y\n");
}

#[test]
fn failures_leave_the_server_ready() {
    let answers = "logged\n%%% FAILURE\nError: out of\nbounds\n%%% OK\nmain\nfoo\n%%% OK\n";
    let (result, _) = talk(answers, |s| (s.call("f", &["o"], &[]), s.entry_points()));
    match result.0.unwrap_err() {
        ServerError::Failure { message, log } => {
            assert_eq!((message.as_str(), log), ("Error: out of\nbounds", vec!["logged".to_string()]));
        }
        other => panic!("{other}"),
    }
    assert_eq!(result.1.unwrap(), ["main", "foo"]);
}

#[test]
fn an_end_is_not_an_answer() {
    let (result, _) = talk("dying\n", |s| s.clear());
    assert_eq!(result.unwrap_err().to_string(), "the server ended during `clear`, after saying:\ndying");
    let result = Server::new(&b""[..], Vec::new());
    assert_eq!(result.unwrap_err().to_string(), "the server ended before it was ready");
}

#[test]
fn words_are_quoted() {
    let (_, sent) = talk("%%% OK\n", |s| s.restore("a file.in", &[("x", "[]i32"), ("y", "")]));
    assert_eq!(sent, "restore \"a file.in\" x []i32 y \"\"\n");
    let (result, sent) = talk("", |s| s.free(&["a\"b"]));
    assert!(matches!(result, Err(ServerError::Word(_))) && sent.is_empty());
    let (result, _) = talk("", |s| s.free(&["a\nb"]));
    assert!(matches!(result, Err(ServerError::Word(_))));
}

#[test]
fn answers_are_typed() {
    let answers = "*[]i32\ni64\n%%% OK\n*(i32, bool)\n%%% OK\nrecord\n%%% OK\n2\n3\n%%% OK\na i32\nb (i32, bool)\n%%% OK\nfoo\n- i32\n- []f32\nbar\n%%% OK\nmain.x threshold (!a b)\n%%% OK\n2\n%%% OK\n";
    let (_, sent) = talk(answers, |s| {
        let inputs = s.inputs("f").unwrap();
        assert_eq!(inputs.iter().map(ServerType::to_string).collect::<Vec<_>>(), ["*[]i32", "i64"]);
        assert_eq!(s.output("f").unwrap(), ServerType { unique: true, name: "(i32, bool)".to_string() });
        assert_eq!(s.kind("(i32, bool)").unwrap(), Kind::Record);
        assert_eq!(s.shape("v").unwrap(), [2, 3]);
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(s.fields("t").unwrap(), [pair("a", "i32"), pair("b", "(i32, bool)")]);
        let variants = s.variants("t").unwrap();
        assert_eq!(variants[0].payload, ["i32", "[]f32"]);
        assert_eq!((variants[1].name.as_str(), variants[1].payload.len()), ("bar", 0));
        assert_eq!(s.tuning_params("f").unwrap(), [pair("main.x", "threshold (!a b)")]);
        assert_eq!(s.rank("[][]i32").unwrap(), 2);
    });
    assert!(sent.contains("kind \"(i32, bool)\"\n"), "{sent}");
}

#[test]
fn nonsense_is_an_error() {
    let (result, _) = talk("what\n%%% OK\n", |s| s.kind("i32"));
    assert_eq!(result.unwrap_err().to_string(), "the server's answer to `kind i32` makes no sense: what");
    let (result, _) = talk("- i32\n%%% OK\n", |s| s.variants("t"));
    assert!(matches!(result, Err(ServerError::Protocol { .. })));
    let (result, _) = talk("1\n2\n%%% OK\n", |s| s.rank("t"));
    assert!(matches!(result, Err(ServerError::Protocol { .. })));
}

#[test]
fn commands_of_many_words() {
    let answers = "%%% OK\n".repeat(8);
    let (_, sent) = talk(&answers, |s| {
        s.new_array("a", "[][]i32", &[1, 2], &["x", "y"]).unwrap();
        s.set("a", "x", &[0, 1]).unwrap();
        s.index("b", "a", &[0, 0]).unwrap();
        s.new_record("r", "t", &["x", "y"]).unwrap();
        s.construct("c", "t", "foo", &["x"]).unwrap();
        s.unzip("a", &["x"]).unwrap();
        s.set_tuning_param("main.x", -1).unwrap();
        s.store("f", &["x"]).unwrap();
    });
    let expected = "new_array a [][]i32 1 2 x y\nset a x 0 1\nindex b a 0 0\nnew r t x y\nconstruct c t foo x\nunzip a x\nset_tuning_param main.x -1\nstore f x\n";
    assert_eq!(sent, expected);
}
