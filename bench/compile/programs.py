"""Programs of unusual shapes, in any size: what `shapes.py` compiles.

`SHAPES` has, for each shape, a function from a size to the text of a program, and two sizes: the
growth is measured between them.
"""
import random


def rows(head, line, result="x{n}"):
    """Statements of one kind, one after another: `{i}` is the number of one, `{j}` the next."""
    def program(n):
        lines = [f"  {line}".replace("{i}", str(i)).replace("{j}", str(i + 1)) for i in range(n)]
        return "\n".join([f"entry main {head} ="] + lines + ["  in " + result.replace("{n}", str(n)), ""])
    return program


def nest(level, inmost, result):
    """Something in something else: `{i}` is the number of a level, `{j}` the next, `{inner}` what is in it."""
    def program(n):
        sizes = "".join(f"[n{i}]" for i in range(n))
        code = inmost.replace("{j}", str(n))
        for i in reversed(range(n)):
            code = level.replace("{inner}", code).replace("{i}", str(i)).replace("{j}", str(i + 1))
        ret = result.replace("{sizes}", sizes)
        return f"entry main {sizes} (c: i64) (x0: {sizes}f32) : {ret} = {code}\n"
    return program


def deep(head, before, inmost, after):
    """Something in something else, without types that grow: `{i}` is the number of a level."""
    def program(n):
        opening = "".join(before.replace("{i}", str(i)) for i in range(n))
        closing = "".join(after.replace("{i}", str(i)) for i in reversed(range(n)))
        return f"entry main {head} = {opening}{inmost}{closing}\n"
    return program


def listed(head, opening, item, separator, closing):
    """Many of a kind in one expression."""
    def program(n):
        items = separator.join(item.replace("{i}", str(i)) for i in range(n))
        return f"entry main {head} = {opening}{items}{closing}\n"
    return program


def declared(line, entry):
    """Declarations of one kind; `{i}` is the number of one, `{h}` the one before, `{n}` how many."""
    def program(n):
        lines = [line.replace("{i}", str(i)).replace("{h}", str(max(i - 1, 0))) for i in range(1, n + 1)]
        return "\n".join(lines + [entry.replace("{n}", str(n)), ""])
    return program


def records(n):
    fields = range(n)
    return "\n".join([
        "type r = {" + ", ".join(f"a{k}: f32" for k in fields) + "}",
        "def plus (x: r) (y: r) : r = {" + ", ".join(f"a{k} = x.a{k} + y.a{k}" for k in fields) + "}",
        "def zero : r = {" + ", ".join(f"a{k} = 0" for k in fields) + "}",
        "def make (v: f32) : r = {" + ", ".join(f"a{k} = v * {k}" for k in fields) + "}",
        "entry sum [n] (xs: [n]f32) = reduce plus zero (map make xs)",
        "entry sums [n] (xs: [n]f32) = map (.a1) (scan plus zero (map make xs))",
        ""])


def record_updates(n):
    fields = ", ".join(f"a{k}: i64" for k in range(n))
    values = ", ".join(f"a{k} = v + {k}" for k in range(n))
    updates = "\n".join(f"  let r = r with a{k} = r.a{(k * 7) % n} * 3" for k in range(n))
    return f"type r = {{{fields}}}\nentry main (v: i64) : i64 =\n  let r : r = {{{values}}}\n{updates}\n  in r.a0\n"


def tuples(n):
    names = ", ".join(f"x{i}" for i in range(n))
    values = ", ".join(f"v + {i}" for i in range(n))
    return f"def f ({names}) = {' + '.join(f'x{i}' for i in range(n))} : i64\nentry main (v: i64) : i64 = f ({values})\n"


def sums(n):
    constructors = " | ".join(f"#c{i} i64" for i in range(n))
    cases = "\n".join(f"  case #c{i} x -> x + {i}" for i in range(n))
    makes = " ".join(f"if v == {i} then #c{i} v else" for i in range(n - 1))
    return (f"type s = {constructors}\ndef f (s: s) : i64 = match s\n{cases}\n"
            f"entry main (v: i64) : i64 = f ({makes} #c{n - 1} v)\n")


