#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network in both forms that ONNX Runtime's quantiser writes, QDQ and QOperator, comes to the same kernels: the same templates with
the same parameters and functors but for names, on both targets."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx

sys.path[1:1] = [str(Path(__file__).resolve().parents[1] / "models")]
from graph import FLOAT, Graph, random  # noqa: E402

CAMEO = os.environ["CAMEO"]
F32, U8 = np.float32, np.uint8


NAME = r"\b(?:q\d{3}_?)+\w*"


class ShortNames(Graph):
    """Names that are told from all else; where expressions are cut depends on their length."""

    def fresh(self, stem):
        self.counter += 1
        return f"q{self.counter:03}"


class Network:
    """The operators of one network; each is written in `form`."""

    def __init__(self, form):
        self.form, self.graph, self.rng = form, ShortNames("network"), random("same kernels")

    def parameters(self, number):
        return [self.graph.const(F32(0.01 + number / 500)), self.graph.const(U8(100 + number))]

    def dequantise(self, value, parameters, **attributes):
        return self.graph.op("DequantizeLinear", value, *parameters, **attributes)

    def quantise(self, value, parameters):
        return self.graph.op("QuantizeLinear", value, *parameters)

    def weight(self, *shape):
        return self.graph.const(self.rng.integers(-64, 64, shape).astype(np.int8))

    def channels(self, count):
        scales = (0.001 + self.rng.random(count) / 500).astype(F32)
        return scales, [self.graph.const(scales), self.graph.const(np.zeros(count, np.int8))]

    def conv(self, x, px, w, py, **attributes):
        count = w[0]
        codes, (scales, pw) = self.weight(*w), self.channels(count)
        bias = self.graph.const(self.rng.integers(-500, 500, count).astype(np.int32))
        if self.form == "qoperator":
            return self.graph.op("QLinearConv", x, *px, codes, *pw, *py, bias, **attributes)
        factor = F32(onnx.numpy_helper.to_array(self.graph.initializers[self.named(px[0])])) * scales
        b = self.graph.op("DequantizeLinear", bias, self.graph.const(factor), axis=0)
        y = self.graph.op("Conv", self.dequantise(x, px), self.dequantise(codes, pw, axis=0), b, **attributes)
        return self.quantise(y, py)

    def named(self, name):
        return [tensor.name for tensor in self.graph.initializers].index(name)

    def product(self, a, pa, b, pb, py):
        if self.form == "qoperator":
            return self.graph.op("QLinearMatMul", a, *pa, b, *pb, *py)
        return self.quantise(self.graph.op("MatMul", self.dequantise(a, pa), self.dequantise(b, pb, axis=1)), py)

    def gemm(self, a, pa, b, pb, py):
        if self.form == "qoperator":
            return self.graph.op("QGemm", a, *pa, b, *pb, "", *py, domain="com.microsoft", transB=1)
        return self.quantise(self.graph.op("Gemm", self.dequantise(a, pa), self.dequantise(b, pb, axis=0), transB=1), py)

    def build(self):
        g, p = self.graph, [self.parameters(number) for number in range(8)]
        x = self.quantise(g.input("x", FLOAT, ["n", 3, 12, 12]), p[0])
        x = self.conv(x, p[0], (24, 3, 3, 3), p[1], strides=[2, 2], pads=[1] * 4)
        y = self.conv(x, p[1], (24, 24, 1, 1), p[2])
        rows = g.op("Reshape", y, g.const(np.array([-1, 24, 36])))
        scores = self.product(rows, p[2], g.op("Transpose", rows, perm=[0, 2, 1]), p[2], p[3])
        hidden = self.product(scores, p[3], self.weight(24, 40), self.channels(40)[1], p[4])
        flat = g.op("Flatten", hidden)
        last = self.gemm(flat, p[4], self.weight(10, 960), self.parameters(7)[:1] + [g.const(np.int8(3))], p[5])
        g.op("Identity", self.dequantise(last, p[5]), out="y")
        g.output("y", FLOAT, ["n", 10])
        return g.model(opset=17, ir_version=8, extra_domains=["com.microsoft"], full_check=False)


def kernels(form, target):
    """The calls of templates, in order, and the structs that they are called with."""
    with tempfile.TemporaryDirectory() as scratch:
        path, out = Path(scratch) / "network.onnx", Path(scratch) / "out"
        onnx.save(Network(form).build(), path)
        subprocess.run([CAMEO, "compile", path, "-o", out, "--target", target, "--name", "network"], check=True, capture_output=True)
        files = sorted(each for each in out.glob("network_kernels*") if each.suffix in (".cpp", ".cu"))
        text = re.sub(r"//.*", "", "\n".join(each.read_text() for each in files))
    # Those of several kernels are named by the operators, which differ.
    structs = [re.sub(r"^struct \w+", "struct name", each) for each in re.findall(r"^struct .*?^};", text, re.MULTILINE | re.DOTALL)]
    return [" ".join(re.sub(NAME, "name", each).split()) for each in structs], re.findall(r"^ +(\w+)\(e, ", text, re.MULTILINE)


class SameKernels(unittest.TestCase):
    def test_forms(self):
        for target in ("cpu", "cuda"):
            with self.subTest(target):
                (structs, calls), (other_structs, other_calls) = kernels("qdq", target), kernels("qoperator", target)
                self.assertGreater(len(calls), 6)
                self.assertEqual(calls, other_calls)
                self.assertEqual(structs, other_structs)


if __name__ == "__main__":
    unittest.main()
