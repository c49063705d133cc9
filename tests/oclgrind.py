#!/usr/bin/env python3
"""Oclgrind, a simulator of OpenCL devices, finds no fault in the kernels of programs.

    tests/oclgrind.py FEHU PROGRAM.fut... [--entry NAME] [--uninitialized] [--jobs 2] [--show]

Every entry point of each program runs in the simulator with four settings of the thresholds: `default`; `outer`, all of
them 0, so that the first version is taken; `inner`, all of them infinite, so that the last one is; and `block`, where only
versions in one thread block are wanted. Its data sets are those of the program's test blocks, with every dimension made
small, since a simulated thread is some ten thousand times slower than a real one; few, small thread blocks still have
to work together. Answers must be those of the same program as C. Reported are data races, barriers that not all
threads of a block reach, accesses outside of a buffer and wrong calls of the API.

Reports that are known to be harmless are only named (see EXPECTED). --uninitialized looks for uses of values that were never
written as well. Of Oclgrind 21.10 one must know that it then takes for unwritten what `clEnqueueCopyBuffer` copied, all of a
buffer but the bytes that the host wrote last (the runtime's one byte into each new buffer is therefore left out), and what
an atomic exchange wrote where nothing was before (the tiles of scans). It does not know the instruction `freeze`, hence no optimisations.

Prints a line for each entry point; --show prints what Oclgrind says, too. Needs Oclgrind (Debian: `apt install oclgrind`).
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

LIBRARY = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
INFINITE = 2**31 - 1
SETTINGS = {
    "default": {},
    "outer": {"outer": 0, "intra": 0},
    "inner": {"outer": INFINITE, "intra": INFINITE},
    "block": {"outer": INFINITE, "intra": 0},
}
# Several blocks of several rows of threads, and of a size that divides few inputs.
SIZES = ["--default-thread-block-size=64", "--default-num-thread-blocks=3"]
LARGEST = {1: 700, 2: 40, 3: 12, 4: 8}
SECONDS = 300

# Oclgrind's detector knows of barriers, but not that an atomic instruction orders what others do. In these reports one of
# the two accesses matches the expression. All are right:
EXPECTED = {
    # Whether a check failed elsewhere, so that there is no need to go on: any value that was ever there will do. OpenCL 1.2
    # has no atomic read but, say, an addition of zero, for which all threads would queue.
    "failure flag": r"int32_t failed = \*\(const __global int32_t \*\)failure;",
    # The first guess before a loop around compare-and-swap, which says whether the guess was right.
    "guess": r"int32_t seen_\d+ = |ATOMICS64_BY_CAS\(",
    # A bin is read and written between taking its lock and giving it back, with fences inside of both.
    "lock": r"\] = old_\d+;|_t old_\d+ = \*\(volatile ",
}
# The byte that the runtime writes into new memory.
TOUCH = re.compile(r"code = cl->EnqueueFillBuffer\(ctx->api\.queue, \*mem, .*?\);", re.S)

BLOCK = re.compile(r"^-- ==\n((?:--.*\n)+)", re.M)
CASE = re.compile(r"^--[^{\n]*?(random )?input *\{(.*?)\} *(?:(auto output)|output *\{.*\}|error:.*)$", re.M)


def entries(text):
    """Each entry point of a program with its data sets: values to make, or values as they stand."""
    found = {}
    for block in BLOCK.findall(text):
        names = re.search(r"^-- *entry: *(.*)$", block, re.M)
        for name in names[1].split() if names else ["main"]:
            found.setdefault(name, []).extend((bool(m[1]), m[2]) for m in CASE.finditer(block))
    return found


def small(type_):
    """`[300001]i32` as `[700]i32`; a value is left alone, but for a count such as `100000i64`."""
    dims = re.findall(r"\[(\d+)\]", type_)
    if not dims:
        return re.sub(r"^(\d+)i64$", lambda m: f"{min(int(m[1]), 20000)}i64", type_)
    most = LARGEST[len(dims)]
    return "".join(f"[{min(int(d), most)}]" for d in dims) + type_[type_.rindex("]") + 1:]


def data(fehu, random, values):
    """The text of a data set."""
    if not random:
        return values
    options = [o for v in values.split() for o in ("-g", small(v))]
    return subprocess.run([fehu, "dataset", *options], capture_output=True, text=True, check=True).stdout


def compiled(fehu, folder, program, untouched):
    """The program as C and as OpenCL, with the names of its thresholds."""
    out = {}
    for backend in "c", "opencl":
        out[backend] = os.path.join(folder, os.path.basename(program) + "." + backend)
        subprocess.run([fehu, backend, "-w", program, "-o", out[backend]], check=True)
    if untouched:
        with open(out["opencl"] + ".c") as f:
            text, times = TOUCH.subn("code = CL_SUCCESS;", f.read())
        assert times == 1
        with open(out["opencl"] + ".c", "w") as f:
            f.write(text)
        subprocess.run(["cc", "-O1", "-std=c11", out["opencl"] + ".c", "-o", out["opencl"], "-lm", "-ldl", "-pthread"], check=True)
    params = subprocess.run([out["opencl"], "--print-params"], capture_output=True, text=True, check=True).stdout
    return out["c"], out["opencl"], re.findall(r"^(\S+) \(threshold", params, re.M)


def reports(log):
    """What Oclgrind said and what is new in it: expected reports are named only."""
    said = open(log).read() if os.path.exists(log) else ""
    if os.path.exists(log):
        os.remove(log)
    named, new = set(), []
    for report in re.split(r"\n(?=\S)", said.strip()):
        kind = next((n for n, line in EXPECTED.items() if "data race" in report and re.search(line, report)), None)
        if kind:
            named.add(kind)
        elif report.strip() and "suppressing further errors" not in report:
            new.append(report)
    return named, "\n".join(new)


def same(fehu, folder, *texts):
    """Whether values are equal, floats nearly so."""
    if texts[0] == texts[1]:
        return True
    with tempfile.TemporaryDirectory(dir=folder) as here:
        for name, text in zip("ab", texts):
            with open(os.path.join(here, name), "w") as f:
                f.write(text)
        return subprocess.run([fehu, "datacmp", "a", "b"], cwd=here, capture_output=True).returncode == 0


def look(fehu, folder, binaries, entry, cases, uninitialized):
    """How often one entry point ran in all settings, which expected reports came, and what is wrong in which setting."""
    c, opencl, thresholds = binaries
    expected_ones = set()
    mine = [t for t in thresholds if t.startswith(entry + ".")]
    faults, runs, seen = [], 0, set()
    for setting, values in SETTINGS.items():
        params = tuple(f"--param={t}={values['intra' if 'intra' in t else 'outer']}" for t in mine if values)
        if params in seen or (values and not mine):
            continue
        seen.add(params)
        for random, given in cases:
            text = data(fehu, random, given)
            expected = subprocess.run([c, "-e", entry], input=text, capture_output=True, text=True)
            log = os.path.join(folder, f"{os.path.basename(opencl)}.{entry}.{setting}.log")
            env = {**os.environ, "OCL_ICD_VENDORS": os.path.join(folder, "vendors") + "/", "OCLGRIND_DATA_RACES": "1",
                   "OCLGRIND_CHECK_API": "1", "OCLGRIND_LOG": log, "OCLGRIND_MAX_ERRORS": "1000"}
            if uninitialized:
                # Its check does not know an instruction that optimisations introduce.
                env |= {"OCLGRIND_UNINITIALIZED": "1", "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable"}
            runs += 1
            try:
                done = subprocess.run([opencl, "-e", entry, *SIZES, *params], input=text, env=env, capture_output=True,
                                      text=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                faults.append((setting, f"still running after {SECONDS} seconds: {given.strip()}"))
                continue
            named, said = reports(log)
            expected_ones |= named
            if said:
                faults.append((setting, said))
            elif done.returncode != expected.returncode or not same(fehu, folder, done.stdout, expected.stdout):
                faults.append((setting, f"other answer than C for {given.strip()}: {done.stdout[:300]} {done.stderr[:300]}"))
    return entry, runs, expected_ones, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fehu")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--entry", action="append", default=[])
    parser.add_argument("--uninitialized", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    total = runs = bad = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        os.mkdir(os.path.join(folder, "vendors"))
        with open(os.path.join(folder, "vendors", "oclgrind.icd"), "w") as f:
            f.write(LIBRARY + "\n")
        for program in args.programs:
            with open(program) as f:
                found = entries(f.read())
            found = {e: cases for e, cases in found.items() if not args.entry or e in args.entry}
            if not found:
                continue
            binaries = compiled(args.fehu, folder, program, args.uninitialized)
            work = [pool.submit(look, args.fehu, folder, binaries, e, cases, args.uninitialized) for e, cases in found.items()]
            for entry, n, named, faults in (w.result() for w in work):
                total, runs, bad = total + 1, runs + n, bad + bool(faults)
                kinds = sorted({f"{setting}: {said.splitlines()[0][:90]}" for setting, said in faults})
                print(f"{os.path.basename(program):14} {entry:20} {n:3} runs  {'; '.join(kinds) or ', '.join(['clean', *sorted(named)])}", flush=True)
                if args.show:
                    print("".join(f"--- {setting}\n{said}\n" for setting, said in faults), end="")
    print(f"{total} entry points, {runs} runs, {bad} entry points with reports")
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(main())
