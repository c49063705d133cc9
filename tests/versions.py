#!/usr/bin/env python3
"""Runs programs with the tests in their comments: by C, by threads, and on a GPU with each version of every nest forced.

    tests/versions.py path/to/fehu [--gpu opencl] [--jobs N] PROGRAM-OR-FOLDER...

A threshold of 1 forces the outermost version of each nest, a huge one the version that is flattened fully; in between is what
sizes choose. Programs are copied first, since tests leave expected outputs beside them. Prints a line for each program: the
runs that failed, and whether the host runs something step by step. The exit code is 1 if there is any such line.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HOST_LOOP = "This is not run in parallel"


def runs(gpu):
    """Names of runs, with the arguments of `fehu test`."""
    threshold = "--pass-option=--default-threshold="
    return {
        "c": ["--backend", "c"],
        "multicore": ["--backend", "multicore"],
        gpu: ["--backend", gpu],
        "outermost": ["--backend", gpu, "--no-tuning", threshold + "1"],
        "flat": ["--backend", gpu, "--no-tuning", threshold + str(1 << 60)],
    }


def check(fehu, gpu, program):
    """What is wrong with a program, as a list of words."""
    environment = dict(os.environ, CFLAGS="-O0 -std=c11")
    wrong = []
    try:
        exe = program.with_suffix(".exe")
        compiled = subprocess.run([fehu, gpu, program, "-o", exe], env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        if HOST_LOOP in compiled.stdout:
            wrong.append("host loop")
        for name, options in runs(gpu).items():
            done = subprocess.run([fehu, "test", "--no-terminal", *options, program], env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            if done.returncode != 0:
                wrong.append(name)
    except subprocess.TimeoutExpired as late:
        wrong.append(f"more than {late.timeout:.0f} s")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu", type=pathlib.Path)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--gpu", default="opencl", choices=["opencl", "cuda"])
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    fehu = options.fehu.resolve()
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for number, given in enumerate(options.programs):
            given = given.resolve()
            # Programs import others beside them, and one folder up.
            root = given if given.is_dir() else given.parent
            copy = pathlib.Path(folder) / str(number) / root.parent.name / root.name
            shutil.copytree(root.parent, copy.parent, ignore=lambda at, names: [
                n for n in names if not n.endswith(".fut") and not (pathlib.Path(at) / n).is_dir()])
            found += sorted(copy.rglob("*.fut")) if given.is_dir() else [copy / given.name]
        # Libraries and programs that must be refused have no tests to run.
        found = [p for p in found if "-- ==" in p.read_text() and "error:" not in p.read_text()]
        failed = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for program, wrong in zip(found, pool.map(lambda p: check(fehu, options.gpu, p), found)):
                if wrong:
                    failed += 1
                    print(f"{program.relative_to(folder)}: {', '.join(wrong)}", flush=True)
        print(f"{len(found)} programs, {failed} with something wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
