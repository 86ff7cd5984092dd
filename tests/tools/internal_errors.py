#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bugs of the compiler end in exit 1 and one line that names no path of the machine that built it: internal_errors.py PROGRAM."""
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

SAID = {
    "assertion": 'length && "a length" (tests/tools/internal_errors.cpp:',
    "vector": "size()",
    "optional": "_M_is_engaged",
    "array_ref": "Invalid index!",
    "fatal_error": "a?fatal error",
    "abort": "signal SIGABRT",
    "null": "signal SIGSEGV",
    "division": "signal SIGFPE",
    "stack": "signal SIGSEGV",
    "stack_of_thread": "signal SIGSEGV",
}


def run(kind):
    ended = subprocess.run([sys.argv[1], kind], capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stderr


assert run("none") == (0, ""), run("none")
for kind, said in SAID.items():
    code, text = run(kind)
    good = (code == 1 and text.endswith("\n") and text.count("\n") == 1 and len(text) < 4096 and said in text
            and text.startswith("cameo: internal error: ") and "please report it" in text
            and str(CHECKOUT) not in text)
    assert good, f"{kind}: exit {code}: {text!r}"
print(f"{len(SAID)} kinds of bug end in exit 1 and a line")
