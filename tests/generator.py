"""Makes random, well-typed, nested data-parallel programs: maps, reductions, scans, histograms, scatters, filters, loops, branches and
updates in place inside of each other, with scalars of many types, tuples, sums, sizes 0 and 1, and sizes known only inside of maps.

The same seed gives the same program. Operators are associative, their neutral elements neutral, and floats small
integers, so that every order of evaluation gives the same answer, bit for bit.
"""
import random
import re

INTS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
FLOATS = ["f16", "f32", "f64"]
SCALARS = ["i32"] * 4 + ["i64"] * 3 + ["bool", "f64", "f32"] + INTS + ["f16"]
PRELUDE = """
type shape = #dot | #line i64 | #box i32 i64
def at 'a [n] (d: a) (xs: [n]a) (i: i64) : a = if n == 0 then d else xs[i % i64.max 1 n]
def fit 'a [n] (k: i64) (d: a) (xs: [n]a) : [k]a = map (\\i -> at d xs i) (iota k)
def twice 'a (f: a -> a) (x: a) : a = f (f x)
def clampf16 (x: f16) = f16.max (-50) (f16.min 50 x)
def clampf32 (x: f32) = f32.max (-500) (f32.min 500 x)
def clampf64 (x: f64) = f64.max (-5000) (f64.min 5000 x)
"""
ATTRIBUTES = ["sequential", "sequential_inner", "sequential_outer", "unroll", "noinline"] + [
    f"incremental_flattening({how})" for how in ("only_inner", "only_outer", "only_intra", "no_intra", "no_outer")]
SIZES = [0, 1, 1, 2, 3, 5, 7, 16, 17, 33]


def arr(size, elem):
    return ("a", size, elem)


def show(ty):
    if isinstance(ty, str):
        return ty
    if ty[0] == "a":
        return f"[{ty[1]}]{show(ty[2])}"
    return "(" + ", ".join(map(show, ty[1])) + ")"


