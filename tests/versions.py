#!/usr/bin/env python3
"""Runs programs with the tests in their comments: by C, by threads, and on a GPU with each version of every nest forced.

    tests/versions.py path/to/fehu [--gpu opencl] [--jobs N] [--part K/N] PROGRAM-OR-FOLDER...

The versions of a nest are asked for one after the other; the class of each threshold names those that are asked before it. Where
the longest such list has N thresholds, a program runs N + 1 times: first every nest takes the first of its versions, then the
second, and so on; a nest with fewer takes its last one. Programs are copied first, since tests leave expected outputs beside
them. Prints a line for each program: the runs that failed, with what `fehu test` said, and whether the host runs something step
by step. The exit code is 1 if anything is wrong. --part takes every N-th program, the K-th of them first.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HOST_LOOP = "This is not run in parallel"
THRESHOLD = re.compile(r"(\S+) \(threshold\([^,]*,(.*)\)\)")
IMPORT = re.compile(r'import "([^"]+)"')
REFUSED = re.compile(r"^-- ==\s*\n-- error:", re.MULTILINE)
ALWAYS, NEVER = 0, 1 << 60


def run(command, environment, seconds):
    """The exit code of a command, and what it says."""
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=seconds)
    return done.returncode, done.stdout


def forced(parameters):
    """Options of the executable that force each version in turn: lists, the first for the first version."""
    # How many thresholds were not reached when this one is compared.
    asked = {name: path.count("!") for name, path in THRESHOLD.findall(parameters)}
    versions = max(asked.values()) + 2 if asked else 0
    return [[f"--pass-option=--param={name}={NEVER if before < version else ALWAYS}" for name, before in asked.items()]
            for version in range(versions)]


def check(fehu, gpu, environment, program):
    """What is wrong with a program, as a list of texts, and how many versions it has."""
    wrong, versions = [], []
    try:
        exe = program.with_suffix(".exe")
        code, said = run([fehu, gpu, program, "-o", exe], environment, 300)
        if code != 0:
            return [f"{gpu} compiler\n{said}"], 0
        if HOST_LOOP in said:
            wrong.append("host loop")
        versions = forced(run([exe, "--print-params"], environment, 60)[1])
        runs = {name: [] for name in ["c", "multicore", gpu]}
        runs |= {f"version {number}": ["--no-tuning", *options] for number, options in enumerate(versions)}
        for name, options in runs.items():
            backend = name if name in ["c", "multicore"] else gpu
            code, said = run([fehu, "test", "--no-terminal", "--backend", backend, *options, program], environment, 600)
            if code != 0:
                wrong.append(f"{name}\n{said}")
    except subprocess.TimeoutExpired as late:
        wrong.append(f"more than {late.timeout:.0f} s")
    return wrong, len(versions)


def copied(given, folder):
    """Copies of programs that have tests, with what they import: others, and those that must be refused, have none to run."""
    programs = [p for path in given for p in (sorted(path.rglob("*.fut")) if path.is_dir() else [path])]
    programs = [p.resolve() for p in programs]
    texts = {}
    left = list(programs)
    while left:
        file = left.pop()
        if file not in texts and file.exists():
            texts[file] = file.read_text()
            left += [(file.parent / f"{name}.fut").resolve() for name in IMPORT.findall(texts[file])]
    root = os.path.commonpath([file.parent for file in texts])
    for file, text in texts.items():
        copy = folder / file.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    return [folder / p.relative_to(root) for p in programs if "-- ==" in texts[p] and not REFUSED.search(texts[p])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu", type=pathlib.Path)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--gpu", default="opencl", choices=["opencl", "cuda"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--part", default="0/1")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    fehu = options.fehu.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "executables").mkdir()
        environment = dict(os.environ, CC=str(pathlib.Path(__file__).resolve().parent / "cached-cc"),
                           CACHED_CC_DIR=str(folder / "executables"), CFLAGS="-O0 -std=c11")
        programs = folder / "programs"
        found = copied(options.programs, programs)[part::parts]
        failed = runs = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for program, (wrong, versions) in zip(found, pool.map(lambda p: check(fehu, options.gpu, environment, p), found)):
                runs += versions
                failed += bool(wrong)
                print(f"{program.relative_to(programs)}: {', '.join(wrong) or f'right, {versions} forced'}", flush=True)
        print(f"{len(found)} programs, {runs} runs with a version forced, {failed} programs with something wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
