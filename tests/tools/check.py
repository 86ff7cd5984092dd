#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cameo check: what cameo.toml says is tried, each a test case; what is wrong in the file is said with its line."""
import sys
import unittest
import xml.etree.ElementTree as xml

import numpy as np
from onnx import helper

from small import Case, model, read_report

X = np.float32([[1, -2], [3, 4]])
# Built quickly, where times do not matter.
DEFAULTS = f"""
[defaults]
verify = ["--cxxflags=-O0", "--python={sys.executable}"]
cxxflags = "-O1"
seconds = 0.02
"""


class Check(Case):
    def setUp(self):
        super().setUp()
        self.project = self.folder / "project"
        (self.project / "nets").mkdir(parents=True)
        nodes = [helper.make_node("MatMul", ["x", "x"], ["a"], name="product"), helper.make_node("Softmax", ["a"], ["y"], name="soft")]
        self.save(model(nodes, [("x", ["n", "n"])], [("y", ["n", "n"])]), "project/nets/net.onnx")
        self.save(model([helper.make_node("Neg", ["x"], ["y"], name="neg")], [("x", ["n", 2])], [("y", ["n", 2])]), "project/tiny.onnx")
        self.save_data("project/test_data_set_0", [X], [-X])

    def check(self, text, code=0, verb="check", arguments=()):
        (self.project / "cameo.toml").write_text(DEFAULTS + text)
        done = self.cameo(verb, *(["project/cameo.toml", "--json", "report.json", "--junit", "report.xml"] if verb == "check"
                                  else ["--file", "project/cameo.toml"]), *arguments, code=code, check_line=False)
        return done if verb == "baseline" else (done, read_report("check", self.folder / "report.json"))

    def test_all_kinds(self):
        text = """
            [[model]]
            path = "nets/net.onnx"
            target = ["cpu", "cuda-emu"]
            against = "onnxruntime"
            seeds = 1
            dims = { n = 8 }
            [model.budgets]
            arena_bytes = "+0%"
            weights_bytes = 0
            readbacks = 0
            differing_outputs = 0
            [model.budgets.cuda-emu]
            launches = 2
            [model.budgets.cpu]
            text_bytes = "+0%"
            min_ms = "+10000%"

            [[model]]
            path = "tiny.onnx"
            """
        written = self.check(text, verb="baseline").stdout.splitlines()
        self.assertEqual(written, ["baseline/net.cpu", "baseline/net.cuda-emu", "baseline/tiny.cpu"])
        self.assertTrue((self.project / "baseline/net.cpu/record.json").exists())
        done, report = self.check(text, arguments=["--jobs", "2"])
        self.assertTrue(report["passed"])
        found = {}
        for row in report["checks"]:
            found.setdefault((row["model"], row["target"]), []).append(row["check"])
        common = ["numbers n=8 seed 0", "readbacks", "arena_bytes", "weights_bytes"]
        self.assertEqual(found, {("net", "cpu"): [*common, "text_bytes", "min_ms", "differing_outputs"],
                                 ("net", "cuda-emu"): [*common, "launches", "differing_outputs"],
                                 ("tiny", "cpu"): ["numbers test_data_set_0"]})
        self.assertIn(f"{len(report['checks'])} of {len(report['checks'])} checks passed\n", done.stdout)
        (arena,) = [row for row in report["checks"] if row["check"] == "arena_bytes" and row["target"] == "cpu"]
        self.assertEqual((arena["budget"]["budget"], arena["budget"]["value"]), ("+0%", arena["budget"]["limit"]))
        suites = xml.parse(self.folder / "report.xml").getroot()
        self.assertEqual([suite.get("name") for suite in suites], ["net (cpu)", "net (cuda-emu)", "tiny (cpu)"])
        self.assertTrue(all(float(case.get("time")) > 0 for case in suites.iter("testcase")))

    def test_what_fails(self):
        """Numbers, a budget, a model that does not compile: each is a case of its own, and the exit code is the first one's."""
        self.save(model([helper.make_node("Add", ["x", "z"], ["y"], name="sum")], [("x", [2]), ("z", [3])], [("y", [2])]),
                  "project/wrong.onnx")
        self.save_data("project/off", [X], [X])
        done, report = self.check("""
            [[model]]
            path = "tiny.onnx"
            data = ["test_data_set_0", "off"]
            budgets = { steps = 0, weights_bytes = "+0%" }
            [[model]]
            path = "wrong.onnx"
            data = "off"
            budgets = { arena_bytes = 100 }
            """, code=8)
        rows = {(row["model"], row["check"]): row for row in report["checks"]}
        self.assertEqual({key: row["passed"] for key, row in rows.items()},
                         {("tiny", "numbers test_data_set_0"): True, ("tiny", "numbers off"): False, ("tiny", "steps"): False,
                          ("tiny", "weights_bytes"): False, ("wrong", "numbers"): False, ("wrong", "arena_bytes"): False})
        self.assertIn("max abs", rows["tiny", "numbers off"]["text"])
        self.assertEqual(rows["tiny", "steps"]["text"], "steps is 1, at most 0")
        self.assertEqual(rows["tiny", "weights_bytes"]["error"]["exit"], 3)
        self.assertIn("cameo baseline writes it", rows["tiny", "weights_bytes"]["error"]["message"])
        for check in ("numbers", "arena_bytes"):
            self.assertEqual(rows["wrong", check]["error"]["exit"], 4)
            self.assertIn("wrong.onnx: tiny/sum: ", rows["wrong", check]["error"]["message"])
        self.assertTrue(done.stderr.startswith("tiny (cpu): numbers off: output y: "), done.stderr)
        self.assertIn("FAILED tiny (cpu): steps is 1, at most 0\n", done.stdout)
        tiny, wrong = xml.parse(self.folder / "report.xml").getroot()
        self.assertEqual([[suite.get(key) for key in ("tests", "failures", "errors")] for suite in (tiny, wrong)],
                         [["4", "2", "1"], ["2", "0", "2"]])

    def test_times_of_an_emulator_are_none(self):
        _, report = self.check("""
            [[model]]
            path = "tiny.onnx"
            target = "cuda-emu"
            numbers = false
            budgets = { min_ms = 5 }
            """, code=2)
        self.assertIn("emulated", report["checks"][0]["error"]["message"])

    def test_what_is_wrong_in_the_file(self):
        head = '[[model]]\npath = "tiny.onnx"\n'
        lines = len(DEFAULTS.splitlines()) + 2
        for text, said, code in (
                ("[[model]\n", f"line {lines - 1}: is no TOML", 2), ("", "names no model", 2),
                (head + 'targte = "cpu"\n', f"line {lines + 1}: there is no key 'targte' in [[model]]; did you mean 'target'?", 2),
                ('[[modle]]\npath = "tiny.onnx"\n', "there is no key 'modle' at the top; did you mean 'model'?", 2),
                (head + "target = 4\n", f"line {lines + 1}: target cannot be read (need a text, or an array of texts)", 2),
                (head + 'target = "abacus"\n', "there is no target 'abacus'; cpu, cuda or cuda-emu", 2),
                (head + "seeds = true\n", "seeds cannot be read", 2), (head + "dims = [4]\n", "dims cannot be read (need a table such as", 2),
                (head + "budgets = { arena = 4 }\n", "budgets: arena names no measure: 'arena'; did you mean 'arena_bytes'?", 2),
                (head + 'budgets = { steps = "few" }\n', "budgets: steps cannot be read: 'few'; 4096, or", 2),
                (head + 'budgets = { differing_outputs = "+1" }\n', "is of outputs", 2),
                (head + "[model.budgets.abacus]\nsteps = 1\n", "budgets are of no target 'abacus'", 2),
                ('[[model]]\nname = "net"\n', "a [[model]] has no path", 2), (head + head, "two models are called 'tiny'", 2),
                ('[[model]]\npath = ["a.onnx", "b.onnx"]\nname = "net"\n', "a name is of one model", 2)):
            with self.subTest(text):
                (self.project / "cameo.toml").write_text(DEFAULTS + text)
                done = self.cameo("check", "project/cameo.toml", code=code)
                self.assertTrue(done.stderr.startswith("project/cameo.toml: "), done.stderr)
                self.assertIn(said, done.stderr)
        self.assertIn("missing.toml", self.cameo("check", "missing.toml", code=3).stderr)
        self.assertIn("cameo.toml", self.cameo("check", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
