# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions: strides, dilations, groups, depthwise, every padding rule, one to three dimensions, fused endings."""
import math

from graph import FLOAT, Case, Graph, normal, random


def conv(g, rng, x, channels, outputs, kernel, bias=True, out=1, group=1, **attributes):
    inputs = channels // group
    weight = g.const(normal(rng, outputs, inputs, *kernel, scale=(inputs * math.prod(kernel))**-0.5))
    operands = [x, weight] + ([g.const(normal(rng, outputs))] if bias else [])
    return g.op("Conv", *operands, out=out, group=group, kernel_shape=list(kernel), **attributes)


def build():
    rng = random("conv_variants weights")
    g = Graph("conv_variants")
    image = ["batch", 8, "height", "width"]
    g.input("image", FLOAT, image)
    g.input("signal", FLOAT, ["batch", 4, "length"])
    g.input("volume", FLOAT, [1, 2, 5, 6, 7])

    stem = g.op("Relu", conv(g, rng, "image", 8, 16, (3, 3), pads=[1, 1, 1, 1]))
    skip = conv(g, rng, "image", 8, 16, (1, 1), bias=False)
    g.op("Relu", g.op("Add", conv(g, rng, stem, 16, 16, (3, 3), pads=[1, 1, 1, 1]), skip), out="residual")
    conv(g, rng, "image", 8, 5, (3, 2), strides=[2, 3], pads=[0, 1, 2, 1], out="strided")
    conv(g, rng, "image", 8, 6, (3, 3), dilations=[2, 2], pads=[2, 2, 2, 2], group=2, out="dilated")
    conv(g, rng, "image", 8, 8, (3, 3), group=8, pads=[1, 1, 1, 1], out="depthwise")
    mixed = conv(g, rng, "image", 8, 34, (1, 1), group=2)
    g.op("Relu", g.op("Add", mixed, conv(g, rng, "image", 8, 34, (1, 1), group=2, bias=False)), out="pointwise")
    conv(g, rng, "image", 8, 4, (4, 4), auto_pad="SAME_UPPER", strides=[2, 2], out="upper")
    conv(g, rng, "image", 8, 4, (4, 4), auto_pad="SAME_LOWER", strides=[2, 2], out="lower")
    conv(g, rng, "image", 8, 4, (5, 5), auto_pad="VALID", out="valid")
    conv(g, rng, "signal", 4, 3, (5,), strides=[2], pads=[2, 2], out="line")
    conv(g, rng, "volume", 2, 3, (2, 3, 3), pads=[0, 1, 1, 1, 1, 1], out="space")
    for name, channels in [("residual", 16), ("strided", 5), ("dilated", 6), ("depthwise", 8), ("pointwise", 34),
                           ("upper", 4), ("lower", 4), ("valid", 4)]:
        g.output(name, FLOAT, ["batch", channels, None, None])
    g.output("line", FLOAT, ["batch", 3, None])
    g.output("space", FLOAT, [1, 3, None, None, None])
    return g.model()


def cases():
    rng = random("conv_variants data")
    for batch, height, width, length in [(1, 12, 12, 16), (3, 7, 19, 5), (2, 33, 6, 40)]:
        yield Case({"image": normal(rng, batch, 8, height, width), "signal": normal(rng, batch, 4, length),
                    "volume": normal(rng, 1, 2, 5, 6, 7)})
