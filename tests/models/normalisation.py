# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and LogSoftmax over each axis, and the normalisations: batch, instance, group, layer (with its statistics)."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random


def build():
    rng = random("normalisation weights")
    g = Graph("normalisation")
    dims = ["batch", 6, "height", "width"]
    g.input("x", FLOAT, dims)
    scale, shift, mean = (g.const(normal(rng, 6)) for _ in range(3))
    variance = g.const(rng.uniform(0.5, 2, 6).astype(np.float32))
    for name, axis in [("soft_last", -1), ("soft_channel", 1), ("soft_batch", 0)]:
        g.op("Softmax", "x", out=name, axis=axis)
    g.op("LogSoftmax", "x", out="log_soft", axis=2)
    g.op("BatchNormalization", "x", scale, shift, mean, variance, out="by_batch", epsilon=1e-3)
    g.op("InstanceNormalization", "x", scale, shift, out="by_instance", epsilon=1e-4)
    g.op("GroupNormalization", "x", scale, shift, out="by_group", num_groups=3)
    for name in ("soft_last", "soft_channel", "soft_batch", "log_soft", "by_batch", "by_instance", "by_group"):
        g.output(name, FLOAT, dims)

    g.input("rows", FLOAT, ["n", 10])
    g.op("LayerNormalization", "rows", g.const(normal(rng, 10)), out=["by_row", "row_mean", "row_inverse"])
    g.output("by_row", FLOAT, ["n", 10])
    g.output("row_mean", FLOAT, ["n", 1])
    g.output("row_inverse", FLOAT, ["n", 1])
    return g.model()


def cases():
    rng = random("normalisation data")
    for batch, height, width, n in [(1, 4, 5, 3), (2, 1, 9, 1), (3, 7, 2, 40)]:
        yield Case({"x": normal(rng, batch, 6, height, width, scale=3), "rows": normal(rng, n, 10)})
