#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each header of the compiler includes what it needs: headers.py COMPILE_COMMANDS compiles it alone.

Most sources read a precompiled header first, which hides what is missing from those that do not.
"""
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))
from share import CHANGED, sample  # noqa: E402
from tree import ROOT, files, report  # noqa: E402

# A unit of each folder, whose flags the folder's headers are compiled with.
FOLDERS = {"compiler": "compiler/Pipeline/Pipeline.cpp", "tools/cameo": "tools/cameo/main.cpp"}


def flags(command):
    """The flags of a command without its source, its output and the precompiled header."""
    words = iter(shlex.split(command)[1:])
    for word in words:
        if word in ("-o", "-c", "-include"):
            following = next(words)
            # A forced header of our own stays.
            if word == "-include" and "cmake_pch" not in following:
                yield from (word, following)
        elif word == "-Xclang":
            next(words)
        elif word != "-Winvalid-pch":
            yield word


def problem(header, compiler, given):
    done = subprocess.run([compiler, *given, "-fsyntax-only", "-Wno-pragma-once-outside-header", "-x", "c++", ROOT / header],
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    return f"{header}:1: does not compile alone: {errors[0] if errors else done.stderr[:200]}" if done.returncode else None


def main():
    commands = {Path(entry["file"]): entry for entry in json.loads(Path(sys.argv[1]).read_text())}
    jobs = []
    for folder, unit in FOLDERS.items():
        entry = commands[ROOT / unit]
        given, compiler = list(flags(entry["command"])), shlex.split(entry["command"])[0]
        headers = [path for path in files(".h") if path.is_relative_to(folder) and path.name != "Precompiled.h"]
        taken = {*sample(f"policy.headers of {folder}", headers), *(path for path in headers if str(path) in CHANGED)}
        jobs += [(header, compiler, given) for header in sorted(taken)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return report(filter(None, pool.map(lambda job: problem(*job), jobs)))


if __name__ == "__main__":
    sys.exit(main())
