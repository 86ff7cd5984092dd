#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several models in one command: a process each, one report of all, the exit code of the first that failed."""
import resource
import unittest
import xml.etree.ElementTree as xml

import numpy as np
from onnx import helper

from small import Case, model, negation, read_report

X = np.float32([[1, -2], [3, 4]])
BUILD = ["--cxxflags=-O0"]


class Many(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "other").mkdir()
        self.other = self.save(model([helper.make_node("Relu", ["x"], ["y"])], [("x", ["m", 2])], [("y", ["m", 2])]), "other/relu.onnx")
        self.wrong = self.save(model([helper.make_node("Add", ["x", "z"], ["y"], name="sum")], [("x", [2]), ("z", [3])], [("y", [2])]),
                               "wrong.onnx")
        # Of two initializers that are inputs one is missing among them: a warning.
        constants = [helper.make_tensor(name, 1, [2], [1, 2]) for name in ("v", "w")]
        nodes = [helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Add", ["a", "v"], ["y"])]
        self.listed = self.save(model(nodes, [("x", [2]), ("w", [2])], [("y", [2])], initializers=constants), "listed.onnx")

    def test_verify(self):
        self.save_data("test_data_set_0", [X], [-X])
        self.save_data("other/test_data_set_0", [X], [np.maximum(X, 0)])
        self.save_data("other/test_data_set_1", [X], [X])
        models = [self.model, self.other, self.wrong]
        done = self.cameo("verify", *models, "--jobs", "2", "--json", "report.json", "--junit", "report.xml", *BUILD, code=8)
        self.assertIn("wrong.onnx: tiny/sum: ", done.stderr)
        texts = [done.stdout.index(f"{path}:\n") for path in models[:2]]
        self.assertEqual(texts, sorted(texts))
        self.assertIn(f"1 of 3 models are done; failed: {self.other} (exit 8), {self.wrong} (exit 4)\n", done.stdout)
        report = read_report("models", self.folder / "report.json")
        self.assertEqual([(one["model"], one["exit"]) for one in report["models"]], list(zip(map(str, models), (0, 8, 4))))
        self.assertEqual([len(one["report"]["cases"]) for one in report["models"]], [1, 2, 0])
        self.assertEqual(report["models"][2]["said"], [report["models"][2]["report"]["error"]["message"]])
        root = xml.parse(self.folder / "report.xml").getroot()
        self.assertEqual(root.tag, "testsuites")
        self.assertEqual([[suite.get(key) for key in ("name", "tests", "failures", "errors")] for suite in root],
                         [[str(self.model), "1", "0", "0"], [str(self.other), "2", "1", "0"], [str(self.wrong), "1", "0", "1"]])
        for suite in root:
            times = [float(case.get("time")) for case in suite.iter("testcase")]
            self.assertGreaterEqual(float(suite.get("time")), sum(times) * 0.999)
        self.assertTrue(all(float(case.get("time")) > 0 for case in list(root[0]) + list(root[1])))

    def test_warnings_are_in_the_report(self):
        done = self.cameo("verify", self.listed, "--against", "none", "--seeds", "1", "--json", "report.json", "--junit", "report.xml", *BUILD)
        (warning,) = read_report("verify", self.folder / "report.json")["warnings"]
        self.assertEqual(done.stderr, f"warning: {warning}\n")
        suite = xml.parse(self.folder / "report.xml").getroot()
        self.assertEqual(suite.findtext("system-out"), done.stderr)

    def test_inspect(self):
        done = self.cameo("inspect", self.model, self.other, "--json", "-", "--jobs", "2")
        report = read_report("models", done.stdout)
        self.assertEqual([one["report"]["operators"] for one in report["models"]], [{"Neg": 1}, {"Relu": 1}])
        text = self.cameo("inspect", self.model, self.other).stdout
        self.assertIn(f"{self.other}:\ninputs\n  x: float32[m, 2]", text)
        self.cameo("inspect", self.model, "missing.onnx", self.wrong, code=3, check_line=False)

    def test_compile(self):
        self.cameo("compile", self.model, self.other, "-o", "nets", "--jobs", "2")
        self.assertTrue((self.folder / "nets/tiny/tiny.h").exists() and (self.folder / "nets/relu/relu.h").exists())
        self.cameo("compile", self.model, self.other)
        # What one of several becomes is what it becomes alone.
        self.cameo("compile", self.model, "-o", "alone")
        for path in (self.folder / "alone").rglob("*.*"):
            if path.is_file():
                self.assertEqual(path.read_bytes(), (self.folder / "nets/tiny" / path.relative_to(self.folder / "alone")).read_bytes())
        same = self.save(negation(), "other/tiny.onnx")
        self.assertIn("two of the models would be the library 'tiny'", self.cameo("compile", self.model, same, code=2).stderr)

    def test_bench(self):
        done = self.cameo("bench", self.model, self.other, "--seconds", "0.01", "--cxxflags=-O1", "--json", "-")
        report = read_report("models", done.stdout)
        self.assertTrue(all(one["report"]["min_ms"] > 0 for one in report["models"]))
        self.assertIn("one at a time", self.cameo("bench", self.model, self.other, "--jobs", "2", code=2).stderr)

    def test_one_that_crashes(self):
        """Files of generated code are larger than what the compiler may write then."""
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))}
        done = self.cameo("compile", self.model, "missing.onnx", code=1, check_line=False, **limit)
        self.assertIn(f"{self.model}: cameo compile was ended by signal 25\nmissing.onnx: ", done.stderr)

    def test_what_is_of_one_model(self):
        for verb, flags in (("compile", ["--name", "net"]), ("compile", ["--emit", "ir:plan"]), ("verify", ["--emit-plan", "plan.json"]),
                            ("bench", ["--trace", "trace.json"])):
            self.assertIn(f"{flags[0]} is of one model, and there are 2", self.cameo(verb, self.model, self.other, *flags, code=2).stderr)
        self.assertIn("standard input", self.cameo("inspect", self.model, "-", code=2).stderr)
        self.cameo("inspect", self.model, "--jobs", "0", code=2)
        # Verbs that take one model refuse a second one.
        for verb in ("run", "build", "explain"):
            self.cameo(verb, self.model, self.other, code=2)


if __name__ == "__main__":
    unittest.main()
