#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/ against the program: each verb has its row in cli.md, each flag is described where it belongs, tolerances are those
of the table of element types."""
import re
import unittest
from pathlib import Path

from small import Case

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cli.md"
TYPES = ROOT / "runtime" / "include" / "cameo" / "element_types.def"
# In quotes stands what a flag is given: a compiler's flags, for one.
FLAG = re.compile(r"(?<![\w'-])--?[a-z](?:[a-z-]*[a-z])?(?![\w-])")
HELP = {"--help", "-h", "--version"}


def read_page():
    """The rows of the table of verbs, and the flags in the tables and texts of each section."""
    text = PAGE.read_text()
    sections = {part.splitlines()[0]: part for part in re.split(r"^## ", text, flags=re.M)[1:]}
    verbs = dict(re.findall(r"^\| `(\w+)` \|(.*)\|$", text, flags=re.M))
    return ({verb: set(FLAG.findall(row)) for verb, row in verbs.items()},
            {title: set(FLAG.findall(part)) for title, part in sections.items()})


class Docs(Case):
    def flags_of(self, verb):
        """Names by which the verb takes each of its flags: `{("-o", "--output"), ..}`."""
        options = self.cameo(verb, "--help").stdout.partition("\nOptions:\n")[2]
        names = (re.match(r"  (-[\w,-]+)", line) for line in options.splitlines())
        return {tuple(name[1].split(",")) for name in names if name} - {("-h", "--help")}

    def test_flags(self):
        rows, sections = read_page()
        verbs = re.findall(r"^  (\w+) +\w", self.cameo("--help").stdout.partition("commands:")[2], flags=re.M)
        self.assertEqual(sorted(rows), sorted(verbs))
        flags = {verb: self.flags_of(verb) for verb in verbs}
        common = set.intersection(*(taken for verb, taken in flags.items() if verb not in ("ops", "check")))  # which take no model
        everywhere = sections["Flags of every verb"] - HELP
        self.assertEqual({name for names in common for name in names if name in everywhere}, everywhere)
        for verb in verbs:
            described = everywhere | rows[verb] | sections.get(verb, set())
            with self.subTest("flags that the page does not describe", verb=verb):
                self.assertEqual([names for names in flags[verb] if not described.intersection(names)], [])
            with self.subTest("flags that the verb does not have", verb=verb):
                known = {name for names in flags[verb] for name in names}
                self.assertEqual((rows[verb] | sections.get(verb, set())) - known - HELP, set())

    def test_tolerances(self):
        page = (PAGE.parent / "tolerances.md").read_text()
        rows = re.findall(r"^\| ([a-z0-9, ]+)[^|]* \| ([\d.e-]+) \| ([\d.e-]+) \|$", page, flags=re.M)
        said = {name.strip(): (float(rtol), float(atol)) for names, rtol, atol in rows for name in names.split(",")}
        row = re.compile(r'^CAMEO_ELEMENT_TYPE\([^"]*"(\w+)",.*, *([\d.e-]+), *([\d.e-]+)\)', re.M)
        types = row.findall(TYPES.read_text())
        self.assertGreater(len(types), 25)
        for name, rtol, atol in types:
            with self.subTest(name):
                self.assertEqual(said.get(name, said["all others"]), (float(rtol), float(atol)))

    def test_variables_of_generated_projects(self):
        """What the CMakeLists.txt of a generated folder asks is said in docs/, with its default."""
        text = "\n".join(path.read_text() for path in PAGE.parent.glob("*.md"))
        for target in ("cpu", "cuda"):
            self.cameo("compile", self.model, "--target", target, "-o", target)
            project = (self.folder / target / "CMakeLists.txt").read_text()
            asked = set(re.findall(r"option\((\w+)", project))
            if target == "cuda":
                self.assertIn("CAMEO_EMULATE", asked)
                (default,) = re.findall(r"set\((CMAKE_CUDA_ARCHITECTURES [\d ]+)\)", project)
                name, _, values = default.partition(" ")
                self.assertRegex(text, rf"`{name}`[^|]*`{values}`")
            self.assertEqual({name for name in asked if name not in text}, set())


if __name__ == "__main__":
    unittest.main()
