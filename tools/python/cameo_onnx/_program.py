# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program `cameo`: where it is, and what it answers."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ._errors import Error

# What docs/cli.md calls exit codes.
_CODES = {1: "INTERNAL", 2: "USAGE", 3: "IO", 4: "MALFORMED", 5: "UNSUPPORTED", 6: "LIMIT", 7: "POLICY", 8: "CHECK_FAILED"}


_BUNDLED = Path(__file__).parent / "bin" / "cameo"


def find() -> str:
    """$CAMEO, the program beside the package, or the one in PATH."""
    named = os.environ.get("CAMEO")
    path = shutil.which(named) if named else str(_BUNDLED) if _BUNDLED.exists() else shutil.which("cameo")
    if path:
        return path
    if named:
        raise Error(f"CAMEO names {named}, and there is no such program", "IO")
    raise Error("there is no program `cameo`: CAMEO names one; load() takes a library that was built elsewhere", "IO")


def report(arguments: list[str], model: bytes | None = None) -> dict[str, Any]:
    """The JSON report of a verb. `model`: bytes that it reads in place of a file."""
    done = subprocess.run([find(), *arguments, "--json", "-"], input=model, capture_output=True)
    if done.returncode == 0:
        parsed: dict[str, Any] = json.loads(done.stdout)
        return parsed
    text = done.stderr.decode(errors="replace").strip() or f"cameo ended with {done.returncode}"
    if "there is no compiler" in text:
        text += "\nload() takes a library that `cameo build` has made where there is one"
    # A program that was killed, or refuses its arguments, writes none.
    error = json.loads(done.stdout or "{}").get("error", {})
    raise Error(text, _CODES.get(done.returncode, "INTERNAL"), error.get("where", ""))


def main() -> None:
    """The command of the package: the program itself. It never looks in PATH, where this command is what is found."""
    path = os.environ.pop("CAMEO", None) or str(_BUNDLED)
    try:
        os.execvp(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"cameo: {path} cannot be started: {error.strerror}; CAMEO names another program")
