# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BatchNormalization behind Conv and Gemm, where it goes into the weights, and alone, where it cannot."""
import numpy as np

from graph import FLOAT, Case, Graph, normal, random


def build():
    rng = random("batch_norm weights")
    g = Graph("batch_norm")
    g.input("x", FLOAT, ["batch", 4, "height", "width"])

    def norm(value, channels, **attributes):
        parameters = [1 + normal(rng, channels, scale=0.2), normal(rng, channels), normal(rng, channels),
                      np.abs(normal(rng, channels)) + np.float32(0.1)]
        return g.op("BatchNormalization", value, *[g.const(parameter) for parameter in parameters], **attributes)

    bare = g.op("Conv", "x", g.const(normal(rng, 6, 4, 3, 3, scale=0.2)), pads=[1, 1, 1, 1])
    grouped = g.op("Conv", g.op("Relu", norm(bare, 6)), g.const(normal(rng, 8, 3, 3, 3, scale=0.2)),
                   g.const(normal(rng, 8)), group=2, strides=[2, 2], pads=[1, 1, 1, 1])
    g.op("Relu", norm(grouped, 8, epsilon=1e-3), out="convolved")
    shared = g.op("Conv", "x", g.const(normal(rng, 5, 4, 1, 1)))
    g.op("Sub", norm(shared, 5), shared, out="shared")
    g.op("Identity", norm(g.op("Relu", "x"), 4), out="alone")

    pooled = g.op("Flatten", g.op("GlobalAveragePool", "x"))
    product = g.op("Gemm", pooled, g.const(normal(rng, 7, 4)), g.const(normal(rng, 7)), transB=1)
    g.op("Gemm", g.op("Tanh", norm(product, 7)), g.const(normal(rng, 7, 3)), out="unbiased", alpha=0.5)
    g.op("Identity", norm("unbiased", 3), out="product")
    g.output("convolved", FLOAT, ["batch", 8, None, None])
    g.output("shared", FLOAT, ["batch", 5, "height", "width"])
    g.output("alone", FLOAT, ["batch", 4, "height", "width"])
    g.output("product", FLOAT, ["batch", 3])
    return g.model(opset=17, ir_version=8)


def cases():
    rng = random("batch_norm data")
    for batch, height, width in [(2, 6, 7), (1, 3, 3)]:
        yield Case({"x": 1 + normal(rng, batch, 4, height, width)})
