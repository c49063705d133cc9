use super::*;
use crate::binary::write_binary;
use crate::generate::{random_value, Bounds, Rng};
use crate::text::{write_text, Layout};
use crate::value::{Data, ValueType};
use fehu_base::prim::ScalarType;
use half::f16;

/// The values of a text, printed again, one a line.
fn check(text: &str) -> String {
    let values = read_values(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
    values.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn error(text: &str) -> String {
    read_values(text.as_bytes()).expect_err(text).to_string()
}

#[test]
fn scalars() {
    assert_eq!(check("1 2i8 3.0 4f32 5.5f16 true false"), "1i32\n2i8\n3.0f64\n4.0f32\n5.5f16\ntrue\nfalse");
    assert_eq!(
        check("0x10 0b101 0xffu8 1_000 -0x10 +5 -0"),
        "16i32\n5i32\n255u8\n1000i32\n-16i32\n5i32\n0i32"
    );
    assert_eq!(
        check("18446744073709551615u64 -9223372036854775808i64"),
        "18446744073709551615u64\n-9223372036854775808i64"
    );
    assert_eq!(check("f32.nan -f32.inf f64.inf f16.nan"), "f32.nan\n-f32.inf\nf64.inf\nf16.nan");
    assert_eq!(
        check("1e5 1.5E-3f32 1e+5f32 1_0.0_1 -0.0"),
        "100000.0f64\n1.5e-3f32\n100000.0f32\n10.01f64\n-0.0f64"
    );
    assert_eq!(check("100000f16 0.1f16 6e-8f16"), "f16.inf\n9.9975586e-2f16\n5.9604645e-8f16");
    assert_eq!(
        check("1e7 9999999.0 0.1 0.09 1e100 5e-324 1e400"),
        "1.0e7f64\n9999999.0f64\n0.1f64\n9.0e-2f64\n1.0e100f64\n5.0e-324f64\nf64.inf"
    );
    assert_eq!(check("-- a comment\n1 -- more\n2 --"), "1i32\n2i32");
    assert_eq!(check(""), "");
}

#[test]
fn arrays() {
    assert_eq!(check("[1i64,2, 3,]"), "[1i64, 2i64, 3i64]");
    assert_eq!(check("[[1u8],[2],[3]] [ 1.0 , 2 ]"), "[[1u8], [2u8], [3u8]]\n[1.0f64, 2.0f64]");
    assert_eq!(check("[f32.nan, 1, -2.5]"), "[f32.nan, 1.0f32, -2.5f32]");
    assert_eq!(
        check("empty([0]i32) empty([2][0]f16) empty([0][3]bool)"),
        "empty([0]i32)\nempty([2][0]f16)\nempty([0][3]bool)"
    );
    assert_eq!(check(r#""a\n\"\65\x41" "æ""#), "[97u8, 10u8, 34u8, 65u8, 65u8]\n[195u8, 166u8]");
    assert_eq!(check(r#"["ab","cd"] """#), "[[97u8, 98u8], [99u8, 100u8]]\nempty([0]u8)");
    assert_eq!(check("[empty([0]i32)]"), "empty([1][0]i32)");
    assert_eq!(check("[[empty([0][2]f32)], [empty([0][2]f32)]]"), "empty([2][1][0][2]f32)");
    let mut rows = String::new();
    let cube = read_values(b"[[[1,2],[3,4]],[[5,6],[7,8]]]").unwrap().remove(0);
    write_text(&cube, Layout::Rows, &mut rows).unwrap();
    assert_eq!(rows, "[[[1i32, 2i32],\n  [3i32, 4i32]],\n [[5i32, 6i32],\n  [7i32, 8i32]]]");
}

#[test]
fn numbers_outside_of_their_types() {
    let out_of = |text: &str, t: &str, range: &str| {
        let wanted = format!("1:1: '{text}' is out of range: the numbers of type {t} are {range}");
        assert_eq!(error(text), wanted);
    };
    out_of("300i8", "i8", "-128 to 127");
    out_of("-129i8", "i8", "-128 to 127");
    out_of("0xffi8", "i8", "-128 to 127");
    out_of("-1u8", "u8", "0 to 255");
    out_of("256u8", "u8", "0 to 255");
    out_of("65536u16", "u16", "0 to 65535");
    out_of("2147483648", "i32", "-2147483648 to 2147483647");
    out_of("4294967298", "i32", "-2147483648 to 2147483647");
    out_of("-9223372036854775809i64", "i64", "-9223372036854775808 to 9223372036854775807");
    out_of("18446744073709551616u64", "u64", "0 to 18446744073709551615");
    out_of(&"9".repeat(70), "i32", "-2147483648 to 2147483647");
    assert_eq!(check("-128i8 127i8 255u8 -0u8 0xffffffffu32"), "-128i8\n127i8\n255u8\n0u8\n4294967295u32");
    assert!(error("[1u8, 300]").contains("1:7: '300' is out of range: the numbers of type u8 are 0 to 255"));
}

#[test]
fn values_of_given_types() {
    let read = |text: &str, elem, rank| match Reader::new(text.as_bytes()).value_of(elem, rank) {
        Ok(value) => value.to_string(),
        Err(e) => e.message,
    };
    assert_eq!(read("11", ScalarType::F64, 0), "11.0f64");
    assert_eq!(read("0x1p4", ScalarType::F32, 0), "16.0f32");
    assert_eq!(read("nan", ScalarType::F16, 0), "f16.nan");
    assert_eq!(read("1_000", ScalarType::I64, 0), "1000i64");
    assert_eq!(read("1i32", ScalarType::I64, 0), "'1i32' is no value of type i64");
    assert_eq!(read("[1, 2]", ScalarType::I64, 1), "[1i64, 2i64]");
    assert_eq!(read("[]", ScalarType::I64, 1), "empty([0]i64)");
    assert_eq!(read("[[],[]]", ScalarType::I64, 2), "empty([2][0]i64)");
    assert_eq!(
        read("[]", ScalarType::I64, 2),
        "cannot see all sizes of an empty array; write 'empty([0]...i64)'"
    );
    assert_eq!(read("\"ab\"", ScalarType::U8, 1), "[97u8, 98u8]");
    assert_eq!(read("\"ab\"", ScalarType::I8, 1), "unexpected character '\"'");
    assert_eq!(read("[[1]]", ScalarType::I8, 1), "unexpected character '['");
    assert_eq!(read("[1]", ScalarType::I8, 2), "expected '['");
    assert_eq!(read("empty([0]i32)", ScalarType::I8, 1), "expected elements of type i8, not 'i32'");
    assert_eq!(read("empty([0]i32)", ScalarType::I32, 2), "expected '['");
    assert_eq!(read("5", ScalarType::I8, 1), "expected an array, not '5'");
    assert_eq!(read("", ScalarType::I8, 0), "unexpected end of input");
    let mut bytes = Vec::new();
    write_binary(&Value::scalar(5i32), &mut bytes);
    let binary = Reader::new(&bytes).value_of(ScalarType::I64, 1).map_err(|e| e.message);
    let message = "expected binary data of rank 1 and element type 'i64', got rank 0 and type ' i32'";
    assert_eq!(binary, Err(message.to_owned()));
}

#[test]
fn mistakes_have_places() {
    assert_eq!(error("1\n [[1,2],[3]]"), "2:12: rows have 2 and 1 elements");
    assert_eq!(error("[1, 2.0]"), "1:5: '2.0' is no value of type i32");
    assert_eq!(error("[f64.nan, 1f32]"), "1:11: '1f32' is no value of type f64");
    assert_eq!(error("[[1], 2]"), "1:7: expected '['");
    assert_eq!(error("[1, [2]]"), "1:5: unexpected character '['");
    assert_eq!(error("[[]]"), "1:1: cannot see all sizes of an empty array; write 'empty([0]...i32)'");
    assert_eq!(error("[empty([0]i32), [1]]"), "1:20: rows have 0 and 1 elements");
    assert_eq!(error("[empty([0]i32), empty([0]i8)]"), "1:26: expected elements of type i32, not 'i8'");
    assert_eq!(error("[empty([0]i32), empty([0][1]i32)]"), "1:26: unexpected character '['");
    assert_eq!(error("[1 2]"), "1:4: expected ',' or ']' after an element");
    assert_eq!(error("[1, 2"), "1:6: expected ',' or ']' after an element");
    assert_eq!(error("nan"), "1:1: 'nan' is no value");
    assert_eq!(error("1f8"), "1:1: '1f8' is no value");
    assert_eq!(error("1.5i32"), "1:1: '1.5i32' is no value of type f64");
    assert_eq!(error("empty([2][3]i32)"), "1:6: an empty array must have a size that is 0");
    assert_eq!(error("\"abc"), "1:1: a string that does not end");
    assert_eq!(error("b\x03"), "1:2: binary data ends too early");
    assert_eq!(error("b\x03\0 i32"), "1:1: binary data of version 3, but only version 2 is known");
    assert_eq!(error("b\x02\0bool\x02"), "1:1: a byte of binary data is no boolean");
    for text in [
        "- 5",
        "[,]",
        "[1,,2]",
        "1i32x",
        "0x",
        "1e",
        "1,2",
        "()",
        "'a'",
        "-true",
        "5bool",
        "\"\\q\"",
        "[",
        "empty(",
        "b",
        "\u{e6}",
        "..5",
        "1.2.3",
        "0x1p",
        "_1",
        "empty(i32)",
    ] {
        error(text);
    }
    assert!(error(&"[".repeat(100_000)).contains("more than 255 dimensions"));
    assert!(error(&format!("empty({}i32)", "[0]".repeat(1000))).contains("more than 255 dimensions"));
}

#[test]
fn headers_that_promise_too_much() {
    let header = |dims: &[u64]| {
        let mut bytes = vec![b'b', 2, dims.len() as u8];
        bytes.extend_from_slice(b" i64");
        dims.iter().for_each(|d| bytes.extend_from_slice(&d.to_le_bytes()));
        bytes
    };
    for dims in [&[1 << 40][..], &[u64::MAX], &[1 << 32, 1 << 32], &[1 << 61], &[3]] {
        assert!(read_values(&header(dims)).is_err(), "{dims:?}");
    }
    assert_eq!(read_values(&header(&[1 << 40, 0])).unwrap()[0].to_string(), "empty([1099511627776][0]i64)");
}

/// Values of every type and several shapes, with elements at the edges.
fn samples() -> Vec<Value> {
    let mut rng = Rng::new(42);
    let mut samples = Vec::new();
    for elem in ScalarType::ALL {
        for shape in [vec![], vec![1], vec![7], vec![2, 3], vec![2, 1, 3], vec![0], vec![3, 0, 2]] {
            let t = ValueType { shape, elem };
            samples.push(random_value(&t, &Bounds::default(), &mut rng).unwrap());
        }
    }
    // Random bits make floats of all magnitudes.
    let bits: Vec<u64> = (0..2000).map(|_| rng.next_u64()).collect();
    samples.push(Value::vector(bits.iter().map(|&b| f64::from_bits(b)).collect()));
    samples.push(Value::vector(bits.iter().map(|&b| f32::from_bits(b as u32)).collect()));
    samples.push(Value::vector((0..=u16::MAX).map(f16::from_bits).collect()));
    samples
}

/// Text has one NaN.
fn one_nan(value: &Value) -> Value {
    let (shape, data) = value.clone().into_parts();
    let data = match data {
        Data::F16(v) => Data::F16(v.into_iter().map(|x| if x.is_nan() { f16::NAN } else { x }).collect()),
        Data::F32(v) => Data::F32(v.into_iter().map(|x| if x.is_nan() { f32::NAN } else { x }).collect()),
        Data::F64(v) => Data::F64(v.into_iter().map(|x| if x.is_nan() { f64::NAN } else { x }).collect()),
        data => data,
    };
    Value::new(shape, data).unwrap()
}

#[test]
fn what_is_printed_reads_back() {
    let samples = samples();
    let mut mixed = Vec::new();
    for value in &samples {
        for layout in [Layout::OneLine, Layout::Rows] {
            let mut text = String::new();
            write_text(value, layout, &mut text).unwrap();
            assert_eq!(read_values(text.as_bytes()).unwrap(), [one_nan(value)]);
        }
        let mut bytes = Vec::new();
        write_binary(value, &mut bytes);
        assert_eq!(read_values(&bytes).unwrap(), std::slice::from_ref(value));
        mixed.extend_from_slice(&bytes);
        mixed.extend_from_slice(format!("\n{value}\n").as_bytes());
    }
    assert_eq!(read_values(&mixed).unwrap().len(), 2 * samples.len());
}

#[test]
fn mutated_input_never_panics() {
    let mut rng = Rng::new(7);
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for value in samples().iter().filter(|v| v.data().len() < 100) {
        seeds.push(value.to_string().into_bytes());
        let mut bytes = Vec::new();
        write_binary(value, &mut bytes);
        seeds.push(bytes);
    }
    seeds.push(br#"["a\n\x41", "b\65"] -- c"#.to_vec());
    let alphabet = b"[](),-+.\"\\ \n0123456789_xbeEfiu\xff\x00empty";
    for _ in 0..2000 {
        let mut bytes = seeds[rng.up_to(seeds.len() as u64 - 1) as usize].clone();
        for _ in 0..=rng.up_to(4) {
            let at = rng.up_to(bytes.len() as u64) as usize;
            let byte = alphabet[rng.up_to(alphabet.len() as u64 - 1) as usize];
            match rng.up_to(3) {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                2 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        if let Ok(values) = read_values(&bytes) {
            for value in values {
                assert_eq!(read_values(value.to_string().as_bytes()).unwrap(), [one_nan(&value)]);
            }
        }
    }
}
