//! `fehu literate`: documents, what they keep, and what is wrong with them.

use super::{fehu, program, stderr, stdout};
use std::path::Path;
use std::process::Output;

const PROGRAM: &str = "\
-- # Title
--
-- Some text.
def double (x: i32) = 2 * x

-- > double 21

-- > let (a, b) = $loaddata \"numbers.in\" let c = double a in (c, b)

-- > double 2f32

def grid (n: i64) = tabulate_2d n n (\\i j -> f32.i64 (i + j) / 10)
def line = (map f64.i64 (iota 5), map f64.i64 (iota 5))
def move (k: i32) (x: i32, y: i64) = ([[x, k]], (x + k, y))

-- > :img grid 4

-- > :brief :img grid 4;
-- file: grid.gif

-- > :covert :plot2d {up=line, same=line};
-- size: (300, 200)

-- > :video (move 3, (1, 2i64), 4);
-- format: gif

-- > :audio [[1i16, 2], [3, 4]];
-- sampling_frequency: 8000
";

const DOCUMENT: &str = "\
# Title

Some text.

```futhark
def double (x: i32) = 2 * x
```

```
> double 21
```

```
42i32
```


```
> let (a, b) = $loaddata \"numbers.in\" let c = double a in (c, b)
```

```
(10i32, [1i64, 2i64])
```


```
> double 2f32
```

**FAILED**
```
in an argument of double, which takes i32: a value of type f32 stands where i32 is expected
```

```futhark
def grid (n: i64) = tabulate_2d n n (\\i j -> f32.i64 (i + j) / 10)
def line = (map f64.i64 (iota 5), map f64.i64 (iota 5))
def move (k: i32) (x: i32, y: i64) = ([[x, k]], (x + k, y))
```

```
> :img grid 4
```

![](a-img/HASH-img.png)


```
> :img grid 4
```

![](a-img/grid.gif)



![](a-img/HASH-plot.svg)


```
> :video (move 3, (1, 2i64), 4);
format: gif
```

![](a-img/HASH-video.gif)


```
> :audio [[1i16, 2], [3, 4]];
sampling_frequency: 8000
```

![](a-img/HASH-output.wav)
";

