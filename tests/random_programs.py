#!/usr/bin/env python3
"""Random programs (see generator.py) give the same answers on all back ends.

    tests/random_programs.py FEHU [--seed 1] [--programs 20] [--entries 4] [--reference FUTHARK]
                             [--backends multicore,opencl] [--keep FOLDER] [--jobs 2]
    tests/random_programs.py FEHU --ir lower|opt --keep FOLDER [--seed 1] [--programs 20]

Each program runs as C; the other back ends must agree, GPUs with thresholds at their defaults, all 0, all infinite, for
thread blocks only and at random, and with small thread blocks, grids and tiles. With --reference, another compiler's C gives the answers. What OpenCL gets wrong is tried again in
Oclgrind: if it is right there, the fault is the device's (barriers in loops, with PoCL 3.1). Programs with faults are kept.

--ir writes what programs become after a stage instead. The interpreter compares such programs much faster:

    FEHU_OPT_PROGRAMS=FOLDER cargo test -p fehu-opt --test passes        (after lower)
    FEHU_GPU_PROGRAMS=FOLDER cargo test -p fehu-flatten --test gpu       (after opt)
    FEHU_GPU_PROGRAMS=FOLDER cargo test -p fehu-memory --test kernels    (after opt; refusals are not faults)
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

from generator import program

INFINITE = 2_000_000_000


def run(command, text="", seconds=60, env=None):
    """The exit code, output and errors of a command."""
    env = {**os.environ, **(env or {})}
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds, env=env)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return "timeout", "", ""


def settings(rng, backend, binary):
    """Ways to run a program: names with options."""
    yield "", []
    if backend not in ("opencl", "cuda"):
        return
    yield "small", sizes(rng)
    names = re.findall(r"^(\S+) \(threshold", run([binary, "--print-params"])[1], re.M)
    if names:
        yield "zero", [f"--param={n}=0" for n in names] + sizes(rng)
        yield "infinite", [f"--param={n}={INFINITE}" for n in names] + sizes(rng)
        yield "block", [f"--param={n}={0 if 'intra' in n else INFINITE}" for n in names]
        yield "random", [f"--param={n}={rng.choice([0, 10, INFINITE])}" for n in names] + sizes(rng)


def sizes(rng):
    """Few, small thread blocks, so that they have more than one thing to do; and small tiles, so that they are full."""
    most = {"thread-block-size": [32, 64, 96], "num-thread-blocks": [1, 2, 3], "tile-size": [2, 4, 8], "reg-tile-size": [1, 2, 3]}
    return [f"--default-{what}={rng.choice(values)}" for what, values in most.items()]


def alike(args, folder, got, expected):
    """Whether two runs ended alike."""
    if got[0] != 0 or expected[0] != 0 or got[1] == expected[1]:
        return (got[0] == 0) == (expected[0] == 0)
    paths = [os.path.join(folder, name) for name in "ab"]
    for path, (_, text, _) in zip(paths, (got, expected)):
        with open(path, "w") as f:
            f.write(text)
    return run([args.fehu, "datacmp", *paths])[0] == 0


def simulator(folder):
    """Variables with which OpenCL is Oclgrind's."""
    vendors = os.path.join(folder, "vendors")
    os.makedirs(vendors, exist_ok=True)
    with open(os.path.join(vendors, "oclgrind.icd"), "w") as f:
        f.write("/usr/lib/oclgrind/liboclgrind-rt-icd.so\n")
    return {"OCL_ICD_VENDORS": vendors + "/"}


def compiled(args, folder, source):
    """The executables by the names of their back ends, the one that is right first; and what was refused."""
    compilers = [("reference", args.reference, "c")] if args.reference else []
    compilers += [(b, args.fehu, b) for b in ["c"] + args.backends.split(",")]
    binaries, faults = {}, []
    for name, compiler, backend in compilers:
        out = os.path.join(folder, name)
        code, _, err = run([compiler, backend, "-w", source, "-o", out], seconds=300)
        if code == 0:
            binaries[name] = out
        else:
            faults.append(f"{name} does not compile: {err[-1500:]}")
    return binaries, faults


def trial(args, seed):
    """What is wrong with the program of a seed: lines of text."""
    text, cases = program(seed, args.entries)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "p.fut")
        with open(source, "w") as f:
            f.write(text)
        binaries, faults = compiled(args, folder, source)
        oracle = next(iter(binaries), None)
        plan = [(b, p, *s) for b, p in binaries.items() if b != oracle for s in settings(rng, b, p)]
        for entry, k, data in ((e, k, data) for e, sets in cases.items() for k, data in enumerate(sets)):
            expected = run([binaries[oracle], "-e", entry], data) if plan else ("timeout", "", "")
            if expected[0] == "timeout":
                continue
            for backend, binary, setting, options in plan:
                command = [binary, "-e", entry, *options]
                got = run(command, data)
                if alike(args, folder, got, expected):
                    continue
                what = f"{entry} on data {k}, {backend} {setting} {options if setting == 'random' else options[-4:]}"
                if backend == "opencl" and alike(args, folder, run(command, data, 120, simulator(folder)), expected):
                    print(f"seed {seed}: {what}: the device is wrong, Oclgrind right", flush=True)
                else:
                    faults.append(f"{what}: {got[0]} {got[1][:300]} {got[2][-400:]}, not {expected[1][:300]} {expected[2][-300:]}")
    if faults and args.keep:
        keep(args.keep, seed, text, cases)
    return faults


def keep(folder, seed, text, cases):
    """Writes a program and its data sets."""
    base = os.path.join(folder, f"s{seed}")
    with open(base + ".fut", "w") as f:
        f.write(text)
    for e, k, data in ((e, k, data) for e, sets in cases.items() for k, data in enumerate(sets)):
        with open(f"{base}.{e}.{k}.in", "w") as f:
            f.write(data)


def write_ir(args, seed):
    """What the program of a seed becomes after a stage, as a file."""
    keep(args.keep, seed, program(seed, args.entries)[0], {})
    base = os.path.join(args.keep, f"s{seed}")
    code, out, err = run([args.fehu, "dev", "--after", args.ir, base + ".fut"], seconds=300)
    if code != 0:
        return [f"it is refused: {err[-1500:]}"]
    with open(base + ".ir", "w") as f:
        f.write(out)
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--entries", type=int, default=4)
    parser.add_argument("--reference")
    parser.add_argument("--backends", default="multicore,opencl")
    parser.add_argument("--keep")
    parser.add_argument("--ir")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if args.ir and not args.keep:
        parser.error("--ir needs --keep")
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    work, bad = write_ir if args.ir else trial, 0
    seeds = range(args.seed, args.seed + args.programs)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for seed, faults in zip(seeds, pool.map(lambda s: work(args, s), seeds)):
            bad += bool(faults)
            for fault in faults[:6]:
                print(f"seed {seed}: {fault}", flush=True)
    print(f"{args.programs} programs, {bad} with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
