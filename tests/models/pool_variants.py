# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Maximum, average and Lp pooling: padding counted or not, rounding up, dilation, indices, and the global forms."""
from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("pool_variants")
    g.input("x", FLOAT, ["batch", 3, "height", "width"])
    g.input("line", FLOAT, ["batch", 2, "length"])
    dims = ["batch", 3, None, None]
    g.op("MaxPool", "x", out="plain", kernel_shape=[2, 2], strides=[2, 2])
    g.op("MaxPool", "x", out="ceiled", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1)
    g.op("MaxPool", "x", out=["picked", "places"], kernel_shape=[3, 2], strides=[1, 2], dilations=[2, 1])
    g.op("AveragePool", "x", out="mean", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    g.op("AveragePool", "x", out="mean_all", kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1, strides=[2, 2])
    g.op("AveragePool", "x", out="mean_same", kernel_shape=[2, 2], auto_pad="SAME_LOWER")
    g.op("LpPool", "x", out="norm", kernel_shape=[2, 3], p=2)
    for name, power in [("inverse", -1), ("lowest", -2**63), ("highest", 2**63 - 1)]:
        g.op("LpPool", "x", out=name, kernel_shape=[2, 3], p=power)
    g.op("GlobalAveragePool", "x", out="global_mean")
    g.op("GlobalMaxPool", "x", out="global_max")
    g.op("MaxPool", "line", out="line_max", kernel_shape=[3], strides=[2])
    for name in ("plain", "ceiled", "picked", "mean", "mean_all", "mean_same", "norm", "inverse", "lowest", "highest", "global_mean",
                 "global_max"):
        g.output(name, FLOAT, dims)
    g.output("places", INT64, dims)
    g.output("line_max", FLOAT, ["batch", 2, None])
    return g.model()


def cases():
    rng = random("pool_variants data")
    for batch, height, width, length in [(1, 8, 8, 9), (2, 13, 5, 3), (3, 6, 21, 50)]:
        yield Case({"x": normal(rng, batch, 3, height, width), "line": normal(rng, batch, 2, length)})