class Maker:
    """Makes the text of one entry point. `env` lists the names in scope with their types; every name is new."""

    def __init__(self, rng, fuel):
        self.rng, self.fuel, self.names = rng, fuel, 0

    def new(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, options):
        return self.rng.choice(options)

    def size(self, env):
        return self.pick([x for x, t in env if t == "size"])

    def scalar(self):
        return self.pick(SCALARS)

    def some_type(self, env, depth=2):
        r = self.rng.random()
        if depth == 0 or r < 0.45:
            return self.scalar() if self.chance(0.93) else "shape"
        if r < 0.85:
            return arr(self.size(env), self.some_type(env, depth - 1))
        return ("t", [self.some_type(env, depth - 1) for _ in range(self.pick([2, 2, 3]))])

    def gen(self, ty, env, depth):
        """An expression of the type, in parentheses where it needs them."""
        self.fuel -= 1
        have = [x for x, t in env if t == ty or (t == "size" and ty == "i64") or (t == "index" and ty == "i64")]
        if have and (depth <= 0 or self.fuel <= 0 or self.chance(0.15)):
            return self.pick(have[-4:] if self.chance(0.7) else have)
        if isinstance(ty, str) and ty != "shape" and self.chance(0.5):
            return self.use(ty, env, 0)
        if depth > 0 and self.fuel > 0:
            ways = [self.let, self.branch, self.loop, self.growing] if self.chance(0.3) else [self.own]
            return self.pick(ways)(ty, env, depth - 1)
        return self.leaf(ty, env)

    def own(self, ty, env, depth):
        if ty == "shape":
            made = self.pick(["#dot", f"#line {self.gen('i64', env, depth)}",
                              f"#box {self.gen('i32', env, depth)} {self.gen('i64', env, depth)}"])
            return f"({made} : shape)"
        if isinstance(ty, str):
            ways = [self.use] * 4 + [self.compute, self.reduction] * 2
            ways += [self.convert, self.pick_out, self.irregular, self.match, self.filtered]
            return self.pick(ways)(ty, env, depth)
        if ty[0] == "t":
            if self.chance(0.25):
                return self.several(ty, env, depth)
            return "(" + ", ".join(self.gen(t, env, depth) for t in ty[1]) + ")"
        ways = [self.map] * 5 + [self.contraction] * 2 + [self.scan] * 2 + [self.rearrange] * 3
        ways += [self.scatter, self.hist, self.update, self.partition]
        return self.pick(ways)(ty, env, depth)

    def leaf(self, ty, env):
        if ty == "shape":
            return f"({self.pick(['#dot', '#line 3', '#box (-2) 7'])} : shape)"
        if ty == "bool":
            return self.pick(["true", "false"])
        if isinstance(ty, str):
            return f"{self.pick([0, 1, 2, 3, 5, 7])}{ty}"
        if ty[0] == "t":
            return "(" + ", ".join(self.leaf(t, env) for t in ty[1]) + ")"
        have = [x for x, t in env if t == ty]
        if have:
            return self.pick(have)
        if ty[2] == "i64" and self.chance(0.5):
            return f"(iota {ty[1]})"
        if self.chance(0.7):
            i = self.new("j")
            inner = env + [(i, "i64")]
            plain = isinstance(ty[2], str) and ty[2] != "shape"
            return f"(tabulate {ty[1]} (\\{i} -> {self.use(ty[2], inner, 0) if plain else self.leaf(ty[2], inner)}))"
        return f"(replicate {ty[1]} {self.leaf(ty[2], env)})"

    # What works for any type.

    def let(self, ty, env, depth):
        t = self.some_type(env)
        x = self.new("v")
        if self.chance(0.15) and depth > 0:
            # A size that is known only here.
            k, e = self.new("k"), self.scalar()
            xs = self.gen(arr(self.size(env), e), env, depth - 1)
            p = self.new("p")
            keep = self.gen("bool", env + [(p, e)], min(depth - 1, 1))
            return f"(let [{k}] ({x}: [{k}]{e}) = filter (\\({p}: {e}) -> {keep}) {xs} in " \
                   f"{self.gen(ty, env + [(k, 'size'), (x, arr(k, e))], depth)})"
        if isinstance(t, tuple) and t[0] == "t":
            xs = [self.new("v") for _ in t[1]]
            return f"(let ({', '.join(xs)}) = {self.gen(t, env, depth)} in {self.gen(ty, env + list(zip(xs, t[1])), depth)})"
        return f"(let ({x}: {show(t)}) = {self.gen(t, env, depth)} in {self.gen(ty, env + [(x, t)], depth)})"

    def branch(self, ty, env, depth):
        return f"(if {self.gen('bool', env, min(depth, 2))} then {self.gen(ty, env, depth)} else {self.gen(ty, env, depth)})"

    def loop(self, ty, env, depth):
        x, i = self.new("c"), self.new("j")
        inner = env + [(x, ty), (i, "i64")]
        start = self.gen(ty, env, depth - 1)
        body = self.gen(ty, inner, depth)
        r = self.rng.random()
        if r < 0.6:
            bound = self.pick(["2i64", "3i64", "5i64", self.size(env)])
            return f"(loop ({x}: {show(ty)}) = {start} for {i} < {bound} do {body})"
        if r < 0.8:
            return f"(let ({x}, _) = (loop ({x}: {show(ty)}, {i}) = ({start}, 0i64) while {i} < 4 && " \
                   f"({i} == 0 || {self.gen('bool', inner, 1)}) do ({body}, {i} + 1)) in {x})"
        t = self.scalar()
        y = self.new("e")
        over = self.gen(arr(self.size(env), t), env, depth - 1)
        body = self.gen(ty, env + [(x, ty), (y, t)], depth)
        return f"(loop ({x}: {show(ty)}) = {start} for {y} in {over} do {body})"

    def growing(self, ty, env, depth):
        """A loop that changes the size of what it carries."""
        k, x, i, e = self.new("k"), self.new("g"), self.new("j"), self.scalar()
        inner = env + [(k, "size"), (x, arr(k, e)), (i, "i64")]
        more = self.gen(arr(self.pick([self.size(env), k]), e), inner, depth - 1)
        p = self.new("p")
        less = f"(filter (\\({p}: {e}) -> {self.gen('bool', inner + [(p, e)], 1)}) {x})"
        body = self.pick([f"(concat {x} {more})", less, f"{x}[{k}/2:]", f"(take 40 (concat {less} {more}))"])
        start = self.gen(arr(self.size(env), e), env, depth - 1)
        loop = f"(loop {x} = {start} : []{e} for {i} < {self.pick([1, 2, 3])} do {self.sized(x, k, e)}{body})"
        return f"(let [{k}] ({x}: [{k}]{e}) = {loop} in {self.gen(ty, env + [(k, 'size'), (x, arr(k, e))], depth)})"

    def sized(self, x, k, e):
        """Gives the size of an array a name."""
        return f"let {k} = length {x} let {x} = {x} :> [{k}]{e} in "

    def attribute(self, text):
        """Says how a combinator is to be run, now and then."""
        if not self.chance(0.08):
            return text
        return f"(#[{self.pick(ATTRIBUTES)}] {text})"

    # Scalars.

    def use(self, ty, env, depth):
        """A value that was bound not long ago, whatever its type, as a scalar of this type."""
        near = [(x, t) for x, t in env if t != "size"][-5:]
        x, t = self.pick(near)
        if t == "index":
            t = "i64"
        if t == "shape":
            return self.match(ty, env, depth, x)
        while isinstance(t, tuple):
            if t[0] == "t":
                i = self.rng.randrange(len(t[1]))
                x, t = f"({x}.{i})", t[1][i]
            elif isinstance(t[2], str) and t[2] != "shape" and self.chance(0.4):
                op, ne = self.operator(t[2])
                x, t = self.finite(t[2], f"(reduce {op} {ne} {x})"), t[2]
            elif isinstance(t[2], str) and t[2] != "shape" and self.chance(0.3):
                op, ne = self.operator(t[2])
                i = self.gen("i64", env, min(depth, 1))
                x, t = self.finite(t[2], f"(at {self.leaf(t[2], env)} (scan {op} {ne} {x}) {i})"), t[2]
            else:
                x, t = f"(at {self.leaf(t[2], env)} {x} {self.gen('i64', env, min(depth, 1))})", t[2]
        if t == "shape":
            return self.match(ty, env, depth, x)
        if t == ty:
            return x
        if ty == "bool":
            return f"({x} {self.pick(['<', '!=', '>='])} {self.leaf(t, env)})"
        if ty in FLOATS:
            return f"({ty}.i16 (i16.{t} {x} % 40))" if t not in FLOATS else f"(clamp{ty} ({ty}.{t} {x}))"
        return f"({ty}.{t} {x})"

    def compute(self, ty, env, depth):
        a, b = self.gen(ty, env, depth), self.gen(ty, env, depth)
        if ty == "bool":
            t = self.pick(["i32", "i64", "u8", "i16", "f64"])
            return self.pick([
                lambda: f"({a} && {b})", lambda: f"({a} || {b})", lambda: f"(!{a})", lambda: f"({a} != {b})",
                lambda: f"({self.gen(t, env, depth)} {self.pick(['<', '<=', '==', '!=', '>'])} {self.gen(t, env, depth)})",
            ])()
        if ty in FLOATS:
            ways = [f"{a} + {b}", f"{a} - {b}", f"{ty}.max {a} {b}", f"{ty}.min {a} {b}", f"-{a}", f"{ty}.abs {a}"]
            return f"(clamp{ty} ({self.pick(ways)}))"
        return self.pick([
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} & {b})", f"({a} ^ {b})", f"({a} | {b})",
            f"({a} / ({b} | 1))", f"({a} % ({b} | 1))", f"({a} // ({b} | 1))", f"({a} %% ({b} | 1))", f"({a} >> ({b} & 7))",
            f"({a} << ({b} & 3))", f"({ty}.max {a} {b})", f"({ty}.min {a} {b})", f"({ty}.abs {a})", f"({ty}.popc {a} |> {ty}.i32)",
        ])

    def convert(self, ty, env, depth):
        if ty == "bool":
            return f"({self.gen('i32', env, depth)} {self.pick(['<', '>='])} {self.gen('i32', env, depth)})"
        if ty in FLOATS:
            t = self.pick(["i32", "i64", "i16"])
            return f"({ty}.{t} ({self.gen(t, env, depth)} % 40))"
        t = self.pick([t for t in SCALARS if t != ty])
        return f"({ty}.{t} {self.gen(t, env, depth)})"

    def pick_out(self, ty, env, depth):
        have = [(x, t) for x, t in env if isinstance(t, tuple) and t[0] == "a" and self.bottom(t) == ty]
        if not have or self.chance(0.3):
            x, t = None, arr(self.size(env), ty)
            text = self.gen(t, env, depth)
        else:
            x, t = self.pick(have)
            text = x
        while isinstance(t, tuple):
            t = t[2]
            default = self.leaf(t, env)
            text = f"(at {default} {text} {self.gen('i64', env, min(depth, 1))})"
        return text

    def bottom(self, t):
        while isinstance(t, tuple) and t[0] == "a":
            t = t[2]
        return t

    def operator(self, ty, commutes=False):
        """An associative operator with its neutral element."""
        if isinstance(ty, tuple) and ty[0] == "a":
            op, ne = self.operator(ty[2], commutes)
            return f"(map2 {op})", f"(replicate {ty[1]} {ne})"
        if isinstance(ty, tuple):
            xs, ys = [self.new("a") for _ in ty[1]], [self.new("b") for _ in ty[1]]
            if len(ty[1]) == 2 and ty[1][0] == ty[1][1] and ty[1][0] in INTS and not commutes and self.chance(0.6):
                (a, b), (c, d) = xs, ys
                return f"(\\({a}: {ty[1][0]}, {b}: {ty[1][0]}) ({c}, {d}) -> ({a} * {c}, {b} * {c} + {d}))", "(1, 0)"
            ops = [self.operator(t, commutes) for t in ty[1]]
            body = ", ".join(f"{op} {x} {y}" for (op, _), x, y in zip(ops, xs, ys))
            left = ", ".join(f"{x}: {show(t)}" for x, t in zip(xs, ty[1]))
            return f"(\\({left}) ({', '.join(ys)}) -> ({body}))", "(" + ", ".join(ne for _, ne in ops) + ")"
        if ty == "bool":
            return self.pick([("(&&)", "true"), ("(||)", "false"), ("(!=)", "false")])
        extremes = [(f"{ty}.max", f"{ty}.lowest" if ty in INTS else f"(-{ty}.inf)"),
                    (f"{ty}.min", f"{ty}.highest" if ty in INTS else f"{ty}.inf")]
        if ty in FLOATS:
            return self.pick(extremes)
        x, y = self.new("a"), self.new("b")
        last = (f"(\\({x}: {ty}) ({y}: {ty}) -> if {y} == 0 then {x} else {y})", f"0{ty}")
        return self.pick(extremes + [("(+)", f"0{ty}")] * 2 + [("(*)", f"1{ty}"), ("(^)", f"0{ty}"), ("(|)", f"0{ty}")]
                         + ([] if commutes else [last]))

    def finite(self, ty, text):
        """Floats as reductions of nothing leave them are made small again."""
        return f"(clamp{ty} {text})" if ty in FLOATS else text

    def reduction(self, ty, env, depth):
        op, ne = self.operator(ty)
        xs = self.gen(arr(self.size(env), ty), env, depth)
        if self.chance(0.15) and ty != "bool":
            op, ne = self.operator(ty, commutes=True)
            return self.finite(ty, f"(reduce_comm {op} {ne} {xs})")
        return self.finite(ty, f"(reduce {op} {ne} {xs})")

    def several(self, ty, env, depth):
        """A tuple that is reduced at once."""
        def exact(t):
            return self.bottom(t) in INTS or t == "bool"
        if not all(exact(t) for t in ty[1]):
            return "(" + ", ".join(self.gen(t, env, depth) for t in ty[1]) + ")"
        op, ne = self.operator(ty)
        s = self.size(env)
        return f"(reduce {op} {ne} ({self.gen(arr(s, ty), env, depth)}))"

    def irregular(self, ty, env, depth):
        """A reduction of as many values as only this point knows."""
        op, ne = self.operator(ty)
        i, k = self.new("j"), self.new("k")
        count = f"(({self.gen('i64', env, min(depth, 2))}) % 6)"
        body = self.gen(ty, env + [(i, "i64"), (k, "size")], depth)
        if self.chance(0.3):
            x = self.new("w")
            return f"(let {k} = {count} let ({x}: [{k}]{ty}) = map (\\{i} -> {body}) (iota {k}) in " \
                   f"{self.gen(ty, env + [(k, 'size'), (x, arr(k, ty))], depth - 1)})"
        return self.finite(ty, f"(let {k} = {count} in reduce {op} {ne} (map (\\{i} -> {body}) (iota {k})))")

    def filtered(self, ty, env, depth):
        p = self.new("p")
        xs = self.gen(arr(self.size(env), ty), env, depth)
        keep = self.gen("bool", env + [(p, ty)], min(depth, 2))
        op, ne = self.operator(ty)
        if self.chance(0.3) and ty != "bool" and ty not in FLOATS:
            return f"({ty}.i64 (length (filter (\\({p}: {ty}) -> {keep}) {xs})))"
        return self.finite(ty, f"(reduce {op} {ne} (filter (\\({p}: {ty}) -> {keep}) {xs}))")

    def match(self, ty, env, depth, of=None):
        a, b, c = self.new("m"), self.new("m"), self.new("m")
        return f"(match {of or self.gen('shape', env, depth)} case #dot -> {self.gen(ty, env, depth)} " \
               f"case #line {a} -> {self.gen(ty, env + [(a, 'i64')], depth)} " \
               f"case #box {b} {c} -> {self.gen(ty, env + [(b, 'i32'), (c, 'i64')], depth)})"

    # Arrays.

    def map(self, ty, env, depth):
        s, e = ty[1], ty[2]
        n = self.pick([1, 1, 1, 2, 2, 3])
        args = []
        for _ in range(n):
            have = [(x, t) for x, t in env if isinstance(t, tuple) and t[0] == "a" and t[1] == s]
            if have and self.chance(0.7):
                args.append(self.pick(have))
            elif self.chance(0.3):
                args.append((f"(iota {s})", arr(s, "i64")))
            else:
                t = arr(s, self.some_type(env, 1))
                args.append((self.gen(t, env, depth - 1), t))
        xs = [self.new("x") for _ in args]
        body = self.gen(e, env + [(x, t[2]) for x, (_, t) in zip(xs, args)], depth)
        if n == 1 and self.chance(0.1) and args[0][1] == ty:
            return f"(map (twice (\\({xs[0]}: {show(e)}) -> {body})) {args[0][0]})"
        lam = "(\\" + " ".join(f"({x}: {show(t[2])})" for x, (_, t) in zip(xs, args)) + f" : {show(e)} -> {body})"
        return self.attribute(f"(map{n if n > 1 else ''} {lam} {' '.join(a for a, _ in args)})")

    def contraction(self, ty, env, depth):
        """Every row of one matrix with every row of another, as in products of matrices."""
        e = ty[2][2] if isinstance(ty[2], tuple) and ty[2][0] == "a" else None
        if e not in INTS + ["f32", "f64"]:
            return self.map(ty, env, depth)
        s, t, k = ty[1], ty[2][1], self.size(env)
        f = self.pick(["i32", "i64", e, e])
        a, b, x, y, r = (self.new(stem) for stem in "abxyr")
        other = self.gen(arr(t, arr(k, f)), env, depth - 1)
        if self.chance(0.6):
            other = f"(transpose {self.gen(arr(k, arr(t, f)), env, depth - 1)})"
        op, ne = self.operator(e)
        inner = self.gen(e, env + [(x, f), (y, f)], min(depth, 1))
        if self.chance(0.4):
            inner = self.finite(e, f"({self.use(e, [(x, f)], 0)} * {self.use(e, [(y, f)], 0)})")
        result = self.finite(e, f"(reduce {op} {ne} (map2 (\\({x}: {f}) ({y}: {f}) : {e} -> {inner}) {a} {b}))")
        if self.chance(0.3):
            result = f"(let ({r}: {e}) = {result} in {self.gen(e, env + [(r, e)], min(depth, 1))})"
        rows = self.gen(arr(s, arr(k, f)), env, depth - 1)
        return f"(map (\\({a}: [{k}]{f}) : [{t}]{e} -> map (\\({b}: [{k}]{f}) -> {result}) {other}) {rows})"

    def scan(self, ty, env, depth):
        if not self.reducible(ty[2]):
            return self.map(ty, env, depth)
        op, ne = self.operator(ty[2])
        return self.attribute(f"(scan {op} {ne} {self.gen(ty, env, depth)})")

    def reducible(self, t):
        if isinstance(t, str):
            return t != "shape"
        return all(map(self.reducible, t[1])) if t[0] == "t" else self.reducible(t[2])

    def rearrange(self, ty, env, depth):
        s, e = ty[1], ty[2]
        xs = self.gen(ty, env, depth)
        i = self.gen("i64", env, min(depth, 2))
        other = self.size(env)
        ways = [
            lambda: f"(reverse {xs})", lambda: f"(rotate ({i}) {xs})", lambda: f"({xs}[::-1] :> {show(ty)})",
            lambda: f"(fit {s} {self.leaf(e, env)} {self.gen(arr(other, e), env, depth)})",
            lambda: f"(take {s} (concat {xs} {self.gen(arr(other, e), env, depth)}) :> {show(ty)})",
            lambda: f"(drop {other} (concat {self.gen(arr(other, e), env, depth)} {xs}) :> {show(ty)})",
            lambda: f"((concat {xs} {xs})[{s}:] :> {show(ty)})",
            lambda: f"((flatten (transpose [{xs}, {self.gen(ty, env, depth)}]))[::2] :> {show(ty)})",
            lambda: f"((flatten [{xs}, {self.gen(ty, env, depth)}])[2*{s}-1:{s}-1:-1] :> {show(ty)})",
            lambda: f"(if {s} < 2 then {xs} else (concat {xs}[{s}/2:] {xs}[:{s}/2]) :> {show(ty)})",
            lambda: f"(copy {xs})",
            lambda: f"(tabulate {s} (\\{self.rec('j')} -> {self.gen(e, env + [(self.last, 'i64')], depth)}))",
            lambda: f"(zip {xs} (iota {s}) |> map (.0))",
            lambda: f"(unflatten (flatten (map (\\{self.rec('y')} -> [{self.last}]) {xs} :> [{s}][1]{show(e)})) "
                    f"|> map (\\{self.rec('w')} -> {self.last}[0]))",
        ]
        if isinstance(e, tuple) and e[0] == "a":
            t, f = e[1], e[2]
            flipped = arr(t, arr(s, f))
            ways += [lambda: f"(transpose {self.gen(flipped, env, depth)})"] * 5
            ways += [lambda: f"(unflatten (flatten {xs}) :> {show(ty)})", lambda: f"(map reverse {xs})",
                     lambda: f"(map (rotate {i}) {xs})", lambda: f"({xs}[::-1, ::-1] :> {show(ty)})",
                     lambda: f"(unflatten (rotate ({i}) (flatten {xs})) :> {show(ty)})",
                     lambda: f"(transpose (map reverse (transpose {xs})))"]
        return self.pick(ways)()

    def rec(self, stem):
        self.last = self.new(stem)
        return self.last

    def scatter(self, ty, env, depth):
        """Different places, or the same value everywhere."""
        s, e = ty[1], ty[2]
        xs = self.gen(ty, env, depth)
        i = self.new("j")
        if self.chance(0.5):
            to = f"(map (\\{i} -> {i} * 2 - {self.pick([0, 1, 3])}) (iota {s}))"
            return f"(scatter (copy {xs}) {to} {self.gen(ty, env, depth)})"
        o = self.size(env)
        value = self.gen(e, env, depth)
        to = self.gen(arr(o, "i64"), env, depth)
        v = self.new("v")
        to = f"(map (\\{i} -> {i} % ({s} + 2) - 1) {to})"
        return f"(let ({v}: {show(e)}) = {value} in scatter (copy {xs}) {to} (replicate {o} {v}))"

    def hist(self, ty, env, depth):
        s, e = ty[1], ty[2]
        if not self.reducible(e):
            return self.map(ty, env, depth)
        op, ne = self.operator(e, commutes=True)
        o, i = self.size(env), self.new("j")
        to = f"(map (\\{i} -> {i} % ({s} + 2) - 1) {self.gen(arr(o, 'i64'), env, depth)})"
        values = self.gen(arr(o, e), env, depth)
        if self.chance(0.3):
            return self.stream(ty, env, depth, op, ne)
        if self.chance(0.5):
            return f"(hist {op} {ne} {s} {to} {values})"
        return f"(reduce_by_index (copy {self.gen(ty, env, depth)}) {op} {ne} {to} {values})"

    def stream(self, ty, env, depth, op, ne):
        """Writes to an accumulator, in loops and branches."""
        s, e = ty[1], ty[2]
        o, t = self.size(env), self.scalar()
        acc, x, i = self.new("acc"), self.new("x"), self.new("j")
        inner = env + [(x, t), (i, "i64")]
        place = f"(({self.gen('i64', inner, 1)}) % ({s} + 2) - 1)"
        write = f"(intrinsics.acc_write {acc} {place} {self.gen(e, inner, min(depth, 2))})"
        body = self.pick([
            f"(let {i} = 2 in {write})", f"(loop {acc} = {acc} for {i} < 3 do {write})",
            f"(let {i} = 1 in if {self.gen('bool', env + [(x, t)], 1)} then {write} else {acc})"])
        lam = f"(\\({acc}: *intrinsics.acc ([{s}]{show(e)})) ({x}: {t}) -> {body})"
        first, values = self.gen(ty, env, depth), self.gen(arr(o, t), env, depth)
        return f"(intrinsics.hist_stream (copy {first}) {op} {ne} {lam} {values} :> {show(ty)})"

    def update(self, ty, env, depth):
        s, e = ty[1], ty[2]
        a, i = self.new("z"), self.new("j")
        xs = self.gen(ty, env, depth)
        if self.chance(0.3):
            j = self.gen("i64", env, min(depth, 2))
            v = self.gen(e, env, depth)
            return f"(if {s} == 0 then {xs} else (copy {xs}) with [({j}) % i64.max 1 {s}] = {v})"
        if self.chance(0.3):
            part = f"({self.gen(ty, env, depth)}[:{s} - 1] :> [{s} - 1]{show(e)})"
            return f"(if {s} < 2 then {xs} else let ({a}: *{show(ty)}) = copy {xs} in {a} with [1:{s}] = {part})"
        old = self.new("o")
        v = self.gen(e, env + [(old, e), (i, "i64")], depth)
        return f"(loop ({a}: *{show(ty)}) = copy {xs} for {i} < {s} do " \
               f"let ({old}: {show(e)}) = copy {a}[({i} * 3 + 1) % {s}] in {a} with [{i}] = {v})"

    def partition(self, ty, env, depth):
        e = ty[2]
        p, a, b = self.new("p"), self.new("a"), self.new("b")
        keep = self.gen("bool", env + [(p, e)], min(depth, 2))
        xs = self.gen(ty, env, depth)
        return f"(let ({a}, {b}) = partition (\\({p}: {show(e)}) -> {keep}) {xs} in (concat {a} {b}) :> {show(ty)})"


