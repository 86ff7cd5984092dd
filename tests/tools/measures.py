#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What verify lets outputs differ by: of each measure what just passes, what just fails, and that the verdict names it."""
import unittest
import xml.etree.ElementTree as xml

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from small import Case, model, read_report


def node(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs, outputs, **attributes)


def constant(name, values, dtype):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


def typed(proto, element):
    """The model with another type of its output."""
    proto.graph.output[0].type.tensor_type.elem_type = element
    return proto


class Measures(Case):
    def judge(self, proto, x, expected, *flags):
        """The verdict on the only output, and what it passed by, as all reports say it."""
        path = self.save(proto)
        np.savez(self.folder / "data.npz", x=np.asarray(x, np.float32), y=expected)
        (self.folder / "report.json").unlink(missing_ok=True)
        command = ["verify", path, "--data", "data.npz", "--cxxflags=-O0", "--json", "report.json", "--junit", "report.xml"]
        probe = self.cameo(*command, *flags, code=self.code)
        (output,) = read_report("verify", self.folder / "report.json")["cases"][0]["outputs"]
        suite = xml.parse(self.folder / "report.xml").getroot()
        self.assertEqual(suite.get("failures"), str(int(not output["passed"])))
        said = suite.findtext("testcase/system-out") or ""
        self.assertEqual(said.startswith("y passed by "), output["passed"] and output["measure"] != "tolerance")
        return output["measure"], probe.stdout

    def passes(self, measure, *arguments, says=""):
        self.code = 0
        found, text = self.judge(*arguments)
        self.assertEqual(found, measure)
        self.assertIn(says, text)

    def fails(self, *arguments, says=""):
        self.code = 8
        self.assertIn(says, self.judge(*arguments)[1])

    #===--- A share of the largest element ---===#

    def test_largest(self):
        proto = model([node("Neg", ["x"], ["y"])], [("x", ["n"])], [("y", ["n"])])

        def off(largest, error, dtype=np.float32):
            x = np.asarray([largest, 0.001, -0.5], dtype)
            return x, -x + np.asarray([0, error, 0], dtype)

        self.passes("tolerance", proto, *off(147, 9e-6))
        self.passes("largest", proto, *off(147, 1.4e-4), says="of 0.000147, for the largest element 147")
        self.fails(proto, *off(147, 1.6e-4), says="or 0.000147")
        self.fails(proto, *off(1, 1.6e-5))
        self.passes("largest", proto, *off(9999, 0.009))
        # What is larger is a mask's, say, and no sum has lost digits to it.
        self.fails(proto, *off(10001, 0.009))
        self.fails(proto, *off(np.inf, 1.4e-4))
        self.fails(proto, *off(147, np.nan))
        # Whoever says what to hold floats to means it.
        for flags in (["--largest", "0"], ["--rtol", "1e-4"], ["--atol", "1e-5"]):
            self.fails(proto, *off(147, 1.4e-4), *flags)
        self.passes("largest", proto, *off(147, 1.4e-3), "--largest", "1e-5")

    #===--- Steps of a scale ---===#

    def quantised(self, *then, element=TensorProto.INT8, scale=0.5, axis=None, more=()):
        scales = constant("scale", scale, np.float32)
        zeros = constant("zero", np.zeros_like(scale, np.int8), np.int8)
        attributes = {} if axis is None else {"axis": axis}
        nodes = [node("QuantizeLinear", ["x", "scale", "zero"], ["q" if then else "y"], **attributes)]
        nodes += [node(operator, inputs, outputs, **(attributes if operator == "DequantizeLinear" else {}))
                  for operator, inputs, outputs in then]
        return typed(model(nodes, [("x", [2, 3])], [("y", None)], initializers=[scales, zeros, *more]), element)

    def test_steps_of_integers(self):
        proto = self.quantised()
        x = np.float32([[1, 2, 3], [4, 5, 6]])
        codes = (x / 0.5).astype(np.int8)
        other = codes.copy()
        other[1, 1] += 1
        self.passes("steps", proto, x, other, says="of what steps allow")
        self.fails(proto, x, other, "--steps", "0")
        other[1, 1] += 1
        self.fails(proto, x, other, says="a step is 1")
        self.passes("steps", proto, x, other, "--steps", "2")
        # Integers that count no steps are exact.
        cast = typed(model([node("Cast", ["x"], ["y"], to=TensorProto.INT8)], [("x", [2, 3])], [("y", [2, 3])]), TensorProto.INT8)
        self.fails(cast, x, x.astype(np.int8) + np.int8(1))

    def test_steps_of_floats(self):
        back = ("DequantizeLinear", ["q", "scale", "zero"])
        x = np.float32([[1, 2, 3], [4, 5, 6]])
        one, two = x.copy(), x.copy()
        one[0, 2] += 0.5
        two[0, 2] += 1
        direct = self.quantised((*back, ["y"]), element=TensorProto.FLOAT)
        self.passes("steps", direct, x, one, says="steps of 0.5")
        self.fails(direct, x, two, says="a step is 0.5")
        # Behind what only moves elements; not behind what computes with them.
        moved = self.quantised((*back, ["d"]), ("Reshape", ["d", "shape"], ["y"]), element=TensorProto.FLOAT,
                               more=[constant("shape", [3, 2], np.int64)])
        self.passes("steps", moved, x, one.reshape(3, 2))
        self.fails(moved, x, two.reshape(3, 2))
        computed = self.quantised((*back, ["d"]), ("Neg", ["d"], ["y"]), element=TensorProto.FLOAT)
        self.fails(computed, x, -one)
        # Floats of codes that nothing rounds are exact.
        exact = model([node("Cast", ["x"], ["c"], to=TensorProto.INT8), node("DequantizeLinear", ["c", "scale"], ["y"])],
                      [("x", [2, 3])], [("y", [2, 3])], initializers=[constant("scale", 0.5, np.float32)])
        self.fails(exact, x, x * 0.5 + np.float32(0.5))

    def test_steps_along_an_axis(self):
        proto = self.quantised(("DequantizeLinear", ["q", "scale", "zero"], ["y"]), element=TensorProto.FLOAT,
                               scale=[0.5, 1, 2], axis=-1)
        x = np.float32([[1, 2, 4], [4, 5, 6]])
        wide, narrow = x.copy(), x.copy()
        wide[1, 2] += 2
        narrow[1, 0] += 2
        self.passes("steps", proto, x, wide)
        self.fails(proto, x, narrow)

    #===--- A norm, behind dynamic quantisation ---===#

    def test_norm(self):
        nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]), node("DequantizeLinear", ["q", "s", "z"], ["d"]),
                 node("Neg", ["d"], ["y"])]
        proto = model(nodes, [("x", ["n"])], [("y", ["n"])])
        x = np.arange(256, dtype=np.float32)  # of which each is a step

        def off(share):
            y = -x
            y[7] += np.float32(share * np.linalg.norm(x))
            return x, y

        self.passes("norm", proto, *off(0.045), says="of what the relative L2 norm may be")
        self.fails(proto, *off(0.055), says="relative L2 norm 0.05")
        self.fails(proto, *off(0.045), "--norm", "0")
        self.passes("norm", proto, *off(0.2), "--norm", "0.25")
        self.fails(proto, x, np.where(x == 7, np.nan, -x).astype(np.float32))
        # Not beside it.
        beside = model([*nodes[:2], node("Neg", ["d"], ["n"]), node("Abs", ["x"], ["y"])], [("x", ["n"])], [("y", ["n"])])
        self.fails(beside, x, -off(0.045)[1])

    def test_norm_behind_halves(self):
        for element, share in ((TensorProto.FLOAT16, 2e-3), (TensorProto.BFLOAT16, 1e-2)):
            proto = model([node("Cast", ["x"], ["h"], to=element), node("Cast", ["h"], ["y"], to=TensorProto.FLOAT)],
                          [("x", [8])], [("y", [8])])
            # Numbers that both types have.
            x = np.arange(8, dtype=np.float32)

            def off(part):
                y = x.copy()
                y[0] += np.float32(part * share * np.linalg.norm(x))
                return x, y
            with self.subTest(element):
                self.passes("norm", proto, *off(0.9), says="of what the relative L2 norm may be")
                self.fails(proto, *off(1.1), says="relative L2 norm")
                self.fails(proto, *off(0.9), "--norm", "0")


if __name__ == "__main__":
    unittest.main()
