#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the hostile files: make.py OUT [CLASS...]. Each case gets OUT/CLASS/CASE/ with what it needs around its model;
OUT/expected.tsv lists class, case, allowed exit codes and the path to give to `cameo compile`.

The classes are those of the list that this project promises to withstand; each is a module of classes/.
"""
import fnmatch
import importlib
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from classes.base import write  # noqa: E402

DIAGNOSTICS = Path(__file__).resolve().parent / "diagnostics.txt"
CLASSES = ["raw_bytes", "header", "graph", "tensors", "external", "attributes", "bombs", "injection", "system", "trees"]


def rows(name):
    """The cases of a class, each that may be refused with what its diagnostic must hold."""
    found = importlib.import_module(f"classes.{name}").table.rows
    said, used = dict(diagnostics(name)), set()
    for row in found:
        pattern = next((p for p in said if fnmatch.fnmatchcase(row.name, p)), None)
        if row.exits == (0,):
            continue
        if pattern is None:
            sys.exit(f"{DIAGNOSTICS.name}: nothing for {name}.{row.name}")
        row.mentions = said[pattern]
        used.add(pattern)
    if unused := sorted(set(said) - used):
        sys.exit(f"{DIAGNOSTICS.name}: no case of {name} that is refused: {', '.join(unused)}")
    return found


def diagnostics(name):
    """(pattern of case names, texts) of a class."""
    for line in DIAGNOSTICS.read_text().splitlines():
        if line and not line.startswith("#"):
            case, _, texts = line.partition(": ")
            if case.startswith(f"{name}."):
                yield case[len(name) + 1:], tuple(text.strip() for text in texts.split(" | "))


def place(row, folder):
    """Makes one case in an empty folder and returns the path to compile."""
    folder.mkdir(parents=True)
    made = row.make(folder)
    return made if isinstance(made, Path) else write(folder, made)


def main():
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    lines = []
    for name in sys.argv[2:] or CLASSES:
        for row in rows(name):
            path = place(row, out / name / row.name)
            lines.append("\t".join([name, row.name, ",".join(map(str, row.exits)), str(path)]))
    (out / "expected.tsv").write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} files, {out / 'expected.tsv'}")


if __name__ == "__main__":
    main()
