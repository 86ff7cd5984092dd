# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A residual network of one block: stem, pooling, BatchNormalization after convolutions, shortcut, classifier."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    rng = random("small_cnn weights")
    g = Graph("small_cnn")
    g.input("image", FLOAT, ["batch", 3, "height", "width"])

    def conv(x, inputs, outputs, kernel, stride=1):
        weight = g.const(normal(rng, outputs, inputs, kernel, kernel, scale=(inputs * kernel * kernel)**-0.5))
        y = g.op("Conv", x, weight, strides=[stride] * 2, pads=[kernel // 2] * 4)
        variance = rng.uniform(0.5, 2, outputs).astype(np.float32)
        return g.op("BatchNormalization", y, *[g.const(normal(rng, outputs)) for _ in range(3)], g.const(variance))

    x = g.op("MaxPool", g.op("Relu", conv("image", 3, 20, 7, 2)), kernel_shape=[3, 3], strides=[2, 2],
             pads=[1, 1, 1, 1])
    y = conv(g.op("Relu", conv(x, 20, 32, 3, 2)), 32, 32, 3)
    x = g.op("Relu", g.op("Add", y, conv(x, 20, 32, 1, 2)))
    pooled = g.op("Flatten", g.op("GlobalAveragePool", x))
    scores = g.op("Gemm", pooled, g.const(normal(rng, 11, 32, scale=0.3)), g.const(normal(rng, 11)), transB=1)
    g.op("Softmax", scores, out="probabilities", axis=1)
    g.output("probabilities", FLOAT, ["batch", 11])
    return g.model(opset=13, ir_version=7)


def cases():
    rng = random("small_cnn data")
    for batch, height, width in [(1, 32, 32), (2, 45, 27)]:
        yield Case({"image": normal(rng, batch, 3, height, width)})
