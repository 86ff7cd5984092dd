# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions in groups whose channels share blocks of the CPU's layout, and channels shuffled between them: read through by
the next convolution, behind a depthwise one, into weights, through a halo, by a pool, and by the caller."""
from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def conv(g, rng, x, inputs, outputs, kernel, group=1, **attributes):
    scale = (inputs // group * kernel * kernel)**-0.5
    weight = g.const(normal(rng, outputs, inputs // group, kernel, kernel, scale=scale))
    return g.op("Conv", x, weight, g.const(normal(rng, outputs)), group=group, pads=[kernel // 2] * 4, **attributes)


def shuffle(g, x, channels, groups, size):
    parts = g.op("Reshape", x, g.const([0, groups, channels // groups, size, size]))
    return g.op("Reshape", g.op("Transpose", parts, perm=[0, 2, 1, 3, 4]), g.const([0, channels, size, size]))


def unit(g, rng, x, channels, inner, groups, size):
    y = shuffle(g, g.op("Relu", conv(g, rng, x, channels, inner, 1, groups)), inner, groups, size)
    y = conv(g, rng, conv(g, rng, y, inner, inner, 3, group=inner), inner, channels, 1, groups)
    return g.op("Relu", g.op("Add", y, x))


def build():
    rng = random("channel_shuffle weights")
    g = Graph("channel_shuffle")
    g.input("image", FLOAT, ["batch", 3, 28, 28])
    x = g.op("Relu", conv(g, rng, "image", 3, 136, 3, strides=[2, 2]))
    x = unit(g, rng, x, 136, 68, 4, 14)
    x = unit(g, rng, x, 136, 40, 8, 14)
    # Into the weights of a convolution that mixes all; with a halo; by a pool.
    y = conv(g, rng, shuffle(g, x, 136, 8, 14), 136, 60, 1)
    y = conv(g, rng, shuffle(g, y, 60, 5, 14), 60, 36, 3, group=6)
    y = g.op("MaxPool", shuffle(g, y, 36, 3, 14), kernel_shape=[2, 2], strides=[2, 2])
    y = conv(g, rng, y, 36, 64, 3)
    g.op("Reshape", shuffle(g, y, 64, 2, 7), g.const([0, 64, 7, 7]), out="features")
    g.output("features", FLOAT, ["batch", 64, 7, 7])
    return g.model(opset=17, ir_version=8)


def cases():
    rng = random("channel_shuffle data")
    for batch in [1, 3, 0]:
        yield Case({"image": normal(rng, batch, 3, 28, 28)})
