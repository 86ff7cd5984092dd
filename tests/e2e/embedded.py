#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model without heap, threads and files compiles for bare Cortex-M, where int32_t is long: with newlib and picolibc, and
without a C++ standard library. embedded.py CAMEO MODEL SCRATCH. A model that --heap none refuses, once its dims are bounded,
is none for such machines.
"""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bare import COMPILER, compile_bounded
from share import SKIPPED, skip_unless_taken

FLAGS = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fno-exceptions", "-fno-rtti",
         "-mthumb", "-mfloat-abi=hard", "-DCAMEO_THREADS=0", "-DCAMEO_HEAP_NONE=1"]
# One library for each processor: what they have in common is seen twice.
WAYS = [["-mcpu=cortex-m4"], ["-mcpu=cortex-m55", "-specs=picolibc.specs", "-nostdinc++"]]


def main():
    cameo, model, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    skip_unless_taken("embedded", model.stem, f"tests/models/{model.stem}.py")
    if not shutil.which(COMPILER):
        print(f"SKIP: no {COMPILER}")
        sys.exit(SKIPPED)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.parent.mkdir(parents=True, exist_ok=True)
    if why := compile_bounded(cameo, model, scratch):
        print(f"SKIP: not without a heap: {why[:300]}")
        sys.exit(SKIPPED)
    faults = []
    for way in WAYS:
        for source in sorted(scratch.glob("*.cpp")):
            done = subprocess.run([COMPILER, *FLAGS, *way, f"-I{scratch}", source], capture_output=True, text=True)
            if "cannot read spec file" in done.stderr:
                print("SKIP: no picolibc")
                break
            if done.returncode != 0:
                faults.append(f"{source.name}, {' '.join(way)}: {done.stderr[:3000]}")
    shutil.rmtree(scratch)
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
