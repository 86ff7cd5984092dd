# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A U-Net on images of any size: each level up is resized to the size of what it joins, whose shape says which, and the
result to that of the image.
"""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

# Shapes are the host's, whatever the image is.
LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
CHANNELS = [4, 8, 16]


def conv(g, x, rng, inputs, outputs, **attributes):
    weight = normal(rng, outputs, inputs, 3, 3, scale=(9 * inputs) ** -0.5)
    x = g.op("Conv", x, g.const(weight), g.const(normal(rng, outputs, scale=0.1)), pads=[1, 1, 1, 1], **attributes)
    return g.op("Relu", x)


def resize_to(g, x, other, channels):
    size = g.op("Slice", g.op("Shape", other), g.const([2]), g.const([4]))
    kept = g.op("Concat", g.op("Shape", x, start=0, end=1), g.const([channels]), axis=0)
    return g.op("Resize", x, "", "", g.op("Concat", kept, size, axis=0), mode="linear",
                coordinate_transformation_mode="half_pixel")


def build():
    rng = random("unet weights")
    g = Graph("unet")
    g.input("image", FLOAT, ["batch", 3, "height", "width"])
    levels, x, inputs = [], "image", 3
    for channels in CHANNELS:
        x = conv(g, conv(g, x, rng, inputs, channels), rng, channels, channels)
        levels.append(x)
        x = conv(g, x, rng, channels, channels, strides=[2, 2])
        inputs = channels
    x = conv(g, x, rng, inputs, inputs)
    for level, channels in zip(reversed(levels), reversed(CHANNELS)):
        x = g.op("Concat", level, resize_to(g, x, level, inputs), axis=1)
        x = conv(g, conv(g, x, rng, channels + inputs, channels), rng, channels, channels)
        inputs = channels
    logits = g.op("Conv", x, g.const(normal(rng, 2, inputs, 1, 1)))
    g.op("Softmax", logits, out="mask", axis=1)
    g.op("ArgMax", logits, out="labels", axis=1, keepdims=0)
    g.output("mask", FLOAT, ["batch", 2, "height", "width"])
    g.output("labels", INT64, ["batch", "height", "width"])
    return g.model(opset=19, ir_version=9)


def cases():
    rng = random("unet data")
    for batch, height, width in [(1, 16, 16), (2, 13, 22), (1, 40, 9)]:
        yield Case({"image": normal(rng, batch, 3, height, width)})
