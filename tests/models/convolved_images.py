# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that are computed as those of images: transposed ones by residues, volumes whose planes become channels,
and lines. Strides that do and do not divide kernel and output, dilations, pads that leave inputs out, depthwise ones."""
import math

import numpy as np

from graph import BOOL, FLOAT, Case, Graph, normal, random


def build():
    rng = random("convolved_images weights")
    g = Graph("convolved_images")
    g.input("x", FLOAT, ["batch", 12, "height", "width"])
    g.input("fixed", FLOAT, [2, 12, 5, 6])
    g.input("volume", FLOAT, ["batch", 5, "depth", "height", "width"])
    g.input("fixed_volume", FLOAT, [1, 5, 2, 4, 3])
    g.input("line", FLOAT, ["batch", 12, "width"])
    g.input("column", FLOAT, ["batch", 1, 1])
    g.input("row", FLOAT, ["width"])
    g.input("shift", FLOAT, [])

    def deconv(name, x, inputs, outputs, kernel, group=1, relu=False, **attributes):
        scale = (inputs // group * math.prod(kernel))**-0.5
        weight = g.const(normal(rng, inputs, outputs // group, *kernel, scale=scale))
        sums = g.op("ConvTranspose", x, weight, g.const(normal(rng, outputs)), out=1 if relu else name, group=group, **attributes)
        if relu:
            g.op("Relu", sums, out=name)
        g.output(name, FLOAT, [None, outputs, *[None] * len(kernel)])

    def conv(name, x, inputs, outputs, kernel, **attributes):
        weight = g.const(normal(rng, outputs, inputs, *kernel, scale=(inputs * math.prod(kernel))**-0.5))
        g.op("Conv", x, weight, g.const(normal(rng, outputs)), out=name, **attributes)
        g.output(name, FLOAT, [None, outputs, *[None] * len(kernel)])

    deconv("plain", "x", 12, 10, (3, 3), pads=[1, 1, 1, 1])
    deconv("doubled", "x", 12, 16, (4, 4), relu=True, strides=[2, 2], pads=[1, 1, 1, 1])
    deconv("apart", "x", 12, 20, (2, 2), strides=[2, 2])
    deconv("uneven", "x", 12, 16, (3, 5), strides=[2, 3], pads=[1, 1, 1, 2], output_padding=[0, 1])
    deconv("dilated", "x", 12, 9, (3, 3), dilations=[3, 2], strides=[2, 1], pads=[0, 2, 1, 0])
    deconv("channels", "x", 12, 12, (4, 4), group=12, strides=[2, 2], pads=[1, 1, 1, 1])
    deconv("cut", "fixed", 12, 16, (2, 3), strides=[2, 2], pads=[2, 2, 1, 1])
    deconv("same", "fixed", 12, 16, (3, 3), strides=[2, 2], auto_pad="SAME_UPPER")
    deconv("gaps", "x", 12, 16, (2, 2), strides=[3, 3])
    deconv("few", "x", 12, 2, (2, 2), strides=[2, 2])
    deconv("volume_doubled", "fixed_volume", 5, 9, (2, 3, 2), strides=[2, 2, 2])
    deconv("volume_open", "volume", 5, 9, (2, 3, 2), strides=[2, 2, 2])
    conv("volume_same", "volume", 5, 16, (3, 3, 3), pads=[1, 1, 1, 1, 1, 1])
    conv("volume_strided", "volume", 5, 7, (2, 3, 3), strides=[2, 1, 2], dilations=[1, 2, 1], pads=[1, 2, 0, 0, 1, 2])
    conv("volume_one", "volume", 5, 4, (1, 1, 1))
    conv("line_same", "line", 12, 16, (5,), pads=[2, 2])
    conv("line_strided", "line", 12, 6, (3,), strides=[2], dilations=[2], pads=[3, 0])
    conv("far", "x", 12, 16, (3, 3), pads=[6, 12, 6, 12], dilations=[6, 12])
    first = g.op("LeakyRelu", "line_same", alpha=0.1)
    g.op("Conv", first, g.const(normal(rng, 12, 16, 3, scale=0.15)), g.const(normal(rng, 12)), out="second", pads=[2, 2], dilations=[2])
    scaled = g.op("Mul", "second", g.const(normal(rng, 12, 1)))
    shifted = g.op("Add", g.op("Add", scaled, "line"), "column")
    g.op("Clip", shifted, g.const(np.float32(-1)), out="line_residual")
    g.output("line_residual", FLOAT, [None, 12, None])
    g.op("Greater", g.op("Where", g.op("Greater", shifted, "shift"), shifted, "line"), "row", out="line_mixed")
    g.output("line_mixed", BOOL, [None, 12, None])
    return g.model()


def cases():
    rng = random("convolved_images data")
    for batch, depth, height, width in [(1, 3, 5, 6), (2, 4, 8, 17), (1, 2, 3, 4), (0, 2, 3, 4)]:
        yield Case({"x": normal(rng, batch, 12, height, width), "fixed": normal(rng, 2, 12, 5, 6), "fixed_volume": normal(rng, 1, 5, 2, 4, 3),
                    "volume": normal(rng, batch, 5, depth, height, width), "line": normal(rng, batch, 12, width), "column": normal(rng, batch, 1, 1), "row": normal(rng, width),
                    "shift": np.array(0.25, np.float32)})
