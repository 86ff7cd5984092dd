# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which part of a long suite a run of the tests takes: one case of CAMEO_SHARE, others for another CAMEO_SEED (default: the
day), and always those that a change affects: CAMEO_CHANGED are its files, CAMEO_BASE is the commit behind it. Without
CAMEO_SHARE all are taken. tools/test sets them.

share.py FOLDER.NAME [--of FOLDER] COMMAND...: a long test as a whole, which is taken too where a file of its own folder or
of what it tests has changed; --of names another folder that it tests.
"""
import functools
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

SHARE = int(os.environ.get("CAMEO_SHARE") or 1)
# Of tests that take half a minute each and have nothing like them beside, a run takes more than of a suite's cases.
LONG = 1 if SHARE <= 4 else SHARE // 2
SEED = os.environ.get("CAMEO_SEED") or str(int(time.time()) // 86400)
CHANGED = os.environ.get("CAMEO_CHANGED", "").split()
BASE = os.environ.get("CAMEO_BASE")
SKIPPED = 77


@functools.cache
def changed_operators():
    """The operators (`ReluOp`) of the functions and records in which something changed."""
    if not BASE:
        return frozenset()
    root = Path(__file__).resolve().parents[1]
    changes = subprocess.run(["git", "-C", root, "diff", "--function-context", BASE, "--", "compiler", "codegen_templates",
                              "runtime"], capture_output=True, text=True, errors="replace")
    code = re.sub(r"//.*", "", changes.stdout)
    return frozenset(re.findall(r"(?:onnx::|(?<![:\w]))(?:ONNX_)?([A-Z]\w*?)Op\b", code))


def is_taken(name, *sources, share=SHARE):
    """Whether this run takes the case `name`, which is made by the files `sources` (relative to the root)."""
    if share <= 1 or any(source in CHANGED for source in sources):
        return True
    return random.Random(f"{SEED} {name}").randrange(share) == 0


def skip_unless_taken(suite, name, *sources, share=SHARE):
    """Ends a test whose case this run leaves out, and says so."""
    if not is_taken(name, *sources, share=share):
        print(f"SKIP: {suite} takes one case of {share}, CAMEO_SEED={SEED}; tools/test --all takes all")
        sys.exit(SKIPPED)


def sample(suite, cases, share=SHARE):
    """The cases of a test that goes through many of them; says what it leaves out."""
    cases = list(cases)
    taken = random.Random(f"{SEED} {suite}").sample(cases, part(len(cases), share))
    if len(taken) < len(cases):
        print(f"SKIP: {suite} takes {len(taken)} cases of {len(cases)}, CAMEO_SEED={SEED}; tools/test --all takes all")
    return taken


def part(count, share=SHARE):
    """How many of `count` cases this run takes, at least one."""
    return max(1, count // share)


def main():
    name, *command = sys.argv[1:]
    own = name.split(".")[0]
    folders = [f"tests/{own}/", f"{own}/"]
    if command[0] == "--of":
        folders.append(f"{command[1]}/")
        del command[:2]
    if not any(file.startswith(tuple(folders)) for file in CHANGED):
        skip_unless_taken("of long tests a run", name, share=LONG)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
