#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site of tools/docs: builds without a warning, works from a folder without a network, and is not built with a fault."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from workshop import ROOT

SCRATCH = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(tempfile.gettempdir(), "cameo-site")).resolve()


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(filter(None, (values.get("id"), values.get("name") if tag == "a" else None)))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon"):
            self.loads.append(values["href"])
        elif values.get("src"):
            self.loads.append(values["src"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = SCRATCH / "site"
        done = subprocess.run([ROOT / "tools" / "docs", cls.site], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        cls.pages = {path: Page(path) for path in cls.site.rglob("*.html") if "_static" not in path.parts}

    def test_works_from_a_folder(self):
        """Nothing comes from elsewhere, and every link leads to a file and an anchor of the site."""
        self.assertGreater(len(self.pages), 40)
        for path, page in self.pages.items():
            for target in page.loads + page.links:
                parts = urlsplit(target)
                if parts.scheme in ("data", "mailto") or parts.scheme and target in page.links:
                    continue
                with self.subTest(page=path.relative_to(self.site), target=target):
                    self.assertFalse(parts.scheme or parts.netloc)
                    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                    self.assertTrue(file.is_file())
                    if parts.fragment and file in self.pages:
                        self.assertIn(unquote(parts.fragment), self.pages[file].anchors)

    def test_search(self):
        """The index is a script, which a page of a folder may load, and it knows words of texts, code and headers."""
        index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)\s*", (self.site / "searchindex.js").read_text(), re.S)[1])
        for word, page in (("pytorch", "docs/from-pytorch"), ("skl2onnx", "docs/from-scikit-learn"),
                           ("qdq", "docs/quantise"), ("cameo_finish", "docs/headers")):
            # A page or several.
            found = [index[kind].get(word, []) for kind in ("titleterms", "terms")]
            found = [number for one in found for number in (one if isinstance(one, list) else [one])]
            self.assertIn(page, [index["docnames"][number] for number in found], word)


class Faults(unittest.TestCase):
    def build(self, readme, contents="", **pages):
        root = SCRATCH / "fault"
        shutil.rmtree(root, ignore_errors=True)
        for file in ("docs/conf.py", "docs/site/index.html", "tools/docs"):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, root / file)
        (root / ".docs").symlink_to(ROOT / ".docs")
        (root / "README.md").write_text(f"# Title\n\n{readme}\n")
        (root / "docs/contents.txt").write_text(contents)
        for name, text in pages.items():
            (root / "docs" / f"{name}.md").write_text(text)
        return subprocess.run([root / "tools" / "docs"], capture_output=True, text=True)

    def test_faults(self):
        listed = "\n```{toctree}\ndocs/page\n```\n"
        page = "# Page\n\n## Part\n"
        self.assertEqual(self.build("[the part](docs/page.md#part)", listed, page=page).returncode, 0)
        for readme, contents, problem in (("[no page](docs/pages.md)", listed, "docs/pages.md"),
                                          ("[no part](docs/page.md#parts)", listed, "parts"),
                                          ("", "", "isn't included in any toctree"),
                                          ("![no picture](page.png)", listed, "page.png")):
            done = self.build(readme, contents, page=page)
            self.assertNotEqual(done.returncode, 0, problem)
            self.assertIn(problem, done.stderr)


if __name__ == "__main__":
    if not (ROOT / ".docs").exists():
        print("SKIP: no Sphinx: tools/setup --docs")
        sys.exit(77)
    unittest.main()