def diagonal(n):
    """Patterns of which each looks at other columns: matrices of patterns may double with each."""
    cases = []
    for i in range(n):
        row = ["_"] * n
        row[i] = "#a"
        row[(i + 1) % n] = "#b"
        cases.append(f"  case ({', '.join(row)}) -> {i}")
    types = ", ".join(["(#a | #b)"] * n)
    values = ", ".join(f"g (v + {i})" for i in range(n))
    return ("def g (v: i64) : #a | #b = if v % 3 == 0 then #a else #b\n"
            f"def f (x: ({types})) : i64 = match x\n" + "\n".join(cases) + "\n  case _ -> 99\n"
            f"entry main (v: i64) : i64 = f ({values})\n")


def nested_constructors(n):
    """Lists of constructors, in all orders of depth two."""
    names = [f"k{i}" for i in range(n)]
    inner = " | ".join(f"#{k} i64" for k in names)
    cases = "\n".join(f"  case (#{a} x, #{b} y) -> x + y * {i}" for i, (a, b) in
                      enumerate((a, b) for a in names for b in names))
    makes = " ".join(f"if v == {i} then #{k} v else" for i, k in enumerate(names))
    return (f"type s = {inner}\ndef make (v: i64) : s = {makes} #{names[0]} v\n"
            f"def f (x: s, y: s) : i64 = match (x, y)\n{cases}\n"
            "entry main (v: i64) (w: i64) : i64 = f (make v, make w)\n")


def poseidon(partial, width=12, full=8):
    """The permutation of Poseidon over a prime field of 64 bits, with all rounds and all tables written out."""
    numbers = random.Random(7)
    constant = lambda: f"0x{numbers.getrandbits(63):016x}u64"
    lanes = range(width)
    lines = ["def p : u64 = 0xffffffff00000001",
             "def add (a: u64) (b: u64) : u64 = let s = a + b in if s < a || s >= p then s - p else s",
             "def mul (a: u64) (b: u64) : u64 =",
             "  let lo = a * b let hi = u64.mul_hi a b",
             "  let hh = hi >> 32 let hl = hi & 0xffffffff",
             "  let t = lo - hh let t = if lo < hh then t - 0xffffffff else t",
             "  let u = hl * 0xffffffff let r = t + u",
             "  in if r < t then r + 0xffffffff else r",
             "def pow7 (x: u64) : u64 = let x2 = mul x x let x4 = mul x2 x2 in mul (mul x4 x2) x"]
    matrix = "[" + ",\n  ".join("[" + ", ".join(constant() for _ in lanes) + "]" for _ in lanes) + "]"
    lines.append(f"def mds : [{width}][{width}]u64 = {matrix}")
    rounds = full + partial
    table = "[" + ",\n  ".join("[" + ", ".join(constant() for _ in lanes) + "]" for _ in range(rounds)) + "]"
    lines.append(f"def constants : [{rounds}][{width}]u64 = {table}")
    lines.append(f"def permute (s: [{width}]u64) : [{width}]u64 =")
    lines.append("  let (" + ", ".join(f"s{i}" for i in lanes) + ") = (" + ", ".join(f"s[{i}]" for i in lanes) + ")")
    for r in range(rounds):
        for i in lanes:
            lines.append(f"  let a{i} = add s{i} constants[{r}, {i}]")
        is_full = r < full // 2 or r >= rounds - full // 2
        for i in lanes:
            lines.append(f"  let b{i} = pow7 a{i}" if is_full or i == 0 else f"  let b{i} = a{i}")
        for i in lanes:
            dot = f"mul mds[{i}, 0] b0"
            for j in range(1, width):
                dot = f"add ({dot}) (mul mds[{i}, {j}] b{j})"
            lines.append(f"  let s{i} = {dot}")
    lines.append("  in [" + ", ".join(f"s{i}" for i in lanes) + "]")
    lines.append(f"entry main [n] (xs: [n][{width}]u64) : [n][{width}]u64 = map permute xs")
    return "\n".join(lines) + "\n"


def concatenations(n):
    params = " ".join(f"[n{i}]" for i in range(n)) + " " + " ".join(f"(x{i}: [n{i}]i32)" for i in range(n))
    return f"entry main {params} = {' ++ '.join(f'x{i}' for i in range(n))}\n"


