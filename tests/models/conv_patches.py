# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions over small planes and with strides, whose taps the CPU gathers first: kernels of one, three and five, pads,
dilations, groups, channels that fill no whole block, several images and none."""
from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def conv(g, rng, x, inputs, outputs, kernel, **attributes):
    scale = (inputs * kernel * kernel)**-0.5
    weight = g.const(normal(rng, outputs, inputs, kernel, kernel, scale=scale))
    return g.op("Conv", x, weight, g.const(normal(rng, outputs)), **attributes)


def build():
    rng = random("conv_patches weights")
    g = Graph("conv_patches")
    g.input("image", FLOAT, ["batch", 3, 28, 28])
    stem = g.op("Relu", conv(g, rng, "image", 3, 40, 3, pads=[1] * 4))
    half = g.op("Relu", conv(g, rng, stem, 40, 72, 1, strides=[2, 2]))
    short = g.op("Relu", conv(g, rng, half, 72, 50, 3, strides=[2, 2], pads=[1] * 4))
    wide = g.op("Relu", conv(g, rng, short, 50, 64, 5, pads=[2] * 4))
    apart = g.op("Relu", conv(g, rng, wide, 64, 48, 3, dilations=[2, 2], pads=[2, 2, 2, 2]))
    parts = conv(g, rng, g.op("Relu", conv(g, rng, apart, 48, 64, 1)), 32, 96, 3, group=2, pads=[1] * 4)
    apart = conv(g, rng, g.op("Relu", parts), 48, 48, 3, group=2, strides=[1, 1], pads=[1] * 4)
    joined = g.op("Add", apart, conv(g, rng, half, 72, 48, 1, strides=[2, 2]))
    conv(g, rng, joined, 48, 37, 2, strides=[3, 2], pads=[0, 1, 1, 0], out="features")
    g.output("features", FLOAT, ["batch", 37, 3, 4])
    return g.model(opset=17, ir_version=8)


def cases():
    rng = random("conv_patches data")
    for batch in [1, 3, 0]:
        yield Case({"image": normal(rng, batch, 3, 28, 28)})
