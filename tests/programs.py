"""What the scripts in this folder share: picking programs of a test suite, and running their test blocks."""
import hashlib
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
CACHED_CC = os.path.join(HERE, "cached-cc")

# Data sets in the comments of a program, with an answer that is written down or an error that is to come.
HAS_DATA = re.compile(r"^-- .*\binput *(\{|@)", re.M)


def sample(root, count, only=(), leave_out=("ad",)):
    """The paths of up to `count` programs that have data: always the same ones, from all over the suite."""
    found = []
    for folder, _, files in os.walk(root):
        where = os.path.relpath(folder, root)
        top = where.split(os.sep)[0]
        if top in leave_out or (only and where not in only and top not in only):
            continue
        found += [os.path.join(folder, f) for f in files if f.endswith(".fut")]
    found.sort(key=lambda p: hashlib.sha256(os.path.relpath(p, root).encode()).digest())
    picked = []
    for path in found:
        if len(picked) == count:
            break
        with open(path, encoding="utf-8", errors="replace") as f:
            if HAS_DATA.search(f.read()):
                picked.append(path)
    return sorted(picked)


def test(fehu, paths, options=(), env=None):
    """Runs test blocks; gives the programs that fail, with what `fehu test` says about each."""
    command = [fehu, "test", "--no-terminal", *options, *paths]
    done = subprocess.run(command, env={**os.environ, **(env or {})}, capture_output=True, text=True)
    failed, current = {}, None
    known = set(paths)
    for line in done.stdout.splitlines():
        if line.endswith(":") and line[:-1] in known:
            current = line[:-1]
            failed[current] = []
        elif current and line.startswith("  "):
            failed[current].append(line.strip())
        else:
            current = None
    if not re.search(r"^\d+ passed", done.stdout, re.M):
        raise SystemExit(f"{' '.join(command[:6])} ...: {done.stderr[-2000:]}")
    return failed
