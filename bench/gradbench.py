#!/usr/bin/env python3
"""A tool for GradBench (github.com/gradbench/gradbench) that needs nothing but Python: it speaks the benchmark's
protocol, JSON in lines on stdin and stdout, and asks servers that a compiler makes of Futhark programs.

    bench/gradbench.py --programs gradbench/tools/futhark --compiler target/release/fehu

The programs are those of GradBench's tool for Futhark, with their packages (`fehu pkg sync`). Any compiler with the
command line of the reference's can be asked, so that two answer the same questions.
"""
import argparse
import array
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

CFLAGS = "-O3 -march=native -fno-math-errno"
KINDS = {"f64": (b" f64", "d"), "i64": (b" i64", "q"), "i32": (b" i32", "i"), "bool": (b"bool", "B")}
CODES = {name: code for name, code in KINDS.values()}


def shape_of(value):
    shape = []
    while isinstance(value, list):
        shape.append(len(value))
        value = value[0] if value else 0
    return shape


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, list) else [value]


def nested(elements, shape):
    if not shape:
        return elements[0]
    if len(shape) == 1:
        return list(elements)
    rest = math.prod(shape[1:])
    return [nested(elements[i * rest:(i + 1) * rest], shape[1:]) for i in range(shape[0])]


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def encoded(kind, value, rank):
    """A value in the binary format. The rank is that of the type: an empty list does not show it."""
    name, code = KINDS[kind]
    shape = (shape_of(value) + [0] * rank)[:rank]
    head = b"b" + struct.pack("<BB4s%dq" % rank, 2, rank, name, *shape)
    return head + array.array(code, flat(value)).tobytes()


def decoded(data):
    _, rank, name = struct.unpack_from("<BB4s", data, 1)
    shape = list(struct.unpack_from("<%dq" % rank, data, 7))
    elements = array.array(CODES[name])
    elements.frombytes(data[7 + 8 * rank:])
    return nested(elements.tolist(), shape)


# For each module: its functions' inputs, by name, as (type, value, rank).

def plain(fields):
    return lambda given: {name: (kind, given[name], rank) for name, kind, rank in fields}


def of_ba(given):
    n, m, p = given["n"], given["m"], given["p"]
    seen = [[i % n, i % m] for i in range(p)]
    return {"cams": ("f64", [given["cam"]] * n, 2), "X": ("f64", [given["x"]] * m, 2), "w": ("f64", [given["w"]] * p, 1),
            "obs": ("i32", seen, 2), "feats": ("f64", [given["feat"]] * p, 2)}


def of_ht(given):
    data, model = given["data"], given["data"]["model"]
    return {"parents": ("i32", model["parents"], 1), "base_relatives": ("f64", model["base_relatives"], 3),
            "inverse_base_absolutes": ("f64", model["inverse_base_absolutes"], 3),
            "weights": ("f64", transposed(model["weights"]), 2),
            "base_positions": ("f64", transposed(model["base_positions"]), 2), "triangles": ("i32", model["triangles"], 2),
            "is_mirrored": ("bool", model["is_mirrored"], 0), "correspondences": ("i32", data["correspondences"], 1),
            "points": ("f64", transposed(data["points"]), 2), "theta": ("f64", given["theta"], 1),
            "us": ("f64", flat(given["us"]), 1)}