PARAMS = [("xs", arr("n", "i32")), ("ys", arr("m", "i64")), ("xss", arr("n", arr("m", "i32"))),
          ("fs", arr("n", "f64")), ("bs", arr("m", arr("n", "u8"))), ("k", "i64")]


def entry(rng, name, fuel):
    """The text of an entry point and the types of its parameters."""
    maker = Maker(rng, fuel)
    used = [p for p in PARAMS if p[0] in ("xs", "xss", "k") or rng.random() < 0.5]
    # All sizes are those of arguments.
    if not any(x == "ys" for x, _ in used):
        used.append(PARAMS[1])
    env = [("n", "size"), ("m", "size")] + used
    ty = arr(rng.choice("nm"), maker.some_type(env, 2)) if rng.random() < 0.85 else maker.some_type(env, 2)
    while "shape" in show(ty) or re.search(r"\]\(", show(ty)):
        ty = arr(rng.choice("nm"), maker.some_type(env, 2))
    depth = rng.choice([3, 4, 5, 6])
    body = maker.map(ty, env, depth) if ty[0] == "a" and rng.random() < 0.6 else maker.gen(ty, env, depth)
    params = " ".join(f"({x}: {show(t)})" for x, t in used)
    return f"entry {name} [n] [m] {params} : {show(ty)} =\n  {body}\n", [t for _, t in used]


