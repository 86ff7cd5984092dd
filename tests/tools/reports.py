#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What inspect and explain say, for people and as JSON."""
import json
import re
import unittest

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from small import Case, model, read_report
import schemas


class Reports(Case):
    def test_inspect(self):
        weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
        nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Neg", ["h"], ["y"])]
        path = self.save(model(nodes, [("x", ["n", 2])], [("y", ["n", 3])], initializers=[weight]))
        report = read_report("inspect", self.cameo("inspect", path, "--json", "-").stdout)
        self.assertEqual(report["inputs"], [{"name": "x", "dtype": "float32", "shape": [{"expr": "n"}, 2]}])
        self.assertEqual(report["outputs"], [{"name": "y", "dtype": "float32", "shape": [{"expr": "n"}, 3]}])
        self.assertEqual(report["operators"], {"MatMul": 1, "Neg": 1})
        self.assertEqual((report["nodes"], report["parameters"], report["parameter_bytes"]), (2, 6, 24))
        self.assertEqual(report["unsupported"], [])
        self.assertIn("float32[n, 2]", self.cameo("inspect", path).stdout)

    def test_inspect_supported(self):
        self.assertEqual(self.cameo("inspect", self.model, "--supported").stderr, "")
        unknown = self.save(model([helper.make_node("Whirl", ["x"], ["y"], name="whirl")], [("x", [2])], [("y", [2])]))
        self.assertIn("Whirl", self.cameo("inspect", unknown, "--supported", code=5).stderr)
        # Known, and valid, but there is no code for it: decoding JPEG is no business of a model's program.
        proto = model([helper.make_node("ImageDecoder", ["x"], ["y"], name="decode")], [("x", ["n"])], [("y", None)])
        for value in (proto.graph.input[0], proto.graph.output[0]):
            value.type.tensor_type.elem_type = TensorProto.UINT8
        decoder = self.save(proto)
        self.assertIn("not supported\n  decode: ImageDecoder", self.cameo("inspect", decoder).stdout)
        done = self.cameo("inspect", decoder, "--supported", code=5)
        self.assertIn("not supported\n  decode: ImageDecoder", done.stdout)
        self.assertIn("tiny/decode: ImageDecoder", done.stderr)
        done = self.cameo("inspect", decoder, "--supported", "--json", "-", code=5)
        self.assertEqual(len(read_report("inspect", done.stdout)["unsupported"]), 1)

    def test_explain(self):
        # The values of an input decide an extent: it is wanted on the host, and nothing crosses.
        nodes = [helper.make_node("Neg", ["x"], ["h"], name="neg"),
                 helper.make_node("Reshape", ["h", "shape"], ["y"], name="reshape")]
        proto = model(nodes, [("x", ["n"])], [("y", None)])
        proto.graph.input.append(helper.make_tensor_value_info("shape", 7, [2]))
        path = self.save(proto)
        report = read_report("explain", self.cameo("explain", path, "--target", "cuda", "--json", "-", "--node-data", "sides.json").stdout)
        data = json.loads((self.folder / "sides.json").read_text())["results"]
        self.assertEqual({node: row["value"] for node, row in data.items()}, {"neg": "device", "reshape": "device"})
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
        report = read_report("explain", self.cameo("explain", path, "--target", "cuda", "--json", "-").stdout)
        self.assertEqual((report["readbacks"], report["blocking_syncs"]), (1, 1))
        (crossing,) = report["crossings"]
        self.assertEqual((crossing["kind"], crossing["bytes"], crossing["blocking"]), ("fetch", 4, True))
        self.assertEqual((crossing["producer"], crossing["consumers"]), ("ReduceSum:sum", ["Cast:cast (input), for ConstantOfShape:fill (input, Symbolic)"]))
        self.assertIn("Shape", crossing["remedy"])
        # Without a device no rule of placement is a reason, and nothing is on two sides.
        report = read_report("explain", self.cameo("explain", path, "--json", "-").stdout)
        self.assertEqual(report["crossings"], [])
        self.assertEqual({(value["side"], value["reason"]) for value in report["values"]},
                         {("host", "the target has no device")})
        self.assertIn("the target has no device", self.cameo("explain", path).stdout)

    def test_inspect_memory(self):
        """What a program takes, where all sizes are constants; the weights as they are packed, and why."""
        rng = np.random.default_rng(1)
        weight = numpy_helper.from_array(rng.standard_normal((64, 64, 3, 3)).astype(np.float32), "w")
        nodes = [helper.make_node("Conv", [a, "w"], [b], pads=[1, 1, 1, 1]) for a, b in (("x", "g"), ("g", "h"), ("h", "y"))]
        shape = ["n", 64, 28, 28]
        path = self.save(model(nodes, [("x", shape)], [("y", shape)], initializers=[weight]))
        value = 64 * 28 * 28 * 4
        sizes = []
        for precision in ("fast", "exact"):
            report = read_report("inspect", self.cameo("inspect", path, "--dim", "n=1", "--precision", precision, "--json", "-").stdout)
            memory = report["memory"]
            self.assertEqual(memory["largest_value"]["bytes"], value)
            self.assertGreaterEqual(memory["arena_bytes"], memory["arena_lower_bound"])
            self.assertGreaterEqual(memory["arena_lower_bound"], 2 * value)
            self.assertGreaterEqual(memory["moved_bytes"], 3 * 2 * value)
            sizes.append((memory["weights_bytes"], memory["enlarged_bytes"], memory["enlarged_before_bytes"]))
        before = report["parameter_bytes"]
        self.assertEqual(sizes, [(before * 4, before * 4, before), (before, 0, 0)])
        self.assertIn(f"{before * 4} are of weights that kernels read in a larger form, which are {before} in the model", self.cameo("inspect", path, "--dim", "n=1").stdout)
        open_dims = read_report("inspect", self.cameo("inspect", path, "--json", "-").stdout)["memory"]
        self.assertEqual([open_dims[key] for key in ("arena_bytes", "arena_lower_bound", "largest_value", "moved_bytes")], [None] * 4)
        self.assertIn("--dim NAME=4", self.cameo("inspect", path).stdout)

    def test_schemas_name_what_there_is(self):
        common = json.loads((schemas.FOLDER / "common.schema.json").read_text())["$defs"]
        rows = (schemas.FOLDER.parents[1] / "runtime/include/cameo/element_types.def").read_text()
        names = re.findall(r'^CAMEO_ELEMENT_TYPE\([^"]*"(\w+)"', rows, re.MULTILINE)
        self.assertEqual(common["dtype"]["enum"], names)
        # A member that no schema has, or one that is missing, is an error of the suite.
        report = json.loads(self.cameo("inspect", self.model, "--json", "-").stdout)
        for wrong in ({**report, "more": 1}, {key: report[key] for key in report if key != "nodes"},
                      {**report, "inputs": [{"name": "x", "dtype": "f32", "shape": []}]}):
            with self.assertRaisesRegex(AssertionError, "inspect.schema.json"):
                read_report("inspect", json.dumps(wrong))
        self.assertEqual(set(schemas.validators()), {"common", "inspect", "plan", "explain", "verify", "run", "bench", "build", "models", "record", "diff", "check",
                                                     "external"})

    def test_plan(self):
        """Sizes of dims are formulas, those that are constant numbers; a buffer that is placed says where."""
        nodes = [helper.make_node(op, [a], [b]) for op, a, b in (("Softmax", "x", "a"), ("Softmax", "a", "b"), ("Softmax", "b", "y"))]
        path = self.save(model(nodes, [("x", ["n", 4])], [("y", ["n", 4])]))
        for flags, shape, offsets in (([], [{"expr": "n"}, 4], set()), (["--dim", "n=2"], [2, 4], {0, 64})):
            self.cameo("compile", path, "-o", "net", "--name", "net", *flags)
            plan = read_report("plan", self.folder / "net" / "net.plan.json")
            self.assertEqual((plan["inputs"][0]["dtype"], plan["steps"][-1]["results"][0]["shape"]), ("float32", shape))
            self.assertEqual({row["offset"] for row in plan["buffers"] if "offset" in row}, offsets)
            self.assertEqual({row["bytes"] == 32 for row in plan["buffers"]}, {shape[0] == 2})


if __name__ == "__main__":
    unittest.main()
