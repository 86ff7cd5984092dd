# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IR version 14 and opset 28, the newest of ONNX 1.23: a model of today must import."""
from graph import FLOAT, Case, Graph, normal, random

# ONNX Runtime 1.31 refuses models of this opset.
ORACLE = "reference"


def build():
    g = Graph("newest_opset")
    g.input("x", FLOAT, ["rows", 8])
    scaled = g.op("RMSNormalization", "x", g.const(normal(random("newest_opset weights"), 8)))
    g.op("Softmax", g.op("Swish", scaled), out="y", axis=-1)
    g.output("y", FLOAT, ["rows", 8])
    return g.model(opset=28, ir_version=14)


def cases():
    rng = random("newest_opset data")
    for rows in (3, 1):
        yield Case({"x": normal(rng, rows, 8)})