def value(rng, ty, sizes):
    """A value as text."""
    if ty == "bool":
        return rng.choice(["true", "false"])
    if isinstance(ty, str):
        if ty in FLOATS:
            return f"{rng.randint(-100, 100)}.0{ty}"
        if rng.random() < 0.1 and ty == "i32":
            return rng.choice(["2147483647i32", "-2147483648i32"])
        low = 0 if ty[0] == "u" else -20
        return f"{rng.randint(low, 30)}{ty}"
    shape = re.sub(r"\[(\w+)\]", lambda m: f"[{sizes[m[1]]}]", show(ty))
    if "[0]" in shape:
        return f"empty({shape})"
    return "[" + ", ".join(value(rng, ty[2], sizes) for _ in range(sizes[ty[1]])) + "]"


def inputs(rng, types, count=3):
    """Data sets for parameters of these types; the first has no empty array."""
    out = []
    for i in range(count):
        choices = SIZES if i else [3, 5, 16, 17, 33]
        sizes = {"n": rng.choice(choices), "m": rng.choice(choices)}
        out.append(" ".join(value(rng, t, sizes) for t in types))
    return out


def program(seed, entries):
    """The text of a program, and the data sets of each of its entry points."""
    rng = random.Random(seed)
    text, cases = PRELUDE, {}
    for i in range(entries):
        e, types = entry(rng, f"e{i}", rng.choice([10, 30, 60, 100]))
        text += "\n" + e
        cases[f"e{i}"] = inputs(rng, types)
    return text, cases
