#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small rules of the house: licence line, path lengths, no path of somebody's machine, TODO only with an issue, no
tabs or blanks at line ends, README's two commands, links between documents, measured numbers that they repeat."""
import re
import stat

from tree import CODE, ROOT, files, lines, report

LONGEST_PATH = 75
SCRIPTS = {".py", ".cmake", ".in", ""}
# Written so that this file does not name what it forbids.
MACHINE = re.compile(r"(?<![\w.$}])/(?:" + "|".join(["wo" + "rk", "ho" + "me", "ro" + "ot", "tm" + "p"]) + r")/\w")
TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def needs_licence(path, content):
    if "skeleton" in path.parts:
        return False  # Becomes part of what a user generates, and that is the user's.
    is_script = bool(content) and content[0][1].startswith("#!")
    return is_script or path.suffix in CODE | {".py", ".cmake"} or path.name == "CMakeLists.txt"


def findings():
    for path in files():
        if len(path.as_posix()) > LONGEST_PATH:
            yield f"{path}:1: path longer than {LONGEST_PATH}"
        content = lines(path)
        if needs_licence(path, content) and not any("SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" in text
                                           for _, text in content[:3]):
            yield f"{path}:1: no SPDX line"
        if content and content[0][1].startswith("#!") and not (ROOT / path).stat().st_mode & stat.S_IXUSR:
            yield f"{path}:1: a script that is not executable"
        for number, text in content:
            if MACHINE.search(text):
                yield f"{path}:{number}: a path of one machine"
            if TODO.search(text) and path.as_posix() != "tests/policy/house.py":
                yield f"{path}:{number}: TODO without an issue, as in TODO(#12)"
            if text != text.rstrip() and path.suffix not in (".md", ".npy"):
                yield f"{path}:{number}: blanks at the end"
            if "\t" in text and path.suffix in CODE:
                yield f"{path}:{number}: tab"
        if path.suffix == ".md":
            yield from dead_links(path, content)
            yield from other_figures(path, content)
    yield from readme_commands()


def dead_links(path, content):
    for number, text in content:
        for target in LINK.findall(text):
            if not (ROOT / path.parent / target).exists():
                yield f"{path}:{number}: no {target}"


def other_figures(path, content):
    """Numbers of a table under a paragraph with a link to a table of bench/results are that table's."""
    figures, above = set(), ""
    for number, text in content:
        if not text.startswith("|"):
            above = "" if above.startswith("|") or text.startswith("#") else above + text + "\n"
            measured = re.search(r"\]\(([^)]*bench/results/\w+\.md)\)", above)
            figures = cells((ROOT / path.parent / measured[1]).read_text()) if measured else set()
        elif figures:
            for figure in cells(text) - figures:
                yield f"{path}:{number}: {figure} is not in the table of bench/results that is linked above"


def cells(table):
    return set(re.findall(r"(?<=\|) \**(\d[\d.]*)\** (?=\|)", table))


def readme_commands():
    """The first two sh blocks of README are one command each: install, build and run; test."""
    blocks = re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    if len(blocks) < 2 or any(block.count("\n") != 1 for block in blocks[:2]):
        yield "README.md:1: needs two one-line sh blocks"


report(findings())
