# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Heads of a face detector: depthwise and pointwise convolutions of one channel, whose bias is a number of four bytes where a
kernel's argument has eight."""
from graph import FLOAT, Case, Graph, normal, random

CHANNELS = 6


def build():
    rng = random("detector_heads weights")
    g = Graph("detector_heads")
    g.input("x", FLOAT, ["n", 3, "h", "w"])

    def conv(x, outputs, inputs, size, **attributes):
        w, b = g.const(normal(rng, outputs, inputs, size, size, scale=0.3)), g.const(normal(rng, outputs))
        return g.op("Conv", x, w, b, pads=[size // 2] * 4, **attributes)

    def separable(x, outputs):
        return conv(conv(x, outputs, CHANNELS, 1), outputs, 1, 3, group=outputs)

    x = g.op("Relu", conv("x", CHANNELS, 3, 3, strides=[2, 2]))
    for level in range(2):
        x = g.op("Relu", separable(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), CHANNELS))
        for head, width in (("class", 1), ("box", 4), ("object", 1)):
            name = f"{head}_{level}"
            y = g.op("Reshape", g.op("Transpose", separable(x, width), perm=[0, 2, 3, 1]), g.const([0, -1, width]))
            g.output(g.op("Sigmoid" if width == 1 else "Identity", y, out=name), FLOAT, ["n", None, width])
    return g.model()


def cases():
    rng = random("detector_heads data")
    for n, h, w in [(1, 32, 40), (2, 24, 16)]:
        yield Case({"x": normal(rng, n, 3, h, w)})
