# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions in groups of few channels, which blocks of channels hold several of: by tiles, by steps of two, of one tap, with more
outputs than inputs, of a number of groups that only two at a time divide, and with a group too many to join."""
import math

from graph import FLOAT, Case, Graph, normal, random


def conv(g, rng, x, channels, outputs, kernel, group, out=1, **attributes):
    inputs = channels // group
    weight = g.const(normal(rng, outputs, inputs, *kernel, scale=(inputs * math.prod(kernel))**-0.5))
    return g.op("Conv", x, weight, g.const(normal(rng, outputs)), out=out, group=group, kernel_shape=list(kernel), **attributes)


def build():
    rng = random("joined_groups weights")
    g = Graph("joined_groups")
    g.input("x", FLOAT, ["batch", 32, "height", "width"])
    g.input("fixed", FLOAT, [1, 96, 28, 28])
    four = g.op("Relu", conv(g, rng, "x", 32, 32, (3, 3), 8, pads=[1] * 4))
    eight = g.op("Relu", conv(g, rng, four, 32, 64, (3, 3), 4, pads=[1] * 4, strides=[2, 2]))
    g.op("Relu", conv(g, rng, eight, 64, 64, (1, 1), 8), out="open")
    large = g.op("Relu", conv(g, rng, "fixed", 96, 96, (3, 3), 12, pads=[1] * 4))
    wide = g.op("Relu", conv(g, rng, large, 96, 144, (5, 5), 6, pads=[2] * 4))
    odd = conv(g, rng, wide, 144, 144, (3, 3), 9, pads=[1] * 4)
    g.op("Add", odd, conv(g, rng, wide, 144, 144, (3, 3), 18, pads=[2, 2, 2, 2], dilations=[2, 2]), out="known")
    g.output("open", FLOAT, ["batch", 64, None, None])
    g.output("known", FLOAT, [1, 144, 28, 28])
    return g.model()


def cases():
    rng = random("joined_groups data")
    for batch, height, width in [(1, 12, 12), (2, 31, 5), (1, 1, 1)]:
        yield Case({"x": normal(rng, batch, 32, height, width), "fixed": normal(rng, 1, 96, 28, 28)})
