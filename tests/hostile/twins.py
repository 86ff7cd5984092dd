# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two generated folders differ in names only: same files, same code tokens in the same order, and wherever one
has a name of a model, a comment or a text, the other has one too. What is a name in one place is the same one in all."""
import json
import re

TOKEN = re.compile(r"(?P<comment>//[^\n]*)|(?P<text>\"(?:\\.|[^\"\\\n])*\")|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|"
                   r"(?P<space>\s+)|(?P<other>.)", re.S)


def tokens(source):
    """(kind, text) of a C++ file; comments and texts that follow each other are one, wherever lines were broken."""
    found = []
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind == "space" or (kind in ("comment", "text") and found and found[-1][0] == kind):
            continue
        found.append((kind, match[0]))
    return found


class Renaming:
    """A mapping of names that must be one to one."""

    def __init__(self):
        self.there, self.back = {}, {}

    def agree(self, a, b):
        return self.there.setdefault(a, b) == b and self.back.setdefault(b, a) == a


def differ(a, b, renaming):
    """Where the tokens of two C++ files part, or None."""
    for (kind, one), (other_kind, other) in zip(a, b):
        same = kind == other_kind and (kind in ("comment", "text") or (
            renaming.agree(one, other) if kind == "name" else one == other))
        if not same:
            return f"{one[:60]!r} and {other[:60]!r}"
    return None if len(a) == len(b) else f"{len(a)} and {len(b)} tokens"


def shape(value):
    """JSON with its texts left out."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return [shape(inner) for inner in value] if isinstance(value, list) else "" if isinstance(value, str) else value


def compare(folder, twin):
    """What is different between two folders that should be twins."""
    names = [{str(p.relative_to(f)) for p in f.rglob("*")} for f in (folder, twin)]
    if names[0] != names[1]:
        return [f"files {sorted(names[0] ^ names[1])} in one of the twins only"]
    faults, renaming = [], Renaming()
    for path in sorted(p for p in folder.iterdir() if p.is_file()):
        one, other = path.read_bytes(), (twin / path.name).read_bytes()
        where = None
        if path.suffix in (".h", ".cpp"):
            where = differ(tokens(one.decode("ascii", "replace")), tokens(other.decode("ascii", "replace")), renaming)
        elif path.suffix == ".json":
            where = None if shape(json.loads(one)) == shape(json.loads(other)) else "another structure"
        elif path.suffix != ".md" and one != other:
            where = "other bytes"
        if where:
            faults.append(f"{path.name} differs from its twin's: {where}")
    return faults
