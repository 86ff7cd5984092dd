# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize with antialiasing and by a policy for the aspect ratio, of some axes only, by sizes that the run gives."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, random

# ONNX Runtime has no antialiasing without the extents of all axes.
ORACLE = "reference"


def build():
    g = Graph("resize_antialias")
    g.input("x", FLOAT, [1, 1, "h", "w"])
    g.input("sizes", INT64, [2])
    ways = {"linear": dict(mode="linear", antialias=1, axes=[2, 3]), "cubic": dict(mode="cubic", antialias=1, axes=[2, 3]),
            "within": dict(mode="linear", axes=[2, 3], keep_aspect_ratio_policy="not_larger"),
            "around": dict(mode="nearest", axes=[3, 2], keep_aspect_ratio_policy="not_smaller")}
    for name, attributes in ways.items():
        g.output(g.op("Resize", "x", "", "", "sizes", out=name, **attributes), FLOAT, [1, 1, None, None])
    return g.model(opset=19, ir_version=9)


def cases():
    rng = random("resize_antialias data")
    for h, w, sizes in [(9, 12, [4, 5]), (6, 6, [3, 11]), (16, 7, [5, 5])]:
        yield Case({"x": rng.uniform(-1, 1, (1, 1, h, w)).astype(np.float32), "sizes": np.array(sizes)})
