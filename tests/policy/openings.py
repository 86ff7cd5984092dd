#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sentences of comments that begin with a pronoun for what another sentence has said: their number may only fall.

`openings.py --list` prints each. openings.txt has the number by folder; `--update` writes it."""
import collections
import re
import sys

from tree import ROOT, files, lines, report

OPENING = re.compile(r"(?:^|[.;!?] )(?:What|Of|Those|That it|Whatever)\b")
COMMENT = re.compile(r"^\s*///? ?(.*)$")
TABLE = ROOT / "tests/policy/openings.txt"


def blocks(path):
    """(line, text) of each comment of whole lines."""
    begin, text = 0, []
    for number, line in [*lines(path), (0, "")]:
        comment = COMMENT.match(line)
        if comment:
            begin = begin if text else number
            text.append(comment[1].strip())
        elif text:
            yield begin, " ".join(text)
            text = []


def openings():
    for path in files(".h", ".cpp", ".td", ".cu"):
        for number, text in blocks(path):
            for opening in OPENING.finditer(text):
                yield path, number, text[opening.start():opening.start() + 60].strip(". ;")


def folder(path):
    return "/".join(path.parts[:2])


def findings(counted):
    allowed = {name: int(number) for name, number in (line.split() for line in TABLE.read_text().splitlines())}
    for name, number in sorted(counted.items()):
        if number > allowed.get(name, 0):
            yield f"{name}: {number} sentences of comments begin with What, Of, Those or Whatever, {allowed.get(name, 0)} before: name the subject; openings.py --list prints them"
    for name, number in allowed.items():
        if number > counted.get(name, 0):
            yield f"tests/policy/openings.txt: {name} has {counted.get(name, 0)} now: openings.py --update"


def main():
    found = list(openings())
    counted = collections.Counter(folder(path) for path, _, _ in found)
    if "--list" in sys.argv:
        for path, number, text in found:
            print(f"{path}:{number}: {text}")
    elif "--update" in sys.argv:
        TABLE.write_text("".join(f"{name} {number}\n" for name, number in sorted(counted.items())))
    else:
        report(findings(counted))


main()
