# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A batch of 3x3 identity matrices, the batch taken from an image's shape; the image itself stays where it is."""
import numpy as np
from graph import FLOAT, Case, Graph

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("identity")
    g.input("input", FLOAT, ["batch", 3, "height", "width"])
    batch = g.op("Gather", g.op("Shape", "input"), g.const([0]), axis=0)
    zeros = g.op("ConstantOfShape", g.op("Concat", batch, g.const([3, 3]), axis=0))
    g.op("Add", zeros, g.const(np.eye(3, dtype=np.float32)), out="identity_matrices")
    g.output("identity_matrices", FLOAT, ["batch", 3, 3])
    return g.model(opset=11, ir_version=7)


def cases():
    for batch in (1, 2, 5, 0):
        yield Case({"input": np.zeros((batch, 3, 16, 24), np.float32)})
