#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two machines' answers and looks for what must not be linked: check.py HOST OTHER LABELS.npy SYMBOLS MAP.

Digits must be equal; probabilities may differ by what fusing a multiplication with an addition in a convolution does,
which one machine has an instruction for and the other has not.
"""
import re
import struct
import sys
from pathlib import Path

TOLERANCE = 1e-5
RIGHT = 0.95
FORBIDDEN = re.compile(
    r"\b(_?malloc(_r)?|calloc|realloc|_?free(_r)?|_?sbrk(_r)?|_Zn[wa][mj]\w*|_Zd[la]Pv\w*|pthread_\w+|fopen|fread|fwrite|"
    r"open|openat|mmap|__cxa_throw|__cxa_allocate_exception|_Unwind_RaiseException)\b(?!\.)")


def answers(path):
    rows = []
    for line in Path(path).read_text().splitlines():
        digit, *bits = line.split()
        rows.append((int(digit), [struct.unpack(">f", bytes.fromhex(b))[0] for b in bits]))
    return rows


def labels(path):
    data = Path(path).read_bytes()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(body) // 8}q", body)


def main():
    host, other, truth = answers(sys.argv[1]), answers(sys.argv[2]), labels(sys.argv[3])
    symbols = Path(sys.argv[4]).read_text()
    # Of the map only what was kept: the lists of archive members and discarded sections come first.
    linked = symbols + Path(sys.argv[5]).read_text().partition("Linker script and memory map")[2]

    faults = []
    if not len(host) == len(other) == len(truth):
        faults.append(f"{len(host)} and {len(other)} answers for {len(truth)} images")
    faults += [f"image {i}: {a[0]} here, {b[0]} there" for i, (a, b) in enumerate(zip(host, other)) if a[0] != b[0]]
    worst = max((abs(p - q) for a, b in zip(host, other) for p, q in zip(a[1], b[1])), default=1.0)
    if not worst <= TOLERANCE:
        faults.append(f"probabilities differ by {worst:g}")
    right = sum(a[0] == t for a, t in zip(other, truth))
    if right < RIGHT * len(truth):
        faults.append(f"{right} of {len(truth)} right")
    found = sorted({match[0] for match in FORBIDDEN.finditer(linked)})
    if found:
        faults.append(f"linked: {', '.join(found)}")
    print("\n".join(faults) or f"{right} of {len(truth)} digits right, as on the host (largest difference {worst:g}); "
          "no heap, threads or files linked")
    sys.exit(1 if faults else 0)


main()
