# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of 3 x 3 to 7 x 7 taps, which the CPU computes by tiles: in groups of channels, planes that tiles do
not divide and that the run decides, channels that fill no whole block, several images, unequal pads, strides over an image
and over what is in blocks, an epilogue that adds what another branch made."""
from conv_trunk import conv
from graph import FLOAT, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    rng = random("conv_tiles weights")
    g = Graph("conv_tiles")
    g.input("image", FLOAT, ["batch", 3, "height", "width"])
    stem = g.op("Relu", conv(g, rng, "image", 3, 48, 3))
    wide = g.op("Relu", conv(g, rng, stem, 48, 72, 3))
    joined = g.op("Relu", g.op("Add", conv(g, rng, wide, 72, 48, 3, bias=False), stem))
    kernel = g.const(normal(rng, 96, 48, 5, 5, scale=(48 * 25)**-0.5))
    far = g.op("Relu", g.op("Conv", joined, kernel, pads=[2, 2, 2, 2]))
    grouped = g.op("Conv", far, g.const(normal(rng, 96, 48, 5, 5, scale=(48 * 25)**-0.5)), pads=[2, 1, 2, 3], group=2)
    halves = g.const(normal(rng, 48, 32, 3, 3, scale=(32 * 9)**-0.5))
    joined = g.op("Add", joined, g.op("Conv", g.op("Relu", grouped), halves, pads=[1, 1, 1, 1], group=3))
    weight = g.const(normal(rng, 37, 48, 3, 3, scale=(48 * 9)**-0.5))
    g.op("Conv", joined, weight, g.const(normal(rng, 37)), pads=[0, 2, 1, 0], out="features")
    g.output("features", FLOAT, ["batch", 37, None, None])
    early = g.op("Conv", "image", g.const(normal(rng, 40, 3, 7, 7, scale=(3 * 49)**-0.5)), pads=[3, 3, 3, 3], strides=[2, 2])
    g.op("Relu", early, out="early")
    g.output("early", FLOAT, ["batch", 40, None, None])
    strided = g.const(normal(rng, 48, 96, 5, 5, scale=(96 * 25)**-0.5))
    g.op("Conv", far, strided, pads=[2, 2, 1, 2], strides=[2, 2], out="strided")
    g.output("strided", FLOAT, ["batch", 48, None, None])
    return g.model(opset=17, ir_version=8)


def cases():
    rng = random("conv_tiles data")
    for batch, height, width in [(1, 32, 32), (2, 21, 34), (3, 5, 7), (1, 2, 1), (0, 8, 8)]:
        # Tiles of six round to 2e-5 of the largest element; so no output is far beyond 1.
        yield Case({"image": normal(rng, batch, 3, height, width, scale=0.5)})
