#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cameo baseline and cameo diff: records, and what is other in a later one."""
import json
import unittest

import numpy as np
from onnx import helper, numpy_helper

from small import CAMEO, Case, model, read_report
from schemas import FOLDER

QUICK = ["--seconds", "0.02", "--cxxflags=-O1"]


def net(*operators):
    """Operators in a row; two of them that are elementwise become one step."""
    values = ["x", *(f"v{number}" for number in range(len(operators) - 1)), "y"]
    nodes = [helper.make_node(op, [a], [b], name=op.lower()) for op, a, b in zip(operators, values, values[1:])]
    return model(nodes, [("x", ["n", 8])], [("y", ["n", 8])])


def convolutions():
    weight = numpy_helper.from_array(np.random.default_rng(1).standard_normal((64, 64, 3, 3)).astype(np.float32), "w")
    node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1], name="conv")
    shape = [1, 64, 28, 28]
    return model([node], [("x", shape)], [("y", shape)], initializers=[weight])


class Diff(Case):
    def setUp(self):
        super().setUp()
        self.old = self.save(net("Softmax", "Exp"), "net.onnx")
        (self.folder / "new").mkdir()

    def diff(self, *arguments, code=0):
        done = self.cameo("diff", *arguments, "--json", "diff.json", code=code)
        return done, read_report("diff", self.folder / "diff.json")

    def test_record_and_a_changed_model(self):
        self.assertEqual(self.cameo("baseline", self.old, "--dim", "n=4", *QUICK).stdout, "baseline/net.cpu\n")
        folder = self.folder / "baseline/net.cpu"
        record = read_report("record", folder / "record.json")
        self.assertEqual((record["name"], record["target"], record["flags"], record["inputs"]), ("net", "cpu", ["--dim=n=4"], ["x"]))
        self.assertEqual(record["steps"], ["Softmax:softmax (call)", "Exp:exp (loops)"] if len(record["steps"]) == 2 else record["steps"])
        self.assertEqual(record["measures"]["steps"], len(record["steps"]))
        self.assertGreater(record["measures"]["min_ms"], 0)
        self.assertGreaterEqual(record["noise"], 0)
        (output,) = record["outputs"]
        self.assertEqual((output["name"], output["dtype"], output["shape"]), ("y", "float32", [4, 8]))
        # The same model, as the record was measured: nothing is other but the time.
        done, report = self.diff("baseline", self.old, "--budget", "steps=+0", "--budget", "differing_outputs=0", *QUICK)
        (pair,) = report["pairs"]
        self.assertEqual((pair["steps_gone"], pair["steps_added"], [o["state"] for o in pair["outputs"]]), ([], [], ["same"]))
        self.assertEqual(pair["after"]["flags"], ["--dim=n=4"])
        self.assertTrue(report["passed"] and all(one["passed"] for one in pair["budgets"]))
        self.assertIn("output y: the same bits\n", done.stdout)
        # Another one, on the record's data.
        new = self.save(net("Softmax", "Exp", "Softmax", "Neg"), "new/net.onnx")
        done, report = self.diff("baseline/net.cpu", new, "--budget", "steps=+0", "--markdown", "diff.md", *QUICK, code=8)
        self.assertRegex(done.stderr, r"^net \(cpu\): over budget: steps is \d, at most \d \(\+0\)\n$")
        (pair,) = report["pairs"]
        self.assertTrue(any("Neg:neg" in step for step in pair["steps_added"]), pair["steps_added"])
        self.assertEqual([o["state"] for o in pair["outputs"]], ["differs"])
        self.assertEqual(pair["after"]["measures"]["differing_outputs"], 1)
        self.assertFalse(report["passed"])
        page = (self.folder / "diff.md").read_text()
        for line in ("### net (cpu)\n", "**Over budget:** steps is ", "| | before | after | change |\n|--|--:|--:|--:|\n", "- output y: **differs**, max abs ",
                     "<summary>steps added: 1</summary>\n"):
            self.assertIn(line, page)
        self.cameo("diff", "baseline", new, "--budget", "differing_outputs=0", *QUICK, code=8)

    def test_a_record_replaces_an_older_one(self):
        self.cameo("baseline", self.old, "--no-run", "-o", "records")
        folder = self.folder / "records/net.cpu"
        self.assertEqual([path.name for path in folder.iterdir()], ["record.json"])
        (folder / "stale").touch()
        self.cameo("baseline", self.old, "--no-run", "-o", "records")
        self.assertEqual([path.name for path in folder.iterdir()], ["record.json"])
        # What fails leaves the old one, and what is no record is not replaced.
        before = (folder / "record.json").read_bytes()
        self.cameo("baseline", self.old, "--no-run", "--dim", "q=1", "-o", "records", code=2)
        self.assertEqual((folder / "record.json").read_bytes(), before)
        (folder / "record.json").unlink()
        (folder / "mine").touch()
        self.assertIn("is no record", self.cameo("baseline", self.old, "--no-run", "-o", "records", code=3).stderr)
        self.assertTrue((folder / "mine").exists())

    def test_folders_of_records(self):
        other = self.save(net("Neg"), "other.onnx")
        self.cameo("baseline", self.old, other, "--no-run", "-o", "a")
        self.cameo("baseline", self.save(net("Exp"), "new/other.onnx"), self.save(net("Sin"), "new/third.onnx"), "--no-run", "-o", "b")
        done, report = self.diff("a", "b")
        self.assertEqual(([pair["after"]["name"] for pair in report["pairs"]], report["only_before"], report["only_after"]),
                         (["other"], ["net.cpu"], ["third.cpu"]))
        self.assertIn("gone: net.cpu\nnew: third.cpu\n", done.stdout)

    def test_two_models_and_generated_folders(self):
        new = self.save(net("Softmax", "Neg"), "new/net.onnx")
        _, report = self.diff(self.old, new, "--no-run", "--target", "cuda")
        (pair,) = report["pairs"]
        self.assertEqual((len(pair["steps_gone"]), len(pair["steps_added"])), (1, 1))
        for name, path in (("a", self.old), ("b", new)):
            self.cameo("compile", path, "-o", name)
        _, folders = self.diff("a", "b")
        _, plans = self.diff("a/net.plan.json", "b/net.plan.json")
        for other in (folders, plans):
            self.assertEqual([other["pairs"][0][key] for key in ("steps_gone", "steps_added")], [pair["steps_gone"], pair["steps_added"]])

    def test_reports(self):
        for name in ("a", "b"):
            self.cameo("bench", self.old, *QUICK, "--samples", "--json", f"{name}.json")
        done, report = self.diff("a.json", "b.json", "--budget", "text_bytes=+0%", "--budget", "min_ms=+10000%")
        self.assertEqual([one["passed"] for one in report["pairs"][0]["budgets"]], [True, True])
        self.assertRegex(done.stdout, r"  min_ms +\S+ \+-\S+% -> \S+ \+-\S+%|the same: .*min_ms")

    def test_two_compilers(self):
        """Of which the earlier one knows no tiles."""
        earlier = self.folder / "earlier"
        earlier.write_text(f'#!/bin/sh\ncase $1 in --version) echo cameo 0.0.1;; *) exec "{CAMEO}" "$@" --precision exact;; esac\n')
        earlier.chmod(0o755)
        path = self.save(convolutions(), "conv.onnx")
        done, report = self.diff(path, "--with", earlier, "--no-run", "--budget", "weights_bytes=+100%", code=8)
        (pair,) = report["pairs"]
        self.assertEqual(pair["after"]["measures"]["weights_bytes"], 4 * pair["before"]["measures"]["weights_bytes"])
        self.assertIn("over budget: weights_bytes is ", done.stderr)
        self.assertIn("compiled by cameo 0.0.1, and by cameo ", done.stdout)
        self.assertIn("+300.0%", done.stdout)
        missing = self.cameo("diff", path, "--with", self.folder / "none", "--no-run", code=3)
        self.assertIn("could not be started", missing.stderr)

    def test_refusals(self):
        (self.folder / "text.json").write_text("[")
        (self.folder / "list.json").write_text("[]")
        (self.folder / "other.json").write_text('{"schema": 1}')
        (self.folder / "deep.json").write_text("[" * 1000000)
        for arguments, said, code in (
                ([self.old], "there is nothing to compare", 2), ([self.old, "missing.onnx"], "missing.onnx: No such file", 3),
                ([self.old, "text.json"], "is no JSON", 4), ([self.old, "list.json"], "holds no JSON object", 4), ([self.old, "deep.json"], "deep.json", 4),
                ([self.old, "other.json"], "is no report that can be compared", 4), ([self.old, "new"], "holds no record", 2),
                ([self.old, self.old, "--budget", "speed=1"], "names no measure: 'speed'", 2),
                ([self.old, self.old, "--budget", "steps"], "cannot be read", 2), ([self.old, "--with", CAMEO, "--frobnicate"], "--frobnicate", 2)):
            with self.subTest(arguments):
                self.assertIn(said, self.cameo("diff", *arguments, code=code).stderr)
        self.assertIn("--seconds is of models that are given", self.cameo("baseline", "--seconds", "1", code=2).stderr)
        for verb in (["diff", self.old], ["baseline"]):
            self.assertIn("--emit-plan is of one", self.cameo(*verb, self.old, "--emit-plan", "plan.json", code=2).stderr)
        # The schema, the page and the program name the same measures.
        names = json.loads((FOLDER / "record.schema.json").read_text())["$defs"]["measure"]["enum"]
        self.assertIn(f"there are {', '.join(names)}\n", self.cameo("diff", self.old, self.old, "--budget", "9=1", code=2).stderr)
        rows = [row for row in (FOLDER.parent / "cli.md").read_text().splitlines() if row.startswith("| `")]
        self.assertEqual([name for name in names if not any(f"`{name}`" in row for row in rows)], [])
        # A budget on what is not known is not kept.
        done = self.cameo("diff", self.old, self.old, "--no-run", "--budget", "min_ms=5", code=8)
        self.assertIn("min_ms: is not known", done.stderr)
        self.assertEqual(json.loads(self.cameo("diff", self.old, self.old, "--no-run", "--json", "-").stdout)["passed"], True)


if __name__ == "__main__":
    unittest.main()
