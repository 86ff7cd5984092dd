# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands and pieces of code that a Markdown file shows.

A fenced block is a snippet of its language; one without a language is a shell's. Commands inside a sentence count too.
What is not to be run says why in a comment before it: <!-- not run: REASON -->. What takes packages that the tests do
not install names them: <!-- needs: MODULE... -->. A fence with a directive of the site (```{toctree}) is no snippet.
"""
import re
from dataclasses import dataclass
from pathlib import Path

KINDS = {"": "shell", "sh": "shell", "console": "console", "cpp": "cpp", "c++": "cpp", "c": "c", "cmake": "cmake",
         "py": "python", "toml": "file", "text": "text"}
FENCE = re.compile(r"^```(\S*)\s*$")
DIRECTIVE = re.compile(r"^```\{")
REASON = re.compile(r"<!-- not run: (.+?) -->")
NEEDS = re.compile(r"<!-- needs: (.+?) -->")
# In a sentence: `cameo VERB` alone is the verb's name; with `...`, a bracket or MODEL it is a form, not a command.
INLINE = re.compile(r"`([^`]*)`")
COMMAND = re.compile(r"(cameo [a-z]+|cmake|build/\S+) \S")
FORM = re.compile(r"\.\.\.|\[|\bMODEL\b")


@dataclass
class Snippet:
    document: str
    line: int
    kind: str
    text: str
    reason: str = ""  # why it is not run
    inline: bool = False
    needs: tuple = ()  # modules that its Python must have

    def __str__(self):
        return f"{self.document}:{self.line} ({self.kind})"


class BadDocument(Exception):
    """A document that cannot be read as one."""


def read_snippets(path, name=None):
    """All snippets of the file, in its order."""
    name = name or Path(path).name
    found, block, reason, needs, in_directive = [], None, "", (), False
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if in_directive:
            in_directive = not fence
        elif block is None and DIRECTIVE.match(line):
            in_directive = True
        elif block is not None:
            if fence and not fence[1]:
                found.append(block)
                block = None
            else:
                block.text += line + "\n"
        elif fence:
            if fence[1] not in KINDS:
                raise BadDocument(f"{name}:{number}: no way is known to run '{fence[1]}'")
            block = Snippet(name, number + 1, KINDS[fence[1]], "", reason, needs=needs)
            reason, needs = "", ()
        else:
            mark, wanted = REASON.search(line), NEEDS.search(line)
            for code in INLINE.findall(line):
                if COMMAND.match(code) and not FORM.search(code):
                    found.append(Snippet(name, number, "shell", code + "\n", mark[1] if mark else "", inline=True,
                                         needs=tuple(wanted[1].split()) if wanted else ()))
            # A comment on a line of its own is about the block behind it.
            if line.startswith("<!--"):
                reason, needs = mark[1] if mark else reason, tuple(wanted[1].split()) if wanted else needs
            elif line.strip():
                reason, needs = "", ()
    if block is not None:
        raise BadDocument(f"{name}:{block.line}: the block does not end")
    return found
