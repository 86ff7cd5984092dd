#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words that had two meanings have the one of docs/glossary.md: their other uses do not come back.

Two classes of one name are one_definition.py's."""
import re
from dataclasses import dataclass

from tree import files, lines, report


@dataclass
class Clash:
    use: re.Pattern
    suffixes: tuple[str, ...]
    instead: str
    home: str = "\0"  # where it has the meaning of the glossary


CODE = (".h", ".cpp", ".cu", ".td")
CLASHES = [
    Clash(re.compile(r"\b(?:prog|host)\.stage\b|\bStageOp\b"), (*CODE, ".md", ".mlir", ".py", ".js"),
          "a stage is a part of the compiler's pipeline; a copy to the device is an upload"),
    Clash(re.compile(r"\bplace\((?!std)"), CODE,
          "to place is to choose a side; elements are located, rows get offsets, objects get memory", "compiler/Placement/"),
    Clash(re.compile(r"\bcounts? (?:for|as)\b|\b(?:first|last|later|one) counts\b(?! of)"), (*CODE, ".md"),
          "a count is an integer on the device; an element is taken, told or ignored, or is as good as another"),
]


def findings():
    for clash in CLASHES:
        for path in files(*clash.suffixes):
            if path.as_posix().startswith((clash.home, "tests/policy/")):
                continue
            for number, text in lines(path):
                if found := clash.use.search(text):
                    yield f"{path}:{number}: {found[0]}: {clash.instead}"


report(findings())
