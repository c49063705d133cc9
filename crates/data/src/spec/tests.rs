use super::*;

/// The spec of a block with these lines.
fn block(lines: &str) -> Result<ProgramSpec, DataError> {
    let source: String = lines.lines().map(|l| format!("-- {l}\n")).collect();
    ProgramSpec::parse(&source).map(|spec| spec.expect("a block"))
}

fn runs(spec: &ProgramSpec) -> Vec<(String, String, String)> {
    let Action::Run(run) = &spec.action else { panic!("must compile") };
    let each = |e: &EntrySpec| {
        let entry = e.entry.clone();
        let row = move |r: &TestRun| {
            let expected = match &r.expected {
                Expected::Success => "success".to_string(),
                Expected::Values(v) => spaced(v),
                Expected::File(f) => format!("@{f}"),
                Expected::Auto => "auto".to_string(),
                Expected::Error(p) => format!("/{p}/"),
            };
            (entry.clone(), format!("{}{}", spaced(&r.tags), r.dataset_name()), expected)
        };
        e.runs.iter().map(row).collect::<Vec<_>>()
    };
    run.entries.iter().flat_map(each).collect()
}

fn rows(spec: &ProgramSpec) -> Vec<String> {
    runs(spec).into_iter().map(|(e, d, x)| format!("{e} | {d} | {x}")).collect()
}

#[test]
fn cases_of_all_kinds() {
    let spec = block(
        "Text before.\n==\ntags { a b-c d_1 }\nentry: f g\ninput { [1,2] 5 } output { 6 }\n\
         random compiled input { [100]i32 10i64 } auto output\n\"named\" input @ data/x.in output @ data/x.out.gz\n\
         script input { let x = {a=\"}\"}   in f x }\nno_cuda nobench input {\n [[1],\n  [2]] }\nerror: out of (bounds|luck)",
    )
    .unwrap();
    assert_eq!(spec.description, "Text before.");
    assert_eq!(spec.tags, ["a", "b-c", "d_1"]);
    let expected = [
        "#0 (\"[1i32, 2i32] 5i32\") | 6i32",
        "compiled[100]i32 10i64 | auto",
        "named | @data/x.out.gz",
        "let x = {a=\"}\"} in f x | success",
        "no_cuda nobench#4 (\"[[1i32], [2i32]]\") | /out of (bounds|luck)/",
    ];
    let both: Vec<String> = ["f", "g"].iter().flat_map(|e| expected.map(|x| format!("{e} | {x}"))).collect();
    assert_eq!(rows(&spec), both);
}

#[test]
fn blocks_add_up() {
    let source = "-- ==\n-- entry: f\n-- input { 1 }\nentry f x = x\n\n-- no block\n-- ==\n-- input { 2 }\n\n-- ==\n-- warning: ^$\n-- structure gpu-mem { SegRed 1 /Screma/BinOp 0 }\n-- structure { }\n-- property: p q\n-- property: r\n";
    let spec = ProgramSpec::parse(source).unwrap().unwrap();
    assert_eq!(rows(&spec), ["f | #0 (\"1i32\") | success", "main | #0 (\"2i32\") | success"]);
    let Action::Run(run) = &spec.action else { panic!("must compile") };
    assert_eq!(run.properties, ["p", "q", "r"]);
    assert!(
        run.warnings[0].matches("")
            && run.warnings[0].matches("\n")
            && !run.warnings[0].matches("Warning\n\n")
    );
    assert_eq!(run.structures[0].pipeline.as_deref(), Some("gpu-mem"));
    assert_eq!(run.structures[0].counts, [("SegRed".to_string(), 1), ("/Screma/BinOp".to_string(), 0)]);
    assert_eq!(run.structures[1], StructureTest { pipeline: None, counts: vec![] });
    assert_eq!(run.entries[1].runs[0].line, 8);
}

#[test]
fn compile_errors() {
    let spec = block("==\nerror: \"a\".*consumed").unwrap();
    let Action::CompileError(pattern) = &spec.action else { panic!("must not compile") };
    assert!(pattern.matches("Using variable \"a\", but this\nwas   consumed at 3."));
    assert!(block("==\nerror:").is_ok());
    assert!(block("==\nerror: x\ninput { 1 }").is_err());
    assert!(block("==\ninput { 1 }\noutput { 1 }\nerror: x").is_err());
}

#[test]
fn programs_without_blocks() {
    assert!(ProgramSpec::parse("-- A comment.\n  -- ==\ndef main = 1\n").unwrap().is_none());
    assert!(ProgramSpec::parse("").unwrap().is_none());
    let empty = ProgramSpec::parse("-- ==").unwrap().unwrap();
    assert!(rows(&empty).is_empty());
    assert!(rows(&block("==\nentry: f").unwrap()).is_empty());
}

#[test]
fn mistakes_have_places() {
    let error = |lines| block(lines).expect_err(lines).to_string();
    assert_eq!(error("==\ninput { 1 2"), "3:1: unexpected end of input");
    assert_eq!(error("==\ninput { [1,\n  2.0] }"), "3:6: '2.0' is no value of type i32");
    assert_eq!(error("==\nfoo bar"), "3:1: expected `input`, but found the end of the input");
    assert_eq!(error("==\nerror: (").lines().next().unwrap(), "2:4: malformed pattern: regex parse error:");
    assert_eq!(error("==\nrandom output { 1 }"), "2:11: expected `input`, but found `output`");
    for lines in [
        "==\n\"name",
        "==\nentry:",
        "==\nentry f",
        "==\nstructure { A }",
        "==\ntags { ! }",
        "==\ninput @",
        "==\nscript input { {",
        "==\n}",
        "==\nrandom input { []i32 }",
    ] {
        assert!(block(lines).is_err(), "{lines}");
    }
}

#[test]
fn mutated_blocks_never_panic() {
    let seed = "-- Text\n-- ==\n-- tags { a }\n-- entry: f\n-- \"n\" compiled input { [1,2] \"s\" } output { 6.0f32 }\n-- random input { [10]i32 } auto output\n-- script input { f {x=1} }\n-- error: a.*\n-- structure gpu { SegRed 1 }\n-- property: p\n-- warning: w\n";
    let alphabet = "{}[]:@\"\\-\n=é1 (*";
    let mut rng = crate::generate::Rng::new(3);
    for _ in 0..2000 {
        let mut text: Vec<char> = seed.chars().collect();
        for _ in 0..=rng.up_to(5) {
            if text.len() < 2 {
                break;
            }
            let at = rng.up_to(text.len() as u64 - 1) as usize;
            let new = alphabet.chars().nth(rng.up_to(alphabet.chars().count() as u64 - 1) as usize);
            match rng.up_to(3) {
                0 => text.splice(at..at, new).for_each(drop),
                1 => text.splice(at..=at, new).for_each(drop),
                2 => drop(text.remove(at)),
                _ => text.truncate(at),
            }
        }
        let _ = ProgramSpec::parse(&text.into_iter().collect::<String>());
    }
}

#[test]
fn numbers_outside_of_their_types() {
    let error = |lines: &str| block(lines).map(|_| ()).map_err(|e| e.message);
    let range = "the numbers of type i32 are -2147483648 to 2147483647";
    assert_eq!(
        error("==\ninput { 1 } output { 4294967298 }"),
        Err(format!("'4294967298' is out of range: {range}"))
    );
    // Futhark's own tests write bits so.
    assert_eq!(error("==\ninput { 255i8 32767i8 -271733879u32 }"), Ok(()));
}
