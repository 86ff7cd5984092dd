#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What inspect and explain say, for people and as JSON."""
import json
import unittest

import numpy as np
from onnx import helper, numpy_helper

from small import Case, model


class Reports(Case):
    def test_inspect(self):
        weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
        nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Neg", ["h"], ["y"])]
        path = self.save(model(nodes, [("x", ["n", 2])], [("y", ["n", 3])], initializers=[weight]))
        report = json.loads(self.cameo("inspect", path, "--json", "-").stdout)
        self.assertEqual(report["inputs"], [{"name": "x", "type": "f32[n, 2]"}])
        self.assertEqual(report["outputs"], [{"name": "y", "type": "f32[n, 3]"}])
        self.assertEqual(report["operators"], {"MatMul": 1, "Neg": 1})
        self.assertEqual((report["nodes"], report["parameters"], report["parameter_bytes"]), (2, 6, 24))
        self.assertEqual(report["unsupported"], [])
        self.assertIn("f32[n, 2]", self.cameo("inspect", path).stdout)

    def test_explain(self):
        # The values of an input decide an extent: it is wanted on the host, and nothing crosses.
        nodes = [helper.make_node("Neg", ["x"], ["h"], name="neg"),
                 helper.make_node("Reshape", ["h", "shape"], ["y"], name="reshape")]
        proto = model(nodes, [("x", ["n"])], [("y", None)])
        proto.graph.input.append(helper.make_tensor_value_info("shape", 7, [2]))
        path = self.save(proto)
        report = json.loads(self.cameo("explain", path, "--target", "cuda", "--json", "-").stdout)
        # An input whose elements became extents is listed once more behind itself.
        sides = {value["name"]: value["side"] for value in reversed(report["values"])}
        self.assertEqual((sides["x"], sides["shape"], sides["h"]), ("device", "host", "device"))
        self.assertEqual((report["readbacks"], report["blocking_syncs"], report["crossings"]), (0, 0, []))
        self.assertIn("0 readbacks", self.cameo("explain", path, "--target", "cuda").stdout)

    def test_explain_names_a_readback(self):
        nodes = [helper.make_node("ReduceSum", ["x"], ["total"], keepdims=0, name="sum"),
                 helper.make_node("Cast", ["total"], ["count"], to=7, name="cast"),
                 helper.make_node("Unsqueeze", ["count", "zero"], ["dims"], name="unsqueeze"),
                 helper.make_node("ConstantOfShape", ["dims"], ["y"], name="fill")]
        zero = helper.make_tensor("zero", 7, [1], [0])
        path = self.save(model(nodes, [("x", ["n"])], [("y", ["k"])], initializers=[zero]))
        report = json.loads(self.cameo("explain", path, "--target", "cuda", "--json", "-").stdout)
        self.assertEqual((report["readbacks"], report["blocking_syncs"]), (1, 1))
        (crossing,) = report["crossings"]
        self.assertEqual((crossing["kind"], crossing["bytes"], crossing["blocking"]), ("fetch", "4", True))
        self.assertEqual((crossing["producer"], crossing["consumers"]), ("ReduceSum:sum", ["Cast:cast, for Cast:cast (an extent)"]))
        self.assertIn("Shape", crossing["remedy"])
        report = json.loads(self.cameo("explain", path, "--json", "-").stdout)
        self.assertEqual(report["crossings"], [])


if __name__ == "__main__":
    unittest.main()
