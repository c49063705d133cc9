#!/usr/bin/env python3
"""Whether NVRTC accepts the kernels of programs. Needs no GPU.

    python3 -m venv venv && venv/bin/pip install nvidia-cuda-nvrtc-cu12
    venv/bin/python tests/nvrtc.py --compiler BIN PATH... [--machine-code] [--jobs N]

A path is a program, or a folder of them. Each is compiled to a library by `BIN cuda --library`; the kernels' text in it is
given to NVRTC for compute capability 9.0, as PTX, or with --machine-code down to what the device runs. Programs that the
compiler refuses are counted apart: they may be meant to be refused.
"""
import argparse
import concurrent.futures
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPE = re.compile(r"\\(n|t|r|\\|\"|'|\?|[0-7]{1,3})")
NAMED = {"n": "\n", "t": "\t", "r": "\r"}


def library():
    """NVRTC, from the package beside this interpreter or from the system."""
    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia", "cuda_nvrtc", "lib", "libnvrtc.so.*")):
            return ctypes.CDLL(path)
    return ctypes.CDLL("libnvrtc.so")


def unescape(text):
    return ESCAPE.sub(lambda m: NAMED.get(m[1], m[1]) if not m[1].isdigit() else chr(int(m[1], 8)), text)


def kernels(c_text):
    """The kernels' text in the text of a library."""
    start = c_text.index("kernel_text[] = {")
    return "".join(unescape(m[1]) for m in LITERAL.finditer(c_text, start, c_text.index("NULL", start)))


def refusal(rtc, text, arch):
    """What NVRTC says against a text, or nothing."""
    program = ctypes.c_void_p()
    if rtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None) != 0:
        return "NVRTC could not take the kernels"
    options = [f"--gpu-architecture={arch}".encode(), b"--disable-warnings"]
    code = rtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    log = ""
    if code != 0:
        size = ctypes.c_size_t()
        rtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value + 1)
        rtc.nvrtcGetProgramLog(program, buffer)
        log = buffer.value.decode(errors="replace") or f"error {code}"
    rtc.nvrtcDestroyProgram(ctypes.byref(program))
    return log


def test(rtc, compiler, program, arch):
    """`accepted`, `not compiled`, `crashed`, or what NVRTC says."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "library")
        try:
            done = subprocess.run([compiler, "cuda", "--library", "-w", program, "-o", out], capture_output=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "crashed"
        if done.returncode != 0:
            return "not compiled" if done.returncode == 1 else "crashed"
        with open(out + ".c") as file:
            text = file.read()
    return refusal(rtc, kernels(text), arch) or "accepted"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--machine-code", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    programs = []
    for path in args.paths:
        found = glob.glob(os.path.join(path, "**", "*.fut"), recursive=True) if os.path.isdir(path) else [path]
        programs += sorted(found)
    rtc = library()
    arch = "sm_90" if args.machine_code else "compute_90"
    counts = {"accepted": 0, "not compiled": 0, "crashed": 0, "refused": 0}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        tested = pool.map(lambda p: test(rtc, args.compiler, p, arch), programs)
        for program, result in zip(programs, tested):
            counts[result if result in counts else "refused"] += 1
            if result not in ("accepted", "not compiled"):
                print(f"{program}: {result}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if counts["refused"] or counts["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
