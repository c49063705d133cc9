"""Arrays of more than 2^31 elements on a GPU, against sequential C.

    python3 bench/gpu/large.py --gpu EXE --c EXE [--size N]

EXE are `bench/gpu/large.fut` compiled by `fehu cuda` (or opencl) and by `fehu c`. Prints a line for each entry
point; exits with 1 if any differs.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path


def run(exe, entry, size):
    result = subprocess.run([exe, "-e", entry], input=f"{size}i64\n", capture_output=True, text=True, timeout=300)
    return result.stdout.split() if result.returncode == 0 else result.stderr.strip() or result.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", required=True, help="the program for the GPU")
    parser.add_argument("--c", required=True, help="the program for the CPU")
    parser.add_argument("--size", type=int, default=2**31 + 12345, help="elements (default: %(default)s)")
    args = parser.parse_args()
    source = Path(__file__).with_name("large.fut").read_text()
    differ = 0
    for entry in re.findall(r"^entry (\w+)", source, re.M):
        gpu, c = run(args.gpu, entry, args.size), run(args.c, entry, args.size)
        same = isinstance(gpu, list) and gpu == c
        differ += not same
        print(f"{entry}: {'same' if same else 'DIFFERENT'}: {gpu}" + ("" if same else f" and {c}"), flush=True)
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
