# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Height and width of an image: its pixels are never needed, so nothing may move."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("shape_only")
    g.input("input", FLOAT, ["batch", 3, "height", "width"])
    g.op("Gather", g.op("Shape", "input"), g.const([2, 3]), out="size", axis=0)
    g.output("size", INT64, [2])
    return g.model(opset=11, ir_version=7)


def cases():
    for batch, height, width in [(1, 8, 8), (2, 63, 31), (5, 1, 100)]:
        yield Case({"input": np.zeros((batch, 3, height, width), np.float32)})