def self_concatenations(n):
    return f"entry main [n] (xs: [n]i32) = {' ++ '.join(['xs'] * n)}\n"


def joined_matrices(n):
    lines = [f"  let y{i} = rotate {i + 1} xss" for i in range(n)]
    names = [f"y{i}" for i in range(n)]
    pairs = names[0]
    for name in names[1:]:
        pairs = f"zip {pairs} {name}" if pairs == names[0] else f"zip ({pairs}) {name}"
    rows = names[0]
    total = names[0]
    for name in names[1:]:
        rows, total = f"({rows}, {name})", f"map2 (+) ({total}) {name}"
    return "entry main [n][m] (xss: [n][m]f32) : [n][m]f32 =\n" + "\n".join(lines) + \
        f"\n  in map (\\{rows} -> {total}) ({pairs})\n"


def many_entries(n):
    return "".join(
        f"entry e{k} [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) {k} (map2 (*) xs ys)\n" for k in range(n))


def reductions(n):
    lines = [f"  let x{i} = reduce (+) 0 (map (\\x -> x * {i}) xs)" for i in range(n)]
    return "entry main [n] (xs: [n]i32) : i32 =\n" + "\n".join(lines) + \
        "\n  in " + " + ".join(f"x{i}" for i in range(n)) + "\n"


def wide_maps(n):
    lines = [f"  let x{i} = map (\\x -> x * {i} + 1) xs" for i in range(n)]
    return "entry main [n] (xs: [n]i32) =\n" + "\n".join(lines) + \
        "\n  in (" + ", ".join(f"x{i}" for i in range(n)) + ")\n"


def functors(n):
    lines = ["module type T = { type t val x : t val f : t -> t }",
             "module m0 = { type t = i64 def x : t = 1 def f (v: t) : t = v + 1 }",
             "module F (A: T) : (T with t = A.t) = { type t = A.t def x = A.f A.x def f (v: t) : t = A.f (A.f v) }"]
    lines += [f"module m{i} = {{ type t = m{i-1}.t def x = m{i-1}.x def f (v: t) : t = m{i-1}.f v }}" if i % 10 else
              f"module m{i} = {{ type t = i64 def x : t = {i} def f (v: t) : t = v + {i} }}" for i in range(1, n + 1)]
    lines += [f"module g{i} = F m{i}" for i in range(1, n + 1)]
    lines.append("entry main (v: i64) : i64 = v + " + " + ".join(f"g{i}.f {i}" for i in range(1, n + 1)))
    return "\n".join(lines) + "\n"


def nested_modules(n):
    opening = "".join(f"module m{i} = {{ def v{i} (x: i64) = x + {i} " for i in range(n))
    path = ".".join(f"m{i}" for i in range(n))
    return opening + "}" * n + f"\nentry main (x: i64) : i64 = {path}.v{n - 1} x\n"


def constants(n):
    return "def t : []i32 = [" + ", ".join(str(i * 7919 % 10007) for i in range(n)) + "]\n" \
        "entry main (i: i64) : i32 = t[i]\n"


def tables(n):
    row = lambda i: "[" + ", ".join(str((i * 13 + j * 7) % 97) for j in range(10)) + "]"
    return "def t : [][]i32 = [" + ", ".join(row(i) for i in range(n)) + "]\n" \
        "entry main (i: i64) (j: i64) : i32 = t[i, j]\n"


def string(n):
    return 'def s : []u8 = "' + "abcdefghij" * n + '"\nentry main (i: i64) : u8 = s[i]\n'


def statements_of_a_map(n):
    """Each statement has one more factor than the one before, as a polynomial."""
    lines = [f"  let x{i + 1} = x{i} * y + {i}" for i in range(n)]
    return "entry main [n] (xs: [n]i64) (ys: [n]i64) : [n]i64 = map2 (\\x0 y ->\n" + "\n".join(lines) + \
        f"\n  in x{n}) xs ys\n"


def constants_with_functions(n):
    return "".join(f"def c{k} : [{k + 3}]i64 = map (* {k}) (iota {k + 3})\nentry e{k} (i: i64) : i64 = c{k}[i] + i\n"
                   for k in range(n))


