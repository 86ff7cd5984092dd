# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As omitted_outputs, before the number of a Split's outputs was an attribute: outputs that are left out count too."""
from graph import FLOAT, Case, Graph, normal, random


# ONNX Runtime ends by a signal where outputs are left out.
ORACLE = "reference"


def build():
    g = Graph("omitted_outputs_old")
    g.input("x", FLOAT, ["n", 20])
    g.op("Split", "x", out=["", "second", "", ""], axis=-1)
    g.op("Split", "x", g.const([7, 6, 7]), out=["begin", "", ""], axis=1)
    g.output("second", FLOAT, ["n", 5])
    g.output("begin", FLOAT, ["n", 7])
    return g.model(opset=13, ir_version=7)


def cases():
    rng = random("omitted_outputs_old data")
    for n in (2, 1):
        yield Case({"x": normal(rng, n, 20)})