/// Makes a document in a folder; other programs are looked for in its folder `bin` only.
fn literate(dir: &Path, args: &[&str]) -> Output {
    let path = format!("{}:{}", dir.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    fehu().arg("literate").args(args).env("PATH", path).current_dir(dir).output().expect("fehu runs")
}

/// A document whose hashes are all the same.
fn document(dir: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(dir.join(name)).expect("a document");
    let is_hash = |word: &str| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let words = text.split_inclusive(['/', '-']);
    words
        .map(|w| match is_hash(w.trim_end_matches('-')) {
            true => "HASH-",
            false => w,
        })
        .collect()
}

fn files(dir: &Path) -> Vec<String> {
    let files = std::fs::read_dir(dir).expect("a folder").flatten();
    let mut names: Vec<String> = files.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_document_and_what_it_keeps() {
    let dir = tempfile::tempdir().expect("a folder");
    program(dir.path(), "a.fut", PROGRAM);
    program(dir.path(), "numbers.in", "5i32 [1i64, 2i64]");
    let done = literate(dir.path(), &["-v", "a.fut"]);
    assert_eq!(done.status.code(), Some(1), "one directive fails");
    assert!(stderr(&done).contains("a.fut:10: `> double 2f32` failed"), "{}", stderr(&done));
    assert_eq!(document(dir.path(), "a.md"), DOCUMENT);
    let folder = dir.path().join("a-img");
    let read = |ending: &str| {
        let name = files(&folder).into_iter().find(|f| f.ends_with(ending)).expect(ending);
        std::fs::read(folder.join(name)).expect("a file")
    };
    assert!(read("-img.png").starts_with(b"\x89PNG"));
    assert!(read("grid.gif").starts_with(b"GIF89a"));
    assert!(read("-video.gif").starts_with(b"GIF89a"));
    assert!(String::from_utf8_lossy(&read("-plot.svg")).contains(">same</text>"));
    assert_eq!(&read("-output.wav")[44..], [1, 0, 3, 0, 2, 0, 4, 0]);

    // What has not changed is not executed again: neither another text nor a file of another program matters.
    let before = files(&folder);
    program(&folder, "mine.txt", "");
    program(
        dir.path(),
        "a.fut",
        &PROGRAM.replace("Some text", "Another text").replace("-- > double 2f32\n\n", ""),
    );
    let done = literate(dir.path(), &["-v", "a.fut"]);
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(
        !stderr(&done).contains("executing") && !stderr(&done).contains("compiling"),
        "{}",
        stderr(&done)
    );
    assert!(document(dir.path(), "a.md").contains("Another text.\n\n"));

    // A file that a directive loads does, and old results go.
    program(dir.path(), "numbers.in", "6i32 [1i64, 2i64]");
    let done = literate(dir.path(), &["-v", "a.fut"]);
    assert_eq!(stderr(&done).matches("executing").count(), 1, "{}", stderr(&done));
    assert!(document(dir.path(), "a.md").contains("(12i32, [1i64, 2i64])"));
    let after = files(&folder);
    assert_eq!(after.len(), before.len() + 1, "{before:?} {after:?}");
    assert!(after.contains(&"mine.txt".to_owned()));
}

#[test]
fn mistakes_are_reported_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    program(dir.path(), "a.fut", "def f = 1\n\n-- > :image f\n\n-- > :img f;\n-- file: ../x\n\n-- > f (\n");
    let done = literate(dir.path(), &["a.fut"]);
    assert_eq!(done.status.code(), Some(1));
    for part in ["no directive `:image`", "a.fut:3:1", "a.fut:6:1", "a.fut:8:1"] {
        assert!(stderr(&done).contains(part), "{part}: {}", stderr(&done));
    }
    assert_eq!(files(dir.path()), ["a.fut"]);
}

#[test]
fn the_first_failure_ends_it_if_asked_to() {
    let dir = tempfile::tempdir().expect("a folder");
    program(
        dir.path(),
        "a.fut",
        "def f (x: i32) = 1 / #[trace] x\n\n-- > f 0\n\n-- > $store \"y\" (f 1)\n\n-- > f 1\n",
    );
    let done = literate(dir.path(), &["--stop-on-error", "a.fut"]);
    assert_eq!(done.status.code(), Some(1));
    assert!(!stderr(&done).contains("f 1"), "{}", stderr(&done));
    assert_eq!(files(dir.path()), ["a.fut"]);

    // Otherwise the others follow; documents write nothing but what they show.
    let done = literate(dir.path(), &["-v", "-o", "b.md", "a.fut"]);
    assert_eq!(done.status.code(), Some(1));
    let text = document(dir.path(), "b.md");
    assert!(text.contains("division by zero") && text.contains("no built-in function $store"), "{text}");
    assert!(text.ends_with("```\n1i32\n```\n"), "{text}");
    assert_eq!(stdout(&done), "a.fut:1:22-32: 0\na.fut:1:22-32: 1\na.fut:1:22-32: 1\n");
    assert_eq!(files(dir.path()), ["a.fut", "b-img", "b.md"]);
}

/// Programs that write what they get to the file that they are asked for.
#[test]
fn other_programs_are_run_as_documented() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a folder");
    let tool = |name: &str, text: &str| {
        let path = program(&dir.path().join("bin"), name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    };
    std::fs::create_dir(dir.path().join("bin")).expect("a folder");
    tool(
        "gnuplot",
        "script=$(cat); out=$(echo \"$script\" | sed -n \"s/^set output '\\(.*\\)'/\\1/p\")\n\
         data=$(echo \"$script\" | sed -n \"s/^pts='\\(.*\\)'/\\1/p\")\n\
         { echo \"$script\" | tail -n 1; cat \"$data\"; } > \"$out\"",
    );
    tool("ffmpeg", "for last; do :; done\ncase $last in file:*) cat > \"${last#file:}\";; *) cat;; esac");
    tool("convert", "cat");
    program(
        dir.path(),
        "a.fut",
        "def pts = ([1i32, 2], [3f32, 4])\n\n\
         -- > :gnuplot {pts=pts};\n-- set term png size 30,40\n-- plot pts\n\n\
         -- > :video [[[0x010203i32]]];\n-- repeat: false\n\n\
         -- > :audio [1u8];\n-- codec: ogg\n\n\
         -- > :img [[1u8]];\n-- file: x.jpg\n\n\
         -- > $loadaudio \"sound\"\n",
    );
    program(dir.path(), "sound", "RIFF");
    let done = literate(dir.path(), &["a.fut"]);
    let folder = dir.path().join("a-img");
    let read = |ending: &str| {
        let name = files(&folder).into_iter().find(|f| f.ends_with(ending));
        let name = name.unwrap_or_else(|| panic!("{ending}: {}", stderr(&done)));
        std::fs::read(folder.join(name)).expect("a file")
    };
    assert_eq!(String::from_utf8_lossy(&read("-plot.png")), "plot pts\n1 3 \n2 4 \n");
    assert_eq!(read("-video.webm"), [1, 2, 3]);
    assert!(read("-output.ogg").starts_with(b"RIFF"));
    assert!(read("x.jpg").starts_with(b"\x89PNG"));
    let text = document(dir.path(), "a.md");
    assert!(text.contains("-video.webm){loop=\"false\"}"), "{text}");
    assert!(text.contains("sound cannot be read as a sound: it is no WAV file"), "{text}");
}
