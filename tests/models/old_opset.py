# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opset 7 forms that later became inputs or other operators: axes, pads, k, slices, clip bounds and scales as
attributes, Upsample, Dropout, a two-dimensional Softmax, and every initializer listed as an input (IR 3)."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random


def build():
    rng = random("old_opset weights")
    g = Graph("old_opset")
    g.input("x", FLOAT, ["batch", 4, 6, 6])
    for name, dims in [("scale", [4]), ("shift", [4]), ("mean", [4])]:
        g.input(name, FLOAT, dims)
        g.const(normal(rng, 4), name=name)
    g.input("variance", FLOAT, [4])
    g.const(rng.uniform(0.5, 2, 4).astype(np.float32), name="variance")
    normed = g.op("BatchNormalization", "x", "scale", "shift", "mean", "variance")
    kept = g.op("Dropout", normed, ratio=0.5)
    g.output(g.op("Clip", kept, out="clipped", min=-0.5, max=0.75), FLOAT, ["batch", 4, 6, 6])
    g.output(g.op("Pad", kept, out="padded", mode="reflect", pads=[0, 0, 1, 2, 0, 0, 0, 1]), FLOAT, ["batch", 4, 7, 9])
    g.output(g.op("Slice", kept, out="sliced", axes=[1, 3], starts=[-3, 0], ends=[100, -1]), FLOAT, ["batch", 3, 6, 5])
    g.output(g.op("Upsample", kept, out="larger", mode="nearest", scales=[1.0, 1.0, 2.0, 2.0]),
             FLOAT, ["batch", 4, 12, 12])
    total = g.op("ReduceSum", kept, axes=[2, 3], keepdims=1)
    flat = g.op("Squeeze", total, axes=[2, 3])
    g.output(g.op("Unsqueeze", flat, out="longer", axes=[0, 3]), FLOAT, [1, "batch", 4, 1])
    g.output(g.op("Softmax", kept, out="soft", axis=1), FLOAT, ["batch", 4, 6, 6])
    values, _ = g.op("TopK", flat, out=2, axis=-1, k=2)
    g.output(g.op("Identity", values, out="best"), FLOAT, ["batch", 2])
    return g.model(opset=7, ir_version=3)


def cases():
    rng = random("old_opset data")
    for batch in (1, 3):
        yield Case({"x": normal(rng, batch, 4, 6, 6)})