def closures(n):
    lines = [f"  let f{j} = \\x -> f{j - 1} (x + {j})" for j in range(1, n + 1)]
    return "entry main (v: i64) : i64 =\n  let f0 = \\(x: i64) -> x\n" + "\n".join(lines) + f"\n  in f{n} v\n"


def doubled_functions(n):
    lines = ["def f0 (x: i64) : i64 = x * x + 1"]
    lines += [f"def f{i} (x: i64) : i64 = f{i - 1} (f{i - 1} x)" for i in range(1, n + 1)]
    return "\n".join(lines) + f"\nentry main (x: i64) : i64 = f{n} x\n"


SHAPES = {
    "functions that double": (doubled_functions, 30, 300),
    "sizes that double": (rows("[n] (x0: [n]i32) : []i32", "let x{j} = x{i} ++ x{i}"), 20, 60),
    "curried lambdas": (lambda n: "def f = " + "".join(f"\\(x{i}: i64) -> " for i in range(n)) +
                        "x0\nentry main (v: i64) = f " + " ".join(["v"] * n) + "\n", 39, 390),
    "nested dimensions": (lambda n: "entry main (v: i64) = length " + "[" * n + "v" + "]" * n + "\n", 39, 390),
    "statements": (rows("(x0: i64) (y: i64) : i64", "let x{j} = x{i} * {j} ^ y"), 2000, 20000),
    "branches": (rows("(c: i64) (x0: i64) : i64", "let x{j} = if c > {i} then x{i} * 3 else x{i} / (c + 1)"),
                 500, 5000),
    "updates": (rows("(x0: *[]i64) : []i64", "let x{j} = x{i} with [{i} % 50] = x{i}[{i} % 7] + {i}"), 1000, 10000),
    "nests in a row": (rows("[n][m] (x0: [n][m]f32) : [n][m]f32",
                            "let x{j} = map (\\r -> let s = f32.sum r in map (\\x -> x / s + {i}) r) x{i}"), 50, 500),
    "scatters": (rows("[n] (is: [n]i64) (x0: *[n]i32) : [n]i32",
                      "let x{j} = scatter x{i} is (map (+ {i}) (copy x{i}))"), 30, 300),
    "histograms": (rows("[n] (is: [n]i64) (vs: [n]i32) (x0: [64]i32) : [64]i32",
                        "let x{j} = reduce_by_index (copy x{i}) (+) 0 is (map (* {i}) vs)"), 30, 300),
    "filters": (rows("[n] (x0: [n]i32) : []i32", "let x{j} = filter (\\x -> x % ({i} + 2) != 0) x{i}"), 30, 300),
    "scans": (rows("[n] (x0: [n]i32) : [n]i32", "let x{j} = scan (+) {i} x{i}"), 50, 500),
    "maps": (rows("[n] (x0: [n]i32) : [n]i32", "let x{j} = map (\\x -> x * {i} ^ 77) x{i}"), 200, 2000),
    "loops": (rows("(c: i64) (x0: i64) : i64", "let x{j} = loop y = x{i} for i < c do y * {j} + i"), 300, 3000),
    "loops of arrays": (rows("[n] (c: i64) (x0: *[n]i64) : [n]i64",
                             "let x{j} = loop y = x{i} for i < c do y with [i] = y[{i}] + 1"), 100, 1000),
    "slices": (rows("[n] (x0: [n]i64) : []i64", "let x{j} = x{i}[1:]"), 50, 500),
    "shadowed updates": (rows("[n] (x0: *[n]i64) : [n]i64", "let x0[{i}] = x0[{j}] + {i}", "x0"), 500, 5000),
    "entry points": (many_entries, 50, 500),
    "fields of a record": (records, 20, 200),
    "updates of fields": (record_updates, 100, 1000),
    "elements of a tuple": (tuples, 500, 5000),
    "constructors": (sums, 25, 250),
    "diagonal patterns": (diagonal, 6, 24),
    "pairs of constructors": (nested_constructors, 4, 16),
    "maps in maps": (nest("(let y{i} = map (\\x{j} -> {inner}) x{i} in f32.maximum (scan (+) 0 y{i}) + f32.sum y{i})",
                          "(x{j} * 2)", "f32"), 6, 12),
    "branches in maps": (nest("(if c > {i} then map (\\x{j} -> {inner}) x{i} else map (\\x{j} -> copy x{j}) x{i})",
                              "(x{j} * 2)", "{sizes}f32"), 6, 12),
    "loops in maps": (nest("(loop b{i} = x{i} for k{i} < n{i} do map (\\x{j} -> {inner}) b{i})",
                           "(x{j} * 2)", "{sizes}f32"), 6, 12),
    "else ifs": (deep("(c: i64) (v: i64) : i64", "if c == {i} * v then v + {i} else ", "v", ""), 200, 2000),
    "integers in a match": (listed("(v: i64) : i64", "match v ", "case {i} -> v * {i}", "\n  ", "\n  case _ -> v"),
                            200, 2000),
    "parentheses": (deep("(v: i64) : i64", "(", "v", ")"), 1000, 10000),
    "sums to the right": (deep("(v: i64) : i64", "(v + ", "v", ")"), 1000, 10000),
    "sums to the left": (listed("(v: i64) : i64", "", "v", " * ", ""), 1000, 10000),
    "lambdas": (deep("(v: i64) : i64", "(\\(x{i}: i64) -> ", "v", ") {i}"), 100, 1000),
    "closures": (closures, 100, 1000),
    "pairs": (deep("(v: i64)", "({i}, ", "v", ")"), 30, 300),
    "array literals": (deep("(v: i64) : i64", "[", "v", "][0]"), 100, 1000),
    "dimensions of a literal": (lambda n: "entry main (v: i64) : i64 = (" + "[" * n + "v" + "]" * n + ")" +
                                "[" + ", ".join(["0"] * n) + "]\n", 10, 100),
    "lets in lets": (deep("(v: i64) : i64", "let x{i} = (", "v", ") in x{i} * {i}"), 200, 2000),
    "branches in branches": (deep("(c: i64) (v: i64) : i64", "if c < {i} then v * {i} else 1 + (", "v", ")"), 100, 1000),
    "loops in loops": (deep("(v: i64) : i64", "loop x = v for i{i} < v do ({i} + x *", "v", ")"), 8, 64),
    "concatenations": (concatenations, 50, 500),
    "concatenations of one array": (self_concatenations, 50, 500),
    "rows of joined matrices": (rows("[n][m] (x0: [n][m]f32) : [n][m]f32",
                                     "let x{j} = map2 (map2 (\\a b -> a * {i} + b)) (rotate {i} x{i}) x{i}"), 30, 300),
    "joined matrices in one map": (joined_matrices, 10, 100),
    "reductions": (reductions, 100, 1000),
    "maps side by side": (wide_maps, 30, 300),
    "functions in a chain": (lambda n: "def f0 (x: i64) : i64 = x\n" +
                             declared("def f{i} (x: i64) : i64 = f{h} (x * {i}) + 1",
                                      "entry main (x: i64) : i64 = f{n} x")(n), 300, 3000),
    "functions not inlined": (lambda n: "def f0 (x: i64) : i64 = x\n" +
                              declared("#[noinline] def f{i} (x: i64) : i64 = f{h} (x * {i}) + 1",
                                       "entry main (x: i64) : i64 = f{n} x")(n), 300, 3000),
    "polymorphic functions": (lambda n: "def f0 'a (x: a) : a = x\n" +
                              declared("def f{i} 'a (x: a) : a = f{h} x", "entry main (x: i64) : i64 = f{n} x")(n),
                              300, 3000),
    "abbreviations": (lambda n: "type t0 = i64\n" +
                      declared("type t{i} = t{h}", "entry main (x: t{n}) : t{n} = x + 1")(n), 300, 3000),
    "modules": (functors, 50, 500),
    "modules in modules": (nested_modules, 15, 150),
    "constants": (constants, 5000, 50000),
    "rows of constants": (tables, 200, 2000),
    "a string": (string, 500, 5000),
    "statements of a map": (statements_of_a_map, 100, 1000),
    "constants with functions": (constants_with_functions, 40, 400),
    "poseidon": (poseidon, 4, 57),
}
