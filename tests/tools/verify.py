#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verify and run: right data passes, wrong data fails and is located, builds are used again."""
import json
import unittest
import xml.etree.ElementTree as xml

import numpy as np
from onnx import numpy_helper

from small import Case

X = np.float32([[1, -2], [3, 4], [5, np.nan]])


class Verify(Case):
    def verify(self, *flags, code=0):
        report = self.folder / "report.json"
        self.cameo("verify", self.model, "--json", report, *flags, code=code)
        return json.loads(report.read_text())

    def test_right(self):
        self.save_data("test_data_set_0", [X], [-X])
        self.save_data("test_data_set_10", [X[:1]], [-X[:1]])
        self.save_data("test_data_set_2", [X[:0]], [-X[:0]])
        report = self.verify()
        self.assertTrue(report["passed"])
        self.assertEqual([c["data"] for c in report["cases"]],
                         ["test_data_set_0", "test_data_set_2", "test_data_set_10"])
        self.assertEqual(report["cases"][0]["status"]["code"], "OK")
        self.assertEqual(report["cases"][0]["outputs"][0]["name"], "y")
        self.assertEqual(report["cases"][0]["counters"]["h2d"], 0)
        self.assertLess(self.verify()["build_s"], 0.5)

    def test_wrong_element(self):
        wrong = -X
        wrong[1, 0] += 0.5
        self.save_data("test_data_set_0", [X], [wrong])
        report = self.verify(code=8)
        (output,) = report["cases"][0]["outputs"]
        self.assertEqual((output["passed"], output["worst_index"], output["max_abs"]), (False, [1, 0], 0.5))
        self.assertTrue(self.verify("--atol", "0.6")["passed"])

    def test_nan_must_be_where_it_is(self):
        self.save_data("test_data_set_0", [X], [np.nan_to_num(-X)])
        self.assertFalse(self.verify(code=8)["passed"])

    def test_wrong_shape(self):
        self.save_data("test_data_set_0", [X], [-X[:2]])
        (output,) = self.verify(code=8)["cases"][0]["outputs"]
        self.assertIn("float32[2, 2]", output["problem"])

    def test_expected_status(self):
        folder = self.save_data("test_data_set_0", [np.zeros((2, 3))], [])
        (folder / "expect_status").write_text("INVALID_ARGUMENT\n")
        report = self.verify()
        self.assertEqual(report["cases"][0]["status"]["tensor"], "x")
        (folder / "expect_status").write_text("OUT_OF_RANGE\n")
        self.assertIn("INVALID_ARGUMENT", self.verify(code=8)["cases"][0]["problem"])

    def test_one_failure_does_not_hide_others(self):
        self.save_data("test_data_set_0", [np.zeros((2, 3))], [np.zeros((2, 3))])
        self.save_data("test_data_set_1", [X], [-X])
        self.assertEqual([c["passed"] for c in self.verify(code=8)["cases"]], [False, True])

    def test_chosen_data_repeated_at_an_odd_address(self):
        data = self.save_data("mine", [X], [-X])
        report = self.verify("--data", data, "--repeat", "3", "--space", "x=host,offset=4")
        self.assertEqual([c["data"] for c in report["cases"]], ["mine"])

    def test_junit(self):
        self.save_data("test_data_set_0", [X], [-X])
        self.save_data("test_data_set_1", [X], [X])
        self.cameo("verify", self.model, "--junit", "report.xml", code=8)
        suite = xml.parse(self.folder / "report.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))

    def test_no_compiler(self):
        import os
        self.save_data("test_data_set_0", [X], [-X])
        done = self.cameo("verify", self.model, code=3, env=dict(os.environ, CXX="no-such-compiler"))
        self.assertIn("no-such-compiler", done.stderr)

    def test_run_on_given_and_on_made_up_data(self):
        np.save(self.folder / "x.npy", X)
        self.cameo("run", self.model, "--in", "x=x.npy", "--out", "out", "--record", "recorded")
        np.testing.assert_array_equal(np.load(self.folder / "out" / "output_0.npy"), -X)
        proto = numpy_helper.to_array(onnx_tensor(self.folder / "out" / "output_0.pb"))
        np.testing.assert_array_equal(proto, -X)
        self.cameo("verify", self.model, "--data", "recorded")
        for out in ("a", "b"):
            self.cameo("run", self.model, "--dim", "n=5", "--seed", "7", "--out", out)
        first = np.load(self.folder / "a" / "output_0.npy")
        self.assertEqual(first.shape, (5, 2))
        np.testing.assert_array_equal(first, np.load(self.folder / "b" / "output_0.npy"))


def onnx_tensor(path):
    from onnx import TensorProto
    return TensorProto.FromString(path.read_bytes())


if __name__ == "__main__":
    unittest.main()
