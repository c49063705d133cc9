#!/usr/bin/env python3
"""How many of the operations that test programs expect after optimisation are there.

    python3 tests/structure.py --compiler BIN PATH... [--verbose]

Programs say what they expect in blocks such as `structure { Screma 1 /Screma/Loop 0 }`: a name counts
everywhere, a path that starts with `/` counts from the body of a function inwards. Only blocks for the
common pipeline (no word between `structure` and the brace) are looked at. What is expected
of combinators, and of all else, is summed up apart.

Fewer combinators than expected are as good. A scatter is counted as what the programs call it: a `WithAcc` around a `Screma`.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^-- *structure *\{(.*?)\}", re.M | re.S)
COUNT = re.compile(r"(/?[A-Za-z]+(?:/[A-Za-z]+)*) +(\d+)")
SOACS = {"Screma", "Map", "Reduce", "Redomap", "Scan", "Scanomap", "Hist", "Scatter", "WithAcc", "Stream"}
WORDS = {
    "screma": "Screma", "hist": "Hist", "scatter": "Scatter", "loop": "Loop", "if": "If", "with_acc": "WithAcc",
    "iota": "Iota", "replicate": "Replicate", "scratch": "Scratch", "copy": "Copy", "manifest": "Manifest",
    "concat": "Concat", "rearrange": "Rearrange", "reshape": "Reshape", "update_acc": "UpdateAcc", "call": "Apply",
    "assert": "Assert", "opaque": "Opaque",
}
BINOP = re.compile(r"^(add|sub|mul|sdiv|udiv|smod|umod|squot|srem|smin|smax|umin|umax|shl|lshr|ashr|and|or|xor|pow"
                   r"|fadd|fsub|fmul|fdiv|fmod|fmin|fmax|fpow|logand|logor)(_|\()")


def kind(exp):
    """The name of an expression, from its text."""
    exp = re.sub(r"^<[^>]*> ", "", exp)
    word = re.match(r"[a-z_]+", exp)
    if word and word.group() in WORDS and not re.match(r"[a-z_]+_\d+", exp):
        return WORDS[word.group()]
    if BINOP.match(exp):
        return "BinOp"
    if exp.startswith("["):
        return "ArrayLit"
    if re.match(r"[^ ]+ with \[", exp):
        return "Update"
    if re.match(r"[^ (]+\[", exp):
        return "Index"
    return "Other"


def finer(first, lines):
    """Which kind of screma the statement is."""
    indent = len(first) - len(first.lstrip()) + 2
    clauses = []
    for line in lines:
        if len(line) - len(line.lstrip()) < indent:
            break
        if len(line) - len(line.lstrip()) == indent:
            clauses.append(line.split()[0])
    scans, reds = "scan" in clauses, any(c in ("reduce", "reduce_comm") for c in clauses)
    return "Scanomap" if scans else "Redomap" if reds else "Map"


def counts(text):
    """How often each name and path occurs."""
    found = collections.Counter()
    stack, pending, depth_of = [], None, []
    lines = text.splitlines()
    for k, line in enumerate(lines):
        bare = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        if bare.startswith("fun ") or bare.startswith("#[") and " fun " in bare:
            stack, pending = [], None
        # Several statements and blocks may share a line.
        for piece in re.split(r"(?=\blet \()|(?<=\{)|(?=\})", bare):
            binding = re.search(r"\blet \(.*?\) = (.*)", piece)
            if binding:
                name = kind(binding.group(1))
                path = [n for n in stack if n]
                names = [name]
                if name == "Scatter":
                    names = ["WithAcc", "Screma"]
                for i, n in enumerate(names):
                    found[n] += 1
                    found["/" + "/".join(path + names[: i + 1])] += 1
                if name == "Screma":
                    found[finer(line, lines[k + 1:])] += 1
                if name == "If":
                    found["Match"] += 1
                pending = "/".join(names)
            for c in piece:
                if c == "{":
                    stack.append(pending if stack else "")
                elif c == "}":
                    if stack:
                        pending = stack.pop()
    return found


def programs(paths):
    for path in paths:
        if os.path.isdir(path):
            for d, _, files in sorted(os.walk(path)):
                yield from (os.path.join(d, f) for f in sorted(files) if f.endswith(".fut"))
        else:
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    sums = {"combinators": [0, 0], "other": [0, 0]}
    for file in programs(args.paths):
        with open(file, encoding="utf-8", errors="replace") as f:
            source = f.read()
        blocks = BLOCK.findall(source)
        if not blocks:
            continue
        run = subprocess.run([args.compiler, "dev", "--after", "soacs", file], capture_output=True, text=True, timeout=300)
        if run.returncode != 0:
            print(f"{file}: does not compile")
        found = counts(run.stdout) if run.returncode == 0 else None
        for name, wanted in (c for b in blocks for c in COUNT.findall(b)):
            group = "combinators" if name.split("/")[-1] in SOACS else "other"
            sums[group][1] += 1
            if found is None:
                continue
            if found[name] == int(wanted) or group == "combinators" and found[name] < int(wanted):
                sums[group][0] += 1
            elif args.verbose:
                print(f"{file}: {name} {wanted}, found {found[name]}")
    for group, (good, all_) in sums.items():
        print(f"{group}: {good} of {all_} as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
