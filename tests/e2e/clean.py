#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated C++, with kernels for strides too, has no warnings of g++ or clang, needs neither exceptions nor RTTI, and
stays quick to compile: clean.py CAMEO MODEL SCRATCH. The host program of a small model must parse in half a second of
processor time, that of a larger one in a second more per 100 KB of its text.
"""
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from share import skip_unless_taken

COMPILER, CLANG = os.environ.get("CXX", "g++"), "clang++-14"
FLAGS = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-fno-exceptions",
         "-fno-rtti", "-Wsign-conversion", "-Wzero-as-null-pointer-constant"]
GCC_FLAGS = [] if "clang" in COMPILER else ["-Wuseless-cast"]
HOST_SECONDS, HOST_SECONDS_PER_BYTE = 0.5, 1e-5


def seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    cameo, model, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    skip_unless_taken("clean", model.stem, f"tests/models/{model.stem}.py")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([cameo, "compile", model, "-o", scratch, "--name", "net", "--strided-outputs"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"exit {done.returncode}\n{done.stderr[:2000]}")
        sys.exit(1)

    faults = []
    for source in sorted(scratch.glob("*.cpp")):
        start = seconds_of_children()
        done = subprocess.run([COMPILER, *FLAGS, *GCC_FLAGS, f"-I{scratch}", source], capture_output=True, text=True)
        took = seconds_of_children() - start
        print(f"{source.name}: {took:.2f} s")
        if done.returncode != 0:
            faults.append(f"{source.name}: {done.stderr[:3000]}")
        allowed = HOST_SECONDS + HOST_SECONDS_PER_BYTE * source.stat().st_size
        if source.name == "net.cpp" and took > allowed:
            faults.append(f"{source.name} takes {took:.2f} s, allowed {allowed:.2f}")
        done = subprocess.run([CLANG, *FLAGS, f"-I{scratch}", source], capture_output=True, text=True)
        if done.returncode != 0:
            faults.append(f"{source.name}, {CLANG}: {done.stderr[:3000]}")
    shutil.rmtree(scratch)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