def of_gmm(given):
    of = plain([("alpha", "f64", 1), ("mu", "f64", 2), ("q", "f64", 2), ("l", "f64", 2), ("x", "f64", 2),
                ("gamma", "f64", 0), ("m", "i64", 0)])
    inputs = of(given)
    k, d = len(given["alpha"]), given["d"]
    # A list of empty lists is k by 0, whatever d is.
    assert all(len(row) == d * (d - 1) // 2 for row in given["l"]) and len(given["l"]) == k
    return inputs


INPUTS = {
    "hello": lambda given: {"input": ("f64", given, 0)},
    "lse": plain([("x", "f64", 1)]),
    "kmeans": plain([("points", "f64", 2), ("centroids", "f64", 2)]),
    "llsq": plain([("x", "f64", 1), ("n", "i64", 0)]),
    "det": plain([("ell", "i64", 0), ("A", "f64", 1)]),
    "ode": plain([("x", "f64", 1), ("s", "i64", 0)]),
    "gmm": of_gmm,
    "lstm": plain([("main_params", "f64", 2), ("extra_params", "f64", 2), ("state", "f64", 2), ("sequence", "f64", 2)]),
    "ba": of_ba,
    "ht": of_ht,
    "particle": plain([("w", "f64", 0)]),
    "saddle": plain([("start", "f64", 1)]),
}

# Where functions are called otherwise in the program.
ENTRIES = {"objective": "calculate_objective", "jacobian": "calculate_jacobian"}


def shown(module, function, outputs):
    """Outputs as the benchmark wants them."""
    first = outputs[0]
    if module == "ba" and function == "objective":
        return {"reproj_error": {"elements": first[0], "repeated": len(first)},
                "w_err": {"element": outputs[1][0], "repeated": len(outputs[1])}}
    if module == "ba":
        return {name: part[:30] + [part[-1]] for name, part in zip(["rows", "cols", "vals"], outputs)}
    if module == "gmm" and function == "jacobian":
        return dict(zip(["alpha", "mu", "q", "l"], outputs))
    if module == "ht":
        return flat(first) if function == "objective" else transposed(first)
    return {"particle": lambda: first[0], "saddle": lambda: flat(first)}.get(module, lambda: first)()


class Server:
    """A compiled program that keeps values in variables."""

    def __init__(self, program, folder):
        self.folder, self.stored = folder, set()
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def answer(self):
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server ended")
            if line.startswith("%%% OK"):
                break
            lines.append(line.rstrip("\n"))
        if "%%% FAILURE" in lines:
            raise RuntimeError("\n".join(lines))
        return lines

    def ask(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def put(self, inputs, types):
        if self.stored:
            self.ask("free", *self.stored)
            self.stored = set()
        path = self.folder / "inputs"
        path.write_bytes(b"".join(encoded(*value) for value in inputs.values()))
        words = [word for pair in zip(inputs, types) for word in pair]
        self.ask("restore", str(path), *words)
        self.stored = set(inputs)

    def call(self, entry, inputs, runs, seconds):
        outputs = ["output%d" % i for i in range(len(self.ask("outputs", entry)))]
        times = []
        while len(times) < runs or sum(times) < seconds * 1e9:
            if times:
                self.ask("free", *outputs)
            said = self.ask("call", entry, *outputs, *inputs)
            times.append(next(int(line.split()[1]) * 1000 for line in said if line.startswith("runtime:")))
        path = self.folder / "output"
        values = []
        for name in outputs:
            self.ask("store", str(path), name)
            values.append(decoded(path.read_bytes()))
        self.ask("free", *outputs)
        return values, times


class Tool:
    def __init__(self, options, folder):
        self.options, self.folder, self.servers = options, folder, {}

    def define(self, module):
        program = self.folder / module
        source = pathlib.Path(self.options.programs) / (module + ".fut")
        command = [self.options.compiler, self.options.backend, "--server", str(source), "-o", str(program)]
        said = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"CFLAGS": CFLAGS})
        if said.returncode:
            return {"success": False, "error": said.stdout + said.stderr}
        self.servers[module] = Server(program, self.folder)
        return {"success": True}

    def evaluate(self, module, function, given):
        server, inputs = self.servers[module], INPUTS[module](given)
        entry = ENTRIES.get(function, function)
        types = [line.lstrip("*") for line in server.ask("inputs", entry)]
        server.put(inputs, types)
        few = not isinstance(given, dict)
        runs, seconds = (1, 0) if few else (given["min_runs"], given["min_seconds"])
        outputs, times = server.call(entry, inputs, runs, seconds)
        timings = [{"name": "evaluate", "nanoseconds": time} for time in times]
        return {"success": True, "output": shown(module, function, outputs), "timings": timings}

    def answer(self, message):
        try:
            if message["kind"] == "start":
                return {"tool": "fehu", "config": vars(self.options)}
            if message["kind"] == "define":
                return self.define(message["module"])
            if message["kind"] == "evaluate":
                return self.evaluate(message["module"], message["function"], message["input"])
            return {}
        except (RuntimeError, KeyError, AssertionError) as problem:
            return {"success": False, "error": repr(problem)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the folder with NAME.fut for each module")
    parser.add_argument("--compiler", default="fehu")
    parser.add_argument("--backend", default="c")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(options, pathlib.Path(folder))
        for line in sys.stdin:
            message = json.loads(line)
            print(json.dumps({"id": message["id"]} | tool.answer(message)), flush=True)


main()
