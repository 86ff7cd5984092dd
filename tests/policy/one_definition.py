#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No two files of a program define one type of one name: the linker keeps one destructor of both, and says nothing. By
the sources, since objects of an optimised build no longer have what two definitions would collide in. The format puts
namespaces and what they hold at the beginning of a line; a name in an anonymous namespace is its file's own."""
import re

from tree import files, lines, report

# Each is linked into one program.
PROGRAMS = ("compiler/", "tools/cameo/"), ("runtime/",)
OPENED = re.compile(r"namespace ?([\w:]*) \{$")
CLOSED = re.compile(r"\} // (?:namespace|extern)")
TYPE = re.compile(r"(?:template <.*> )?(?:class|struct|union|enum(?: class)?) (\w+)(?: final)?(?: :.*| \{.*)?$")


def definitions(path):
    """(line, name) of the types at namespace scope."""
    scopes = []
    for number, text in lines(path):
        if opened := OPENED.match(text):
            scopes.append(opened[1] or "(anonymous)")
        elif CLOSED.match(text) and scopes:
            scopes.pop()
        elif (found := TYPE.match(text)) and "(anonymous)" not in scopes and ("{" in text or not text.endswith(";")):
            yield number, "::".join([*scopes, found[1]])


def findings():
    for program in PROGRAMS:
        first = {}
        for path in files(".h", ".cpp"):
            for number, name in definitions(path) if path.as_posix().startswith(program) else ():
                if first.setdefault(name, path) != path:
                    yield f"{path}:{number}: {name} is defined in {first[name]} too"


report(findings())
