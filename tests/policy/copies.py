#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No run of 20 lines of code stands twice: one piece of code should serve. Comments, includes, blank lines and lone
punctuation do not count."""
import re

from tree import files, lines, report

RUN = 20
THIN = re.compile(r"^\s*(//.*|/\*.*|\*.*|#.*|[{}()\[\];,]*|\"\"\".*)$")


def findings():
    seen = {}
    for path in files(".h", ".cpp", ".cu", ".td", ".py", ".cmake"):
        code = [(number, " ".join(text.split())) for number, text in lines(path) if not THIN.match(text)]
        last = None
        for i in range(len(code) - RUN + 1):
            window = tuple(text for _, text in code[i:i + RUN])
            first = seen.setdefault(window, (path, code[i][0]))
            if first == (path, code[i][0]):
                continue
            # One finding for a run of any length, not one for each of its windows.
            if last is None or i != last + 1:
                yield f"{path}:{code[i][0]}: {RUN} lines or more as in {first[0]}:{first[1]}"
            last = i


report(findings())
