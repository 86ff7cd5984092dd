# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program `cameo`: where it is, and what it answers."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from ._errors import Error

# What docs/cli.md calls exit codes.
_CODES = {1: "INTERNAL", 2: "USAGE", 3: "IO", 4: "MALFORMED", 5: "UNSUPPORTED", 6: "LIMIT", 7: "POLICY", 8: "CHECK_FAILED"}


def find():
    """$CAMEO, the program beside the package, or the one in PATH."""
    named = os.environ.get("CAMEO")
    if named:
        path = shutil.which(named)
        if not path:
            raise Error(f"CAMEO names {named}, and there is no such program", "IO")
        return path
    bundled = Path(__file__).parent / "bin" / "cameo"
    if bundled.exists():
        return str(bundled)
    path = shutil.which("cameo")
    # The package's own command would look for itself.
    if path and Path(path).resolve().parent != Path(sys.executable).parent:
        return path
    raise Error("there is no program `cameo`: CAMEO names one; load() takes a library that was built elsewhere", "IO")


def run(arguments, model=None):
    """What it prints. `model`: bytes that it reads in place of a file."""
    done = subprocess.run([find(), *map(str, arguments)], input=model, capture_output=True)
    text = done.stderr.decode(errors="replace").strip()
    if done.returncode == 0:
        return done.stdout.decode()
    if "there is no compiler" in text:
        text += "\nload() takes a library that `cameo build` has made where there is one"
    # FILE: GRAPH/NODE: PROBLEM
    node = re.search(r": ([^\s:]+/[^\s:]+): ", text)
    raise Error(text or f"cameo ended with {done.returncode}", _CODES.get(done.returncode, "INTERNAL"),
                node.group(1) if node else "")


def main():
    path = find()
    os.execv(path, [path, *sys.argv[1:]])
