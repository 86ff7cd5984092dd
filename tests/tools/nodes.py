#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verify --nodes: faults planted at a node, by a peer that runs another model there, are found there and nowhere else."""
import sys
import unittest

from onnx import helper, numpy_helper
import numpy as np

from small import ANOTHER_OPERATOR, Case, chain, model, read_report


class Nodes(Case):
    def nodes(self, path, planted, change=ANOTHER_OPERATOR, *flags):
        report = self.folder / "report.json"
        self.last = self.cameo("verify", path, "--against", "onnxruntime", "--python", sys.executable, "--seeds", "1", "--nodes",
                               "--json", report, *flags, code=8, env=self.plant(planted, change))
        (found,) = [case["nodes"] for case in read_report("verify", report)["cases"] if "nodes" in case]
        return found

    def test_new(self):
        # More nodes than are compared at once, so that it takes several rounds.
        path = self.save(chain(40))
        for planted in (0, 26, 38):
            with self.subTest(planted):
                found = self.nodes(path, f"node{planted}")
                self.assertEqual((found["first"]["node"], found["new"]), (f"node{planted}", True))
                self.assertLess(len(found["worst"]), 40)
                self.assertFalse(found["worst"][0]["passed"])
        self.assertIn("first node that differs: node38 (Sin), value v38", self.last.stdout)
        self.assertIn("new there", self.last.stdout)

    def test_carried_in(self):
        """A difference within the tolerance, of which a later node makes more: that node is not at fault."""
        thousand = numpy_helper.from_array(np.float32(1000), "thousand")
        path = self.save(model([helper.make_node("Neg", ["x"], ["a"], name="negation"),
                                helper.make_node("Add", ["a", "x"], ["b"], name="nothing"),
                                helper.make_node("Mul", ["b", "thousand"], ["y"], name="more")],
                               [("x", ["n"])], [("y", ["n"])], initializers=[thousand]))
        shift = ("proto.graph.node.append(onnx.helper.make_node('Neg', ['x'], ['a_'])); "
                 "proto.graph.node.append(onnx.helper.make_node('Constant', [], ['s_'], value_float=5e-6)); "
                 "proto.graph.node.append(onnx.helper.make_node('Add', ['a_', 's_'], ['a']))")
        found = self.nodes(path, "negation", shift)
        self.assertEqual((found["first"]["node"], found["new"]), ("more", False))
        self.assertIn("carried in", found["verdict"])

    def test_weights_beside_the_model_and_a_loop(self):
        import onnx
        body = helper.make_graph([helper.make_node("Identity", ["on"], ["on_"]), helper.make_node("MatMul", ["state", "w"], ["next"])],
                                 "body", [helper.make_tensor_value_info("i", 7, []), helper.make_tensor_value_info("on", 9, []),
                                          helper.make_tensor_value_info("state", 1, [2, 3])],
                                 [helper.make_tensor_value_info("on_", 9, []), helper.make_tensor_value_info("next", 1, [2, 3])])
        weights = numpy_helper.from_array(np.linspace(-1, 1, 9, dtype=np.float32).reshape(3, 3), "w")
        proto = model([helper.make_node("Sin", ["x"], ["s"], name="sine"),
                       helper.make_node("Loop", ["trips", "", "s"], ["l"], name="loop", body=body),
                       helper.make_node("Exp", ["l"], ["y"], name="planted")], [("x", [2, 3])], [("y", [2, 3])],
                      initializers=[weights, helper.make_tensor("trips", 7, [], [3])])
        path = self.folder / "beside.onnx"
        onnx.save(proto, path, save_as_external_data=True, location="beside.data", size_threshold=0)
        found = self.nodes(path, "planted")
        self.assertEqual((found["first"]["node"], found["new"]), ("planted", True))
        self.assertIn("loop", [value["node"] for value in found["worst"]])

    def test_a_value_that_is_no_tensor(self):
        path = self.save(model([helper.make_node("Sin", ["x"], ["s"], name="sine"),
                                helper.make_node("SplitToSequence", ["s"], ["q"], name="split", axis=0, keepdims=1),
                                helper.make_node("SequenceAt", ["q", "zero"], ["y"], name="pick")], [("x", [2, 3])], [("y", [1, 3])],
                               initializers=[helper.make_tensor("zero", 7, [], [0])]))
        change = "node.input[1] = 'one_'; proto.graph.initializer.append(onnx.helper.make_tensor('one_', 7, [], [1])); proto.graph.node.append(node)"
        found = self.nodes(path, "pick", change)
        self.assertEqual((found["first"]["node"], found.get("new")), ("pick", None))
        self.assertIn("'q' cannot be an output", found["verdict"])

    def test_usage(self):
        for flags in (["--nodes"], ["--nodes", "--against", "none"]):
            self.assertIn("--nodes needs", self.cameo("verify", self.model, *flags, code=2).stderr)
        # Nothing fails, nothing is looked for.
        done = self.cameo("verify", self.model, "--against", "reference", "--nodes", "--python", sys.executable)
        self.assertNotIn("node", done.stdout)


if __name__ == "__main__":
    unittest.main()
