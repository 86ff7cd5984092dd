# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that read beside their windows: with a mask or without, groups of channels and of offsets, strides, pads and
dilations, places far outside the image; doubles; sizes that only the run knows."""
import numpy as np
from graph import DOUBLE, FLOAT, Case, Graph, normal, random

# ONNX Runtime has no DeformConv of operator set 22.
ORACLE = "reference"


def build():
    rng = random("deform_conv weights")
    g = Graph("deform_conv")
    g.input("x", FLOAT, ["N", 4, "H", "W"])
    g.input("offset", FLOAT, ["N", 2 * 3 * 2 * 2, "P", "Q"])
    g.input("mask", FLOAT, ["N", 2 * 3 * 2, "P", "Q"])
    g.input("strided_offset", FLOAT, ["N", 2 * 2 * 2, "R", "S"])
    weights = g.const(normal(rng, 6, 2, 3, 2))
    bias = g.const(normal(rng, 6))
    window = {"group": 2, "offset_group": 2, "pads": [1, 0, 1, 1]}

    def convolve(out, *operands, rows="P", columns="Q", **attributes):
        y = g.op("DeformConv", *operands, name=out, **attributes)
        g.output(g.op("Cast", y, to=FLOAT, out=out), FLOAT, ["N", 6, rows, columns])

    convolve("masked", "x", weights, "offset", bias, "mask", **window)
    convolve("plain", "x", weights, "offset", **window)
    convolve("strided", "x", g.const(normal(rng, 6, 4, 2, 2)), "strided_offset", bias, rows="R", columns="S",
             strides=[2, 1], dilations=[1, 2], pads=[0, 1, 0, 1])
    # The oracle interpolates doubles in float32; it sums halves in halves, so that they have none here.
    cast = {value: g.op("Cast", value, to=DOUBLE) for value in ("x", weights, "offset", "mask")}
    convolve("doubles", cast["x"], cast[weights], cast["offset"], "", cast["mask"], **window)
    return g.model(opset=22)


def cases():
    rng = random("deform_conv data")

    def data(batch, height, width, reach):
        rows, columns = (height - 2) // 2 + 1, width
        return {"x": normal(rng, batch, 4, height, width),
                "offset": normal(rng, batch, 24, height, width, scale=reach),
                "mask": rng.random((batch, 12, height, width), np.float32),
                "strided_offset": normal(rng, batch, 8, rows, columns, scale=reach)}

    for sizes in ((2, 4, 5, 0.5), (1, 2, 2, 0), (1, 6, 3, 4), (0, 3, 4, 1)):
        yield Case(data(*sizes))
