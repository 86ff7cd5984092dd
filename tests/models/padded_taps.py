# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions some of whose taps read nothing but padding: dilated beyond the image, at one end only, strided past it, along one
axis, over lines and volumes, in groups, and one whose taps all do."""
import math

from graph import FLOAT, Case, Graph, normal, random


def build():
    rng = random("padded_taps weights")
    g = Graph("padded_taps")
    g.input("x", FLOAT, ["batch", 6, 7, 9])
    g.input("line", FLOAT, ["batch", 6, 5])
    g.input("volume", FLOAT, [1, 3, 2, 4, 3])
    g.input("open", FLOAT, ["batch", 6, "height", 9])

    def conv(name, x, inputs, outputs, kernel, group=1, **attributes):
        scale = (inputs // group * math.prod(kernel))**-0.5
        weight = g.const(normal(rng, outputs, inputs // group, *kernel, scale=scale))
        g.op("Conv", x, weight, g.const(normal(rng, outputs)), out=name, group=group, **attributes)
        g.output(name, FLOAT, [None, outputs, *[None] * len(kernel)])

    conv("far", "x", 6, 8, (3, 3), dilations=[9, 12], pads=[9, 12, 9, 12])
    conv("near", "x", 6, 8, (3, 3), dilations=[6, 8], pads=[6, 8, 6, 8])
    conv("along_rows", "x", 6, 20, (5, 3), dilations=[4, 1], pads=[8, 1, 8, 1])
    conv("at_one_end", "x", 6, 8, (2, 2), dilations=[7, 9], pads=[7, 9, 0, 0])
    conv("strided", "x", 6, 8, (3, 3), dilations=[5, 5], strides=[4, 3], pads=[10, 11, 10, 9])
    conv("stepped_over", "x", 6, 8, (2, 1), dilations=[3, 1], strides=[20, 1], pads=[9, 0, 14, 0])
    conv("channels", "x", 6, 6, (3, 3), group=6, dilations=[8, 2], pads=[8, 2, 8, 2])
    conv("none", "x", 6, 4, (1, 1), strides=[30, 1], pads=[20, 0, 11, 0])
    conv("lines", "line", 6, 16, (3,), dilations=[5], pads=[5, 5])
    conv("volumes", "volume", 3, 16, (3, 3, 3), dilations=[2, 1, 3], pads=[2, 1, 3, 2, 1, 3])
    conv("open_rows", "open", 6, 8, (3, 3), dilations=[3, 9], pads=[3, 9, 3, 9])
    return g.model()


def cases():
    rng = random("padded_taps data")
    for batch, height in [(1, 4), (2, 1), (3, 9)]:
        yield Case({"x": normal(rng, batch, 6, 7, 9), "line": normal(rng, batch, 6, 5), "volume": normal(rng, 1, 3, 2, 4, 3),
                    "open": normal(rng, batch, 6, height, 9)})
