#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every record has a lowering or a decomposition, or a line in lowerings.txt with the reason: lowerings.py PROGRAM, which
asks the compiler. A line that is not needed is a finding too."""
import subprocess
import sys

from tree import ROOT, report

REASONS = ROOT / "tests/policy/lowerings.txt"


def reasons():
    for number, line in enumerate(REASONS.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            operators, _, reason = line.partition(": ")
            for operator in operators.split(", "):
                yield operator, (number, reason.strip())


def findings():
    said = dict(reasons())
    lines = subprocess.run(sys.argv[1:2], check=True, capture_output=True, text=True).stdout.splitlines()
    made = dict(line.split() for line in lines)
    if len(made) < 200:
        yield f"{sys.argv[1]}: only {len(made)} operators: what does it ask?"
    for operator, by in sorted(made.items()):
        number, reason = said.pop(operator, (0, ""))
        if by == "nothing" and not reason:
            yield f"{REASONS.name}: {operator} has no lowering, no decomposition and no reason"
        elif by != "nothing" and number:
            yield f"{REASONS.name}:{number}: {operator} has a {by}"
    for operator, (number, _) in said.items():
        yield f"{REASONS.name}:{number}: {operator} is no operator of the dialect"


report(findings())
