#!/usr/bin/env python3
"""Draws the README's picture: how long each program of bench/ takes beside the reference compiler.

Reads bench/results/gpu.tsv, so that the picture shows what was measured and nothing else:

    python3 bench/picture.py > docs/overview.svg

A program has one bar, the geometric mean of its rows.
"""

import math
import pathlib

ROW_PIXELS, LEFT_PIXELS, WIDTH_PIXELS = 17, 110, 640
SMALLEST, LARGEST = 0.005, 1.25
TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]


def ratios(text):
    """Of each program, how many times the reference's time its rows take."""
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    found = {}
    for _, case, _, _, ratio, _, _ in rows[1:]:
        if ratio:
            found.setdefault(case.split()[0].split(":")[0], []).append(max(float(ratio), 0.005))
    return {name: math.exp(sum(map(math.log, rows)) / len(rows)) for name, rows in found.items()}


def place(ratio):
    """The horizontal position of a ratio: logarithmic."""
    inside = min(max(ratio, SMALLEST), LARGEST)
    return LEFT_PIXELS + WIDTH_PIXELS * math.log(inside / SMALLEST) / math.log(LARGEST / SMALLEST)


def draw(programs):
    """The lines of the picture."""
    bottom = 30 + ROW_PIXELS * len(programs)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT_PIXELS + WIDTH_PIXELS + 60}" height="{bottom + 40}" '
        'font-family="sans-serif" font-size="12">'
    )
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield f'<text x="{LEFT_PIXELS}" y="18">time on an H200 beside the reference compiler (1 = as long; shorter is better)</text>'
    for tick in TICKS:
        x, colour = place(tick), "#c33" if tick == 1 else "#ddd"
        yield f'<line x1="{x:.0f}" x2="{x:.0f}" y1="26" y2="{bottom}" stroke="{colour}"/>'
        yield f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>'
    for row, (name, ratio) in enumerate(sorted(programs.items(), key=lambda p: p[1])):
        y, x = 30 + ROW_PIXELS * row, place(ratio)
        yield f'<text x="{LEFT_PIXELS - 8}" y="{y + 12}" text-anchor="end">{name}</text>'
        yield f'<rect x="{LEFT_PIXELS}" y="{y + 2}" width="{x - LEFT_PIXELS:.0f}" height="{ROW_PIXELS - 5}" fill="#4a7ab5"/>'
        yield f'<text x="{x + 5:.0f}" y="{y + 12}">{ratio:.2f}</text>'
    yield "</svg>"


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent
    print("\n".join(draw(ratios((here / "bench/results/gpu.tsv").read_text()))))
