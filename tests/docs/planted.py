#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken snippets in copies of the documents must be convicted, and the same copies without the fault must pass."""
import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import generated
from workshop import HERE, ROOT

SCRATCH = Path(sys.argv.pop(1) if len(sys.argv) > 1 else Path(tempfile.gettempdir(), "cameo-docs-planted")).resolve()


def section(document, title):
    """The part of a document under one heading."""
    text = (ROOT / document).read_text()
    return text[text.index(f"## {title}\n"):].split("\n## ")[0] + "\n"


class Planted(unittest.TestCase):
    def judge(self, document, text):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        (SCRATCH / "copy.md").write_text(text)
        done = subprocess.run([sys.executable, HERE / "documents.py", SCRATCH / "documents", "--only", document, "--file",
                               SCRATCH / "copy.md"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, done.stdout

    def convict(self, document, text, right, wrong, problem):
        self.assertEqual(text.count(right), 1, f"{document} has no longer what the fault is put into")
        code, said = self.judge(document, text.replace(right, wrong))
        self.assertEqual(code, 1, said)
        self.assertRegex(said, f"FAILED[^\n]*{problem}")

    def test_commands(self):
        look = section("docs/guide.md", "1. Look")
        self.assertEqual(self.judge("docs/guide.md", look)[0], 0)
        for wrong, problem in (("cameo inspct samples", "exit 2"), ("cameo inspect --deep samples", "exit 2"),
                               ("cameo inspect nowhere/samples", "exit 3")):
            self.convict("docs/guide.md", look, "cameo inspect samples", wrong, problem)
        self.convict("docs/guide.md", look, "digits.onnx\n", "digits.onnx\n  1 Softmin\n", "does not print")
        check = section("docs/guide.md", "3. Check")
        check = check[check.index("`cameo run"):]
        self.convict("docs/guide.md", check, "--in image=cat.npy", "--in picture=cat.npy", "exit 2")

    def test_code(self):
        use = section("docs/guide.md", "4. Use")
        # It builds and calls nothing wrong: only what comes out tells.
        self.convict("docs/guide.md", use, "status = session.run(in, out);", "(void)in, (void)out;", "exit 2")
        self.convict("docs/guide.md", use, "status = session.run(in, out);",
                     "for (float &p : pixels) p = 0;\nstatus = session.run(in, out);", "exit 1")
        page = (ROOT / "docs/api.md").read_text()
        page = page[page.index("```c\n"):].split("\n## ")[0]
        self.convict("docs/api.md", page, ".bytes = sizeof scores", ".bytes = sizeof scores * 2, .colour = 1", "exit")

    def test_documents(self):
        for text, problem in (("```cobol\nSTOP RUN.\n```\n", "no way is known"), ("```cpp\nint i;\n```\n", "no frame"),
                              ("```\ntrue\n", "does not end")):
            code, said = self.judge("CONTRIBUTING.md", text)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, f"FAILED[^\n]*{problem}")

    def test_what_is_not_run_is_counted(self):
        code, said = self.judge("README.md", "<!-- not run: the reason -->\n```\nfalse\n```\n\n```\ntrue\n```\n")
        self.assertEqual((code, said.splitlines()[-1]), (0, "1 not run, 1 passed"))
        self.assertIn("the reason", said)

    def test_python(self):
        module, user = "```py\n# two.py\nTWO = 2\n```\n\n", "```py\nimport two\nassert two.TWO == 2\n```\n"
        self.assertEqual(self.judge("SECURITY.md", module + user)[0], 0)
        self.convict("SECURITY.md", module + user, "TWO = 2", "TWO = 3", "exit 1")
        code, said = self.judge("SECURITY.md", "<!-- needs: numpy no_such_module -->\n```\nfalse\n```\n\n" + module)
        self.assertEqual((code, said.splitlines()[-1]), (0, "1 SKIP, 1 passed"))
        self.assertRegex(said, "SKIP: SECURITY.md:3 .*no no_such_module")
        code, said = self.judge("SECURITY.md", "```{toctree}\nfalse\n```\n\n" + module)
        self.assertEqual((code, said.splitlines()[-1]), (0, "1 passed"))

    def test_quotations(self):
        page = (ROOT / "README.md").read_text()
        page = page[page.index("```cpp\n"):].split("\n```\n")[0] + "\n```\n"
        self.assertEqual(self.judge("README.md", page)[0], 0)
        self.convict("README.md", page, "pool(c.compute, stem_active, pooled, s.batch)", "pool(c.compute, stem_active, pooled)",
                     "no such lines")

    def test_generated(self):
        counts = {}
        with contextlib.redirect_stdout(io.StringIO()):
            trial = generated.Trial(generated.Configuration("cpu", "embed", "runtime", None), SCRATCH / "generated", counts)
        trial.check_files()
        trial.compile_again("cameo compile digits.onnx")
        with self.assertRaisesRegex(generated.Failed, "another folder"):
            trial.compile_again("cameo compile digits.onnx --dim batch=2")
        with self.assertRaisesRegex(generated.Failed, "exit 1"):
            trial.build("g++ -std=c++17 -c digits.cpp -o digits.o")  # the folder's own -I. is missing
        readme = trial.net / "README.md"
        readme.write_text(readme.read_text().replace("digits.plan.json", "digits.map.json"))
        with self.assertRaisesRegex(generated.Failed, "digits.map.json"):
            trial.check_files()
        program = trial.net / "digits"
        program.write_text("#!/bin/sh\nmkdir results && cp ../wrong.npy results/output_0.npy\n")
        program.chmod(0o755)
        generated.np.save(trial.shop.folder / "wrong.npy", generated.np.zeros((48, 10), generated.np.float32))
        with self.assertRaisesRegex(generated.Failed, "output 0 is wrong"):
            trial.run_program("./digits --in 0=FILE.npy --out FOLDER", True)


if __name__ == "__main__":
    unittest.main()
