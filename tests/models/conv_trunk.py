# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the CPU computes with channels in blocks: an inverted bottleneck, a gate per channel, branches joined, pools, and
channels that fill no whole block, whose padding must reach no result (0 / 0 on the way there is NaN)."""
import numpy as np
from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def conv(g, rng, x, inputs, outputs, kernel, bias=True, group=1, **attributes):
    scale = (inputs // group * kernel * kernel)**-0.5
    operands = [x, g.const(normal(rng, outputs, inputs // group, kernel, kernel, scale=scale))]
    operands += [g.const(normal(rng, outputs))] if bias else []
    return g.op("Conv", *operands, group=group, pads=[kernel // 2] * 4, **attributes)


def bottleneck(g, rng, x, channels, wide):
    y = g.op("Clip", conv(g, rng, x, channels, wide, 1), g.const(0.0), g.const(6.0))
    y = g.op("Relu", conv(g, rng, y, wide, wide, 3, group=wide))
    gate = g.op("Relu", conv(g, rng, g.op("GlobalAveragePool", y), wide, 8, 1))
    y = g.op("Mul", y, g.op("Sigmoid", conv(g, rng, gate, 8, wide, 1)))
    return g.op("Add", conv(g, rng, y, wide, channels, 1, bias=False), x)


def build():
    rng = random("conv_trunk weights")
    g = Graph("conv_trunk")
    g.input("image", FLOAT, ["batch", 3, "height", "width"])
    g.input("mask", FLOAT, ["batch", 1, "height", "width"])
    x = g.op("Mul", g.op("Relu", conv(g, rng, "image", 3, 40, 3)), "mask")
    x = bottleneck(g, rng, x, 40, 72)
    # Per-channel operands, one of them computed; quotients that are 0 / 0 in lanes that hold no channel.
    positive = g.op("Abs", g.const(normal(rng, 40, 1, 1) + 3))
    x = g.op("Mul", g.op("Div", x, g.op("Add", g.op("Abs", x), positive)), positive)
    variance = rng.uniform(0.5, 2, 40).astype(np.float32)
    x = g.op("BatchNormalization", x, *[g.const(normal(rng, 40)) for _ in range(3)], g.const(variance))
    left = conv(g, rng, x, 40, 32, 3, strides=[2, 2])
    right = g.op("MaxPool", conv(g, rng, x, 40, 21, 5), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = g.op("Concat", left, right, axis=1)
    mean = g.op("AveragePool", x, kernel_shape=[2, 3], pads=[1, 1, 0, 1], count_include_pad=1)
    y = conv(g, rng, mean, 53, 33, 3, dilations=[1, 1])
    g.op("Tanh", y, out="features")
    g.op("GlobalMaxPool", y, out="peaks")
    g.output("features", FLOAT, ["batch", 33, None, None])
    g.output("peaks", FLOAT, ["batch", 33, 1, 1])
    return g.model(opset=17, ir_version=8)


def cases():
    rng = random("conv_trunk data")
    for batch, height, width in [(1, 16, 16), (2, 21, 34), (3, 5, 7)]:
        yield Case({"image": normal(rng, batch, 3, height, width),
                    "mask": rng.uniform(0.5, 1, (batch, 1, height, width)).astype(np.float32)})
