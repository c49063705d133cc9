#!/usr/bin/env python3
"""Compiles and runs packed random programs, and compares their results with those of the interpreter.

    python3 run.py [--jobs 8] [--cc gcc] [--cflags=-O1] [--libraries "-lm -lpthread -ldl"] [FILE.c ...]

Each file is one server with many entry points; it is started once per setting: thresholds at their defaults, such that each
nest takes its first version, its second, its third and its last, and by lot, with few small thread blocks. The exit status is 0 if every run ended as expected.
"""
import argparse
import array
import concurrent.futures
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
UNREACHED = 2_000_000_000
SMALL = ["--default-thread-block-size=32", "--default-num-thread-blocks=2", "--default-tile-size=4"]
SMALLER = ["--default-thread-block-size=64", "--default-num-thread-blocks=1", "--default-reg-tile-size=2"]
SETTINGS = [("usual", []), ("first", SMALL), ("second", SMALL), ("third", SMALLER), ("last", SMALLER), ("random", SMALL)]
VERSIONS = {"first": 0, "second": 1, "third": 2, "last": UNREACHED}
FLOATS = {b" f16": ("H", 0x7C00, 0x03FF), b" f32": ("I", 0x7F800000, 0x007FFFFF),
          b" f64": ("Q", 0x7FF0000000000000, 0x000FFFFFFFFFFFFF)}


class Ended(Exception):
    """The server is gone."""


class Failure(Exception):
    """A command failed."""


class Server:
    """A running server."""

    def __init__(self, executable, options):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([executable, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.answer()

    def answer(self):
        lines, failed = [], False
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line == "%%% OK":
                if failed:
                    raise Failure("\n".join(lines))
                return lines
            if line == "%%% FAILURE":
                failed, lines = True, []
            else:
                lines.append(line)
        self.process.wait()
        self.log.seek(0)
        raise Ended(f"ended with {self.process.returncode}: {self.log.read().decode(errors='replace')[-500:]}")

    def say(self, *words):
        try:
            self.process.stdin.write(" ".join(words) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.answer()

    def end(self):
        self.process.kill()
        self.process.wait()


def values(data):
    """The values of a file: shape, type and bytes of each. Every NaN is the same NaN."""
    at, found = 0, []
    while at < len(data):
        if data[at:at + 2] != b"b\x02":
            raise ValueError("not a value")
        rank, kind = data[at + 2], data[at + 3:at + 7]
        shape = struct.unpack_from(f"<{rank}q", data, at + 7)
        at += 7 + 8 * rank
        width = 1 if kind == b"bool" else int(kind.strip()[1:]) // 8
        size = width
        for n in shape:
            size *= n
        body = data[at:at + size]
        at += size
        if kind in FLOATS:
            code, exponent, fraction = FLOATS[kind]
            numbers = array.array(code, body)
            body = tuple(-1 if x & exponent == exponent and x & fraction else x for x in numbers)
        found.append((shape, kind, body))
    return found


def set_thresholds(server, setting, entry):
    rng = random.Random(entry)
    for line in server.say("tuning_params", entry):
        name, _, kind = line.partition(" ")
        if kind.strip(" ()").startswith("threshold"):
            value = rng.choice([0, 10, UNREACHED])
            if setting in VERSIONS:
                # The class names the thresholds that are compared before, those that were not reached with a `!`.
                value = UNREACHED if kind.count("!") < VERSIONS[setting] else 0
            server.say("set_tuning_param", name, str(value))


def run_case(server, entry, arguments, results, count, out):
    """What is wrong with a run, or nothing."""
    types = [line.lstrip("*") for line in server.say("inputs", entry)]
    inputs = [f"in{i}" for i in range(len(types))]
    server.say("restore", arguments, *(word for pair in zip(inputs, types) for word in pair))
    wrong = None
    try:
        server.say("call", entry, "out", *inputs)
        names = ["out"]
        if count > 1:
            names = [f"part{i}" for i in range(count)]
            for i, name in enumerate(names):
                server.say("project", name, "out", str(i))
        server.say("store", out, *names)
        server.say("free", "out", *(names if count > 1 else []))
        if results is None:
            wrong = "it ends well, but a check should fail"
        else:
            with open(out, "rb") as a, open(results, "rb") as b:
                got, expected = values(a.read()), values(b.read())
            if got != expected:
                wrong = f"got {got}, expected {expected}"
    except Failure as e:
        if results is not None:
            wrong = f"it fails: {e}"
    server.say("free", *inputs)
    return wrong


def run_file(args, source):
    """Compiles and runs one file: how many runs, and what is wrong."""
    base = source[:-2]
    with open(base + ".cases") as f:
        cases = [line.split() for line in f]
    done = subprocess.run([args.cc, *args.cflags.split(), source, "-o", base + ".exe", *args.libraries.split()], capture_output=True, text=True)
    if done.returncode != 0:
        return 0, [f"{source} is not compiled: {done.stderr[-2000:]}"]
    with open(os.path.join(HERE, "target")) as f:
        settings = SETTINGS if f.read() in ("cuda", "opencl") else SETTINGS[:1]
    runs, faults = 0, []
    for setting, options in settings:
        server = None
        for entry, arguments, results, count in cases:
            try:
                if server is None:
                    server = Server(base + ".exe", options)
                if setting != "usual":
                    set_thresholds(server, setting, entry)
                expected = None if results == "-" else os.path.join(base, results)
                wrong = run_case(server, entry, os.path.join(base, arguments), expected, int(count), f"{base}.{setting}.result")
            except (Ended, Failure) as e:
                wrong, server = str(e), None
            runs += 1
            if wrong:
                faults.append(f"{os.path.basename(source)} {entry} {arguments} {setting}: {wrong[:600]}")
        if server is not None:
            server.end()
    return runs, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--cflags", default="-O1")
    parser.add_argument("--libraries", default="-lm -lpthread -ldl")
    args = parser.parse_args()
    files = args.files or sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".c"))
    begun, runs, faults = time.time(), 0, []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for more, wrong in pool.map(lambda f: run_file(args, f), files):
            runs += more
            faults += wrong
            for line in wrong:
                print(line, flush=True)
    print(f"{len(files)} files, {runs} runs, {len(faults)} faults, {time.time() - begun:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
