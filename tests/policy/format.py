#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ and CUDA sources are as clang-format 14 writes them. To mend: format.py --fix."""
import shutil
import subprocess
import sys

from tree import ROOT, files, report

TOOL = shutil.which("clang-format-14") or "clang-format"
# Sources with {{name}} substitutions are no C++ yet; CMake's .in files have other suffixes.
SOURCES = [p for p in files(".h", ".cpp", ".cu", ".cuh", ".c") if "skeleton" not in p.parts]

if sys.argv[1:] == ["--fix"]:
    subprocess.run([TOOL, "-i", *SOURCES], cwd=ROOT, check=True)
done = subprocess.run([TOOL, "--dry-run", "--ferror-limit=1", *SOURCES], cwd=ROOT, capture_output=True, text=True)
report(f"{line}: format.py --fix mends it" for line in done.stderr.splitlines() if "clang-format-violations" in line or "error" in line)
